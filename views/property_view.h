#pragma once

#include <QTreeView>

#include "views/property_model.h"

namespace cleave::views {

/// Shows sections of properties, all open; the value of the current one can be copied.
class PropertyView : public QTreeView {
    Q_OBJECT

public:
    explicit PropertyView(QWidget* parent = nullptr);

    void setSections(std::vector<PropertySection> sections);

Q_SIGNALS:
    void chosen(const QString& name, int choice, int subject);  ///< one of a property's choices

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitColumns();
    void copyValue() const;

    PropertyModel m_model;
};

}  // namespace cleave::views
