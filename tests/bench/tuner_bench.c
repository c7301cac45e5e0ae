/*
 * The tuner's search on recorded spaces (space.h; record_space.c makes them).
 *
 *     tuner_bench [--noise PERCENT] [--starts] SPACE.csv [SEEDS]
 *
 * Evaluations until a point within 2 % of the optimum was measured, against
 * random search: one point at a time, and chosen ahead as where candidates are
 * built beside scores. With --noise the search is told times as a busy machine
 * measures them, here and below; what counts stays what is recorded.
 *
 *     tuner_bench --score [--seeds N] [--seconds] [--random] [--ask-cpu]
 *                 [--starts] [--others CSV] [--noise PERCENT]
 *                 [--earlier FILE] [--first-seed N] FILE...
 *
 * The score of Willemsen et al. 2024 (A methodology for comparing optimization
 * algorithms for auto-tuning): 1 the optimum at once, 0 random search; the
 * difference in best seconds, as a share of random search's distance to the
 * optimum, mean over the evaluations in which random search is expected to come
 * 95 % of the way from median to optimum. With --seconds the axis is the time
 * that the points take, where a failed point takes the median's. --random
 * scores random search itself. --ask-cpu: what an ask costs of a space of 20
 * parameters, after 512 to 1,024 evaluations, also as a source declares it with
 * its conditions. --starts: also from other first points than the search's own,
 * as a source has one in force: the first of the table (each value the least
 * that those before it allow), the last (the greatest), and one drawn for each
 * seed. --others: scores of other methods, a line a space, to print beside.
 * --earlier: each run is guided by what an earlier one of EARLIER evaluations, with
 * its seed, measured in that space, of another machine.
 */
#include <getopt.h>
#include <math.h>
#include <strings.h>
#include <time.h>

#include "agent/tuner/ahead.h"
#include "agent/tuner/tunables.h"
#include "core/base/file.h"
#include "core/base/strvec.h"
#include "core/score/stats.h"
#include "tests/bench/space.h"
#include "tests/draws.h"

#define WITHIN 1.02
#define GOAL   0.75
#define WAY    0.95 /* of random search, from median to optimum */
/* Evaluations of an earlier run. */
#define EARLIER 50

/* ---- noise ----------------------------------------------------------------- */

/* A time that was taken once on a busy machine. */
#define LEAST_OUTLIER 1.3
#define MOST_OUTLIER  3.0

/* The seconds as they would have been measured with so much noise: the logs of
 * two measurements differ as normal numbers with this deviation do, and so many
 * of a hundred are longer by a factor between the two above. */
static double measured(double seconds, double percent, struct random *r)
{
	double factor = exp(percent / 100 * random_normal(r));

	if (random_unit(r) < percent / 100)
		factor *= LEAST_OUTLIER *
			  pow(MOST_OUTLIER / LEAST_OUTLIER, random_unit(r));
	return percent > 0 ? seconds * factor : seconds;
}

/* ---- evaluations to the optimum ------------------------------------------- */

/* From the search's own first point, or from one drawn. */
static double by_search(const struct space *t, uint64_t seed, size_t ahead,
			double noise, bool is_drawn)
{
	struct search_space space = space_for_search(t);
	struct tuner_search *s = search_new(&space, seed);
	const struct tuner_wish wish = {.ahead = ahead};
	cleanup_tuner_ahead struct tuner_ahead a;
	size_t point[SPACE_DIMS], n = 0;
	const char *reason;
	double seconds = 0;
	struct random r;

	random_init(&r, seed);
	tuner_ahead_init(&a, t->dims);
	do {
		if (!n && is_drawn)
			space_point(t, t->allowed[random_below(&r, t->n)],
				    point);
		else if (!tuner_ahead_take(&a, s, &wish, point, &reason))
			break;
		seconds = space_seconds(t, point);
		search_tell_within(s, point, -log(measured(seconds, noise, &r)),
				   noise / 100);
		n++;
	} while (!(seconds <= WITHIN * t->sorted[0]));
	search_free(s);
	return (double)n;
}

static double by_chance(const struct space *t, uint64_t seed)
{
	cleanup_free size_t *order = xmemdup(t->allowed, t->n * sizeof *order);
	struct random r;
	size_t n = 0;

	random_init(&r, seed);
	random_shuffle(&r, order, t->n);
	while (!(t->seconds[order[n]] <= WITHIN * t->sorted[0]))
		n++;
	return (double)n + 1;
}

static void print_figure(const char *name, double noise, double value,
			 double rival)
{
	printf("loop.%s", name);
	if (noise > 0)
		printf("_noise-%g", noise);
	printf(" %.0f evaluations <%.0f %s\n", value, rival,
	       value < rival ? "ok" : "SHORT");
}

static struct error *count_evaluations(const char *path, size_t seeds,
				       double noise, bool is_drawn)
{
	cleanup_free double *search = xcalloc(seeds, sizeof *search);
	cleanup_free double *ahead = xcalloc(seeds, sizeof *ahead);
	cleanup_free double *chance = xcalloc(seeds, sizeof *chance);
	cleanup_space struct space t = {0};

	TRY(space_read(&t, path));
	for (size_t i = 0; i < seeds; i++) {
		search[i] = by_search(&t, i, 0, noise, is_drawn);
		ahead[i] = by_search(&t, i, TUNER_AHEAD, noise, is_drawn);
		chance[i] = by_chance(&t, i + 1000);
	}
	print_figure("tuner_median", noise, stats_median(search, seeds),
		     stats_median(chance, seeds));
	print_figure("tuner_p90", noise, stats_quantile(search, seeds, 0.9),
		     stats_quantile(chance, seeds, 0.9));
	print_figure("tuner_ahead_median", noise, stats_median(ahead, seeds),
		     stats_median(chance, seeds));
	print_figure("tuner_ahead_p90", noise,
		     stats_quantile(ahead, seeds, 0.9),
		     stats_quantile(chance, seeds, 0.9));
	return NULL;
}

/* ---- a run's score --------------------------------------------------------- */

/* Where a run begins. */
enum start { START_OWN, START_LEAST, START_MOST, START_DRAWN, STARTS };

static const char *const start_names[] = {"own", "least", "most", "drawn"};

struct scoring {
	size_t seeds;
	double noise; /* percent */
	bool in_seconds, is_random, is_timed, with_starts;
	enum start start;
	const char *others;
	uint64_t first_seed;
	const struct space *earlier; /* NULL: there was no run */
};

/* The score's axis: steps of one evaluation, or of its mean seconds. */
struct course {
	const struct space *space;
	double *random; /* its expected least seconds after each step */
	size_t steps;
	bool in_seconds;
	double step;   /* evaluations or seconds */
	double failed; /* what a failed point takes of them */
};

static void course_release(struct course *c)
{
	free(c->random);
}
DEFINE_RELEASE(course, struct course, course_release)

static void course_init(struct course *c, const struct space *s,
			bool in_seconds)
{
	double median = s->sorted[s->n_ran / 2], best = s->sorted[0];
	double enough = median - WAY * (median - best);

	*c = (struct course){.space = s, .in_seconds = in_seconds, .step = 1};
	c->failed = in_seconds ? median : 1;
	c->random = xcalloc(s->n, sizeof *c->random);
	do {
		c->steps++;
		c->random[c->steps - 1] = space_expect_least(s, c->steps);
	} while (c->steps < s->n && c->random[c->steps - 1] > enough);
	if (!in_seconds)
		return;
	c->step = (double)(s->n - s->n_ran) * median;
	for (size_t i = 0; i < s->n_ran; i++)
		c->step += s->sorted[i];
	c->step /= (double)s->n;
}

/* What proposes points: the search, or random order. */
struct player {
	const struct space *space;
	struct tuner_search *search; /* NULL: random order */
	enum start start;
	size_t *order, asked;
	double noise; /* percent */
	struct random random;
	double cpu; /* seconds */
};

static double cpu_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

/* The first point, where it is not the search's to choose. */
static bool has_start(const struct player *p, size_t *point)
{
	const struct space *s = p->space;

	if (p->asked > 1 || p->start == START_OWN)
		return false;
	space_point(s,
		    p->start == START_LEAST  ? s->allowed[0]
		    : p->start == START_MOST ? s->allowed[s->n - 1]
					     : p->order[0],
		    point);
	return true;
}

/* Seconds of the next point; NAN: it failed. */
static double play(struct player *p)
{
	size_t point[SPACE_DIMS];
	const char *reason;
	double seconds, start = cpu_seconds();
	size_t n = p->asked++;

	if (!p->search)
		return p->space->seconds[p->order[n]];
	if (!has_start(p, point) &&
	    !search_ask(p->search, point, NULL, &reason))
		return (double)NAN;
	p->cpu += cpu_seconds() - start;
	seconds = space_seconds(p->space, point);
	search_tell_within(p->search, point,
			   -log(measured(seconds, p->noise, &p->random)),
			   p->noise / 100);
	return seconds;
}

/* The mean over the course's steps of the share of random search's distance to
 * the optimum by which the run is ahead. Before its first result a run is
 * where random search begins; as long as all have failed, at the slowest. */
static double score_run(const struct course *c, struct player *p)
{
	const struct space *s = c->space;
	double best = s->sorted[0], at = c->random[0], sum = 0;
	double now = 0; /* steps */

	for (size_t done = 0; done < c->steps;) {
		double seconds = at > best ? play(p) : best;
		double cost = isnan(seconds)  ? c->failed
			      : c->in_seconds ? seconds
					      : 1;

		now = at > best ? now + cost / c->step : HUGE_VAL;
		for (; done < c->steps && (double)(done + 1) < now - 1e-9;
		     done++)
			sum += (c->random[done] - at) /
			       (c->random[done] - best);
		if (p->asked == 1)
			at = s->sorted[s->n_ran - 1];
		at = isnan(seconds) ? at : MIN(at, seconds);
	}
	return sum / (double)c->steps;
}

/* Tells what an earlier run in another space of the same values measured. */
static void guide(struct tuner_search *s, const struct space *earlier,
		  uint64_t seed)
{
	struct search_space space = space_for_search(earlier);
	struct tuner_search *before = search_new(&space, seed);
	size_t point[SPACE_DIMS];
	const char *reason;

	for (size_t i = 0; i < EARLIER; i++) {
		double gain;

		if (!search_ask(before, point, NULL, &reason))
			break;
		gain = -log(space_seconds(earlier, point));
		search_tell(before, point, gain);
		search_guide(s, point, gain);
	}
	search_free(before);
}

static double score_seed(const struct course *c, const struct scoring *how,
			 uint64_t seed, struct player *totals)
{
	const struct space *s = c->space;
	struct search_space space = space_for_search(s);
	cleanup_free size_t *order = xmemdup(s->allowed, s->n * sizeof *order);
	struct player p = {.space = s,
			   .order = order,
			   .start = how->start,
			   .noise = how->noise};
	struct random r;
	double score;

	random_init(&r, seed);
	random_shuffle(&r, order, s->n);
	p.random = r;
	p.search = how->is_random ? NULL : search_new(&space, seed);
	if (p.search && how->earlier)
		guide(p.search, how->earlier, seed);
	score = score_run(c, &p);
	search_free(p.search);
	totals->asked += p.asked;
	totals->cpu += p.cpu;
	return score;
}

/* ---- what an ask costs ----------------------------------------------------- */

#define WIDE	      20
#define WIDE_VALUES   8
#define WIDE_ASKS     1024
#define ASK_CPU_LIMIT 5.0 /* ms */

/* Half of all pairs, as where a tile has to fit into memory: about 10^15 of the
 * 8^20 points are allowed. */
static bool pairs_fit(const void *arg, const size_t *point)
{
	(void)arg;
	for (size_t d = 0; d < WIDE; d += 2)
		if (point[d] + point[d + 1] > WIDE_VALUES - 1)
			return false;
	return true;
}

static double wide_gain(const size_t *p)
{
	double sum = 0;

	for (size_t d = 0; d < WIDE; d++)
		sum -= 0.1 * fabs((double)p[d] - (double)(d % 4)) *
		       (1 + (double)(p[(d + 1) % WIDE] & 1));
	return sum;
}

/* The mean over the second half of the asks: the model is full, and its weights
 * are learned again some times. `space`: all but values and what is ordered. */
static void time_asks(const char *name, struct search_space space)
{
	size_t values[WIDE], point[WIDE];
	bool ordered[WIDE];
	struct tuner_search *s;
	double start = 0, ms;
	const char *reason;

	for (size_t d = 0; d < WIDE; d++) {
		values[d] = WIDE_VALUES;
		ordered[d] = d % 5 != 0;
	}
	space.n = WIDE;
	space.values = values;
	space.ordered = ordered;
	s = search_new(&space, 1);
	for (size_t i = 0; i < WIDE_ASKS; i++) {
		if (i == WIDE_ASKS / 2)
			start = cpu_seconds();
		if (!search_ask(s, point, NULL, &reason))
			break;
		search_tell(s, point, wide_gain(point));
	}
	ms = 1e3 * (cpu_seconds() - start) / (WIDE_ASKS / 2.0);
	printf("tuner.%s %.2f ms <=%g %s\n", name, ms, ASK_CPU_LIMIT,
	       ms <= ASK_CPU_LIMIT ? "ok" : "SHORT");
	search_free(s);
}

static bool meets_conditions(const void *arg, const size_t *point)
{
	return tunables_allowed(arg, point);
}

static bool may_begin(const void *arg, const size_t *point, size_t n)
{
	return tunables_may_begin(arg, point, n);
}

/* The same as a source declares it: ten conditions over 20 tunables. */
static struct error *time_declared(void)
{
	cleanup_buf struct buf source = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_tunables struct tunables t = {0};
	const struct task task = {.path = (char[]){"avogit.yaml"}};

	for (size_t d = 0; d < WIDE; d++)
		buf_addf(&source, "#define T%zu 0 // avogit: 0..%d\n", d,
			 WIDE_VALUES - 1);
	for (size_t d = 0; d < WIDE; d += 2)
		buf_addf(&source, "// avogit-require: T%zu + T%zu <= %d\n", d,
			 d + 1, WIDE_VALUES - 1);
	TRY(fileset_put(&files, "k.c", source.data, source.len, false));
	TRY(tunables_read(&t, &files, &task));
	time_asks("ask_cpu_declared",
		  (struct search_space){.allowed = meets_conditions,
					.may_begin = may_begin,
					.arg = &t});
	return NULL;
}

/* ---- other methods' scores ---------------------------------------------- */

#define METHODS 16

/* A line a space: "name,budget,score,..."; the first line names the methods. */
struct others {
	struct strvec space;
	struct strvec method;
	double (*score)[METHODS]; /* by space */
	size_t cap;
};

static void others_release(struct others *o)
{
	strvec_release(&o->space);
	strvec_release(&o->method);
	free(o->score);
}
DEFINE_RELEASE(others, struct others, others_release)

static void read_scores(struct others *o, char *line)
{
	char *save, *field = strtok_r(line, ",", &save);

	GROW(o->score, o->space.n, o->cap);
	for (size_t i = 0; i < METHODS; i++)
		o->score[o->space.n][i] = (double)NAN;
	for (char *p = strchr(field, '/'); p; p = strchr(p, '/'))
		*p = '-';
	strvec_push(&o->space, field);
	strtok_r(NULL, ",", &save);
	for (size_t i = 0; i < o->method.n; i++) {
		field = strtok_r(NULL, ",", &save);
		if (field)
			o->score[o->space.n - 1][i] = strtod(field, NULL);
	}
}

static struct error *read_others(struct others *o, const char *path)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	char *lines, *names, *line, *save;

	TRY(file_read(&text, path));
	lines = text.data;
	line = strtok_r(lines, "\n", &lines);
	strtok_r(line, ",", &names);
	strtok_r(NULL, ",", &names);
	while ((save = strtok_r(NULL, ",", &names)) && o->method.n < METHODS)
		strvec_push(&o->method, save);
	while ((line = strtok_r(NULL, "\n", &lines)))
		read_scores(o, line);
	return NULL;
}

/* Index of the space's line; o->space.n: it has none. */
static size_t others_find(const struct others *o, const char *name)
{
	size_t i = 0;

	while (i < o->space.n && strcasecmp(o->space.v[i], name) != 0)
		i++;
	return i;
}

/* ---- a table of scores ---------------------------------------------------- */

struct scored {
	char *name;
	double score, error; /* standard error of the mean */
};

struct table {
	struct scored *row;
	size_t n, cap;
};

static void table_release(struct table *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->row[i].name);
	free(t->row);
}
DEFINE_RELEASE(table, struct table, table_release)

/* The mean from each other first point. */
static void print_starts(const struct course *c, const struct scoring *how,
			 const char *name)
{
	cleanup_free double *score = xcalloc(how->seeds, sizeof *score);
	struct scoring from = *how;
	struct player totals = {0};

	for (from.start = START_OWN + 1; from.start < STARTS; from.start++) {
		double mean;

		for (size_t i = 0; i < how->seeds; i++)
			score[i] = score_seed(c, &from, how->first_seed + i,
					      &totals);
		mean = stats_mean(score, how->seeds);
		printf("tuner.start.%s-%s %.3f score >=0 %s\n", name,
		       start_names[from.start], mean,
		       mean >= 0 ? "ok" : "SHORT");
	}
}

static struct error *refuse_other(const struct space *s,
				  const struct space *earlier, const char *path)
{
	if (!earlier || (s->dims == earlier->dims &&
			 memcmp(s->values, earlier->values,
				s->dims * sizeof *s->values) == 0))
		return NULL;
	return error_new(ERROR_TASK,
			 "%s has not the numbers of values of the earlier "
			 "space",
			 path);
}

static struct error *score_file(struct table *t, const struct scoring *how,
				const char *path)
{
	cleanup_free double *score = xcalloc(how->seeds, sizeof *score);
	cleanup_space struct space s = {0};
	CLEANUP(course) struct course c = {0};
	struct player totals = {0};
	struct scored row;

	TRY(space_read(&s, path));
	TRY(refuse_other(&s, how->earlier, path));
	course_init(&c, &s, how->in_seconds);
	for (size_t i = 0; i < how->seeds; i++)
		score[i] = score_seed(&c, how, how->first_seed + i, &totals);
	row = (struct scored){
		.name = steal(&s.name),
		.score = stats_mean(score, how->seeds),
		.error = stats_sd(score, how->seeds) / sqrt((double)how->seeds),
	};
	GROW(t->row, t->n, t->cap);
	t->row[t->n++] = row;
	printf("tuner.score.%s %.3f score >=0 %s\n", row.name, row.score,
	       row.score >= 0 ? "ok" : "SHORT");
	printf("# 95 %%: %.3f to %.3f; %zu steps; %.0f evaluations a run; "
	       "%.2f ms of CPU an ask\n",
	       row.score - 1.96 * row.error, row.score + 1.96 * row.error,
	       c.steps, (double)totals.asked / (double)how->seeds,
	       1e3 * totals.cpu / (double)MAX(totals.asked, 1));
	if (how->with_starts)
		print_starts(&c, how, row.name);
	fflush(stdout);
	return NULL;
}

/* "convolution_milo-a4000" is of the family "convolution_milo". */
static bool is_family(const char *name, const char *of)
{
	const char *end = strrchr(of, '-');
	size_t n = end ? (size_t)(end - of) : strlen(of);

	return strncmp(name, of, n) == 0 && (!name[n] || name[n] == '-') &&
	       !strchr(name + n + !!name[n], '-');
}

/* The mean of one method over the family's spaces that o has, of ours for
 * method == o->method.n; NAN: it has none. */
static double mean_of(const struct table *t, const struct others *o,
		      const char *family, size_t method)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		size_t line = others_find(o, t->row[i].name);

		if (!is_family(t->row[i].name, family) || line == o->space.n)
			continue;
		sum += method == o->method.n ? t->row[i].score
					     : o->score[line][method];
		n++;
	}
	return n ? sum / (double)n : (double)NAN;
}

/* Of the mean of our scores over the family's spaces that o has; over all where
 * both are NULL. */
static void print_interval(const struct table *t, const struct others *o,
			   const char *family)
{
	double sum = 0, squares = 0;
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		const char *name = t->row[i].name;

		if (family && (!is_family(name, family) ||
			       others_find(o, name) == o->space.n))
			continue;
		sum += t->row[i].score;
		squares += t->row[i].error * t->row[i].error;
		n++;
	}
	sum /= (double)MAX(n, 1);
	squares = 1.96 * sqrt(squares) / (double)MAX(n, 1);
	printf("# 95 %%: %.3f to %.3f over %zu spaces\n", sum - squares,
	       sum + squares, n);
}

/* Earlier avogits are in the table, too; they are no goal. */
static void print_family(const struct table *t, const struct others *o,
			 const char *of)
{
	const char *end = strrchr(of, '-');
	double ours = mean_of(t, o, of, o->method.n), best = -HUGE_VAL;

	if (isnan(ours))
		return;
	printf("# over the same spaces:");
	for (size_t i = 0; i < o->method.n; i++) {
		double theirs = mean_of(t, o, of, i);

		printf(" %s %.3f", o->method.v[i], theirs);
		if (!starts_with(o->method.v[i], "avogit"))
			best = MAX(best, theirs);
	}
	printf("\ntuner.score.family-%.*s %.3f score >%.3f %s\n",
	       (int)(end ? end - of : (ptrdiff_t)strlen(of)), of, ours, best,
	       ours > best ? "ok" : "SHORT");
	print_interval(t, o, of);
}

static void print_families(const struct table *t, const struct others *o)
{
	for (size_t i = 0; i < t->n; i++) {
		bool is_first = true;

		for (size_t j = 0; j < i; j++)
			is_first &= !is_family(t->row[j].name, t->row[i].name);
		if (is_first)
			print_family(t, o, t->row[i].name);
	}
}

static struct error *score_files(const struct scoring *how, char **path)
{
	CLEANUP(others) struct others o = {0};
	CLEANUP(table) struct table t = {0};
	double sum = 0;

	if (how->others)
		TRY(read_others(&o, how->others));
	for (; *path; path++)
		TRY(score_file(&t, how, *path));
	print_families(&t, &o);
	for (size_t i = 0; i < t.n; i++)
		sum += t.row[i].score;
	print_interval(&t, NULL, NULL);
	printf("tuner.score.mean %.3f score >=%g %s\n", sum / (double)t.n, GOAL,
	       sum >= GOAL * (double)t.n ? "ok" : "SHORT");
	return NULL;
}

/* ---- the program --------------------------------------------------------- */

static int usage(void)
{
	fputs("usage: tuner_bench [--noise PERCENT] [--starts] SPACE.csv "
	      "[SEEDS]\n"
	      "       tuner_bench --score [--seeds N] [--seconds] [--random] "
	      "[--ask-cpu]\n"
	      "                   [--starts] [--others CSV] [--noise PERCENT]\n"
	      "                   [--earlier FILE] [--first-seed N] FILE...\n",
	      stderr);
	return 2;
}

static bool parse(struct scoring *how, bool *is_scored, const char **earlier,
		  int argc, char **argv)
{
	static const struct option options[] = {
		{"score", no_argument, NULL, 'S'},
		{"seeds", required_argument, NULL, 'n'},
		{"seconds", no_argument, NULL, 't'},
		{"random", no_argument, NULL, 'r'},
		{"ask-cpu", no_argument, NULL, 'c'},
		{"starts", no_argument, NULL, 's'},
		{"others", required_argument, NULL, 'o'},
		{"noise", required_argument, NULL, 'e'},
		{"earlier", required_argument, NULL, 'g'},
		{"first-seed", required_argument, NULL, 'f'},
		{0},
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'n')
			how->seeds = strtoul(optarg, NULL, 10);
		else if (c == 'o')
			how->others = optarg;
		else if (c == 'e')
			how->noise = strtod(optarg, NULL);
		else if (c == 'g')
			*earlier = optarg;
		else if (c == 'f')
			how->first_seed = strtoull(optarg, NULL, 10);
		else if (c == '?')
			return false;
		*is_scored |= c == 'S';
		how->in_seconds |= c == 't';
		how->is_random |= c == 'r';
		how->is_timed |= c == 'c';
		how->with_starts |= c == 's';
	}
	return how->seeds && optind < argc &&
	       (*is_scored || argc <= optind + 2);
}

int main(int argc, char **argv)
{
	struct scoring how = {.seeds = 100};
	cleanup_error struct error *err = NULL;
	cleanup_space struct space earlier = {0};
	const char *earlier_path = NULL;
	bool is_scored = false;

	if (!parse(&how, &is_scored, &earlier_path, argc, argv))
		return usage();
	if (earlier_path)
		err = space_read(&earlier, earlier_path);
	how.earlier = earlier_path ? &earlier : NULL;
	if (!err && how.is_timed) {
		time_asks("ask_cpu",
			  (struct search_space){.allowed = pairs_fit});
		err = time_declared();
	}
	if (!err && is_scored)
		err = score_files(&how, argv + optind);
	else if (!err)
		err = count_evaluations(
			argv[optind],
			argc > optind + 1 ? strtoul(argv[optind + 1], NULL, 10)
					  : 200,
			how.noise, how.with_starts);
	if (err)
		fprintf(stderr, "tuner_bench: %s\n", error_message(err));
	return err ? 1 : 0;
}
