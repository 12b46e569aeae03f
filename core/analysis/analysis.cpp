#include "core/analysis/analysis.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "core/analysis/adjacency.h"
#include "core/analysis/analyser.h"
#include "core/analysis/chosen_sizes.h"
#include "core/analysis/dims.h"
#include "core/analysis/edge_messages.h"
#include "core/analysis/fixed_matrices.h"
#include "core/analysis/flat_pairs.h"
#include "core/analysis/functional.h"
#include "core/analysis/masked_updates.h"
#include "core/analysis/message_passing.h"
#include "core/analysis/moved_rows.h"
#include "core/analysis/node_types.h"
#include "core/analysis/op_view.h"
#include "core/analysis/passes.h"
#include "core/analysis/recompose.h"
#include "core/analysis/row_rules.h"
#include "core/analysis/shape_text.h"
#include "core/analysis/static_shapes.h"
#include "core/analysis/table_gathers.h"
#include "core/analysis/views.h"
#include "core/base/error.h"
#include "core/base/format.h"

namespace cleave {

OtherRows Analyser::run(const Progress& progress)
{
    const IdMap<ValueId, Reach> reach = findReach(m_p);
    m_a.values.resize(m_p.values.size());
    m_a.ops.resize(m_p.ops.size());
    for (std::size_t v = 0; v < m_p.values.size(); ++v)
        m_a.values[ValueId{static_cast<int>(v)}].reach = reach[ValueId{static_cast<int>(v)}];
    findRead();
    startRows();
    findMessages();
    findEdgeSymbols();
    for (std::size_t i = 0; i < m_p.ops.size(); ++i) {
        progress.update(static_cast<double>(i) / static_cast<double>(m_p.ops.size()), "Analysing");
        classify(OpId{static_cast<int>(i)});
        if (!m_lacks.isEmpty())
            return m_lacks;
    }
    finishOutputs();
    findLevels();
    return {};
}

void Analyser::findRead()
{
    m_read.assign(m_p.values.size(), false);
    for (const Op& op : m_p.ops)
        forEachOperand(op, [&](ValueId id) { m_read[static_cast<std::size_t>(id.index)] = true; });
    for (const ValueId id : m_p.outputs)
        m_read[static_cast<std::size_t>(id.index)] = true;
}

void Analyser::refuse(OpId op, const std::string& why) const
{
    throw Error("The model cannot be cut exactly: " + describe(m_p, op) + " " + why);
}

void Analyser::startRows()
{
    for (const Input& input : m_p.inputs) {
        if (!input.isOfNodes())
            continue;
        const Value& value = m_p[input.value];
        if (value.kind != ValueKind::Tensor || value.sizes.empty() || value.sizes[0].isConstant())
            throw Error("Input '" + value.name + "' has the role node-features but no dynamic first dimension: export the model with "
                        "dynamic_shapes={\"" + value.name + "\": {0: torch.export.Dim(\"nodes\")}, …}.");
        const std::string& symbol = value.sizes[0].symbol;
        if (m_a.typeCountedBy(symbol) < 0)
            m_a.nodeTypes.push_back({symbol, value.name, {}});
        for (std::size_t d = 1; d < value.sizes.size(); ++d)
            if (!value.sizes[d].isConstant() && !input.countsNodes)
                throw Error(
                    "Dimension " + std::to_string(d) + " of the node features '" + value.name + "' has the dynamic size " + value.sizes[d].symbol +
                    ": only the node dimension may be dynamic" +
                    (value.sizes.size() == 2
                         ? ". If it is a matrix of edges between nodes of two kinds, give the model edge_index [2, edges] instead: Cleave takes square matrices only."
                         : "."));
        if (input.countsNodes)
            continue;
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
    for (const std::string& symbol : m_others.stored)
        m_a.nodeTypes.push_back({symbol, nameOfRows(symbol), sizeText(m_a, Dim{0, symbol})});
}

// A parameter that is read at a graph's indices may well be the node features.
std::string Analyser::gatheredParameter() const
{
    for (std::size_t i = 0; i < m_p.ops.size(); ++i)
        if (const auto form = gatherForm(m_p, OpId{static_cast<int>(i)}); form && m_p[form->source].weight.valid())
            return m_p[m_p[form->source].weight].name;
    return "NAME";
}

// What counts the rows that are read of node tensors.
void Analyser::findEdgeSymbols()
{
    for (std::size_t i = 0; i < m_p.ops.size(); ++i)
        if (const auto form = gatherForm(m_p, OpId{static_cast<int>(i)}); form && !isFeature(form->index)) {
            const auto &source = m_p[form->source].sizes, &index = m_p[form->index].sizes;
            if (static_cast<std::size_t>(form->sourceDim) < source.size() && isNodes(source[static_cast<std::size_t>(form->sourceDim)]) &&
                static_cast<std::size_t>(form->indexRowDim) < index.size())
                m_edgeSymbols.insert(index[static_cast<std::size_t>(form->indexRowDim)].symbol);
        }
    for (const NodeType& type : m_a.nodeTypes)
        m_edgeSymbols.erase(type.symbol);
    for (const std::string& symbol : m_others.atOnce)
        m_edgeSymbols.erase(symbol);
    m_edgeSymbols.erase(std::string());
}

void Analyser::classify(OpId id)
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
    const bool byRows = ofGraph        ? classifyRowsOfGraph(id)
                        : needsAll(id) ? false
                                       : classifyGather(id) || classifyScatter(id) || classifyView(id) || classifyRowWise(id) || classifyConcat(id) ||
                                             classifyByProbe(id);
    if (!m_lacks.isEmpty())
        return;
    if (byRows)
        checkOutputs(id);
    else if (!classifyGlobal(id) && !takeEdgesOtherwise(id))
        refuse(id, whyNotRowWise(id));
}

std::string Analyser::whyNotRowWise(OpId id) const
{
    if (hasRowRule(m_p[id].target))
        return "mixes rows: a result row depends on other rows of its operands, and it is not one row for each node or one for the graph.";
    return "is not known to work row by row, and running it on permuted and truncated rows did not show that it does.";
}

void Analyser::setOutput(ValueId id, Rows rows, int nodeType, int rowDim, int level, std::int64_t outer, std::int64_t inner)
{
    ValueFacts& f = m_a.values[id];
    f.rows = rows;
    f.nodeType = rows == Rows::Nodes ? nodeType : -1;
    f.rowDim = rowDim;
    f.level = level;
    f.outer = outer;
    f.inner = inner;
}

void Analyser::checkOutputs(OpId id)
{
    for (const ValueId output : m_p[id].outputs) {
        const Value& value = m_p[output];
        const ValueFacts& f = facts(output);
        if (!m_read[static_cast<std::size_t>(output.index)])
            continue;
        if (value.kind != ValueKind::Tensor)
            refuse(id, "gives a number that depends on node features.");
        if (f.rowDim >= static_cast<int>(value.sizes.size()))
            refuse(id, "gives a tensor of shape " + sizesText(m_a, value.sizes) + ", which has no dimension for its rows.");
        for (std::size_t d = 0; d < value.sizes.size(); ++d)
            if (!value.sizes[d].isConstant() && static_cast<int>(d) != f.rowDim)
                refuse(id, "gives a tensor of shape " + sizesText(m_a, value.sizes) + ", in which more than one dimension grows with the graph.");
        if (f.rows == Rows::Nodes && f.rowDim >= 0 && isPlain(output) &&
            m_a.typeCountedBy(value.sizes[static_cast<std::size_t>(f.rowDim)].symbol) != f.nodeType)
            refuse(id, "gives " + sizesText(m_a, value.sizes) + ", which is not one row for each of the " + nodesText(m_a, f.nodeType) + " nodes.");
    }
}

void Analyser::finishOutputs()
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
void Analyser::findLevels()
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

namespace {

void noteRowsFirst(Analysis& analysis)
{
    for (const Input& input : analysis.program.inputs)
        if (input.rowDim > 0)
            analysis.program.notes.push_back("Input '" + printable(analysis.program[input.value].name) + "' has its rows along dimension " +
                                             std::to_string(input.rowDim) + ": they are put first.");
    for (const FreeSize& free : analysis.freeSizes) {
        const std::string dim = std::to_string(free.dim), input = printable(free.input);
        analysis.program.notes.push_back(
            free.isAssumed ? "Dimension " + dim + " of input '" + input + "' may have any size: it is taken as " + std::to_string(assumedSize) + " as long as no graph says what it is."
                           : "Dimension " + dim + " of input '" + input + "' may have any size: this program is for " + std::to_string(free.size) + ".");
    }
}

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

void noteRowsAlone(Analysis& analysis)
{
    bool any = false, isAlone = true;
    for (const OpFacts& facts : analysis.ops) {
        any = any || facts.kind == OpKind::RowWise;
        isAlone = isAlone && (facts.kind == OpKind::RowWise || facts.kind == OpKind::Constant || facts.kind == OpKind::Prologue);
    }
    if (!any && isAlone)
        analysis.program.notes.push_back(
            "No op that Cleave can follow depends on node features: the whole model is computed once, beforehand, and there is nothing to cut. "
            "Rows that forward makes itself count as node features if it takes them as an input.");
    const auto isOfEdges = [&](const Input& input) { return input.role == Role::GraphStructure; };
    if (any && isAlone && std::ranges::any_of(analysis.program.inputs, isOfEdges))
        analysis.program.notes.push_back(
            "No op on node features reads other rows than its own: what forward makes of the edges is computed once, beforehand, and the model is one function, "
            "of which batches are all that can be cut.");
    else if (any && isAlone)
        analysis.program.notes.push_back(
            "No op reads other rows than its own: the model is one function, of which batches are all that can be cut. "
            "A graph that it keeps by itself is not seen: let forward take it as edge_index, or, if it is a matrix, export the model for its number of nodes alone.");
}

void noteFurtherRows(Analysis& analysis)
{
    std::vector<std::string> rows;
    for (const NodeType& type : analysis.nodeTypes)
        if (!type.size.empty())
            rows.push_back(type.name == type.size ? type.name : type.name + " (" + type.size + ")");
    if (!rows.empty())
        analysis.program.notes.push_back(
            "Rows that are computed and stored as those of nodes are, since edges are reduced into them, or ops need all of them: " + join(rows, ", ") + ".");
}

}  // namespace

bool readsNodes(const Analysis& analysis, OpId op)
{
    bool any = false;
    forEachOperand(analysis.program[op], [&](ValueId operand) { any = any || analysis.values[operand].rows == Rows::Nodes; });
    return any;
}

namespace {

// What a program is taken for where it could be one of several.
struct Reading {
    std::set<std::string> queries = {};  // sizes that are fixed
    bool takesAsFeatures = true;         // what nodes pass on where no output depends on node features
    bool takesAsEdges = true;            // matrices that the program makes itself
};

// Operators one behind another are followed by calls one inside another, here and in LibTorch.
void refuseDeep(const Program& program)
{
    constexpr int most = 6000;
    IdMap<ValueId, int> depth;
    depth.resize(program.values.size());
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
        int deepest = 0;
        forEachOperand(program.ops[i], [&](ValueId operand) { deepest = std::max(deepest, depth[operand]); });
        for (const ValueId output : program.ops[i].outputs)
            depth[output] = deepest + 1;
        if (deepest >= most)
            throw Error("The model has more than " + formatCount(most) + " operators one behind another, up to " +
                        describe(program, OpId{static_cast<int>(i)}) + ": Cleave follows no longer chains.");
    }
}

// From where inputs have roles. mayBeLess: whether something was taken for more than it is, also where the program is refused.
Analysis analyseRead(Program program, int inPlace, const AnalysisOptions& options, const Reading& reading, const Evaluator& evaluator,
                     const Progress& progress, bool& mayBeLess)
{
    std::vector<FreeSize> freeSizes = fixFreeSizes(program, options.sizes, reading.queries);
    const int pairs = unflattenPairs(program);
    const LoweredMatrices matrices = lowerAdjacencies(program, reading.takesAsEdges);
    mayBeLess = matrices.own > 0;
    const int chosen = computeMaskedUpdatesWhole(program), tables = gatherAtTables(program) + gatherInSteps(program),
              moved = gatherMovedRows(program);
    std::vector<PassCount> passes = cleanUp(program);
    const int chosenRows = makeOfChosenRows(program);
    refuseDeep(program);
    mergeNodeCounts(program);
    mergeCompressedRows(program);
    mergeEdgeCounts(program);
    if (reading.takesAsFeatures && takeAsFeatures(program) > 0)
        mayBeLess = true;
    passes.insert(passes.begin(), {"in-place ops", inPlace});
    Analysis analysis = analyseClean(std::move(program), evaluator, progress);
    analysis.passes = std::move(passes);
    analysis.matrices = matrices.given;
    analysis.ownMatrices = matrices.own;
    analysis.inPlace = inPlace;
    analysis.restated = pairs + chosen + tables + moved + chosenRows;
    analysis.freeSizes = std::move(freeSizes);
    noteRowsFirst(analysis);
    noteProbed(analysis);
    noteGlobal(analysis);
    noteRowsAlone(analysis);
    noteFurtherRows(analysis);
    return analysis;
}

// Integers were taken for features as nothing else could be, but edges name no rows of theirs: queries, such as the relation whose tails are asked
// for.
bool lacksFeatures(const Program& program, const std::map<std::string, Role>& chosen)
{
    std::set<std::string> named;
    for (const Input& input : program.inputs)
        if (input.role == Role::GraphStructure)
            for (const std::set<std::string>& sizes : sizesNamedBy(program, input.value))
                named.insert(sizes.begin(), sizes.end());
    return std::ranges::none_of(program.inputs, [&](const Input& input) {
        const Value& value = program[input.value];
        return input.role == Role::NodeFeatures && (!isInteger(value.dtype) || chosen.contains(value.name) || named.contains(value.sizes[0].symbol));
    });
}

// Edges read a table beside features that they read no rows of: it has a row for each node, too (LINKX).
std::optional<Program> withTablesOfNodes(Program program, const std::map<std::string, Role>& chosen, const Evaluator& evaluator)
{
    const std::size_t inputs = program.inputs.size();
    promoteReadByEdges(program, evaluator);
    if (program.inputs.size() == inputs)
        return {};
    assignRoles(program, chosen);
    return program;
}

}  // namespace

Analysis analyse(Program program, const AnalysisOptions& options, const Evaluator& evaluator, const Progress& progress)
{
    divideTables(program);
    promoteParameters(program, options.roles);
    const int inPlace = makeFunctional(program, evaluator);
    mergeScatterCounts(program);
    composeBags(program);
    mergeDividedCounts(program);
    mergeHalves(program);
    promoteFixedMatrices(program, evaluator);
    putRowsFirst(program);
    assignRoles(program, options.roles);
    if (lacksFeatures(program, options.roles)) {
        promoteReadByEdges(program, evaluator);
        assignRoles(program, options.roles);
    }
    refuseStatic(program);
    bool mayBeLess = false;
    std::optional<Error> refused;
    const auto tried = [&](const Reading& reading) -> std::optional<Analysis> {
        try {
            return analyseRead(program, inPlace, options, reading, evaluator, progress, mayBeLess);
        } catch (const Error& error) {
            progress.check();
            if (!refused)
                refused = error;
            return {};
        }
    };
    std::optional<Analysis> analysis = tried({.takesAsEdges = options.takesOwnMatrices});
    const bool mayBeRead = mayBeLess;
    if (!analysis)
        if (std::set<std::string> queries = sizesOfQueries(program); !queries.empty())
            analysis = tried({.queries = std::move(queries), .takesAsEdges = options.takesOwnMatrices});
    if (!analysis && mayBeRead)
        analysis = tried({.takesAsFeatures = false, .takesAsEdges = false});
    if (!analysis)
        throw Error(*refused);
    if (analysis->levels == 0)
        if (std::optional<Program> promoted = withTablesOfNodes(program, options.roles, evaluator)) {
            program = *std::move(promoted);
            if (std::optional<Analysis> passing = tried({.takesAsEdges = options.takesOwnMatrices}); passing && passing->levels > 0)
                return *std::move(passing);
        }
    return *std::move(analysis);
}

Analysis analyseClean(Program program, const Evaluator& evaluator, const Progress& progress, bool storesEdges)
{
    constexpr std::size_t most = 16;
    OtherRows others;
    for (int stored = 0;;) {
        Analysis analysis;
        analysis.program = std::move(program);
        Analyser analyser(analysis, others, evaluator);
        OtherRows lacks = analyser.run(progress);
        if (lacks.isEmpty() && others.stored.size() < most) {
            std::string repeated = analyser.edgesToStore();
            analysis.repeatsEdges = !repeated.empty();
            if (storesEdges && !repeated.empty()) {
                lacks.inAll.insert(std::move(repeated));
                ++stored;
            }
        }
        if (lacks.isEmpty()) {
            analysis.storedEdges = stored;
            return analysis;
        }
        if (others.stored.size() + lacks.stored.size() > most)
            throw Error("The model cannot be cut exactly: it reduces edges into rows of more than " + std::to_string(most) + " kinds.");
        for (const std::string& symbol : lacks.inAll)
            if (std::ranges::find(others.stored, symbol) == others.stored.end())
                lacks.stored.push_back(symbol);
        others.inAll.merge(lacks.inAll);
        others.stored.insert(others.stored.end(), lacks.stored.begin(), lacks.stored.end());
        others.atOnce.merge(lacks.atOnce);
        program = std::move(analysis.program);
        std::set<std::string> types(others.stored.begin(), others.stored.end());
        for (const NodeType& type : analysis.nodeTypes)
            types.insert(type.symbol);
        for (const std::string& symbol : others.stored)
            if (!others.inAll.contains(symbol))
                readStoredRows(program, types, symbol);
    }
}

}  // namespace cleave
