#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CachingHostAllocator.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/Exception.h>
#include <cuda_runtime_api.h>
#include <torch/version.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/memory.h"
#include "core/kernels/device/edge_kernels.h"
#include "core/kernels/device/edge_plan.h"
#include "core/run/device.h"
#include "core/run/edge_op.h"
#include "core/run/open_device.h"
#include "core/run/tensors.h"

/// A GPU by LibTorch's streams and allocators, with Cleave's own kernels. Compiled where LibTorch has CUDA and there is nvcc.
namespace cleave {

namespace {

// Ops that would add in any order take the way that gives the same bytes in each run, where they have one, and say nothing where they have none.
class SameEachTime {
public:
    SameEachTime()
        : m_is(at::globalContext().deterministicAlgorithms()),
          m_warnsOnly(at::globalContext().deterministicAlgorithmsWarnOnly()),
          m_fills(at::globalContext().deterministicFillUninitializedMemory()),
          m_quiet(&m_silence)
    {
        at::globalContext().setDeterministicAlgorithms(true, true);
        at::globalContext().setDeterministicFillUninitializedMemory(false);
    }

    ~SameEachTime()
    {
        at::globalContext().setDeterministicAlgorithms(m_is, m_warnsOnly);
        at::globalContext().setDeterministicFillUninitializedMemory(m_fills);
    }

    SameEachTime(const SameEachTime&) = delete;
    SameEachTime& operator=(const SameEachTime&) = delete;

private:
    struct Silence : c10::WarningHandler {
        void process(const c10::Warning&) override {}
    };

    bool m_is, m_warnsOnly, m_fills;
    Silence m_silence;
    c10::WarningUtils::WarningHandlerGuard m_quiet;
};

// A block's edges, on the device.
struct EdgesThere {
    EdgesThere(const at::Tensor& begin, const EdgeBlock& block, const at::Device& place)
    {
        const device::LongSegments found = device::findLongSegments(block, at::get_num_threads());
        const std::int64_t pieceBytes = bytesOf(found.pieces), segmentBytes = bytesOf(found.segments),
                           beginBytes = static_cast<std::int64_t>(begin.nbytes());
        // From memory that LibTorch keeps until the copy is done.
        const at::Tensor host = at::empty({beginBytes + pieceBytes + segmentBytes}, at::TensorOptions(at::kByte).pinned_memory(true));
        host.narrow(0, 0, beginBytes).view(at::kLong).copy_(begin);
        auto* const bytes = static_cast<std::byte*>(host.data_ptr());
        std::ranges::copy(std::as_bytes(std::span(found.pieces)), bytes + beginBytes);
        std::ranges::copy(std::as_bytes(std::span(found.segments)), bytes + beginBytes + pieceBytes);
        memory = host.to(place, true);
        const auto* const there = static_cast<const std::byte*>(memory.data_ptr());
        segments.begin = reinterpret_cast<const std::int64_t*>(there);
        segments.origin = block.begin[0];
        segments.targets = block.targets;
        segments.edges = block.edges();
        segments.pieces = reinterpret_cast<const device::LongPiece*>(there + beginBytes);
        segments.pieceCount = static_cast<std::int64_t>(found.pieces.size());
        segments.longSegments = reinterpret_cast<const device::LongSegment*>(there + beginBytes + pieceBytes);
        segments.longCount = static_cast<std::int64_t>(found.segments.size());
    }

    at::Tensor memory;
    device::Segments segments;

private:
    template <class T>
    static std::int64_t bytesOf(const std::vector<T>& entries)
    {
        return static_cast<std::int64_t>(entries.size() * sizeof(T));
    }
};

// Those of the work that is being handed over: edge programs of a batch mostly have the same.
class BlocksThere {
public:
    BlocksThere() : m_outer(std::exchange(s_current, this)) {}
    ~BlocksThere() { s_current = m_outer; }
    BlocksThere(const BlocksThere&) = delete;
    BlocksThere& operator=(const BlocksThere&) = delete;

    static std::shared_ptr<const EdgesThere> of(const at::Tensor& begin, const EdgeBlock& block, const at::Device& place)
    {
        if (!s_current)
            return std::make_shared<const EdgesThere>(begin, block, place);
        for (const auto& [known, there] : s_current->m_blocks)
            if (known.data_ptr() == begin.data_ptr() && known.numel() == begin.numel())
                return there;
        return s_current->m_blocks.emplace_back(begin, std::make_shared<const EdgesThere>(begin, block, place)).second;
    }

private:
    static thread_local BlocksThere* s_current;

    BlocksThere* m_outer;
    std::vector<std::pair<at::Tensor, std::shared_ptr<const EdgesThere>>> m_blocks;  // with where edges begin, so that no other memory lies there
};

thread_local BlocksThere* BlocksThere::s_current = nullptr;

class CudaDevice : public Device {
public:
    explicit CudaDevice(int number)
        : m_place(c10::kCUDA, static_cast<c10::DeviceIndex>(number)),
          m_streams{stream(), stream(), stream()}
    {
    }

    std::string name() const override
    {
        return "cuda:" + std::to_string(m_place.index()) + " (" + at::cuda::getDeviceProperties(m_place.index())->name + ")";
    }

    c10::Device place() const override { return m_place; }

    // What LibTorch keeps for later counts as free.
    std::size_t freeBytes() const override
    {
        const c10::cuda::CUDAGuard guard(m_place.index());
        std::size_t free = 0, all = 0;
        C10_CUDA_CHECK(cudaMemGetInfo(&free, &all));
        const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(m_place.index());
        return free + static_cast<std::size_t>(stats.reserved_bytes[0].current - stats.allocated_bytes[0].current);
    }

    // Memory like any other where no more can be pinned: copies wait for it then.
    at::Tensor hostMemory(c10::IntArrayRef sizes, c10::ScalarType type) const override
    {
        constexpr std::uint64_t shareOfMachine = 4;  // LibTorch pins a power of two and keeps it
        const auto bytes = static_cast<std::uint64_t>(c10::multiply_integers(sizes)) * c10::elementSize(type);
        if (std::bit_ceil(bytes) <= physicalMemory() / shareOfMachine)
            try {
                return at::empty(sizes, at::TensorOptions(type).pinned_memory(true));
            } catch (const std::exception& problem) {
                if (!isOutOfMemory(problem))
                    throw;
            }
        return at::empty(sizes, type);
    }

    bool canGather(const at::Tensor& whole) const override { return whole.is_pinned() && whole.is_contiguous(); }
    void gather(const at::Tensor& there, const at::Tensor& whole, const at::Tensor& index) const override
    {
        const std::int64_t rowBytes = whole.numel() / std::max<std::int64_t>(whole.size(0), 1) * static_cast<std::int64_t>(whole.element_size());
        if (there.numel() > 0)
            device::gatherRows(there.data_ptr(), whole.data_ptr(), rowBytes, rowBytes, index.data_ptr<std::int32_t>(), index.numel(),
                               c10::cuda::getCurrentCUDAStream(m_place.index()).stream());
    }

    void run(Lane lane, std::function<void()> work) override
    {
        const c10::cuda::CUDAStreamGuard guard(of(lane));
        if (lane != Lane::Compute) {
            work();
            return;
        }
        const SameEachTime same;
        const BlocksThere blocks;
        work();
    }

    EventPointer record(Lane lane) override
    {
        auto event = std::make_shared<Reached>();
        event->event.record(of(lane));
        return event;
    }

    void wait(Lane lane, const EventPointer& event) override { static_cast<Reached&>(*event).event.block(of(lane)); }
    void finish(const EventPointer& event) override { static_cast<Reached&>(*event).event.synchronize(); }
    void beginPeak() override
    {
        c10::cuda::CUDACachingAllocator::resetPeakStats(m_place.index());
        m_before = c10::cuda::CUDACachingAllocator::getDeviceStats(m_place.index()).allocated_bytes[0].current;
    }
    std::size_t peakBytes() const override
    {
        return static_cast<std::size_t>(
            std::max<std::int64_t>(c10::cuda::CUDACachingAllocator::getDeviceStats(m_place.index()).allocated_bytes[0].peak - m_before, 0));
    }
    bool isOutOfMemory(const std::exception& problem) const override
    {
        // The second where cuBLAS finds none for itself, since LibTorch has it all.
        return std::strstr(problem.what(), "out of memory") != nullptr || std::strstr(problem.what(), "CUBLAS_STATUS_ALLOC_FAILED") != nullptr;
    }

    void giveBack() override
    {
        c10::cuda::CUDACachingAllocator::emptyCache();
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 9
        at::getHostAllocator(at::kCUDA)->empty_cache();
#else
        at::cuda::CachingHostAllocator_emptyCache();
#endif
    }

private:
    struct Reached : Event {
        at::cuda::CUDAEvent event;
    };

    c10::cuda::CUDAStream stream() const { return c10::cuda::getStreamFromPool(false, m_place.index()); }
    const c10::cuda::CUDAStream& of(Lane lane) const { return m_streams[static_cast<std::size_t>(lane)]; }

    c10::Device m_place;
    std::array<c10::cuda::CUDAStream, lanes> m_streams;
    std::int64_t m_before = 0;
};

template <class T>
void runSteps(const device::EdgePlan& plan, std::vector<device::EdgeView> views, const device::Segments& segments,
              const std::vector<at::Tensor>& outputs, const at::Tensor& scratch)
{
    T* place = scratch.data_ptr<T>();
    for (std::size_t i = 0; i < plan.scratchWidths.size(); ++i) {
        views[static_cast<std::size_t>(plan.viewOfScratch[i])].rows = place;
        place += plan.scratchWidths[i] * segments.edges;
    }
    for (const auto& [view, result] : plan.viewOfResult)
        views[static_cast<std::size_t>(view)].rows = outputs[static_cast<std::size_t>(result)].data_ptr();
    const device::Stream stream = c10::cuda::getCurrentCUDAStream(scratch.device().index()).stream();
    for (const device::EdgeStep& step : plan.steps) {
        T* rows = step.result >= 0 ? outputs[static_cast<std::size_t>(step.result)].data_ptr<T>()
                                   : static_cast<T*>(const_cast<void*>(views[static_cast<std::size_t>(step.view)].rows));
        device::runEdgeStep<T>(step, views.data(), static_cast<int>(views.size()), segments, rows, place, stream);
    }
}

std::vector<at::Tensor> runOnGpu(const EdgeOp& op, const at::Tensor& begin, const std::vector<at::Tensor>& operands,
                                 const std::vector<at::Tensor>& sources)
{
    const auto plan = device::planEdges(op.program, op.dtype == DType::Float64 ? DType::Float64 : DType::Float32);
    TORCH_CHECK(plan.has_value(), "an edge program has too many operands for a kernel");
    const at::Tensor begins = begin.contiguous();
    const EdgeBlock block{begins.data_ptr<std::int64_t>(), begins.numel() - 1};
    const at::Device place = operands.front().device();
    const std::shared_ptr<const EdgesThere> there = BlocksThere::of(begins, block, place);
    const device::Segments& edges = there->segments;

    std::vector<device::EdgeView> views = plan->views;
    std::vector<at::Tensor> rows;
    std::size_t source = 0;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        rows.push_back(operandRows(op, i, operands[i]));
        views[i].rows = rows.back().data_ptr();
        views[i].type = dtypeOf(rows.back().scalar_type());
        views[i].stride = rows.back().stride(0);
        edgeArray(rows.back(), op.program.operands[i], nullptr, block);  // has as many rows as edges or targets
        if (op.program.operands[i].row == EdgeRow::Source) {
            const at::Tensor& index = sources.at(source++);
            TORCH_CHECK(index.numel() >= edges.edges, "an index of an edge program has ", index.numel(), " entries instead of ", edges.edges);
            views[i].sources = index.data_ptr<std::int32_t>();
        }
    }
    const at::ScalarType type = op.dtype == DType::Float64 ? at::kDouble : at::kFloat;
    std::vector<at::Tensor> outputs;
    for (std::size_t r = 0; r < op.program.results.size(); ++r) {
        std::vector<std::int64_t> sizes{op.program.results[r].reduced ? edges.targets : edges.edges};
        sizes.insert(sizes.end(), op.sizes[r].begin(), op.sizes[r].end());
        outputs.push_back(at::empty(sizes, at::TensorOptions(type).device(place)));
    }
    const at::Tensor scratch =
        at::empty({std::max<std::int64_t>(plan->scratch(edges.edges, edges.pieceCount), 1)}, at::TensorOptions(type).device(place));
    if (type == at::kDouble)
        runSteps<double>(*plan, std::move(views), edges, outputs, scratch);
    else
        runSteps<float>(*plan, std::move(views), edges, outputs, scratch);
    return outputs;
}

std::terminate_handler otherwise = nullptr;

// After a failed kernel CUDA answers every call with an error, also those that LibTorch makes where nothing may be thrown: the process ends. What it
// says then is what happened.
[[noreturn]] void endWithReason()
{
    if (const std::exception_ptr problem = std::current_exception())
        try {
            std::rethrow_exception(problem);
        } catch (const c10::Error& error) {
            const std::string what = error.what_without_backtrace();
            if (const std::string line = what.substr(0, what.find('\n')); line.find("CUDA error") != std::string::npos) {
                std::fprintf(stderr, "The GPU stopped (%s). Where an index that the model computes may be out of range, the CPU says which.\n",
                             line.c_str());
                std::_Exit(1);
            }
        } catch (...) {
            // Somebody else's.
        }
    if (otherwise)
        otherwise();
    std::abort();
}

}  // namespace

bool hasCuda(int number)
{
    return number < at::cuda::device_count();
}

DeviceOrReason openCuda(int number)
{
    if (!at::cuda::is_available())
        return {nullptr, "CUDA finds no GPU"};
    if (!hasCuda(number))
        return {nullptr, "there are " + std::to_string(at::cuda::device_count()) + " GPUs, counted from 0"};
    // The same each time: what LibTorch keeps for a stream serves that stream alone.
    static std::map<int, std::shared_ptr<Device>> devices;
    std::shared_ptr<Device>& device = devices[number];
    if (!device) {
        static const bool isSetUp = [] {
            runEdgesElsewhereBy(runOnGpu);
            at::globalContext().setAllowTF32CuDNN(false);  // convolutions and recurrent layers of float32 are that
            otherwise = std::set_terminate(endWithReason);
            return true;
        }();
        static_cast<void>(isSetUp);
        // LibTorch sets up its allocators, and what products need, before anybody asks how much memory there is.
        auto made = std::make_shared<CudaDevice>(number);
        made->run(Device::Lane::Compute, [&] {
            const at::Tensor one = at::ones({1, 1}, at::TensorOptions(made->place()));
            at::mm(one, one);
        });
        made->finish(made->record(Device::Lane::Compute));
        device = std::move(made);
    }
    return {device, {}};
}

}  // namespace cleave
