#pragma once

#include <vector>

#include "core/plan/code.h"
#include "views/document.h"
#include "views/lazy_panel.h"

class QComboBox;
class QPlainTextEdit;

namespace cleave::views {

/// The plan as Python: one source for each function, and what chains them.
class CodePanel : public LazyPanel {
    Q_OBJECT

public:
    explicit CodePanel(Document& document, QWidget* parent = nullptr);

    QString source() const;  ///< the one that is shown
    void showFile(const QString& name);
    /// marks the lines that compute them, in the file where the first is, now and when the plan has changed
    void showOps(const std::vector<OpId>& ops);

protected:
    void refresh() override;

private:
    QString fileOfOps() const;  // the shown one if it has some; empty if no file has
    void showSource();
    void mark(bool scrolls);

    Document& m_document;
    QComboBox* m_files;
    QPlainTextEdit* m_source;
    PlanCode m_code;
    std::vector<OpId> m_ops;
};

}  // namespace cleave::views
