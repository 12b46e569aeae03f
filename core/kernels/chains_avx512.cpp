#define CLEAVE_ISA avx512
#include "core/kernels/chains_impl.h"
