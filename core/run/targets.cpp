#include "core/run/targets.h"

#include <algorithm>
#include <set>

#include "core/analysis/shape_text.h"
#include "core/base/error.h"
#include "core/base/format.h"
#include "core/run/executor.h"
#include "core/run/needed_rows.h"
#include "core/run/run.h"
#include "core/run/tensors.h"

/// Which nodes are computed where not all are asked for.
namespace cleave {

namespace {

// What an output has a row for each of.
struct OutputRows {
    bool areEdges = false;  // or entries of a list
    int type = -1;  // of nodes; -1: of none
    int dim = 0;    // where they lie
};

bool hasRowsOfEdges(const Program& program, ValueId output)
{
    const auto isOfEdges = [&](const Input& input) {
        const std::vector<Dim>& sizes = program[input.value].sizes;
        const bool isOnEdges = input.role == Role::EdgeFeatures || (input.role == Role::GraphStructure && isEdgeIndex(program[input.value]));
        if (!isOnEdges || sizes.empty())
            return false;
        const Dim& edges = input.role == Role::EdgeFeatures ? sizes.front() : sizes.back();
        return !edges.isConstant() && std::ranges::count(program[output].sizes, edges) > 0;
    };
    return std::ranges::any_of(program.inputs, isOfEdges);
}

OutputRows rowsOfOutput(const Analysis& analysis, ValueId output)
{
    const ValueFacts& facts = analysis.values[output];
    if (facts.rows == Rows::Edges || (facts.rows == Rows::Nodes && countsEdges(analysis, facts.nodeType)))
        return {true, -1, std::max(facts.rowDim, 0)};
    if (facts.rows == Rows::Nodes)
        return {false, facts.nodeType, facts.rowDim};
    if (facts.reach == Reach::Feature)
        return {};
    if (hasRowsOfEdges(analysis.program, output))
        return {true};
    // Of what comes of the graph alone, sizes tell.
    const std::vector<Dim>& sizes = analysis.program[output].sizes;
    for (std::size_t d = 0; d < sizes.size(); ++d)
        if (const int type = sizes[d].isConstant() ? -1 : analysis.typeCountedBy(sizes[d].symbol); type >= 0)
            return {false, type, static_cast<int>(d)};
    return {};
}

const std::string& typeName(const Analysis& analysis, int type)
{
    return analysis.nodeTypes[static_cast<std::size_t>(type)].name;
}

// Of nodes, that outputs have rows of, in their order.
std::vector<int> typesOfOutputs(const Analysis& analysis)
{
    std::vector<int> types;
    for (const ValueId output : analysis.program.outputs)
        if (const int type = rowsOfOutput(analysis, output).type; type >= 0 && std::ranges::find(types, type) == types.end())
            types.push_back(type);
    if (types.empty())
        throw Error("Only nodes can be asked for, but no output has a row for each node.");
    return types;
}

std::string namesOf(const Analysis& analysis, const std::vector<int>& types)
{
    std::vector<std::string> names;
    for (const int type : types)
        names.push_back(printable(typeName(analysis, type)));
    return join(names, ", ");
}

int typeNamed(const Analysis& analysis, const std::string& name)
{
    const std::vector<int> types = typesOfOutputs(analysis);
    for (const int type : types)
        if (typeName(analysis, type) == name)
            return type;
    throw Error("No output has rows of '" + printable(name) + "', but of " + namesOf(analysis, types) + ".");
}

int typeOfAll(const Analysis& analysis)
{
    const std::vector<int> types = typesOfOutputs(analysis);
    if (types.size() > 1)
        throw Error("The outputs have rows of several types of nodes (" + namesOf(analysis, types) +
                    "): say with --target-type which are asked for.");
    for (const ValueId output : analysis.program.outputs)
        if (rowsOfOutput(analysis, output).areEdges)
            throw Error("Only nodes can be asked for, but output '" + printable(analysis.program[output].name) +
                        "' has a row for each edge, or entry of a list: with --target-type " + printable(typeName(analysis, types.front())) +
                        " it is left out.");
    return types.front();
}

}  // namespace

Targets targetsOf(const Analysis& analysis, const RunOptions& options)
{
    if (options.targets.empty())
        return {};
    return {options.targets, options.targetType.empty() ? typeOfAll(analysis) : typeNamed(analysis, options.targetType)};
}

bool isAsked(const Analysis& analysis, ValueId output, const Targets& targets)
{
    const OutputRows rows = rowsOfOutput(analysis, output);
    return targets.areAll() || (!rows.areEdges && (rows.type < 0 || rows.type == targets.type));
}

at::Tensor askedRows(const Analysis& analysis, ValueId output, const at::Tensor& tensor, const Targets& targets)
{
    const OutputRows rows = rowsOfOutput(analysis, output);
    if (targets.areAll() || (!rows.areEdges && rows.type < 0))
        return tensor;
    if (!isAsked(analysis, output, targets))
        return tensor.narrow(rows.dim, 0, 0).clone();
    const at::Tensor nodes = view(targets.nodes);
    const ValueFacts& facts = analysis.values[output];
    return facts.rows == Rows::Nodes ? targetRows(tensor, facts, nodes) : tensor.index_select(rows.dim, nodes);
}

void LayerWise::setTargets(Targets targets, const Progress& progress)
{
    m_targets = std::move(targets);
    const std::int64_t asked = m_graph.numNodes(m_targets.type);
    std::set<ValueId> read;  // by whoever wants outputs, or functions that are run
    NeededRows needed(m_a, m_graph, m_batches);
    for (const ValueId output : m_a.program.outputs) {
        if (!isAsked(m_a, output, m_targets))
            continue;
        read.insert(output);
        const ValueFacts& facts = m_a.values[output];
        const bool hasRows = facts.rows == Rows::Nodes && facts.nodeType == m_targets.type;
        for (const std::int64_t node : m_targets.nodes) {
            if (asked == 0)
                throw Error("There is no node " + std::to_string(node) + ": the graph has none.");
            if (node < 0 || node >= asked)
                throw Error("There is no node " + std::to_string(node) + ": the graph has nodes 0 to " + std::to_string(asked - 1) + ".");
            if (hasRows)
                needed.add(output, node);
        }
    }
    for (auto function = m_cut.functions.rbegin(); function != m_cut.functions.rend(); ++function) {
        if (std::ranges::none_of(function->saves, [&](ValueId value) { return read.contains(value); })) {
            m_graph.leaveOut(*function);
            continue;
        }
        read.insert(function->reads.begin(), function->reads.end());
        if (function->isGlobal) {
            for (const ValueId value : function->reads)
                if (m_a.values[value].rows == Rows::Nodes)
                    needed.addAll(value);
            continue;
        }
        std::vector<Marks> computed(at(m_a.types()));
        for (int type = 0; type < m_a.types(); ++type)
            if (!function->rowsOf.valid() && function->targetsOf(type) >= 0) {
                computed[at(type)] = needed.nodesFor(*function, type);
                m_graph.computeOnly(*function, type, computed[at(type)], progress);
            }
        if (!m_graph.readsOnlyInto(*function))
            m_graph.groupAllEdges(*function, progress);
        needed.addReads(*function, computed, m_numbers, progress);
    }
}

}  // namespace cleave
