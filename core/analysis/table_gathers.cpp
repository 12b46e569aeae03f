#include "core/analysis/table_gathers.h"

#include <map>

#include "core/analysis/op_view.h"
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

Gather gatherOf(const Program& program, const Op& op)
{
    const OpView view(program, op);
    const bool embeds = op.target == "aten::embedding";
    const ValueId rows = view.value(embeds ? "weight" : "self");
    if (!rows.valid() || op.outputs.size() != 1)
        return {};
    if (embeds)
        return {rows, tableOf(program, view.value("indices"))};
    if (op.target == "aten::index_select")
        return view.dim("dim", view.rank("self")) == 0 ? Gather{rows, tableOf(program, view.value("index"))} : Gather{};
    const std::vector<ValueId> indices = op.target == "aten::index" ? view.values("indices") : std::vector<ValueId>{};
    return indices.size() == 1 ? Gather{rows, tableOf(program, indices.front())} : Gather{};
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

}  // namespace

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
