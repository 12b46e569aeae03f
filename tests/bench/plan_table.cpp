// Cost and measured time of the three planners' plans for the models of the zoo on real graphs, as Markdown: what docs/plans.md holds.
//
//   plan_table [--repeat N] [--only NAME] GRAPH.npz…
//
// Features of the width that each model wants are random; edges are the graph's.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>

#include <CLI/CLI.hpp>

#include "core/base/format.h"
#include "core/run/calibrate.h"
#include "core/run/planning.h"
#include "tests/core/test_files.h"

namespace cleave {
namespace {

struct ZooModel {
    std::string name;
    std::map<std::string, Role> roles;
};

std::vector<ZooModel> zooModels()
{
    std::vector<ZooModel> models;
    for (const auto& entry : nlohmann::json::parse(test::readText(test::testDir() / "models/zoo/index.json"))) {
        if (entry["expect"] != "equal")
            continue;
        models.push_back({entry["name"].get<std::string>(), {}});
        if (entry.contains("roles"))
            for (const auto& [name, role] : entry["roles"].items())
                roleFromName(role.get<std::string>(), models.back().roles[name]);
    }
    return models;
}

// The graph's edges, and random numbers for all else that the model wants. Nothing if it wants what no graph has.
std::optional<DataGraph> fitted(const Model& model, const DataGraph& graph)
{
    const Program& program = model.program();
    DataGraph fit{graph.name, graph.numNodes, graph.numEdges, {}, {}, {}, {}, {}};
    const Array& edges = graph.arrays.at("edge_index");
    std::mt19937_64 random(1);
    std::normal_distribution<float> normal;
    std::string edgeSymbol;
    for (const Input& input : program.inputs)
        if (const Value& value = program[input.value]; input.role == Role::GraphStructure && value.sizes.size() == 2 && value.sizes[0].value == 2)
            edgeSymbol = value.sizes[1].symbol;
    for (const Input& input : program.inputs) {
        const Value& value = program[input.value];
        if (input.parameter.valid())
            return {};
        if (value.kind != ValueKind::Tensor)
            continue;
        if (input.role == Role::GraphStructure && value.sizes.size() == 2 && value.sizes[0].value == 2) {
            fit.arrays[value.name] = edges;
            continue;
        }
        std::vector<std::int64_t> shape;
        for (const Dim& dim : value.sizes) {
            if (!dim.isConstant() && dim.symbol != model.analysis->nodeSymbol && dim.symbol != edgeSymbol)
                return {};
            shape.push_back(dim.isConstant() ? dim.value : dim.symbol == edgeSymbol ? graph.numEdges : graph.numNodes);
        }
        NewArray made = makeArray(isFloating(value.dtype) ? DType::Float32 : value.dtype, shape);
        const std::int64_t count = made.array.count();
        for (std::int64_t i = 0; i < count; ++i)
            if (isFloating(value.dtype))
                reinterpret_cast<float*>(made.data)[i] = input.role == Role::NodeFeatures ? normal(random) : std::abs(normal(random)) + 0.1F;
            else if (value.dtype == DType::Int64)
                reinterpret_cast<std::int64_t*>(made.data)[i] = static_cast<std::int64_t>(random() % 2);
            else
                return {};
        fit.arrays[value.name] = made.array;
    }
    return fit;
}

std::string milliseconds(double seconds)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", seconds * 1e3);
    return text;
}

struct Row {
    std::string model;
    double predicted[3], measured[3];
};

class Table {
public:
    Table(Rates rates, int repeat) : m_rates(std::move(rates)), m_repeat(repeat) {}

    void add(const std::string& name, const Model& model, const DataGraph& graph, std::int64_t batchSize)
    {
        Planning planning(model, graph, {}, m_rates);
        planning.measureOps(batchSize);
        PlanningRequest request;
        request.batchSize = batchSize;
        std::vector<PricedPlan> plans;
        for (const Planner planner : {Planner::MessageDegree, Planner::Greedy, Planner::Optimal})
            plans.push_back(planning.make(planner, request));
        Row row{name, {}, {}};
        std::vector<Model> cuts;
        for (int i = 0; i < 3; ++i) {
            const PricedPlan& p = plans[static_cast<std::size_t>(i)];
            row.predicted[i] = p.planned.cost.seconds();
            row.measured[i] = 1e300;
            cuts.push_back({model.analysis, std::make_shared<CutProgram>(planning.space().cut(p.planned.plan, p.planned.cost.copied))});
        }
        const CostModel costs(planning.space(), plans[0].counts, m_rates, planning.profile());
        RunOptions options;
        options.batchSize = batchSize;
        std::vector<std::vector<double>> functions;
        for (int round = 0; round < m_repeat; ++round)
            for (int i = 0; i < 3; ++i) {
                if (i > 0 && plans[static_cast<std::size_t>(i)].planned.plan == plans[static_cast<std::size_t>(i) - 1].planned.plan) {
                    row.measured[i] = row.measured[i - 1];
                    continue;
                }
                const RunResult result = runLayerWise(cuts[static_cast<std::size_t>(i)], graph, options);
                double seconds = 0;
                for (std::size_t f = 0; f < result.functions.size(); ++f) {
                    seconds += result.functions[f].seconds();
                    if (i == 0) {
                        functions.resize(result.functions.size());
                        functions[f].push_back(result.functions[f].seconds());
                    }
                }
                row.measured[i] = std::min(row.measured[i], seconds);
            }
        const Prediction prediction = predict(costs, plans[0].planned.plan, *cuts[0].cut);
        for (std::size_t f = 0; f < functions.size(); ++f) {
            std::ranges::sort(functions[f]);
            const double median = functions[f][functions[f].size() / 2];
            if (median > 0)
                m_errors.push_back(std::abs(prediction.seconds[f] - median) / median);
        }
        m_rows.push_back(row);
    }

    void print(const std::string& title)
    {
        std::printf("\n### %s\n\n| model | message degree | greedy | optimal | saved by optimal |\n|---|---|---|---|---|\n", title.c_str());
        int better = 0, agreed = 0, worse = 0;
        for (const Row& row : m_rows) {
            const double gain = 1 - row.predicted[2] / row.predicted[0], seen = 1 - row.measured[2] / row.measured[0];
            std::printf("| %s | %s / %s | %s / %s | %s / %s | %.0f %% / %.0f %% |\n", row.model.c_str(), milliseconds(row.predicted[0]).c_str(),
                        milliseconds(row.measured[0]).c_str(), milliseconds(row.predicted[1]).c_str(), milliseconds(row.measured[1]).c_str(),
                        milliseconds(row.predicted[2]).c_str(), milliseconds(row.measured[2]).c_str(), gain * 100, seen * 100);
            better += gain > 0.1;
            agreed += gain > 0.1 && seen > 0;
            worse += row.predicted[2] > std::min(row.predicted[0], row.predicted[1]) * (1 + 1e-9);
        }
        std::ranges::sort(m_errors);
        const double median = m_errors.empty() ? 0 : m_errors[m_errors.size() / 2];
        std::printf(
            "\n%zu models; by the model optimal is worse than another planner in %d. More than 10 %% better than message degree in %d; measured as "
            "better in %d of these. "
            "Median error of the predicted time of a function: %.0f %%.\n",
            m_rows.size(), worse, better, agreed, median * 100);
        std::fflush(stdout);
        m_rows.clear();
        m_errors.clear();
    }

private:
    Rates m_rates;
    int m_repeat;
    std::vector<Row> m_rows;
    std::vector<double> m_errors;
};

int run(int argc, char** argv)
{
    CLI::App app("Cost and measured time of the planners' plans for the models of the zoo");
    std::vector<std::string> graphs;
    int repeat = 5;
    std::int64_t batch = 1024;
    std::vector<std::string> only;
    app.add_option("GRAPH", graphs)->required();
    app.add_option("--repeat", repeat)->capture_default_str();
    app.add_option("--batch-size", batch)->capture_default_str();
    app.add_option("--only", only, "Some models, by name")->delimiter(',')->allow_extra_args(false);
    CLI11_PARSE(app, argc, argv);
    Table table(calibrate(), repeat);
    for (const std::string& path : graphs) {
        const DataGraph graph = readGraph(path);
        for (const ZooModel& zoo : zooModels()) {
            if (!only.empty() && std::ranges::find(only, zoo.name) == only.end())
                continue;
            try {
                const Model model = openModel(test::testDir() / "models/zoo" / (zoo.name + ".pt2"), {zoo.roles, false});
                if (const auto fit = fitted(model, graph))
                    table.add(zoo.name, model, *fit, batch);
                else
                    std::fprintf(stderr, "%s: its inputs are not those of one graph\n", zoo.name.c_str());
            } catch (const std::exception& error) {
                std::fprintf(stderr, "%s: %s\n", zoo.name.c_str(), error.what());
            }
        }
        table.print(graph.name + ": " + formatCount(graph.numNodes) + " nodes, " + formatCount(graph.numEdges) + " edges, batches of " +
                    formatCount(batch));
    }
    return 0;
}

}  // namespace
}  // namespace cleave

int main(int argc, char** argv)
{
    return cleave::run(argc, argv);
}
