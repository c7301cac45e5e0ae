/*
 * Nsight Compute's command line program: how it is called, and what its
 * refusals mean. It runs outside the sandbox, with a small environment, limits
 * and a deadline: it must reach the card's counters, and it is NVIDIA's own.
 */
#ifndef SCORER_INSPECT_NCU_H
#define SCORER_INSPECT_NCU_H

#include "core/base/error.h"

/* Finds it: AVOGIT_NCU, PATH, the usual places. free() disposes.
 * ERROR_NOT_FOUND. */
struct error *ncu_find(char **out) MUST_CHECK;
/* ---- what it prints: profile_csv.c --------------------------------------- */

/*
 * What Nsight Compute prints with `--csv --page raw`: a line of column names,
 * a line of their units, then a line a kernel; before and between, its own
 * messages ("==PROF== ..."). The first columns say which kernel it was, the
 * others are metrics.
 *
 * The text comes from a program that ran a stranger's kernel: nothing of it is
 * believed but its form, and everything is bounded. A value that is missing,
 * "n/a" or no number is NAN, never 0.
 */

#define CAPTURE_MAX_COLUMNS 4096
#define CAPTURE_MAX_KERNELS 64
#define CAPTURE_MAX_FIELD   4096 /* bytes of one field */

struct captured_kernel {
	char *name; /* as it was printed, bounded */
	/* A column each, in units without a prefix: seconds, bytes, hertz,
	 * percent. NAN where there is none. */
	double *value;
};

struct profile_capture {
	char **column; /* names */
	size_t n_columns;
	struct captured_kernel kernel[CAPTURE_MAX_KERNELS];
	size_t n_kernels; /* in the order they ran */
};

/* ERROR_MALFORMED where it is not such text, ERROR_NOT_FOUND where there is no
 * header in it or no kernel has any number: an empty capture. */
struct error *capture_parse(struct profile_capture *out, const char *text,
			    size_t len) MUST_CHECK;
/* NAN where the capture has no such metric or kernel no value of it. */
double capture_value(const struct profile_capture *c, size_t kernel,
		     const char *metric);
void capture_release(struct profile_capture *c);

DEFINE_RELEASE(capture, struct profile_capture, capture_release)
#define cleanup_capture CLEANUP(capture)

/* Runs a program under it that calls cuProfilerStart and cuProfilerStop around
 * what is to be captured. `folder` is private and can be written. A metric
 * that this card or this ncu does not know is left out, and it is asked
 * again. `seconds` is the deadline of one asking. ERROR_REFUSED where the
 * driver does not give its counters to this user, ERROR_NOT_FOUND for an
 * empty capture, ERROR_INTERRUPTED once *stop_now is 2 (may be NULL), others
 * where it answers what makes no sense. */
struct error *ncu_capture(struct profile_capture *out, const char *ncu,
			  const char *const *program, const char *folder,
			  double seconds,
			  const volatile int *stop_now) MUST_CHECK;
/* Takes those metrics of the list (joined by commas) away that the text calls
 * unknown; all of them where it names none of them. False where the text is of
 * something else. */
bool ncu_drop_unknown(char *metrics, const char *text);

#endif
