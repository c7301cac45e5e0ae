/*
 * What a card can do at most: bytes moved, products of matrices, plain
 * multiply-adds. Measured by a runner of its own (runner/roles.h), kept
 * once a card and driver in the user's cache, and held against what a task
 * says a launch does. A file that is damaged, of another driver or of another
 * card counts as none.
 *
 * Three figures each. `peak`, the best 100 ms, is what scores are shown as a
 * share of; `sustained`, the median of a second, is what is left under the
 * card's power limit; `sheet` is what its clocks allow on paper. Nothing is
 * called impossible that any of them allows.
 */
#ifndef SCORER_HOST_CEILINGS_H
#define SCORER_HOST_CEILINGS_H

#include "core/sandbox/sandbox.h"
#include "core/task/task.h"
#include "scorer/device/gpu.h"
#include "scorer/wire/gpu_protocol.h"

struct ceiling_figures {
	double peak, sustained, sheet; /* a second; 0: not known */
};

struct ceilings {
	char uuid[48], name[128];
	char driver[96]; /* "CUDA 13.0, 580.95.05" */
	int64_t time_us;
	double seconds; /* that each was measured for */
	int64_t l2_bytes;
	struct ceiling_figures of[CEILING_COUNT];
};

/* "copy", "read", "bf16", "f8", "i8", "f32", "f64". */
const char *ceiling_name(enum ceiling what);
/* Finite, not negative, and of this world. */
bool ceiling_is_rate(double v);
/* What scores are shown as a share of: the measured peak, else the sheet's. */
double ceiling_best(const struct ceilings *c, enum ceiling what);
/* "806 TFLOPS", "4.04 TB/s"; "-" where it is not known. */
void ceiling_format(char *out, size_t size, double rate, enum ceiling what);
/* What clocks and units allow on paper, as far as they are known. */
void ceilings_sheet(struct ceilings *c, const struct gpu_card_reply *card);
/* Who drives the card now: what `driver` must be. */
void ceilings_driver(char out[96], const struct gpus *gpus);

/* ---- kept ---------------------------------------------------------------- */

/* In "<cache>/ceilings/<UUID>.json". False: there are none of this card and driver that can be believed. */
bool ceilings_load(struct ceilings *out, const char *cache,
		   const struct gpus *gpus);
struct error *ceilings_keep(const struct ceilings *c,
			    const char *cache) MUST_CHECK;
struct json *ceilings_to_json(const struct ceilings *c) MUST_CHECK;

/* ---- measured ------------------------------------------------------------ */

/* Of the first card, each for `seconds`, with its lock held. `program_fd` of
 * runner_program_open. ERROR_REFUSED where there is none, or the driver says
 * no. */
struct error *ceilings_measure(struct ceilings *out,
			       const struct sandbox *sandbox, int program_fd,
			       const struct gpus *gpus, double seconds,
			       const volatile int *stop_now) MUST_CHECK;

/* ---- held against a task -------------------------------------------------- */

struct floor {
	double seconds; /* of one launch at the ceiling; 0: not known */
	/* No honest launch is faster than this, whatever the contents, what a
	 * cache still holds, and the precision it computes in; 0: cannot be
	 * said. */
	double least;
	char why[160]; /* of `least`: the figures */
};
struct error *ceilings_floor(struct floor *out, const struct ceilings *c,
			     const struct task *t,
			     const struct task_case *tc) MUST_CHECK;

#endif
