/*
 * The parts of `avogit doctor`: rows of findings, and what fills them.
 */
#ifndef CMD_DOCTOR_DOCTOR_H
#define CMD_DOCTOR_DOCTOR_H

#include "cmd/ui/color.h"
#include "core/base/buf.h"
#include "core/base/error.h"

/* ---- diagnosis.c ---------------------------------------------------------
 *
 * What was found, a row each: whether it is well, and what mends it where it
 * is not. */

enum state { STATE_OK, STATE_WARN, STATE_MISSING };

struct diagnosis {
	struct doctor_finding {
		enum state state;
		const char *what; /* static: "gpu" */
		char *text;
		char *mend; /* what to do; NULL: nothing */
	} * finding;
	size_t n, cap;
};

/* Takes text; mend may be NULL. */
void diagnosis_add(struct diagnosis *d, enum state state, const char *what,
		   char *text, const char *mend);
/* Its message is the text. Takes err. */
void diagnosis_add_error(struct diagnosis *d, enum state state,
			 const char *what, struct error *err, const char *mend);
bool diagnosis_any(const struct diagnosis *d, enum state state);
/* To stdout, as a table or as JSON. */
void diagnosis_print(const struct diagnosis *d, const struct palette *p);
void diagnosis_print_json(const struct diagnosis *d);
void diagnosis_release(struct diagnosis *d);

/* ---- machine_fitness.c ---------------------------------------------------
 *
 * Whether this machine is fit to measure on: for `avogit doctor`. */

/* Its CPU as `compiler` names it, how quiet it is, its memory: rows. Takes a
 * second. */
void machine_fitness(struct diagnosis *found, const char *compiler);

/* ---- gpu_state.c ---------------------------------------------------------
 *
 * What a GPU does at this moment, in words: for `avogit doctor`. */

struct gpu_condition {
	/* "driver 580.1, 345 of 1980 MHz, 76 of 700 W, 31 C, idle"; or why it
	 * cannot be told. Owned. */
	char *text;
	/* What to do before measuring; NULL where all is well. */
	const char *mend;
};

void gpu_state_read(struct gpu_condition *out, const char *uuid);
void gpu_state_release(struct gpu_condition *s);

DEFINE_RELEASE(gpu_state, struct gpu_condition, gpu_state_release)
#define cleanup_gpu_state CLEANUP(gpu_state)

/* ---- cuda_tools.c --------------------------------------------------------
 *
 * Which of NVIDIA's tools are on this machine: Nsight Compute, the sanitizer,
 * a disassembler. Each is looked for as scorer/device/program.h says, and
 * asked for its version; that one runs is not promised. */

/* "ncu 2025.3.1, cuobjdump 13.0" into one, "compute-sanitizer" into the
 * other: names joined by commas, nothing where there are none. */
void cuda_tools(struct buf *have, struct buf *lack);
/* What `PROGRAM --version` prints, 4 KiB of it at most; an error where it does
 * not run, or not in ten seconds. free() disposes. */
struct error *tool_version(char **out, const char *program) MUST_CHECK;

/* ---- ceilings.c ----------------------------------------------------------
 *
 * avogit doctor --ceilings: what the card can do at most. */

/* Prints what is kept of this card, else measures it (`again`: in any case) and
 * keeps it. ERROR_REFUSED on a machine without a GPU. */
struct error *ceilings_tell(bool again, bool json,
			    const struct palette *p) MUST_CHECK;

#endif
