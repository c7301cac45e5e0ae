/*
 * The project's own benchmark, before and after a change: `avogit verify --in
 * COMMAND`. COMMAND comes from the command line only, and runs as the user,
 * outside the sandbox, with the code of both commits (docs/trust.md).
 */
#ifndef CMD_SESSION_OWN_BENCHMARK_H
#define CMD_SESSION_OWN_BENCHMARK_H

#include "cmd/ui/color.h"
#include "gitstore/gitstore.h"

struct own_benchmark {
	const char *command; /* for `sh -c` */
	int64_t runs;	     /* of each side */
	double seconds;	     /* that a run may take */
	bool json;	     /* one object, instead of a table */
};

/* Checks out both commits in folders of their own, runs the command once in
 * each (it may build), then in turns, and prints what its figures were. */
struct error *own_benchmark_run(const struct own_benchmark *b,
				struct gitstore *g, const char *rev,
				const struct palette *color) MUST_CHECK;

#endif
