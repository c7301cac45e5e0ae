/* What happens when an attempt of the run fails as the rival of a candidate. */
#include "core/base/clock.h"
#include "core/run/agents.h"
#include "core/run/loop.h"

/* A candidate is compared so many times with a rival that fails beside it but
 * passes by itself. */
#define RIVAL_TRIES 2

static void count_gpu(struct loop *l, double seconds)
{
	if (l->e->task->language == LANGUAGE_CUDA)
		l->unrecorded.gpu_seconds += seconds;
}

/* Records what scoring a rival by itself gave. A failure becomes its
 * measurement, which may cost it its crown. A pass is not recorded. */
static struct error *record_alone(struct loop *l, const struct attempt *a,
				  struct measurement **m)
{
	cleanup_entry struct entry e = {.kind = ENTRY_KIND_COUNT};

	if ((*m)->verdict == VERDICT_PASS)
		return NULL;
	entry_init(&e, ENTRY_MEASUREMENT, l->e->run);
	e.candidate = a->id;
	e.number = a->number;
	e.measurement = steal(m);
	e.accepted = a->accepted;
	e.spent_seconds = loop_spent(l);
	/* held: a measurement adds no attempt */
	TRY(loop_record(l, &e));
	loop_tell(l, EVOLVE_MEASURED, a, NULL);
	return NULL;
}

static struct error *remark(struct loop *l, const struct attempt *a,
			    const struct rival_failure *f, bool passes)
{
	cleanup_entry struct entry e;

	entry_init(&e, ENTRY_REMARK, l->e->run);
	e.trigger = xstrdup(REMARK_ON_RIVAL);
	e.reason = xasprintf(
		"#%lld failed as a rival (%s: %s); by itself it %s",
		(long long)a->number, verdict_name(f->verdict), f->why,
		!passes ? "fails, too"
		: f->verdict == VERDICT_TIMED_OUT
			? "passes, so it was the machine"
			: "passes");
	e.spent_seconds = loop_spent(l);
	/* held: a remark adds no attempt */
	TRY(loop_record(l, &e));
	loop_tell(l, EVOLVE_REMARKED, a, e.reason);
	return NULL;
}

/* The evaluator's score, during which the run is at rest (variation.h). `lends`:
 * others may have their turns meanwhile. */
static struct error *evaluate(struct loop *l, struct measurement **out,
			      const struct score_request *request, bool lends)
{
	const char *id = request->candidate->id.hex;
	bool lent = lends && loop_lend_turn(l, id);
	struct score_request r = *request;
	struct error *err;

	r.until = clock_seconds() + (l->until - clock_run_seconds());
	agents_measure(l->agents, true);
	loop_at_rest(l, true);
	err = l->e->evaluator->score(l->e->evaluator, out, &r);
	loop_at_rest(l, false);
	agents_measure(l->agents, false);
	return lent ? loop_end_lending(l, id, err) : err;
}

/* Another contender may have made it fail, so the failure in the comparison
 * alone takes no crown. */
static struct error *measure_alone(struct loop *l, size_t attempt,
				   const struct rival_failure *f)
{
	const struct attempt *a = &l->p->attempt[attempt];
	cleanup_candidate struct candidate candidate = {0};
	cleanup_measurement struct measurement *m = NULL;
	const struct score_request alone = {.candidate = &candidate,
					    .thorough = true};
	bool passes;

	loop_tell(l, EVOLVE_SCORING, a, NULL);
	TRY(l->e->archive->load(l->e->archive, &candidate, a->id.hex));
	/* The candidate is in flight and nothing but the turn keeps it from
	 * others. */
	TRY(evaluate(l, &m, &alone, false));
	count_gpu(l, m->seconds_timed + m->seconds_judge);
	passes = m->verdict == VERDICT_PASS;
	/* Other candidates may have been added meanwhile. */
	a = &l->p->attempt[attempt];
	TRY(record_alone(l, a, &m));
	TRY(remark(l, a, f, passes));
	return loop_check_start(l);
}

static struct error *score_beside(struct loop *l, struct measurement **out,
				  bool *deposed, struct score_request r,
				  const size_t *attempts)
{
	cleanup_rival_failure struct rival_failure f = {.failed = false};
	const struct attempt *rival;

	r.rival_failure = &f;
	TRY(evaluate(l, out, &r, true));
	if (*out) {
		count_gpu(l, (*out)->seconds_timed + (*out)->seconds_judge);
		return NULL;
	}
	count_gpu(l, f.gpu_seconds);
	TRY(measure_alone(l, attempts[f.rival], &f));
	rival = &l->p->attempt[attempts[f.rival]];
	*deposed = !rival->accepted;
	return NULL;
}

static void rivals_release(struct rivals *r)
{
	for (size_t i = 0; i < r->n_loaded; i++)
		candidate_release(&r->candidate[i]);
}

DEFINE_RELEASE(rivals, struct rivals, rivals_release)
#define cleanup_rivals CLEANUP(rivals)

struct error *loop_score(struct loop *l, struct measurement **out,
			 loop_ask *ask, void *arg)
{
	unsigned tries = 0;

	while (!*out && tries <= RIVAL_TRIES) {
		cleanup_rivals struct rivals rivals = {.n = 0};
		struct score_request request = {.rivals = rivals.request};
		bool deposed = false;

		/* The last try has no rivals: it measures the candidate
		 * alone. */
		TRY(ask(l, &request, &rivals, arg));
		if (tries == RIVAL_TRIES)
			rivals.n = 0;
		request.n_rivals = rivals.n;
		TRY(score_beside(l, out, &deposed, request, rivals.attempt));
		tries = deposed ? 0 : tries + 1;
	}
	return NULL;
}

struct error *rivals_add(struct rivals *r, struct loop *l, enum rival kind,
			 size_t attempt)
{
	struct candidate *c = &r->candidate[r->n];

	*c = (struct candidate){0};
	r->attempt[r->n] = attempt;
	r->request[r->n] = (struct rival_request){kind, c};
	r->n_loaded = ++r->n;
	return l->e->archive->load(l->e->archive, c,
				   l->p->attempt[attempt].id.hex);
}
