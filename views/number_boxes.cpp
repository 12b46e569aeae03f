#include "views/number_boxes.h"

#include <QEvent>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>

namespace cleave::views {

namespace {

constexpr double bytesPerMegabyte = 1e6;

// A number, and a unit with or without "i" and "B".
const QRegularExpression& sizePattern()
{
    static const QRegularExpression pattern(QStringLiteral(R"(^\s*([0-9][^A-Za-z]*?)\s*(?:([kKMGT])(i?)B?)?\s*$)"));
    return pattern;
}

}  // namespace

std::optional<double> MemoryBox::bytesIn(QString text) const
{
    // A unit that is typed before the one of the box takes its place.
    if (const QString before = text.chopped(text.endsWith(suffix()) ? suffix().size() : 0); sizePattern().match(before).captured(2).size() > 0)
        text = before;
    const QRegularExpressionMatch match = sizePattern().match(text);
    bool isNumber = false;
    const double number = locale().toDouble(match.captured(1).remove(locale().groupSeparator()).trimmed(), &isNumber);
    if (!match.hasMatch() || !isNumber || number < 0)
        return {};
    const QString unit = match.captured(2).toUpper();
    const double step = match.captured(3).isEmpty() ? 1000 : 1024;
    return number * (unit.isEmpty() ? bytesPerMegabyte : std::pow(step, 1 + QStringLiteral("KMGT").indexOf(unit)));
}

QValidator::State MemoryBox::validate(QString& text, int& /*position*/) const
{
    if (text == specialValueText())
        return QValidator::Acceptable;
    if (const std::optional<double> bytes = bytesIn(text))
        return *bytes <= bytesPerMegabyte * maximum() ? QValidator::Acceptable : QValidator::Invalid;
    static const QRegularExpression begun(QStringLiteral(R"(^\s*[0-9.,' \x{00a0}\x{202f}]*\s*[kKMGT]?i?B?\s*(MB)?\s*$)"));
    return beginsSpecialText(text) || begun.match(text).hasMatch() ? QValidator::Intermediate : QValidator::Invalid;
}

bool MemoryBox::beginsSpecialText(const QString& text) const
{
    const QString typed = text.chopped(text.endsWith(suffix()) ? suffix().size() : 0).trimmed();
    return specialValueText().startsWith(typed, Qt::CaseInsensitive);
}

// Nothing is no bound.
void MemoryBox::fixup(QString& text) const
{
    if (beginsSpecialText(text))
        text = specialValueText();
    else
        QSpinBox::fixup(text);
}

int MemoryBox::valueFromText(const QString& text) const
{
    const double megabytes = bytesIn(text).value_or(minimum() * bytesPerMegabyte) / bytesPerMegabyte;
    return megabytes > 0 ? std::clamp(static_cast<int>(std::lround(std::min(megabytes, static_cast<double>(maximum())))), 1, maximum()) : minimum();
}

void BatchSizeBox::stepBy(int steps)
{
    constexpr int usual = 256;
    std::int64_t size = value();
    for (; steps > 0; --steps)
        size = size == 0 ? usual : std::min<std::int64_t>(2 * size, maximum());
    for (; steps < 0; ++steps)
        size /= 2;
    setValue(static_cast<int>(size));
    selectAll();
}

namespace {

class WheelGuard : public QObject {
public:
    using QObject::QObject;

    bool eventFilter(QObject* field, QEvent* event) override
    {
        if (event->type() != QEvent::Wheel || static_cast<QWidget*>(field)->hasFocus())
            return QObject::eventFilter(field, event);
        event->ignore();
        return true;
    }
};

}  // namespace

void leaveWheelToScrolling(QWidget& field)
{
    field.setFocusPolicy(Qt::StrongFocus);
    field.installEventFilter(new WheelGuard(&field));
}

}  // namespace cleave::views
