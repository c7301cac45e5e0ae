/*
 * What the file of Workloads of a Definition says, from words of the command line:
 * "rows=16,64 eps=1e-6 index=0..15". Lists of sizes go together, the first of each
 * with the first of the others; one alone is for all cases.
 */
#ifndef CMD_IMPORT_VALUES_H
#define CMD_IMPORT_VALUES_H

#include "core/base/json.h"

/* An array of Workloads as FlashInfer-Bench has them ({"axes": ..., "inputs": ...}),
 * and "low" and "high" of inputs with a range; the caller owns it. `axes` and `inputs`
 * are the Definition's. ERROR_USAGE in one sentence. */
struct error *values_read(struct json **out, const char *text,
			  const struct json *axes,
			  const struct json *inputs) MUST_CHECK;

#endif
