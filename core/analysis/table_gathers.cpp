#include "core/analysis/table_gathers.h"

#include <map>

#include "core/analysis/op_view.h"
#include "core/analysis/passes.h"
#include "core/analysis/rewriter.h"

namespace cleave {

namespace {

// The table [V, K, …] whose entries a list holds one after the other; invalid if it is no such list.
ValueId tableOf(const Program& program, ValueId list)
{
    if (!list.valid() || program[list].sizes.size() != 1 || program[list].dtype == DType::Bool || !program[list].producer.valid())
        return {};
    const Op& op = program[program[list].producer];
    if (!isReshape(op) && op.target != "aten::flatten")
        return {};
    const ValueId table = OpView(program, op).value("self");
    return table.valid() && program[table].sizes.size() > 1 && !program[table].sizes.front().isConstant() ? table : ValueId{};
}

// Rows that are read at all entries of a table, and which.
struct Gather {
    ValueId rows, table;
};

struct Read {
    ValueId rows, index;
};

// Invalid for what reads no whole rows at one index.
Read readOf(const Program& program, const Op& op)
{
    const OpView view(program, op);
    const bool embeds = op.target == "aten::embedding";
    const ValueId rows = view.value(embeds ? "weight" : "self");
    if (!rows.valid() || op.outputs.size() != 1)
        return {};
    if (embeds)
        return {rows, view.value("indices")};
    if (op.target == "aten::index_select")
        return view.dim("dim", view.rank("self")) == 0 ? Read{rows, view.value("index")} : Read{};
    const std::vector<ValueId> indices = op.target == "aten::index" ? view.values("indices") : std::vector<ValueId>{};
    return indices.size() == 1 ? Read{rows, indices.front()} : Read{};
}

Gather gatherOf(const Program& program, const Op& op)
{
    const auto [rows, index] = readOf(program, op);
    return rows.valid() ? Gather{rows, tableOf(program, index)} : Gather{};
}

// By the view that puts rows together again: what it views, read at the table.
std::map<OpId, Gather> findGathers(const Program& program)
{
    std::map<OpId, Gather> found;
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
        const Op& op = program.ops[i];
        const ValueId self = isReshape(op) && op.outputs.size() == 1 ? OpView(program, op).value("self") : ValueId{};
        if (!self.valid() || !program[self].producer.valid())
            continue;
        const Gather gather = gatherOf(program, program[program[self].producer]);
        const std::vector<Dim>& sizes = program[op.outputs.front()].sizes;
        if (gather.table.valid() && !sizes.empty() && sizes.front() == program[gather.table].sizes.front())
            found[OpId{static_cast<int>(i)}] = gather;
    }
    return found;
}

// Numbers of nodes that features tell, one for each, and where they are read in turn; invalid for other indices.
Read numbersReadBy(const Program& program, ValueId index, const IdMap<ValueId, Reach>& reach)
{
    const Op* maker = index.valid() && program[index].sizes.size() == 1 ? producerOf(program, index) : nullptr;
    if (maker == nullptr)
        return {};
    const auto [numbers, where] = readOf(program, *maker);
    const bool areNumbers = numbers.valid() && where.valid() && reach[numbers] == Reach::Feature && program[numbers].sizes.size() == 1 &&
                            isInteger(program[numbers].dtype) && !program[numbers].sizes[0].isConstant();
    return areNumbers && reach[where] != Reach::Feature && isInteger(program[where].dtype) ? Read{numbers, where} : Read{};
}

ValueId readAt(Rewriter& rewriter, const Op& op, ValueId rows, ValueId index, Value read)
{
    return rewriter.emitNew(op, "aten::index", "Tensor", {{"self", {rows}}, {"indices", {std::vector<Argument>{{index}}}}}, read);
}

}  // namespace

int gatherInSteps(Program& program)
{
    const IdMap<ValueId, Reach> reach = findReach(program);
    std::map<OpId, std::pair<ValueId, Read>> found;  // the rows, and their numbers
    for (std::size_t i = 0; i < program.ops.size(); ++i)
        if (const auto [rows, index] = readOf(program, program.ops[i]); rows.valid())
            if (const Read numbers = numbersReadBy(program, index, reach); numbers.rows.valid())
                found[OpId{static_cast<int>(i)}] = {rows, numbers};
    if (found.empty())
        return 0;
    Rewriter rewriter(program);
    std::vector<Op> ops = rewriter.takeOps();
    for (std::size_t i = 0; i < ops.size(); ++i) {
        Op& op = ops[i];
        rewriter.resolveOperands(op);
        if (const auto steps = found.find(OpId{static_cast<int>(i)}); steps != found.end()) {
            const auto& [rows, numbers] = steps->second;
            Value ofNodes = program[rows];
            ofNodes.sizes.front() = program[numbers.rows].sizes.front();
            const ValueId first = readAt(rewriter, op, rewriter.resolved(rows), rewriter.resolved(numbers.rows), ofNodes);
            rewriter.replace(op.outputs.front(), readAt(rewriter, op, first, rewriter.resolved(numbers.index), Value(program[op.outputs.front()])));
            continue;
        }
        rewriter.emit(std::move(op));
    }
    rewriter.finish();
    return static_cast<int>(found.size());
}

int gatherAtTables(Program& program)
{
    const std::map<OpId, Gather> gathers = findGathers(program);
    if (gathers.empty())
        return 0;
    Rewriter rewriter(program);
    std::vector<Op> ops = rewriter.takeOps();
    for (std::size_t i = 0; i < ops.size(); ++i) {
        Op& op = ops[i];
        if (const auto found = gathers.find(OpId{static_cast<int>(i)}); found != gathers.end()) {
            const auto& [rows, table] = found->second;
            Value read = program[rows];
            read.sizes = program[table].sizes;
            read.sizes.insert(read.sizes.end(), program[rows].sizes.begin() + 1, program[rows].sizes.end());
            const ValueId gathered =
                rewriter.emitNew(op, "aten::index", "Tensor", {{"self", {rows}}, {"indices", {std::vector<Argument>{{table}}}}}, read);
            for (NamedArgument& argument : op.args)
                if (argument.name == "self")
                    argument.value = {gathered};
        }
        rewriter.resolveOperands(op);
        rewriter.emit(std::move(op));
    }
    rewriter.finish();
    return static_cast<int>(gathers.size());
}

}  // namespace cleave
