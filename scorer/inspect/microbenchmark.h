/*
 * A program of an agent's own, to learn what the machine does: compiled as the
 * task's code is, and run once in the sandbox on the card (CUDA) or the CPUs.
 * It is not a candidate and gets no score. The lock of what it runs on is held
 * while it runs and not while it is compiled. The caller holds that of CPUs.
 */
#ifndef SCORER_INSPECT_MICROBENCHMARK_H
#define SCORER_INSPECT_MICROBENCHMARK_H

#include "scorer/host/context.h"

/* Adds what it printed and how it ended, or what the compiler said. */
struct error *microbenchmark_run(struct program_run *out, struct scorer *s,
				 const char *source, double seconds) MUST_CHECK;

#endif
