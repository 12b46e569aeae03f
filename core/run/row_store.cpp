#include "core/run/row_store.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "core/base/memory_bound.h"
#include "core/base/pages.h"
#include "core/run/allocator.h"
#include "core/run/batch.h"
#include "core/run/file_rows.h"
#include "core/run/ordered_graph.h"
#include "core/run/store_folder.h"

namespace cleave {

void RowStore::narrow()
{
    for (const CutFunction& function : m_cut.functions)
        for (const ValueId value : function.saves)
            if (m_a.values[value].rows == Rows::Nodes && m_a.program[value].dtype == DType::Float32 &&
                std::ranges::count(m_a.program.outputs, value) == 0)
                m_narrow.insert(value);
}

at::Tensor RowStore::asRead(ValueId value, const at::Tensor& rows) const
{
    return m_narrow.contains(value) ? rows.to(at::kFloat) : rows;
}

bool RowStore::takeFinished(const CutFunction& function)
{
    if (!m_folder || !m_folder->isFinished(m_graph.indexOf(function)))
        return false;
    for (const ValueId id : function.saves) {
        const at::Tensor rows = m_folder->load(m_a.program[id].name);
        // Its manifest is a file like others, and may have been written by anybody.
        const ValueFacts& facts = m_a.values[id];
        const bool hasRows = facts.rows != Rows::Graph;
        if (hasRows &&
            (rows.dim() != std::ssize(m_a.program[id].sizes) || rows.size(facts.rowDim) != facts.outer * facts.inner * m_graph.rowsOf(function, id)))
            m_folder->throwChanged(m_a.program[id].name);
        m_tensors[id] = rows;
    }
    return true;
}

void RowStore::finish(const CutFunction& function)
{
    if (m_folder)
        m_folder->finish(m_graph.indexOf(function));
}

void RowStore::save(ValueId value, const at::Tensor& made, const Batch& batch)
{
    const CutFunction& function = *batch.function;
    const ValueFacts& facts = m_a.values[value];
    const bool isFirst = batch.first == 0;  // the others run side by side: they change nothing but rows
    const at::Tensor rows = m_narrow.contains(value) ? made.to(at::kBFloat16) : made;
    if (facts.rows == Rows::Graph) {
        if (isFirst)
            m_tensors[value] = m_folder ? room(value, rows.sizes().vec(), rows, function).copy_(rows) : rows;
        return;
    }
    const std::int64_t entries = facts.outer * facts.inner, total = m_graph.rowsOf(function, value);
    const int targets = facts.rows == Rows::Nodes && function.isOfLevel() ? function.targetsOf(facts.nodeType) : 0;
    const at::Tensor& ids = batch.ids[static_cast<std::size_t>(targets)];
    const auto& [first, last] = batch.range(targets);
    const bool mayStay = !pagesAreBound() || (function.isGlobal && rows.is_contiguous() && liesInFile(rows));
    if (isFirst && rows.size(facts.rowDim) == total * entries && !ids.defined() && mayStay && !m_folder) {
        m_tensors[value] = rows;
        return;
    }
    if (isFirst) {
        std::vector<std::int64_t> sizes = rows.sizes().vec();
        sizes[static_cast<std::size_t>(facts.rowDim)] = total * entries;
        m_tensors[value] = room(value, sizes, rows, function);
    }
    const at::Tensor& store = m_tensors.at(value);
    if (function.isGlobal) {
        store.copy_(rows);
        return;
    }
    if (facts.rowDim == 0 && entries == 1) {
        if (ids.defined())
            writeRows(store, ids, rows);
        else
            writeRows(store, first, rows);
        return;
    }
    at::Tensor whole = entriesApart(store, facts);
    if (ids.defined())
        whole.index_copy_(facts.rowDim + 1, ids, entriesApart(rows, facts));
    else
        whole.narrow(facts.rowDim + 1, first, last - first).copy_(entriesApart(rows, facts));
}

at::Tensor RowStore::room(ValueId value, const std::vector<std::int64_t>& sizes, const at::Tensor& rows, const CutFunction& function) const
{
    const MemoryAnywhere lasting;
    if (m_folder)
        return m_folder->create(m_a.program[value].name, sizes, rows.scalar_type());
    const ValueFacts& facts = m_a.values[value];
    if (const std::int64_t count = function.isOfLevel() ? m_graph.of(function, facts.nodeType).count : -1;
        count >= 0 && count < m_graph.numNodes(facts.nodeType))
        return emptyScattered(sizes, rows.options(), count, facts.rowDim);
    if (const at::Tensor elsewhere = m_place ? m_place(value, function, sizes, rows.scalar_type()) : at::Tensor(); elsewhere.defined())
        return elsewhere;
    return at::empty(sizes, rows.options());
}

at::Tensor entriesApart(const at::Tensor& tensor, const ValueFacts& facts)
{
    std::vector<std::int64_t> sizes = tensor.sizes().vec();
    const auto row = sizes.begin() + facts.rowDim;
    const std::int64_t rows = *row / (facts.outer * facts.inner);
    *row = facts.inner;
    sizes.insert(sizes.begin() + facts.rowDim, {facts.outer, rows});
    return tensor.reshape(sizes);
}

at::Tensor targetRows(const at::Tensor& tensor, const ValueFacts& facts, const at::Tensor& nodes)
{
    return entriesApart(tensor, facts).index_select(facts.rowDim + 1, nodes).flatten(facts.rowDim, facts.rowDim + 2);
}

}  // namespace cleave
