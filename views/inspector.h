#pragma once

#include <QWidget>

#include "views/inspection.h"

class QLabel;

namespace cleave::views {

class PropertyView;

/// Shows what is known of the selected box.
class Inspector : public QWidget {
    Q_OBJECT

public:
    explicit Inspector(QWidget* parent = nullptr);

    void show(const Inspection& inspection);
    void showNothing();

    QString title() const;

protected:
    void changeEvent(QEvent* event) override;

private:
    void enlargeTitle();

    QLabel* m_title;
    QLabel* m_kind;
    PropertyView* m_properties;
};

}  // namespace cleave::views
