#pragma once

#include "core/model/program.h"
#include "views/viewed_graph.h"

namespace cleave::views {

/// The program of a model file as it was read, where the model was refused: its ops, and the one that the refusal is about.
class ReadProgram : public ViewedGraph {
public:
    /// refusal: a sentence of core, in which ops are called "op 'mul_2'".
    ReadProgram(Program program, const QString& refusal);

    void describe(DagModel& dag) const override;
    BandItem::Texts bandTexts(const DagBand& band) const override;
    Inspection inspect(const DagBox& box) const override;
    std::vector<PropertySection> sections(const QString& path) const override;
    std::string dot() const override;
    OpId looksAt() const override { return m_refused; }

private:
    OpId m_refused;  // invalid: the refusal names none
};

}  // namespace cleave::views
