/* When rates mislead, and what is said then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "cmd/session/rates.h"

static void add(struct population *p, double speed, double rate)
{
	char id[COMMIT_ID_LEN + 1];
	struct attempt *a;

	snprintf(id, sizeof id, "%040zx", p->n + 1);
	a = population_add(p, id);
	a->number = (int64_t)p->n - 1;
	a->gain = log(speed);
	a->measurement = measurement_new();
	a->measurement->score = rate;
}

static const char *said(struct buf *out, const struct population *p)
{
	buf_clear(out);
	rates_say(out, p);
	return out->data;
}

static void says_nothing_where_the_faster_has_the_higher_rate(void **state)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_population struct population p;

	(void)state;
	population_init(&p);
	add(&p, 1, 100);
	add(&p, 2, 190);
	add(&p, 1.04, 90); /* its speed says too little */
	add(&p, 1.2, 98);  /* its rate does */
	add(&p, NAN, 10);
	assert_string_equal(said(&out, &p), "");
}

static void names_the_faster_and_the_slower(void **state)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_population struct population p;

	(void)state;
	population_init(&p);
	add(&p, 1, 100);
	add(&p, 1.1, 80);
	assert_non_null(strstr(said(&out, &p),
			       "attempt 1 is faster than attempt 0, "
			       "1.100x and 1.000x"));
	p.attempt[1].measurement->verdict = VERDICT_WRONG;
	assert_string_equal(said(&out, &p), "");
	/* A slower one with a higher rate than the start's, than the
	 * champion's. */
	add(&p, 0.8, 120);
	assert_non_null(
		strstr(said(&out, &p), "attempt 0 is faster than attempt 2"));
	p.attempt[2].measurement->score = 70;
	add(&p, 2, 110);
	add(&p, 1.5, 170);
	assert_string_equal(said(&out, &p), "");
	p.champion = 3;
	assert_non_null(
		strstr(said(&out, &p), "attempt 3 is faster than attempt 4"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			says_nothing_where_the_faster_has_the_higher_rate),
		cmocka_unit_test(names_the_faster_and_the_slower),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
