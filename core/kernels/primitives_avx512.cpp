#define CLEAVE_ISA avx512
#include "core/kernels/primitives_impl.h"
