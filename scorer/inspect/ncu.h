/*
 * Nsight Compute's command line program: how it is called, and what its
 * refusals mean. It runs outside the sandbox, with a small environment, limits
 * and a deadline: it must reach the card's counters, and it is NVIDIA's own.
 */
#ifndef SCORER_INSPECT_NCU_H
#define SCORER_INSPECT_NCU_H

#include "scorer/inspect/profile_csv.h"

/* Finds it: AVOGIT_NCU, PATH, the usual places. free() disposes.
 * ERROR_NOT_FOUND. */
struct error *ncu_find(char **out) MUST_CHECK;
/* Runs a program under it that calls cuProfilerStart and cuProfilerStop round
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
