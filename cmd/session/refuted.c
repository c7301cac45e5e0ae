#include "cmd/session/refuted.h"

#include "cmd/session/record.h"

/* An earlier failure, which the attempt has passed since, says nothing. */
static bool is_news(const struct attempt *a, const struct measurement *m)
{
	return a && a->number > 0 && attempt_is_refuted(a, m) &&
	       m->time_us > a->measurement->time_us;
}

static struct error *keep(struct gitstore *g, const char *run,
			  const struct attempt *a, const struct measurement *m)
{
	cleanup_entry struct entry e;

	entry_init(&e, ENTRY_MEASUREMENT, run);
	e.candidate = a->id;
	e.number = a->number;
	e.measurement = measurement_dup(m);
	return gitstore_append(g, &e);
}

static void say(const char *run, const struct population *before,
		const struct attempt *a, const struct population *p)
{
	const struct attempt *now = &p->attempt[p->champion];
	bool was = a == &before->attempt[before->champion];

	fprintf(stderr, "avogit: run %s does not go on from #%lld any more",
		run, (long long)a->number);
	if (was && p->champion)
		fprintf(stderr, ": #%lld is its champion now\n",
			(long long)now->number);
	else
		fprintf(stderr, "%s\n",
			was ? ", and it has no champion now" : "");
}

static struct error *tell_run(struct gitstore *g, const char *run,
			      const char *id, const struct measurement *m)
{
	cleanup_population struct population before = {0}, p = {0};
	const struct attempt *a;
	struct error *err;

	TRY(gitstore_population(&before, g, run));
	a = population_find(&before, id);
	if (!is_news(a, m))
		return NULL;
	if (!str_eq(m->identity.task, a->measurement->identity.task)) {
		fprintf(stderr,
			"avogit: run %s keeps #%lld, because it was scored "
			"under another task here\n",
			run, (long long)a->number);
		return NULL;
	}
	err = gitstore_lock_run(g, run);
	if (error_is(err, ERROR_REFUSED)) {
		fprintf(stderr,
			"avogit: run %s keeps #%lld until this is said again "
			"(avogit score %.12s): %s\n",
			run, (long long)a->number, id, error_message(err));
		error_free(err);
		return NULL;
	}
	TRY(err);
	TRY(keep(g, run, a, m));
	TRY(gitstore_population(&p, g, run));
	say(run, &before, a, &p);
	return gitstore_branches(g, &p);
}

struct error *refuted_tell_runs(struct gitstore *g, const char *id,
				const struct measurement *m)
{
	cleanup_commit_info struct commit_info info = {0};
	cleanup_strvec struct strvec runs = STRVEC_INIT;

	if (m->verdict == VERDICT_PASS || m->verdict == VERDICT_NOT_RUN)
		return NULL;
	TRY(gitstore_commit_info(&info, g, id));
	TRY(record_runs(&runs, g, info.message));
	for (size_t i = 0; i < runs.n; i++)
		TRY(gitstore_pass_over(tell_run(g, runs.v[i], id, m)));
	return NULL;
}
