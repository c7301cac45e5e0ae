/* The rules of the gate, applied to what was measured. */
#include "cmd/gate/gate.h"

#include "cmd/ui/markdown.h"

#include <stdarg.h>

/* A case has a ratio without an interval: less than this may be chance. */
#define CASE_SLACK 0.05

void gate_kernel_release(struct gate_kernel *k)
{
	free(k->task);
	free(k->base_fails);
	strvec_release(&k->trusted_changed);
	strvec_release(&k->reasons);
	measurement_free(k->first);
	measurement_free(k->again);
}

void gate_change_release(struct gate_change *g)
{
	for (size_t i = 0; i < g->n; i++)
		gate_kernel_release(&g->kernel[i]);
	free(g->kernel);
	strvec_release(&g->added);
	strvec_release(&g->unusable);
	*g = (struct gate_change){.n = 0};
}

const char *gate_answer_name(enum gate_answer a)
{
	static const char *const names[] = {"yes", "open", "no"};

	return names[a];
}

void gate_say(struct gate_kernel *k, enum gate_answer a, const char *fmt, ...)
{
	cleanup_free char *made = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&made, fmt, args) < 0)
		abort();
	va_end(args);
	k->answer = MAX(k->answer, a);
	strvec_push(&k->reasons, made);
}

static const struct comparison *with_base(const struct measurement *m)
{
	return m ? measurement_against(m, RIVAL_INCUMBENT, NULL) : NULL;
}

/* So that 3 % is 0.97, and not a rounding error above it. */
#define ROUNDING 1e-9

/* The least speed relative to BASE that passes. */
static double least(const struct gate_rules *rules)
{
	return 1 - rules->allow - ROUNDING;
}

static bool loses(const struct comparison *c, const struct gate_rules *rules)
{
	return c && c->decision == DECISION_SLOWER &&
	       (rules->allow <= 0 || c->ratio95.hi < least(rules));
}

bool gate_is_loss(const struct measurement *m, const struct gate_rules *rules)
{
	return m->verdict == VERDICT_PASS && loses(with_base(m), rules);
}

/* ---- right or wrong ------------------------------------------------------ */

/* False where there is nothing more to say. */
static bool is_right(struct gate_kernel *k, const struct measurement *m)
{
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);

	if (m->verdict == VERDICT_PASS)
		return true;
	markdown_add_code(&why, m->why ? m->why : verdict_line(m->verdict));
	k->does_not_build = m->verdict == VERDICT_BUILD_FAILED;
	if (m->verdict == VERDICT_NOT_RUN || m->verdict == VERDICT_UNUSABLE)
		gate_say(k, GATE_OPEN, "not measured: %s", why.data);
	else
		gate_say(k, GATE_NO, "**%s**: %s", verdict_name(m->verdict),
			 why.data);
	return false;
}

/* ---- slower or not ------------------------------------------------------- */

static char *figures(const struct comparison *c)
{
	return xasprintf("%.3fx [%.3f, %.3f]%s the speed of BASE", c->ratio,
			 c->ratio95.lo, c->ratio95.hi,
			 c->at_least ? ", or farther from 1," : "");
}

static void judge_loss(struct gate_kernel *k, const struct comparison *c,
		       const struct gate_rules *rules)
{
	const struct comparison *again = with_base(k->again);
	cleanup_free char *first = figures(c);
	cleanup_free char *second = again ? figures(again) : NULL;

	if (!loses(c, rules) && c->ratio95.lo >= least(rules))
		gate_say(k, GATE_YES, "slower: %s, which `--allow` lets pass",
			 first);
	else if (!loses(c, rules))
		gate_say(k, GATE_OPEN,
			 "slower: %s; whether by more than `--allow` lets "
			 "pass is undecided",
			 first);
	else if (loses(again, rules))
		gate_say(k, GATE_NO,
			 "**slower**: %s, and in fresh processes %s", first,
			 second);
	else
		gate_say(k, GATE_OPEN,
			 "slower at first, %s, and not again in fresh "
			 "processes, %s",
			 first, second ? second : "which were not compared");
}

static void judge_speed(struct gate_kernel *k, const struct comparison *c,
			const struct gate_rules *rules)
{
	cleanup_free char *text = figures(c);

	if (c->decision == DECISION_SLOWER)
		judge_loss(k, c, rules);
	else if (c->decision == DECISION_FASTER ||
		 decision_is_same(c->decision, c->ratio95))
		gate_say(k, GATE_YES, "%s: %s",
			 decision_name(c->decision, c->ratio95), text);
	else if (c->ratio95.lo >= least(rules))
		gate_say(k, GATE_YES,
			 "undecided: %s, but no loss beyond what `--allow` "
			 "lets pass",
			 text);
	else
		gate_say(
			k, GATE_OPEN,
			"undecided: %s; a quieter machine or a longer `--time` "
			"may tell",
			text);
}

/* Without an interval it fails nothing; only a task that wants no slower case is
 * left open. */
static void judge_worst_case(struct gate_kernel *k, const struct comparison *c,
			     const struct gate_rules *rules)
{
	double slack = MAX(CASE_SLACK, rules->allow);

	if (c->n_cases < 2 || !(c->worst_case < 1 - slack))
		return;
	gate_say(k, k->no_slower_case ? GATE_OPEN : GATE_YES,
		 "its worst case is at %.3fx%s", c->worst_case,
		 k->no_slower_case ? ", and the task wants no slower case"
				   : "");
}

/* ---- a claim ------------------------------------------------------------- */

static void judge_claim(struct gate_kernel *k, const struct measurement *m,
			const struct comparison *c,
			const struct gate_rules *rules)
{
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);
	const char *unsteady = measurement_get(m, "unsteady");
	bool faster = c->decision == DECISION_FASTER;
	double claim = rules->claim * (faster ? 1 - ROUNDING : 1 + ROUNDING);

	if (c->ratio95.hi < claim) {
		gate_say(k, GATE_NO,
			 "**the claim of %.3gx does not hold**: at most %.3fx",
			 rules->claim, c->ratio95.hi);
	} else if (faster && c->confirmed) {
		gate_say(k, GATE_YES,
			 "the claim of %.3gx holds, found again in fresh "
			 "processes",
			 rules->claim);
	} else {
		if (unsteady)
			markdown_add_code(&why, unsteady);
		gate_say(k, GATE_OPEN, "the claim of %.3gx is undecided%s%s",
			 rules->claim, unsteady ? ": " : "", why.data);
	}
}

/* ---- a kernel ------------------------------------------------------------ */

static void judge_without_base(struct gate_kernel *k,
			       const struct gate_rules *rules)
{
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);

	markdown_add_code(&why, k->base_fails);
	gate_say(k, GATE_YES,
		 "right, where BASE itself fails, %s: there is nothing to be "
		 "slower than",
		 why.data);
	if (rules->claim > 0)
		gate_say(k, GATE_OPEN,
			 "so the claim of %.3gx cannot be decided",
			 rules->claim);
}

static void judge_trusted(struct gate_kernel *k, const struct gate_rules *rules)
{
	if (!k->trusted_changed.n || rules->ignore_trusted)
		return;
	if (rules->head_task)
		gate_say(k, GATE_YES,
			 "measured with HEAD's own files, as `--head-task` "
			 "asks");
	else
		gate_say(k, GATE_OPEN,
			 "the change touches what measures, which was taken "
			 "from BASE: look it over, then `--head-task` measures "
			 "with it");
}

void gate_judge(struct gate_kernel *k, const struct gate_rules *rules)
{
	const struct measurement *m = k->first;
	const struct comparison *c = with_base(m);

	judge_trusted(k, rules);
	if (!m || !is_right(k, m) || (k->again && !is_right(k, k->again)))
		return;
	if (k->base_fails) {
		judge_without_base(k, rules);
		return;
	}
	if (!c) {
		gate_say(k, GATE_OPEN,
			 "right, but nothing was compared: a task whose "
			 "command reports scores needs `ab: true`");
		return;
	}
	judge_speed(k, c, rules);
	judge_worst_case(k, c, rules);
	if (rules->claim > 0)
		judge_claim(k, m, c, rules);
}

enum gate_answer gate_answer(const struct gate_change *g)
{
	enum gate_answer answer = GATE_YES;

	for (size_t i = 0; i < g->n; i++)
		answer = MAX(answer, g->kernel[i].answer);
	return answer;
}
