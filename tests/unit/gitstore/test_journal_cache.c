/* A run that was read from its cache beside one folded from every entry: what
 * goes on from either must go on alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "core/base/file.h"
#include "core/sandbox/process.h"
#include "gitstore/journal/history.h"
#include "tests/read_journal.h"

/* Twice what is kept whole, and entries enough for a cache. */
#define ATTEMPTS (2 * POPULATION_WHOLE + 12)

struct world {
	char *dir;
	struct gitstore *g;
	struct commit_id base;
	struct commit_id champion;
	struct commit_id last;
	int64_t n; /* attempts so far */
};

static int make_world(void **state)
{
	static const char *const argv[] = {
		"sh", "-c",
		"git init -q -b main . && git -c user.name=T -c user.email=t@t "
		"commit -q --allow-empty -m start && git rev-parse HEAD",
		NULL};
	struct world *w = xcalloc(1, sizeof *w);
	cleanup_process_result struct process_result result = {0};
	struct process_spec spec = {.argv = argv};

	assert_null(dir_make_temp(&w->dir, "/tmp", "avogit-test-"));
	spec.dir = w->dir;
	assert_null(process_run(&result, &spec, BUF_LIMIT_TEXT));
	assert_int_equal(result.exit_code, 0);
	w->base = commit_id(result.output.data);
	w->champion = w->base;
	w->last = w->base;
	assert_null(gitstore_open(&w->g, w->dir));
	*state = w;
	return 0;
}

static int end_world(void **state)
{
	struct world *w = *state;

	gitstore_close(w->g);
	error_free(dir_remove(w->dir));
	free(w->dir);
	free(w);
	return 0;
}

/* ---- a run with something of everything ---------------------------------- */

static void append(struct world *w, struct entry *e)
{
	e->spend.turns = w->n % 3;
	e->spend.tokens_in = 100 + w->n;
	e->spend.tokens_out = 7;
	e->spend.dollars = 0.25;
	e->spend.gpu_seconds = 0.5;
	assert_null(gitstore_append(w->g, e));
}

static void begin_run(struct world *w)
{
	cleanup_entry struct entry e, start;

	entry_init(&e, ENTRY_RUN, "gemm");
	entry_init(&start, ENTRY_START, "gemm");
	e.base = w->base;
	memcpy(e.machine, "0123456789abcdef", sizeof e.machine);
	memcpy(e.task_id, "fedcba9876543210", sizeof e.task_id);
	e.task_path = xstrdup("avogit.yaml");
	e.machine_name = xstrdup("a desk");
	e.operator_name = xstrdup("tuner");
	e.seed = 42;
	start.operator_name = xstrdup("llm");
	append(w, &e);
	append(w, &start);
}

static void make_candidate(struct world *w, struct commit_id *id)
{
	const git_oid *tree;
	git_oid parent, made;
	cleanup_free char *message = xasprintf("try %lld\n", (long long)w->n);
	struct commit_spec spec = {.message = message, .n_parents = 1};

	assert_null(empty_tree(&tree, w->g));
	assert_null(oid_parse(&parent, w->last.hex));
	spec.tree = tree;
	spec.parent[0] = &parent;
	assert_null(commit_write(&made, w->g, &spec));
	*id = oid_hex(&made);
}

static void propose(struct world *w, int64_t lineage)
{
	cleanup_entry struct entry e;

	w->n++;
	entry_init(&e, ENTRY_ATTEMPT, "gemm");
	make_candidate(w, &e.candidate);
	e.parent = w->last;
	if (w->n % 4 == 0)
		e.after = w->champion;
	w->last = e.candidate;
	e.number = w->n;
	e.lineage = lineage;
	e.subject = xasprintf("try %lld", (long long)w->n);
	e.hypothesis = w->n % 2 ? xstrdup("it may\nhelp") : NULL;
	e.operator_state = w->n % 3 ? NULL : xstrdup("{\"a\":1}");
	append(w, &e);
}

static void fill(struct measurement *m, const struct world *w)
{
	struct comparison *c;

	snprintf(m->identity.task, sizeof m->identity.task, "t");
	snprintf(m->identity.sources, sizeof m->identity.sources, "%llx",
		 (unsigned long long)w->n);
	snprintf(m->identity.machine, sizeof m->identity.machine, "m%d",
		 (int)(w->n / 50));
	measurement_add_case(m, "m=1")->seconds = 1e-6 * (double)w->n;
	measurement_set(m, "machine", "a desk");
	measurement_set(m, "code", w->n % 5 ? "c0de" : "c1de");
	measurement_set(m, w->n % 2 ? "sanitized" : "unsteady", "memcheck");
	if (w->n % 7 == 6) {
		measurement_fail(m, VERDICT_WRONG, "case m=1 differs");
		m->log = xstrdup("expected 1\n");
		return;
	}
	m->score = 1e9 + (double)w->n;
	m->noise = 0.01;
	/* The odd ones never meet the champion. */
	c = measurement_add_comparison(
		m, RIVAL_INCUMBENT, w->n % 2 ? w->base.hex : w->champion.hex);
	c->ratio = 1 + (double)w->n / 1000;
	c->n_cases = 1;
	c->case_ratio = xcalloc(1, sizeof *c->case_ratio);
	*c->case_ratio = c->ratio;
}

static void measure(struct world *w, bool accepted)
{
	cleanup_entry struct entry e;

	entry_init(&e, ENTRY_MEASUREMENT, "gemm");
	e.candidate = w->last;
	e.number = w->n;
	e.measurement = measurement_new();
	fill(e.measurement, w);
	e.accepted = accepted;
	e.spent_seconds = 2.5 * (double)w->n;
	append(w, &e);
}

static void crown(struct world *w)
{
	cleanup_entry struct entry e;

	entry_init(&e, ENTRY_CROWN, "gemm");
	e.candidate = w->last;
	w->champion = w->last;
	e.number = w->n;
	append(w, &e);
}

static void intervene(struct world *w, int64_t lineage)
{
	cleanup_entry struct entry e;

	entry_init(&e, ENTRY_INTERVENTION, "gemm");
	e.candidate = w->champion;
	e.new_lineage = lineage;
	e.trigger = xstrdup("stall");
	e.reason = xasprintf("stall: no gain since %lld", (long long)w->n);
	e.direction = lineage % 2 ? xstrdup("look at the tiles\nthen rest")
				  : NULL;
	e.stalled_attempts = 9;
	e.stalled_seconds = 12.5;
	e.spent_seconds = 2.5 * (double)w->n + 1;
	append(w, &e);
}

static void say(struct world *w, enum entry_kind kind, const char *reason)
{
	cleanup_entry struct entry e;

	entry_init(&e, kind, "gemm");
	e.reason = xstrdup(reason);
	if (kind == ENTRY_STOP)
		e.spent_seconds = 2.5 * (double)w->n + 2;
	append(w, &e);
}

static void keep_state(struct world *w)
{
	cleanup_entry struct entry e;

	entry_init(&e, ENTRY_REMARK, "gemm");
	e.operator_state =
		xasprintf("{\"notes\":\"after %jd\"}", (intmax_t)w->n);
	append(w, &e);
}

static void step(struct world *w)
{
	int64_t lineage = 1 + w->n / 20;
	bool crowned;

	if (w->n % 20 == 0 && w->n)
		intervene(w, lineage);
	propose(w, lineage);
	crowned = w->n == 5 || w->n == 100 || w->n == 105 || w->n == 145;
	measure(w, crowned || w->n % 9 == 1);
	if (crowned)
		crown(w);
	if (w->n % 6 == 0)
		say(w, ENTRY_REMARK, "the step came to nothing");
	if (w->n % 7 == 0)
		keep_state(w);
}

/* ---- the same? ----------------------------------------------------------- */

#define SAME_INT(field)	 assert_int_equal(a->field, b->field)
#define SAME_REAL(field) assert_true(same_real(a->field, b->field))
#define SAME_TEXT(field) assert_text(a->field, b->field)
#define SAME_ID(field)	 assert_text(a->field.hex, b->field.hex)

static bool same_real(double a, double b)
{
	return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-12 * fabs(a);
}

static void assert_text(const char *a, const char *b)
{
	assert_int_equal(!a, !b);
	if (a && b)
		assert_string_equal(a, b);
}

static void assert_same_measurement(const struct measurement *a,
				    const struct measurement *b)
{
	cleanup_json struct json *x = a ? measurement_to_json(a) : NULL;
	cleanup_json struct json *y = b ? measurement_to_json(b) : NULL;
	cleanup_free char *s = x ? json_print(x) : NULL;
	cleanup_free char *t = y ? json_print(y) : NULL;

	assert_text(s, t);
	if (a && b)
		SAME_INT(brief);
}

static void assert_same_attempt(const struct attempt *a,
				const struct attempt *b)
{
	SAME_ID(id);
	SAME_ID(parent);
	SAME_ID(after);
	SAME_INT(number);
	SAME_INT(lineage);
	SAME_TEXT(subject);
	SAME_TEXT(hypothesis);
	SAME_TEXT(operator_state);
	SAME_INT(time_us);
	SAME_INT(accepted);
	SAME_INT(crowned);
	SAME_ID(entry);
	SAME_REAL(gain);
	SAME_INT(won.over);
	SAME_REAL(won.ratio);
	SAME_REAL(won.ratio95.lo);
	SAME_REAL(won.ratio95.hi);
	SAME_INT(won.confirmed);
	assert_same_measurement(a->measurement, b->measurement);
}

static void assert_same_lineage(const struct lineage *a,
				const struct lineage *b)
{
	SAME_INT(number);
	SAME_INT(root);
	SAME_INT(tip);
	SAME_TEXT(reason);
	SAME_TEXT(direction);
	SAME_INT(attempts);
	SAME_INT(since_gain);
}

static void assert_same_saying(const struct saying *a, const struct saying *b)
{
	SAME_INT(kind);
	SAME_INT(attempts);
	SAME_INT(time_us);
	SAME_TEXT(trigger);
	SAME_TEXT(reason);
	SAME_TEXT(direction);
	SAME_INT(lineage);
	SAME_ID(candidate);
	SAME_INT(number);
	SAME_INT(stalled_attempts);
	SAME_REAL(stalled_seconds);
}

static void assert_same_record(const struct entry *a, const struct entry *b)
{
	SAME_ID(id);
	SAME_TEXT(run);
	SAME_ID(base);
	SAME_ID(from);
	SAME_TEXT(task_path);
	SAME_TEXT(task_id);
	SAME_INT(seed);
	SAME_TEXT(machine);
	SAME_TEXT(machine_name);
	SAME_TEXT(operator_name);
	SAME_INT(time_us);
}

static void assert_same_counts(const struct population *a,
			       const struct population *b)
{
	SAME_INT(has_record);
	SAME_INT(champion);
	SAME_INT(since_gain);
	SAME_INT(since_intervention);
	SAME_REAL(gain_seconds);
	SAME_REAL(intervention_seconds);
	SAME_INT(contested);
	SAME_REAL(spent_seconds);
	SAME_INT(spend.turns);
	SAME_INT(spend.tokens_in);
	SAME_INT(spend.tokens_hit);
	SAME_INT(spend.tokens_out);
	SAME_REAL(spend.dollars);
	SAME_INT(spend.unpriced);
	SAME_REAL(spend.gpu_seconds);
	SAME_INT(time_us);
	SAME_TEXT(stop_reason);
	SAME_INT(interventions);
	SAME_TEXT(operator_name);
	SAME_TEXT(operator_state);
	SAME_INT(state_attempts);
	SAME_TEXT(writer);
	SAME_INT(highest);
	SAME_INT(settled);
	SAME_INT(n_whole);
	assert_memory_equal(a->whole, b->whole, sizeof a->whole);
}

static void assert_same(const struct population *a, const struct population *b)
{
	assert_same_record(&a->record, &b->record);
	assert_same_counts(a, b);
	SAME_INT(n);
	for (size_t i = 0; i < a->n; i++) {
		assert_same_attempt(&a->attempt[i], &b->attempt[i]);
		assert_ptr_equal(population_find(b, a->attempt[i].id.hex),
				 &b->attempt[i]);
	}
	SAME_INT(n_lineages);
	for (size_t i = 0; i < a->n_lineages; i++)
		assert_same_lineage(&a->lineage[i], &b->lineage[i]);
	SAME_INT(n_sayings);
	for (size_t i = 0; i < a->n_sayings; i++)
		assert_same_saying(&a->sayings[i], &b->sayings[i]);
	SAME_INT(n_machines);
	for (size_t i = 0; i < a->n_machines; i++) {
		SAME_TEXT(machine[i].id);
		SAME_TEXT(machine[i].name);
	}
}

static void apply(void *arg, const struct entry *e)
{
	population_apply(arg, e);
}

static void fold(struct population *p, struct world *w)
{
	population_init(p);
	assert_null(read_journal(w->g, "gemm", apply, p));
}

/* ---- tests --------------------------------------------------------------- */

static void assert_cache_is_like_the_fold(struct world *w)
{
	cleanup_population struct population folded, read = {0};

	fold(&folded, w);
	assert_null(gitstore_population(&read, w->g, "gemm"));
	assert_same(&folded, &read);
}

static void a_cached_run_is_the_one_its_entries_make(void **state)
{
	struct world *w = *state;
	cleanup_history struct history h = {.n_about = 0};

	begin_run(w);
	measure(w, true);
	while (w->n < ATTEMPTS)
		step(w);
	/* Makes the cache, then is made of it. */
	assert_cache_is_like_the_fold(w);
	assert_true(cache_load(&h, w->g, "gemm"));
	assert_int_equal(h.p.n, ATTEMPTS + 1);
	assert_int_equal(h.p.champion, 105);
	assert_int_equal(h.p.contested, 100);
	assert_cache_is_like_the_fold(w);
	/* Of it and of what came since. */
	while (w->n < ATTEMPTS + 12)
		step(w);
	propose(w, 2);
	say(w, ENTRY_STOP, "attempts");
	assert_cache_is_like_the_fold(w);
}

/* Strings that lie in the cache's block are replaced and dropped. */
static void what_is_applied_to_a_cached_run_changes_it_alike(void **state)
{
	struct world *w = *state;
	cleanup_population struct population folded, cached = {0};
	static const enum entry_kind kind[] = {ENTRY_STOP,   ENTRY_START,
					       ENTRY_REMARK, ENTRY_INTERVENTION,
					       ENTRY_CROWN,  ENTRY_MEASUREMENT,
					       ENTRY_STOP};

	begin_run(w);
	measure(w, true);
	while (w->n < ATTEMPTS)
		step(w);
	say(w, ENTRY_STOP, "attempts");
	assert_null(gitstore_population(&cached, w->g, "gemm"));
	assert_null(gitstore_population(&cached, w->g, "gemm"));
	assert_non_null(cached.block);
	fold(&folded, w);
	for (size_t i = 0; i < ARRAY_SIZE(kind); i++) {
		cleanup_entry struct entry e;

		entry_init(&e, kind[i], "gemm");
		e.candidate = cached.attempt[i].id;
		e.time_us = cached.time_us + 1;
		e.new_lineage = 77;
		e.reason = xstrdup("time");
		e.direction = xstrdup("elsewhere");
		e.operator_name = xstrdup("command");
		if (e.kind == ENTRY_MEASUREMENT) {
			e.measurement = measurement_new();
			fill(e.measurement, w);
		}
		population_apply(&folded, &e);
		population_apply(&cached, &e);
	}
	/* Crowned long after it was measured: only a reading of the journal
	 * makes that whole. */
	assert_same(&folded, &cached);
}

static void what_was_said_is_in_the_newest_part_too(void **state)
{
	struct world *w = *state;
	cleanup_population struct population folded, recent = {0};

	begin_run(w);
	measure(w, true);
	while (w->n < ATTEMPTS)
		step(w);
	assert_null(gitstore_population(&recent, w->g, "gemm"));
	assert_null(gitstore_recent(&recent, w->g, "gemm", 3));
	assert_null(recent.attempt[2].subject);
	fold(&folded, w);
	assert_int_equal(recent.n, folded.n);
	assert_int_equal(recent.n_sayings, folded.n_sayings);
	assert_true(folded.n_sayings > folded.interventions);
	for (size_t i = 0; i < folded.n_sayings; i++)
		assert_same_saying(&folded.sayings[i], &recent.sayings[i]);
}

static void a_brief_measurement_is_recalled_whole(void **state)
{
	struct world *w = *state;
	cleanup_population struct population p = {0};
	cleanup_measurement struct measurement *m = NULL;
	struct measurement *none = NULL;

	begin_run(w);
	measure(w, true);
	while (w->n < ATTEMPTS)
		step(w);
	assert_null(gitstore_population(&p, w->g, "gemm"));
	/* The sixth failed. */
	assert_true(p.attempt[6].measurement->brief);
	assert_null(p.attempt[6].measurement->log);
	assert_non_null(measurement_get(p.attempt[6].measurement, "code"));
	assert_null(gitstore_recall(&m, w->g, &p.attempt[6]));
	assert_string_equal(m->id, p.attempt[6].measurement->id);
	assert_string_equal(m->log, "expected 1\n");
	assert_int_equal(m->n_cases, 1);
	assert_null(gitstore_recall(&none, w->g, &p.attempt[ATTEMPTS]));
	assert_null(none);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_world, end_world)
	const struct CMUnitTest tests[] = {
		TEST(a_cached_run_is_the_one_its_entries_make),
		TEST(what_is_applied_to_a_cached_run_changes_it_alike),
		TEST(what_was_said_is_in_the_newest_part_too),
		TEST(a_brief_measurement_is_recalled_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
