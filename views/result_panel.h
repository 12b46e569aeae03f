#pragma once

#include <QTabWidget>

#include "views/document.h"
#include "views/result_models.h"

class QLabel;
class QListWidget;
class QSplitter;
class QTableView;

namespace cleave::views {

/// What runs and comparisons gave, and the messages of this session.
class ResultPanel : public QTabWidget {
    Q_OBJECT

public:
    explicit ResultPanel(Document& document, QWidget* parent = nullptr);

    void addMessage(const QString& text);
    QString summary() const;  ///< the line above the tables
    QString runSummary(const RunResult& run) const;

    const TextTableModel& functions() const { return m_functions; }
    const TextTableModel& comparisons() const { return m_comparisons; }
    const TextTableModel& accuracies() const { return m_accuracies; }

private:
    QWidget* runPage();
    QWidget* verifyPage();
    QTableView* tableView(TextTableModel& model, const QString& name);
    void showReport();
    void fitAccuracies();
    static QString randomNote(const RunResult& run);
    QString verdict(const VerifyResult& result) const;

    Document& m_document;
    TextTableModel m_functions, m_comparisons, m_accuracies;
    QTableView* m_accuracyView = nullptr;
    QSplitter* m_tables = nullptr;
    bool m_tellsPredicted = true;
    bool m_isMoved = false;  // by the person who looks at it
    QLabel* m_runSummary;
    QLabel* m_verdict;
    QListWidget* m_messages;
};

}  // namespace cleave::views
