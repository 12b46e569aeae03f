#pragma once

#include <QFrame>

class QLabel;

namespace cleave::views {

/// One sentence above the graph until it is dismissed.
class MessageBar : public QFrame {
    Q_OBJECT

public:
    explicit MessageBar(QWidget* parent = nullptr);

    void showError(const QString& sentence);
    QString text() const;

protected:
    void changeEvent(QEvent* event) override;

private:
    void color();

    QLabel* m_text;
};

}  // namespace cleave::views
