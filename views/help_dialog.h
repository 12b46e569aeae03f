#pragma once

#include <QDialog>

class QMenuBar;
class QTextBrowser;

namespace cleave::views {

/// What the window's words mean, and its keys: those of the picture, and those of all menus. The window behind it stays usable.
class HelpDialog : public QDialog {
    Q_OBJECT

public:
    explicit HelpDialog(const QMenuBar& menus, QWidget* parent = nullptr);

    QString text() const;

private:
    QTextBrowser* m_browser;
};

}  // namespace cleave::views
