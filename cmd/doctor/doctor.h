/*
 * The parts of `avogit doctor`: rows of findings, and the code that fills them.
 */
#ifndef CMD_DOCTOR_DOCTOR_H
#define CMD_DOCTOR_DOCTOR_H

#include "cmd/ui/color.h"
#include "core/base/buf.h"
#include "core/base/error.h"

/* ---- diagnosis.c ---------------------------------------------------------
 *
 * The findings, one row each: their state, and the remedy for a fault. */

enum state { STATE_OK, STATE_WARN, STATE_MISSING };

struct diagnosis {
	struct doctor_finding {
		enum state state;
		const char *what; /* static: "gpu" */
		char *text;
		char *mend; /* the remedy; NULL: none needed */
	} * finding;
	size_t n, cap;
};

/* Adds a row. Takes text; `mend`, the remedy, may be NULL. */
void diagnosis_add(struct diagnosis *d, enum state state, const char *what,
		   char *text, const char *mend);
/* Adds a row with the error's message as text. Takes err. */
void diagnosis_add_error(struct diagnosis *d, enum state state,
			 const char *what, struct error *err, const char *mend);
bool diagnosis_any(const struct diagnosis *d, enum state state);
/* Prints the rows to stdout, as a table or as JSON. */
void diagnosis_print(const struct diagnosis *d, const struct palette *p);
void diagnosis_print_json(const struct diagnosis *d);
void diagnosis_release(struct diagnosis *d);

/* ---- machine_fitness.c ---------------------------------------------------
 *
 * Whether this machine is fit for measurements. */

/* Adds rows on its CPU as `compiler` names it, its noise and its memory. Takes
 * about a second. */
void machine_fitness(struct diagnosis *found, const char *compiler);

/* ---- gpu_state.c ---------------------------------------------------------
 *
 * The present state of a GPU, in words. */

struct gpu_condition {
	/* "driver 580.1, 345 of 1980 MHz, 76 of 700 W, 31 C, idle", or why the
	 * state is unknown. Owned. */
	char *text;
	/* What to do before measuring; NULL if nothing. */
	const char *mend;
};

/* Reads the state of the GPU with this NVML uuid. */
void gpu_state_read(struct gpu_condition *out, const char *uuid);
void gpu_state_release(struct gpu_condition *s);

DEFINE_RELEASE(gpu_state, struct gpu_condition, gpu_state_release)
#define cleanup_gpu_state CLEANUP(gpu_state)

/* ---- cuda_tools.c --------------------------------------------------------
 *
 * NVIDIA's tools on this machine: Nsight Compute, the sanitizer, a
 * disassembler. Each is searched as scorer/device/program.h says and asked for
 * its version; a tool that is found may still fail to run. */

/* Adds the tools found to `have` ("ncu 2025.3.1, cuobjdump 13.0") and the
 * missing ones to `lack` ("compute-sanitizer"), joined by commas. */
void cuda_tools(struct buf *have, struct buf *lack);
/* What `PROGRAM --version` prints, at most 4 KiB; an error if it does not run
 * or takes more than ten seconds. free() disposes. */
struct error *tool_version(char **out, const char *program) MUST_CHECK;

/* ---- ceilings.c ----------------------------------------------------------
 *
 * avogit doctor --ceilings: the highest figures that the GPU can reach. */

/* Prints the stored figures of this GPU; without any, or if `again`, measures
 * and stores them first. ERROR_REFUSED on a machine without a GPU. */
struct error *ceilings_tell(bool again, bool json,
			    const struct palette *p) MUST_CHECK;

#endif
