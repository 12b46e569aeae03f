#include "views/export_picture.h"

#include <QBuffer>
#include <QFile>
#include <QGraphicsScene>
#include <QImage>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QPrinter>
#include <QSaveFile>
#include <QSvgGenerator>
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "views/legend.h"

namespace cleave::views {

namespace {

constexpr double largestSide = 32000, largestArea = 2.56e8;  // pixels; larger pictures are scaled down
constexpr double leastScale = 0.3;                           // where nothing can be read any more
constexpr double largestPage = 14400;      // points: PDF readers open no larger ones
constexpr double pointsPerUnit = 0.75;
constexpr int unitsPerInch = static_cast<int>(72 / pointsPerUnit);  // so that points of type have the size that the boxes were made for
constexpr double leastWidth = 520;         // of the legend
constexpr double paperMargin = 14;

QByteArray svg(const Paper& paper, const QString& title)
{
    const QRectF all(QPointF(), paper.size());
    QBuffer buffer;
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setResolution(unitsPerInch);
    generator.setTitle(title);
    generator.setSize(all.size().toSize());
    generator.setViewBox(all);
    QPainter painter(&generator);
    paper.paint(painter, all);
    painter.end();
    return buffer.data();
}

QByteArray pdf(const Paper& paper, const QString& title)
{
    const QSizeF size = paper.size();
    const double scale = std::min(pointsPerUnit, largestPage / std::max(size.width(), size.height()));
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setResolution(unitsPerInch);
    writer.setTitle(title);
    writer.setPageSize(QPageSize(size * scale, QPageSize::Point));
    writer.setPageMargins({});
    QPainter painter(&writer);
    paper.paint(painter, QRectF(0, 0, writer.width(), writer.height()));
    painter.end();
    return buffer.data();
}

QByteArray png(const Paper& paper)
{
    const QSizeF size = paper.size();
    const double scale =
        std::min({2.0, largestSide / std::max(size.width(), size.height()), std::sqrt(largestArea / (size.width() * size.height()))});
    QImage image;
    if (scale >= leastScale)
        image = QImage((size * scale).toSize(), QImage::Format_ARGB32_Premultiplied);
    if (image.isNull())
        throw Error("The picture is too large to be made of pixels: write it as SVG or PDF.");
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    paper.paint(painter, image.rect());
    painter.end();
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return buffer.data();
}

}  // namespace

QSizeF Paper::size() const
{
    const QRectF all = m_scene.sceneRect();
    const double width = std::max(all.width(), leastWidth);
    return {width + 2 * paperMargin, all.height() + m_legend.heightForWidth(static_cast<int>(width)) + 2 * paperMargin};
}

void Paper::paint(QPainter& painter, const QRectF& area) const
{
    const QSizeF all = size();
    const QRectF picture = m_scene.sceneRect();
    painter.save();
    painter.fillRect(area, m_background);
    painter.translate(area.topLeft());
    painter.scale(area.width() / all.width(), area.height() / all.height());
    m_scene.render(&painter, QRectF((all.width() - picture.width()) / 2, paperMargin, picture.width(), picture.height()), picture);
    painter.translate(paperMargin, paperMargin + picture.height());
    m_legend.paintOn(painter, static_cast<int>(all.width() - 2 * paperMargin));
    painter.restore();
}

void exportPicture(const Paper& paper, const QString& title, const QString& path)
{
    const bool isSvg = path.endsWith(QStringLiteral(".svg"), Qt::CaseInsensitive), isPdf = path.endsWith(QStringLiteral(".pdf"), Qt::CaseInsensitive);
    const QByteArray data = isSvg ? svg(paper, title) : isPdf ? pdf(paper, title) : png(paper);
    QSaveFile file(path);
    if (data.isEmpty() || !file.open(QIODevice::WriteOnly) || file.write(data) != data.size() || !file.commit())
        throw Error(path.toStdString() + " cannot be written: " + file.errorString().toStdString() + ".");
}

QString svgOf(const Paper& paper)
{
    const QString text = QString::fromUtf8(svg(paper, {}));
    return text.mid(text.indexOf(QStringLiteral("<svg")));
}

void printPicture(const Paper& paper, QPrinter& printer)
{
    constexpr double leastOnOnePage = 0.6;  // smaller letters are hard to read: then it goes on to further pages
    printer.setResolution(unitsPerInch);
    QPainter painter(&printer);
    const QRectF page = painter.viewport();
    const QSizeF size = paper.size();
    const double byWidth = std::min(1.0, page.width() / size.width()), whole = std::min(byWidth, page.height() / size.height());
    const double scale = whole >= leastOnOnePage ? whole : byWidth;
    const QSizeF printed = size * scale;
    const int pages = whole >= leastOnOnePage ? 1 : std::max(1, static_cast<int>(std::ceil(printed.height() / page.height())));
    for (int number = 0; number < pages; ++number) {
        if (number > 0)
            printer.newPage();
        painter.save();
        painter.setClipRect(page);
        paper.paint(painter, QRectF(QPointF(page.center().x() - printed.width() / 2, page.top() - number * page.height()), printed));
        painter.restore();
    }
}

}  // namespace cleave::views
