#pragma once

#include <QBasicTimer>
#include <QFrame>
#include <QList>
#include <functional>

class QHBoxLayout;
class QLabel;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

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
    /// A button for each; one that is chosen hides the bar. They stand beside the sentence where that leaves it room, otherwise below.
    void offer(const QString& sentence, const QList<Choice>& choices);
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
    void resizeEvent(QResizeEvent* event) override;
    void timerEvent(QTimerEvent* event) override;

private:
    QPushButton* addButton(const QString& text);
    void place();
    void flash();
    void clear();

    QLabel* m_text;
    QVBoxLayout* m_rows;
    QHBoxLayout* m_beside;
    QWidget* m_choices;
    bool m_isBelow = false;
    QBasicTimer m_flash;
    QList<QPushButton*> m_buttons;
    QSpinBox* m_field = nullptr;
};

}  // namespace cleave::views
