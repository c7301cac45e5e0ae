/*
 * Does the 95 % interval hold the truth, with the sequential stop on? Takes
 * the recorded noise of real comparisons (record_noise.c), adds a known
 * difference, asks the statistics block by block as the scorer does, and
 * counts.
 *
 * What hangs together stays together: a simulated comparison is made of what
 * whole processes gave, each drawn from all that were recorded of its kernel,
 * with its sides exchanged or not (they were the same code).
 *
 *     interval_bench NOISE.csv [COMPARISONS]
 */
#include <math.h>

#include "core/base/file.h"
#include "core/base/random.h"
#include "core/score/stats.h"

#define MAX_BLOCKS 128
#define PROCESS	   48 /* blocks that the same two processes gave */

/* Of one pair of processes. */
struct record {
	unsigned long kernel;
	double x[PROCESS];
	size_t n;
};

struct records {
	struct record *record;
	size_t n, cap;
};

struct tally {
	size_t n, held, equal, told_equal, differing, told, wrong;
	double blocks;
};

/* "KERNEL,x,x,...": a comparison, whose processes are whole but the last. */
static void read_line(struct records *r, const char *line)
{
	struct record now = {0};
	char *end;

	if (*line == '#')
		return;
	now.kernel = strtoul(line, &end, 10);
	while (*end == ',') {
		now.x[now.n++] = strtod(end + 1, &end);
		if (now.n < PROCESS)
			continue;
		GROW(r->record, r->n, r->cap);
		r->record[r->n++] = now;
		now.n = 0;
	}
}

static struct error *read_records(struct records *r, const char *path)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	TRY(file_read(&text, path));
	for (char *save, *line = strtok_r(text.data, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		read_line(r, line);
	return r->n ? NULL : error_new(ERROR_TASK, "%s is empty", path);
}

static const struct record *draw(const struct records *r, unsigned long kernel,
				 struct random *random)
{
	for (;;) {
		const struct record *one =
			&r->record[random_below(random, r->n)];

		if (!kernel || one->kernel == kernel)
			return one;
	}
}

static void make_noise(double x[MAX_BLOCKS], const struct records *r,
		       struct random *random)
{
	unsigned long kernel = draw(r, 0, random)->kernel;

	for (size_t n = 0; n < MAX_BLOCKS;) {
		const struct record *one = draw(r, kernel, random);
		double sign = random_below(random, 2) ? 1 : -1;

		for (size_t i = 0; i < one->n && n < MAX_BLOCKS; i++)
			x[n++] = sign * one->x[i];
	}
}

static void compare(struct tally *t, const struct records *r, double truth,
		    struct random *random)
{
	struct comparison_design plan = COMPARISON_DESIGN_DEFAULT;
	struct comparison_state s = {.done = false};
	double x[MAX_BLOCKS];
	size_t n = 0;

	plan.max_blocks = MAX_BLOCKS;
	make_noise(x, r, random);
	while (!s.done) {
		x[n++] += truth;
		s = comparison_look(&plan, x, n, random_u64(random));
	}
	t->n++;
	t->blocks += (double)n;
	t->held += s.ratio95.lo <= exp(truth) && exp(truth) <= s.ratio95.hi;
	if (truth > 0) {
		t->differing++;
		t->told += s.decision == DECISION_FASTER;
		t->wrong += s.decision == DECISION_SLOWER;
	} else {
		t->equal++;
		t->told_equal += s.decision != DECISION_NONE;
	}
}

static double percent(size_t part, size_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

static void report(const struct tally *t)
{
	double held = percent(t->held, t->n);
	double falsely = percent(t->told_equal, t->equal);

	printf("interval.holds_the_truth %.2f %% 93..97 %s\n", held,
	       held >= 93 && held <= 97 ? "ok" : "SHORT");
	printf("interval.equals_told_apart %.2f %% <=2 %s\n", falsely,
	       falsely <= 2 ? "ok" : "SHORT");
	printf("interval.told_the_wrong_way %.2f %% <=0.5 %s\n",
	       percent(t->wrong, t->differing),
	       percent(t->wrong, t->differing) <= 0.5 ? "ok" : "SHORT");
	printf("interval.blocks_a_comparison %.1f blocks said ok\n",
	       t->blocks / (double)t->n);
}

int main(int argc, char **argv)
{
	static const double truths[] = {0, 0.003, 0.01, 0.03};
	size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : 2000;
	struct records r = {0};
	struct tally t = {0};
	struct random random;
	struct error *err;

	if (argc < 2 || !n)
		return 2;
	err = read_records(&r, argv[1]);
	if (err) {
		fprintf(stderr, "interval_bench: %s\n", error_message(err));
		return 1;
	}
	random_init(&random, 1);
	for (size_t i = 0; i < n; i++)
		compare(&t, &r, truths[i % ARRAY_SIZE(truths)], &random);
	report(&t);
	free(r.record);
	return 0;
}
