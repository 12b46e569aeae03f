#include "views/plan_label.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "views/text.h"

namespace cleave::views {

namespace {

constexpr int offset = 16;

struct PlanLabelTexts {
    Q_DECLARE_TR_FUNCTIONS(cleave::views::PlanDrag)
};

}  // namespace

PlanLabel::PlanLabel(QWidget* viewport) : QLabel(viewport)
{
    setMargin(6);
    setAutoFillBackground(true);
    setFrameShape(QFrame::Box);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
}

void PlanLabel::say(const QString& text)
{
    constexpr int widest = 340;
    setVisible(!text.isEmpty());
    setText(text);
    setWordWrap(false);
    const int width = std::min({sizeHint().width(), widest, parentWidget()->width() - 2 * offset});
    setWordWrap(true);
    resize(width, heightForWidth(width));
}

void PlanLabel::putBeside(const QPoint& place)
{
    const QSize size = parentWidget()->size();
    const bool above = place.y() + offset + height() > size.height();
    move(std::clamp(place.x() + offset, 0, std::max(0, size.width() - width())), above ? place.y() - height() - offset / 2 : place.y() + offset);
}

QString cutText(const PlanEditor& editor, int cut, const std::optional<PlanCost>& before, const Plan& after)
{
    QStringList saved;
    const Program& program = editor.space()->analysis().program;
    for (const ValueId tensor : editor.space()->savePoints(after, cut))
        if (!program.isInput(tensor))
            saved.append(toText(program[tensor].name));
    return PlanLabelTexts::tr("Cut %1 saves %2")
               .arg(cut + 1)
               .arg(saved.isEmpty() ? PlanLabelTexts::tr("nothing") : saved.join(QStringLiteral(", "))) +
           costChangeText(editor, before, after);
}

QString costChangeText(const PlanEditor& editor, const std::optional<PlanCost>& before, const Plan& after)
{
    const std::optional<PlanCost> then = editor.costs().costOf(after);
    if (!before || !then || !editor.showsCosts())
        return {};
    const double bytes = before->readBytes() + before->writtenBytes(), bytesThen = then->readBytes() + then->writtenBytes();
    const auto signedText = [](double difference, const QString& text) {
        return (difference < 0 ? QStringLiteral("−") : QStringLiteral("+")) + text;
    };
    const double more = then->seconds() - before->seconds(), moreBytes = bytesThen - bytes;
    return PlanLabelTexts::tr("\n%1 → %2 (%3)\n%4 → %5 (%6) read and written")
        .arg(secondsText(before->seconds()), secondsText(then->seconds()), signedText(more, secondsText(std::abs(more))), bytesText(bytes),
             bytesText(bytesThen), signedText(moreBytes, bytesText(std::abs(moreBytes))));
}

}  // namespace cleave::views
