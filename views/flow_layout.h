#pragma once

#include <QLayout>
#include <QList>

namespace cleave::views {

/// Widgets side by side, in as many rows as they need: no wider than the widest of them has to be.
class FlowLayout : public QLayout {
public:
    using QLayout::QLayout;
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override { m_items.append(item); }
    int count() const override { return static_cast<int>(m_items.size()); }
    QLayoutItem* itemAt(int index) const override { return m_items.value(index); }
    QLayoutItem* takeAt(int index) override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override { return lay(QRect(0, 0, width, 0), false); }
    void setGeometry(const QRect& rect) override;
    QSize sizeHint() const override;  ///< in one row
    QSize minimumSize() const override;

private:
    int lay(const QRect& rect, bool places) const;  // the height

    QList<QLayoutItem*> m_items;
};

}  // namespace cleave::views
