#pragma once

#include <QString>
#include <memory>
#include <vector>

#include "core/plan/profile_graph.h"
#include "views/viewed_graph.h"

namespace cleave::views {

/// A profile graph as something that can be drawn: its nodes as ops, its stages as functions, and what these hand on as save points. It is no
/// program: nothing of it is run, priced or moved.
class StagedModel : public ViewedGraph {
public:
    explicit StagedModel(ProfileGraph graph);

    const ProfileGraph& graph() const { return m_graph; }

    void describe(DagModel& dag) const override;
    BandItem::Texts bandTexts(const DagBand& band) const override;
    Inspection inspect(const DagBox& box) const override;
    std::vector<PropertySection> sections(const QString& path) const override;
    std::string dot() const override { return toDot(m_graph); }
    int stages() const override { return m_graph.stages.back(); }

private:
    const ProfileNode& node(OpId op) const { return m_graph.nodes[static_cast<std::size_t>(m_nodeOf[static_cast<std::size_t>(op.index)])]; }

    ProfileGraph m_graph;
    std::vector<StageTotals> m_totals;
    std::vector<int> m_nodeOf;  // of each op
};

}  // namespace cleave::views
