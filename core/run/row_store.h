#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "core/analysis/analysis.h"
#include "core/plan/cut.h"

/// Private to core/run.
namespace cleave {

struct Batch;
class OrderedGraph;
class StoreFolder;

using Tensors = std::map<ValueId, at::Tensor>;

/// What a layer-wise run keeps between functions: input features and save points, a row for each node (or edge, or one for the graph), in memory, in
/// files without a name, or in those of a folder.
class RowStore {
public:
    RowStore(const Analysis& analysis, const CutProgram& cut, const OrderedGraph& graph) : m_a(analysis), m_cut(cut), m_graph(graph) {}

    bool contains(ValueId value) const { return m_tensors.contains(value); }
    const at::Tensor& at(ValueId value) const { return m_tensors.at(value); }  ///< that it contains
    void set(ValueId value, at::Tensor tensor) { m_tensors[value] = std::move(tensor); }
    void dropIf(const auto& isOver) { std::erase_if(m_tensors, isOver); }
    const Tensors& tensors() const { return m_tensors; }

    /// Save points of float32 are kept as bfloat16 from now on, but not outputs.
    void narrow();
    const std::set<ValueId>& narrowed() const { return m_narrow; }
    bool isNarrow(ValueId value) const { return m_narrow.contains(value); }
    at::Tensor asRead(ValueId value, const at::Tensor& rows) const;  ///< rows of the store as ops know them

    /// Save points become files of this folder, which must live as long; functions that are done there are taken from it.
    void keepIn(StoreFolder& folder) { m_folder = &folder; }
    bool isKept() const { return m_folder != nullptr; }
    bool takeFinished(const CutFunction& function);
    void finish(const CutFunction& function);

    /// Another place for save points that all of a graph's rows are written to; undefined: there is none for this one.
    using Place = std::function<at::Tensor(ValueId value, const CutFunction& function, const std::vector<std::int64_t>& sizes, at::ScalarType type)>;
    void setPlace(Place place) { m_place = std::move(place); }

    /// A batch's rows of a save point of its function. The first batch makes room for all.
    void save(ValueId value, const at::Tensor& made, const Batch& batch);

private:
    at::Tensor room(ValueId value, const std::vector<std::int64_t>& sizes, const at::Tensor& rows, const CutFunction& function) const;

    const Analysis& m_a;
    const CutProgram& m_cut;
    const OrderedGraph& m_graph;
    Tensors m_tensors;
    std::set<ValueId> m_narrow;
    StoreFolder* m_folder = nullptr;
    Place m_place;
};

/// The row dimension as three: outer, rows, inner.
at::Tensor entriesApart(const at::Tensor& tensor, const ValueFacts& facts);

/// The rows of some nodes, as they come.
at::Tensor targetRows(const at::Tensor& tensor, const ValueFacts& facts, const at::Tensor& nodes);

}  // namespace cleave
