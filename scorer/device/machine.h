/*
 * This machine: its kind (in the identity of a measurement), facts for the
 * record, and its state now. Measurements of two kinds are not compared. A kind
 * is a hash of the CPU's model and architecture, the number of CPUs that this
 * process may use, and the compiler; machine_add_gpu adds the GPU.
 */
#ifndef SCORER_DEVICE_MACHINE_H
#define SCORER_DEVICE_MACHINE_H

#include "core/score/measurement.h"

/* machine_release disposes. */
struct machine {
	char kind[IDENTITY_HEX_LEN + 1]; /* from model, core count, compiler */
	char *name;			 /* "AMD EPYC 9555, 2 cpus" */
	struct setting *fact;		 /* cpu, cpus, kernel, governor, ... */
	size_t n_facts;
};

/* ---- its kind ------------------------------------------------------------ */

/* `compiler` is its version line (builder_compiler, compiler_version). What the
 * machine does not report is left out of the facts. */
struct error *machine_read(struct machine *out,
			   const char *compiler) MUST_CHECK;
/* A machine with another GPU is of another kind. So is one on which kernels
 * reach more (gpu_reach_name), because replayed and isolated launches are not
 * compared. `cuda`: what the driver supports, 13000 for 13.0. `uuid` only
 * identifies the card. */
void machine_add_gpu(struct machine *m, const char *name, const char *uuid,
		     int cuda, const char *reach);
/* Model and instruction sets of this CPU, on which -march=native depends.
 * free() disposes. */
char *machine_features(void) MUST_CHECK;
/* Adds "x86_64, avx2 fma avx512f ...; L1 32 KiB, L2 2 MiB, L3 32 MiB for 8
 * CPUs": those instruction sets that a kernel is written for, and the data
 * caches of CPU 0. What the machine does not report is left out. */
void machine_add_cpu_words(struct buf *out);

/* ---- its state now ------------------------------------------------------- */

/* CPUs that this process may use. */
unsigned machine_cpus(void);
/* How many other processes are runnable: a load that would disturb timing. */
double machine_load(void);
void machine_release(struct machine *m);

DEFINE_RELEASE(machine, struct machine, machine_release)
#define cleanup_machine CLEANUP(machine)

#endif
