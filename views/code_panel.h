#pragma once

#include <map>
#include <string>

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

protected:
    void refresh() override;

private:

    Document& m_document;
    QComboBox* m_files;
    QPlainTextEdit* m_source;
    std::map<std::string, std::string> m_code;
};

}  // namespace cleave::views
