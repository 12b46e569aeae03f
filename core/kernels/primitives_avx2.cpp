#define CLEAVE_ISA avx2
#include "core/kernels/primitives_impl.h"
