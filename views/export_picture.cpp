#include "views/export_picture.h"

#include <QGraphicsScene>
#include <QImage>
#include <QPainter>
#include <QSvgGenerator>
#include <algorithm>

#include "core/base/error.h"

namespace cleave::views {

void exportPicture(QGraphicsScene& scene, const QColor& background, const QString& title, const QString& path)
{
    constexpr double largestSide = 16000;  // pixels; larger pictures are scaled down
    const QRectF all = scene.sceneRect();
    const std::string failure = "The picture cannot be written to " + path.toStdString() + ": choose another folder.";
    if (path.endsWith(QStringLiteral(".svg"), Qt::CaseInsensitive)) {
        QSvgGenerator generator;
        generator.setFileName(path);
        generator.setTitle(title);
        generator.setSize(all.size().toSize());
        generator.setViewBox(QRectF(QPointF(), all.size()));
        QPainter painter;
        if (!painter.begin(&generator))
            throw Error(failure);
        painter.fillRect(QRectF(QPointF(), all.size()), background);
        scene.render(&painter, QRectF(QPointF(), all.size()), all);
        return;
    }
    const double scale = std::min(2.0, largestSide / std::max(all.width(), all.height()));
    QImage image((all.size() * scale).toSize(), QImage::Format_ARGB32_Premultiplied);
    image.fill(background);
    QPainter painter(&image);
    scene.render(&painter, image.rect(), all);
    painter.end();
    if (!image.save(path))
        throw Error(failure);
}

}  // namespace cleave::views
