#include "views/accessible_graph.h"

#include <QPointer>
#include <algorithm>

#include "views/graph_scene.h"

namespace cleave::views {

namespace {

std::optional<GraphPart> selectedPart(const GraphView& view)
{
    if (const std::optional<int> cut = view.selectedCut())
        return GraphPart{true, *cut};
    const int box = view.selection() && view.picture() ? view.picture()->dag.find(*view.selection()) : -1;
    return box < 0 ? std::nullopt : std::optional(GraphPart{false, box});
}

class AccessiblePart : public QAccessibleInterface, public QAccessibleActionInterface {
public:
    AccessiblePart(GraphView& view, const GraphPart& part) : m_view(&view), m_part(part) {}

    const GraphPart& part() const { return m_part; }

    bool isValid() const override { return m_view && m_view->picture() && (m_part.isCut || box() != nullptr); }
    QObject* object() const override { return nullptr; }
    QWindow* window() const override { return m_view ? m_view->window()->windowHandle() : nullptr; }
    QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(m_view); }
    QAccessibleInterface* child(int) const override { return nullptr; }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    QAccessible::Role role() const override { return QAccessible::ListItem; }
    void setText(QAccessible::Text, const QString&) override {}

    QString text(QAccessible::Text kind) const override
    {
        if (!isValid() || (kind != QAccessible::Name && kind != QAccessible::Description))
            return {};
        const GraphScene& scene = m_view->graphScene();
        const SpokenPart spoken = m_part.isCut ? scene.spokenCut(m_part.index) : scene.spokenBox(m_part.index);
        return kind == QAccessible::Name ? spoken.name : spoken.details;
    }

    QRect rect() const override
    {
        if (!isValid())
            return {};
        const QRectF area = m_part.isCut ? m_view->graphScene().cutRect(m_part.index) : m_view->graphScene().boxRect(m_part.index);
        const QRect seen = m_view->mapFromScene(area).boundingRect();
        return {m_view->viewport()->mapToGlobal(seen.topLeft()), seen.size()};
    }

    QAccessible::State state() const override
    {
        QAccessible::State state;
        if (!isValid()) {
            state.invalid = true;
            return state;
        }
        const bool isSelected = selectedPart(*m_view) == m_part;
        state.focusable = state.selectable = true;
        state.selected = isSelected;
        state.focused = isSelected && m_view->hasFocus();
        state.active = state.focused;
        state.invisible = !m_view->isVisible();
        state.offscreen = !rect().intersects({m_view->viewport()->mapToGlobal(QPoint()), m_view->viewport()->size()});
        if (!m_part.isCut)
            state.expandable = state.collapsed = box()->isExpandable();
        return state;
    }

    void* interface_cast(QAccessible::InterfaceType type) override
    {
        return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this) : nullptr;
    }

    QStringList actionNames() const override
    {
        QStringList names{setFocusAction()};
        if (isValid() && !m_part.isCut && box()->isExpandable())
            names.append(pressAction());
        return names;
    }

    void doAction(const QString& name) override
    {
        if (!isValid() || !actionNames().contains(name))
            return;
        m_view->setFocus();
        if (m_part.isCut)
            m_view->selectCut(m_part.index);
        else
            m_view->select(box()->key);
        if (name == pressAction())
            m_view->expandSelection();
    }

    QStringList keyBindingsForAction(const QString& name) const override
    {
        return name == pressAction() ? QStringList{QStringLiteral("Return")} : QStringList{};
    }

private:
    const DagBox* box() const
    {
        const auto& boxes = m_view->picture()->dag.boxes;
        return m_part.index < static_cast<int>(boxes.size()) ? &boxes[static_cast<std::size_t>(m_part.index)] : nullptr;
    }

    QPointer<GraphView> m_view;
    GraphPart m_part;
};

}  // namespace

AccessibleGraph::AccessibleGraph(GraphView& view)
    : QAccessibleWidget(&view, QAccessible::List), m_view(view), m_connections(std::make_unique<QObject>())
{
    QObject::connect(&view, &GraphView::pictureChanged, m_connections.get(), [this] { forget(); });
}

AccessibleGraph::~AccessibleGraph()
{
    forget();
}

void AccessibleGraph::forget()
{
    m_parts.clear();
    for (const auto& [part, id] : std::exchange(m_interfaces, {}))
        QAccessible::deleteAccessibleInterface(id);
}

const std::vector<GraphPart>& AccessibleGraph::parts() const
{
    if (m_parts.empty() && m_view.picture()) {
        for (const int box : m_view.graphScene().readingOrder())
            m_parts.push_back({false, box});
        for (const int cut : m_view.cuts())
            m_parts.push_back({true, cut});
    }
    return m_parts;
}

QAccessibleInterface* AccessibleGraph::interfaceOf(const GraphPart& part) const
{
    const auto [known, fresh] = m_interfaces.try_emplace(part, 0);
    if (fresh)
        known->second = QAccessible::registerAccessibleInterface(new AccessiblePart(m_view, part));
    return QAccessible::accessibleInterface(known->second);
}

int AccessibleGraph::childCount() const
{
    return static_cast<int>(parts().size());
}

QAccessibleInterface* AccessibleGraph::child(int index) const
{
    return index >= 0 && index < childCount() ? interfaceOf(parts()[static_cast<std::size_t>(index)]) : nullptr;
}

QAccessibleInterface* AccessibleGraph::childAt(int x, int y) const
{
    const QPointF place = m_view.mapToScene(m_view.viewport()->mapFromGlobal(QPoint(x, y)));
    if (const BoxItem* box = m_view.graphScene().boxAt(place))
        return interfaceOf({false, box->index()});
    const std::optional<int> cut = m_view.graphScene().cutAt(place);
    return cut ? interfaceOf({true, *cut}) : nullptr;
}

int AccessibleGraph::indexOfChild(const QAccessibleInterface* child) const
{
    const auto* part = dynamic_cast<const AccessiblePart*>(child);
    const auto at = part == nullptr ? parts().end() : std::ranges::find(parts(), part->part());
    return at == parts().end() ? -1 : static_cast<int>(at - parts().begin());
}

QAccessibleInterface* AccessibleGraph::focusChild() const
{
    const std::optional<GraphPart> part = selectedPart(m_view);
    return part ? interfaceOf(*part) : nullptr;
}

void tellSelection(GraphView& view)
{
    if (!view.hasFocus())
        return;
    QAccessibleInterface* graph = QAccessible::queryAccessibleInterface(&view);
    QAccessibleInterface* part = graph == nullptr ? nullptr : graph->focusChild();
    if (part == nullptr)
        return;
    QAccessibleEvent event(part, QAccessible::Focus);
    QAccessible::updateAccessibility(&event);
}

}  // namespace cleave::views
