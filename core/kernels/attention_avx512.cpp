#define CLEAVE_ISA avx512
#include "core/kernels/attention_impl.h"
