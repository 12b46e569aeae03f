#pragma once

#include <QString>
#include <filesystem>
#include <string>

namespace cleave::views {

inline QString toText(const std::string& text)
{
    return QString::fromStdString(text);
}

inline std::filesystem::path toPath(const QString& path)
{
    return path.toStdU16String();
}

enum class ByteUnits : std::uint8_t {
    Decimal,  ///< kB, MB, GB: powers of 1000, as on the command line
    Binary,   ///< KiB, MiB, GiB: powers of 1024
};

void setByteUnits(ByteUnits units);  ///< of every text that is made from now on; decimal at first
ByteUnits byteUnits();

// As the language writes numbers: QLocale().

QString bytesText(double bytes);        ///< "12.2 MB"
QString secondsText(double seconds);    ///< "3.1 ms", "12 s"
QString changeText(double from, double to);  ///< "+3.2 %", "−0.04 %", "4.1 times", "the same"
QString countText(std::int64_t count);  ///< "1,038,000"
QString numberText(double number);      ///< up to 3 significant digits: "1.2e-06", "0.815"

}  // namespace cleave::views
