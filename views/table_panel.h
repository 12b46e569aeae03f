#pragma once

#include "views/document.h"
#include "views/lazy_panel.h"
#include "views/result_models.h"

class QTableView;
class QTabWidget;

namespace cleave::views {

class TableOrder;

/// The model and its costs as tables, for those who read or search rather than look: each operator, and each function of the plan.
class TablePanel : public LazyPanel {
    Q_OBJECT

public:
    explicit TablePanel(Document& document, QWidget* parent = nullptr);

    void selectOp(OpId op);  ///< invalid: none
    void selectAmong(const std::vector<OpId>& ops);  ///< the only one, or the one that is selected if it is among these; none otherwise
    void showOp(OpId op);    ///< selected, in sight
    const TextTableModel& operators() const { return m_operators; }
    const TextTableModel& costs() const { return m_costs; }
    QTableView& operatorView() { return *m_operatorView; }

Q_SIGNALS:
    void opChosen(cleave::OpId op);  ///< by a person

protected:
    void refresh() override;

private:
    void showOperators();
    void showCosts();

    Document& m_document;
    TextTableModel m_operators, m_costs;
    QTabWidget* m_tabs;
    QTableView *m_operatorView, *m_costView;
    TableOrder* m_order;  // of the operators
    OpId m_selected;
    bool m_isSelecting = false;
};

}  // namespace cleave::views
