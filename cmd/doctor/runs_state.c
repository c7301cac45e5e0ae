#include "cmd/doctor/runs_state.h"

#include "gitstore/journal/restore.h"
#include "gitstore/sync/repair.h"

/* What came back was said when the repository was opened. */
static void examine_tips(struct diagnosis *d, struct gitstore *g)
{
	cleanup_tips_mended struct tips_mended m = {.back = STRVEC_INIT};
	cleanup_error struct error *err = tips_mend(&m, g);

	for (size_t i = 0; !err && i < m.gone.n; i++)
		diagnosis_add(d, STATE_WARN, "runs",
			      xasprintf("a journal is gone, and so is what it "
					"led to: %s",
					m.gone.v[i]),
			      "`avogit sync` or `git fetch` from a clone that "
			      "has it; `avogit doctor --repair` forgets it");
}

static void examine_objects(struct diagnosis *d, struct gitstore *g)
{
	cleanup_strvec struct strvec damaged = STRVEC_INIT;
	const char *mend;
	size_t n;

	gitstore_damaged(&damaged, &n, &mend, g);
	for (size_t i = 0; i < damaged.n; i++)
		diagnosis_add(d, STATE_WARN, "objects", xstrdup(damaged.v[i]),
			      mend);
	if (!damaged.n)
		diagnosis_add(d, STATE_OK, "objects",
			      xasprintf("%zu loose, all whole", n), NULL);
}

void runs_examine(struct diagnosis *d, struct gitstore *g)
{
	cleanup_strvec struct strvec runs = STRVEC_INIT;
	struct error *err = gitstore_runs(&runs, g);

	examine_objects(d, g);
	examine_tips(d, g);
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
