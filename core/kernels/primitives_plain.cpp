#define CLEAVE_ISA plain
#include "core/kernels/primitives_impl.h"
