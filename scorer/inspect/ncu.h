/*
 * Calls Nsight Compute's command line program and explains its refusals. It
 * runs outside the sandbox, with a small environment, limits and a deadline: it
 * must reach the card's counters, and it is NVIDIA's own program.
 */
#ifndef SCORER_INSPECT_NCU_H
#define SCORER_INSPECT_NCU_H

#include "scorer/device/gpu.h"
#include "core/base/error.h"

/* Finds the program: AVOGIT_NCU, PATH, the usual places. free() disposes.
 * ERROR_NOT_FOUND. */
struct error *ncu_find(char **out) MUST_CHECK;
/* ---- what it prints: profile_csv.c --------------------------------------- */

/*
 * Nsight Compute prints with `--csv --page raw`: a line of column names, a line
 * of their units, then a line for each kernel; before and between these its own
 * messages ("==PROF== ..."). The first columns identify the kernel, the others
 * are metrics.
 *
 * The text comes from a program that ran a stranger's kernel: only its form is
 * trusted, and everything is bounded. A value that is missing, "n/a" or not a
 * number is NAN, never 0.
 */

#define CAPTURE_MAX_COLUMNS 4096
#define CAPTURE_MAX_KERNELS 64
#define CAPTURE_MAX_FIELD   4096 /* bytes of one field */

struct captured_kernel {
	char *name; /* as it was printed, bounded */
	/* By column, in units without a prefix: seconds, bytes, hertz,
	 * percent. NAN: no value. */
	double *value;
};

struct profile_capture {
	char **column; /* names */
	size_t n_columns;
	struct captured_kernel kernel[CAPTURE_MAX_KERNELS];
	size_t n_kernels; /* in the order they ran */
};

/* ERROR_MALFORMED if it is not such text, ERROR_NOT_FOUND if it has no header
 * or no kernel has a number: an empty capture. */
struct error *capture_parse(struct profile_capture *out, const char *text,
			    size_t len) MUST_CHECK;
/* NAN if the capture has no such metric, or the kernel no value of it. */
double capture_value(const struct profile_capture *c, size_t kernel,
		     const char *metric);
void capture_release(struct profile_capture *c);

DEFINE_RELEASE(capture, struct profile_capture, capture_release)
#define cleanup_capture CLEANUP(capture)

/* Runs a program under ncu that calls cuProfilerStart and cuProfilerStop around
 * the launch to be captured. `folder` is private and can be written. `gpu`: the
 * card that it sees; NULL: those that the user chose. If this
 * card or this ncu does not know a metric, ncu runs again without it. `seconds`
 * is the deadline of one run. ERROR_REFUSED if the driver does not give its
 * counters to this user, ERROR_NOT_FOUND for an empty capture,
 * ERROR_INTERRUPTED once *stop_now is 2 (may be NULL), other errors if the
 * output makes no sense. */
struct error *ncu_capture(struct profile_capture *out, const char *ncu,
			  const char *const *program, const char *folder,
			  double seconds, const struct gpu *gpu,
			  const volatile int *stop_now) MUST_CHECK;
/* Removes the metrics from the list (joined by commas) that the text calls
 * unknown; all of them if it names none of them. False if the text does not
 * report unknown metrics. */
bool ncu_drop_unknown(char *metrics, const char *text);

#endif
