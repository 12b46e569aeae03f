#pragma once

#include <cstddef>
#include <memory>

namespace cleave {

/// The most memory for arrays (pages.h) that the thread which makes the object asks for and has not freed, at one time, during the object's life: in
/// bytes as they are asked for, wherever they lie. Threads at work for it count as well: those that say so (Worker, parallelFor), and those that say
/// nothing.
class PeakMemory {
public:
    PeakMemory();
    ~PeakMemory();
    PeakMemory(const PeakMemory&) = delete;
    PeakMemory& operator=(const PeakMemory&) = delete;

    double bytes() const;
    double lap();  ///< as bytes(), since the last lap; what was there then counts

    class Worker;

    /// What a thread works for.
    class Work {
    public:
        static Work ofThisThread();
        static Work ofItsOwn();  ///< that no thread has worked for

    private:
        friend class Worker;
        std::size_t m_number = 0;
    };

    /// Lets the calling thread work for what another does, while it lives.
    class Worker {
    public:
        explicit Worker(Work work);
        ~Worker();
        Worker(const Worker&) = delete;
        Worker& operator=(const Worker&) = delete;

    private:
        std::size_t m_before;
    };

private:
    friend void countMemory(const void*, std::size_t);
    friend void forgetMemory(const void*);

    struct Impl;
    std::unique_ptr<Impl> m;
    std::size_t m_before;  // what the thread worked for
};

/// For those who get memory otherwise than by allocatePages: that so many bytes are used at this address, and that they no longer are.
void countMemory(const void* memory, std::size_t bytes);
void forgetMemory(const void* memory);

}  // namespace cleave
