#pragma once

#include <QAbstractTableModel>
#include <QTreeView>
#include <memory>
#include <vector>

#include "core/run/model.h"

namespace cleave::views {

/// Operators of a model that were found: their names, what they compute, the sizes of their results, and their modules.
class FoundModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column : std::uint8_t { Name, Operator, Sizes, Module, columns };

    using QAbstractTableModel::QAbstractTableModel;

    void set(std::shared_ptr<const Model> model, std::vector<OpId> found);
    const std::shared_ptr<const Model>& model() const { return m_model; }
    const std::vector<OpId>& found() const { return m_found; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    std::shared_ptr<const Model> m_model;
    std::vector<OpId> m_found;
};

/// A list of them, as high as it needs to be up to some rows. The keyboard stays with whom it belongs to.
class FoundList : public QTreeView {
    Q_OBJECT

public:
    explicit FoundList(QWidget* parent);

    void set(std::shared_ptr<const Model> model, std::vector<OpId> found);  ///< of one or none there is no list
    const std::shared_ptr<const Model>& of() const { return m_model.model(); }
    const std::vector<OpId>& found() const { return m_model.found(); }
    void setCurrent(std::size_t row);

    QSize sizeHint() const override;

Q_SIGNALS:
    void chosen(std::size_t row);  ///< by a click

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitColumns();

    FoundModel m_model;
};

}  // namespace cleave::views
