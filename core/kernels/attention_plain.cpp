#define CLEAVE_ISA plain
#include "core/kernels/attention_impl.h"
