#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace cleave {

/// Keeps this process's resident memory within so many bytes above what it is when the object is made, as long as the object is there. Pages
/// (pages.h) beyond a part of the bound lie in files of the folder, which have no name and so leave nothing behind; pages of files are
/// let go when the bound comes near. One at a time. Error if the folder takes no files.
class MemoryBound {
public:
    MemoryBound(std::size_t bytes, const std::filesystem::path& folder);
    ~MemoryBound();
    MemoryBound(const MemoryBound&) = delete;
    MemoryBound& operator=(const MemoryBound&) = delete;

    std::size_t bytes() const;
    std::size_t peakBytes() const;  ///< the most resident memory above what it was at first, as the operating system counts

    /// Error unless so much is left of the bound, after what is resident now: measured, before the work begins.
    /// advice: what else can be done, as the end of the sentence.
    void require(std::size_t bytes, const std::string& what, const std::string& advice = {}) const;

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

/// Lets pages of files go at once if the bound is near, where a lot of them is about to be touched; without a bound nothing.
void stayWithinBound();

/// Whether so much of files may be in memory at once, beside everything else.
bool fitsWithinBound(std::size_t bytes);

/// Error unless so much is left of the bound, if there is one, beside what must be in memory now: for libraries that take memory of their own.
/// advice: what else can be done, as the end of the sentence.
void requireWithinBound(std::size_t bytes, const std::string& what, const std::string& advice);

/// Resident memory of this process (VmRSS), in bytes.
std::size_t residentBytes();

/// While one is alive, arrays may take most of the bound, and pages of files get less of it.
class MemoryForArrays {
public:
    explicit MemoryForArrays(bool librariesAreReady);  ///< those that are called have been, and so have taken what they take for themselves
    ~MemoryForArrays();
    MemoryForArrays(const MemoryForArrays&) = delete;
    MemoryForArrays& operator=(const MemoryForArrays&) = delete;
};

/// While one is alive, this thread asks for memory that must not lie in files: what does not fit into the bound throws std::bad_alloc,
/// and ranShort() tells it from other failures.
class MemoryInCore {
public:
    explicit MemoryInCore(bool leavesRoom = false);  ///< leavesRoom: others that must not lie in files come beside it
    ~MemoryInCore();
    MemoryInCore(const MemoryInCore&) = delete;
    MemoryInCore& operator=(const MemoryInCore&) = delete;

    bool ranShort() const;

private:
    int m_before;
};

/// While one is alive, a MemoryInCore that leaves room for others takes it: for what is freed before they come.
class MemoryBeforeOthers {
public:
    MemoryBeforeOthers();
    ~MemoryBeforeOthers();
    MemoryBeforeOthers(const MemoryBeforeOthers&) = delete;
    MemoryBeforeOthers& operator=(const MemoryBeforeOthers&) = delete;

private:
    int m_before;
};

/// What a MemoryInCore of the thread that makes it says, for work that other threads do for it.
class MemoryOfCaller {
public:
    MemoryOfCaller();
    ~MemoryOfCaller();  ///< on the same thread, whose MemoryInCore knows then whether one of the others ran short
    MemoryOfCaller(const MemoryOfCaller&) = delete;
    MemoryOfCaller& operator=(const MemoryOfCaller&) = delete;

    /// Where a thread asks for memory, while one is alive.
    class Here {
    public:
        explicit Here(MemoryOfCaller& caller);
        ~Here();
        Here(const Here&) = delete;
        Here& operator=(const Here&) = delete;

    private:
        MemoryOfCaller& m_caller;
        int m_before;
        bool m_wasShort;
    };

private:
    int m_place;
    std::atomic<bool> m_isShort = false;
};

/// Bytes that a MemoryInCore which leaves room may still ask for; without a bound, more than there can be.
std::size_t roomInCore();

/// Memory that lasts: it may lie in files, whatever is said around it.
class MemoryAnywhere {
public:
    MemoryAnywhere();
    ~MemoryAnywhere();
    MemoryAnywhere(const MemoryAnywhere&) = delete;
    MemoryAnywhere& operator=(const MemoryAnywhere&) = delete;

private:
    int m_before;
};

}  // namespace cleave
