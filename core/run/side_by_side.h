#pragma once

#include <memory>

namespace cleave {

/// Batches run on LibTorch's own threads from now on, if that can be.
void shareThreads();

/// How many threads LibTorch's operators take from now on that the calling thread runs.
void useTorchThreads(int threads);

/// Where other programs want the processors, idle threads sleep from now on instead of spinning, and spin again once they have them to themselves. To
/// be called before there is work for threads, and now and then while there is: it costs next to nothing.
void yieldToOthers();

/// While it lives, OpenBLAS uses one thread: its own ones would wait for a processor until OpenMP's idle ones sleep, some 10 ms, and so would who
/// calls. Of several that live at once, here and below, the last to go gives OpenBLAS its threads back.
class OneBlasThread {
public:
    OneBlasThread();
    ~OneBlasThread();
    OneBlasThread(const OneBlasThread&) = delete;
    OneBlasThread& operator=(const OneBlasThread&) = delete;

};

/// While it lives, LibTorch and its BLAS use one thread for each batch, because batches run at once.
class SideBySide {
public:
    SideBySide();
    ~SideBySide();

    /// Lets the calling thread work as the one that made the object does: inference mode, warnings, memory counted and
    /// limited.
    class Thread {
    public:
        explicit Thread(const SideBySide& side);
        ~Thread();

    private:
        struct Impl;
        std::unique_ptr<Impl> m;
    };

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

}  // namespace cleave
