#include "core/kernels/primitives.h"

namespace cleave {

namespace plain {
template <class T>
const Primitives<T>& table();
}

#if defined(CLEAVE_X86_KERNELS)
namespace avx2 {
template <class T>
const Primitives<T>& table();
}
namespace avx512 {
template <class T>
const Primitives<T>& table();
}
#endif

Isa bestIsa()
{
#if defined(CLEAVE_X86_KERNELS)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
        return Isa::Avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return Isa::Avx2;
#endif
    return Isa::Plain;
}

const char* isaName(Isa isa)
{
    return isa == Isa::Avx512 ? "AVX-512" : isa == Isa::Avx2 ? "AVX2" : "no vector extensions";
}

template <class T>
const Primitives<T>& primitives([[maybe_unused]] Isa isa)
{
#if defined(CLEAVE_X86_KERNELS)
    if (isa == Isa::Avx512)
        return avx512::table<T>();
    if (isa == Isa::Avx2)
        return avx2::table<T>();
#endif
    return plain::table<T>();
}

template const Primitives<float>& primitives<float>(Isa);
template const Primitives<double>& primitives<double>(Isa);

}  // namespace cleave
