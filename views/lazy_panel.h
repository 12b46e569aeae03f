#pragma once

#include <QWidget>

namespace cleave::views {

/// A panel that takes long to fill: it is filled while it is seen, or once it is again.
class LazyPanel : public QWidget {
public:
    using QWidget::QWidget;

    void setStale();  ///< what it shows has changed

protected:
    virtual void refresh() = 0;
    void showEvent(QShowEvent* event) override;

private:
    void refreshIfSeen();

    bool m_isStale = true;
};

}  // namespace cleave::views
