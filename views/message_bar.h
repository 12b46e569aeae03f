#pragma once

#include <QFrame>
#include <QList>
#include <functional>

class QHBoxLayout;
class QLabel;
class QPushButton;
class QSpinBox;

namespace cleave::views {

/// One sentence above the graph until it is dismissed.
class MessageBar : public QFrame {
    Q_OBJECT

public:
    explicit MessageBar(QWidget* parent = nullptr);

    struct Choice {
        QString text;
        std::function<void()> chosen;
    };
    void offer(const QString& sentence, const QList<Choice>& choices);  ///< a button for each; one that is chosen hides the bar
    const QList<QPushButton*>& buttons() const { return m_buttons; }

    struct Question {
        QString button;
        int least, most, guess;
        std::function<void(int)> answered;
    };
    void ask(const QString& sentence, const Question& question);  ///< a field for a number and a button that takes it
    QSpinBox* field() const { return m_field; }  ///< null: there is none

    QString text() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void clear();

    QLabel* m_text;
    QHBoxLayout* m_layout;
    QList<QPushButton*> m_buttons;
    QSpinBox* m_field = nullptr;
};

}  // namespace cleave::views
