/* Measures HEAD against BASE in one session, with what measures from BASE. */
#include "cmd/gate/gate.h"

#include "cmd/session/consent.h"
#include "cmd/session/waits.h"
#include "cmd/ui/markdown.h"

struct match {
	struct session session;
	struct candidate base, head;
	struct waits waits;
};

static void match_release(struct match *m)
{
	waits_release(&m->waits);
	candidate_release(&m->base);
	candidate_release(&m->head);
	session_release(&m->session);
}
DEFINE_RELEASE(match, struct match, match_release)
#define cleanup_match CLEANUP(match)

static struct error *prepare(struct match *m, const struct gate_kernel *k,
			     const struct gate_change *g,
			     const struct gate_rules *rules)
{
	const char *from = rules->head_task ? g->head.hex : g->base.hex;
	struct session *s = &m->session;

	TRY(session_open(s, NULL));
	s->comparison_seconds = rules->seconds;
	TRY(committed_task_read(&s->at, s, from, k->task));
	TRY(session_require_trust(s, TRUST_LAUNCHER, k->task));
	TRY(session_scorer(s, from, NULL));
	waits_begin(&m->waits, s,
		    xasprintf("%s: is %.10s slower than %.10s?", k->task,
			      g->head.hex, g->base.hex));
	TRY(s->archive->load(s->archive, &m->base, g->base.hex));
	TRY(s->archive->load(s->archive, &m->head, g->head.hex));
	TRY(scorer_require_device(s->evaluator));
	return scorer_check_task(s->evaluator);
}

/* Each call has fresh processes and a fresh seed. `failure`: if BASE fails; NULL:
 * that is an error. */
static struct error *compare(struct measurement **out, const struct match *m,
			     const struct gate_rules *rules,
			     struct rival_failure *failure)
{
	struct evaluator *evaluator = m->session.evaluator;
	struct rival_request rival = {RIVAL_INCUMBENT, &m->base};
	struct score_request request = {
		.candidate = &m->head,
		.rivals = &rival,
		.n_rivals = 1,
		.rival_failure = failure,
		.confirm = rules->claim > 0,
		.sanitizers = m->session.at.task->sanitizers,
	};

	return evaluator->score(evaluator, out, &request);
}

static struct error *compare_first(struct gate_kernel *k, const struct match *m,
				   const struct gate_rules *rules)
{
	struct evaluator *evaluator = m->session.evaluator;
	cleanup_rival_failure struct rival_failure failure = {.failed = false};
	struct score_request alone = {.candidate = &m->head, .thorough = true};

	TRY(compare(&k->measured[0], m, rules, &failure));
	if (failure.failed) {
		k->base_fails =
			xstrdup(failure.why ? failure.why
					    : verdict_line(failure.verdict));
		TRY(evaluator->score(evaluator, &k->measured[0], &alone));
	}
	k->n_measured = 1;
	return NULL;
}

/* Would another measurement decide what those so far do not? */
static bool is_open(const struct gate_kernel *k, const struct gate_rules *rules)
{
	struct gate_evidence e = gate_weigh(k, rules);

	return e.n && e.speed != GATE_SPEED_LOSES &&
	       (e.speed == GATE_SPEED_OPEN || e.claim == GATE_OPEN);
}

static struct error *measure(struct gate_kernel *k, const struct gate_change *g,
			     const struct gate_rules *rules)
{
	cleanup_match struct match m = {.session = {0}};

	TRY(prepare(&m, k, g, rules));
	TRY(compare_first(k, &m, rules));
	while (!k->base_fails && k->n_measured < GATE_MOST &&
	       is_open(k, rules)) {
		waits_say(&m.waits,
			  xasprintf("%s: open, so measured again (%zu of at "
				    "most %d)",
				    k->task, k->n_measured + 1, GATE_MOST));
		TRY(compare(&k->measured[k->n_measured], &m, rules, NULL));
		k->n_measured++;
	}
	return NULL;
}

struct error *gate_measure(struct gate_kernel *k, const struct gate_change *g,
			   const struct gate_rules *rules)
{
	cleanup_error struct error *err = NULL;
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);

	if (k->reasons.n)
		return NULL;
	if (k->sources_changed || rules->head_task)
		err = measure(k, g, rules);
	if (error_is(err, ERROR_INTERRUPTED))
		return steal(&err);
	gate_judge(k, rules);
	if (err) {
		markdown_add_code(&why, error_message(err));
		gate_say(k, GATE_OPEN, "could not be measured: %s", why.data);
	}
	return NULL;
}
