#include "core/kernels/attention.h"

#include <algorithm>
#include <vector>

#include "core/base/pages.h"
#include "core/base/parallel.h"

namespace cleave {

namespace plain {
template <class T>
void (*attendLoop())(const AttentionPart<T>&);
}

#if defined(CLEAVE_X86_KERNELS)
namespace avx2 {
template <class T>
void (*attendLoop())(const AttentionPart<T>&);
}
namespace avx512 {
template <class T>
void (*attendLoop())(const AttentionPart<T>&);
}
#endif

namespace {

template <class T>
auto loopFor([[maybe_unused]] Isa isa)
{
#if defined(CLEAVE_X86_KERNELS)
    if (isa == Isa::Avx512)
        return avx512::attendLoop<T>();
    if (isa == Isa::Avx2)
        return avx2::attendLoop<T>();
#endif
    return plain::attendLoop<T>();
}

}  // namespace

template <class T>
void attend(const AttentionArguments<T>& arguments, Isa isa, int threads)
{
    constexpr std::int64_t together = AttentionPart<T>::queriesTogether;
    const auto loop = loopFor<T>(isa);
    const std::int64_t perHead = (arguments.queryCount + together - 1) / together;
    std::vector<PageVector<T>> scratch(static_cast<std::size_t>(threads));
    parallelFor(arguments.heads * perHead, threads, [&](std::int64_t i, int thread) {
        PageVector<T>& own = scratch[static_cast<std::size_t>(thread)];
        own.resize(static_cast<std::size_t>(AttentionPart<T>::scratchSize(arguments)));
        const std::int64_t first = i % perHead * together;
        loop({&arguments, i / perHead, first, std::min(together, arguments.queryCount - first), own.data()});
    });
}

template void attend<float>(const AttentionArguments<float>&, Isa, int);
template void attend<double>(const AttentionArguments<double>&, Isa, int);

}  // namespace cleave
