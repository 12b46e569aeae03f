#pragma once

#include <QString>
#include <memory>
#include <string>
#include <vector>

#include "core/run/model.h"
#include "views/band_item.h"
#include "views/dag_model.h"
#include "views/inspection.h"
#include "views/property_model.h"

namespace cleave::views {

/// A graph that is looked at where there is no model: nothing of it is run, priced or moved.
class ViewedGraph {
public:
    virtual ~ViewedGraph() = default;

    const std::shared_ptr<const Model>& drawn() const { return m_drawn; }  ///< as something that can be drawn

    virtual void describe(DagModel& dag) const = 0;  ///< what boxes and bands say instead of operators, shapes and message degrees
    virtual BandItem::Texts bandTexts(const DagBand& band) const = 0;
    virtual Inspection inspect(const DagBox& box) const = 0;
    virtual std::vector<PropertySection> sections(const QString& path) const = 0;
    virtual std::string dot() const = 0;         ///< in Graphviz's language
    virtual int stages() const { return 0; }     ///< the last one's number, which boxes are coloured by; 0: they are not
    virtual OpId looksAt() const { return {}; }  ///< that is selected at first; invalid: none

protected:
    explicit ViewedGraph(std::shared_ptr<const Model> drawn) : m_drawn(std::move(drawn)) {}

private:
    std::shared_ptr<const Model> m_drawn;
};

}  // namespace cleave::views
