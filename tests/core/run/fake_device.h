#pragma once

#include <ATen/ATen.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <limits>
#include <mutex>
#include <random>
#include <thread>

#include "core/run/device.h"
#include "core/run/open_device.h"

namespace cleave::test {

struct FakeOutOfMemory : std::runtime_error {
    FakeOutOfMemory() : std::runtime_error("the fake device is full") {}
};

/// A thread for each lane, which now and then lets the others go first: who does not wait for what he reads gets something else.
class FakeDevice : public Device {
public:
    explicit FakeDevice(std::size_t freeBytes = std::size_t{1} << 40) : m_freeBytes(freeBytes)
    {
        for (std::size_t lane = 0; lane < lanes; ++lane)
            m_lanes[lane].thread = std::thread([this, lane] { work(m_lanes[lane], static_cast<unsigned>(lane)); });
    }

    ~FakeDevice() override
    {
        for (Work& lane : m_lanes) {
            {
                const std::lock_guard lock(m_mutex);
                lane.ends = true;
            }
            m_changed.notify_all();
            lane.thread.join();
        }
    }

    FakeDevice(const FakeDevice&) = delete;
    FakeDevice& operator=(const FakeDevice&) = delete;

    std::string name() const override { return "fake"; }
    c10::Device place() const override { return c10::kCPU; }
    std::size_t freeBytes() const override { return m_asked++ < fullAfter ? m_freeBytes : 0; }
    at::Tensor hostMemory(c10::IntArrayRef sizes, c10::ScalarType type) const override { return at::empty(sizes, type); }

    bool canGather(const at::Tensor&) const override { return true; }
    void gather(const at::Tensor& there, const at::Tensor& whole, const at::Tensor& index) const override
    {
        ++gathers;
        at::Tensor to = there;
        at::index_select_out(to, whole, 0, index);
    }
    mutable std::atomic<int> gathers = 0;

    void run(Lane lane, std::function<void()> task) override
    {
        add(lane, [task = std::move(task), this, lane] {
            if (of(lane).failure)
                return;
            try {
                if (lane == Lane::Compute && computed++ == fullAt)
                    throw FakeOutOfMemory();
                task();
            } catch (...) {
                of(lane).failure = std::current_exception();
            }
        });
    }

    EventPointer record(Lane lane) override
    {
        auto event = std::make_shared<Reached>();
        add(lane, [event, this, lane] {
            const std::lock_guard lock(m_mutex);
            event->failure = std::exchange(of(lane).failure, nullptr);
            event->is = true;
            m_changed.notify_all();
        });
        return event;
    }

    void wait(Lane lane, const EventPointer& event) override
    {
        add(lane, [event, this, lane] {
            auto& reached = static_cast<Reached&>(*event);
            std::unique_lock lock(m_mutex);
            m_changed.wait(lock, [&] { return reached.is; });
            if (reached.failure)
                of(lane).failure = reached.failure;
        });
    }

    void finish(const EventPointer& event) override
    {
        auto& reached = static_cast<Reached&>(*event);
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [&] { return reached.is; });
        if (reached.failure)
            std::rethrow_exception(reached.failure);
    }

    std::atomic<int> computed = 0;  ///< what came to the lane Compute
    int fullAt = -1;                ///< which of these finds no memory
    int fullAfter = std::numeric_limits<int>::max();  ///< so many questions for its free memory there is none

    void beginPeak() override { peak = 0; }
    std::size_t peakBytes() const override { return peak; }
    std::atomic<std::size_t> peak = 0;  ///< for whoever computes on it to say

    bool isOutOfMemory(const std::exception& problem) const override { return dynamic_cast<const FakeOutOfMemory*>(&problem) != nullptr; }
    void giveBack() override {}

private:
    struct Reached : Event {
        bool is = false;
        std::exception_ptr failure;
    };
    struct Work {
        std::thread thread;
        std::deque<std::function<void()>> tasks;
        bool ends = false;
        std::exception_ptr failure;  // of the lane's own thread, but for events
    };

    Work& of(Lane lane) { return m_lanes[static_cast<std::size_t>(lane)]; }

    void add(Lane lane, std::function<void()> task)
    {
        {
            const std::lock_guard lock(m_mutex);
            of(lane).tasks.push_back(std::move(task));
        }
        m_changed.notify_all();
    }

    void work(Work& lane, unsigned seed)
    {
        const c10::InferenceMode asOnTheCallersThread;
        std::mt19937 random(seed);
        for (;;) {
            std::function<void()> task;
            {
                std::unique_lock lock(m_mutex);
                m_changed.wait(lock, [&] { return lane.ends || !lane.tasks.empty(); });
                if (lane.tasks.empty())
                    return;
                task = std::move(lane.tasks.front());
                lane.tasks.pop_front();
            }
            if (random() % 4 == 0)
                std::this_thread::sleep_for(std::chrono::microseconds(random() % 60));
            task();
        }
    }

    std::size_t m_freeBytes;
    mutable std::atomic<int> m_asked = 0;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    Work m_lanes[lanes];
};

}  // namespace cleave::test
