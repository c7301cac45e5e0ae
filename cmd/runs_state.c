#include "cmd/runs_state.h"

void runs_examine(struct diagnosis *d, struct gitstore *g)
{
	cleanup_strvec struct strvec runs = STRVEC_INIT;
	struct error *err = gitstore_runs(&runs, g);

	if (err)
		diagnosis_add_error(d, STATE_WARN, "runs", err, NULL);
	for (size_t i = 0; i < runs.n; i++) {
		cleanup_population struct population p = {0};
		cleanup_free char *mend = NULL;

		err = gitstore_population(&p, g, runs.v[i]);
		if (!err)
			continue;
		mend = xasprintf("`avogit sync` or `git fetch` from a clone "
				 "that has it; `avogit rm %s` lets go of it",
				 runs.v[i]);
		diagnosis_add_error(d, STATE_WARN, "runs", err, mend);
	}
}
