#include "core/analysis/analysis.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "core/analysis/dims.h"
#include "core/analysis/functional.h"
#include "core/analysis/message_passing.h"
#include "core/analysis/node_types.h"
#include "core/analysis/op_view.h"
#include "core/analysis/passes.h"
#include "core/analysis/row_rules.h"
#include "core/analysis/views.h"
#include "core/base/error.h"
#include "core/base/format.h"
#include "core/model/pt2_checks.h"

namespace cleave {

namespace {

class Analyser {
public:
    Analyser(Analysis& analysis, const Evaluator& evaluator) : m_a(analysis), m_p(analysis.program), m_evaluator(evaluator) {}

    void run(const Progress& progress)
    {
        const IdMap<ValueId, Reach> reach = findReach(m_p);
        m_a.values.resize(m_p.values.size());
        m_a.ops.resize(m_p.ops.size());
        for (std::size_t v = 0; v < m_p.values.size(); ++v)
            m_a.values[ValueId{static_cast<int>(v)}].reach = reach[ValueId{static_cast<int>(v)}];
        findRead();
        startRows();
        findEdgeSymbols();
        for (std::size_t i = 0; i < m_p.ops.size(); ++i) {
            progress.update(static_cast<double>(i) / static_cast<double>(m_p.ops.size()), "Analysing");
            classify(OpId{static_cast<int>(i)});
        }
        finishOutputs();
        findLevels();
    }

private:
    const ValueFacts& facts(ValueId id) const { return m_a.values[id]; }
    bool isFeature(ValueId id) const { return facts(id).reach == Reach::Feature; }

    void findRead()
    {
        m_read.assign(m_p.values.size(), false);
        for (const Op& op : m_p.ops)
            forEachOperand(op, [&](ValueId id) { m_read[static_cast<std::size_t>(id.index)] = true; });
        for (const ValueId id : m_p.outputs)
            m_read[static_cast<std::size_t>(id.index)] = true;
    }

    [[noreturn]] void refuse(OpId op, const std::string& why) const
    {
        throw Error("The model cannot be cut exactly: " + describe(m_p, op) + " " + why);
    }

    void startRows()
    {
        for (const Input& input : m_p.inputs) {
            if (input.role != Role::NodeFeatures)
                continue;
            const Value& value = m_p[input.value];
            if (value.kind != ValueKind::Tensor || value.sizes.empty() || value.sizes[0].isConstant())
                throw Error("Input '" + value.name + "' has the role node-features but no dynamic first dimension: export the model with "
                            "dynamic_shapes={\"" + value.name + "\": {0: torch.export.Dim(\"nodes\")}, …}.");
            const std::string& symbol = value.sizes[0].symbol;
            if (m_a.typeCountedBy(symbol) < 0)
                m_a.nodeTypes.push_back({symbol, value.name});
            for (std::size_t d = 1; d < value.sizes.size(); ++d)
                if (!value.sizes[d].isConstant())
                    throw Error("Dimension " + std::to_string(d) + " of the node features '" + value.name + "' has the dynamic size " +
                                value.sizes[d].symbol + ": only the node dimension may be dynamic.");
            ValueFacts& f = m_a.values[input.value];
            f.rows = Rows::Nodes;
            f.nodeType = m_a.typeCountedBy(symbol);
            f.rowDim = 0;
            f.level = 0;
        }
        nameTypes(m_a.nodeTypes);
        if (m_a.nodeTypes.empty())
            throw Error("The model has no node-feature input (a tensor whose first dimension counts nodes), so there is nothing to cut: "
                        "name one with --role " + gatheredParameter() + "=node-features.");
    }

    // A parameter that is read at a graph's indices may well be the node features.
    std::string gatheredParameter() const
    {
        for (std::size_t i = 0; i < m_p.ops.size(); ++i)
            if (const auto form = gatherForm(m_p, OpId{static_cast<int>(i)}); form && m_p[form->source].weight.valid())
                return m_p[m_p[form->source].weight].name;
        return "NAME";
    }

    // What counts the rows that are read of node tensors.
    void findEdgeSymbols()
    {
        for (std::size_t i = 0; i < m_p.ops.size(); ++i)
            if (const auto form = gatherForm(m_p, OpId{static_cast<int>(i)})) {
                const Dim& nodes = m_p[form->source].sizes.at(static_cast<std::size_t>(form->sourceDim));
                const auto& index = m_p[form->index].sizes;
                if (isNodes(nodes) && static_cast<std::size_t>(form->indexRowDim) < index.size())
                    m_edgeSymbols.insert(index[static_cast<std::size_t>(form->indexRowDim)].symbol);
            }
        for (const NodeType& type : m_a.nodeTypes)
            m_edgeSymbols.erase(type.symbol);
        m_edgeSymbols.erase(std::string());
    }

    bool isNodes(const Dim& dim) const { return m_a.typeCountedBy(dim.symbol) >= 0; }

    void classify(OpId id)
    {
        const Op& op = m_p[id];
        OpFacts& f = m_a.ops[id];
        const Reach reach = op.outputs.empty() ? Reach::Constant : facts(op.outputs.front()).reach;
        if (reach != Reach::Feature) {
            f.kind = reach == Reach::Constant ? OpKind::Constant : OpKind::Prologue;
            forEachOperand(op, [&](ValueId operand) {
                if (isFeature(operand) && !m_p.isInput(operand))
                    refuse(id, "needs a size that depends on node features.");
            });
            return;
        }
        forEachOperand(op, [&](ValueId operand) {
            if (isFeature(operand) && m_p[operand].kind != ValueKind::Tensor)
                refuse(id, "works with a number that depends on node features.");
        });
        const bool ofGraph = allOperands(id, [&](ValueId operand) { return !isFeature(operand) || facts(operand).rows == Rows::Graph; });
        const bool byRows = ofGraph ? classifyRowsOfGraph(id)
                                    : classifyGather(id) || classifyScatter(id) || classifyView(id) || classifyRowWise(id) || classifyConcat(id) ||
                                          classifyByProbe(id);
        if (byRows)
            checkOutputs(id);
        else if (!classifyGlobal(id))
            refuse(id, whyNotRowWise(id));
    }

    template <class Holds>
    bool allOperands(OpId id, Holds&& holds) const
    {
        bool all = true;
        forEachOperand(m_p[id], [&](ValueId operand) { all = all && holds(operand); });
        return all;
    }

    std::string whyNotRowWise(OpId id) const
    {
        const bool known = hasRowRule(m_p[id].target), onEdges = !allOperands(id, [&](ValueId v) { return facts(v).rows != Rows::Edges; });
        return known ? std::string("mixes rows: a result row depends on other rows of its operands, ") +
                           (onEdges ? "and these are edges: global ops work on nodes only." : "and it is not one row for each node or one for the graph.")
                     : "is not known to work row by row, and running it on permuted and truncated rows did not show that it does.";
    }

    void setOutput(ValueId id, Rows rows, int nodeType, int rowDim, int level, std::int64_t outer = 1, std::int64_t inner = 1)
    {
        ValueFacts& f = m_a.values[id];
        f.rows = rows;
        f.nodeType = rows == Rows::Nodes ? nodeType : -1;
        f.rowDim = rowDim;
        f.level = level;
        f.outer = outer;
        f.inner = inner;
    }

    // One entry of the row dimension for each row.
    bool isPlain(ValueId id) const { return facts(id).outer == 1 && facts(id).inner == 1; }

    void checkOutputs(OpId id)
    {
        for (const ValueId output : m_p[id].outputs) {
            const Value& value = m_p[output];
            const ValueFacts& f = facts(output);
            if (!m_read[static_cast<std::size_t>(output.index)])
                continue;
            if (value.kind != ValueKind::Tensor)
                refuse(id, "gives a number that depends on node features.");
            if (f.rowDim >= static_cast<int>(value.sizes.size()))
                refuse(id, "gives a tensor of shape " + toString(value.sizes) + ", which has no dimension for its rows.");
            for (std::size_t d = 0; d < value.sizes.size(); ++d)
                if (!value.sizes[d].isConstant() && static_cast<int>(d) != f.rowDim)
                    refuse(id, "gives a tensor of shape " + toString(value.sizes) + ", in which more than one dimension grows with the graph.");
            if (f.rows == Rows::Nodes && f.rowDim >= 0 && isPlain(output) && m_a.typeCountedBy(value.sizes[static_cast<std::size_t>(f.rowDim)].symbol) != f.nodeType)
                refuse(id, "gives " + toString(value.sizes) + ", which is not one row for each of the " +
                               m_a.nodeTypes[static_cast<std::size_t>(f.nodeType)].symbol + " nodes.");
        }
    }

    bool classifyGather(OpId id)
    {
        const auto form = gatherForm(m_p, id);
        if (!form || !isFeature(form->source) || facts(form->source).rowDim != form->sourceDim || !isPlain(form->source))
            return false;
        if (isFeature(form->index))
            refuse(id, "reads rows at an index that depends on node features: which rows a block needs is not known beforehand.");
        const Value& index = m_p[form->index];
        if (index.dtype == DType::Bool)
            refuse(id, "selects rows by a mask of several dimensions, which is not supported.");
        if (index.sizes.empty() || index.sizes[static_cast<std::size_t>(form->indexRowDim)].isConstant())
            return false;  // a fixed choice of rows
        const int type = m_a.typeCountedBy(index.sizes[static_cast<std::size_t>(form->indexRowDim)].symbol);
        OpFacts& f = m_a.ops[id];
        f.kind = OpKind::Gather;
        f.index = viewRoot(m_p, form->index);
        f.expands = true;
        const int sourceLevel = facts(form->source).rows == Rows::Nodes ? facts(form->source).level + 1 : levelIn(form->source, {}, false);
        setOutput(m_p[id].outputs.front(), type >= 0 ? Rows::Nodes : Rows::Edges, type, form->rowDim, sourceLevel);
        return true;
    }

    bool classifyScatter(OpId id)
    {
        const auto form = scatterForm(m_p, id);
        if (!form)
            return false;
        const bool sourceRows = form->source.valid() && m_p[form->source].kind == ValueKind::Tensor && isFeature(form->source) &&
                                form->sourceHasRows && facts(form->source).rowDim == sourceRowDim(*form);
        const bool selfRows = isFeature(form->self) && facts(form->self).rowDim == form->rowDim;
        if ((!sourceRows && !selfRows) || (sourceRows && !isPlain(form->source)) || (selfRows && !isPlain(form->self)))
            return false;
        const ValueId output = m_p[id].outputs.front();
        if (isFeature(form->index))
            refuse(id, "writes rows at an index that depends on node features: which rows a block needs is not known beforehand.");
        if (isFeature(form->self) && !selfRows)
            refuse(id, "adds rows to a tensor whose rows lie along another dimension.");
        const Dim& rows = m_p[output].sizes[static_cast<std::size_t>(form->rowDim)];
        const int type = m_a.typeCountedBy(rows.symbol);
        if (type < 0 && sourceRows && facts(form->source).rows == Rows::Edges)
            refuse(id, "reduces edges into " + toString(rows) + " rows that are not the graph's nodes: global ops work on nodes only.");
        if (type < 0)
            return false;  // pooling
        const ValueId segment = viewRoot(m_p, form->index);
        if (nonUnitDims(m_p[segment]) != 1 || onlyNonUnitDim(m_p[segment])->isConstant())
            refuse(id, "has an index of shape " + toString(m_p[segment].sizes) + ", not one target for each row.");
        OpFacts& f = m_a.ops[id];
        f.kind = OpKind::Scatter;
        f.index = segment;
        int level = selfRows ? facts(form->self).level : 0;
        if (sourceRows) {
            m_visited.clear();
            m_segmentType = type;
            level = std::max(level, levelIn(form->source, segment, true));
            for (const auto& [key, unused] : m_visited)
                feed(std::get<0>(key), level, type);
        }
        setOutput(output, Rows::Nodes, type, form->rowDim, level);
        return true;
    }

    int sourceRowDim(const ScatterForm& form) const
    {
        const int selfRank = static_cast<int>(m_p[form.self].sizes.size());
        const int rank = static_cast<int>(m_p[form.source].sizes.size());
        return form.rowDim - (selfRank - rank);
    }

    // Edge ops are shown at the first message passing that they feed.
    void feed(ValueId edgeValue, int level, int type)
    {
        ValueFacts& f = m_a.values[edgeValue];
        if (f.rows != Rows::Edges)
            return;
        std::pair<int, int>& first = m_fed.try_emplace(edgeValue, level, type).first->second;
        first = std::min(first, {level, type});
        f.level = first.first;
    }

    // Message degree of a value that is read by edges which are reduced at `segment`; renumbered edges are in another order than it.
    int levelIn(ValueId value, ValueId segment, bool inOrder)
    {
        const ValueFacts& f = facts(value);
        if (!isFeature(value))
            return 0;
        if (f.rows == Rows::Nodes)
            return f.level + 1;
        if (f.rows == Rows::Graph)
            return f.level;
        const auto key = std::tuple(value, segment, inOrder);
        if (const auto known = m_visited.find(key); known != m_visited.end())
            return known->second;
        const OpId id = m_p[value].producer;
        int level = 0;
        if (m_a.ops[id].kind == OpKind::Gather) {
            const auto form = gatherForm(m_p, id);
            const bool atTarget = inOrder && segment.valid() && m_a.ops[id].index == segment &&
                                  (facts(form->source).rows != Rows::Nodes || facts(form->source).nodeType == m_segmentType);
            if (atTarget)
                m_a.ops[id].expands = false;
            if (facts(form->source).rows == Rows::Nodes)
                level = facts(form->source).level + !atTarget;
            else
                level = levelIn(form->source, segment, false);
        } else {
            const bool kept = inOrder && m_a.ops[id].kind != OpKind::Concat;
            forEachOperand(m_p[id], [&](ValueId operand) { level = std::max(level, levelIn(operand, segment, kept)); });
        }
        m_visited[key] = level;
        return level;
    }

    // A view keeps the order of all entries: those of a row stay together if as many lie before them as before.
    bool classifyView(OpId id)
    {
        static const std::set<std::string_view> views{"aten::view", "aten::_unsafe_view", "aten::reshape", "aten::flatten", "aten::unflatten"};
        const Op& op = m_p[id];
        const ValueId self = OpView(m_p, op).value("self");
        if (!views.contains(op.target) || !self.valid() || !isFeature(self))
            return false;
        const ValueFacts& f = facts(self);
        const auto& from = m_p[self].sizes;
        const auto& to = m_p[op.outputs.front()].sizes;
        const auto product = [](auto first, auto last) {
            return std::accumulate(first, last, std::int64_t{1}, [](std::int64_t n, const Dim& d) { return d.isConstant() ? n * d.value : 0; });
        };
        const std::int64_t before = f.outer * product(from.begin(), from.begin() + f.rowDim);
        const std::int64_t after = f.inner * product(from.begin() + f.rowDim + 1, from.end());
        for (int row = 0; row < static_cast<int>(to.size()); ++row) {
            const std::int64_t outerSizes = product(to.begin(), to.begin() + row), innerSizes = product(to.begin() + row + 1, to.end());
            if (to[static_cast<std::size_t>(row)].isConstant() || outerSizes <= 0 || innerSizes <= 0 || before % outerSizes || after % innerSizes)
                continue;
            const std::int64_t outer = before / outerSizes, inner = after / innerSizes;
            if (outer <= 0 || inner <= 0 ||
                !sameMultiple(outer * inner, from[static_cast<std::size_t>(f.rowDim)], f.outer * f.inner, to[static_cast<std::size_t>(row)]))
                continue;
            OpFacts& facts = m_a.ops[id];
            facts.kind = OpKind::RowWise;
            forEachOperand(op, [&](ValueId operand) { facts.operandRowDims.push_back(operand == self ? f.rowDim : -1); });
            setOutput(op.outputs.front(), f.rows, f.nodeType, row, f.level, outer, inner);
            return true;
        }
        return false;
    }

    bool classifyRowWise(OpId id)
    {
        const Value& output = m_p[m_p[id].outputs.front()];
        for (int row = 0; row < static_cast<int>(output.sizes.size()); ++row) {
            const auto mapping = rowMapping(m_p, id, row);
            if (mapping && accept(id, *mapping))
                return true;
        }
        return false;
    }

    // Whether the mapping agrees with where the operands' rows are; fills in what follows for the outputs.
    bool accept(OpId id, const RowMapping& mapping)
    {
        Rows rows = Rows::None;
        int type = -1;
        int level = 0;
        std::size_t position = 0;
        bool fits = true;
        bool mixed = false;
        std::int64_t outer = 0, inner = 0;
        bool structureRows = false;
        forEachOperand(m_p[id], [&](ValueId operand) {
            const int dim = mapping.operands[position++];
            if (!isFeature(operand)) {
                structureRows = structureRows || (dim >= 0 && !m_p[operand].sizes[static_cast<std::size_t>(dim)].isConstant());
                return;
            }
            const ValueFacts& f = facts(operand);
            level = std::max(level, f.level);
            if (f.rows == Rows::Graph) {
                fits = fits && dim < 0;
                return;
            }
            fits = fits && f.rowDim == dim && (outer == 0 || (f.outer == outer && f.inner == inner));
            outer = f.outer;
            inner = f.inner;
            mixed = mixed || (rows != Rows::None && (rows != f.rows || type != f.nodeType));
            rows = f.rows;
            type = f.nodeType;
        });
        if (!fits || rows == Rows::None || (structureRows && outer * inner != 1))
            return false;
        if (mixed)
            refuse(id, "combines rows of nodes with rows of edges, or of nodes of another type.");
        OpFacts& f = m_a.ops[id];
        f.kind = OpKind::RowWise;
        f.operandRowDims = mapping.operands;
        for (std::size_t i = 0; i < m_p[id].outputs.size(); ++i)
            setOutput(m_p[id].outputs[i], rows, type, mapping.outputs[i], level, outer, inner);
        return true;
    }

    // Rows of several tensors after each other, such as messages in both directions, or messages and the nodes' own rows.
    bool classifyConcat(OpId id)
    {
        const Op& op = m_p[id];
        const OpView view(m_p, op);
        if (op.target != "aten::cat" && op.target != "aten::concat")
            return false;
        const int rank = view.outputRank();
        const auto dim = view.given("dim") ? view.dim("dim", rank) : 0;
        if (!dim)
            return false;
        const std::vector<ValueId> parts = view.values("tensors");
        const bool fits = std::ranges::all_of(parts, [&](ValueId part) {
            return part.valid() && static_cast<int>(m_p[part].sizes.size()) == rank && (!isFeature(part) || (facts(part).rowDim == *dim && isPlain(part)));
        });
        std::size_t operands = 0;
        forEachOperand(op, [&](ValueId) { ++operands; });
        if (!fits || parts.empty() || operands != parts.size() || areNodesOfSeveralTypes(parts))
            return false;
        OpFacts& f = m_a.ops[id];
        f.kind = OpKind::Concat;
        f.operandRowDims.assign(parts.size(), *dim);
        int level = 0;
        for (const ValueId part : parts)
            level = std::max(level, levelIn(part, {}, false));
        setOutput(op.outputs.front(), Rows::Edges, -1, *dim, level);
        return true;
    }

    bool areNodesOfSeveralTypes(const std::vector<ValueId>& parts) const
    {
        return std::ranges::all_of(parts, [&](ValueId part) { return part.valid() && facts(part).rows == Rows::Nodes && isPlain(part); }) &&
               std::ranges::any_of(parts, [&](ValueId part) { return facts(part).nodeType != facts(parts.front()).nodeType; });
    }

    // An op outside the table: it is run on permuted and truncated rows.
    bool classifyByProbe(OpId id)
    {
        if (hasRowRule(m_p[id].target))
            return false;
        RowMapping mapping;
        std::string symbol;
        forEachOperand(m_p[id], [&](ValueId operand) {
            if (isFeature(operand) && facts(operand).rowDim >= 0)
                symbol = m_p[operand].sizes[static_cast<std::size_t>(facts(operand).rowDim)].symbol;
        });
        forEachOperand(m_p[id], [&](ValueId operand) {
            const Value& value = m_p[operand];
            const auto dim = std::ranges::find(value.sizes, Dim{0, symbol});
            mapping.operands.push_back(isFeature(operand)            ? facts(operand).rowDim
                                       : dim == value.sizes.end() ? -1
                                                                  : static_cast<int>(dim - value.sizes.begin()));
        });
        const auto outputs = m_evaluator.probeRowWise(m_p, id, mapping.operands);
        if (!outputs)
            return false;
        mapping.outputs = *outputs;
        m_a.ops[id].probed = accept(id, mapping);
        return m_a.ops[id].probed;
    }

    // Rows for each node, or each edge, from what is there once for the graph: mean[batch], or a mean repeated for all nodes.
    bool classifyRowsOfGraph(OpId id)
    {
        const Value& output = m_p[m_p[id].outputs.front()];
        for (int row = 0; row < static_cast<int>(output.sizes.size()); ++row) {
            const std::string& symbol = output.sizes[static_cast<std::size_t>(row)].symbol;
            const int type = m_a.typeCountedBy(symbol);
            const auto mapping = type >= 0 || m_edgeSymbols.contains(symbol) ? rowMapping(m_p, id, row) : std::nullopt;
            if (!mapping)
                continue;
            bool whole = true;
            int level = 0;
            std::size_t position = 0;
            forEachOperand(m_p[id], [&](ValueId operand) {
                whole = whole && (!isFeature(operand) || mapping->operands[position] < 0);
                level = std::max(level, isFeature(operand) ? facts(operand).level : 0);
                ++position;
            });
            if (!whole)
                continue;
            OpFacts& f = m_a.ops[id];
            f.kind = OpKind::RowWise;
            f.operandRowDims = mapping->operands;
            for (std::size_t i = 0; i < m_p[id].outputs.size(); ++i)
                setOutput(m_p[id].outputs[i], type >= 0 ? Rows::Nodes : Rows::Edges, type, mapping->outputs[i], level);
            return true;
        }
        return false;
    }

    // An op that needs all nodes at once: it runs when all of its operands are there, and what reads its results comes in a later function.
    bool classifyGlobal(OpId id)
    {
        const Op& op = m_p[id];
        if (!allOperands(id, [&](ValueId operand) { return facts(operand).rows != Rows::Edges; }))
            return false;
        addUnion(id);
        std::vector<int> rowDims(op.outputs.size(), -1), types(op.outputs.size(), -1);
        for (std::size_t i = 0; i < op.outputs.size(); ++i) {
            const Value& value = m_p[op.outputs[i]];
            if (!m_read[static_cast<std::size_t>(op.outputs[i].index)])
                continue;
            if (value.kind != ValueKind::Tensor)
                refuse(id, "gives a number that depends on node features.");
            for (std::size_t d = 0; d < value.sizes.size(); ++d) {
                const std::string& symbol = value.sizes[d].symbol;
                if (const int type = m_a.typeCountedBy(symbol); type >= 0 && rowDims[i] < 0) {
                    rowDims[i] = static_cast<int>(d);
                    types[i] = type;
                } else if (!symbol.empty() && (mentionsNodes(symbol) || m_edgeSymbols.contains(symbol))) {
                    refuse(id, "gives a tensor of shape " + toString(value.sizes) + ", which is neither one row for each node nor one for the graph.");
                }
            }
        }
        int level = 0;
        forEachOperand(op, [&](ValueId operand) {
            if (isFeature(operand))
                level = std::max(level, facts(operand).level + (facts(operand).rows == Rows::Nodes));
        });
        m_a.ops[id].kind = OpKind::Global;
        for (std::size_t i = 0; i < op.outputs.size(); ++i)
            setOutput(op.outputs[i], rowDims[i] < 0 ? Rows::Graph : Rows::Nodes, types[i], rowDims[i], level);
        return true;
    }

    // Rows of nodes of several types after each other are counted as nodes from here on.
    void addUnion(OpId id)
    {
        const OpView view(m_p, m_p[id]);
        if (m_p[id].target != "aten::cat" && m_p[id].target != "aten::concat")
            return;
        const std::vector<ValueId> parts = view.values("tensors");
        const Value& output = m_p[m_p[id].outputs.front()];
        if (!areNodesOfSeveralTypes(parts))
            return;
        const int rowDim = facts(parts.front()).rowDim;
        const Dim& rows = output.sizes.at(static_cast<std::size_t>(rowDim));
        const auto dim = view.given("dim") ? view.dim("dim", view.outputRank()) : 0;
        if (dim != rowDim || rows.isConstant() || isNodes(rows))
            return;
        std::vector<std::string> names;
        for (const ValueId part : parts)
            names.push_back(m_a.nodeTypes[static_cast<std::size_t>(facts(part).nodeType)].name);
        m_a.nodeTypes.push_back({rows.symbol, join(names, " + ")});
        findEdgeSymbols();
    }

    bool mentionsNodes(const std::string& size) const
    {
        const auto [name, parts] = sizeParts(size);
        return m_a.typeCountedBy(name) >= 0 || std::ranges::any_of(parts, [&](const std::string& part) { return mentionsNodes(part); });
    }

    void finishOutputs()
    {
        for (const ValueId output : m_p.outputs) {
            const ValueFacts& f = facts(output);
            if (f.rows == Rows::Edges) {
                m_visited.clear();
                m_fed.erase(output);
                m_a.values[output].level = levelIn(output, {}, false);
            }
        }
        int degrees = 0;
        for (std::size_t v = 0; v < m_p.values.size(); ++v)
            if (const ValueFacts& f = m_a.values[ValueId{static_cast<int>(v)}]; f.rows == Rows::Nodes || f.rows == Rows::Graph)
                degrees = std::max(degrees, f.level);
        m_a.levels = m_a.levelOf(degrees, m_a.types() - 1);
    }

    // From message degrees to levels. Input features are there from the start, what global ops find out before the first function of its degree.
    void findLevels()
    {
        for (std::size_t v = 0; v < m_p.values.size(); ++v) {
            const ValueId id{static_cast<int>(v)};
            ValueFacts& f = m_a.values[id];
            const OpId maker = m_p[id].producer;
            if (f.level < 0 || !maker.valid())
                continue;
            const auto fed = m_fed.find(id);
            const int type = m_a.ops[maker].kind == OpKind::Global ? 0
                             : f.rows == Rows::Nodes                ? f.nodeType
                             : fed != m_fed.end()                   ? fed->second.second
                                                                    : m_a.types() - 1;
            f.level = m_a.levelOf(f.level, type);
        }
    }

    Analysis& m_a;
    const Program& m_p;
    const Evaluator& m_evaluator;
    std::map<std::tuple<ValueId, ValueId, bool>, int> m_visited;
    std::map<ValueId, std::pair<int, int>> m_fed;  // edge values: message degree and node type of the first reduction that they feed
    int m_segmentType = -1;                        // of the nodes that the edges in question lead to
    std::set<std::string> m_edgeSymbols;
    std::vector<bool> m_read;  // an exporter may describe an output that nobody reads by a shape that it does not have
};

void noteProbed(Analysis& analysis)
{
    std::set<std::string> targets;
    for (std::size_t i = 0; i < analysis.program.ops.size(); ++i)
        if (analysis.ops[OpId{static_cast<int>(i)}].probed)
            targets.insert(analysis.program.ops[i].target);
    if (!targets.empty())
        analysis.program.notes.push_back("Not in the table of row-wise operators, but found to work row by row by running them: " +
                                         join({targets.begin(), targets.end()}, ", ") + ".");
}

void noteGlobal(Analysis& analysis)
{
    std::set<std::string> ops;
    for (std::size_t i = 0; i < analysis.program.ops.size(); ++i)
        if (const OpId op{static_cast<int>(i)}; analysis.ops[op].kind == OpKind::Global && readsNodes(analysis, op))
            ops.insert(analysis.program[op].name + " (" + analysis.program[op].target + ")");
    constexpr std::size_t most = 5;
    std::vector<std::string> named(ops.begin(), ops.end());
    if (named.size() > most) {
        const std::size_t others = named.size() - most;
        named.resize(most);
        named.push_back("and " + std::to_string(others) + " more");
    }
    if (!ops.empty())
        analysis.program.notes.push_back("Global ops, which run over all nodes at once between functions: " + join(named, ", ") + ".");
}

}  // namespace

bool readsNodes(const Analysis& analysis, OpId op)
{
    bool any = false;
    forEachOperand(analysis.program[op], [&](ValueId operand) { any = any || analysis.values[operand].rows == Rows::Nodes; });
    return any;
}

Analysis analyse(Program program, const AnalysisOptions& options, const Evaluator& evaluator, const Progress& progress)
{
    assignRoles(program, options.roles);
    refuseStatic(program);
    const int inPlace = makeFunctional(program);
    std::vector<PassCount> passes = cleanUp(program);
    mergeNodeCounts(program);
    passes.insert(passes.begin(), {"in-place ops", inPlace});
    Analysis analysis = analyseClean(std::move(program), evaluator, progress);
    analysis.passes = std::move(passes);
    noteProbed(analysis);
    noteGlobal(analysis);
    return analysis;
}

Analysis analyseClean(Program program, const Evaluator& evaluator, const Progress& progress)
{
    Analysis analysis;
    analysis.program = std::move(program);
    Analyser(analysis, evaluator).run(progress);
    return analysis;
}

}  // namespace cleave
