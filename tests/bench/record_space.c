/*
 * Records the speed of the allowed points of a kernel's tunables, as test data
 * for the tuner: compiles each with the task's compiler and flags, then times
 * all of them in rounds, so that a bad minute of the machine is spread over the
 * points and not over one corner of the space.
 *
 *     record_space [--compiled] [--rounds N] TASK.yaml FOLDER > space.csv
 *
 * FOLDER keeps the objects; a second run goes on where the first ended.
 * --compiled: only points that it has (live.sh: what the searches tried). A
 * line a point: the index of each tunable's value, then the seconds of one
 * launch in each round; "nan" is wrong (points.h).
 */
#include <getopt.h>

#include "core/base/file.h"
#include "core/base/random.h"
#include "tests/bench/points.h"
#include "tests/draws.h"

struct recording {
	struct points points;
	bool only_compiled;
	size_t rounds;
	size_t **point;
	size_t n, cap;
	double *seconds; /* by point, `rounds` each */
};

static bool is_compiled(const struct recording *r, const size_t *point)
{
	cleanup_free char *name = points_name(&r->points, point);
	cleanup_free char *object =
		xasprintf("%s/%s.so", r->points.folder, name);

	return file_exists(object);
}

static void enumerate(struct recording *r, size_t *point, size_t d)
{
	const struct tunables *space = &r->points.space;

	if (d == space->n) {
		if (!tunables_allowed(space, point) ||
		    (r->only_compiled && !is_compiled(r, point)))
			return;
		GROW(r->point, r->n, r->cap);
		r->point[r->n++] = xmemdup(point, d * sizeof *point);
		return;
	}
	for (point[d] = 0; point[d] < space->tunable[d].n_values; point[d]++)
		enumerate(r, point, d + 1);
}

static void time_all(struct recording *r)
{
	cleanup_free size_t *order = xcalloc(r->n, sizeof *order);
	struct random random;

	random_init(&random, 1);
	for (size_t i = 0; i < r->n; i++)
		order[i] = i;
	for (size_t round = 0; round < r->rounds; round++) {
		random_shuffle(&random, order, r->n);
		for (size_t i = 0; i < r->n; i++)
			r->seconds[order[i] * r->rounds + round] =
				points_time(&r->points, r->point[order[i]]);
		fprintf(stderr, "round %zu of %zu\n", round + 1, r->rounds);
	}
}

static void print_all(const struct recording *r)
{
	const struct tunables *space = &r->points.space;

	printf("# Seconds of one launch of %s, %zu rounds.\n"
	       "# Made by: record_space%s --rounds %zu\n"
	       "# values",
	       r->points.task->name, r->rounds,
	       r->only_compiled ? " --compiled" : "", r->rounds);
	for (size_t d = 0; d < space->n; d++)
		printf(" %zu%s", space->tunable[d].n_values,
		       space->tunable[d].ordered ? "+" : "");
	printf("\n# ");
	for (size_t d = 0; d < space->n; d++)
		printf("%s,", space->tunable[d].name);
	printf("rounds\n");
	for (size_t i = 0; i < r->n; i++) {
		for (size_t d = 0; d < space->n; d++)
			printf("%zu,", r->point[i][d]);
		for (size_t k = 0; k < r->rounds; k++)
			printf("%.4g%c", r->seconds[i * r->rounds + k],
			       k + 1 < r->rounds ? ',' : '\n');
	}
}

static struct error *record(struct recording *r, const char *task,
			    const char *folder)
{
	size_t point[TUNABLES_MAX];

	TRY(points_open(&r->points, task, folder));
	enumerate(r, point, 0);
	fprintf(stderr, "%zu points\n", r->n);
	for (size_t i = 0; i < r->n; i++)
		TRY(points_compile(&r->points, r->point[i]));
	r->seconds = xcalloc(r->n * r->rounds, sizeof *r->seconds);
	time_all(r);
	print_all(r);
	return NULL;
}

static bool parse(struct recording *r, int argc, char **argv)
{
	static const struct option options[] = {
		{"compiled", no_argument, NULL, 'c'},
		{"rounds", required_argument, NULL, 'r'},
		{0},
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == '?')
			return false;
		r->only_compiled |= c == 'c';
		if (c == 'r')
			r->rounds = strtoul(optarg, NULL, 10);
	}
	return r->rounds && optind + 2 == argc;
}

int main(int argc, char **argv)
{
	struct recording r = {.rounds = 3};
	cleanup_error struct error *err = NULL;

	if (!parse(&r, argc, argv)) {
		fputs("usage: record_space [--compiled] [--rounds N] TASK.yaml "
		      "FOLDER\n",
		      stderr);
		return 2;
	}
	err = record(&r, argv[optind], argv[optind + 1]);
	if (err)
		fprintf(stderr, "record_space: %s\n", error_message(err));
	return err != NULL;
}
