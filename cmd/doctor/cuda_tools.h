/*
 * Which of NVIDIA's tools are on this machine: Nsight Compute, the sanitizer,
 * a disassembler. Each is looked for as scorer/device/program.h says, and asked
 * for its version; that one runs is not promised.
 */
#ifndef CMD_DOCTOR_CUDA_TOOLS_H
#define CMD_DOCTOR_CUDA_TOOLS_H

#include "core/base/buf.h"

/* "ncu 2025.3.1, cuobjdump 13.0" into one, "compute-sanitizer" into the
 * other: names joined by commas, nothing where there are none. */
void cuda_tools(struct buf *have, struct buf *lack);

#endif
