#include "views/description.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <algorithm>
#include <limits>
#include <set>

#include "core/graph/array_names.h"
#include "views/core_text.h"
#include "core/analysis/shape_text.h"
#include "views/text.h"

namespace cleave::views {

namespace {

struct DescriptionTexts {
    Q_DECLARE_TR_FUNCTIONS(cleave::views::Description)
};

Property countOf(const QString& name, const std::optional<Array>& mask)
{
    std::int64_t count = 0;
    if (mask)
        count = std::count(mask->as<bool>(), mask->as<bool>() + mask->count(), true);
    return {name, countText(count), {}};
}

}  // namespace

QString orderText(NodeOrder order)
{
    switch (order) {
    case NodeOrder::Natural: break;
    case NodeOrder::Degree: return DescriptionTexts::tr("Most edges first");
    case NodeOrder::BreadthFirst: return DescriptionTexts::tr("Breadth first");
    case NodeOrder::Metis: return DescriptionTexts::tr("Clusters (METIS)");
    }
    return DescriptionTexts::tr("As in the file");
}

QString ratesText(const Rates& rates)
{
    return DescriptionTexts::tr("Measured: %1 GFLOP/s of matrix products; %2/s of rows read in order, %3/s at random places, %4/s written.")
        .arg(numberText(rates.gemm / 1e9), bytesText(rates.read), bytesText(rates.gather), bytesText(rates.write));
}

QString rewriteText(Rewrite rewrite)
{
    switch (rewrite) {
    case Rewrite::RowsFirst:
        return DescriptionTexts::tr("put rows before other dimensions");
    case Rewrite::TransformFirst:
        return DescriptionTexts::tr("put linear layers before aggregations");
    case Rewrite::AggregateFirst:
        return DescriptionTexts::tr("put linear layers behind aggregations");
    case Rewrite::SumLinears:
        return DescriptionTexts::tr("add up linear layers of one input");
    case Rewrite::MergeLinears:
        return DescriptionTexts::tr("merge linear layers of one input");
    case Rewrite::FoldBatchNorm:
        return DescriptionTexts::tr("fold batch norms into linear layers");
    case Rewrite::OneGather:
        return DescriptionTexts::tr("gather equal rows once");
    case Rewrite::StoreEdges:
        return DescriptionTexts::tr("compute rows of edges once and store them");
    }
    return {};
}

QString rewritesText(const Model& model)
{
    QStringList texts;
    for (const PassCount& applied : model.analysis->rewrites)
        if (Rewrite rewrite{}; rewriteFromName(applied.pass, rewrite))
            texts.append(DescriptionTexts::tr("%1 %2 ×").arg(rewriteText(rewrite)).arg(applied.count));
    return texts.join(QStringLiteral(", "));
}

std::vector<PropertySection> describeModel(const Model& model, const QString& path)
{
    const Program& program = model.program();
    const Analysis& analysis = *model.analysis;
    std::vector<PropertySection> sections;
    auto& about = sections.emplace_back(PropertySection{DescriptionTexts::tr("Model"), {}}).properties;
    about.push_back({DescriptionTexts::tr("file"), QFileInfo(path).fileName(), path});
    about.push_back({DescriptionTexts::tr("class"), toText(program.name), {}});
    about.push_back({DescriptionTexts::tr("written by"), toText(program.producer), {}});
    about.push_back({DescriptionTexts::tr("operators"), countText(static_cast<std::int64_t>(program.ops.size())), {}});
    about.push_back({DescriptionTexts::tr("functions"), countText(static_cast<std::int64_t>(model.cut->functions.size())), {}});
    about.push_back({DescriptionTexts::tr("message degree"), countText(analysis.degreeOf(analysis.levels)), {}});
    if (analysis.types() > 1) {
        QStringList names;
        for (const NodeType& type : analysis.nodeTypes)
            names.append(toText(type.name));
        about.push_back({DescriptionTexts::tr("node types"), names.join(QStringLiteral(", ")), {}});
    }
    for (const std::string& note : program.notes)
        about.push_back({DescriptionTexts::tr("note"), fromCore(note), {}});

    auto& inputs = sections.emplace_back(PropertySection{DescriptionTexts::tr("Inputs"), {}}).properties;
    QStringList roles;
    for (const Role role : allRoles)
        roles.append(roleText(role));
    for (const Input& input : program.inputs)
        inputs.push_back({toText(program[input.value].name), roleText(input.role),
                          toText(std::string(dtypeName(program[input.value].dtype)) + " " + toString(program[input.value].sizes)),
                          input.matrix.empty() ? roles : QStringList()});  // what stands for a matrix has no role of its own

    auto& passes = sections.emplace_back(PropertySection{DescriptionTexts::tr("Clean-up"), {}}).properties;
    for (const PassCount& pass : analysis.passes)
        if (pass.count > 0)
            passes.push_back({fromCore(pass.pass), countText(static_cast<std::int64_t>(pass.count)), {}});
    if (passes.empty())
        passes.push_back({DescriptionTexts::tr("nothing to remove"), {}, {}});

    if (model.traced) {
        auto& rewrites = sections.emplace_back(PropertySection{DescriptionTexts::tr("Rewrites"), {}}).properties;
        for (const PassCount& applied : analysis.rewrites)
            if (Rewrite rewrite{}; rewriteFromName(applied.pass, rewrite))
                rewrites.push_back({toText(applied.pass), QStringLiteral("%1 ×").arg(applied.count), rewriteText(rewrite)});
    }
    return sections;
}

std::vector<PropertySection> describeGraph(const DataGraph& graph, const std::optional<DegreeSummary>& degrees, const QString& path,
                                           const Model* model)
{
    std::vector<PropertySection> sections;
    auto& about = sections.emplace_back(PropertySection{DescriptionTexts::tr("Graph"), {}}).properties;
    about.push_back({DescriptionTexts::tr("file"),
                     path.isEmpty() ? DescriptionTexts::tr("%1, built in").arg(toText(graph.name)) : QFileInfo(path).fileName(), path});
    about.push_back({DescriptionTexts::tr("V, nodes"), countText(graph.numNodes), {}});
    if (model != nullptr && model->analysis->types() > 1)
        for (const Input& input : model->program().inputs)
            if (const auto rows = findArray(graph.arrays, model->program()[input.value].name);
                rows != graph.arrays.end() && input.role == Role::NodeFeatures && !rows->second.shape.empty() &&
                model->analysis->values[input.value].rows == Rows::Nodes)
                about.push_back(
                    {toText(nodesText(*model->analysis, model->analysis->values[input.value].nodeType)), countText(rows->second.shape[0]), {}});
    about.push_back({DescriptionTexts::tr("M, edges"), countText(graph.numEdges), {}});
    if (degrees) {
        about.push_back(
            {DescriptionTexts::tr("in-degree"), DescriptionTexts::tr("%1 to %2").arg(countText(degrees->least), countText(degrees->most)), {}});
        about.push_back({DescriptionTexts::tr("mean, median"),
                         QStringLiteral("%1, %2").arg(QLocale().toString(degrees->mean, 'f', 1)).arg(countText(degrees->median)),
                         {}});
    }
    for (const auto& [name, array] : graph.arrays) {
        if (name == "edge_index" && !graph.hasEdges)
            continue;  // stands for none
        QStringList sizes;
        for (const std::int64_t size : array.shape)
            sizes.append(countText(size));
        about.push_back(
            {toText(name), QStringLiteral("%1 [%2]").arg(toText(std::string(dtypeName(array.dtype))), sizes.join(QStringLiteral(" × "))), {}});
    }
    if (graph.labels) {
        const auto* labels = graph.labels->as<std::int64_t>();
        const std::set<std::int64_t> classes(labels, labels + graph.labels->count());
        about.push_back({DescriptionTexts::tr("classes"), QString::number(classes.size() - classes.count(-1)), {}});
    }
    if (graph.trainMask || graph.valMask || graph.testMask) {
        about.push_back(countOf(DescriptionTexts::tr("training nodes"), graph.trainMask));
        about.push_back(countOf(DescriptionTexts::tr("validation nodes"), graph.valMask));
        about.push_back(countOf(DescriptionTexts::tr("test nodes"), graph.testMask));
    }
    return sections;
}

QStringList fittingArrays(const Program& program, ValueId input, const DataGraph& graph)
{
    const Value& value = program[input];
    const auto fits = [&](const Array& array) {
        const auto isAsLong = [](const Dim& dim, std::int64_t size) { return !dim.isConstant() || dim.value == size; };
        return isFloating(array.dtype) == isFloating(value.dtype) && std::ranges::equal(value.sizes, array.shape, isAsLong);
    };
    QStringList names;
    for (const auto& [name, array] : graph.arrays)
        if (value.kind == ValueKind::Tensor && fits(array) && (graph.hasEdges || name != "edge_index"))
            names.append(toText(name));
    return names;
}

std::vector<PropertySection> describeArrays(const Model& model, const DataGraph& graph, const std::map<std::string, std::string>& inputs)
{
    PropertySection section{DescriptionTexts::tr("Arrays for inputs"), {}};
    for (const Input& input : model.program().inputs) {
        const std::string& name = model.program()[input.value].name;
        const auto chosen = inputs.find(name);
        const bool isNamed = findArray(graph.arrays, name) != graph.arrays.end();
        QStringList choices = fittingArrays(model.program(), input.value, graph);
        if (input.parameter.valid() || !input.matrix.empty() || (chosen == inputs.end() && (isNamed || choices.isEmpty())))
            continue;
        choices.prepend(DescriptionTexts::tr("that of its name"));
        section.properties.push_back({toText(name), chosen == inputs.end() ? DescriptionTexts::tr("none of its name") : toText(chosen->second),
                                      DescriptionTexts::tr("The array of the graph that runs take"), choices, static_cast<int>(Choice::Array)});
    }
    return section.properties.empty() ? std::vector<PropertySection>() : std::vector{std::move(section)};
}

QStringList degreeTexts(const DegreeSummary& degrees)
{
    QStringList lines;
    for (std::size_t bin = 0; bin < degrees.histogram.size(); ++bin) {
        const std::int64_t from = bin == 0 ? 0 : std::int64_t{1} << (bin - 1), to = bin == 0 ? 0 : (std::int64_t{1} << bin) - 1;
        const QString range = from == to ? countText(from) : DescriptionTexts::tr("%1 to %2").arg(countText(from), countText(to));
        const auto nodes = static_cast<int>(std::min<std::int64_t>(degrees.histogram[bin], std::numeric_limits<int>::max()));
        lines.append(DescriptionTexts::tr("in-degree %1: %Ln node(s)", nullptr, nodes).arg(range));
    }
    return lines;
}

QString roleText(Role role)
{
    switch (role) {
    case Role::NodeFeatures: return DescriptionTexts::tr("node features");
    case Role::GraphStructure: return DescriptionTexts::tr("graph structure");
    case Role::EdgeFeatures: return DescriptionTexts::tr("edge features");
    case Role::Other: break;
    }
    return DescriptionTexts::tr("other");
}

}  // namespace cleave::views
