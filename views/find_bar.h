#pragma once

#include <QFrame>
#include <optional>

#include "views/graph_view.h"

class QLabel;
class QLineEdit;

namespace cleave::views {

class FoundList;

/// Finds operators by their name, their operator or their module, also inside modules that are closed: these open. What was found hangs below as a
/// list, in which the arrow keys go up and down.
class FindBar : public QFrame {
    Q_OBJECT

public:
    explicit FindBar(GraphView& view, QWidget* parent = nullptr);

    void begin();  ///< shows it, ready to be written in
    void next();   ///< of what was found; without a search it begins one
    void previous();
    QLineEdit& edit() { return *m_edit; }
    QString status() const;  ///< "2 of 5"
    FoundList& list() { return *m_list; }

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void search();
    void searchAgain();
    void go(int by);
    void step(int by);

    GraphView& m_view;
    QLineEdit* m_edit;
    QLabel* m_status;
    FoundList* m_list;
    std::size_t m_at = 0;
    std::optional<DagKey> m_before;  // that was selected when the search began
    GraphView::Place m_placeBefore;  // where the view was before the first that was found
    bool m_isMoved = false;          // the selection, since then
};

}  // namespace cleave::views
