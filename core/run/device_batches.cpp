#include "core/run/device_batches.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <bit>
#include <exception>
#include <map>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/stopwatch.h"

namespace cleave {

namespace {

using Lane = Device::Lane;
using Input = DeviceWork::Input;

// Host memory that stays while the device copies, and is used again for the next batch of its slot.
class Staging {
public:
    at::Tensor room(Device& device, std::size_t place, c10::IntArrayRef sizes, c10::ScalarType type)
    {
        std::int64_t count = 1;
        for (const std::int64_t size : sizes)
            count *= size;
        at::Tensor& memory = m_memory[{place, type}];
        if (!memory.defined() || memory.numel() < count)
            memory = device.hostMemory({static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(count)))}, type);
        return memory.narrow(0, 0, count).view(sizes);
    }

private:
    std::map<std::pair<std::size_t, c10::ScalarType>, at::Tensor> m_memory;
};

// A batch on its way.
struct Slot {
    std::int64_t first = 0, last = 0;
    DeviceBatch batch;
    std::vector<at::Tensor> from;          // of the host, by input; numbers of rows where the device gathers these
    std::vector<bool> isGathered;          // by input: by the device
    std::vector<c10::IValue> onDevice, results;
    std::vector<at::Tensor> rows;          // of the host, by result
    Device::EventPointer done;
    Staging in, out;
};

class Batches {
public:
    Batches(Device& device, const DeviceWork& work) : m_device(device), m_work(work), m_fixed(work.inputs.size()) {}

    DeviceRun run(std::int64_t first, std::int64_t last, std::int64_t batchSize, const Progress& progress)
    {
        constexpr std::int64_t tried = 4096;
        bool isTrial = batchSize == 0;
        m_run.batchSize = isTrial ? std::clamp<std::int64_t>(last - first, 1, tried) : batchSize;
        std::int64_t next = first;
        m_saved = first;
        if (isTrial)
            m_device.beginPeak();
        while (m_saved < last) {
            try {
                if (isTrial && m_saved > first) {
                    chooseSize(m_saved - first, last - m_saved);
                    isTrial = false;
                } else if (next < last && m_onTheirWay < (isTrial ? 1 : slots)) {
                    progress.check();
                    const std::int64_t end = std::min(last, next + m_run.batchSize);
                    begin(next, end);
                    next = end;
                } else {
                    save();
                }
            } catch (const std::exception& problem) {
                leaveAll();
                if (!m_device.isOutOfMemory(problem))
                    throw;
                halve();
                if (isTrial)
                    m_device.beginPeak();
                next = m_saved;
            }
        }
        m_run.fixed = m_fixed;
        return m_run;
    }

    ~Batches() { leaveAll(); }
    Batches(const Batches&) = delete;
    Batches& operator=(const Batches&) = delete;

private:
    static constexpr std::size_t slots = 3;  // one that comes, one that is computed, one that goes

    // After a batch of so many rows ran alone.
    void chooseSize(std::int64_t rows, std::int64_t left)
    {
        constexpr double share = 0.8, mostStaged = 1 << 25;  // bytes: memory that copies can be made of takes its time to make
        constexpr std::int64_t batches = 8;
        double taken = static_cast<double>(m_device.peakBytes());
        for (const at::Tensor& fixed : m_fixed)
            taken -= fixed.defined() ? static_cast<double>(fixed.nbytes()) : 0;
        const double fit = std::min(share * static_cast<double>(m_device.freeBytes()) / (slots * std::max(taken, static_cast<double>(rows))),
                                    mostStaged / std::max(m_staged, 1.0)) *
                           static_cast<double>(rows);
        m_run.batchSize = std::max<std::int64_t>(1, std::min((left + batches - 1) / batches, static_cast<std::int64_t>(std::min(fit, 1e15))));
    }

    void begin(std::int64_t first, std::int64_t last)
    {
        Slot& slot = m_slots[(m_oldest + m_onTheirWay) % slots];
        Stopwatch watch;
        slot.first = first;
        slot.last = last;
        slot.batch = m_work.prepare(first, last);
        slot.onDevice = slot.batch.inputs;
        slot.from.assign(slot.onDevice.size(), {});
        slot.isGathered.assign(slot.onDevice.size(), false);
        for (std::size_t i = 0; i < slot.onDevice.size(); ++i)
            if (slot.onDevice[i].isTensor() && m_work.inputs[i] != Input::OnHost)
                slot.from[i] = staged(slot, i);
        m_run.prepareSeconds += watch.lap();
        ++m_onTheirWay;
        m_device.run(Lane::In, [this, &slot] { copyIn(slot); });
        m_device.wait(Lane::Compute, m_device.record(Lane::In));
        m_device.run(Lane::Compute, [this, &slot] { compute(slot); });
        m_device.wait(Lane::Out, m_device.record(Lane::Compute));
        m_device.run(Lane::Out, [this, &slot] { copyOut(slot); });
        slot.done = m_device.record(Lane::Out);
    }

    // Where copies can be made of while the host goes on.
    at::Tensor staged(Slot& slot, std::size_t input) const
    {
        if (const auto part = slot.batch.rows.find(input); part != slot.batch.rows.end()) {
            const auto& [whole, index] = part->second;
            if (m_work.gathersThere && m_device.canGather(whole)) {
                slot.isGathered[input] = true;
                at::Tensor numbers = slot.in.room(m_device, input, index.sizes(), at::kInt);
                return numbers.copy_(index);
            }
            std::vector<std::int64_t> sizes = whole.sizes().vec();
            sizes.front() = index.numel();
            at::Tensor room = slot.in.room(m_device, input, sizes, whole.scalar_type());
            return at::index_select_out(room, whole, 0, index);
        }
        const at::Tensor rows = slot.onDevice[input].toTensor();
        if (m_work.inputs[input] == Input::Fixed)
            return rows;
        at::Tensor room = slot.in.room(m_device, input, rows.sizes(), rows.scalar_type());
        return room.copy_(rows);
    }

    void copyIn(Slot& slot)
    {
        for (std::size_t i = 0; i < slot.onDevice.size(); ++i) {
            if (!slot.from[i].defined())
                continue;
            if (slot.isGathered[i]) {
                slot.onDevice[i] = gathered(slot.batch.rows.at(i).whole, slot.from[i]);
                continue;
            }
            const bool isFixed = m_work.inputs[i] == Input::Fixed;
            if (!isFixed || !m_fixed[i].defined()) {
                at::Tensor there = at::empty(slot.from[i].sizes(), slot.from[i].options().device(m_device.place()));
                there.copy_(slot.from[i], true);
                m_run.bytesIn += static_cast<double>(there.nbytes());
                slot.onDevice[i] = there;
                if (isFixed)
                    m_fixed[i] = there;
            } else {
                slot.onDevice[i] = m_fixed[i];
            }
        }
    }

    at::Tensor gathered(const at::Tensor& whole, const at::Tensor& numbers)
    {
        const at::Tensor index = numbers.to(m_device.place(), true);
        std::vector<std::int64_t> sizes = whole.sizes().vec();
        sizes.front() = index.numel();
        at::Tensor there = at::empty(sizes, whole.options().device(m_device.place()).pinned_memory(false));
        m_device.gather(there, whole, index);
        m_run.bytesIn += static_cast<double>(index.nbytes() + there.nbytes());
        return there;
    }

    void compute(Slot& slot)
    {
        for (const auto& [input, make] : slot.batch.there)
            slot.onDevice[input] = make();
        // A copy: what is let go here, before the device has read it, would make room for the next batch in the lane In.
        slot.results = m_work.compute(slot.onDevice);
        if (slot.batch.keep)
            slot.batch.keep(slot.results);
    }

    void copyOut(Slot& slot)
    {
        slot.rows.clear();
        for (std::size_t i = 0; i < slot.results.size(); ++i) {
            if (slot.results[i].isNone()) {
                slot.rows.emplace_back();
                continue;
            }
            const at::Tensor rows = slot.results[i].toTensor();
            at::Tensor room = slot.out.room(m_device, i, rows.sizes(), rows.scalar_type());
            slot.rows.push_back(room.copy_(rows, true));
            m_run.bytesOut += static_cast<double>(rows.nbytes());
        }
    }

    // The oldest batch's results.
    void save()
    {
        Slot& slot = m_slots[m_oldest];
        Stopwatch watch;
        m_device.finish(slot.done);
        m_run.waitSeconds += watch.lap();
        slot.batch.save(slot.rows);
        m_run.saveSeconds += watch.lap();
        m_staged = stagedBytes(slot);
        ++m_run.batches;
        m_saved = slot.last;
        leave(slot);
        m_oldest = (m_oldest + 1) % slots;
        --m_onTheirWay;
    }

    double stagedBytes(const Slot& slot) const
    {
        double bytes = 0;
        for (std::size_t i = 0; i < slot.from.size(); ++i)
            bytes += slot.from[i].defined() && m_work.inputs[i] != Input::Fixed ? static_cast<double>(slot.from[i].nbytes()) : 0;
        for (const at::Tensor& rows : slot.rows)
            bytes += rows.defined() ? static_cast<double>(rows.nbytes()) : 0;
        return bytes;
    }

    static void leave(Slot& slot)
    {
        slot.batch = {};
        slot.onDevice.clear();
        slot.results.clear();
        slot.done.reset();
    }

    // Nothing that is on its way counts; nobody reads or writes a slot any more.
    void leaveAll()
    {
        for (std::size_t lane = 0; lane < Device::lanes; ++lane)
            try {
                m_device.finish(m_device.record(static_cast<Lane>(lane)));
            } catch (const std::exception&) {
                // What failed is known.
            }
        for (Slot& slot : m_slots)
            leave(slot);
        m_onTheirWay = 0;
    }

    void halve()
    {
        if (m_run.batchSize <= 1)
            throw Error("One row at a time does not fit into the memory of " + m_device.name() + ", of which " +
                        formatBytes(static_cast<double>(m_device.freeBytes())) + " are free: run the function on the CPU.");
        m_run.batchSize = (m_run.batchSize + 1) / 2;
        std::ranges::fill(m_fixed, at::Tensor());
        m_device.giveBack();
    }

    Device& m_device;
    const DeviceWork& m_work;
    std::vector<at::Tensor> m_fixed;  // inputs that are there already: of the lane In alone
    std::array<Slot, slots> m_slots;
    std::size_t m_oldest = 0, m_onTheirWay = 0;
    std::int64_t m_saved = 0;
    double m_staged = 0;  // bytes of the host that the batch which was saved last took
    DeviceRun m_run;
};

}  // namespace

DeviceRun runBatchesOn(Device& device, std::int64_t first, std::int64_t last, std::int64_t batchSize, const DeviceWork& work,
                       const Progress& progress)
{
    return Batches(device, work).run(first, last, batchSize, progress);
}

}  // namespace cleave
