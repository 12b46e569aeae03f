#include "core/run/model.h"

#include <torch/version.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "core/analysis/node_types.h"
#include "core/base/error.h"
#include "core/graph/array_names.h"
#include "core/model/pt2_reader.h"
#include "core/run/probe.h"
#include "core/run/side_by_side.h"
#include "core/torchscript/torchscript_reader.h"

namespace cleave {

namespace {

// Exporters write names in small letters: roles go by the names that inputs have here.
std::map<std::string, Role> byNamesOf(const Program& program, const std::map<std::string, Role>& roles)
{
    std::map<std::string, Role> found = roles;
    const auto isWeight = [&](const std::string& name) {
        return std::ranges::any_of(program.weights, [&](const Weight& w) { return w.name == name; });
    };
    for (const Input& input : program.inputs)
        if (const std::string& name = program[input.value].name; !roles.contains(name))
            if (const auto other = findNamed(roles, name); other != roles.end() && !isWeight(other->first))
                if (auto node = found.extract(other->first)) {
                    node.key() = name;
                    found.insert(std::move(node));
                }
    return found;
}

}  // namespace

Program readModel(const std::filesystem::path& path, const OpenOptions& options, const Progress& progress)
{
    return isTorchScript(path) ? readTorchScript(path, {options.roles, options.widths, options.shapes}, progress) : readPt2(path, progress);
}

Model openModel(const std::filesystem::path& path, const OpenOptions& options, const Progress& progress)
{
    yieldToOthers();  // whoever opens a model runs it soon
    Program program = readModel(path, options, progress);
    AnalysisOptions known{byNamesOf(program, options.roles)};
    for (const FreeSize& free : options.sizes)
        if (free.size <= widestInput)
            known.sizes[free.input][free.dim] = free.size;
    for (const Input& input : program.inputs)
        if (const auto shape = findNamed(options.shapes, program[input.value].name); shape != options.shapes.end())
            for (std::size_t d = 0; d < shape->second.sizes.size(); ++d)
                known.sizes[program[input.value].name][static_cast<int>(d)] = shape->second.sizes[d];
    const auto analysed = [&](const Program& read) {
        Analysis analysis = analyse(read, known, LibTorchEvaluator(), progress);
        bool isRight = false;
        try {
            isRight = checkReading(read, analysis, progress) || analysis.ownMatrices == 0;
        } catch (const Error&) {
            progress.check();
            if (analysis.ownMatrices == 0)
                throw;
        }
        if (isRight)
            return analysis;
        // Matrices of the program's own may stay what they are.
        AnalysisOptions asItIs = known;
        asItIs.takesOwnMatrices = false;
        analysis = analyse(read, asItIs, LibTorchEvaluator(), progress);
        checkReading(read, analysis, progress);
        return analysis;
    };
    const auto opened = [&](const Program& read) {
        auto traced = std::make_shared<Analysis>(analysed(read));
        Model model = rewrittenModel(std::move(traced), options.rewrites, progress);
        if (options.check)
            checkCut(*model.analysis, *model.cut, progress);
        return model;
    };
    try {
        return opened(program);
    } catch (const Error& refused) {
        progress.check();
        Program merged = program;
        if (mergeEqualSizes(merged, known.sizes) == 0)
            throw;
        try {
            return opened(merged);
        } catch (const Error&) {
            progress.check();
            throw Error(refused);
        }
    }
}

bool isForOtherArrays(const Model& model, const std::map<std::string, ArrayShape>& shapes)
{
    const auto isThere = [&](const std::string& input) { return shapes.contains(input); };
    // Scripts do not say what takes masks.
    const auto isMask = [&](const Input& input) {
        const Value& value = model.program()[input.value];
        const auto shape = findNamed(shapes, value.name);
        return model.program().producer == "TorchScript" && shape != shapes.end() && (shape->second.dtype == DType::Bool) != (value.dtype == DType::Bool);
    };
    return std::ranges::any_of(model.program().leftOut, isThere) || std::ranges::any_of(model.program().inputs, isMask) || std::ranges::any_of(model.analysis->freeSizes, [&](const FreeSize& free) {
               const auto shape = findNamed(shapes, free.input);
               const auto dim = static_cast<std::size_t>(free.dim);
               return shape != shapes.end() && dim < shape->second.sizes.size() && shape->second.sizes[dim] > 0 &&
                      shape->second.sizes[dim] != free.size;
           });
}

namespace {

// Of all nodes, if it has learned rows for each of them.
std::optional<std::int64_t> learnedNodes(const Analysis& analysis)
{
    std::map<int, std::int64_t> rows;
    for (const Input& input : analysis.program.inputs)
        if (input.parameter.valid())
            rows[analysis.typeCountedBy(analysis.program[input.value].sizes[0].symbol)] = analysis.program[input.parameter].sizes[0];
    std::int64_t all = 0;
    for (int type = 0; type < analysis.types(); ++type)
        if (analysis.isGiven(type)) {
            if (!rows.contains(type))
                return {};
            all += rows[type];
        }
    return all;
}

}  // namespace

bool knowsNodesOf(const Model& model, const DataGraph& graph)
{
    const auto nodes = learnedNodes(*model.analysis);
    // What is called x may have its nodes along another dimension than the first.
    const auto hasThemElsewhere = [&](const Input& input) {
        const auto array = findArray(graph.arrays, model.program()[input.value].name);
        const auto dim = static_cast<std::size_t>(input.rowDim);
        return dim > 0 && input.role == Role::NodeFeatures && array != graph.arrays.end() && dim < array->second.shape.size() &&
               array->second.shape[dim] == *nodes;
    };
    return nodes && *nodes != graph.numNodes && (!graph.statesNodes || std::ranges::any_of(model.program().inputs, hasThemElsewhere));
}

DataGraph withLearnedNodes(DataGraph graph, const Model& model)
{
    if (knowsNodesOf(model, graph))
        graph.numNodes = *learnedNodes(*model.analysis);
    return graph;
}

Model rewrittenModel(std::shared_ptr<const Analysis> traced, const std::set<Rewrite>& rewrites, const Progress& progress)
{
    Model model{traced, {}, {}};
    const auto rewrite = [&](const std::set<Rewrite>& wanted) {
        auto faster = std::make_shared<Analysis>(rewritten(*traced, wanted, LibTorchEvaluator(), progress));
        if (!faster->rewrites.empty()) {
            checkRewrites(*traced, *faster, progress);
            model = {std::move(faster), {}, traced};
        }
    };
    try {
        try {
            rewrite(rewrites);
        } catch (const Error&) {
            // With rows of edges as those of nodes there is more that may not be known.
            std::set<Rewrite> others = rewrites;
            if (others.erase(Rewrite::StoreEdges) == 0)
                throw;
            rewrite(others);
        }
    } catch (const Error& error) {
        auto noted = std::make_shared<Analysis>(*traced);
        noted->program.notes.push_back(std::string("The program was left as it is: ") + error.what());
        model.analysis = std::move(noted);
    }
    model.cut = std::make_shared<CutProgram>(cutByMessageDegree(*model.analysis));
    return model;
}

std::string libtorchVersion()
{
    return TORCH_VERSION;
}

}  // namespace cleave
