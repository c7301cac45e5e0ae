/* Elements in which rounding decides between two values far apart. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "scorer/runner/reference.h"

#define ROWS	 64
#define COLUMNS	 1024
#define ELEMENTS (ROWS * COLUMNS)
#define HIGH	 8.0f

/* A task whose output is 8 or 0. The plain version is right but for a jump in
 * some of the sets that are drawn. */
struct world {
	struct elsewhere elsewhere; /* first: its functions cast it back */
	struct reference reference;
	unsigned sets;	/* drawn so far */
	unsigned every; /* the plain version jumps once in so many; 0: never */
	float got[ELEMENTS];
	unsigned char room[1];
};

static float right(int64_t i)
{
	return i % 3 ? HIGH : 0;
}

static const char *allocate(struct elsewhere *self, unsigned char **inputs,
			    size_t bytes)
{
	(void)bytes;
	*inputs = ((struct world *)self)->room;
	return NULL;
}

static const char *fill(struct elsewhere *self, unsigned char *inputs,
			const struct entry_call *c, const struct recipe *recipe,
			uint32_t k)
{
	(void)inputs, (void)c, (void)recipe, (void)k;
	((struct world *)self)->sets++;
	return NULL;
}

static const char *call(struct elsewhere *self, struct reference *r,
			enum side side, unsigned char *inputs, uint32_t index,
			const struct segment *s)
{
	const struct world *w = (const struct world *)self;
	int64_t begin = s ? s->begin * COLUMNS : 0;
	int64_t end = s ? s->end * COLUMNS : ELEMENTS;
	double *wide = (double *)r->array[side][0].base;
	float *narrow = (float *)r->array[side][0].base;

	(void)inputs, (void)index;
	for (int64_t i = begin; i < end; i++)
		if (side == SIDE_REFERENCE)
			wide[i] = (double)right(i);
		else
			narrow[i] = right(i);
	if (side == SIDE_PLAIN && w->every && w->sets &&
	    w->sets % w->every == 0)
		narrow[begin] = HIGH - narrow[begin];
	return NULL;
}

static int setup(void **state)
{
	struct world *w = xcalloc(1, sizeof *w);
	struct reference_request q = {.tolerance = {.factor = 2}};
	struct tensor_layout *t = &q.call.layout.arg[0].tensor;
	struct judge_answer a = {0};

	*t = (struct tensor_layout){.region = REGION_OUTPUT,
				    .direction = DIRECTION_OUT,
				    .dtype = DTYPE_F32,
				    .n_dims = 2,
				    .shape = {ROWS, COLUMNS},
				    .stride = {COLUMNS, 1},
				    .elements = ELEMENTS,
				    .bytes = ELEMENTS * sizeof(float)};
	q.call.layout.n = 1;
	q.call.layout.arg[0].is_tensor = true;
	q.call.layout.rows = ROWS;
	q.recipe.fill[0] = FILL_NORMAL;
	w->elsewhere = (struct elsewhere){allocate, fill, call};
	w->reference.elsewhere = &w->elsewhere;
	w->reference.has_plain = true;
	for (int64_t i = 0; i < ELEMENTS; i++)
		w->got[i] = right(i);
	*state = w;
	assert_null(reference_compute(&a, &w->reference, &q, w->room));
	assert_int_equal(a.finding, FINDING_NONE);
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	expected_release(&w->reference.expected[0]);
	mapping_release(&w->reference.array[SIDE_REFERENCE][0]);
	mapping_release(&w->reference.array[SIDE_PLAIN][0]);
	free(w);
	return 0;
}

/* The first of so many parts of the output jump. */
static void jump(struct world *w, int64_t n)
{
	for (int64_t k = 0; k < n; k++) {
		float *v = &w->got[k * (ELEMENTS / n) + 5];

		*v = HIGH - *v;
	}
}

static int64_t wrong(struct world *w)
{
	struct judge_answer a = {0};

	assert_null(reference_compare(&a, &w->reference,
				      (const unsigned char *)w->got));
	assert_int_equal(a.finding, a.wrong ? FINDING_VALUE : FINDING_NONE);
	return a.wrong;
}

static void a_jump_is_excused_where_plain_jumps_as_often(void **state)
{
	struct world *w = *state;

	w->every = 4;
	jump(w, 1);
	assert_int_equal(wrong(w), 0);
}

static void no_jump_is_where_plain_never_does(void **state)
{
	struct world *w = *state;

	jump(w, 1);
	assert_int_equal(wrong(w), 1);
	assert_true(w->sets > 0);
}

static void none_is_where_they_are_more_often(void **state)
{
	struct world *w = *state;

	w->every = 4;
	jump(w, 3);
	assert_int_equal(wrong(w), 3);
}

static void none_is_where_they_are_many(void **state)
{
	struct world *w = *state;

	w->every = 1;
	jump(w, 17);
	assert_int_equal(wrong(w), 17);
	assert_int_equal(w->sets, 0);
}

static void none_is_that_is_larger(void **state)
{
	struct world *w = *state;

	w->every = 1;
	w->got[7] = 4 * HIGH;
	assert_int_equal(wrong(w), 1);
}

static void other_elements_are_judged_as_ever(void **state)
{
	struct world *w = *state;

	w->every = 1;
	jump(w, 1);
	for (int64_t i = 2 * COLUMNS; i < 2 * COLUMNS + 64; i++)
		w->got[i] *= 1.0001f;
	assert_int_equal(wrong(w), 2);
}

static void what_was_excused_allows_others_no_more(void **state)
{
	struct world *w = *state;

	w->every = 1;
	jump(w, 1);
	assert_int_equal(wrong(w), 0);
	jump(w, 64);
	assert_true(wrong(w) >= 63);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_jump_is_excused_where_plain_jumps_as_often, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			no_jump_is_where_plain_never_does, setup, teardown),
		cmocka_unit_test_setup_teardown(
			none_is_where_they_are_more_often, setup, teardown),
		cmocka_unit_test_setup_teardown(none_is_where_they_are_many,
						setup, teardown),
		cmocka_unit_test_setup_teardown(none_is_that_is_larger, setup,
						teardown),
		cmocka_unit_test_setup_teardown(
			other_elements_are_judged_as_ever, setup, teardown),
		cmocka_unit_test_setup_teardown(
			what_was_excused_allows_others_no_more, setup,
			teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
