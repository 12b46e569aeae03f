#include "views/description.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <algorithm>
#include <set>

#include "views/core_text.h"
#include "views/text.h"

namespace cleave::views {

namespace {

struct Texts {
    Q_DECLARE_TR_FUNCTIONS(cleave::views::Description)
};

Property countOf(const QString& name, const std::optional<Array>& mask)
{
    std::int64_t count = 0;
    if (mask)
        count = std::count(mask->as<bool>(), mask->as<bool>() + mask->count(), true);
    return {name, countText(count), {}};
}

// A bar for each doubling of the degree; the numbers are in the tooltip.
Property histogramOf(const DegreeSummary& degrees)
{
    static const QString bars = QStringLiteral("▁▂▃▄▅▆▇█");
    const auto most = static_cast<double>(std::ranges::max(degrees.histogram));
    QString line;
    QStringList lines;
    for (std::size_t bin = 0; bin < degrees.histogram.size(); ++bin) {
        const std::int64_t nodes = degrees.histogram[bin];
        line += nodes == 0 ? QChar(u' ') : bars[std::min<qsizetype>(bars.size() - 1, static_cast<qsizetype>(static_cast<double>(nodes) / most * static_cast<double>(bars.size())))];
        const std::int64_t from = bin == 0 ? 0 : std::int64_t{1} << (bin - 1), to = bin == 0 ? 0 : (std::int64_t{1} << bin) - 1;
        lines.append(from == to ? Texts::tr("%1 edges: %2 nodes").arg(countText(from), countText(nodes))
                                : Texts::tr("%1 to %2 edges: %3 nodes").arg(countText(from), countText(to), countText(nodes)));
    }
    return {Texts::tr("degrees 0, 1, 2, 4, …"), line, lines.join(u'\n')};
}

}  // namespace

QString rewriteText(Rewrite rewrite)
{
    switch (rewrite) {
    case Rewrite::TransformFirst:
        return Texts::tr("put linear layers before aggregations");
    case Rewrite::SumLinears:
        return Texts::tr("add up linear layers of one input");
    case Rewrite::MergeLinears:
        return Texts::tr("merge linear layers of one input");
    case Rewrite::FoldBatchNorm:
        return Texts::tr("fold batch norms into linear layers");
    case Rewrite::OneGather:
        return Texts::tr("gather equal rows once");
    }
    return {};
}

QString rewritesText(const Model& model)
{
    QStringList texts;
    for (const PassCount& applied : model.analysis->rewrites)
        if (Rewrite rewrite{}; rewriteFromName(applied.pass, rewrite))
            texts.append(Texts::tr("%1 %2 ×").arg(rewriteText(rewrite)).arg(applied.count));
    return texts.join(QStringLiteral(", "));
}

std::vector<PropertySection> describeModel(const Model& model, const QString& path)
{
    const Program& program = model.program();
    const Analysis& analysis = *model.analysis;
    std::vector<PropertySection> sections;
    auto& about = sections.emplace_back(PropertySection{Texts::tr("Model"), {}}).properties;
    about.push_back({Texts::tr("file"), QFileInfo(path).fileName(), path});
    about.push_back({Texts::tr("class"), toText(program.name), {}});
    about.push_back({Texts::tr("written by"), toText(program.producer), {}});
    about.push_back({Texts::tr("operators"), countText(static_cast<std::int64_t>(program.ops.size())), {}});
    about.push_back({Texts::tr("functions"), QString::number(model.cut->functions.size()), {}});
    about.push_back({Texts::tr("message degree"), QString::number(analysis.degreeOf(analysis.levels)), {}});
    if (analysis.types() > 1) {
        QStringList names;
        for (const NodeType& type : analysis.nodeTypes)
            names.append(toText(type.name));
        about.push_back({Texts::tr("node types"), names.join(QStringLiteral(", ")), {}});
    }
    for (const std::string& note : program.notes)
        about.push_back({Texts::tr("note"), fromCore(note), {}});

    auto& inputs = sections.emplace_back(PropertySection{Texts::tr("Inputs"), {}}).properties;
    QStringList roles;
    for (const Role role : allRoles)
        roles.append(roleText(role));
    for (const Input& input : program.inputs)
        inputs.push_back({toText(program[input.value].name), roleText(input.role),
                          toText(std::string(dtypeName(program[input.value].dtype)) + " " + toString(program[input.value].sizes)),
                          input.matrix.empty() ? roles : QStringList()});  // what stands for a matrix has no role of its own

    auto& passes = sections.emplace_back(PropertySection{Texts::tr("Clean-up"), {}}).properties;
    for (const PassCount& pass : analysis.passes)
        if (pass.count > 0)
            passes.push_back({fromCore(pass.pass), QString::number(pass.count), {}});
    if (passes.empty())
        passes.push_back({Texts::tr("nothing to remove"), {}, {}});

    if (model.traced) {
        auto& rewrites = sections.emplace_back(PropertySection{Texts::tr("Rewrites"), {}}).properties;
        for (const PassCount& applied : analysis.rewrites)
            if (Rewrite rewrite{}; rewriteFromName(applied.pass, rewrite))
                rewrites.push_back({toText(applied.pass), QStringLiteral("%1 ×").arg(applied.count), rewriteText(rewrite)});
    }
    return sections;
}

std::vector<PropertySection> describeGraph(const DataGraph& graph, const std::optional<DegreeSummary>& degrees, const QString& path)
{
    std::vector<PropertySection> sections;
    auto& about = sections.emplace_back(PropertySection{Texts::tr("Graph"), {}}).properties;
    about.push_back({Texts::tr("file"), path.isEmpty() ? Texts::tr("%1, built in").arg(toText(graph.name)) : QFileInfo(path).fileName(), path});
    about.push_back({Texts::tr("V, nodes"), countText(graph.numNodes), {}});
    about.push_back({Texts::tr("M, edges"), countText(graph.numEdges), {}});
    if (degrees) {
        about.push_back({Texts::tr("in-degree"), Texts::tr("%1 to %2").arg(countText(degrees->least), countText(degrees->most)), {}});
        about.push_back({Texts::tr("mean, median"), QStringLiteral("%1, %2").arg(QLocale().toString(degrees->mean, 'f', 1)).arg(countText(degrees->median)), {}});
        about.push_back(histogramOf(*degrees));
    }
    for (const auto& [name, array] : graph.arrays) {
        QStringList sizes;
        for (const std::int64_t size : array.shape)
            sizes.append(countText(size));
        about.push_back({toText(name), QStringLiteral("%1 [%2]").arg(toText(std::string(dtypeName(array.dtype))), sizes.join(QStringLiteral(" × "))), {}});
    }
    if (graph.labels) {
        const auto* labels = graph.labels->as<std::int64_t>();
        const std::set<std::int64_t> classes(labels, labels + graph.labels->count());
        about.push_back({Texts::tr("classes"), QString::number(classes.size() - classes.count(-1)), {}});
    }
    if (graph.trainMask || graph.valMask || graph.testMask) {
        about.push_back(countOf(Texts::tr("training nodes"), graph.trainMask));
        about.push_back(countOf(Texts::tr("validation nodes"), graph.valMask));
        about.push_back(countOf(Texts::tr("test nodes"), graph.testMask));
    }
    return sections;
}

QString roleText(Role role)
{
    switch (role) {
    case Role::NodeFeatures: return Texts::tr("node features");
    case Role::GraphStructure: return Texts::tr("graph structure");
    case Role::EdgeFeatures: return Texts::tr("edge features");
    case Role::Other: break;
    }
    return Texts::tr("other");
}

}  // namespace cleave::views
