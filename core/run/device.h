#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>

namespace cleave {

/// Something beside the processor that computes: work is handed to it and done later, in lanes that go side by side.
class Device {
public:
    enum class Lane : std::uint8_t {
        In,       ///< copies to it
        Compute,
        Out,      ///< copies from it
    };
    static constexpr std::size_t lanes = 3;

    /// A place in a lane: reached when all work before it is done.
    struct Event {
        virtual ~Event() = default;
    };
    using EventPointer = std::shared_ptr<Event>;

    virtual ~Device() = default;

    virtual std::string name() const = 0;            ///< "cuda:0 (NVIDIA H100)", as reports say it
    virtual c10::Device place() const = 0;           ///< where its tensors lie
    virtual std::size_t freeBytes() const = 0;       ///< of its memory
    /// of the host, that copies can be made of while it goes on
    virtual at::Tensor hostMemory(c10::IntArrayRef sizes, c10::ScalarType type) const = 0;

    virtual bool canGather(const at::Tensor& whole) const = 0;  ///< rows of a tensor of the host, by a kernel that reads them where they lie
    /// in the lane In; index: int32, there
    virtual void gather(const at::Tensor& there, const at::Tensor& whole, const at::Tensor& index) const = 0;

    /// Does work in a lane, after what came there before: at once, or later on another thread. What it refers to must live until an event behind it
    /// is reached.
    virtual void run(Lane lane, std::function<void()> work) = 0;
    virtual EventPointer record(Lane lane) = 0;
    virtual void wait(Lane lane, const EventPointer& event) = 0;  ///< what comes to the lane from now on is done after the event
    virtual void finish(const EventPointer& event) = 0;           ///< the caller waits. Throws what work before the event threw

    virtual void beginPeak() = 0;
    virtual std::size_t peakBytes() const = 0;  ///< most that its tensors took at once since beginPeak, beyond what they took then

    virtual bool isOutOfMemory(const std::exception& problem) const = 0;
    virtual void giveBack() = 0;  ///< memory that it keeps for later: after it ran out
};

}  // namespace cleave
