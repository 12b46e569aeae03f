#define CLEAVE_ISA avx2
#include "core/kernels/attention_impl.h"
