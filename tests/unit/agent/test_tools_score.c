/* What `score` says, with stand-ins for the loop and the scorer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/agent/tool_world.h"

/* A run of the start and one attempt, whose sources are in the workspace. */
struct run {
	struct world w;
	struct archive archive;
	struct evaluator evaluator;
	struct attempt attempt[2];
	struct comparison *c; /* of the attempt */
	unsigned scored, again;
	char remark[200];
};

static struct run *run_of(struct variation *v)
{
	return (struct run *)(void *)((char *)v - offsetof(struct run, w.v));
}

static struct error *load(struct archive *a UNUSED, struct candidate *out,
			  const char *id)
{
	out->id = commit_id(id);
	return fileset_put(&out->files, "kernel.c", "int start;\n", 11, false);
}

static void identify(struct evaluator *e UNUSED, struct identity *out,
		     const struct candidate *c)
{
	*out = (struct identity){.task = "t", .machine = "m", .scorer = "1"};
	snprintf(out->sources, sizeof out->sources, "%.16s", c->sources_id);
}

static struct error *score(struct variation *v, const struct attempt **out,
			   const char *subject UNUSED,
			   const char *hypothesis UNUSED,
			   const char *state UNUSED)
{
	struct run *r = run_of(v);

	r->scored++;
	*out = &r->attempt[1];
	return NULL;
}

static struct error *measure_again(struct variation *v,
				   const struct attempt **out, const char *id)
{
	struct run *r = run_of(v);

	r->again++;
	assert_string_equal(id, r->attempt[1].id.hex);
	*out = &r->attempt[1];
	return NULL;
}

static struct error *remark(struct variation *v, const char *text)
{
	snprintf(run_of(v)->remark, sizeof run_of(v)->remark, "%s", text);
	return NULL;
}

static void add_attempt(struct run *r, int64_t number)
{
	struct attempt *a = &r->attempt[number];

	a->number = number;
	a->lineage = 1;
	snprintf(a->id.hex, sizeof a->id.hex, "%040d", (int)number + 1);
	a->measurement = measurement_new();
	a->measurement->verdict = VERDICT_PASS;
}

static int setup(void **state)
{
	struct run *r = xcalloc(1, sizeof *r);
	cleanup_candidate struct candidate c = {0};
	cleanup_fileset struct fileset sources = FILESET_INIT;

	world_init(&r->w);
	add_attempt(r, 0);
	add_attempt(r, 1);
	r->w.population.attempt = r->attempt;
	r->w.population.n = 2;
	population_index(&r->w.population);
	r->archive.load = load;
	r->evaluator.identify = identify;
	r->w.v.archive = &r->archive;
	r->w.v.evaluator = &r->evaluator;
	r->w.v.lineage = 1;
	r->w.v.score = score;
	r->w.v.measure_again = measure_again;
	r->w.v.remark = remark;
	put(&r->w, "kernel.c", "int kernel;\n");
	assert_null(toolbox_read_sources(&sources, &r->w.box));
	fileset_id(c.sources_id, &sources);
	identify(NULL, &r->attempt[1].measurement->identity, &c);
	r->c = measurement_add_comparison(r->attempt[1].measurement,
					  RIVAL_INCUMBENT,
					  r->attempt[0].id.hex);
	r->c->ratio = 1.01;
	r->c->ratio95 = (struct interval){0.9, 1.1};
	*state = r;
	return 0;
}

static int teardown(void **state)
{
	struct run *r = *state;

	measurement_free(r->attempt[0].measurement);
	measurement_free(r->attempt[1].measurement);
	free(r->w.population.slot);
	world_release(&r->w);
	free(r);
	return 0;
}

static const char *again(struct run *r)
{
	return call(&r->w, "score",
		    "{\"subject\":\"noise hid it\",\"hypothesis\":\"\","
		    "\"again\":true}");
}

static void measures_what_was_undecided_again(void **state)
{
	struct run *r = *state;

	assert_non_null(strstr(again(r), "attempt #1"));
	assert_false(r->w.reply.failed);
	assert_int_equal(r->again, 1);
	assert_int_equal(r->scored, 0);
	assert_string_equal(r->remark, "measured #1 again: noise hid it");
}

static void measures_nothing_again_that_is_decided(void **state)
{
	struct run *r = *state;

	r->c->decision = DECISION_SLOWER;
	assert_non_null(strstr(again(r), "#1 is decided, nothing is measured "
					 "again: slower ("));
	assert_true(r->w.reply.failed);
	r->attempt[1].accepted = true;
	assert_non_null(strstr(again(r), ": kept ("));
	measurement_fail(r->attempt[1].measurement, VERDICT_WRONG, "it is");
	assert_non_null(strstr(again(r), ": wrong ("));
	assert_int_equal(r->again, 0);
}

static void measures_nothing_again_that_was_not_scored(void **state)
{
	struct run *r = *state;

	put(&r->w, "kernel.c", "int other;\n");
	assert_non_null(strstr(again(r), "were not scored in this run"));
	assert_int_equal(r->again + r->scored, 0);
}

static void says_that_the_same_sources_were_measured_before(void **state)
{
	const char *arguments = "{\"subject\":\"a\",\"hypothesis\":\"\"}";
	struct run *r = *state;

	assert_null(strstr(call(&r->w, "score", arguments), "same sources"));
	measurement_set(r->attempt[1].measurement, "same_sources",
			r->attempt[0].id.hex);
	assert_non_null(strstr(call(&r->w, "score", arguments),
			       "the same sources as #0, measured then"));
	assert_non_null(strstr(r->w.reply.text.data,
			       "Nothing was timed now. `again` measures"));
}

static bool is_given(const struct tool_member *m, const char *name)
{
	while (m->name && !str_eq(m->name, name))
		m++;
	return m->name;
}

static void gives_programs_only_what_its_schema_lists(void **state)
{
	const char *arguments = "{\"subject\":\"a\",\"hypothesis\":\"\"}";
	struct run *r = *state;
	const struct json *data;

	call(&r->w, "score", arguments);
	data = r->w.reply.data;
	assert_true(json_len(data) > 8);
	for (size_t i = 0; i < json_len(data); i++)
		if (!is_given(tool_find("score")->gives,
			      json_key(json_at(data, i))))
			fail_msg("%s is not in the schema",
				 json_key(json_at(data, i)));
	for (const struct tool_member *m = tool_find("score")->gives; m->name;
	     m++)
		assert_true(!m->always || json_get(data, m->name));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(measures_what_was_undecided_again),
		TEST(measures_nothing_again_that_is_decided),
		TEST(measures_nothing_again_that_was_not_scored),
		TEST(gives_programs_only_what_its_schema_lists),
		TEST(says_that_the_same_sources_were_measured_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
