/* The loop, with plain stand-ins for archive, evaluator and operator. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "core/base/clock.h"
#include "core/run/evolve.h"
#include "core/run/journal.h"

/* ---- the stand-ins: a candidate is a number, its speed a function ------- */

#define WORLD_MAX 512

/* Instead of a next draft. */
#define NO_IDEA_EVER (-1)
#define NO_IDEA_HERE (-2)
#define A_FAULT	     (-3)

struct world {
	struct archive archive;
	struct evaluator evaluator;
	struct variation_operator operator_;
	struct task task;
	int draft_of[WORLD_MAX];
	size_t n_candidates;
	int draft;		  /* what the workspace holds */
	char *journal[WORLD_MAX]; /* JSON, as on disk */
	size_t n_entries;
	size_t open_workspaces;
	double (*seconds)(int draft); /* <= 0: a wrong kernel */
	const char *machine;	      /* the kind of machine that measures */
	double takes;		      /* seconds of the run, each scoring */
	size_t late_at;		      /* this one takes so many more; 0: none */
	double late;
	double soonest; /* end that a scoring's comparisons had; 0: none yet */
	double left;	/* seconds that the operator's last step had */
	size_t scorings;
	bool never_confirm;
	size_t unsteady; /* so many of the first attempts meet a busy machine */
	size_t blurred;	 /* so many of the first see nothing for the noise */
	bool has_sanitizer;
	bool no_device;	     /* what builds is not run */
	unsigned asked_for;  /* sanitizers, in the last scoring */
	size_t interrupt_at; /* this scoring is interrupted; 0: none */
	size_t fail_at;	     /* this one, and those after it, are errors */
	bool unusable;	     /* what is measured has figures that cannot be */
	int fails_as_rival;  /* this draft; 0: none */
	bool fails_alone;    /* it does so by itself, too */
	size_t alone;	     /* how often it was scored so */
	size_t alone_in_turn;
	int (*next)(int parent, size_t step); /* or one of the below */
	size_t steps;
	size_t looks;	/* ahead */
	double ceiling; /* seconds of the one case at the card's limit */
	bool again;	/* the operator has what is open measured again */
	bool one_step;	/* the operator makes the whole run in one step */
	/* Set by the scoring of the first attempt, at whose end another process
	 * has the turn: it is refused so many times. */
	volatile int *stop;
	unsigned refusals;
	bool has_turn;
	char told[512]; /* the direction it saw last */
};

#define WORLD(member, p) \
	((struct world *)((char *)(p)-offsetof(struct world, member)))

static void make_id(struct commit_id *id, size_t n)
{
	snprintf(id->hex, COMMIT_ID_LEN + 1, "%040zx", n + 1);
}

static int draft_of(const struct world *w, const char *id)
{
	return w->draft_of[strtoul(id, NULL, 16) - 1];
}

static struct error *open_workspace(struct archive *a, struct workspace *out,
				    const char *parent)
{
	struct world *w = WORLD(archive, a);

	out->dir = xstrdup("nowhere");
	w->draft = draft_of(w, parent);
	w->open_workspaces++;
	return NULL;
}

static void close_workspace(struct archive *a, struct workspace *ws)
{
	WORLD(archive, a)->open_workspaces--;
	free(ws->dir);
}

static struct error *seal(struct archive *a, struct commit_id *id, bool *same,
			  const struct workspace *ws, const char *parent,
			  const struct proposal *p)
{
	struct world *w = WORLD(archive, a);

	(void)ws;
	assert_true(p->number > 0);
	*same = w->draft == draft_of(w, parent);
	if (*same) {
		*id = commit_id(parent);
		return NULL;
	}
	w->draft_of[w->n_candidates] = w->draft;
	make_id(id, w->n_candidates++);
	return NULL;
}

static struct error *load(struct archive *a, struct candidate *out,
			  const char *id)
{
	struct world *w = WORLD(archive, a);

	out->id = commit_id(id);
	snprintf(out->sources_id, sizeof out->sources_id, "%064d",
		 draft_of(w, id));
	return NULL;
}

static struct error *append(struct archive *a, struct entry *e,
			    const struct population *after)
{
	struct world *w = WORLD(archive, a);
	cleanup_json struct json *j = journal_to_json(e);

	assert_true(after->time_us == e->time_us);
	assert_true(w->n_entries < WORLD_MAX);
	w->journal[w->n_entries++] = json_print(j);
	return NULL;
}

static struct error *parse_entry(struct entry *out, const char *text)
{
	cleanup_json struct json *j = NULL;

	TRY(json_parse(&j, text, strlen(text)));
	return journal_from_json(out, j);
}

static struct error *read_run(struct archive *a, struct population *p,
			      const char *run)
{
	struct world *w = WORLD(archive, a);

	for (size_t i = 0; i < w->n_entries; i++) {
		cleanup_entry struct entry e;

		entry_init(&e, ENTRY_STOP, run);
		TRY(parse_entry(&e, w->journal[i]));
		population_apply(p, &e);
	}
	return NULL;
}

static struct error *find(struct archive *a, struct measurement **out,
			  const struct identity *identity)
{
	struct world *w = WORLD(archive, a);

	for (size_t i = w->n_entries; i-- > 0;) {
		cleanup_entry struct entry e;

		entry_init(&e, ENTRY_STOP, "");
		TRY(parse_entry(&e, w->journal[i]));
		if (e.measurement &&
		    identity_equal(&e.measurement->identity, identity)) {
			*out = steal(&e.measurement);
			return NULL;
		}
	}
	return NULL;
}

static void identify(struct evaluator *e, struct identity *out,
		     const struct candidate *c)
{
	*out = (struct identity){.task = "t", .scorer = "1"};
	snprintf(out->machine, sizeof out->machine, "%s",
		 WORLD(evaluator, e)->machine);
	snprintf(out->sources, sizeof out->sources, "%s", c->sources_id + 48);
}

static const char *machine_name(struct evaluator *e UNUSED)
{
	return "a stand-in";
}

static void compare(struct world *w, struct measurement *m, double mine,
		    const struct rival_request *r, bool confirm)
{
	double theirs = w->seconds(draft_of(w, r->candidate->id.hex));
	struct comparison *c =
		measurement_add_comparison(m, r->rival, r->candidate->id.hex);

	c->ratio = theirs / mine;
	c->ratio95 = (struct interval){c->ratio * 0.99, c->ratio * 1.01};
	if (w->scorings <= 1 + w->blurred)
		c->ratio95 = (struct interval){c->ratio * 0.7, c->ratio * 1.4};
	c->decision = c->ratio95.lo > 1	  ? DECISION_FASTER
		      : c->ratio95.hi < 1 ? DECISION_SLOWER
					  : DECISION_NONE;
	c->confirmed = confirm && c->decision == DECISION_FASTER &&
		       !w->never_confirm;
	c->worst_case = c->ratio;
	if (w->scorings <= 1 + w->unsteady && c->decision == DECISION_FASTER) {
		c->confirmed = false;
		measurement_set(m, "unsteady", "others had the CPU");
	}
}

/* The rival that fails beside this candidate; n_rivals: none does. */
static size_t failing_rival(const struct world *w,
			    const struct score_request *r)
{
	size_t i = 0;

	while (w->fails_as_rival && i < r->n_rivals &&
	       draft_of(w, r->rivals[i].candidate->id.hex) != w->fails_as_rival)
		i++;
	return w->fails_as_rival ? i : r->n_rivals;
}

static struct error *score(struct evaluator *e, struct measurement **out,
			   const struct score_request *request)
{
	struct world *w = WORLD(evaluator, e);
	double seconds = w->seconds(draft_of(w, request->candidate->id.hex));
	size_t failing = failing_rival(w, request);
	double takes = w->takes;
	struct measurement *m;

	*out = NULL;
	if (!(w->soonest > 0) || request->until < w->soonest)
		w->soonest = request->until;
	if (w->scorings + 1 == w->late_at)
		takes += w->late;
	if (takes > 0)
		assert_true(clock_wait(takes, NULL));
	if (++w->scorings == w->interrupt_at)
		return error_new(ERROR_INTERRUPTED, "stopped");
	if (w->fail_at && w->scorings >= w->fail_at)
		return error_new(ERROR_TASK, "the rival fails itself");
	if (failing < request->n_rivals) {
		assert_non_null(request->rival_failure);
		*request->rival_failure =
			(struct rival_failure){.failed = true,
					       .rival = failing,
					       .verdict = VERDICT_CRASHED,
					       .why = xstrdup("it fell over")};
		return NULL;
	}
	if (request->thorough) {
		assert_int_equal(draft_of(w, request->candidate->id.hex),
				 w->fails_as_rival);
		w->alone++;
		w->alone_in_turn += w->has_turn;
		if (w->fails_alone)
			seconds = 0;
	}
	if (w->stop && w->scorings == 2) {
		*w->stop = 1;
		w->refusals = 2;
	}
	m = measurement_new();
	identify(e, &m->identity, request->candidate);
	if (w->no_device && seconds > 0) {
		measurement_fail(m, VERDICT_NOT_RUN, "there is no device");
	} else if (w->unusable) {
		measurement_fail(m, VERDICT_UNUSABLE, "case x says seconds=-1");
	} else if (seconds <= 0) {
		measurement_fail(m, VERDICT_WRONG, "it is wrong");
	} else {
		m->score = 1 / seconds;
		if (w->ceiling > 0)
			measurement_add_case(m, "n=1")->ceiling =
				w->ceiling / seconds;
		for (size_t i = 0; i < request->n_rivals; i++)
			compare(w, m, seconds, &request->rivals[i],
				request->confirm && i == 0);
	}
	m->seconds_timed = 1;
	m->seconds_total = takes;
	w->asked_for = request->sanitizers;
	if (request->sanitizers)
		measurement_set(
			m, w->has_sanitizer ? "sanitized" : "unsanitized",
			w->has_sanitizer ? "memcheck" : "not installed");
	*out = m;
	return NULL;
}

/* As an agent's tool does: of an error it makes a failed reply, and what it
 * looks at next is the parent. */
static struct error *score_draft(const struct world *w,
				 const struct attempt **a, struct variation *v)
{
	struct error *err = v->score(v, a, "a change", "because", "{}");

	if (!w->fail_at || !err)
		return err;
	error_free(err);
	assert_ptr_equal(variation_parent(v), &v->population->attempt[0]);
	return NULL;
}

static struct error *vary(struct variation_operator *o, enum varied *out,
			  struct variation *v)
{
	struct world *w = WORLD(operator_, o);
	const struct attempt *a;

	do {
		int next = w->next(w->draft, w->steps++);

		w->left = v->allowance->seconds_left(v->allowance);
		if (next < 0) {
			*out = next == NO_IDEA_EVER   ? VARIED_EXHAUSTED
			       : next == NO_IDEA_HERE ? VARIED_DEAD_END
						      : VARIED_FAILED;
			if (next == A_FAULT)
				v->because = xstrdup("it said:\nno\xff");
			return NULL;
		}
		w->draft = next;
		TRY(score_draft(w, &a, v));
		if (w->again && a && !a->accepted)
			TRY(v->measure_again(v, &a, a->id.hex));
		*out = a ? VARIED : VARIED_NOTHING;
		snprintf(w->told, sizeof w->told, "%s",
			 v->direction ? v->direction : "");
	} while (w->one_step && v->may_go_on(v));
	return NULL;
}

/* ---- another process that extends the run ------------------------------ */

static struct error *take_turn(struct archive *a, bool *taken,
			       struct population *p UNUSED,
			       const char *run UNUSED)
{
	struct world *w = WORLD(archive, a);

	*taken = !w->refusals;
	if (w->refusals)
		w->refusals--;
	w->has_turn = *taken;
	return NULL;
}

static void give_turn(struct archive *a)
{
	WORLD(archive, a)->has_turn = false;
}

static void hold(struct archive *a UNUSED, const char *id UNUSED,
		 bool begins UNUSED)
{
}

static bool is_held(struct archive *a UNUSED, const char *id UNUSED)
{
	return false;
}

static void share(struct world *w)
{
	w->evaluator.elsewhere = true;
	w->archive.take_turn = take_turn;
	w->archive.give_turn = give_turn;
	w->archive.hold = hold;
	w->archive.is_held = is_held;
	w->has_turn = true;
}

static void world_init(struct world *w, double (*seconds)(int),
		       int (*next)(int, size_t))
{
	*w = (struct world){
		.archive = {open_workspace, close_workspace, seal, load, append,
			    read_run, find, NULL},
		.evaluator = {.score = score,
			      .identify = identify,
			      .machine_name = machine_name},
		.operator_ = {"stand-in", vary, NULL},
		.task = {.path = xstrdup("avogit.yaml")},
		.seconds = seconds,
		.machine = "m",
		.next = next,
		.n_candidates = 1,
	};
}

static void world_release(struct world *w)
{
	assert_int_equal(w->open_workspaces, 0);
	for (size_t i = 0; i < w->n_entries; i++)
		free(w->journal[i]);
	free(w->task.path);
}

static void set_up(struct world *w, struct population *p,
		   struct evolve *settings)
{
	settings->task = &w->task;
	settings->archive = &w->archive;
	settings->evaluator = &w->evaluator;
	settings->operator_ = &w->operator_;
	snprintf(settings->run, sizeof settings->run, "r");
	make_id(&settings->base, 0);
	settings->seed = 7;
	population_init(p);
}

static const char *evolve(struct world *w, struct population *p,
			  struct evolve *settings)
{
	enum ending ending;
	struct error *err;

	set_up(w, p, settings);
	err = evolve_run(&ending, p, settings);
	if (err)
		print_error("%s\n", error_message(err));
	assert_null(err);
	return p->stop_reason;
}

/* ---- landscapes and operators ------------------------------------------ */

/* Drafts from here on are wrong kernels. */
#define WRONG 1000

static double faster_by_tenths(int draft)
{
	return draft >= WRONG ? 0 : 1.0 / (1 + 0.1 * draft);
}

static int one_more(int parent, size_t step UNUSED)
{
	return parent + 1;
}

static int wrong_every_other(int parent, size_t step)
{
	return step % 2 ? parent + 1 : WRONG + (int)step;
}

static double up_to_three(int draft)
{
	return 1.0 / (1 + 0.1 * MIN(draft, 3));
}

static double flat(int draft UNUSED)
{
	return 1;
}

static int count_up(int parent UNUSED, size_t step)
{
	return 1 + (int)step;
}

static int three_ideas(int parent, size_t step)
{
	return step < 3 ? parent + 1 : NO_IDEA_EVER;
}

static int three_apart(int parent UNUSED, size_t step)
{
	return step < 3 ? 1 + (int)step : NO_IDEA_EVER;
}

/* On the third it builds. */
static int three_apart_and_one_more(int parent, size_t step)
{
	return parent == 3 ? 4 : three_apart(parent, step);
}

static int faults_after_three(int parent, size_t step)
{
	return step < 3 ? parent + 1 : A_FAULT;
}

static int a_fault_now_and_then(int parent, size_t step)
{
	return step % 5 ? A_FAULT : parent + 1;
}

/* From the first gain it makes nothing. */
static int only_from_the_start(int parent, size_t step)
{
	return parent == 1 ? NO_IDEA_HERE : WRONG + (int)step % 400;
}

static int no_change(int parent, size_t step UNUSED)
{
	return parent;
}

/* ---- tests ------------------------------------------------------------- */

static const struct attempt *champion(const struct population *p)
{
	return &p->attempt[p->champion];
}

static void every_gain_is_crowned_and_extends_the_lineage(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 5}};

	world_init(&w, faster_by_tenths, one_more);
	assert_string_equal(evolve(&w, &p, &e), "attempts");
	assert_int_equal(p.n, 6);
	assert_int_equal(draft_of(&w, champion(&p)->id.hex), 5);
	for (size_t i = 1; i < p.n; i++) {
		assert_true(p.attempt[i].accepted && p.attempt[i].crowned);
		assert_string_equal(p.attempt[i].parent.hex,
				    p.attempt[i - 1].id.hex);
	}
	assert_true(fabs(champion(&p)->gain - log(1.5)) < 1e-9);
	world_release(&w);
}

static void what_is_proposed_is_measured_where_it_can_run(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p, after;
	struct evolve e = {.budget = {.attempts = 4}, .proposes = true};

	world_init(&w, faster_by_tenths, wrong_every_other);
	w.no_device = true;
	assert_string_equal(evolve(&w, &p, &e), "attempts");
	assert_int_equal(p.n, 5);
	assert_int_equal(p.champion, 0);
	assert_null(p.attempt[0].measurement);
	assert_int_equal(p.attempt[1].measurement->verdict, VERDICT_WRONG);
	assert_null(p.attempt[2].measurement);

	w.no_device = false;
	e = (struct evolve){.budget = {.attempts = 1}};
	w.next = no_change;
	evolve(&w, &after, &e);
	assert_int_equal(after.n, 5);
	assert_non_null(after.attempt[0].measurement);
	assert_int_equal(champion(&after)->number, 2);
	world_release(&w);
}

static bool build_ahead(struct evaluator *e UNUSED,
			const struct candidate *c UNUSED, bool is_sure UNUSED)
{
	return true;
}

static size_t choose_ahead(struct evaluator *e UNUSED)
{
	return 1;
}

/* Of the start alone, before it is measured, and it may be built for. */
static struct error *look_ahead(struct variation_operator *o,
				struct variation *v)
{
	struct world *w = WORLD(operator_, o);

	assert_non_null(v->foresee);
	assert_int_equal(v->population->n, 1);
	assert_null(variation_parent(v)->measurement);
	assert_int_equal(w->scorings, 0);
	w->looks++;
	return error_new(ERROR_SYSTEM, "said when it is its turn");
}

static void the_operator_looks_ahead_once_before_the_start_is_measured(
	void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 2}};

	world_init(&w, faster_by_tenths, one_more);
	w.operator_.look_ahead = look_ahead;
	/* Where nothing can be built ahead there is nothing to be won. */
	assert_string_equal(evolve(&w, &p, &e), "attempts");
	assert_int_equal(w.looks, 0);
	population_release(&p);
	world_release(&w);
	world_init(&w, faster_by_tenths, one_more);
	w.operator_.look_ahead = look_ahead;
	w.evaluator.build_ahead = build_ahead;
	w.evaluator.choose_ahead = choose_ahead;
	assert_string_equal(evolve(&w, &p, &e), "attempts");
	assert_int_equal(w.looks, 1);
	population_release(&p);
	/* A run that goes on has its start. */
	e.budget.attempts = 1;
	assert_string_equal(evolve(&w, &p, &e), "attempts");
	assert_int_equal(w.looks, 1);
	world_release(&w);
}

static void a_failure_is_kept_but_never_a_parent(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 6}};

	world_init(&w, faster_by_tenths, wrong_every_other);
	evolve(&w, &p, &e);
	assert_int_equal(p.n, 7);
	for (size_t i = 1; i < p.n; i++) {
		const struct attempt *parent =
			population_find(&p, p.attempt[i].parent.hex);

		assert_int_equal(parent->measurement->verdict, VERDICT_PASS);
	}
	assert_int_equal(draft_of(&w, champion(&p)->id.hex), 3);
	world_release(&w);
}

static void an_unconfirmed_win_is_not_crowned(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 3}};

	world_init(&w, faster_by_tenths, count_up);
	w.never_confirm = true;
	evolve(&w, &p, &e);
	assert_int_equal(p.champion, 0);
	assert_false(p.attempt[1].accepted);
	world_release(&w);
}

static void the_same_sources_are_not_measured_twice(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 4}};

	/* From the start, which stays champion, the same idea every time. */
	world_init(&w, flat, one_more);
	evolve(&w, &p, &e);
	assert_int_equal(p.n, 5);
	assert_int_equal(w.scorings, 2);
	assert_null(measurement_get(p.attempt[1].measurement, "same_sources"));
	for (size_t i = 2; i < p.n; i++)
		assert_string_equal(measurement_get(p.attempt[i].measurement,
						    "same_sources"),
				    p.attempt[1].id.hex);
	world_release(&w);
}

static int the_same_again(int parent UNUSED, size_t step UNUSED)
{
	return 1;
}

static void a_win_on_a_busy_machine_is_measured_once_more(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 2}};

	world_init(&w, faster_by_tenths, the_same_again);
	w.unsteady = 1;
	evolve(&w, &p, &e);
	/* The base, one attempt, the other, the champion against the start. */
	assert_int_equal(w.scorings, 4);
	assert_int_equal(p.champion, 2);
	world_release(&w);
}

static void no_win_is_measured_more_often_than_twice(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 5}};

	world_init(&w, faster_by_tenths, the_same_again);
	w.unsteady = WORLD_MAX;
	evolve(&w, &p, &e);
	assert_int_equal(p.n, 6);
	assert_int_equal(w.scorings, 3);
	assert_int_equal(p.champion, 0);
	world_release(&w);
}

static void crown_number(struct world *w, struct population *p, size_t number)
{
	cleanup_entry struct entry e;

	entry_init(&e, ENTRY_CROWN, "r");
	e.candidate = p->attempt[number].id;
	e.number = (int64_t)number;
	e.time_us = p->time_us + 1;
	snprintf(e.machine, sizeof e.machine, "%s", w->machine);
	population_apply(p, &e);
	assert_null(w->archive.append(&w->archive, &e, p));
}

/* What another clone wrote of an attempt. */
static void write_nonsense(struct world *w, struct population *p, size_t at)
{
	cleanup_entry struct entry e, back;
	char number[] = "\"score\":-1", *json;

	entry_init(&e, ENTRY_MEASUREMENT, "r");
	entry_init(&back, ENTRY_STOP, "");
	e.candidate = p->attempt[at].id;
	e.time_us = ++p->time_us;
	e.accepted = true;
	e.measurement = measurement_new();
	e.measurement->score = -1;
	identify(&w->evaluator, &e.measurement->identity,
		 &(struct candidate){.sources_id = "x"});
	assert_null(w->archive.append(&w->archive, &e, p));
	json = w->journal[w->n_entries - 1];
	assert_non_null(strstr(json, number));
	assert_null(parse_entry(&back, json));
	population_apply(p, &back);
}

static void figures_that_cannot_be_replace_none_and_win_nothing(
	void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 2}};
	const struct measurement *before;

	world_init(&w, faster_by_tenths, one_more);
	evolve(&w, &p, &e);
	before = champion(&p)->measurement;
	write_nonsense(&w, &p, p.champion);
	assert_ptr_equal(champion(&p)->measurement, before);
	assert_true(isfinite(champion(&p)->gain));
	world_release(&w);
}

static void an_attempt_of_such_figures_is_measured_and_not_crowned(
	void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 3}};

	world_init(&w, faster_by_tenths, one_more);
	w.interrupt_at = 3;
	evolve(&w, &p, &e);
	write_nonsense(&w, &p, 2);
	assert_int_equal(p.attempt[2].measurement->verdict, VERDICT_UNUSABLE);
	assert_false(p.attempt[2].accepted);
	assert_ptr_equal(population_in_flight(&p, 0), &p.attempt[2]);
	crown_number(&w, &p, 2);
	assert_int_equal(p.champion, 1);
	population_release(&p);
	evolve(&w, &p, &e);
	assert_int_equal(p.attempt[2].measurement->verdict, VERDICT_PASS);
	assert_true(p.attempt[2].crowned);
	world_release(&w);
}

/* A later measurement of the champion. */
static void measure_again(struct world *w, struct population *p,
			  enum verdict verdict, const char *machine)
{
	cleanup_entry struct entry e;

	entry_init(&e, ENTRY_MEASUREMENT, "r");
	memcpy(e.candidate.hex, champion(p)->id.hex, sizeof e.candidate);
	e.time_us = ++p->time_us;
	e.measurement = measurement_new();
	e.measurement->verdict = verdict;
	identify(&w->evaluator, &e.measurement->identity,
		 &(struct candidate){.sources_id = "x"});
	if (machine)
		snprintf(e.measurement->identity.machine,
			 sizeof e.measurement->identity.machine, "%s", machine);
	population_apply(p, &e);
	assert_null(w->archive.append(&w->archive, &e, p));
}

static void a_champion_found_wrong_loses_its_crown(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 3}};

	world_init(&w, faster_by_tenths, one_more);
	evolve(&w, &p, &e);
	assert_int_equal(p.champion, 3);
	measure_again(&w, &p, VERDICT_WRONG, NULL);
	assert_int_equal(p.champion, 2);
	assert_false(p.attempt[3].crowned || p.attempt[3].accepted);
	assert_int_equal(p.lineage[0].tip, 2);
	assert_int_equal(champion(&p)->measurement->verdict, VERDICT_PASS);
	/* And so on, down to the start. */
	measure_again(&w, &p, VERDICT_FORBIDDEN, NULL);
	measure_again(&w, &p, VERDICT_CRASHED, NULL);
	assert_int_equal(p.champion, 0);
	population_release(&p);
	e.budget.attempts = 1;
	evolve(&w, &p, &e);
	assert_int_equal(p.champion, 4);
	assert_string_equal(p.attempt[4].parent.hex, p.attempt[0].id.hex);
	world_release(&w);
}

static void what_refutes_no_champion_leaves_it_as_it_was(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 3}};

	world_init(&w, faster_by_tenths, one_more);
	evolve(&w, &p, &e);
	measure_again(&w, &p, VERDICT_TIMED_OUT, NULL);
	measure_again(&w, &p, VERDICT_NOT_RUN, NULL);
	measure_again(&w, &p, VERDICT_WRONG, "another kind of machine");
	assert_int_equal(p.champion, 3);
	assert_int_equal(champion(&p)->measurement->verdict, VERDICT_PASS);
	assert_true(isfinite(champion(&p)->gain));
	world_release(&w);
}

static int next_number(int parent UNUSED, size_t step)
{
	return (int)step + 1;
}

static void a_champion_that_fails_as_a_rival_is_deposed_and_the_run_goes_on(
	void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 3}};

	world_init(&w, faster_by_tenths, next_number);
	w.fails_as_rival = 2;
	w.fails_alone = true;
	assert_string_equal(evolve(&w, &p, &e), "attempts");
	assert_int_equal(w.alone, 1);
	assert_false(p.attempt[2].crowned || p.attempt[2].accepted);
	assert_int_equal(p.attempt[2].measurement->verdict, VERDICT_WRONG);
	/* Crowned over the one before. */
	assert_int_equal(p.champion, 3);
	assert_int_equal(p.n_sayings, 1);
	assert_string_equal(p.sayings[0].reason,
			    "#2 failed as a rival (crashed: it fell over); by "
			    "itself it fails, too");
	world_release(&w);
}

static void so_it_is_where_a_run_is_resumed_with_an_attempt_in_flight(
	void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 3}};

	world_init(&w, faster_by_tenths, next_number);
	w.interrupt_at = 4; /* the third attempt */
	assert_string_equal(evolve(&w, &p, &e), "interrupted");
	assert_int_equal(p.champion, 2);
	population_release(&p);
	w.fails_as_rival = 2;
	w.fails_alone = true;
	e.budget.attempts = 1;
	assert_string_equal(evolve(&w, &p, &e), "attempts");
	assert_int_equal(w.alone, 1);
	assert_false(p.attempt[2].crowned);
	assert_int_equal(p.champion, 4);
	world_release(&w);
}

static void a_rival_that_passes_by_itself_keeps_its_crown(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 3}};

	world_init(&w, faster_by_tenths, next_number);
	w.fails_as_rival = 2;
	assert_string_equal(evolve(&w, &p, &e), "attempts");
	assert_int_equal(w.alone, 2);
	assert_int_equal(p.champion, 2);
	assert_int_equal(champion(&p)->measurement->verdict, VERDICT_PASS);
	assert_true(isfinite(champion(&p)->gain));
	/* Its own verdict is said, and it is not crowned. */
	assert_int_equal(p.attempt[3].measurement->verdict, VERDICT_PASS);
	assert_int_equal(p.attempt[3].measurement->n_comparisons, 0);
	assert_false(p.attempt[3].crowned);
	assert_int_equal(p.n_sayings, 2);
	world_release(&w);
}

static void a_start_that_fails_as_a_rival_and_by_itself_is_said(
	void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	enum ending ending;
	struct evolve e = {.budget = {.attempts = 3}};
	cleanup_error struct error *err = NULL;

	world_init(&w, faster_by_tenths, next_number);
	w.draft_of[0] = 700;
	w.fails_as_rival = 700;
	w.fails_alone = true;
	set_up(&w, &p, &e);
	err = evolve_run(&ending, &p, &e);
	assert_true(error_is(err, ERROR_REFUSED));
	assert_non_null(strstr(error_message(err), "fails its own task"));
	world_release(&w);
}

static void a_tip_that_fails_as_a_rival_is_gone_on_from_no_more(
	void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 2}};

	world_init(&w, faster_by_tenths, next_number);
	evolve(&w, &p, &e);
	measure_again(&w, &p, VERDICT_PASS, NULL);
	/* Accepted, and another attempt has the crown. */
	p.attempt[2].crowned = false;
	p.champion = 1;
	{
		cleanup_entry struct entry again;

		entry_init(&again, ENTRY_MEASUREMENT, "r");
		again.candidate = p.attempt[2].id;
		again.measurement = measurement_new();
		again.measurement->verdict = VERDICT_WRONG;
		again.measurement->identity =
			p.attempt[2].measurement->identity;
		population_apply(&p, &again);
	}
	assert_false(p.attempt[2].accepted);
	assert_int_equal(p.lineage[0].tip, 1);
	assert_int_equal(p.champion, 1);
	world_release(&w);
}

static void a_stall_begins_a_lineage_elsewhere(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 30},
			   .supervisor.rules = {.stall = 10,
						.max_lineages = 4}};

	world_init(&w, flat, count_up);
	evolve(&w, &p, &e);
	assert_true(p.interventions >= 1);
	assert_true(p.n_lineages >= 2);
	assert_non_null(p.lineage[1].direction);
	assert_true(p.lineage[1].attempts > 0);
	world_release(&w);
}

/* As many coding agents do. */
static void a_long_step_goes_on_in_the_new_lineage(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 10},
			   .supervisor.rules = {.stall = 6}};

	world_init(&w, up_to_three, count_up);
	w.one_step = true;
	evolve(&w, &p, &e);
	assert_int_equal(p.n, 11);
	assert_int_equal(p.champion, 3);
	assert_int_equal(p.interventions, 1);
	assert_int_equal(p.attempt[10].lineage, 2);
	assert_true(p.lineage[1].root < 3);
	assert_string_equal(p.attempt[10].parent.hex,
			    p.attempt[p.lineage[1].root].id.hex);
	assert_string_equal(p.attempt[10].after.hex, p.attempt[9].id.hex);
	assert_true(starts_with(w.told, "stall: 6 attempts"));
	world_release(&w);
}

static void the_supervisor_is_silent_while_it_improves(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 30},
			   .supervisor.rules = {.stall = 3, .max_lineages = 4}};

	world_init(&w, faster_by_tenths, one_more);
	evolve(&w, &p, &e);
	assert_int_equal(p.interventions, 0);
	world_release(&w);
}

/* Advises to begin at the start; takes three turns for it. While `stop` points
 * to something it is interrupted instead. */
struct elder {
	struct advisor advisor; /* first: cast back */
	volatile int *stop;
	size_t asked;
};

static struct error *advise(struct advisor *self, struct advice *out,
			    const struct question *q)
{
	struct elder *e = (struct elder *)self;
	struct allowance *a = q->now->allowance;

	e->asked++;
	assert_null(a->why_stop(a));
	a->spent(a, &(struct spend){.turns = 3, .tokens_in = 100});
	if (e->stop) {
		*e->stop = 1;
		assert_string_equal(a->why_stop(a), "interrupted");
		return error_new(ERROR_INTERRUPTED, "stopped");
	}
	out->direction = xstrdup("begin anew");
	out->parent = 0;
	return NULL;
}

static void what_a_review_takes_is_the_runs(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct elder elder = {{"an elder", advise}, NULL, 0};
	struct evolve e = {
		.budget = {.steps = 3},
		.supervisor = {.rules = {.stall = 4, .max_lineages = 4},
			       .advisor = &elder.advisor}};

	world_init(&w, flat, count_up);
	assert_string_equal(evolve(&w, &p, &e), "steps");
	assert_int_equal(elder.asked, 1);
	assert_int_equal(p.interventions, 1);
	assert_int_equal(p.n, 5);
	assert_int_equal(p.spend.turns, 3);
	assert_int_equal(p.spend.tokens_in, 100);
	assert_true(ends_with(p.lineage[1].direction, "begin anew"));
	world_release(&w);
}

static void a_review_that_is_interrupted_is_done_by_the_next_start(
	void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p, again;
	volatile int stop = 0;
	struct elder elder = {{"an elder", advise}, &stop, 0};
	struct evolve e = {
		.budget = {.steps = 6},
		.stop_requested = &stop,
		.supervisor = {.rules = {.stall = 4, .max_lineages = 4},
			       .advisor = &elder.advisor}};

	world_init(&w, flat, count_up);
	assert_string_equal(evolve(&w, &p, &e), "interrupted");
	assert_int_equal(p.interventions, 0);
	assert_int_equal(p.spend.turns, 3);
	stop = 0;
	elder.stop = NULL;
	assert_string_equal(evolve(&w, &again, &e), "steps");
	assert_int_equal(again.interventions, 1);
	assert_int_equal(again.n, p.n);
	assert_int_equal(elder.asked, 2);
	world_release(&w);
}

static void it_stops_when_the_operator_has_nothing_left(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.seed = 7};

	world_init(&w, faster_by_tenths, three_ideas);
	assert_string_equal(evolve(&w, &p, &e), "exhausted");
	assert_int_equal(p.n, 4);
	population_release(&p);
	world_release(&w);

	world_init(&w, faster_by_tenths, no_change);
	assert_string_equal(evolve(&w, &p, &e), "exhausted");
	assert_int_equal(p.n, 1);
	world_release(&w);
}

static void it_stops_when_the_operator_fails_time_after_time(
	void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.seed = 7};
	enum ending ending = ENDING_DONE;

	world_init(&w, faster_by_tenths, faults_after_three);
	set_up(&w, &p, &e);
	assert_null(evolve_run(&ending, &p, &e));
	assert_int_equal(ending, ENDING_FAILED);
	assert_string_equal(p.stop_reason, "the operator failed 8 times: "
					   "it said: no?");
	assert_int_equal(p.champion, 3);
	/* Once in the steps, and once against the start. */
	assert_non_null(measurement_against(champion(&p)->measurement,
					    RIVAL_START, NULL));
	population_release(&p);
	world_release(&w);

	e.budget.attempts = 6;
	world_init(&w, faster_by_tenths, a_fault_now_and_then);
	assert_string_equal(evolve(&w, &p, &e), "attempts");
	world_release(&w);
}

static struct error *refuse_some(struct variation_operator *o UNUSED,
				 const struct fileset *files)
{
	return files->n ? error_new(ERROR_REFUSED, "no tunables") : NULL;
}

/* The start has a file, the others have none. */
static struct error *load_start_as_file(struct archive *a,
					struct candidate *out, const char *id)
{
	TRY(load(a, out, id));
	return draft_of(WORLD(archive, a), id) == 0
		       ? fileset_put(&out->files, "k", "", 0, false)
		       : NULL;
}

static struct error *load_all_as_file(struct archive *a, struct candidate *out,
				      const char *id)
{
	TRY(load(a, out, id));
	return fileset_put(&out->files, "k", "", 0, false);
}

/* A person wrote 5 on the start, which the operator can do nothing with. */
static void a_start_that_cannot_be_varied_is_never_a_parent(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 60},
			   .from_subject = "by hand",
			   .supervisor.rules = {.stall = 6, .max_lineages = 4}};

	world_init(&w, flat, count_up);
	w.operator_.check = refuse_some;
	w.archive.load = load_start_as_file;
	w.draft_of[w.n_candidates] = 500;
	make_id(&e.from, w.n_candidates++);
	evolve(&w, &p, &e);
	assert_int_equal(p.n, 62);
	assert_true(p.interventions >= 2);
	for (size_t i = 1; i < p.n_lineages; i++)
		assert_int_equal(p.lineage[i].root, 1);
	for (size_t i = 2; i < p.n; i++)
		assert_string_not_equal(p.attempt[i].parent.hex,
					p.record.base.hex);
	world_release(&w);
}

static void where_nothing_can_be_varied_it_says_why(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.seed = 7};

	world_init(&w, flat, count_up);
	w.operator_.check = refuse_some;
	w.archive.load = load_all_as_file;
	assert_string_equal(evolve(&w, &p, &e), "no tunables");
	assert_int_equal(p.n, 1);
	world_release(&w);
}

/* As if another process had begun a lineage at the start. */
static void begin_lineage(struct world *w, struct population *p)
{
	cleanup_entry struct entry e;

	entry_init(&e, ENTRY_INTERVENTION, "r");
	e.candidate = p->attempt[0].id;
	e.new_lineage = 2;
	e.time_us = p->time_us + 1;
	population_apply(p, &e);
	assert_null(w->archive.append(&w->archive, &e, p));
}

static void a_lineage_with_nothing_left_is_dropped_and_others_go_on(
	void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 1}};

	world_init(&w, faster_by_tenths, one_more);
	evolve(&w, &p, &e);
	assert_int_equal(p.champion, 1);
	begin_lineage(&w, &p);
	population_release(&p);
	w.next = only_from_the_start;
	e.budget.attempts = 20;
	assert_string_equal(evolve(&w, &p, &e), "attempts");
	for (size_t i = 2; i < p.n; i++)
		assert_int_equal(p.attempt[i].lineage, 2);
	population_release(&p);
	world_release(&w);

	world_init(&w, faster_by_tenths, one_more);
	e.budget.attempts = 1;
	evolve(&w, &p, &e);
	population_release(&p);
	w.next = only_from_the_start;
	assert_string_equal(evolve(&w, &p, &e), "exhausted");
	world_release(&w);
}

static void what_a_person_names_is_gone_on_from_though_it_is_an_older_tip(
	void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p, after, once_more;
	struct evolve e = {.budget = {.attempts = 1}};

	world_init(&w, faster_by_tenths, one_more);
	evolve(&w, &p, &e);
	assert_int_equal(p.lineage[0].tip, 1);
	begin_lineage(&w, &p);
	e.branch = p.attempt[1].id;
	evolve(&w, &after, &e);
	assert_int_equal(after.n_lineages, 3);
	assert_int_equal(after.lineage[2].root, 1);
	assert_string_equal(after.attempt[2].parent.hex, e.branch.hex);
	/* It has been asked for already. */
	evolve(&w, &once_more, &e);
	assert_int_equal(once_more.n_lineages, 3);
	world_release(&w);
}

static void a_resumed_run_goes_on_where_it_was(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 3}};

	world_init(&w, faster_by_tenths, one_more);
	evolve(&w, &p, &e);
	population_release(&p);
	evolve(&w, &p, &e);
	assert_int_equal(p.n, 7);
	assert_int_equal(p.attempt[6].number, 6);
	assert_int_equal(draft_of(&w, champion(&p)->id.hex), 6);
	world_release(&w);
}

static void an_attempt_in_flight_is_measured_on_resuming(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 3}};

	world_init(&w, faster_by_tenths, one_more);
	w.interrupt_at = 3; /* the base, the first attempt, this one */
	assert_string_equal(evolve(&w, &p, &e), "interrupted");
	assert_int_equal(p.n, 3);
	assert_null(p.attempt[2].measurement);
	population_release(&p);
	evolve(&w, &p, &e);
	assert_non_null(p.attempt[2].measurement);
	assert_true(p.attempt[2].crowned);
	assert_int_equal(p.n, 6);
	world_release(&w);
}

/* As if another machine had crowned attempt 1 without ever seeing 3. */
static void crown_elsewhere(struct world *w, struct population *p)
{
	crown_number(w, p, 1);
}

static size_t crowns_of(const struct world *w, int64_t number)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n_entries; i++) {
		cleanup_entry struct entry e;

		entry_init(&e, ENTRY_STOP, "r");
		assert_null(parse_entry(&e, w->journal[i]));
		n += e.kind == ENTRY_CROWN && e.number == number;
	}
	return n;
}

static void two_crowns_are_settled_head_to_head(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 3}};

	world_init(&w, faster_by_tenths, one_more);
	evolve(&w, &p, &e);
	assert_int_equal(p.champion, 3);
	crown_elsewhere(&w, &p);
	assert_int_equal(p.champion, 1);
	assert_int_equal(p.contested, 3);
	population_release(&p);
	e.budget.attempts = 1;
	evolve(&w, &p, &e);
	assert_int_equal(p.contested, 0);
	assert_int_equal(crowns_of(&w, 3), 2);
	assert_int_equal(champion(&p)->number, 4);
	world_release(&w);
}

/* On another kind of machine drafts gain more, and some are no gain. */
static double faster_by_ones(int draft)
{
	return 1.0 / (1 + draft);
}

static double best_at_two(int draft)
{
	return 1.0 / (draft > 2 ? 1.5 : 1 + draft);
}

static void run_on(struct world *w, struct population *p, const char *machine,
		   double (*seconds)(int), int64_t attempts)
{
	struct evolve e = {.budget = {.attempts = attempts}};

	w->machine = machine;
	w->seconds = seconds;
	population_release(p);
	evolve(w, p, &e);
}

static void gains_of_two_kinds_of_machines_are_not_multiplied(
	void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p = {0};

	world_init(&w, faster_by_tenths, one_more);
	run_on(&w, &p, "m", faster_by_tenths, 2);
	run_on(&w, &p, "n", faster_by_ones, 3);
	/* Through #2, which was compared with the start on n first. */
	assert_float_equal(attempt_speedup(&p.attempt[3]), 4, 1e-9);
	assert_float_equal(attempt_speedup(&p.attempt[4]), 5, 1e-9);
	/* #1 was not measured on n. */
	assert_float_equal(attempt_speedup(&p.attempt[1]), 1.1, 1e-9);
	/* On m it is compared with #2, the champion there. */
	run_on(&w, &p, "m", faster_by_tenths, 2);
	assert_float_equal(attempt_speedup(&p.attempt[6]), 1.6, 1e-9);
	world_release(&w);
}

static void each_kind_of_machine_has_a_champion(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p = {0};

	world_init(&w, best_at_two, one_more);
	run_on(&w, &p, "m", best_at_two, 2);
	run_on(&w, &p, "n", faster_by_tenths, 2);
	assert_int_equal(p.n_machines, 2);
	assert_int_equal(p.machine[0].champion, 2);
	assert_int_equal(p.machine[1].champion, 4);
	assert_int_equal(p.champion, 4);
	assert_int_equal(p.contested, 0);
	/* On m the champion of n is not one. */
	run_on(&w, &p, "m", best_at_two, 1);
	assert_int_equal(p.champion, 2);
	assert_int_equal(p.machine[1].champion, 4);
	assert_true(isfinite(p.attempt[5].gain));
	assert_false(p.attempt[5].accepted);
	run_on(&w, &p, "n", faster_by_tenths, 1);
	assert_int_equal(p.champion, 6);
	world_release(&w);
}

/* Another clone crowns an attempt on a machine of another kind. */
static void crowns_of_two_kinds_are_no_contest(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p = {0};

	world_init(&w, faster_by_tenths, one_more);
	run_on(&w, &p, "m", faster_by_tenths, 3);
	w.machine = "n";
	crown_elsewhere(&w, &p);
	assert_int_equal(p.machine[1].champion, 1);
	assert_int_equal(p.machine[0].champion, 3);
	assert_int_equal(p.contested, 0);
	world_release(&w);
}

static void what_is_found_wrong_loses_its_crowns_on_all_machines(
	void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p = {0};

	world_init(&w, faster_by_tenths, one_more);
	run_on(&w, &p, "m", faster_by_tenths, 2);
	run_on(&w, &p, "n", faster_by_tenths, 1);
	assert_int_equal(p.machine[1].champion, 3);
	measure_again(&w, &p, VERDICT_WRONG, NULL);
	assert_int_equal(p.machine[1].champion, 0);
	/* What else was crowned, if on m only. */
	assert_int_equal(p.champion, 2);
	world_release(&w);
}

static void what_another_kind_measured_is_left_out(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p = {0}, on_n = {.only = "n"};

	world_init(&w, faster_by_tenths, one_more);
	run_on(&w, &p, "m", faster_by_tenths, 2);
	run_on(&w, &p, "n", faster_by_ones, 1);
	assert_null(read_run(&w.archive, &on_n, "r"));
	assert_int_equal(on_n.champion, 3);
	if (!on_n.attempt)
		abort(); /* what assert_non_null does not tell an analyzer */
	assert_null(on_n.attempt[1].measurement);
	assert_float_equal(attempt_speedup(&on_n.attempt[2]), 3, 1e-9);
	population_release(&on_n);
	population_init(&on_n);
	snprintf(on_n.only, sizeof on_n.only, "m");
	assert_null(read_run(&w.archive, &on_n, "r"));
	assert_int_equal(on_n.champion, 2);
	assert_float_equal(attempt_speedup(&on_n.attempt[2]), 1.2, 1e-9);
	population_release(&on_n);
	world_release(&w);
}

/* The population grows by doubling: many attempts in one step. */
static void the_parent_is_there_after_a_score_that_failed(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 40}};

	world_init(&w, flat, count_up);
	w.one_step = true;
	w.fail_at = 2;
	evolve(&w, &p, &e);
	assert_int_equal(p.n, 41);
	world_release(&w);
}

static void crowns_are_settled_under_the_sanitizers(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 3}};

	world_init(&w, faster_by_tenths, one_more);
	w.task.sanitizers = SANITIZERS_DEFAULT;
	w.has_sanitizer = true;
	evolve(&w, &p, &e);
	crown_elsewhere(&w, &p);
	assert_int_equal(p.contested, 3);
	population_release(&p);
	e.budget.attempts = 1;
	evolve(&w, &p, &e);
	assert_int_equal(crowns_of(&w, 3), 2);
	world_release(&w);
}

static void settling_crowns_takes_of_the_gpu_budget(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 3}};

	world_init(&w, faster_by_tenths, one_more);
	w.task.language = LANGUAGE_CUDA;
	evolve(&w, &p, &e);
	crown_elsewhere(&w, &p);
	assert_int_equal(p.contested, 3);
	population_release(&p);
	e.budget.attempts = 1;
	evolve(&w, &p, &e);
	assert_int_equal(p.contested, 0);
	assert_true(p.spend.gpu_seconds == (double)w.scorings);
	world_release(&w);
}

/* As a journal of another clone could have it, where one reader of entries
 * takes for usable what the other does not. */
static void what_stays_without_a_measurement_ends_the_run(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	enum ending ending;
	struct evolve e = {.seed = 7};
	cleanup_error struct error *err = NULL;

	world_init(&w, flat, count_up);
	w.unusable = true;
	set_up(&w, &p, &e);
	err = evolve_run(&ending, &p, &e);
	assert_non_null(strstr(error_message(err), "contradict"));
	assert_int_equal(w.scorings, 1);
	world_release(&w);
}

static void asked_to_stop_it_records_why(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	volatile int stop = 1;
	struct evolve e = {.stop_requested = &stop};

	world_init(&w, faster_by_tenths, one_more);
	assert_string_equal(evolve(&w, &p, &e), "interrupted");
	assert_string_equal(p.stop_reason, "interrupted");
	assert_int_equal(p.n, 1);
	world_release(&w);
}

static void asked_to_stop_it_waits_to_record_what_was_measured_elsewhere(
	void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	volatile int stop = 0;
	struct evolve e = {.stop_requested = &stop};

	world_init(&w, faster_by_tenths, one_more);
	share(&w);
	w.stop = &stop;
	assert_string_equal(evolve(&w, &p, &e), "interrupted");
	assert_int_equal(w.refusals, 0);
	assert_int_equal(p.n, 2);
	assert_true(attempt_is_measured(&p.attempt[1]));
	assert_true(p.attempt[1].crowned);
	world_release(&w);
}

static void what_fails_as_a_rival_is_measured_in_the_turn(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 2}};

	world_init(&w, faster_by_tenths, one_more);
	share(&w);
	w.fails_as_rival = 1;
	assert_string_equal(evolve(&w, &p, &e), "attempts");
	assert_true(w.alone > 0);
	assert_int_equal(w.alone_in_turn, w.alone);
	assert_int_equal(p.n, 3);
	world_release(&w);
}

static void a_start_that_fails_its_own_task_is_refused(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	enum ending ending;
	struct evolve e = {.seed = 7};
	cleanup_error struct error *err = NULL;

	world_init(&w, faster_by_tenths, one_more);
	w.draft_of[0] = WRONG;
	set_up(&w, &p, &e);
	err = evolve_run(&ending, &p, &e);
	assert_true(error_is(err, ERROR_REFUSED));
	assert_non_null(strstr(error_message(err), "it is wrong"));
	world_release(&w);
}

static struct error *fail_to_score(struct evaluator *e UNUSED,
				   struct measurement **out UNUSED,
				   const struct score_request *request UNUSED)
{
	return error_new(ERROR_SYSTEM, "the card\nfell off");
}

static struct error *fail_to_append(struct archive *a UNUSED,
				    struct entry *e UNUSED,
				    const struct population *after UNUSED)
{
	return error_new(ERROR_SYSTEM, "the disk is full");
}

static void an_error_is_a_stop_with_its_reason(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	enum ending ending;
	struct evolve e = {.seed = 7};
	struct error *err;

	world_init(&w, faster_by_tenths, one_more);
	w.evaluator.score = fail_to_score;
	set_up(&w, &p, &e);
	err = evolve_run(&ending, &p, &e);
	assert_true(error_is(err, ERROR_SYSTEM));
	error_free(err);
	population_release(&p);
	assert_null(w.archive.read(&w.archive, &p, "r"));
	assert_string_equal(p.stop_reason, "error: the card fell off");
	population_release(&p);

	w.evaluator.score = score;
	e.budget.attempts = 2;
	assert_string_equal(evolve(&w, &p, &e), "attempts");
	assert_int_equal(p.champion, 2);
	population_release(&p);
	world_release(&w);
}

static void where_the_journal_cannot_be_written_the_error_says_so(
	void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	enum ending ending;
	struct evolve e = {.seed = 7};
	cleanup_error struct error *err = NULL;

	world_init(&w, faster_by_tenths, one_more);
	w.archive.append = fail_to_append;
	set_up(&w, &p, &e);
	err = evolve_run(&ending, &p, &e);
	assert_string_equal(error_message(err), "the disk is full");
	assert_null(p.stop_reason);
	world_release(&w);
}

static void no_case_may_get_slower_where_the_task_says_so(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 1}};

	world_init(&w, faster_by_tenths, one_more);
	w.task.no_slower_case = true;
	evolve(&w, &p, &e);
	assert_int_equal(p.champion, 1);
	world_release(&w);
}

static size_t champion_with(unsigned sanitizers, bool has_sanitizer)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 1}};
	size_t champion_at;

	world_init(&w, faster_by_tenths, one_more);
	w.task.sanitizers = sanitizers;
	w.has_sanitizer = has_sanitizer;
	evolve(&w, &p, &e);
	champion_at = p.champion;
	assert_int_equal(p.n, 2);
	/* The last scoring is that of a champion against the start. */
	assert_int_equal(w.asked_for, champion_at ? 0 : sanitizers);
	world_release(&w);
	return champion_at;
}

static void nothing_unsanitized_is_crowned_where_the_task_asks(
	void **state UNUSED)
{
	const unsigned memcheck = 1U << SANITIZER_MEMCHECK;

	assert_int_equal(champion_with(memcheck, false), 0);
	assert_int_equal(champion_with(memcheck, true), 1);
	assert_int_equal(champion_with(0, false), 1);
}

static void the_champion_is_held_against_the_start(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 2}};
	const struct comparison *c;

	world_init(&w, faster_by_tenths, one_more);
	evolve(&w, &p, &e);
	c = measurement_against(champion(&p)->measurement, RIVAL_START, NULL);
	assert_non_null(c);
	assert_true(fabs(c->ratio - 1.2) < 1e-9);
	assert_true(champion(&p)->accepted);
	world_release(&w);
}

static void what_a_person_wrote_is_the_first_attempt(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p;
	struct evolve e = {.budget = {.attempts = 1},
			   .from_subject = "by hand"};

	world_init(&w, faster_by_tenths, one_more);
	w.draft_of[w.n_candidates] = 3;
	make_id(&e.from, w.n_candidates++);
	evolve(&w, &p, &e);
	assert_int_equal(p.n, 3);
	assert_string_equal(p.attempt[1].subject, "by hand");
	assert_true(p.attempt[1].crowned);
	assert_string_equal(p.attempt[2].parent.hex, e.from.hex);
	assert_int_equal(draft_of(&w, champion(&p)->id.hex), 4);
	world_release(&w);
}

static double slower_by_tenths(int draft)
{
	return draft >= WRONG ? 0 : 1 + 0.1 * draft;
}

/* Each time with a start of its own: a draft. */
static struct error *begin_with(struct world *w, struct population *p,
				int draft)
{
	enum ending ending;
	struct evolve e = {.budget = {.attempts = 1},
			   .from_subject = "by hand"};

	w->draft_of[w->n_candidates] = draft;
	make_id(&e.from, w->n_candidates++);
	set_up(w, p, &e);
	return evolve_run(&ending, p, &e);
}

static void a_start_that_failed_is_kept_and_another_is_the_next(
	void **state UNUSED)
{
	struct world w;
	cleanup_population struct population first = {0}, second = {0};
	cleanup_error struct error *err = NULL;

	world_init(&w, slower_by_tenths, one_more);
	err = begin_with(&w, &first, WRONG);
	assert_true(error_is(err, ERROR_REFUSED));
	assert_non_null(strstr(error_message(err), "with --base "));
	assert_true(population_start_failed(&first));
	/* Slower than the base, and yet it is gone on from. */
	assert_null(begin_with(&w, &second, 2));
	assert_int_equal(second.n, 4);
	assert_int_equal(second.attempt[1].measurement->verdict, VERDICT_WRONG);
	assert_int_equal(second.attempt[1].number, 1);
	assert_int_equal(second.attempt[2].number, 2);
	assert_string_equal(second.attempt[2].subject, "by hand");
	assert_true(second.attempt[2].accepted);
	assert_string_equal(second.attempt[3].parent.hex,
			    second.attempt[2].id.hex);
	assert_int_equal(second.lineage[0].attempts, 3);
	assert_false(population_start_failed(&second));
	world_release(&w);
}

/* It began a run of this name with its own version, and says nothing of that one
 * here. */
static void the_record_of_another_clone_is_no_other_start(void **state UNUSED)
{
	struct world w;
	cleanup_population struct population p = {0};
	cleanup_error struct error *err = NULL;
	cleanup_entry struct entry e;

	world_init(&w, faster_by_tenths, one_more);
	err = begin_with(&w, &p, WRONG);
	entry_init(&e, ENTRY_RUN, "r");
	e.base = p.record.base;
	make_id(&e.from, 77);
	e.time_us = p.time_us + 1;
	population_apply(&p, &e);
	assert_int_equal(p.n, 2);
	world_release(&w);
}

static const char *evolve_to_a_final(struct world *w, struct population *p)
{
	struct evolve e = {.final = true};

	return evolve(w, p, &e);
}

static void what_a_busy_machine_hid_wins_the_final(void **state)
{
	cleanup_population struct population p = {0};
	struct world w;

	(void)state;
	world_init(&w, faster_by_tenths, three_apart);
	w.unsteady = 3;
	assert_string_equal(evolve_to_a_final(&w, &p), "exhausted");
	assert_int_equal(draft_of(&w, champion(&p)->id.hex), 3);
	assert_true(champion(&p)->accepted);
	assert_int_equal(p.lineage[0].tip, p.champion);
	world_release(&w);
}

static void noise_hides_no_leader_from_the_final(void **state)
{
	cleanup_population struct population p = {0};
	struct world w;

	(void)state;
	world_init(&w, faster_by_tenths, three_apart);
	w.blurred = 3;
	assert_string_equal(evolve_to_a_final(&w, &p), "exhausted");
	assert_int_equal(draft_of(&w, champion(&p)->id.hex), 3);
	/* The start, three attempts, these again, and the champion against the
	 * start. */
	assert_int_equal(w.scorings, 1 + 3 + 3 + 1);
	world_release(&w);
}

static void without_a_final_it_stays_hidden(void **state)
{
	cleanup_population struct population p = {0};
	struct evolve e = {.final = false};
	struct world w;

	(void)state;
	world_init(&w, faster_by_tenths, three_apart);
	w.blurred = 3;
	evolve(&w, &p, &e);
	assert_int_equal(p.champion, 0);
	world_release(&w);
}

static void who_wins_the_final_is_built_on(void **state)
{
	cleanup_population struct population p = {0};
	struct world w;

	(void)state;
	world_init(&w, faster_by_tenths, three_apart_and_one_more);
	w.blurred = 3;
	assert_string_equal(evolve_to_a_final(&w, &p), "exhausted");
	assert_int_equal(draft_of(&w, champion(&p)->id.hex), 4);
	world_release(&w);
}

static void a_final_is_held_once_against_a_champion(void **state)
{
	cleanup_population struct population p = {0}, again = {0};
	struct world w;
	size_t scorings;

	(void)state;
	world_init(&w, faster_by_tenths, three_apart);
	w.blurred = WORLD_MAX;
	evolve_to_a_final(&w, &p);
	assert_int_equal(p.champion, 0);
	assert_int_equal(w.scorings, 1 + 3 + 3);
	scorings = w.scorings;
	assert_string_equal(evolve_to_a_final(&w, &again), "exhausted");
	assert_int_equal(w.scorings, scorings);
	world_release(&w);
}

/* The first call meets a busy machine, the second a quiet one. */
static void what_the_machine_left_open_has_a_final_when_it_goes_on(void **state)
{
	cleanup_population struct population p = {0}, again = {0};
	struct world w;

	(void)state;
	world_init(&w, faster_by_tenths, three_apart);
	w.unsteady = WORLD_MAX;
	assert_string_equal(evolve_to_a_final(&w, &p), "exhausted");
	assert_int_equal(p.champion, 0);
	assert_int_equal(w.scorings, 1 + 3 + 3);
	w.unsteady = 0;
	assert_string_equal(evolve_to_a_final(&w, &again), "exhausted");
	assert_int_equal(draft_of(&w, champion(&again)->id.hex), 3);
	/* Nobody else is faster than it, and it is held against the start. */
	assert_int_equal(w.scorings, 1 + 3 + 3 + 2);
	world_release(&w);
}

static void so_it_has_one_in_a_call_and_no_more(void **state)
{
	cleanup_population struct population p = {0}, again = {0};
	struct world w;

	(void)state;
	world_init(&w, faster_by_tenths, three_apart);
	w.unsteady = WORLD_MAX;
	evolve_to_a_final(&w, &p);
	w.scorings = 0;
	evolve_to_a_final(&w, &again);
	assert_int_equal(again.champion, 0);
	assert_int_equal(w.scorings, 3);
	world_release(&w);
}

/* It is kept whatever was found, since a person began with it. */
static void what_was_kept_without_a_crown_is_in_the_final(void **state)
{
	cleanup_population struct population p = {0};
	struct evolve e = {.final = true,
			   .budget = {.attempts = 1},
			   .from_subject = "by hand"};
	struct world w;

	(void)state;
	world_init(&w, up_to_three, one_more);
	w.draft_of[w.n_candidates] = 3;
	make_id(&e.from, w.n_candidates++);
	w.draft = 3;
	w.unsteady = 2;
	evolve(&w, &p, &e);
	assert_int_equal(draft_of(&w, champion(&p)->id.hex), 3);
	assert_int_equal(champion(&p)->number, 1);
	world_release(&w);
}

/* ---- the time of a call -------------------------------------------------- */

static int all_apart(int parent UNUSED, size_t step)
{
	return 1 + (int)step;
}

static double all_alike(int draft UNUSED)
{
	return 1;
}

static char remark[256];
static size_t n_remarks;

static void keep_remark(struct evolve_listener *self UNUSED,
			enum evolve_event event,
			const struct population *p UNUSED,
			const struct attempt *a UNUSED, const char *text)
{
	if (event != EVOLVE_REMARKED)
		return;
	n_remarks++;
	snprintf(remark, sizeof remark, "%s", text);
}

/* Ninety seconds or so of the run pass in none. */
static enum ending evolve_in_time(struct world *w, struct population *p,
				  volatile int *stop)
{
	struct evolve_listener listener = {keep_remark};
	struct evolve e = {.final = true,
			   .budget = {.seconds = 100},
			   .listener = &listener,
			   .stop_requested = stop};
	enum ending ending;

	*remark = '\0';
	n_remarks = 0;
	setenv("AVOGIT_TEST_CLOCK", "1e8", 1);
	set_up(w, p, &e);
	assert_null(evolve_run(&ending, p, &e));
	unsetenv("AVOGIT_TEST_CLOCK");
	return ending;
}

static void the_last_measurements_have_their_share_of_the_time(void **state)
{
	cleanup_population struct population p = {0};
	struct world w;

	(void)state;
	world_init(&w, faster_by_tenths, all_apart);
	w.blurred = WORLD_MAX;
	w.takes = 19;
	assert_int_equal(evolve_in_time(&w, &p, NULL), ENDING_DONE);
	assert_string_equal(p.stop_reason, "time");
	/* The last attempt begins at 57 s, none at 76; one of them is measured
	 * once more until 95, and for another there is no room. */
	assert_int_equal(p.n, 1 + 3);
	assert_int_equal(w.scorings, 1 + 3 + 1);
	world_release(&w);
}

static void what_has_no_room_at_the_end_is_said(void **state)
{
	cleanup_population struct population p = {0};
	struct world w;

	(void)state;
	world_init(&w, faster_by_tenths, all_apart);
	w.blurred = WORLD_MAX;
	w.takes = 51;
	evolve_in_time(&w, &p, NULL);
	/* The only attempt ends at 102 s, and the last measurement at 118. */
	assert_int_equal(w.scorings, 1 + 1);
	assert_string_equal(
		remark,
		"no time is left to measure #1 once more, which may be faster "
		"than the start: `avogit score --again --run r r#1` does that");
	world_release(&w);
}

static void a_late_attempt_leaves_the_final_its_share(void **state)
{
	cleanup_population struct population p = {0};
	struct world w;

	(void)state;
	world_init(&w, up_to_three, all_apart);
	w.blurred = WORLD_MAX;
	w.takes = 23;
	evolve_in_time(&w, &p, NULL);
	/* The last attempt begins at 69 s and ends at 92, the final at 115. */
	assert_int_equal(w.scorings, 1 + 3 + 1);
	assert_non_null(measurement_get(p.attempt[3].measurement, "final"));
	world_release(&w);
}

/* Five attempts that noise hid until 84 s, and a final that was to take 14 s,
 * has 25, and takes 26. */
static void evolve_to_a_late_final(struct world *w, struct population *p,
				   bool elsewhere)
{
	world_init(w, up_to_three, all_apart);
	w->evaluator.elsewhere = elsewhere;
	w->blurred = WORLD_MAX;
	w->takes = 14;
	w->late_at = 7;
	w->late = 12;
	evolve_in_time(w, p, NULL);
	assert_int_equal(p->n, 1 + 5);
	assert_int_equal(w->scorings, 1 + 5 + 1);
}

static void what_the_time_cuts_short_in_the_final_is_named_once(void **state)
{
	cleanup_population struct population p = {0};
	struct world w;

	(void)state;
	evolve_to_a_late_final(&w, &p, false);
	assert_null(measurement_get(p.attempt[3].measurement, "final"));
	/* That it begins, and how it ended. */
	assert_int_equal(n_remarks, 2);
	assert_non_null(strstr(remark, "before #3 was measured once more"));
	world_release(&w);
}

static void a_final_elsewhere_which_nothing_cuts_short_counts(void **state)
{
	cleanup_population struct population p = {0};
	struct world w;

	(void)state;
	evolve_to_a_late_final(&w, &p, true);
	assert_non_null(measurement_get(p.attempt[3].measurement, "final"));
	world_release(&w);
}

static void an_operator_is_waited_for_while_what_it_finds_can_be_scored(
	void **state)
{
	cleanup_population struct population p = {0};
	struct world w;

	(void)state;
	world_init(&w, faster_by_tenths, all_apart);
	w.blurred = WORLD_MAX;
	w.takes = 19;
	evolve_in_time(&w, &p, NULL);
	/* From 57 s to 75; where nothing is left to measure, from 76 to 100. */
	assert_true(w.left > 5 && w.left < 19);
	world_release(&w);
	population_release(&p);
	world_init(&w, all_alike, all_apart);
	w.takes = 19;
	evolve_in_time(&w, &p, NULL);
	assert_true(w.left > 0 && w.left < 6);
	world_release(&w);
}

static void where_nothing_is_left_to_measure_attempts_have_all_the_time(
	void **state)
{
	cleanup_population struct population p = {0};
	struct world w;

	(void)state;
	world_init(&w, all_alike, all_apart);
	w.takes = 19;
	evolve_in_time(&w, &p, NULL);
	assert_string_equal(p.stop_reason, "time");
	assert_int_equal(p.n, 1 + 5);
	assert_int_equal(w.scorings, 1 + 5);
	world_release(&w);
}

static void what_is_cut_off_when_the_time_is_up_is_left_in_flight(void **state)
{
	cleanup_population struct population p = {0};
	struct world w;

	(void)state;
	world_init(&w, faster_by_tenths, all_apart);
	w.takes = 60;
	w.interrupt_at = 2;
	assert_int_equal(evolve_in_time(&w, &p, NULL), ENDING_DONE);
	assert_string_equal(p.stop_reason, "time");
	assert_non_null(population_in_flight(&p, 0));
	assert_non_null(strstr(remark, "#1 was cut off after 2m 00s"));
	world_release(&w);
}

static void who_stops_it_when_the_time_is_up_interrupts_no_search(void **state)
{
	cleanup_population struct population p = {0};
	volatile int stop = 0;
	struct world w;

	(void)state;
	world_init(&w, faster_by_tenths, all_apart);
	w.takes = 60;
	w.stop = &stop;
	assert_int_equal(evolve_in_time(&w, &p, &stop), ENDING_INTERRUPTED);
	assert_string_equal(p.stop_reason, "time");
	/* Neither a final nor the champion's. */
	assert_int_equal(w.scorings, 2);
	world_release(&w);
}

static void who_was_told_slower_is_in_no_final(void **state)
{
	cleanup_population struct population p = {0};
	struct world w;

	(void)state;
	world_init(&w, up_to_three, three_apart);
	evolve_to_a_final(&w, &p);
	assert_int_equal(draft_of(&w, champion(&p)->id.hex), 3);
	assert_int_equal(w.scorings, 1 + 3 + 1);
	world_release(&w);
}

static void an_attempt_measured_again_may_be_crowned(void **state)
{
	cleanup_population struct population p = {0}, after = {0};
	cleanup_strvec struct strvec ids = STRVEC_INIT;
	struct evolve first = {.final = false};
	struct evolve e = {.again = &ids};
	struct world w;

	(void)state;
	world_init(&w, faster_by_tenths, three_apart);
	w.blurred = 3;
	evolve(&w, &p, &first);
	assert_int_equal(p.champion, 0);
	strvec_push(&ids, p.attempt[2].id.hex);
	assert_string_equal(evolve(&w, &after, &e), "attempts");
	assert_int_equal(draft_of(&w, champion(&after)->id.hex), 2);
	assert_int_equal(after.n, p.n);
	assert_int_equal(after.lineage[0].tip, after.champion);
	world_release(&w);
}

static void who_names_attempts_has_them_measured_however_long_it_takes(
	void **state)
{
	cleanup_population struct population p = {0}, after = {0};
	cleanup_strvec struct strvec ids = STRVEC_INIT;
	struct evolve first = {.final = false};
	struct evolve e = {.again = &ids, .budget = {.seconds = 100}};
	struct world w;

	(void)state;
	world_init(&w, faster_by_tenths, three_apart);
	w.blurred = 3;
	evolve(&w, &p, &first);
	for (size_t i = 0; i < p.n; i++)
		strvec_push(&ids, p.attempt[i].id.hex);
	w.soonest = 0;
	w.scorings = w.blurred = 0;
	w.takes = 60;
	setenv("AVOGIT_TEST_CLOCK", "1e8", 1);
	evolve(&w, &after, &e);
	unsetenv("AVOGIT_TEST_CLOCK");
	/* These, and the champion against the start. */
	assert_int_equal(w.scorings, 4 + 1);
	assert_true(isinf(w.soonest));
	world_release(&w);
}

/* An agent has #1 measured again at 60 s, and that takes until 150. */
static void what_the_time_cuts_short_takes_no_earlier_ones_place(void **state)
{
	cleanup_population struct population p = {0};
	struct world w;

	(void)state;
	world_init(&w, faster_by_tenths, one_more);
	w.blurred = WORLD_MAX;
	w.again = true;
	w.takes = 30;
	w.late_at = 3;
	w.late = 60;
	evolve_in_time(&w, &p, NULL);
	assert_int_equal(w.scorings, 3);
	assert_true(p.attempt[1].measurement->seconds_total < 31);
	world_release(&w);
}

/* 1, 1/1.1, 1/1.2, 1/1.3 seconds of a limit of 0.7: shares of 0.70 to 0.91. */
static void it_stops_within_the_stated_share_of_the_ceiling(void **state)
{
	static const struct {
		double share, limit;
		size_t attempts;
		const char *reason;
	} cases[] = {{0.9, 0.7, 3, "ceiling"},
		     {0.8, 0.7, 2, "ceiling"},
		     {0, 0.7, 5, "attempts"},
		     {0.9, 0, 5, "attempts"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_population struct population p = {0};
		struct evolve e = {
			.budget = {.attempts = 5, .ceiling = cases[i].share}};
		struct world w;

		world_init(&w, faster_by_tenths, one_more);
		w.ceiling = cases[i].limit;
		assert_string_equal(evolve(&w, &p, &e), cases[i].reason);
		assert_int_equal(p.n, 1 + cases[i].attempts);
		world_release(&w);
	}
}

/* What noise hid the first time is crowned the second; each costs an attempt. */
static void a_step_may_have_an_attempt_measured_again(void **state)
{
	cleanup_population struct population p = {0};
	struct evolve e = {.budget = {.attempts = 3}};
	struct world w;

	(void)state;
	world_init(&w, faster_by_tenths, one_more);
	w.blurred = 1;
	w.again = true;
	assert_string_equal(evolve(&w, &p, &e), "attempts");
	assert_int_equal(p.n, 3);
	assert_true(p.attempt[1].crowned && p.attempt[1].accepted);
	assert_string_equal(p.attempt[2].parent.hex, p.attempt[1].id.hex);
	assert_int_equal(draft_of(&w, champion(&p)->id.hex), 2);
	/* The start, 1, 1 again, 2, and the champion against the start. */
	assert_int_equal(w.scorings, 5);
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_gain_is_crowned_and_extends_the_lineage),
		cmocka_unit_test(what_is_proposed_is_measured_where_it_can_run),
		cmocka_unit_test(
			the_operator_looks_ahead_once_before_the_start_is_measured),
		cmocka_unit_test(a_failure_is_kept_but_never_a_parent),
		cmocka_unit_test(an_unconfirmed_win_is_not_crowned),
		cmocka_unit_test(the_same_sources_are_not_measured_twice),
		cmocka_unit_test(
			it_stops_within_the_stated_share_of_the_ceiling),
		cmocka_unit_test(a_step_may_have_an_attempt_measured_again),
		cmocka_unit_test(a_win_on_a_busy_machine_is_measured_once_more),
		cmocka_unit_test(no_win_is_measured_more_often_than_twice),
		cmocka_unit_test(
			figures_that_cannot_be_replace_none_and_win_nothing),
		cmocka_unit_test(
			an_attempt_of_such_figures_is_measured_and_not_crowned),
		cmocka_unit_test(a_champion_found_wrong_loses_its_crown),
		cmocka_unit_test(
			a_champion_that_fails_as_a_rival_is_deposed_and_the_run_goes_on),
		cmocka_unit_test(
			so_it_is_where_a_run_is_resumed_with_an_attempt_in_flight),
		cmocka_unit_test(a_rival_that_passes_by_itself_keeps_its_crown),
		cmocka_unit_test(
			a_start_that_fails_as_a_rival_and_by_itself_is_said),
		cmocka_unit_test(
			a_tip_that_fails_as_a_rival_is_gone_on_from_no_more),
		cmocka_unit_test(what_refutes_no_champion_leaves_it_as_it_was),
		cmocka_unit_test(a_stall_begins_a_lineage_elsewhere),
		cmocka_unit_test(a_long_step_goes_on_in_the_new_lineage),
		cmocka_unit_test(the_supervisor_is_silent_while_it_improves),
		cmocka_unit_test(what_a_review_takes_is_the_runs),
		cmocka_unit_test(
			a_review_that_is_interrupted_is_done_by_the_next_start),
		cmocka_unit_test(it_stops_when_the_operator_has_nothing_left),
		cmocka_unit_test(
			it_stops_when_the_operator_fails_time_after_time),
		cmocka_unit_test(
			a_start_that_cannot_be_varied_is_never_a_parent),
		cmocka_unit_test(where_nothing_can_be_varied_it_says_why),
		cmocka_unit_test(
			a_lineage_with_nothing_left_is_dropped_and_others_go_on),
		cmocka_unit_test(
			what_a_person_names_is_gone_on_from_though_it_is_an_older_tip),
		cmocka_unit_test(a_resumed_run_goes_on_where_it_was),
		cmocka_unit_test(an_attempt_in_flight_is_measured_on_resuming),
		cmocka_unit_test(two_crowns_are_settled_head_to_head),
		cmocka_unit_test(crowns_are_settled_under_the_sanitizers),
		cmocka_unit_test(settling_crowns_takes_of_the_gpu_budget),
		cmocka_unit_test(
			gains_of_two_kinds_of_machines_are_not_multiplied),
		cmocka_unit_test(each_kind_of_machine_has_a_champion),
		cmocka_unit_test(crowns_of_two_kinds_are_no_contest),
		cmocka_unit_test(
			what_is_found_wrong_loses_its_crowns_on_all_machines),
		cmocka_unit_test(what_another_kind_measured_is_left_out),
		cmocka_unit_test(the_parent_is_there_after_a_score_that_failed),
		cmocka_unit_test(what_stays_without_a_measurement_ends_the_run),
		cmocka_unit_test(asked_to_stop_it_records_why),
		cmocka_unit_test(
			asked_to_stop_it_waits_to_record_what_was_measured_elsewhere),
		cmocka_unit_test(what_fails_as_a_rival_is_measured_in_the_turn),
		cmocka_unit_test(a_start_that_fails_its_own_task_is_refused),
		cmocka_unit_test(an_error_is_a_stop_with_its_reason),
		cmocka_unit_test(
			where_the_journal_cannot_be_written_the_error_says_so),
		cmocka_unit_test(what_a_person_wrote_is_the_first_attempt),
		cmocka_unit_test(
			a_start_that_failed_is_kept_and_another_is_the_next),
		cmocka_unit_test(the_record_of_another_clone_is_no_other_start),
		cmocka_unit_test(no_case_may_get_slower_where_the_task_says_so),
		cmocka_unit_test(
			nothing_unsanitized_is_crowned_where_the_task_asks),
		cmocka_unit_test(the_champion_is_held_against_the_start),
		cmocka_unit_test(what_a_busy_machine_hid_wins_the_final),
		cmocka_unit_test(noise_hides_no_leader_from_the_final),
		cmocka_unit_test(without_a_final_it_stays_hidden),
		cmocka_unit_test(who_wins_the_final_is_built_on),
		cmocka_unit_test(a_final_is_held_once_against_a_champion),
		cmocka_unit_test(
			what_the_machine_left_open_has_a_final_when_it_goes_on),
		cmocka_unit_test(so_it_has_one_in_a_call_and_no_more),
		cmocka_unit_test(what_was_kept_without_a_crown_is_in_the_final),
		cmocka_unit_test(who_was_told_slower_is_in_no_final),
		cmocka_unit_test(
			the_last_measurements_have_their_share_of_the_time),
		cmocka_unit_test(what_has_no_room_at_the_end_is_said),
		cmocka_unit_test(a_late_attempt_leaves_the_final_its_share),
		cmocka_unit_test(
			where_nothing_is_left_to_measure_attempts_have_all_the_time),
		cmocka_unit_test(
			what_is_cut_off_when_the_time_is_up_is_left_in_flight),
		cmocka_unit_test(
			who_stops_it_when_the_time_is_up_interrupts_no_search),
		cmocka_unit_test(an_attempt_measured_again_may_be_crowned),
		cmocka_unit_test(
			who_names_attempts_has_them_measured_however_long_it_takes),
		cmocka_unit_test(
			what_the_time_cuts_short_takes_no_earlier_ones_place),
		cmocka_unit_test(
			what_the_time_cuts_short_in_the_final_is_named_once),
		cmocka_unit_test(
			a_final_elsewhere_which_nothing_cuts_short_counts),
		cmocka_unit_test(
			an_operator_is_waited_for_while_what_it_finds_can_be_scored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
