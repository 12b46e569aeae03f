// Pictures of the graph view in every theme against recorded ones, small and with tolerance: letters differ a little between versions of FreeType.
//   CLEAVE_UPDATE_GOLDEN=1 records them anew, to be looked at.
#include <QFontInfo>
#include <QGraphicsScene>
#include <QImage>
#include <QPainter>
#include <QSettings>
#include <QStandardPaths>
#include <QTest>
#include <algorithm>
#include <array>

#include "views/graph_view.h"
#include "views/language.h"
#include "views/main_window.h"
#include "views/theme.h"

namespace cleave::views {

class GoldenTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void picturesAreAsRecorded_data();
    void picturesAreAsRecorded();
    void aDifferenceIsSeen();
};

namespace {

constexpr int patience = 60'000;

struct Difference {
    double mean = 0;   // of all channels, 0 to 255
    double share = 0;  // of pixels that are far off
};

// Of blocks of a few pixels: shapes and colours, not the edges of letters.
Difference difference(const QImage& pictureA, const QImage& pictureB)
{
    const QSize blocks = pictureA.size() / 5;
    const QImage a = pictureA.scaled(blocks, Qt::IgnoreAspectRatio, Qt::SmoothTransformation),
                 b = pictureB.scaled(blocks, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    Difference d;
    for (int y = 0; y < a.height(); ++y)
        for (int x = 0; x < a.width(); ++x) {
            const QRgb p = a.pixel(x, y), q = b.pixel(x, y);
            const std::array gap{std::abs(qRed(p) - qRed(q)), std::abs(qGreen(p) - qGreen(q)), std::abs(qBlue(p) - qBlue(q))};
            d.mean += gap[0] + gap[1] + gap[2];
            d.share += std::ranges::max(gap) > 32 ? 1 : 0;
        }
    const double pixels = static_cast<double>(a.width()) * a.height();
    return {d.mean / (3 * pixels), d.share / pixels};
}

bool isSame(const Difference& d) { return d.mean < 1 && d.share < 0.002; }

// As large as the recorded ones.
QImage small(const QImage& image) { return image.convertToFormat(QImage::Format_RGB32).scaledToWidth(420, Qt::SmoothTransformation); }

// With one op moved, so that the marks of plans are there.
QImage picture(Theme theme, bool moved)
{
    applyTheme(*qobject_cast<QApplication*>(QApplication::instance()), theme);
    MainWindow window;
    window.resize(1000, 800);
    window.show();
    window.document().open(QStringLiteral(CLEAVE_EXAMPLES_DIR "/sage.pt2"));
    if (!QTest::qWaitFor([&] { return window.graphView().picture() && !window.graphView().isLayingOut() && !window.document().isBusy(); }, patience))
        return {};
    PlanEditor& editor = window.document().planEditor();
    if (const Move move = editor.space()->moveCut(editor.plan(), 1, true); moved && move.plan)
        editor.take(*move.plan, QStringLiteral("move"));
    QGraphicsScene& scene = *window.graphView().scene();
    QImage image((scene.sceneRect().size() * 2).toSize(), QImage::Format_ARGB32_Premultiplied);
    image.fill(window.palette().color(QPalette::Base));
    QPainter painter(&image);
    scene.render(&painter, image.rect(), scene.sceneRect());
    painter.end();
    editor.history().setClean();
    return small(image);
}

}  // namespace

void GoldenTest::initTestCase()
{
    qputenv("CLEAVE_LAYOUT", "/nonexistent");  // the layout that is Cleave's own: the same with every Graphviz
    QStandardPaths::setTestModeEnabled(true);
    QCoreApplication::setOrganizationName(QStringLiteral("CleaveTests"));
    QCoreApplication::setApplicationName(QStringLiteral("CleaveGolden"));
    QSettings().clear();
    applyLanguage(*QCoreApplication::instance(), QStringLiteral("en"));
    QApplication::setFont(QFont(QStringLiteral("DejaVu Sans"), 10));
    if (QFontInfo(QApplication::font()).family() != QStringLiteral("DejaVu Sans"))
        QSKIP("The recorded pictures are written in DejaVu Sans, which is not installed.");
}

void GoldenTest::picturesAreAsRecorded_data()
{
    QTest::addColumn<int>("theme");
    for (const Theme theme : {Theme::Light, Theme::Dark, Theme::HighContrast})
        QTest::newRow(qPrintable(themeName(theme))) << static_cast<int>(theme);
}

void GoldenTest::picturesAreAsRecorded()
{
    QFETCH(const int, theme);
    const QString file = QStringLiteral(CLEAVE_TEST_DIR "/views/golden/") + themeName(static_cast<Theme>(theme)) + QStringLiteral(".png");
    const QImage now = picture(static_cast<Theme>(theme), true);
    QVERIFY(!now.isNull());
    if (qEnvironmentVariableIsSet("CLEAVE_UPDATE_GOLDEN")) {
        QVERIFY(now.save(file));
        QSKIP("Recorded anew.");
    }
    const QImage recorded = QImage(file).convertToFormat(QImage::Format_RGB32);
    QVERIFY2(std::abs(now.height() - recorded.height()) <= 4,
             qPrintable(QStringLiteral("%1 and %2 pixels high").arg(now.height()).arg(recorded.height())));
    const Difference d = difference(now.scaled(recorded.size(), Qt::IgnoreAspectRatio, Qt::SmoothTransformation), recorded);
    QVERIFY2(isSame(d), qPrintable(QStringLiteral("mean difference %1, %2 of the pixels far off").arg(d.mean).arg(d.share)));
}

// The tolerance would be worth nothing if it let everything pass.
void GoldenTest::aDifferenceIsSeen()
{
    const QImage a = picture(Theme::Light, true), b = picture(Theme::Light, false);
    QVERIFY(a.size() == b.size());
    const Difference d = difference(a, b);
    QVERIFY2(!isSame(d), qPrintable(QStringLiteral("a plan that was moved looks like one that was not: %1, %2").arg(d.mean).arg(d.share)));
    QVERIFY(isSame(difference(a, picture(Theme::Light, true))));
}

}  // namespace cleave::views

QTEST_MAIN(cleave::views::GoldenTest)
#include "golden_test.moc"
