#pragma once

#include <QSpinBox>
#include <optional>

namespace cleave::views {

/// Megabytes, that may be written with other units: "2G", "1.5 GB", "2Gi", "500 MB", as --memory takes them.
class MemoryBox : public QSpinBox {
    Q_OBJECT

public:
    using QSpinBox::QSpinBox;

protected:
    QValidator::State validate(QString& text, int& position) const override;
    int valueFromText(const QString& text) const override;
    void fixup(QString& text) const override;

private:
    bool beginsSpecialText(const QString& text) const;
    std::optional<double> bytesIn(QString text) const;  ///< nothing where it is no size
};

/// Batch sizes: a step doubles or halves, and from none on to what is usual.
class BatchSizeBox : public QSpinBox {
    Q_OBJECT

public:
    using QSpinBox::QSpinBox;

    void stepBy(int steps) override;
};

/// From now on the wheel turns what a field says only where the field has the focus: otherwise it scrolls what the field is in, as the pointer
/// passes.
void leaveWheelToScrolling(QWidget& field);

}  // namespace cleave::views
