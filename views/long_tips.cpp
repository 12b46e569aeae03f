#include "views/long_tips.h"

#include <QApplication>
#include <QHelpEvent>
#include <QToolTip>
#include <algorithm>

namespace cleave::views {

namespace {

// Qt breaks lines of rich text alone, and shows tips from many places: menus, item views and scenes have their own. So what it shows is shown again.
class LongTips : public QObject {
public:
    using QObject::QObject;

    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() != QEvent::ToolTip || m_isShown)
            return QObject::eventFilter(watched, event);
        m_isShown = true;
        QCoreApplication::sendEvent(watched, event);
        m_isShown = false;
        if (const QString text = QToolTip::text(); QToolTip::isVisible() && isLong(text))
            QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), rich(text), qobject_cast<QWidget*>(watched));
        return true;
    }

private:
    static bool isLong(const QString& text)
    {
        constexpr qsizetype longest = 90;  // letters
        const QStringList lines = text.split(u'\n');
        return !Qt::mightBeRichText(text) && std::ranges::any_of(lines, [](const QString& line) { return line.size() > longest; });
    }

    static QString rich(const QString& text)
    {
        return QStringLiteral("<qt>%1</qt>").arg(text.toHtmlEscaped().replace(u'\n', QStringLiteral("<br>")));
    }

    bool m_isShown = false;
};

}  // namespace

void breakLongTips(QObject& owner)
{
    qApp->installEventFilter(new LongTips(&owner));
}

}  // namespace cleave::views
