#pragma once

#include <QAbstractItemModel>
#include <QStringList>
#include <vector>

namespace cleave::views {

/// A name and what it is; tooltip is shown over both.
struct Property {
    QString name;
    QString value;
    QString tooltip;
    QStringList choices = {};  ///< that the value is one of, if a person may choose
    int subject = 0;           ///< what is chosen, told with the choice
};

struct PropertySection {
    QString title;
    std::vector<Property> properties;
};

/// Sections of properties as a tree of two columns.
class PropertyModel : public QAbstractItemModel {
    Q_OBJECT

public:
    using QAbstractItemModel::QAbstractItemModel;

    void setSections(std::vector<PropertySection> sections);

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

    static constexpr int choicesRole = Qt::UserRole;

Q_SIGNALS:
    void chosen(const QString& name, int choice, int subject);  ///< of that property; whoever listens sets the sections anew

private:
    const Property* property(const QModelIndex& index) const;  ///< null for sections

    std::vector<PropertySection> m_sections;
};

}  // namespace cleave::views
