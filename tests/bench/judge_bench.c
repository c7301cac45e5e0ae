/*
 * What the judge spends on an element of an output, on one CPU: the scorer's
 * time beside a kernel that is measured. An element comes from memory in its own
 * type, once for the candidate, once for the plain version; then what is allowed
 * is found, and the candidate's is compared with it.
 */
#include <time.h>

#include "core/base/dtype.h"
#include "core/base/random.h"
#include "scorer/runner/reference.h"

#define ELEMENTS ((int64_t)1 << 18)
#define ROW	 1024
#define ROUNDS	 20

struct output {
	enum dtype dtype;
	double *reference, *plain, *got;
	unsigned char *stored; /* both, as they are in memory */
};

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void output_init(struct output *o, enum dtype t)
{
	struct random r;

	*o = (struct output){.dtype = t,
			     .reference = xcalloc(ELEMENTS, 8),
			     .plain = xcalloc(ELEMENTS, 8),
			     .got = xcalloc(ELEMENTS, 8),
			     .stored = xcalloc(ELEMENTS, 8)};
	random_init(&r, 1);
	for (int64_t i = 0; i < ELEMENTS; i++) {
		o->reference[i] = random_unit(&r) - 0.5;
		dtype_store(t, o->stored, (size_t)i, o->reference[i]);
	}
}

static void output_release(struct output *o)
{
	free(o->reference);
	free(o->plain);
	free(o->got);
	free(o->stored);
}

/* False if it was not right. */
static bool judge(const struct output *o)
{
	const struct tolerance tolerance = {.factor = 2};
	struct expected e = {.dtype = o->dtype,
			     .n = ELEMENTS,
			     .row = ROW,
			     .reference = o->reference,
			     .plain = o->plain};
	struct error_history history = {0};
	struct judge_answer answer = {0};

	dtype_load_all(o->plain, o->dtype, o->stored, 1, ELEMENTS);
	dtype_load_all(o->got, o->dtype, o->stored, 1, ELEMENTS);
	error_history_add(&history, &e);
	expected_allow(&e, &history, &tolerance);
	expected_compare(&answer, &e, o->got, &tolerance);
	free(e.tile);
	return answer.finding == FINDING_NONE;
}

int main(void)
{
	static const enum dtype types[] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		double best = 1e9;
		struct output o;

		output_init(&o, types[i]);
		for (int k = 0; k < ROUNDS; k++) {
			double began = cpu_seconds();

			if (!judge(&o))
				return 1;
			best = MIN(best, cpu_seconds() - began);
		}
		printf("scorer.judging_an_element_%s %.1f ns said ok\n",
		       dtype_name(types[i]), best / (double)ELEMENTS * 1e9);
		output_release(&o);
	}
	return 0;
}
