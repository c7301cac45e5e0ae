#include "cmd/session/attempt.h"

#include "agent/hand.h"
#include "cmd/session/evolving.h"
#include "cmd/ui/report.h"

/* The sources of the work tree: of the task of the run, of a new one HEAD's. */
static struct error *read_sources(struct fileset *out,
				  const struct attempt_options *o)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;
	CLEANUP(session) struct session s = {0};
	char head[COMMIT_ID_LEN + 1];
	bool found;

	TRY(session_open(&s, o->color));
	TRY(evolving_task(&found, &s, o->run, o->task));
	if (!found) {
		TRY(gitstore_resolve(head, s.git, "HEAD"));
		TRY(session_task(&s, head, o->task));
	}
	if (!gitstore_work_dir(s.git))
		return error_new(ERROR_REFUSED,
				 "a bare repository has no work tree to score");
	task_source_patterns(&patterns, s.at.task);
	return fileset_read(out, gitstore_work_dir(s.git), &patterns);
}

/* The attempt this call made; NULL: it was measured before. */
static const struct attempt *newest(const struct evolving *e)
{
	const struct population *p = &e->population;

	return p->n > e->attempts_before + 1 && p->n > 1 ? &p->attempt[p->n - 1]
							 : NULL;
}

static void report(enum exit_code *code, const struct evolving *e)
{
	const struct attempt *a = newest(e);

	if (!a) {
		puts("nothing new: the work tree is what the run goes on "
		     "from, or an attempt of it");
		return;
	}
	if (a->measurement) {
		report_cases(a->measurement, &e->session.color);
		*code = a->measurement->verdict == VERDICT_PASS ? CODE_YES
								: CODE_NO;
	}
}

struct error *attempt_score(enum exit_code *code,
			    const struct attempt_options *o)
{
	struct evolve_options evolve = {.run = o->run,
					.attempts = 1,
					.as_it_is = true,
					.task = o->task,
					.color = o->color};
	cleanup_fileset struct fileset sources = FILESET_INIT;
	cleanup_evolving struct evolving e = {.say = stdout};
	enum ending ending;

	TRY(read_sources(&sources, o));
	e.session.comparison_seconds = o->seconds;
	TRY(hand_new(&e.operator_, &sources, o->message));
	TRY(evolving_prepare(&e, &evolve));
	e.evolve.listener = &e.progress.listener;
	TRY(error_wrap(evolve_run(&ending, &e.population, &e.evolve), "run %s",
		       e.evolve.run));
	report(code, &e);
	if (ending == ENDING_INTERRUPTED)
		*code = CODE_INTERRUPTED;
	return NULL;
}
