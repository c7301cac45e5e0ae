/*
 * The limits of a card: bytes moved, products of matrices, plain multiply-adds.
 * A separate runner measures them (runner/roles.h). They are kept once for each
 * card and driver in the user's cache, and compared with what a task says a
 * launch does. A file that is damaged, of another driver or of another card is
 * ignored.
 *
 * Three figures each. `peak`, the best 100 ms: scores are shown as a share of
 * it; `sustained`, the median of a second, under the card's power limit;
 * `sheet`, what its clocks allow on paper. A speed is called impossible only if
 * none of them allows it.
 */
#ifndef SCORER_HOST_CEILINGS_H
#define SCORER_HOST_CEILINGS_H

#include "core/sandbox/sandbox.h"
#include "core/task/task.h"
#include "scorer/device/gpu.h"
#include "scorer/wire/gpu_protocol.h"

struct ceiling_figures {
	double peak, sustained, sheet; /* per second; 0: not known */
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
/* Finite, not negative, and not larger than any card can reach. */
bool ceiling_is_rate(double v);
/* The rate that scores are shown as a share of: the measured peak, else the
 * sheet's. */
double ceiling_best(const struct ceilings *c, enum ceiling what);
/* "806 TFLOPS", "4.04 TB/s"; "-" if it is not known. */
void ceiling_format(char *out, size_t size, double rate, enum ceiling what);
/* Adds "sm_90, 141 GB, L2 60 MB\nat most, measured: copy 4.04 TB/s, ..."; the
 * second line only of ceilings that were measured. */
void ceilings_add_words(struct buf *out, const struct gpu *gpu,
			const struct ceilings *c);
/* Sets what clocks and units allow on paper, as far as they are known. */
void ceilings_sheet(struct ceilings *c, const struct gpu_card_reply *card);
/* The card's driver now: `driver` of ceilings that are still valid. */
void ceilings_driver(char out[96], const struct gpus *gpus);

/* ---- kept ---------------------------------------------------------------- */

/* Reads "<cache>/ceilings/<UUID>.json". False: no intact file of this card and
 * driver. */
bool ceilings_load(struct ceilings *out, const char *cache,
		   const struct gpus *gpus);
struct error *ceilings_keep(const struct ceilings *c,
			    const char *cache) MUST_CHECK;
struct json *ceilings_to_json(const struct ceilings *c) MUST_CHECK;

/* ---- measured ------------------------------------------------------------ */

/* Measures the first card, each figure for `seconds`, and holds its lock
 * meanwhile. `program_fd` is of runner_program_open. ERROR_REFUSED if there is
 * no card, or the driver refuses. */
struct error *ceilings_measure(struct ceilings *out,
			       const struct sandbox *sandbox, int program_fd,
			       const struct gpus *gpus, double seconds,
			       const volatile int *stop_now) MUST_CHECK;

/* ---- compared with a task ------------------------------------------------ */

struct floor {
	double seconds; /* of one launch at the ceiling; 0: not known */
	/* No honest launch is faster than this, with any contents, in any
	 * precision, and with data still in a cache; 0: not known. */
	double least;
	char why[160]; /* the figures that `least` comes from */
};
struct error *ceilings_floor(struct floor *out, const struct ceilings *c,
			     const struct task *t,
			     const struct task_case *tc) MUST_CHECK;

#endif
