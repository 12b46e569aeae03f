#pragma once

#include <QPointF>
#include <QWidget>
#include <memory>
#include <optional>

#include "views/document.h"
#include "views/story.h"

class QLabel;
class QPushButton;
class QSlider;

namespace cleave::views {

/// The members of the club, their friendships, and the rows of one step: computed, read, saved.
class StoryCanvas : public QWidget {
    Q_OBJECT

public:
    explicit StoryCanvas(QWidget* parent = nullptr);

    void setStep(const Story* story, const StoryStep* step);  ///< which must outlive it; null: nothing
    QPointF place(std::int64_t node) const;

    QSize sizeHint() const override { return {360, 360}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void paintGraph(QPainter& painter) const;
    void paintStores(QPainter& painter) const;
    void paintCounts(QPainter& painter) const;
    QRectF graphArea() const;
    int hopOf(std::int64_t node) const;
    int levels() const;
    QColor levelColor(int level) const;

    const Story* m_story = nullptr;
    const StoryStep* m_step = nullptr;
    std::vector<QPointF> m_places;  // in the unit square
};

/// The story, step by step, beside the model; at its end the student cuts the model and sees the optimum.
class StoryView : public QWidget {
    Q_OBJECT

public:
    explicit StoryView(Document& document, QWidget* parent = nullptr);

    const StoryStep& step() const { return m_story->steps()[m_at]; }
    std::size_t at() const { return m_at; }
    std::size_t steps() const { return m_story->steps().size(); }
    QString text() const;
    QPushButton& next() { return *m_next; }
    QPushButton& exercise() { return *m_exercise; }
    QPushButton& reveal() { return *m_reveal; }
    QPushButton& optimum() { return *m_optimum; }

    void go(std::size_t step);

Q_SIGNALS:
    void functionShown(int function);  ///< that the step is about; 0: none
    void cutWanted();                  ///< one that can be moved, in sight

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void begin();
    void showStep();
    bool showsOptimum() const;
    void showOutcome();
    std::optional<std::int64_t> largestTelling(const Plan& plan, std::int64_t most) const;
    void setExercise();
    void reserveTexts();

    Document& m_document;
    std::unique_ptr<Story> m_story;
    std::size_t m_at = 0;
    Plan m_planBefore;  // when the student was asked
    bool m_isRevealed = false;
    QString m_told;  // to those who hear it, since it was shown
    std::optional<Plan> m_shownOptimum;  // by the program
    int m_shownAt = 0;                   // in the history: the same plan may be among those before it
    std::optional<Plan> m_yours;         // that it was shown instead of
    StoryCanvas* m_canvas;
    QLabel *m_title, *m_text, *m_counter;
    QSlider* m_slider;
    QPushButton *m_back, *m_next, *m_exercise, *m_reveal, *m_optimum;
};

}  // namespace cleave::views
