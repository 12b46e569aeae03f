#define CLEAVE_ISA plain
#include "core/kernels/chains_impl.h"
