/*
 * What the judge spends on an element of an output, on one CPU: the scorer's
 * time beside a kernel that is measured. An element comes from memory in its own
 * type, once for the candidate, once for the plain version; then what is allowed
 * is found, and the candidate's is compared with it. And how many times as much
 * it does in the same time with two threads, on two CPUs that are free, with the
 * same answers.
 */
#include <sched.h>
#include <time.h>

#include "core/base/dtype.h"
#include "core/base/random.h"
#include "core/base/clock.h"
#include "scorer/runner/fill.h"
#include "scorer/runner/judge.h"
#include "scorer/runner/parts.h"

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

static struct judge_answer judge(const struct output *o)
{
	const struct tolerance tolerance = {.factor = 2};
	struct expected e = {.dtype = o->dtype,
			     .n = ELEMENTS,
			     .row = ROW,
			     .reference = o->reference,
			     .plain = o->plain};
	const struct tensor_layout t = {.dtype = o->dtype,
					.n_dims = 2,
					.shape = {ELEMENTS / ROW, ROW},
					.stride = {ROW, 1},
					.elements = ELEMENTS};
	struct error_history history = {0};
	struct judge_answer answer = {0};

	tensor_gather(o->plain, &t, o->dtype, o->stored, 0, ELEMENTS / ROW);
	tensor_gather(o->got, &t, o->dtype, o->stored, 0, ELEMENTS / ROW);
	error_history_add(&history, &e);
	expected_allow(&e, &history, &tolerance);
	expected_compare(&answer, &e, o->got, &tolerance);
	free(e.tile);
	return answer;
}

static double element_seconds(const struct output *o)
{
	double best = 1e9;

	for (int k = 0; k < ROUNDS; k++) {
		double began = cpu_seconds();

		if (judge(o).finding != FINDING_NONE)
			return 0;
		best = MIN(best, cpu_seconds() - began);
	}
	return best / (double)ELEMENTS;
}

/* ---- two threads --------------------------------------------------------- */

static void judge_it(struct output *o)
{
	judge(o);
}

static void fill_it(struct output *o)
{
	const struct recipe recipe = {.fill = {FILL_NORMAL}};
	const struct tensor_layout t = {.dtype = o->dtype,
					.n_dims = 1,
					.shape = {ELEMENTS},
					.stride = {1},
					.elements = ELEMENTS};

	fill_tensor(o->got, &t, 0, &recipe, 0);
}

/* Of two outputs that differ in each element. */
static void look_at_it(struct output *o)
{
	struct layout l = {.n = 1};
	struct likeness_reply found = {0};

	l.arg[0].is_tensor = true;
	l.arg[0].tensor = (struct tensor_layout){.region = REGION_OUTPUT,
						 .dtype = o->dtype,
						 .n_dims = 2,
						 .shape = {ELEMENTS / ROW, ROW},
						 .stride = {ROW, 1},
						 .elements = ELEMENTS};
	likeness_look(&found, &l, o->stored, (unsigned char *)o->reference, 1);
}

/* Of the time of one thread that of two is so small a part, the least of each;
 * they take turns, since the machine may be faster at times. */
static double gain(struct output *o, void (*work)(struct output *o))
{
	double best[2] = {1e9, 1e9};

	for (int k = 0; k < 2 * ROUNDS; k++) {
		double began;

		parts_threads(k % 2 ? 2 : 1);
		began = clock_seconds();
		work(o);
		best[k % 2] = MIN(best[k % 2], clock_seconds() - began);
	}
	parts_threads(1);
	return best[0] / best[1];
}

static unsigned cpus(void)
{
	cpu_set_t ours;

	return sched_getaffinity(0, sizeof ours, &ours) < 0
		       ? 1
		       : (unsigned)CPU_COUNT(&ours);
}

static void say_gains(struct output *o)
{
	static const struct {
		const char *name;
		void (*work)(struct output *o);
	} what[] = {{"judging", judge_it},
		    {"filling", fill_it},
		    {"comparing_arms", look_at_it}};

	for (size_t i = 0; cpus() > 1 && i < ARRAY_SIZE(what); i++) {
		double x = gain(o, what[i].work);

		printf("scorer.%s_with_two_threads %.2f x said ok\n",
		       what[i].name, x);
	}
}

int main(void)
{
	static const enum dtype types[] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct output o;
		double each;

		output_init(&o, types[i]);
		each = element_seconds(&o);
		if (!(each > 0))
			return 1;
		printf("scorer.judging_an_element_%s %.1f ns said ok\n",
		       dtype_name(types[i]), each * 1e9);
		if (types[i] == DTYPE_F32)
			say_gains(&o);
		output_release(&o);
	}
	return 0;
}
