#include "core/analysis/node_types.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "core/analysis/dims.h"
#include "core/analysis/message_passing.h"
#include "core/analysis/op_view.h"
#include "core/analysis/views.h"
#include "core/model/size_term.h"

namespace cleave {

namespace {

void renameSizes(Program& program, const SymbolNames& names)
{
    if (names.empty())
        return;
    const std::map<std::string, std::string> renamed = names.all();
    for (Value& value : program.values) {
        for (Dim& dim : value.sizes)
            dim = renameSymbols(dim, renamed);
        value.number = renameSymbols(value.number, renamed);
    }
    changeSizesOfGuards(program, [&](Dim& size) { size = renameSymbols(size, renamed); });
}

}  // namespace

namespace {

// The op of this kind that makes a value; null for others.
const Op* makerOf(const Program& program, ValueId value, std::string_view target)
{
    const OpId id = value.valid() ? program[value].producer : OpId{};
    return id.valid() && program[id].target == target ? &program[id] : nullptr;
}

// How many numbers there are in the range from 0 on that an op repeats; null for one that does not, or a number of the model.
const Dim* sizeOfRange(const Program& program, const Op* repeat)
{
    const Op* range = repeat == nullptr ? nullptr : makerOf(program, OpView(program, *repeat).value("self"), "aten::arange");
    const Argument* end = range == nullptr ? nullptr : range->find("end");
    const ValueId* count = end == nullptr ? nullptr : end->asValue();
    return count == nullptr || program[*count].number.isConstant() ? nullptr : &program[*count].number;
}

}  // namespace

void mergeNodeCounts(Program& program)
{
    std::set<std::string> ofFeatures, counts;  // counts: of integers for each node, too (atoms beside their positions)
    for (const Input& input : program.inputs)
        if (const Value& value = program[input.value]; value.kind == ValueKind::Tensor && !value.sizes.empty() && !value.sizes[0].isConstant()) {
            if (input.isOfNodes())
                ofFeatures.insert(value.sizes[0].symbol);
            const bool arePointers = value.name.find("ptr") != std::string::npos;  // one more than what they divide
            if (input.role == Role::NodeFeatures || (input.role == Role::Other && isInteger(value.dtype) && !arePointers))
                counts.insert(value.sizes[0].symbol);
        }
    std::map<ValueId, std::string> readAt;
    SymbolNames names;
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
        const auto form = gatherForm(program, OpId{static_cast<int>(i)});
        if (!form || static_cast<std::size_t>(form->sourceDim) >= program[form->source].sizes.size())
            continue;
        const Dim& rows = program[form->source].sizes.at(static_cast<std::size_t>(form->sourceDim));
        if (rows.isConstant() || !counts.contains(rows.symbol))
            continue;
        std::string mine = names.of(rows.symbol), first = names.of(readAt.try_emplace(viewRoot(program, form->index), mine).first->second);
        if (ofFeatures.contains(mine) && !ofFeatures.contains(first))
            std::swap(mine, first);
        names.merge(mine, first);
    }
    // What is read at 0, 1, 2, …, each repeated as often as counts say, has as many rows as there are counts.
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
        const auto form = gatherForm(program, OpId{static_cast<int>(i)});
        if (!form || static_cast<std::size_t>(form->sourceDim) >= program[form->source].sizes.size())
            continue;
        const Dim& rows = program[form->source].sizes[at(form->sourceDim)];
        const Dim* counted = sizeOfRange(program, makerOf(program, viewRoot(program, form->index), "aten::repeat_interleave"));
        if (counted != nullptr && ofFeatures.contains(rows.symbol) && sizeParts(counted->symbol).second.empty())
            names.merge(counted->symbol, rows.symbol);
    }
    // A matrix for each of the graphs whose nodes have features: [graphs, n, n] beside [graphs, n, features].
    for (const Input& matrices : program.inputs) {
        const std::vector<Dim>& sizes = program[matrices.value].sizes;
        if (matrices.role != Role::GraphStructure || !isFloating(program[matrices.value].dtype) || sizes.size() != 3 || sizes[0].isConstant() ||
            !sizes[1].isConstant() || sizes[1] != sizes[2])
            continue;
        std::set<std::string> graphs;
        for (const Input& features : program.inputs)
            if (const std::vector<Dim>& other = program[features.value].sizes;
                features.role == Role::NodeFeatures && other.size() > 1 && !other[0].isConstant() && other[1] == sizes[1])
                graphs.insert(names.of(other[0].symbol));
        if (graphs.size() == 1)
            names.merge(sizes[0].symbol, *graphs.begin());
    }
    renameSizes(program, names);
}

void mergeScatterCounts(Program& program)
{
    static const std::set<std::string_view> elementIndexed{"aten::scatter", "aten::scatter_add", "aten::scatter_reduce"};
    std::set<std::string> own, ofFeatures;  // symbols of inputs
    for (const Input& input : program.inputs)
        if (const Value& value = program[input.value]; value.kind == ValueKind::Tensor)
            for (const Dim& dim : value.sizes) {
                own.insert(dim.symbol);
                if (isFloating(value.dtype))
                    ofFeatures.insert(dim.symbol);
            }
    SymbolNames names;
    for (const Op& op : program.ops) {
        const OpView view(program, op);
        const bool isBag = isEmbeddingBag(op);
        if (!isBag && !elementIndexed.contains(op.target))
            continue;
        const Value *index = view.tensor(isBag ? "indices" : "index"), *source = view.tensor(isBag ? "per_sample_weights" : "src");
        const std::optional<int> dim = isBag ? 0 : view.dim("dim", view.rank("self"));
        if (index == nullptr || source == nullptr || !dim || index->sizes.size() != source->sizes.size() || index->sizes.size() <= at(*dim))
            continue;
        std::string from = names.of(index->sizes[at(*dim)].symbol), to = names.of(source->sizes[at(*dim)].symbol);
        if (ofFeatures.contains(from) && !ofFeatures.contains(to))
            std::swap(from, to);
        if (from != to && own.contains(from) && own.contains(to) && !from.empty() && !to.empty() && !ofFeatures.contains(from))
            names.merge(from, to);
    }
    renameSizes(program, names);
}

void mergeDividedCounts(Program& program)
{
    std::set<std::string> ofFeatures, others;  // symbols of inputs
    for (const Input& input : program.inputs)
        if (const Value& value = program[input.value]; value.kind == ValueKind::Tensor)
            for (const Dim& dim : value.sizes)
                if (!dim.isConstant() && sizeParts(dim.symbol).second.empty())
                    (isFloating(value.dtype) ? ofFeatures : others).insert(dim.symbol);
    SymbolNames names;
    for (const Op& op : program.ops) {
        if (op.target != "aten::linear")
            continue;
        const OpView view(program, op);
        const Value *input = view.tensor("input"), *weight = view.tensor("weight");
        if (input == nullptr || weight == nullptr || input->sizes.empty() || weight->sizes.size() != 2 || input->sizes.back().isConstant() ||
            input->sizes.back().symbol.find("FloorDiv") == std::string::npos)
            continue;
        for (const std::string& table : others)
            for (const std::string& nodes : ofFeatures)
                if (!ofFeatures.contains(table) && renameSymbols(input->sizes.back(), {{table, nodes}}) == weight->sizes[1])
                    names.merge(table, nodes);
    }
    renameSizes(program, names);
}

void mergeHalves(Program& program)
{
    // n of k·⌊n / k⌋; empty for others.
    const auto wholeOf = [](const Dim& dim) -> std::string {
        const auto [name, parts] = sizeParts(dim.symbol);
        if (name != "Mul" || parts.size() != 2)
            return {};
        for (const std::size_t i : {0, 1})
            if (const auto fraction = sizeFraction(parts[i]); fraction && sizeNumber(parts[1 - i]) == fraction->second)
                return fraction->first;
        return {};
    };
    std::map<std::string, std::string> wholes;
    for (const Op& op : program.ops) {
        if (!isOneOf(op.target, {"aten::cat", "aten::concat", "aten::stack", "aten::add", "aten::sub", "aten::mul", "aten::div", "aten::where"}))
            continue;
        const OpView view(program, op);
        const bool isJoin = isOneOf(op.target, {"aten::cat", "aten::concat"});
        const std::optional<int> joined = isJoin ? (view.given("dim") ? view.dim("dim", view.outputRank()) : std::optional(0)) : std::nullopt;
        std::vector<const std::vector<Dim>*> operands;
        forEachOperand(op, [&](ValueId operand) {
            if (program[operand].kind == ValueKind::Tensor)
                operands.push_back(&program[operand].sizes);
        });
        for (const std::vector<Dim>* sizes : operands)
            for (std::size_t d = 0; d < sizes->size(); ++d)
                if (const std::string whole = joined != static_cast<int>(d) ? wholeOf((*sizes)[d]) : std::string(); !whole.empty())
                    for (const std::vector<Dim>* beside : operands)
                        if (beside->size() == sizes->size() && (*beside)[d].symbol == whole)
                            wholes.emplace((*sizes)[d].symbol, whole);
    }
    const auto rename = [&](Dim& dim) {
        if (const auto whole = wholes.find(dim.symbol); whole != wholes.end())
            dim.symbol = whole->second;
    };
    if (wholes.empty())
        return;
    for (Value& value : program.values) {
        std::ranges::for_each(value.sizes, rename);
        rename(value.number);
    }
    changeSizesOfGuards(program, rename);
}

int mergeEqualSizes(Program& program, const KnownInputSizes& known)
{
    std::map<std::int64_t, std::string> first;  // the symbol of each size; of features, if there are any
    SymbolNames names;
    for (const bool areFeatures : {true, false})
        for (const Input& input : program.inputs) {
            const Value& value = program[input.value];
            const auto sizes = known.find(value.name);
            if (value.kind != ValueKind::Tensor || sizes == known.end() || isFloating(value.dtype) != areFeatures)
                continue;
            for (const auto& [dim, size] : sizes->second) {
                if (size < 2 || dim < 0 || at(dim) >= value.sizes.size() || value.sizes[at(dim)].isConstant() ||
                    !sizeParts(value.sizes[at(dim)].symbol).second.empty())
                    continue;
                const std::string& symbol = value.sizes[at(dim)].symbol;
                if (const auto [same, isNew] = first.try_emplace(size, symbol); !isNew && same->second != symbol)
                    names.merge(symbol, same->second);
            }
        }
    renameSizes(program, names);
    return static_cast<int>(names.merged());
}

void mergeEdgeCounts(Program& program)
{
    constexpr std::string_view index = "index";
    std::map<std::string, std::string> counts;  // of edges, by what their names begin with
    std::set<std::string> others;               // sizes of what is not of edges alone
    for (const Input& input : program.inputs) {
        const Value& value = program[input.value];
        const bool isPairs = value.sizes.size() == 2 && value.sizes[0] == Dim{2, {}} && isInteger(value.dtype);
        const bool isFree = isPairs && !value.sizes[1].isConstant() && sizeParts(value.sizes[1].symbol).second.empty();
        if (isFree && value.name.ends_with(index))
            counts[value.name.substr(0, value.name.size() - index.size())] = value.sizes[1].symbol;
        if (isPairs || input.role == Role::NodeFeatures)
            for (const Dim& dim : value.sizes)
                others.insert(dim.symbol);
    }
    SymbolNames names;
    for (const Input& input : program.inputs) {
        const Value& value = program[input.value];
        if (value.kind != ValueKind::Tensor || value.sizes.empty() || value.sizes[0].isConstant() || others.contains(value.sizes[0].symbol) ||
            !sizeParts(value.sizes[0].symbol).second.empty())
            continue;
        for (const std::string_view what : {"attr", "weight", "type", "feat", "features"}) {
            const std::string start = value.name.ends_with(what) ? value.name.substr(0, value.name.size() - what.size()) : "";
            if (const auto edges = counts.find(start); edges != counts.end() && !start.empty())
                names.merge(value.sizes[0].symbol, edges->second);
        }
    }
    renameSizes(program, names);
}

namespace {

bool isCompressedRows(const Program& program, ValueId pointers, const std::string& rows, const std::string& nodes)
{
    const std::string& name = program[pointers].name;
    for (const std::string_view word : {"row", "ind", "csr", "adj", "neigh", "nbr"})
        if (name.find(word) != std::string::npos)
            return true;
    // Rows between pointers are read where nodes are.
    std::map<ValueId, std::set<std::string>> readAt;
    for (std::size_t i = 0; i < program.ops.size(); ++i)
        if (const auto form = gatherForm(program, OpId{static_cast<int>(i)});
            form && static_cast<std::size_t>(form->sourceDim) < program[form->source].sizes.size())
            readAt[viewRoot(program, form->index)].insert(program[form->source].sizes.at(static_cast<std::size_t>(form->sourceDim)).symbol);
    return std::ranges::any_of(readAt, [&](const auto& read) { return read.second.contains(rows) && read.second.contains(nodes); });
}

}  // namespace

void mergeCompressedRows(Program& program)
{
    std::set<std::string> counts;
    for (const Input& input : program.inputs)
        if (const Value& value = program[input.value]; input.isOfNodes() && !value.sizes.empty() && !value.sizes[0].isConstant())
            counts.insert(value.sizes[0].symbol);
    if (counts.size() != 1)
        return;
    const std::string nodes = *counts.begin();
    for (const Input& input : program.inputs) {
        const std::vector<Dim> sizes = program[input.value].sizes;
        if (sizes.size() != 1 || sizes[0].isConstant() || !sizeParts(sizes[0].symbol).second.empty() || counts.contains(sizes[0].symbol))
            continue;
        const std::string pointers = sizes[0].symbol, rows = "Add(-1, " + pointers + ")";
        const auto divided = rowsDividedBy(program, input.value);
        // An exporter may know already that there is one pointer more than nodes.
        if (!divided || divided->symbol == nodes || nodes.find(pointers) != std::string::npos || !isCompressedRows(program, input.value, rows, nodes))
            continue;
        const auto merged = [&](Dim dim) {
            for (std::size_t at = dim.symbol.find(rows); at != std::string::npos; at = dim.symbol.find(rows))
                dim.symbol.replace(at, rows.size(), nodes);
            return renameSymbols(dim, {{pointers, "Add(1, " + nodes + ")"}});
        };
        for (Value& value : program.values) {
            std::ranges::transform(value.sizes, value.sizes.begin(), merged);
            value.number = merged(value.number);
        }
        changeSizesOfGuards(program, [&](Dim& size) { size = merged(size); });
    }
}

void nameTypes(std::vector<NodeType>& types)
{
    if (types.size() == 1)
        types.front().name = "nodes";
    if (types.size() < 2)
        return;
    std::string start = types.front().name, end = start;
    for (const NodeType& type : types) {
        while (!type.name.starts_with(start))
            start.pop_back();
        while (!type.name.ends_with(end))
            end.erase(0, 1);
    }
    std::set<std::string> names;
    const std::vector<NodeType> whole = types;
    const std::size_t prefix = start.find_last_of("_.") + 1, suffix = end.size() - std::min(end.find_first_of("_."), end.size());
    for (NodeType& type : types) {
        if (type.name.size() > prefix + suffix)
            type.name = type.name.substr(prefix, type.name.size() - prefix - suffix);
        if (type.name.starts_with("x_"))
            type.name.erase(0, 2);
        if (const std::string table = ".weight"; type.name.ends_with(table))
            type.name.resize(type.name.size() - table.size());
        names.insert(type.name);
    }
    if (names.size() < types.size())
        types = whole;
}

int Analysis::typeCountedBy(const std::string& symbol) const
{
    const auto type = std::ranges::find(nodeTypes, symbol, &NodeType::symbol);
    return type == nodeTypes.end() || symbol.empty() ? -1 : static_cast<int>(type - nodeTypes.begin());
}

bool Analysis::isGiven(int nodeType) const
{
    const NodeType& type = nodeTypes[static_cast<std::size_t>(nodeType)];
    return type.size.empty() && sizeParts(type.symbol).second.empty();
}

int Analysis::onlyGiven() const
{
    int only = -1;
    for (int type = 0; type < types(); ++type) {
        if (isGiven(type) && only >= 0)
            return -1;
        only = isGiven(type) ? type : only;
    }
    return only;
}

namespace {

ValueId withoutCasts(const Program& program, ValueId value)
{
    while (value.valid() && program[value].producer.valid() && program[program[value].producer].target == "aten::to")
        value = OpView(program, program[program[value].producer]).value("self");
    return value;
}

// Which rows of an input pairs [2, M] have in a row of theirs, where they are its pairs, perhaps among others, the other way round, or in another order.
std::set<std::int64_t> rowsOfInput(const Program& program, ValueId pairs, ValueId input, std::int64_t row, int depth)
{
    pairs = withoutCasts(program, pairs);
    if (pairs == input)
        return {row};
    const OpId producer = pairs.valid() ? program[pairs].producer : OpId{};
    if (!producer.valid() || depth == 0)
        return {};
    const OpView view(program, program[producer]);
    const std::string& target = program[producer].target;
    const auto behind = [&](ValueId part, std::int64_t own) { return rowsOfInput(program, part, input, own, depth - 1); };
    if (target == "aten::flip" && view.dims("dims", 2) == std::vector{0})
        return behind(view.value("self"), 1 - row);
    if (isOneOf(target, {"aten::index_select", "aten::slice"}) && view.dim("dim", 2) == 1)
        return behind(view.value("self"), row);
    if (const std::vector<ValueId> at = view.values("indices"); target == "aten::index" && at.size() == 2 && !at[0].valid())
        return behind(view.value("self"), row);
    std::set<std::int64_t> rows;
    if (target == "aten::cat" && view.dim("dim", 2) == 1)
        for (const ValueId part : view.values("tensors"))
            rows.merge(behind(part, row));
    return rows;
}

std::vector<std::vector<Dim>> rowsNamed(const Program& program, ValueId input, bool inParts)
{
    std::vector<std::vector<Dim>> sizes(2);
    const auto note = [&](ValueId read, const Value& rows, int dim) {
        const ValueId index = withoutCasts(program, viewRoot(program, read));
        const OpId producer = index.valid() ? program[index].producer : OpId{};
        if (!index.valid() || dim < 0 || dim >= static_cast<int>(rows.sizes.size()))
            return;
        if (index == input && program[input].sizes.size() == 1)
            sizes[0].push_back(rows.sizes[at(dim)]);
        if (!producer.valid())
            return;
        const OpView view(program, program[producer]);
        const std::string& target = program[producer].target;
        if ((target != "aten::select" && target != "aten::unbind") || view.dim("dim", 2).value_or(0) != 0)
            return;
        const auto& outputs = program[producer].outputs;
        const std::int64_t row = target == "aten::unbind" ? std::ranges::find(outputs, index) - outputs.begin() : view.integer("index").value_or(-1);
        if (row >= 0 && row < 2)
            for (const std::int64_t own : rowsOfInput(program, view.value("self"), input, row, inParts ? 8 : 0))
                sizes[at(own)].push_back(rows.sizes[at(dim)]);
    };
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
        const OpId op{static_cast<int>(i)};
        if (const auto gather = gatherForm(program, op))
            note(gather->index, program[gather->source], gather->sourceDim);
        else if (const auto scatter = scatterForm(program, op))
            note(scatter->index, program[program[op].outputs.front()], scatter->rowDim);
    }
    return sizes;
}

std::vector<std::set<std::string>> symbolsOf(const std::vector<std::vector<Dim>>& named)
{
    std::vector<std::set<std::string>> sizes;
    for (const std::vector<Dim>& rows : named) {
        sizes.emplace_back();
        for (const Dim& dim : rows)
            if (!dim.isConstant())
                sizes.back().insert(dim.symbol);
    }
    return sizes;
}

}  // namespace

std::vector<std::vector<Dim>> rowsNamedBy(const Program& program, ValueId input)
{
    return rowsNamed(program, input, false);
}

std::vector<std::set<std::string>> sizesNamedBy(const Program& program, ValueId input, bool inParts)
{
    return symbolsOf(rowsNamed(program, input, inParts));
}

namespace {

// p of torch.diff(p) and of p[1:] - p[:-1].
ValueId differencesOf(const Program& program, ValueId value)
{
    const OpId maker = value.valid() ? program[value].producer : OpId{};
    if (!maker.valid())
        return {};
    const OpView view(program, program[maker]);
    if (program[maker].target == "aten::diff")
        return view.value("self");
    if (program[maker].target != "aten::sub" || view.given("alpha"))
        return {};
    const ValueId minuend = view.value("self"), other = view.value("other");
    const auto later = partOf(program, minuend), earlier = partOf(program, other);
    const bool areNeighbours = later && earlier && later->whole == earlier->whole && later->start == 1 && later->leftAtEnd == 0 &&
                               earlier->start == 0 && program[minuend].sizes == program[other].sizes;
    return areNeighbours ? later->whole : ValueId{};
}

// p where each of many numbers is looked for among p, or p[1:], or what their differences add up to.
ValueId pointersLookedThrough(const Program& program, const Op& op)
{
    const OpView view(program, op);
    const ValueId list = op.target == "aten::bucketize"      ? view.value("boundaries")
                         : op.target == "aten::searchsorted" ? view.value("sorted_sequence")
                                                             : ValueId{};
    if (!list.valid())
        return {};
    if (const auto part = partOf(program, viewRoot(program, list)))
        return part->start == 1 && part->leftAtEnd == 0 ? part->whole : ValueId{};
    const OpId maker = program[viewRoot(program, list)].producer;
    const ValueId summed = maker.valid() && program[maker].target == "aten::cumsum" ? OpView(program, program[maker]).value("self") : ValueId{};
    const ValueId differences = differencesOf(program, summed);
    return differences.valid() ? differences : list;
}

}  // namespace

std::optional<Dim> rowsDividedBy(const Program& program, ValueId input)
{
    const auto isInput = [&](ValueId value) { return value.valid() && viewRoot(program, value) == input; };
    if (!isInteger(program[input].dtype))  // thresholds of features are looked through as well
        return {};
    for (const Op& op : program.ops) {
        const OpView view(program, op);
        if (isInput(pointersLookedThrough(program, op)) && view.outputRank() == 1)
            return view.output().sizes.front();
        const ValueId repeats = op.target == "aten::repeat_interleave" ? view.value(view.given("repeats") ? "repeats" : "self") : ValueId{};
        if (isInput(differencesOf(program, repeats)))
            return view.output().sizes.front();
    }
    return {};
}

std::optional<Dim> rowsRepeatedBy(const Program& program, ValueId input)
{
    for (const Op& op : program.ops) {
        const OpView view(program, op);
        const ValueId repeats = op.target == "aten::repeat_interleave" ? view.value(view.given("repeats") ? "repeats" : "self") : ValueId{};
        if (repeats.valid() && !op.outputs.empty() && viewRoot(program, repeats) == input && view.outputRank() > 0)
            return view.output().sizes.front();
    }
    return {};
}

namespace {

bool mentionsSymbol(const std::string& size, const std::string& symbol)
{
    const auto [name, parts] = sizeParts(size);
    return name == symbol || std::ranges::any_of(parts, [&](const std::string& part) { return mentionsSymbol(part, symbol); });
}

}  // namespace

std::vector<std::set<int>> typesNamedBy(const Analysis& analysis, ValueId input)
{
    std::vector<std::set<int>> types(2);
    const int only = analysis.onlyGiven();
    std::vector<std::set<std::string>> sizes = sizesNamedBy(analysis.program, input);
    if (only < 0 && sizes[0].empty() && sizes[1].empty())
        sizes = sizesNamedBy(analysis.program, input, true);
    for (std::size_t row = 0; row < sizes.size(); ++row) {
        for (const std::string& size : sizes[row])
            if (const int type = analysis.typeCountedBy(size); type >= 0)
                types[row].insert(type);
        if (only < 0)
            continue;
        const auto isOfOnly = [&](const std::string& size) {
            return mentionsSymbol(size, analysis.nodeTypes[static_cast<std::size_t>(only)].symbol);
        };
        // Of graphs side by side it may be each graph's nodes that are named, or those of all.
        const auto isMultiple = [&](const NodeType& type) { return sizeParts(type.symbol).first == "Mul" && isOfOnly(type.symbol); };
        const bool tellsNeither = sizes[0].empty() && sizes[1].empty() && std::ranges::any_of(analysis.nodeTypes, isMultiple);
        // An index whose other row names edges, or anything else, is no index of nodes.
        const std::set<std::string>& other = sizes[1 - std::min<std::size_t>(row, 1)];
        const bool isOfOthers = sizes[row].empty() && !other.empty() && std::ranges::none_of(other, [&](const std::string& size) {
                                    return analysis.typeCountedBy(size) >= 0 || isOfOnly(size);
                                });
        if (types[row].empty() && !tellsNeither && !isOfOthers && std::ranges::all_of(sizes[row], isOfOnly))
            types[row].insert(only);
    }
    return types;
}

}  // namespace cleave
