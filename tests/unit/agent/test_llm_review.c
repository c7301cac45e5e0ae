#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "agent/llm/internal.h"

/* A run of a start and two attempts, the first of them accepted, and a model
 * that answers what the test wrote down. */
struct world {
	struct allowance allowance; /* first: cast back */
	const char *over;	    /* why the run is over */
	struct spend spent;
	struct task task;
	struct attempt attempt[3];
	struct population p;
	struct reviewer *reviewer;
};

static const char *why_stop(const struct allowance *a)
{
	const struct world *w = (const struct world *)a;

	return w->spent.turns ? w->over : NULL;
}

static double seconds_left(const struct allowance *a UNUSED)
{
	return (double)INFINITY;
}

static void spent(struct allowance *a, const struct spend *more)
{
	spend_add(&((struct world *)a)->spent, more);
}

static void working(struct allowance *a UNUSED, const char *text UNUSED)
{
}

static void add_attempt(struct world *w, size_t i, bool accepted)
{
	struct attempt *a = &w->attempt[i];

	memset(a->id.hex, (int)('a' + i), COMMIT_ID_LEN);
	memset(a->parent.hex, 'a', i ? COMMIT_ID_LEN : 0);
	a->number = (int64_t)i;
	a->lineage = 1;
	a->accepted = accepted;
	a->gain = (double)i / 10;
	a->subject = (char *)(uintptr_t)(i == 1 ? "by rows" : "by columns");
	a->measurement = measurement_new();
	a->measurement->verdict = VERDICT_PASS;
}

static void world_init(struct world *w, const char *replies)
{
	cleanup_free char *text =
		xasprintf("{\"avogit_recording\":1}\n%s", replies);
	cleanup_fileset struct fileset files = FILESET_INIT;
	const struct llm_options o = {.files = &files};

	*w = (struct world){.allowance = {.why_stop = why_stop,
					  .seconds_left = seconds_left,
					  .spent = spent,
					  .working = working}};
	w->task = (struct task){
		.path = (char *)(uintptr_t) "avogit.yaml",
		.name = (char *)(uintptr_t) "gemm",
		.prefix = (char *)(uintptr_t) "",
		.entry = (char *)(uintptr_t) "gemm",
		.compiler = (char *)(uintptr_t) "cc",
		.operator_name = (char *)(uintptr_t) "replay",
		.operator_settings =
			(char *)(uintptr_t) "{\"replay\":\"r.jsonl\"}",
	};
	for (size_t i = 0; i < 3; i++)
		add_attempt(w, i, i < 2);
	w->p.attempt = w->attempt;
	w->p.n = 3;
	w->p.champion = 1;
	w->p.record.machine_name = (char *)(uintptr_t) "a machine";
	assert_null(fileset_put(&files, "r.jsonl", text, strlen(text), false));
	assert_null(reviewer_new(&w->reviewer, &w->task, &o));
}

static void world_release(struct world *w)
{
	reviewer_free(w->reviewer);
	for (size_t i = 0; i < 3; i++)
		measurement_free(w->attempt[i].measurement);
	free(w->p.slot);
}

static struct error *consult(struct advice *out, struct world *w)
{
	const struct situation now = {.task = &w->task,
				      .population = &w->p,
				      .allowance = &w->allowance};
	const struct question q = {&now, "stall: 12 attempts", "Tried: much.",
				   0};
	struct advisor *a = reviewer_advisor(w->reviewer);

	*out = (struct advice){.parent = q.parent};
	return a->advise(a, out, &q);
}

#define CALL(arguments)                                    \
	"{\"calls\":[{\"id\":\"1\",\"name\":\"redirect\"," \
	"\"arguments\":" arguments "}]}\n"
#define GOOD CALL("{\"attempt\":1,\"direction\":\"unroll\"}")

static void an_answer_names_an_accepted_attempt_and_what_to_do(void **state)
{
	/* Right at once, after words, after a wrong number, the other tool. */
	static const char *const table[] = {
		GOOD,
		"{\"text\":\"hm\"}\n" GOOD,
		CALL("{\"attempt\":2,\"direction\":\"x\"}") GOOD,
		"{\"text\":\"cut\",\"stop\":\"length\"}\n" GOOD,
		"{\"calls\":[{\"name\":\"score\",\"arguments\":{}},"
		"{\"name\":\"redirect\",\"arguments\":{\"attempt\":1,"
		"\"direction\":\"unroll\"}}]}\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct world w;
		struct advice advice;

		world_init(&w, table[i]);
		assert_null(consult(&advice, &w));
		assert_int_equal(advice.parent, 1);
		assert_string_equal(advice.direction, "unroll");
		assert_int_equal(w.spent.turns, i > 0 && i < 4 ? 2 : 1);
		free(advice.direction);
		world_release(&w);
	}
}

static void what_is_no_answer_is_an_error_that_says_so(void **state)
{
	static const struct {
		const char *replies, *words, *over;
	} table[] = {
		{"{\"text\":\"a\"}\n{\"text\":\"b\"}\n{\"text\":\"c\"}\n" GOOD,
		 "it did not call `redirect`, 3 replies in a row", NULL},
		{CALL("{\"attempt\":99,\"direction\":\"x\"}")
			 CALL("{\"attempt\":-1,\"direction\":\"x\"}")
				 CALL("{\"attempt\":2,\"direction\":\"x\"}"),
		 "attempt 2 was not kept", NULL},
		{CALL("{\"attempt\":1,\"direction\":\" \"}")
			 CALL("{\"attempt\":\"1\",\"direction\":\"x\"}")
				 CALL("{\"direction\":\"x\"}"),
		 "its call has no attempt and direction", NULL},
		{"{\"stop\":\"refused\",\"refusal\":\"not that\"}\n" GOOD,
		 "it refused: not that", NULL},
		{"{\"stop\":\"filtered\"}\n" GOOD, "filtered", NULL},
		{"{\"stop\":\"context-full\"}\n" GOOD, "context is too small",
		 NULL},
		{"{\"text\":\"a\"}\n" GOOD, "budget was spent before",
		 "tokens"},
		{"", "ends after 0 replies", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct world w;
		struct advice advice;
		cleanup_error struct error *err = NULL;

		world_init(&w, table[i].replies);
		w.over = table[i].over;
		err = consult(&advice, &w);
		assert_true(error_is(err, ERROR_NOT_FOUND));
		assert_non_null(strstr(error_message(err), table[i].words));
		assert_null(advice.direction);
		world_release(&w);
	}
}

static void talks_with_one_model_stay_apart(void **state)
{
	struct world w;
	cleanup_talk struct talk a = {0}, b = {0};
	struct model *m;

	(void)state;
	world_init(&w, "{\"text\":\"one\",\"input\":10,\"output\":1}\n"
		       "{\"text\":\"two\",\"input\":20,\"output\":2}\n"
		       "{\"text\":\"three\",\"input\":30,\"output\":3}\n");
	m = w.reviewer->model;
	talk_init(&a, m, &w.allowance, "system.md", "thinking");
	talk_init(&b, m, &w.allowance, "reviewer.md", "reviewing");
	assert_string_not_equal(a.c.system, b.c.system);
	for (size_t i = 0; i < 3; i++) {
		struct talk *t = i == 1 ? &b : &a;
		cleanup_reply struct reply r = {0};

		assert_null(talk_say(t, "go on"));
		assert_null(talk_ask(t, &r));
		assert_true(talk_take(t, &r));
	}
	assert_string_equal(a.words, "three");
	assert_string_equal(b.words, "two");
	assert_int_equal(a.c.n_turns, 4);
	assert_int_equal(b.c.n_turns, 2);
	assert_int_equal(a.spend.tokens_in, 40);
	assert_int_equal(b.spend.tokens_in, 20);
	assert_int_equal(w.spent.tokens_in, 60);
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			an_answer_names_an_accepted_attempt_and_what_to_do),
		cmocka_unit_test(what_is_no_answer_is_an_error_that_says_so),
		cmocka_unit_test(talks_with_one_model_stay_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
