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

#include "core/base/error.h"

namespace cleave::views {

namespace {

constexpr double largestSide = 16000;      // pixels; larger pictures are scaled down
constexpr double largestPage = 14400;      // points: PDF readers open no larger ones
constexpr double pointsPerUnit = 0.75;

QByteArray svg(QGraphicsScene& scene, const QColor& background, const QString& title)
{
    const QRectF all = scene.sceneRect();
    QBuffer buffer;
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setResolution(static_cast<int>(72 / pointsPerUnit));  // so that points of type have the size that the boxes were made for
    generator.setTitle(title);
    generator.setSize(all.size().toSize());
    generator.setViewBox(QRectF(QPointF(), all.size()));
    QPainter painter(&generator);
    painter.fillRect(QRectF(QPointF(), all.size()), background);
    scene.render(&painter, QRectF(QPointF(), all.size()), all);
    painter.end();
    return buffer.data();
}

QByteArray pdf(QGraphicsScene& scene, const QColor& background, const QString& title)
{
    const QRectF all = scene.sceneRect();
    const double scale = std::min(pointsPerUnit, largestPage / std::max(all.width(), all.height()));
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setTitle(title);
    writer.setPageSize(QPageSize(all.size() * scale, QPageSize::Point));
    writer.setPageMargins({});
    QPainter painter(&writer);
    painter.fillRect(QRectF(0, 0, writer.width(), writer.height()), background);
    scene.render(&painter, QRectF(0, 0, writer.width(), writer.height()), all);
    painter.end();
    return buffer.data();
}

QByteArray png(QGraphicsScene& scene, const QColor& background)
{
    const QRectF all = scene.sceneRect();
    const double scale = std::min(2.0, largestSide / std::max(all.width(), all.height()));
    QImage image((all.size() * scale).toSize(), QImage::Format_ARGB32_Premultiplied);
    if (image.isNull())
        throw Error("The picture is too large to be made of pixels: write it as SVG or PDF.");
    image.fill(background);
    QPainter painter(&image);
    scene.render(&painter, image.rect(), all);
    painter.end();
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return buffer.data();
}

}  // namespace

void exportPicture(QGraphicsScene& scene, const QColor& background, const QString& title, const QString& path)
{
    const bool isSvg = path.endsWith(QStringLiteral(".svg"), Qt::CaseInsensitive), isPdf = path.endsWith(QStringLiteral(".pdf"), Qt::CaseInsensitive);
    const QByteArray data = isSvg ? svg(scene, background, title) : isPdf ? pdf(scene, background, title) : png(scene, background);
    QSaveFile file(path);
    if (data.isEmpty() || !file.open(QIODevice::WriteOnly) || file.write(data) != data.size() || !file.commit())
        throw Error("The picture cannot be written to " + path.toStdString() + ": choose another folder.");
}

QString svgOf(QGraphicsScene& scene, const QColor& background)
{
    const QString text = QString::fromUtf8(svg(scene, background, {}));
    return text.mid(text.indexOf(QStringLiteral("<svg")));
}

void printPicture(QGraphicsScene& scene, const QColor& background, QPrinter& printer)
{
    QPainter painter(&printer);
    painter.fillRect(painter.viewport(), background);
    scene.render(&painter, {}, scene.sceneRect(), Qt::KeepAspectRatio);
}

}  // namespace cleave::views
