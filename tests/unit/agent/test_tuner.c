/* The tuner, with a workspace but without a repository, a compiler and a card:
 * it is told what a score of its sources would be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "agent/tuner/search.h"
#include "agent/tuner/tuner.h"
#include "agent/tuner/ahead.h"
#include "core/base/file.h"

#define SPACE	 "// avogit: 1 2 4 8 16 32\n"
#define POINTS	 36
#define ATTEMPTS 64

struct world {
	struct variation v; /* first: the callbacks cast back */
	struct task task;
	struct population population;
	struct attempt attempts[ATTEMPTS];
	struct measurement measurement;
	struct variation_operator *tuner;
	struct archive archive;
	/* The sources of each attempt, by index; the start's are written by
	 * begin(). */
	char *sources[ATTEMPTS];
	char *dir;
	char subject[200];
	const char *more; /* of the sources; or NULL */
	/* by attempt, for A * 100 + B */
	int tried[ATTEMPTS];
	size_t n_tried;
	struct {
		int what;
		size_t when; /* attempts made before */
		bool is_sure;
	} built[ATTEMPTS * 8];
	size_t n_built;
	size_t busy_until; /* attempts before a build may begin */
};

static int number_of(const char *text, const char *name)
{
	return (int)strtol(strstr(text, name) + strlen(name), NULL, 10);
}

static int kernel_of(const char *text)
{
	return 100 * number_of(text, "define A ") +
	       number_of(text, "define B ");
}

static int kernel_in(const struct world *w)
{
	cleanup_free char *path = xasprintf("%s/k.c", w->dir);
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	assert_null(file_read(&b, path));
	return kernel_of(b.data);
}

static void edit(const struct world *w, int a, int b, const char *more)
{
	cleanup_free char *path = xasprintf("%s/k.c", w->dir);
	cleanup_free char *text = xasprintf(
		"#define A %d " SPACE "#define B %d " SPACE "%s", a, b, more);

	assert_null(file_write(path, text, strlen(text), false));
}

static char *sources_in(const struct world *w)
{
	cleanup_free char *path = xasprintf("%s/k.c", w->dir);
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	assert_null(file_read(&b, path));
	return buf_take(&b);
}

static struct error *load(struct archive *archive, struct candidate *out,
			  const char *id)
{
	struct world *w =
		(void *)((char *)archive - offsetof(struct world, archive));
	const struct attempt *a = population_find(&w->population, id);
	const char *text = w->sources[a - w->attempts];

	return fileset_put(&out->files, "k.c", text, strlen(text), false);
}

static double gain_of(int kernel)
{
	return -fabs(kernel / 100 - 8.0) - fabs(kernel % 100 - 4.0);
}

/* Is what was found of a value said as what speaks for it, or against it? */
static bool has_sides(const char *why)
{
	for (const char *at = why; (at = strstr(at, " on average")); at++) {
		if (at - why < 7)
			return false;
		if (!strncmp(at - 7, " faster", 7)
			    ? !strstr(why, " For it: ")
			    : !strstr(why, " Against it: "))
			return false;
	}
	return true;
}

static struct error *score(struct variation *v, const struct attempt **out,
			   const char *subject, const char *hypothesis,
			   const char *operator_state)
{
	struct world *w = (struct world *)v;
	struct attempt *a = &w->attempts[w->population.n++];
	int kernel = kernel_in(w);

	assert_true(w->more || strstr(subject, " -> "));
	assert_true(w->more || strstr(hypothesis, "expected improvement"));
	assert_true(has_sides(hypothesis));
	snprintf(w->subject, sizeof w->subject, "%s", subject);
	w->sources[w->population.n - 1] = sources_in(w);
	w->tried[w->n_tried++] = kernel;
	snprintf(a->id.hex, sizeof a->id, "%040zx", w->population.n);
	a->parent = commit_id(variation_parent(v)->id.hex);
	a->operator_state = xstrdup(operator_state);
	a->measurement = &w->measurement;
	a->gain = gain_of(kernel);
	population_index(&w->population);
	/* As a better one becomes the parent; and else is undone. */
	if (a->gain > variation_parent(v)->gain)
		v->parent = (size_t)(a - w->attempts);
	else if (!v->parent)
		edit(w, 1, 1, w->more ? w->more : "");
	else
		edit(w, w->tried[v->parent - 1] / 100,
		     w->tried[v->parent - 1] % 100, w->more ? w->more : "");
	*out = a;
	return NULL;
}

static bool foresee(struct variation *v, const struct fileset *sources,
		    bool is_sure)
{
	struct world *w = (struct world *)v;
	const struct file_entry *f = fileset_get(sources, "k.c");
	cleanup_free char *text = xstrndup(f->data, f->len);

	if (w->n_tried < w->busy_until)
		return false;
	w->built[w->n_built].what = kernel_of(text);
	w->built[w->n_built].is_sure = is_sure;
	w->built[w->n_built++].when = w->n_tried;
	return true;
}

static void begin(struct world *w)
{
	char path[] = "/tmp/avogit-tuner-XXXXXX";

	*w = (struct world){0};
	assert_non_null(mkdtemp(path));
	w->dir = xstrdup(path);
	w->task.prefix = (char *)(uintptr_t) "";
	strvec_pushl(&w->task.sources, "k.c", NULL);
	w->attempts[0].measurement = &w->measurement;
	w->attempts[0].gain = gain_of(101);
	snprintf(w->attempts[0].id.hex, sizeof w->attempts[0].id, "%040x", 1);
	w->population.attempt = w->attempts;
	w->population.n = 1;
	population_index(&w->population);
	w->archive.load = load;
	w->v = (struct variation){
		.task = &w->task,
		.archive = &w->archive,
		.population = &w->population,
		.lineage = 1,
		.workspace = w->dir,
		.seed = 1,
		.score = score,
		.foresee = foresee,
		.ahead = TUNER_AHEAD,
	};
	assert_null(tuner_new(&w->tuner, &w->task));
	edit(w, 1, 1, "");
	w->sources[0] = sources_in(w);
}

static void end(struct world *w)
{
	w->tuner->free(w->tuner);
	for (size_t i = 0; i < w->population.n; i++) {
		free(w->attempts[i].operator_state);
		free(w->sources[i]);
	}
	free(w->population.slot);
	assert_null(dir_remove(w->dir));
	strvec_release(&w->task.sources);
	free(w->dir);
}

static enum varied step(struct world *w)
{
	enum varied varied;

	assert_null(w->tuner->vary(w->tuner, &varied, &w->v));
	return varied;
}

/* When its build began, for sure; SIZE_MAX: never. */
static size_t built_when(const struct world *w, int kernel)
{
	for (size_t i = 0; i < w->n_built; i++)
		if (w->built[i].what == kernel && w->built[i].is_sure)
			return w->built[i].when;
	return SIZE_MAX;
}

static size_t count_sure(const struct world *w, size_t when)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n_built; i++)
		n += w->built[i].is_sure && w->built[i].when == when;
	return n;
}

static void every_attempt_was_built_three_attempts_before(void **state)
{
	struct world w;
	size_t sure = 0;

	(void)state;
	begin(&w);
	for (size_t i = 0; i < 20; i++)
		assert_int_equal(step(&w), VARIED);
	for (size_t i = 1; i < 20; i++)
		assert_int_equal(built_when(&w, w.tried[i]), i > 3 ? i - 3 : 0);
	/* Once each; guesses come after what is sure. */
	for (size_t i = 0; i < w.n_built; i++) {
		sure += w.built[i].is_sure;
		assert_true(!i || w.built[i].when != w.built[i - 1].when ||
			    w.built[i].is_sure <= w.built[i - 1].is_sure);
	}
	assert_int_equal(sure, 20 + 2);
	assert_true(w.n_built > sure);
	end(&w);
}

static void the_first_are_chosen_while_the_start_is_measured(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	w.attempts[0].gain = 0;
	w.v.ahead = 1;
	assert_null(w.tuner->look_ahead(w.tuner, &w.v));
	assert_int_equal(w.n_tried, 0);
	assert_int_equal(count_sure(&w, 0), 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(step(&w), VARIED);
		assert_int_equal(w.tried[i], w.built[i].what);
	}
	/* Once each, and one more for each that was tried. */
	assert_int_equal(count_sure(&w, 0) + count_sure(&w, 1), 3);
	end(&w);
}

static void what_found_no_room_is_built_later(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	w.busy_until = 2;
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(step(&w), VARIED);
	for (size_t i = 3; i < 10; i++)
		assert_int_equal(built_when(&w, w.tried[i]), MAX(i - 3, 2));
	end(&w);
}

static bool any(const void *arg, const size_t *point)
{
	(void)arg;
	(void)point;
	return true;
}

/* Twenty steps are those of a search that is told all gains with this deviation. */
static void asks_as_the_search(double deviation)
{
	const size_t values[] = {6, 6};
	const bool ordered[] = {true, true};
	const struct search_space space = {
		.n = 2, .values = values, .ordered = ordered, .allowed = any};
	struct tuner_search *s = search_new(&space, 1);
	const double half = 1.96 * deviation;
	struct comparison comparison[] = {
		{.rival = RIVAL_BASELINE, .ratio95 = {0.99, 1.01}},
		{.rival = RIVAL_START, .ratio95 = {exp(-3 * half), 1}},
		{.rival = RIVAL_INCUMBENT, .ratio95 = {exp(-half), exp(half)}},
		{.rival = RIVAL_CHAMPION, .ratio95 = {0, HUGE_VAL}},
	};
	size_t p[2] = {0, 0};
	const char *reason;
	struct world w;

	begin(&w);
	w.v.foresee = NULL;
	w.v.ahead = 0;
	if (deviation > 0) {
		w.measurement.comparisons = comparison;
		w.measurement.n_comparisons = ARRAY_SIZE(comparison);
	}
	for (size_t i = 0; i < 20; i++) {
		search_tell_within(s, p,
				   gain_of(100 * (1 << p[0]) + (1 << p[1])),
				   deviation);
		assert_true(search_ask(s, p, NULL, &reason));
		assert_int_equal(step(&w), VARIED);
		assert_int_equal(w.tried[i], 100 * (1 << p[0]) + (1 << p[1]));
	}
	search_free(s);
	end(&w);
}

static void where_nothing_is_built_meanwhile_one_is_chosen_at_a_time(
	void **state)
{
	(void)state;
	asks_as_the_search(0);
}

static void the_search_is_told_how_sure_a_gain_is(void **state)
{
	(void)state;
	asks_as_the_search(8);
}

static void each_point_is_tried_once_until_the_parent_is_barren(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	while (step(&w) == VARIED)
		;
	assert_int_equal(step(&w), VARIED_DEAD_END);
	assert_int_equal(w.n_tried, POINTS - 1);
	for (size_t i = 0; i < w.n_tried; i++)
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(w.tried[i], w.tried[j]);
	end(&w);
}

static void a_direction_drops_what_was_chosen_without_it(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(step(&w), VARIED);
	assert_int_equal(count_sure(&w, 2), 1);
	w.v.direction = "elsewhere";
	assert_int_equal(step(&w), VARIED);
	assert_int_equal(count_sure(&w, 3), 3);
	w.v.direction = NULL;
	while (step(&w) == VARIED)
		;
	assert_int_equal(w.n_tried, POINTS - 1);
	end(&w);
}

static void other_tunables_drop_what_was_chosen(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(step(&w), VARIED);
	w.more = "#define C 1 // avogit: 1 2\n";
	edit(&w, 1, 1, w.more);
	assert_int_equal(step(&w), VARIED);
	assert_string_equal(w.subject, "A 1, B 1, C 1");
	assert_int_equal(count_sure(&w, 2), 1);
	assert_int_equal(count_sure(&w, 3), 0);
	assert_int_equal(step(&w), VARIED);
	assert_int_equal(count_sure(&w, 4), 3);
	end(&w);
}

/* Scored by a model: a state of its own, or none. */
static void add_by_hand(struct world *w, int a, int b, const char *more,
			const char *state)
{
	struct attempt *attempt = &w->attempts[w->population.n];

	w->sources[w->population.n++] =
		xasprintf("#define A %d\n#define B %d " SPACE "%s", a, b, more);
	snprintf(attempt->id.hex, sizeof attempt->id, "%040zx",
		 w->population.n);
	attempt->operator_state = xstrdup_null(state);
	attempt->measurement = &w->measurement;
	attempt->gain = gain_of(100 * a + b);
	w->tried[w->n_tried++] = -1;
	population_index(&w->population);
}

static void what_a_model_measured_is_known(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	add_by_hand(&w, 2, 4, "", "{\"notes\": \"a note\"}");
	add_by_hand(&w, 8, 2, "", NULL);
	add_by_hand(&w, 16, 16, "int other;\n", NULL);
	while (step(&w) == VARIED)
		;
	assert_int_equal(w.n_tried - 3, POINTS - 1 - 2);
	for (size_t i = 3; i < w.n_tried; i++) {
		assert_int_not_equal(w.tried[i], 204);
		assert_int_not_equal(w.tried[i], 802);
	}
	end(&w);
}

/* The attempts before the best is tried, with what a model measured at four
 * points, or without. */
static size_t until_the_best(bool with_it, uint64_t seed)
{
	struct world w;
	size_t n;

	begin(&w);
	w.v.seed = seed;
	w.v.ahead = 0;
	w.v.foresee = NULL;
	if (with_it) {
		add_by_hand(&w, 4, 4, "", NULL);
		add_by_hand(&w, 8, 8, "", NULL);
		add_by_hand(&w, 16, 4, "", NULL);
		add_by_hand(&w, 8, 1, "", NULL);
	}
	n = w.n_tried;
	do
		assert_int_equal(step(&w), VARIED);
	while (w.tried[w.n_tried - 1] != 804);
	n = w.n_tried - n;
	end(&w);
	return n;
}

static void what_a_model_measured_saves_attempts(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++)
		assert_true(until_the_best(true, seed) <
			    until_the_best(false, seed));
}

static void the_best_that_is_known_is_taken(void **state)
{
	const struct attempt *best;
	struct world w;

	(void)state;
	begin(&w);
	w.more = "int other;\n";
	edit(&w, 1, 1, w.more);
	assert_null(w.tuner->take_best(w.tuner, &best, &w.v));
	assert_null(best);
	add_by_hand(&w, 4, 4, w.more, NULL);
	add_by_hand(&w, 4, 2, w.more, NULL);
	assert_null(w.tuner->take_best(w.tuner, &best, &w.v));
	assert_ptr_equal(best, &w.attempts[1]);
	assert_int_equal(kernel_in(&w), 404);
	/* The parent has beaten the others. */
	w.v.parent = 2;
	assert_null(w.tuner->take_best(w.tuner, &best, &w.v));
	assert_ptr_equal(best, &w.attempts[2]);
	assert_int_equal(kernel_in(&w), 402);
	end(&w);
}

static void a_sweep_goes_on_after_a_kill_without_what_it_measured(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(step(&w), VARIED);
	w.tuner->free(w.tuner);
	assert_null(tuner_new(&w.tuner, &w.task));
	while (step(&w) == VARIED)
		;
	assert_int_equal(w.n_tried, POINTS - 1);
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_attempt_was_built_three_attempts_before),
		cmocka_unit_test(
			the_first_are_chosen_while_the_start_is_measured),
		cmocka_unit_test(what_found_no_room_is_built_later),
		cmocka_unit_test(
			where_nothing_is_built_meanwhile_one_is_chosen_at_a_time),
		cmocka_unit_test(the_search_is_told_how_sure_a_gain_is),
		cmocka_unit_test(
			each_point_is_tried_once_until_the_parent_is_barren),
		cmocka_unit_test(a_direction_drops_what_was_chosen_without_it),
		cmocka_unit_test(other_tunables_drop_what_was_chosen),
		cmocka_unit_test(what_a_model_measured_is_known),
		cmocka_unit_test(what_a_model_measured_saves_attempts),
		cmocka_unit_test(the_best_that_is_known_is_taken),
		cmocka_unit_test(
			a_sweep_goes_on_after_a_kill_without_what_it_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
