/*
 * Before any candidate is scored: can the task's checks tell right from wrong?
 *
 * What is looked for is drawn, so a fair task may be unlucky. An input is refused only
 * after SURE_DRAWS sets or more without influence: one that changes an output in one set
 * of twenty is refused in two of a million tasks. What was seen once is kept for the task
 * as its files are, so that a task which is accepted stays so.
 */
#include "scorer/scoring.h"

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/task/hidden.h"
#include "scorer/contest/alone.h"

#define LINT_ROWS 8
/* Sets of inputs for an input that had no influence in a case: as many as these, or as
 * there is time for. With fewer than SURE_DRAWS nothing is refused. */
#define MOST_DRAWS     1024
#define SURE_DRAWS     256
#define PLACE_DRAWS    8 /* at the same sizes */
#define SEARCH_SECONDS 20.0

#define SEEN	 '1'
#define NOT_SEEN '0'

/* Is most of the output without a finite value? Such elements count as equal. */
static bool runs_away(const struct judge_answer *a)
{
	return a->endless > 0 && a->endless >= a->looked_at / 2;
}

#define RUNS_AWAY                                                             \
	"since %lld of %lld elements that were looked at are infinite or no " \
	"number, with the reference itself: the inputs make it run away. "    \
	"Choose smaller ones (`fill: tiny`), a range, or a generator that "   \
	"makes those that it is for"

static struct error *is_constant_words(const struct task *t,
				       const struct judge_answer *a,
				       const char *case_name)
{
	unsigned long long draws = a->draws;
	cleanup_free char *how =
		a->expected > 0
			? xasprintf("in %llu sets of them it varies by %.3g, "
				    "and %.3g would be needed to tell right "
				    "from wrong",
				    draws, a->got, a->expected)
			: xasprintf("it was the same for %llu sets of them",
				    draws);

	if (runs_away(a))
		return error_new(ERROR_TASK,
				 "%s: output `%s` hardly depends on the inputs "
				 "in case %s (%s), " RUNS_AWAY,
				 t->path, t->argument[a->argument].name,
				 case_name, how, (long long)a->endless,
				 (long long)a->looked_at);
	return error_new(ERROR_TASK,
			 "%s: output `%s` hardly depends on the inputs in case "
			 "%s (%s): choose other inputs (`fill`: a range as "
			 "{low: 0, high: 255}, or a generator that makes those "
			 "that matter) or a smaller tolerance, or say `vary: "
			 "false` of it",
			 t->path, t->argument[a->argument].name, case_name,
			 how);
}

/* Of the task's problem, in words that say what to mend. */
static struct error *lint_words(const struct task *t,
				const struct judge_answer *a,
				const char *case_name)
{
	const char *name = t->argument[a->argument].name;

	switch (a->finding) {
	case FINDING_NONE:
		return NULL;
	case FINDING_CONSTANT:
		return is_constant_words(t, a, case_name);
	case FINDING_PLAIN_OFF:
		return judge_plain_is_off(t, a, case_name);
	default:
		return error_new(ERROR_TASK, "%s: `%s` cannot be judged",
				 t->path, name);
	}
}

/* All that can be known of trusted code that is not run. */
static struct error *build_all_trusted(struct scorer *s)
{
	const struct task *t = s->task;

	TRY(scorer_build_once(&s->reference, s, &t->reference));
	for (size_t i = 0; i < t->n_baselines; i++)
		TRY(scorer_build_once(&s->baseline[i], s, &t->baselines[i]));
	return NULL;
}

/* Outputs that never vary, or never with an input: by a reference that keeps its first
 * answer no contents of the inputs help. */
static struct error *ask_constant_alone(struct scorer *s,
					const struct judge_answer *a,
					const struct task_case *c,
					const struct selection *what)
{
	cleanup_input_set struct input_set set = INPUT_SET_INIT;

	if (a->finding != FINDING_CONSTANT &&
	    a->finding != FINDING_NO_INFLUENCE)
		return NULL;
	TRY(set_init(&set, s->task, c, FILL_NORMAL, 1, &s->scoring.secret,
		     &s->scoring.layout));
	TRY(judge_fill(s->scoring.judge, &set));
	TRY(check_tell_failure(judge_reference(s->scoring.judge, &set, what),
			       &set, s->task));
	return alone_ask(&s->scoring, &set);
}

static struct error *lint_case(struct judge_answer *a, struct scorer *s,
			       const struct task_case *c,
			       const struct lint_scope *scope, bool is_alone)
{
	cleanup_input_set struct input_set set = INPUT_SET_INIT;
	struct selection what = {0};

	TRY(set_init(&set, s->task, c, FILL_NORMAL, 1, &s->scoring.secret,
		     &s->scoring.layout));
	check_select(&what, &s->scoring, &set.call.layout, LINT_ROWS);
	TRY(scorer_drop_judge(s,
			      check_tell_failure(judge_lint(a, s->scoring.judge,
							    &set, &what, scope),
						 &set, s->task)));
	if (is_alone)
		TRY(scorer_drop_judge(s, ask_constant_alone(s, a, c, &what)));
	return NULL;
}

/* ---- what was seen once --------------------------------------------------- */

/* A letter for each argument, then for each case. */
static void write_seen(struct buf *out, const struct scorer *s)
{
	const struct task *t = s->task;

	for (size_t i = 0; i < t->n_arguments; i++)
		buf_addc(out, s->seen.influence[i] ? SEEN : NOT_SEEN);
	for (size_t i = 0; i < t->n_cases; i++)
		buf_addc(out, s->seen.varied[i] ? SEEN : NOT_SEEN);
}

static char *seen_path(const struct scorer *s)
{
	return s->options.cache_dir
		       ? xasprintf("%s/seen/%s", s->options.cache_dir,
				   s->task_id)
		       : NULL;
}

void scorer_recall_task(struct scorer *s)
{
	cleanup_free char *path = seen_path(s);
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);
	const struct task *t = s->task;
	struct error *err = path ? file_read(&b, path) : NULL;

	/* One that cannot be read costs draws and nothing else. */
	error_free(err);
	if (b.len != t->n_arguments + t->n_cases)
		return;
	for (size_t i = 0; i < t->n_arguments; i++)
		s->seen.influence[i] = b.data[i] == SEEN;
	for (size_t i = 0; i < t->n_cases; i++)
		s->seen.varied[i] = b.data[t->n_arguments + i] == SEEN;
}

/* An accepted task stays accepted: what chance showed once it need not show again. */
static void keep_seen(const struct scorer *s)
{
	cleanup_free char *path = seen_path(s);
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	if (!path)
		return;
	write_seen(&b, s);
	error_free(file_write_private(path, b.data, b.len));
}

/* ---- an input without influence -------------------------------------------- */

/* Where an input was looked for in vain. */
struct search {
	struct scorer *s;
	size_t argument;
	const struct task_case *only; /* no other; or NULL */
	uint64_t draws; /* in `only`, else in all that are tried */
	double since;
};

/* The timed case that takes the least memory. */
static struct error *smallest_case(size_t *out, struct scorer *s)
{
	int64_t least = INT64_MAX;

	*out = 0;
	for (size_t i = 0; i < s->task->n_cases; i++) {
		cleanup_input_set struct input_set set = INPUT_SET_INIT;
		int64_t bytes;

		TRY(set_init(&set, s->task, &s->task->cases[i], FILL_NORMAL, 1,
			     &s->scoring.secret, &s->scoring.layout));
		bytes = (int64_t)entry_call_inputs_bytes(&set.call);
		if (bytes < least)
			*out = i;
		least = MIN(least, bytes);
	}
	return NULL;
}

/* Where outputs differ, and by no more than is allowed, the tolerance of that case is so
 * wide that it tells nothing of the input, whatever other cases do. */
static const struct task_case *only_case(const struct task *t,
					 const struct judge_answer *a,
					 const struct task_case *c)
{
	return a->got > 0 || (!t->hidden && t->n_cases == 1) ? c : NULL;
}

/* *found: it changes an output at sizes of the task, of which hidden ones are mostly
 * small: there what is rare beside many numbers is not. */
static struct error *try_place(bool *found, struct search *x, unsigned turn,
			       size_t smallest)
{
	const struct task *t = x->s->task;
	struct lint_scope scope = {.varied = true, .draws = PLACE_DRAWS};
	struct task_case drawn = {0};
	struct judge_answer a;
	struct error *err;
	bool hidden = t->hidden && !x->only && turn % 4 != 3;

	for (size_t i = 0; i < TASK_MAX_ARGS; i++)
		scope.settled[i] = i != x->argument;
	if (hidden)
		hidden_draw(&drawn, t, &x->s->scoring.secret);
	err = lint_case(&a, x->s,
			x->only	   ? x->only
			: hidden   ? &drawn
			: turn % 2 ? &t->cases[smallest]
				   : &t->cases[turn / 2 % t->n_cases],
			&scope, false);
	if (hidden)
		task_case_release(&drawn);
	if (err)
		return err;
	*found = a.finding == FINDING_NONE;
	x->draws += PLACE_DRAWS;
	return NULL;
}

static struct error *search_elsewhere(bool *found, struct search *x)
{
	size_t smallest = 0;

	if (!x->only)
		TRY(smallest_case(&smallest, x->s));
	for (unsigned turn = 0; !*found && x->draws < MOST_DRAWS; turn++) {
		if (x->since + SEARCH_SECONDS < clock_seconds())
			return NULL;
		TRY(try_place(found, x, turn, smallest));
	}
	return NULL;
}

static char *draws_text(const struct search *x, const struct judge_answer *a,
			const char *case_name)
{
	unsigned long long here = a->draws, others = x->draws;

	if (x->only)
		return xasprintf("in case %s, in %llu draws of it", case_name,
				 others);
	return xasprintf("in case %s, in %llu draws of it and %llu of all "
			 "sizes",
			 case_name, here, others);
}

/* Has the symbol one value in all that is scored? */
static bool is_fixed(const struct task *t, size_t symbol)
{
	const struct hidden_range *h = t->hidden ? &t->hidden[symbol] : NULL;
	int64_t value = t->cases[0].value[symbol];

	for (size_t i = 1; i < t->n_cases; i++)
		if (t->cases[i].value[symbol] != value)
			return false;
	return !h || (h->low == value && h->high == value);
}

/* "`bypass` is 1 in every case", of those where another value may use the input: a
 * flag that leaves it out is no fault of its contents. Nothing where all are so, which
 * the case's name says. */
static char *fixed_text(const struct task *t)
{
	struct buf b = BUF_INIT(BUF_LIMIT_TEXT);
	size_t n = 0;

	for (size_t i = 0; i < t->symbols.n; i++)
		if (is_fixed(t, i))
			buf_addf(&b, "%s`%s` is %lld", n++ ? ", " : "",
				 t->symbols.v[i],
				 (long long)t->cases[0].value[i]);
	if (!n || n == t->symbols.n)
		buf_clear(&b);
	else
		buf_adds(&b,
			 " in every case, and with another value it may "
			 "change one: give it a case with such a value, or ");
	return buf_take(&b);
}

static struct error *no_influence(const struct search *x,
				  const struct judge_answer *a,
				  const char *draws)
{
	const struct task *t = x->s->task;
	const char *name = t->argument[a->argument].name;
	cleanup_free char *fixed = fixed_text(t);

	if (runs_away(a))
		return error_new(ERROR_TASK,
				 "%s: `%s` changes no output %s, " RUNS_AWAY,
				 t->path, name, draws, (long long)a->endless,
				 (long long)a->looked_at);
	return error_new(ERROR_TASK,
			 "%s: `%s` changes no output %s, so a kernel that "
			 "ignores it would pass: %schoose other contents, or "
			 "`out` if it is only written; or say `vary: false` "
			 "of it",
			 t->path, name, draws, fixed);
}

/* The time ended before there were enough draws to refuse by. */
static void warn(const struct search *x, const struct judge_answer *a,
		 const char *draws)
{
	const struct scorer *s = x->s;
	cleanup_free char *text = xasprintf(
		"`%s` changed no output %s, and more take too long: if it "
		"never does, a kernel that ignores it passes. Give a smaller "
		"case or `hidden` sizes, or say `vary: false` of it",
		s->task->argument[a->argument].name, draws);

	if (s->options.say)
		s->options.say(text);
}

/* *found: the input which *a says has none in this case has influence elsewhere. */
static struct error *settle_input(bool *found, struct scorer *s,
				  const struct judge_answer *a,
				  const struct task_case *c)
{
	const char *name = c->name;
	struct search x = {.s = s,
			   .argument = a->argument,
			   .only = only_case(s->task, a, c),
			   .since = clock_seconds()};
	cleanup_free char *draws = NULL;

	*found = false;
	x.draws = x.only ? a->draws : 0;
	TRY(search_elsewhere(found, &x));
	if (*found)
		return NULL;
	draws = draws_text(&x, a, name);
	if (x.draws >= SURE_DRAWS)
		return no_influence(&x, a, draws);
	warn(&x, a, draws);
	return NULL;
}

/* ---- a case ----------------------------------------------------------------- */

/* `doubted`: inputs of which the user was warned. */
static struct error *look_at_case(struct scorer *s, size_t number,
				  bool doubted[TASK_MAX_ARGS])
{
	const struct task *t = s->task;
	const struct task_case *c = &t->cases[number];
	struct lint_scope scope = {.varied = s->seen.varied[number]};
	struct judge_answer a;
	bool found;

	for (;;) {
		for (size_t i = 0; i < TASK_MAX_ARGS; i++)
			scope.settled[i] = s->seen.influence[i] || doubted[i];
		TRY(lint_case(&a, s, c, &scope, true));
		if (a.finding != FINDING_NO_INFLUENCE)
			break;
		scope.varied = true;
		TRY(settle_input(&found, s, &a, c));
		s->seen.influence[a.argument] = found;
		doubted[a.argument] = !found;
	}
	TRY(lint_words(t, &a, c->name));
	s->seen.varied[number] = true;
	for (size_t i = 0; i < t->n_arguments; i++)
		s->seen.influence[i] = s->seen.influence[i] || !doubted[i];
	return NULL;
}

struct error *scorer_look_at_task(struct scorer *s)
{
	const struct task *t = s->task;
	bool doubted[TASK_MAX_ARGS] = {false};

	if (task_is_reported(t))
		return NULL;
	if (!scorer_has_device(s))
		return build_all_trusted(s);
	if (t->language == LANGUAGE_CUDA)
		return NULL;
	scorer_reseed(s, 2);
	stage_begin(s->options.stage, STAGE_BUILD);
	TRY(scorer_need_judge(s));
	stage_begin(s->options.stage, STAGE_CHECK);
	for (size_t i = 0; i < t->n_cases; i++) {
		TRY(look_at_case(s, i, doubted));
		stage_done(s->options.stage,
			   (double)(i + 1) / (double)t->n_cases);
	}
	keep_seen(s);
	return NULL;
}
