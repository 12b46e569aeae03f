#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>

#include "core/analysis/shape_text.h"
#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/memory_bound.h"
#include "core/base/pages.h"
#include "core/base/parallel.h"
#include "core/base/sort_keys.h"
#include "core/base/stopwatch.h"
#include "core/run/batch.h"
#include "core/run/file_rows.h"
#include "core/run/ordered_graph.h"

/// Edges grouped by the nodes that they lead into, and structure put into their order.
namespace cleave {

namespace {

// The same where the array lies in a file that memory does not hold: many edges at a time, in the order of the array.
template <class Work>
void forEachFromFile(std::span<const std::int64_t> edges, Work work)
{
    constexpr int placeBits = 19;
    constexpr std::size_t atOnce = std::size_t{1} << placeBits, look = 1 << 10;
    const int threads = at::get_num_threads();
    std::vector<std::vector<std::uint64_t>> orders(static_cast<std::size_t>(threads)), rooms(orders.size());
    parallelFor(static_cast<std::int64_t>((edges.size() + atOnce - 1) / atOnce), threads, [&](std::int64_t part, int thread) {
        auto& order = orders[static_cast<std::size_t>(thread)];
        order.clear();
        const std::size_t first = static_cast<std::size_t>(part) * atOnce;
        for (std::size_t i = first; i < std::min(edges.size(), first + atOnce); ++i)
            order.push_back(static_cast<std::uint64_t>(edges[i]) << placeBits | (i - first));
        sortKeys(order, rooms[static_cast<std::size_t>(thread)], placeBits);
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (i % look == 0)
                stayWithinBound();
            work(static_cast<std::int64_t>(first + order[i] % atOnce), static_cast<std::int64_t>(order[i] / atOnce));
        }
    });
}

// Calls work(i, edges[i]) on all threads; the entries of a flat array at the edges are asked for ahead.
template <class T, class Work>
void forEachInOrder(std::span<const std::int64_t> edges, const at::Tensor& flat, Work work)
{
    constexpr std::int64_t ahead = 16;
    const auto* array = static_cast<const T*>(flat.data_ptr());
    if (liesInFile(flat)) {
        forEachFromFile(edges, work);
        return;
    }
    constexpr std::int64_t piece = 1 << 15;
    const auto count = static_cast<std::int64_t>(edges.size());
    parallelFor((count + piece - 1) / piece, at::get_num_threads(), [&](std::int64_t part, int) {
        const std::int64_t first = part * piece, last = std::min(count, first + piece);
        for (std::int64_t i = first; i < last; ++i) {
            if (i + ahead < last)
                __builtin_prefetch(array + edges[static_cast<std::size_t>(i + ahead)]);
            work(i, edges[static_cast<std::size_t>(i)]);
        }
    });
}

// Rows of as many bytes as T has.
template <class T>
void copyInOrder(std::span<const std::int64_t> edges, const at::Tensor& flat, const at::Tensor& ordered)
{
    const auto* in = static_cast<const T*>(flat.data_ptr());
    auto* out = static_cast<T*>(ordered.data_ptr());
    forEachInOrder<T>(edges, flat, [=](std::int64_t i, std::int64_t edge) { out[i] = in[edge]; });
}

// Rows of structure in the order of edges.
at::Tensor inOrder(const at::Tensor& structure, int rowDim, std::span<const std::int64_t> edges)
{
    if (rowDim == 0 && structure.is_contiguous() && structure.numel() > 0 && liesInFile(structure)) {
        std::vector<std::int64_t> sizes = structure.sizes().vec();
        const std::size_t width = structure.nbytes() / static_cast<std::size_t>(sizes.front());
        sizes.front() = static_cast<std::int64_t>(edges.size());
        at::Tensor ordered = at::empty(sizes, structure.options());
        const auto* in = static_cast<const std::byte*>(structure.data_ptr());
        auto* out = static_cast<std::byte*>(ordered.data_ptr());
        forEachFromFile(edges, [=](std::int64_t i, std::int64_t edge) {
            std::memcpy(out + static_cast<std::size_t>(i) * width, in + static_cast<std::size_t>(edge) * width, width);
        });
        return ordered;
    }
    if (structure.numel() == 0 || (rowDim != 0 && structure.numel() != structure.size(rowDim)))
        return structure.index_select(rowDim, view(edges));
    // LibTorch takes its time over rows of a few numbers.
    const at::Tensor flat = structure.contiguous();
    std::vector<std::int64_t> sizes = structure.sizes().vec();
    const std::size_t width = structure.nbytes() / static_cast<std::size_t>(structure.size(rowDim));
    sizes[static_cast<std::size_t>(rowDim)] = static_cast<std::int64_t>(edges.size());
    at::Tensor ordered = at::empty(sizes, structure.options());
    if (width == sizeof(std::int32_t))
        copyInOrder<std::int32_t>(edges, flat, ordered);
    else if (width == sizeof(std::int64_t))
        copyInOrder<std::int64_t>(edges, flat, ordered);
    else
        return structure.index_select(rowDim, view(edges));
    return ordered;
}

std::uint32_t* asWords(const at::Tensor& tensor)
{
    return static_cast<std::uint32_t*>(tensor.data_ptr());
}

}  // namespace

// By the places of the nodes that edges lead into; each node has one.
void OrderedGraph::groupEdges(Traversal& traversal, ValueId segment, std::span<const EdgeWords> columns, const Progress& progress) const
{
    progress.check();
    at::Tensor by = structure(segment).reshape({-1}).to(at::kLong).contiguous();
    const std::int64_t nodes = numNodes(traversal.nodeType);
    if (traversal.place.defined()) {
        if (by.numel() > 0 && (by.min().item<std::int64_t>() < 0 || by.max().item<std::int64_t>() >= nodes))
            groupBySegment(numbersOf(by), nodes, at::get_num_threads());  // says which edge leads to no node
        by = traversal.place.index_select(0, by);
    }
    traversal.edges[segment] = columns.empty() ? groupBySegment(numbersOf(by), nodes, at::get_num_threads())
                                               : groupColumns(numbersOf(by), nodes, columns, at::get_num_threads());
}

// With their ids, whoever reads them.
void OrderedGraph::groupWithIds(Traversal& traversal, ValueId segment, const Progress& progress)
{
    if (const auto known = traversal.edges.find(segment); known != traversal.edges.end() && known->second.hasIds())
        return;
    if (!traversal.fromAll.contains(segment)) {
        groupEdges(traversal, segment, std::span<const EdgeWords>{}, progress);
        return;
    }
    Traversal& all = ofAllNodes(traversal);
    groupWithIds(all, segment, progress);
    traversal.edges[segment] = edgesInto(all.edges.at(segment), numbersOf(traversal.ofAll), at::get_num_threads());
}

// By which edges are grouped for functions that go through nodes so.
std::set<ValueId> OrderedGraph::segmentsOf(const Traversal& traversal) const
{
    std::set<ValueId> segments;
    for (const CutFunction& function : m_cut.functions)
        if (!isLeftOut(function) && &of(function, traversal.nodeType) == &traversal)
            for (const ValueId segment : function.segmentsInto(traversal.nodeType))
                segments.insert(segment);
    return segments;
}

// By which they are grouped for those that go through some of its nodes.
std::set<ValueId> OrderedGraph::segmentsTakenFrom(const Traversal& traversal)
{
    std::set<ValueId> segments;
    for (const Traversal& some : m_traversals)
        if (&ofAllNodes(some) == &traversal)
            segments.insert(some.fromAll.begin(), some.fromAll.end());
    return segments;
}

Retained OrderedGraph::group(const std::vector<FunctionReads>& reads, const Progress& progress)
{
    for (std::size_t f = 0; f < reads.size(); ++f)
        expectStructure(m_cut.functions[f], reads[f].inputs);
    Retained kept = retained(reads);
    groupEdges(kept, progress);
    return kept;
}

void OrderedGraph::groupAllEdges(const Progress& progress)
{
    for (const CutFunction& function : m_cut.functions)
        if (!isLeftOut(function))
            groupAllEdges(function, progress);
}

void OrderedGraph::groupAllEdges(const CutFunction& function, const Progress& progress)
{
    for (int type = 0; type < m_a.types(); ++type)
        for (const ValueId segment : function.segmentsInto(type))
            groupWithIds(changed(function, type), segment, progress);
}

// Calls visit(in, segment) for what batches slice by edges into targets: structure, or an index that is read as 32 bits.
template <class Visit>
void OrderedGraph::forEachOrdered(const CutFunction& function, const std::vector<FunctionInput>& inputs, Visit visit)
{
    for (const FunctionInput& in : inputs)
        for (const std::optional<StepOperand>& operand : {in.operand, in.sourcesOf})
            if (operand && operand->kind == OperandKind::Slice && isIntoTargets(function, operand->frame))
                visit(in, function.frames[static_cast<std::size_t>(operand->frame)].index);
}

// Says what will be put into the order of edges, so that it goes along as these are grouped.
void OrderedGraph::expectStructure(const CutFunction& function, const std::vector<FunctionInput>& inputs)
{
    Traversal& its = changed(function, function.nodeType);
    forEachOrdered(function, inputs, [&](const FunctionInput& in, ValueId segment) {
        const auto expect = [&](Traversal& traversal) {
            if (in.operand)
                traversal.rowDims[traversal.grouped.try_emplace({in.operand->value, segment}).first->first] = in.operand->rowDim;
            else
                traversal.sources.try_emplace({in.sourcesOf->value, segment, in.sourcesOf->ofType});
        };
        expect(its);
        if (its.fromAll.contains(segment))
            expect(ofAllNodes(its));
    });
}

// What will be put into the order of a segment's edges, where it is a column or two of 32 bits: as it is read, and as it is written.
struct OrderedGraph::Columns {
    struct Made {
        at::Tensor* place;
        at::Tensor rows;
    };
    std::vector<at::Tensor> read;
    std::vector<Made> made;
    std::vector<EdgeWords> columns;
    std::unique_ptr<std::atomic<bool>> isOutside = std::make_unique<std::atomic<bool>>(false);
};

std::optional<OrderedGraph::Columns> OrderedGraph::columnsOf(Traversal& traversal, ValueId segment) const
{
    const std::int64_t edges = structure(segment).numel();
    const auto isOf = [&](const auto& ordered) { return std::get<1>(ordered.first) == segment && !ordered.second.defined(); };
    const auto productOf = [&](ValueId value) -> const EdgeProduct* {
        const auto product = m_products.find(value);
        return product == m_products.end() || m_structure.contains(value) ? nullptr : &product->second;
    };
    const auto isColumn = [&](const auto& grouped) {
        if (const EdgeProduct* product = productOf(grouped.first.first))
            return std::ranges::all_of(product->factors, [&](const EdgeProduct::Factor& f) {
                return structure(f.index).numel() >= edges && structure(f.index).numel() == structure(product->factors.front().index).numel();
            });
        const at::Tensor& whole = structure(grouped.first.first);
        return whole.element_size() == sizeof(std::uint32_t) && whole.numel() == whole.size(traversal.rowDims.at(grouped.first)) &&
               whole.numel() >= edges;
    };
    std::size_t count = 0;
    for (const auto& sources : traversal.sources)
        if (isOf(sources)) {
            ++count;
            if (structure(std::get<0>(sources.first)).numel() < edges)
                return {};
        }
    for (const auto& grouped : traversal.grouped)
        if (isOf(grouped)) {
            ++count;
            if (!isColumn(grouped))
                return {};
        }
    if (count == 0 || count > columnsAtOnce)
        return {};
    Columns found;
    for (auto& sources : traversal.sources)
        if (isOf(sources)) {
            const auto& [value, of, type] = sources.first;
            found.read.push_back(structure(value).reshape({-1}).to(at::kLong).contiguous());
            found.made.push_back({&sources.second, at::empty({edges}, at::kInt)});
            EdgeWords& column = found.columns.emplace_back();
            column.nodes = numbersOf(found.read.back());
            column.numNodes = numNodes(type);
            column.out = asWords(found.made.back().rows);
        }
    for (auto& grouped : traversal.grouped)
        if (const EdgeProduct* product = isOf(grouped) ? productOf(grouped.first.first) : nullptr) {
            const auto rowDim = static_cast<std::size_t>(traversal.rowDims.at(grouped.first));
            std::vector<std::int64_t> sizes(m_a.program[grouped.first.first].sizes.size(), 1);
            sizes[rowDim] = edges;
            found.made.push_back({&grouped.second, at::empty(sizes, at::kFloat)});
            EdgeWords& column = found.columns.emplace_back();
            for (std::size_t i = 0; i < product->factors.size(); ++i) {
                const at::Tensor numbers = found.read.emplace_back(structure(product->factors[i].numbers).contiguous());
                const at::Tensor index = found.read.emplace_back(structure(product->factors[i].index).contiguous());
                column.factors[i] = {{numbers.data_ptr<float>(), static_cast<std::size_t>(numbers.numel())}, numbersOf(index)};
            }
            column.isOutside = found.isOutside.get();
            column.out = asWords(found.made.back().rows);
        } else if (isOf(grouped)) {
            const at::Tensor& whole = structure(grouped.first.first);
            std::vector<std::int64_t> sizes = whole.sizes().vec();
            sizes[static_cast<std::size_t>(traversal.rowDims.at(grouped.first))] = edges;
            found.read.push_back(whole.contiguous());
            found.made.push_back({&grouped.second, at::empty(sizes, whole.options())});
            EdgeWords& column = found.columns.emplace_back();
            column.words = {asWords(found.read.back()), static_cast<std::size_t>(whole.numel())};
            column.out = asWords(found.made.back().rows);
        }
    return found;
}

// Edges that are not grouped yet. What will be put into their order goes along, where nothing else reads their ids.
void OrderedGraph::groupEdges(const Retained& kept, const Progress& progress)
{
    const Stopwatch watch;
    for (Traversal& traversal : m_traversals) {
        std::set<ValueId> segments = segmentsOf(traversal);
        segments.merge(segmentsTakenFrom(traversal));
        for (const ValueId segment : segments) {
            const bool idsAreRead = kept.edgeIds.contains(segment);
            const auto known = traversal.edges.find(segment);
            if (traversal.fromAll.contains(segment) || (known != traversal.edges.end() && (known->second.hasIds() || !idsAreRead)))
                continue;
            const bool isNew = known == traversal.edges.end();
            std::optional<Columns> columns = isNew && !idsAreRead ? columnsOf(traversal, segment) : std::nullopt;
            groupEdges(traversal, segment, columns ? std::span<const EdgeWords>(columns->columns) : std::span<const EdgeWords>(), progress);
            if (columns && *columns->isOutside)
                groupEdges(traversal, segment, std::span<const EdgeWords>(), progress);  // what computes them says what is wrong
            else if (columns)
                for (const Columns::Made& made : columns->made)
                    *made.place = made.rows;
        }
    }
    for (Traversal& traversal : m_traversals)
        takeFromAll(traversal);
    for (Traversal& traversal : m_traversals)
        dropUnread(traversal);
    std::set<ValueId> others = kept.structure;
    for (Traversal& traversal : m_traversals)
        for (auto& [key, rows] : traversal.grouped) {
            if (!rows.defined() && traversal.ofAll.defined())
                rows = productOfSome(traversal, key);
            if (!rows.defined())
                others.insert(key.first);
        }
    computeProducts(others, progress);
    m_prologueSeconds += watch.seconds();
}

// A product at the edges into some nodes, where these are known by their ids; undefined if it is none, is there already, or names no node somewhere.
at::Tensor OrderedGraph::productOfSome(const Traversal& traversal, const std::pair<ValueId, ValueId>& key) const
{
    const auto product = m_products.find(key.first);
    const auto edges = traversal.edges.find(key.second);
    if (product == m_products.end() || m_structure.contains(key.first) || edges == traversal.edges.end() || !edges->second.hasIds())
        return {};
    at::Tensor rows;
    const at::Tensor ids = view(edges->second.edges);
    for (const EdgeProduct::Factor& factor : product->second.factors) {
        const at::Tensor index = structure(factor.index).reshape({-1});
        if (ids.numel() > 0 && ids.max().item<std::int64_t>() >= index.numel())
            return {};
        const at::Tensor nodes = index.index_select(0, ids), numbers = structure(factor.numbers).reshape({-1});
        if (nodes.numel() > 0 && (nodes.min().item<std::int64_t>() < 0 || nodes.max().item<std::int64_t>() >= numbers.numel()))
            return {};
        const at::Tensor taken = numbers.index_select(0, nodes);
        rows = rows.defined() ? rows.mul(taken) : taken;
    }
    std::vector<std::int64_t> sizes(m_a.program[key.first].sizes.size(), 1);
    sizes[at(traversal.rowDims.at(key))] = rows.numel();
    return rows.view(sizes);
}

// Edges into some nodes from those into all, with what went along.
void OrderedGraph::takeFromAll(Traversal& traversal)
{
    const int threads = at::get_num_threads();
    for (const ValueId segment : traversal.fromAll) {
        if (traversal.edges.contains(segment))
            continue;
        const Traversal& all = ofAllNodes(traversal);
        const EdgesBySegment& edges = all.edges.at(segment);
        const std::span places = numbersOf(traversal.ofAll);
        const EdgesBySegment& chosen = traversal.edges[segment] = edgesInto(edges, places, threads);
        const auto take = [&](const at::Tensor& from, at::Tensor& to, int rowDim) {
            if (to.defined() || !from.defined())
                return;
            std::vector<std::int64_t> sizes = from.sizes().vec();
            sizes[at(rowDim)] = chosen.begin.back();
            to = at::empty(sizes, from.options());
            copyInto(edges, places, chosen, asWords(from), asWords(to), threads);  // columns alone went along
        };
        for (auto& [key, rows] : traversal.sources)
            if (std::get<1>(key) == segment)
                take(all.sources.at(key), rows, 0);
        for (auto& [key, rows] : traversal.grouped)
            if (key.second == segment)
                take(all.grouped.at(key), rows, traversal.rowDims.at(key));
    }
}

// What was there to be taken from alone.
void OrderedGraph::dropUnread(Traversal& traversal)
{
    const std::set<ValueId> read = segmentsOf(traversal);
    const auto isUnread = [&](const auto& ordered) { return !read.contains(std::get<1>(ordered.first)); };
    std::erase_if(traversal.edges, [&](const auto& edges) { return !read.contains(edges.first); });
    std::erase_if(traversal.sources, isUnread);
    std::erase_if(traversal.grouped, isUnread);
}

// Structure that batches slice by edges is put into their order once.
void OrderedGraph::groupStructure(const CutFunction& function, const std::vector<FunctionInput>& inputs)
{
    Traversal& traversal = changed(function, function.nodeType);
    const auto edgesInto = [&](ValueId segment) -> std::span<const std::int64_t> {
        const EdgesBySegment& edges = traversal.edges.at(segment);
        groupWithIds(traversal, segment, {});  // if they were grouped for others
        return {edges.edges.data(), static_cast<std::size_t>(edges.count(0, traversal.count))};
    };
    // What a program computes may have another number of entries than its exporter took for granted.
    const auto requireEdges = [&](ValueId value, std::int64_t entries, ValueId segment) {
        if (const std::int64_t edges = structure(segment).numel(); entries < edges)
            throw Error("'" + printable(m_a.program[value].name) + "' has " + formatCount(entries) + " entries, but edges are reduced at the " +
                        formatCount(edges) + " of '" + printable(m_a.program[segment].name) + "'.");
    };
    forEachOrdered(function, inputs, [&](const FunctionInput& in, ValueId segment) {
        if (in.operand) {
            at::Tensor& grouped = traversal.grouped[{in.operand->value, segment}];
            if (!grouped.defined()) {
                requireEdges(in.operand->value, structure(in.operand->value).size(in.operand->rowDim), segment);
                grouped = inOrder(structure(in.operand->value), in.operand->rowDim, edgesInto(segment));
            }
            return;
        }
        at::Tensor& sources = traversal.sources[{in.sourcesOf->value, segment, in.sourcesOf->ofType}];
        if (!sources.defined()) {
            requireEdges(in.sourcesOf->value, structure(in.sourcesOf->value).numel(), segment);
            sources = toSources(structure(in.sourcesOf->value).to(at::kLong), edgesInto(segment), numNodes(in.sourcesOf->ofType));
        }
    });
}

// What batches still read when it lies in the order of the edges: structure values, and segments whose edges they know by their ids.
Retained OrderedGraph::retained(const std::vector<FunctionReads>& reads) const
{
    Retained all{{m_a.program.outputs.begin(), m_a.program.outputs.end()}, {}};
    auto& [read, idsRead] = all;
    for (std::size_t f = 0; f < reads.size(); ++f) {
        const CutFunction& function = m_cut.functions[f];
        for (const RowTotal& term : function.total)
            read.insert(term.value);
        const bool onlyGrouped = !reads[f].isNumbered && std::ranges::all_of(function.frames, [&](const Frame& frame) {
            return frame.kind == FrameKind::Targets || isIntoTargets(function, static_cast<int>(&frame - function.frames.data()));
        });
        if (!onlyGrouped) {
            for (const Frame& frame : function.frames) {
                read.insert(frame.index);
                idsRead.insert(frame.index);
                for (const auto* terms : {&frame.before, &frame.own})
                    for (const RowTotal& term : *terms)
                        read.insert(term.value);
            }
            for (const StepOperand& neighbour : function.neighbours)
                read.insert(neighbour.value);
        }
        // Counting the rows of blocks asks for the neighbours, grouped or not.
        for (const StepOperand& neighbour : function.neighbours)
            if (neighbour.value.valid() && !isIntoTargets(function, neighbour.frame)) {
                read.insert(neighbour.value);
            } else if (neighbour.value.valid()) {
                const ValueId segment = function.frames[static_cast<std::size_t>(neighbour.frame)].index;
                const Traversal& traversal = of(function);
                if (!traversal.sources.contains({neighbour.value, segment, neighbour.ofType}) &&
                    !traversal.grouped.contains({neighbour.value, segment})) {
                    read.insert(neighbour.value);
                    idsRead.insert(segment);
                }
            }
        for (const FunctionInput& in : reads[f].inputs)
            for (const std::optional<StepOperand>& operand : {in.operand, in.sourcesOf})
                if (operand && !(operand->kind == OperandKind::Slice && isIntoTargets(function, operand->frame))) {
                    read.insert(operand->value);
                    if (operand->kind != OperandKind::Whole && operand->kind != OperandKind::StoredWhole)
                        idsRead.insert(function.frames[static_cast<std::size_t>(operand->frame)].index);
                }
    }
    return all;
}

void OrderedGraph::release(const Retained& retained)
{
    std::erase_if(m_structure, [&](const auto& known) { return !retained.structure.contains(known.first); });
    for (Traversal& traversal : m_traversals)
        for (auto& [segment, edges] : traversal.edges)
            if (!retained.edgeIds.contains(segment))
                edges.edges = PageVector<std::int64_t>();  // {} would keep the memory
}

at::Tensor toSources(const at::Tensor& index, std::span<const std::int64_t> edges, std::int64_t nodes)
{
    at::Tensor sources = at::empty({static_cast<std::int64_t>(edges.size())}, at::kInt);
    const at::Tensor flat = index.contiguous();
    const auto* in = flat.data_ptr<std::int64_t>();
    auto* out = sources.data_ptr<std::int32_t>();
    forEachInOrder<std::int64_t>(edges, flat, [=](std::int64_t i, std::int64_t edge) {
        const std::int64_t node = in[edge] < 0 ? in[edge] + nodes : in[edge];
        out[i] = node >= 0 && node < nodes ? static_cast<std::int32_t>(node) : -1;
    });
    return sources;
}

}  // namespace cleave
