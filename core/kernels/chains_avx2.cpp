#define CLEAVE_ISA avx2
#include "core/kernels/chains_impl.h"
