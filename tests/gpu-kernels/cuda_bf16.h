#include "tests/gpu-kernels/on_cpu.h"
