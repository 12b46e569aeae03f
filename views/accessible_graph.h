#pragma once

#include <QAccessibleWidget>
#include <map>
#include <memory>
#include <vector>

#include "views/graph_view.h"

namespace cleave::views {

/// A box of the graph, or a cut.
struct GraphPart {
    bool isCut = false;
    int index = -1;  ///< of the box in DagModel, or of the cut as GraphView counts them

    auto operator<=>(const GraphPart&) const = default;
};

/// The graph as a list for assistive programs: its boxes in reading order, then its cuts. The one that is selected has the focus.
class AccessibleGraph : public QAccessibleWidget {
public:
    explicit AccessibleGraph(GraphView& view);
    ~AccessibleGraph() override;

    int childCount() const override;
    QAccessibleInterface* child(int index) const override;
    QAccessibleInterface* childAt(int x, int y) const override;
    int indexOfChild(const QAccessibleInterface* child) const override;
    QAccessibleInterface* focusChild() const override;

private:
    void forget();
    const std::vector<GraphPart>& parts() const;
    QAccessibleInterface* interfaceOf(const GraphPart& part) const;

    GraphView& m_view;
    std::unique_ptr<QObject> m_connections;
    mutable std::vector<GraphPart> m_parts;                    // of this picture; empty: not listed yet
    mutable std::map<GraphPart, QAccessible::Id> m_interfaces;  // that somebody has asked for
};

/// Tells of the focus on what is selected, if the graph has it.
void tellSelection(GraphView& view);

}  // namespace cleave::views
