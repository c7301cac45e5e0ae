/* The rules of the gate, applied to what was measured. */
#include "cmd/gate/gate.h"

#include "cmd/ui/markdown.h"

#include <math.h>
#include <stdarg.h>

/* A case has a ratio without an interval: less than this may be chance. */
#define CASE_SLACK 0.05

void gate_kernel_release(struct gate_kernel *k)
{
	free(k->task);
	free(k->base_fails);
	strvec_release(&k->trusted_changed);
	strvec_release(&k->reasons);
	for (size_t i = 0; i < k->n_measured; i++)
		measurement_free(k->measured[i]);
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

static char *words_of(double ratio, struct interval i, bool at_least)
{
	if (!isfinite(ratio))
		return xstrdup("the time was over before it could be told");
	return xasprintf("%.3fx [%.3f, %.3f]%s the speed of BASE", ratio, i.lo,
			 i.hi, at_least ? ", or farther from 1," : "");
}

/* All measurements together. */
static char *figures(const struct gate_evidence *e)
{
	cleanup_free char *all = words_of(e->ratio, e->ratio95, e->at_least);

	if (e->n < 2)
		return xstrdup(all);
	return xasprintf("%s, by %zu measurements together", all, e->n);
}

/* The first measurement from *at on that found a loss; moves *at behind it. */
static char *next_loss(size_t *at, const struct gate_kernel *k,
		       const struct gate_rules *rules)
{
	const struct comparison *c;

	while (!gate_is_loss(k->measured[*at], rules))
		++*at;
	c = gate_comparison(k->measured[(*at)++]);
	return words_of(c->ratio, c->ratio95, c->at_least);
}

static void say_loss(struct gate_kernel *k, const struct gate_evidence *e,
		     const struct gate_rules *rules)
{
	cleanup_free char *first = NULL, *second = NULL;
	size_t at = 0;

	if (e->by_scatter) {
		first = figures(e);
		gate_say(k, GATE_NO, "**slower**: %s", first);
		return;
	}
	first = next_loss(&at, k, rules);
	second = next_loss(&at, k, rules);
	gate_say(k, GATE_NO, "**slower**: %s, and in fresh processes %s", first,
		 second);
}

static void say_pass(struct gate_kernel *k, const struct gate_evidence *e)
{
	cleanup_free char *text = figures(e);

	if (e->faster)
		gate_say(k, GATE_YES, "faster: %s", text);
	else if (e->ratio95.hi < 1)
		gate_say(k, GATE_YES, "slower: %s, which `--allow` lets pass",
			 text);
	else if (e->ratio95.lo >= GATE_NO_LOSS && e->ratio95.lo <= 1)
		gate_say(k, GATE_YES, "same: %s", text);
	else if (e->gain || e->ratio95.lo > 1)
		gate_say(k, GATE_YES, "not slower: %s", text);
	else
		gate_say(k, GATE_YES,
			 "undecided: %s, but no loss beyond what `--allow` "
			 "lets pass",
			 text);
}

static void say_open(struct gate_kernel *k, const struct gate_evidence *e)
{
	cleanup_free char *text = figures(e);

	if (e->ratio95.hi < 1 && e->losses < 1)
		gate_say(k, GATE_OPEN,
			 "undecided: %s; slower, but by how much, or whether "
			 "the machine did it, is open",
			 text);
	else if (e->losses > 0)
		gate_say(k, GATE_OPEN,
			 "undecided: %s; slower in %zu of them, and a loss "
			 "counts that is found twice",
			 text, e->losses);
	else
		gate_say(
			k, GATE_OPEN,
			"undecided: %s; a quieter machine or a longer `--time` "
			"may tell",
			text);
}

static void judge_speed(struct gate_kernel *k, const struct gate_evidence *e,
			const struct gate_rules *rules)
{
	if (e->speed == GATE_SPEED_LOSES)
		say_loss(k, e, rules);
	else if (e->speed == GATE_SPEED_PASSES)
		say_pass(k, e);
	else
		say_open(k, e);
}

/* Without an interval it fails nothing; only a task that wants no slower case is
 * left open. */
static void judge_worst_case(struct gate_kernel *k,
			     const struct gate_evidence *e,
			     const struct gate_rules *rules)
{
	const struct comparison *c = gate_comparison(k->measured[0]);
	double slack = MAX(CASE_SLACK, rules->allow);

	if (c->n_cases < 2 || !(e->worst_case < 1 - slack))
		return;
	gate_say(k, k->no_slower_case ? GATE_OPEN : GATE_YES,
		 "its worst case is at %.3fx%s", e->worst_case,
		 k->no_slower_case ? ", and the task wants no slower case"
				   : "");
}

/* ---- a claim ------------------------------------------------------------- */

static void judge_claim(struct gate_kernel *k, const struct gate_evidence *e,
			const struct gate_rules *rules)
{
	const struct measurement *last = k->measured[k->n_measured - 1];
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);
	const char *unsteady = measurement_get(last, "unsteady");

	if (e->claim == GATE_NO) {
		gate_say(k, GATE_NO,
			 "**the claim of %.3gx does not hold**: at most %.3fx",
			 rules->claim, e->ratio95.hi);
	} else if (e->claim == GATE_YES) {
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

static bool all_right(struct gate_kernel *k)
{
	for (size_t i = 0; i < k->n_measured; i++)
		if (!is_right(k, k->measured[i]))
			return false;
	return k->n_measured > 0;
}

void gate_judge(struct gate_kernel *k, const struct gate_rules *rules)
{
	struct gate_evidence e = gate_weigh(k, rules);

	judge_trusted(k, rules);
	if (!all_right(k))
		return;
	if (k->base_fails) {
		judge_without_base(k, rules);
		return;
	}
	if (!e.n) {
		gate_say(k, GATE_OPEN,
			 "right, but nothing was compared: a task whose "
			 "command reports scores needs `ab: true`");
		return;
	}
	judge_speed(k, &e, rules);
	judge_worst_case(k, &e, rules);
	if (rules->claim > 0)
		judge_claim(k, &e, rules);
}

enum gate_answer gate_answer(const struct gate_change *g)
{
	enum gate_answer answer = GATE_YES;

	for (size_t i = 0; i < g->n; i++)
		answer = MAX(answer, g->kernel[i].answer);
	return answer;
}
