#include "views/text.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <cmath>

namespace cleave::views {

namespace {

struct FormatTexts {
    Q_DECLARE_TR_FUNCTIONS(cleave::views::Text)
};

ByteUnits chosenUnits = ByteUnits::Decimal;

QString onOneLine(QString text) { return text.replace(u' ', QChar::Nbsp); }

// Three significant digits as people write them: 1.23, 12.3, 123.
QString withUnit(double x, const QString& unit)
{
    const double size = std::fabs(x);
    return onOneLine(FormatTexts::tr("%1 %2", "a number and its unit")
                         .arg(QLocale().toString(x, 'f',
                                                 size < 9.995   ? 2
                                                 : size < 99.95 ? 1
                                                                : 0),
                              unit));
}

}  // namespace

void setByteUnits(ByteUnits units) { chosenUnits = units; }

ByteUnits byteUnits() { return chosenUnits; }

QString bytesText(double bytes)
{
    const bool isBinary = chosenUnits == ByteUnits::Binary;
    const double step = isBinary ? 1024 : 1000;
    if (bytes < step)
        return onOneLine(FormatTexts::tr("%1 B").arg(QLocale().toString(bytes, 'f', 0)));
    const QString letters = isBinary ? QStringLiteral("KMGTP") : QStringLiteral("kMGTP");
    qsizetype power = 0;
    for (bytes /= step; bytes >= step - 0.5 && power + 1 < letters.size(); bytes /= step)
        ++power;
    return withUnit(bytes, letters[power] + (isBinary ? QStringLiteral("iB") : QStringLiteral("B")));
}

QString secondsText(double seconds)
{
    if (seconds == 0)
        return onOneLine(FormatTexts::tr("%1 %2", "a number and its unit").arg(0).arg(QStringLiteral("s")));
    // What would be written as 1,000 of a unit is 1 of the next.
    if (seconds < 0.9995e-3)
        return withUnit(seconds * 1e6, QStringLiteral("µs"));
    return seconds < 0.9995 ? withUnit(seconds * 1e3, QStringLiteral("ms")) : withUnit(seconds, QStringLiteral("s"));
}

QString changeText(double from, double to)
{
    const double change = from > 0 ? to / from - 1 : 0;
    if (std::abs(change) < 1e-5)
        return FormatTexts::tr("the same");
    if (change >= 1)
        return FormatTexts::tr("%1 times").arg(QLocale().toString(change + 1, 'g', change + 1 < 100 ? 2 : 3));
    const double percent = std::abs(change) * 100;
    const auto digits = [](double part) { return part < 0.1 ? 3 : part < 1 ? 2 : part < 10 ? 1 : 0; };
    const int ofRest = change < 0 && 100 - percent < 1 ? digits(10 * (100 - percent)) : 0;  // nothing becomes 100 % less
    return onOneLine(
        FormatTexts::tr("%1 %", "per cent").arg((change < 0 ? u'−' : u'+') + QLocale().toString(percent, 'f', std::max(digits(percent), ofRest))));
}

QString countText(std::int64_t count) { return QLocale().toString(static_cast<qlonglong>(count)); }

QString numberText(double number)
{
    return QLocale().toString(number, 'g', 3).replace(QLocale().exponential(), QStringLiteral("e"));
}

}  // namespace cleave::views
