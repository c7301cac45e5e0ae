/* Islands: which lineage is whose, when a champion migrates, and the loop with
 * agents in islands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "core/run/evolve.h"
#include "core/run/islands.h"
#include "tests/unit/core/nothing_kept.h"

static const struct island_rules two = {
	.count = 2, .attempts = 4, .accepted = 3};

/* ---- a run that is told ---------------------------------------------------- */

static void make_id(struct commit_id *id, size_t n)
{
	snprintf(id->hex, sizeof id->hex, "%040zx", n + 1);
}

static void apply(struct population *p, struct entry *e)
{
	e->time_us = p->time_us + 1;
	population_apply(p, e);
}

static void measure(struct population *p, size_t n, double over_start,
		    bool accepted)
{
	cleanup_entry struct entry e;

	entry_init(&e, ENTRY_MEASUREMENT, "r");
	make_id(&e.candidate, n);
	e.number = (int64_t)n;
	e.accepted = accepted;
	e.measurement = measurement_new();
	snprintf(e.measurement->identity.machine,
		 sizeof e.measurement->identity.machine, "m");
	if (n) {
		struct comparison *c = measurement_add_comparison(
			e.measurement, RIVAL_START, p->attempt[0].id.hex);

		c->ratio = over_start;
		c->ratio95 = (struct interval){over_start, over_start};
		c->decision = over_start > 1 ? DECISION_FASTER : DECISION_NONE;
	}
	apply(p, &e);
}

static void begin(struct population *p)
{
	cleanup_entry struct entry e;

	population_init(p);
	entry_init(&e, ENTRY_RUN, "r");
	make_id(&e.base, 0);
	apply(p, &e);
	measure(p, 0, 1, true);
}

/* An attempt of the lineage: `over_start` times as fast as the start. */
static void attempt(struct population *p, int64_t lineage, double over_start,
		    bool accepted)
{
	cleanup_entry struct entry e;
	size_t n = p->n;

	entry_init(&e, ENTRY_ATTEMPT, "r");
	make_id(&e.candidate, n);
	e.parent = p->attempt[population_lineage(p, lineage)->tip].id;
	e.number = (int64_t)n;
	e.lineage = lineage;
	apply(p, &e);
	measure(p, n, over_start, accepted);
}

/* Applies what is due; "": nothing. */
static const char *next(struct population *p, const struct island_rules *rules)
{
	static char reason[200];
	cleanup_entry struct entry e = {.kind = ENTRY_INTERVENTION};

	*reason = '\0';
	if (!islands_next(&e, p, rules))
		return reason;
	snprintf(reason, sizeof reason, "%s", e.reason);
	apply(p, &e);
	return reason;
}

static void a_run_has_none_unless_it_is_asked(void **state UNUSED)
{
	cleanup_population struct population p;
	const struct island_rules none = ISLAND_RULES_DEFAULT;
	const struct island_rules one = {
		.count = 1, .attempts = 1, .accepted = 1};

	begin(&p);
	attempt(&p, 1, 2, true);
	assert_string_equal(next(&p, &none), "");
	assert_string_equal(next(&p, &one), "");
	assert_int_equal(islands_newest(&p, (struct island){0}), 0);
}

static void each_begins_at_the_start(void **state UNUSED)
{
	cleanup_population struct population p;
	const struct island_rules three = {
		.count = 3, .attempts = 4, .accepted = 3};

	begin(&p);
	assert_string_equal(next(&p, &three), "island 2 of 3 begins at #0");
	assert_string_equal(next(&p, &three), "island 3 of 3 begins at #0");
	assert_string_equal(next(&p, &three), "");
	assert_int_equal(p.n_lineages, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct island at = {i + 1, 3};

		assert_int_equal(islands_newest(&p, at), i);
		assert_int_equal(islands_champion(&p, at), i);
		assert_int_equal(p.lineage[i].root, 0);
	}
	/* It is no word of the supervisor, whose count goes on. */
	assert_int_equal(p.interventions, 0);
	assert_true(islands_said(p.sayings[0].trigger));
	assert_false(islands_said("stall"));
	assert_false(islands_said(NULL));
}

static void the_faster_champion_goes_to_the_next_one(void **state UNUSED)
{
	cleanup_population struct population p;
	const struct lineage *l;

	begin(&p);
	next(&p, &two);
	attempt(&p, 1, 1.5, true);
	attempt(&p, 2, 1.2, true);
	attempt(&p, 1, 1, false);
	attempt(&p, 1, 1, false);
	assert_string_equal(next(&p, &two), "");
	attempt(&p, 1, 1, false); /* the fourth of island 1 */
	assert_string_equal(next(&p, &two),
			    "migration: #1 (1.50x the start) of island 1 to "
			    "island 2, whose best is #2 (1.20x)");
	assert_string_equal(next(&p, &two), "");
	l = &p.lineage[islands_newest(&p, (struct island){2, 2})];
	assert_int_equal(l->number, 3);
	assert_int_equal(l->root, 1);
	assert_int_equal(l->tip, 1);
	assert_int_equal(l->from_island, 1);
	/* What the island had stays, and what it makes now is its own. */
	assert_int_equal(p.lineage[1].tip, 2);
	attempt(&p, 3, 1.8, true);
	assert_int_equal(islands_champion(&p, (struct island){2, 2}), 2);
	assert_int_equal(islands_champion(&p, (struct island){1, 2}), 0);
}

/* The receiver has to work on it before it passes it on. */
static void a_migrant_is_not_passed_on_at_once(void **state UNUSED)
{
	cleanup_population struct population p;
	const struct island_rules three = {
		.count = 3, .attempts = 2, .accepted = 9};

	begin(&p);
	next(&p, &three);
	next(&p, &three);
	for (int64_t i = 3; i >= 1; i--) {
		attempt(&p, i, 1, false);
		attempt(&p, i, i == 1 ? 2 : 1, i == 1);
	}
	assert_string_equal(next(&p, &three),
			    "migration: #6 (2.00x the start) of island 1 to "
			    "island 2, whose best is #0 (1.00x)");
	assert_string_equal(next(&p, &three), "");
	attempt(&p, 4, 1, false);
	assert_string_equal(next(&p, &three), "");
	attempt(&p, 4, 1, false);
	assert_string_equal(next(&p, &three),
			    "migration: #6 (2.00x the start) of island 2 to "
			    "island 3, whose best is #0 (1.00x)");
	/* The ring ends where it began: nobody is faster. */
	for (int64_t i = 1; i <= 5; i++) {
		attempt(&p, i, 1, false);
		attempt(&p, i, 1, false);
	}
	assert_string_equal(next(&p, &three), "");
}

static void many_accepted_ones_are_due_sooner(void **state UNUSED)
{
	cleanup_population struct population p;
	const struct island_rules rules = {
		.count = 2, .attempts = 100, .accepted = 2};

	begin(&p);
	next(&p, &rules);
	attempt(&p, 1, 1.2, true);
	assert_string_equal(next(&p, &rules), "");
	attempt(&p, 1, 1.3, true);
	assert_non_null(strstr(next(&p, &rules), "#2 (1.30x"));
	/* Less than a hundredth is not worth it. */
	attempt(&p, 3, 1.305, true);
	attempt(&p, 3, 1.308, true);
	assert_string_equal(next(&p, &rules), "");
}

static void lineages_of_other_counts_have_a_place(void **state UNUSED)
{
	const struct lineage old = {.number = 1}, third = {.island = 3};
	const struct lineage odd = {.island = -7};

	assert_true(islands_has((struct island){1, 2}, &old));
	assert_true(islands_has((struct island){1, 2}, &third));
	assert_false(islands_has((struct island){2, 2}, &third));
	assert_true(islands_has((struct island){1, 2}, &odd));
	assert_true(islands_has((struct island){0}, &third));
}

static void an_entry_keeps_them_in_the_journal(void **state UNUSED)
{
	cleanup_population struct population p;
	cleanup_entry struct entry e = {.kind = ENTRY_INTERVENTION};
	cleanup_entry struct entry back = {.kind = ENTRY_STOP};
	cleanup_json struct json *j = NULL;
	cleanup_free char *subject = NULL;

	begin(&p);
	next(&p, &two);
	for (int i = 0; i < 4; i++)
		attempt(&p, 2, 1.5, i == 0);
	assert_true(islands_next(&e, &p, &two));
	e.time_us = 1;
	subject = journal_subject(&e);
	assert_non_null(strstr(subject, "migration: #1 (1.50x the start) of "
					"island 2 to island 1"));
	j = journal_to_json(&e);
	assert_null(journal_from_json(&back, j));
	assert_int_equal(back.island, 1);
	assert_int_equal(back.from_island, 2);
	assert_string_equal(back.trigger, "migration");
}

/* ---- agents in the loop ---------------------------------------------------- */

#define AGENTS 4

struct world {
	struct archive archive;
	struct evaluator evaluator;
	struct task task;
	struct variation_operator agent[AGENTS], *operators[AGENTS];
	size_t candidates;
	size_t island[100]; /* of each candidate */
	double speed[100];
};
static struct world *world;

static struct error *open_workspace(struct archive *a UNUSED,
				    struct workspace *out,
				    const char *parent UNUSED)
{
	out->dir = xstrdup("nowhere");
	return NULL;
}

static void close_workspace(struct archive *a UNUSED, struct workspace *ws)
{
	free(ws->dir);
}

static size_t number_of(const char *id)
{
	return strtoul(id, NULL, 16) - 1;
}

/* A child is a tenth faster than its parent in island 1, and a hundredth in
 * others. */
static struct error *seal(struct archive *a UNUSED, struct commit_id *id,
			  bool *same, const struct workspace *ws UNUSED,
			  const char *parent, const struct proposal *p)
{
	size_t n = ++world->candidates;

	assert_true(n < ARRAY_SIZE(world->island));
	world->island[n] = p->island;
	world->speed[n] =
		world->speed[number_of(parent)] * (p->island == 1 ? 1.1 : 1.01);
	make_id(id, n);
	*same = false;
	return NULL;
}

static const char *machine_name(struct evaluator *e UNUSED)
{
	return "a stand-in";
}

static struct error *score(struct evaluator *e, struct measurement **out,
			   const struct score_request *request)
{
	double speed = world->speed[number_of(request->candidate->id.hex)];

	*out = measurement_new();
	identify_by_id(e, &(*out)->identity, request->candidate);
	(*out)->score = speed;
	for (size_t i = 0; i < request->n_rivals; i++) {
		const struct rival_request *r = &request->rivals[i];
		struct comparison *c = measurement_add_comparison(
			*out, r->rival, r->candidate->id.hex);

		c->ratio =
			speed / world->speed[number_of(r->candidate->id.hex)];
		c->ratio95 = (struct interval){c->ratio, c->ratio};
		c->decision = c->ratio > 1.001	? DECISION_FASTER
			      : c->ratio < .999 ? DECISION_SLOWER
						: DECISION_NONE;
		c->confirmed = c->ratio > 1.001;
	}
	return NULL;
}

/* A step without an end, as a program's that is an operator. */
static struct error *vary(struct variation_operator *o UNUSED, enum varied *out,
			  struct variation *v)
{
	const struct attempt *a;

	*out = VARIED;
	while (v->may_go_on(v))
		TRY(v->score(v, &a, "a change", NULL, NULL));
	return NULL;
}

static void evolve(struct world *w, struct population *p, size_t at_a_time)
{
	struct evolve settings = {
		.task = &w->task,
		.archive = &w->archive,
		.evaluator = &w->evaluator,
		.operator_ = &w->agent[0],
		.agents = {.n = AGENTS,
			   .operator_ = w->operators,
			   .in_order = at_a_time,
			   .builds = 1,
			   .islands = {.count = 2,
				       .attempts = 8,
				       .accepted = 100}},
		.run = "r",
		.seed = 7,
		.budget = {.attempts = 40},
	};
	enum ending ending;

	*w = (struct world){.archive = {.open_workspace = open_workspace,
					.close_workspace = close_workspace,
					.seal = seal,
					.load = load_by_id,
					.append = append_nothing,
					.read = read_nothing,
					.find = find_nothing},
			    .evaluator = {.score = score,
					  .identify = identify_by_id,
					  .machine_name = machine_name},
			    .task = {.path = (char *)(uintptr_t) "a.yaml"},
			    .speed = {1}};
	world = w;
	for (size_t i = 0; i < AGENTS; i++) {
		w->agent[i] = (struct variation_operator){.name = "stand-in",
							  .vary = vary};
		w->operators[i] = &w->agent[i];
	}
	make_id(&settings.base, 0);
	population_init(p);
	assert_null(evolve_run(&ending, p, &settings));
}

static const struct lineage *lineage_of(const struct population *p,
					const struct attempt *a)
{
	return population_lineage(p, a->lineage);
}

static void each_agent_works_on_its_own_island(void **state UNUSED)
{
	cleanup_population struct population p;
	cleanup_free struct world *w = xcalloc(1, sizeof *w);
	size_t of[3] = {0}, came = 0;

	evolve(w, &p, AGENTS);
	assert_int_equal(p.n, 41);
	for (size_t i = 1; i < p.n; i++) {
		const struct attempt *a = &p.attempt[i];
		const struct attempt *parent =
			population_find(&p, a->parent.hex);
		const struct lineage *l = lineage_of(&p, a);
		size_t island = w->island[number_of(a->id.hex)];

		of[island]++;
		assert_true(islands_has((struct island){island, 2}, l));
		/* A parent is of the island, or came as a champion. */
		if (parent->number && parent->lineage != a->lineage) {
			assert_int_equal(l->from_island, 1);
			assert_int_equal(island, 2);
			assert_int_equal(&p.attempt[l->root] - parent, 0);
			came++;
		}
	}
	assert_int_equal(of[0], 0);
	assert_int_equal(of[1], 20);
	assert_int_equal(of[2], 20);
	assert_true(came >= 1);
	assert_true(p.n_lineages >= 4);
	/* 1.1 to the 10th is what one agent of island 1 makes alone. */
	assert_true(attempt_speedup(&p.attempt[p.champion]) > 2.5);
}

static void the_tree_does_not_depend_on_how_many_think(void **state UNUSED)
{
	cleanup_population struct population one, all;
	cleanup_free struct world *w = xcalloc(1, sizeof *w);

	evolve(w, &one, 1);
	evolve(w, &all, AGENTS);
	assert_int_equal(one.n, all.n);
	assert_int_equal(one.n_lineages, all.n_lineages);
	for (size_t i = 0; i < one.n; i++) {
		assert_string_equal(one.attempt[i].parent.hex,
				    all.attempt[i].parent.hex);
		assert_int_equal(one.attempt[i].lineage,
				 all.attempt[i].lineage);
	}
	for (size_t i = 0; i < one.n_lineages; i++) {
		assert_int_equal(one.lineage[i].root, all.lineage[i].root);
		assert_int_equal(one.lineage[i].began, all.lineage[i].began);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_has_none_unless_it_is_asked),
		cmocka_unit_test(each_begins_at_the_start),
		cmocka_unit_test(the_faster_champion_goes_to_the_next_one),
		cmocka_unit_test(a_migrant_is_not_passed_on_at_once),
		cmocka_unit_test(many_accepted_ones_are_due_sooner),
		cmocka_unit_test(lineages_of_other_counts_have_a_place),
		cmocka_unit_test(an_entry_keeps_them_in_the_journal),
		cmocka_unit_test(each_agent_works_on_its_own_island),
		cmocka_unit_test(the_tree_does_not_depend_on_how_many_think),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
