/*
 * Does the 95 % interval hold the truth, with the sequential stop on? Takes
 * the recorded noise of real comparisons (record_noise.c), adds a known
 * difference, asks the statistics block by block as the scorer does, and
 * counts.
 *
 *     interval_bench NOISE.csv [COMPARISONS]
 */
#include <math.h>

#include "core/file.h"
#include "core/random.h"
#include "core/stats.h"

#define MAX_BLOCKS 128

struct record {
	double x[MAX_BLOCKS];
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

static void read_line(struct records *r, const char *line)
{
	struct record *out;
	char *end;

	if (*line == '#')
		return;
	GROW(r->record, r->n, r->cap);
	out = &r->record[r->n++];
	out->n = 0;
	strtoul(line, &end, 10); /* the kernel's rounds */
	while (*end == ',' && out->n < MAX_BLOCKS)
		out->x[out->n++] = strtod(end + 1, &end);
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

/* The order of blocks is kept, so that what hangs together does; where a
 * record begins, and which of the two was called the rival, is drawn. */
static void compare(struct tally *t, const struct record *r, double truth,
		    struct random *random)
{
	struct comparison_plan plan = COMPARISON_PLAN_DEFAULT;
	struct comparison_state s = {.done = false};
	double sign = random_below(random, 2) ? 1 : -1, x[MAX_BLOCKS];
	size_t first = random_below(random, r->n), n = 0;

	plan.max_blocks = MIN(r->n, MAX_BLOCKS);
	while (!s.done) {
		x[n] = truth + sign * r->x[(first + n) % r->n];
		n++;
		s = comparison_look(&plan, x, n, random_u64(random));
	}
	t->n++;
	t->blocks += (double)n;
	t->held += s.ratio95.lo <= exp(truth) && exp(truth) <= s.ratio95.hi;
	if (truth > 0) {
		t->differing++;
		t->told += s.told == TOLD_FASTER;
		t->wrong += s.told == TOLD_SLOWER;
	} else {
		t->equal++;
		t->told_equal += s.told != TOLD_NOTHING;
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
		compare(&t, &r.record[random_below(&random, r.n)],
			truths[i % ARRAY_SIZE(truths)], &random);
	report(&t);
	free(r.record);
	return 0;
}
