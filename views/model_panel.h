#pragma once

#include <QWidget>

#include "views/document.h"

class QComboBox;
class QDoubleSpinBox;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace cleave::views {

class DegreeChart;
class PropertyView;

/// Model, inputs, clean-up and graph, and below them how to run: batch size, node order and tolerance.
class ModelPanel : public QWidget {
    Q_OBJECT

public:
    explicit ModelPanel(Document& document, QWidget* parent = nullptr);

private:
    void showDocument();
    void showOptions();
    QString fittingArray(const QString& input, int choice) const;
    void applyTolerance();

    Document& m_document;
    PropertyView* m_properties;
    DegreeChart* m_degrees;
    QSpinBox* m_batchSize;
    QComboBox* m_order;
    QSpinBox* m_memory;
    QLineEdit* m_absolute;
    QLineEdit* m_relative;
    QPushButton* m_run;
    QPushButton* m_verify;
};

}  // namespace cleave::views
