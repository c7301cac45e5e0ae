/*
 * Do islands help? The loop itself, with eight agents that change one to three
 * genes of their parent at a time, on made landscapes whose best point is known
 * (Kauffman's NK: each of 16 genes counts together with K others; K = 0 is one
 * hill, K = 6 has many). Scores are exact, and no program is started: what
 * differs is who is whose parent. The share of the best possible gain that the
 * champion has after so many attempts, in the mean over SEEDS landscapes, and how
 * much more that is than without islands, with its 95 % interval.
 *
 *     islands_bench [SEEDS [ATTEMPTS]]
 */
#include <math.h>

#include "core/base/random.h"
#include "core/run/evolve.h"
#include "tests/unit/core/nothing_kept.h"

#define GENES	   16
#define POINTS	   (1u << GENES)
#define AGENTS	   8
#define STEP	   6   /* attempts of a step */
#define SCALE	   3.0 /* the gain of a fitness of 1: a factor of 20 */
#define TOLD_APART 0.005
#define IDS_MAX	   4096

struct landscape {
	unsigned k;
	float part[GENES][1u << 7]; /* by the gene and its K neighbours */
	double start, best;	    /* fitness */
};

struct world {
	struct archive archive;
	struct evaluator evaluator;
	struct task task;
	const struct landscape *land;
	struct variation_operator agent[AGENTS], *operators[AGENTS];
	unsigned genome[IDS_MAX]; /* of each candidate, by its id */
	unsigned candidates;
	unsigned workspace[2 * AGENTS]; /* the genome in it */
	bool is_open[2 * AGENTS];
};
static struct world *world;

/* ---- the landscape --------------------------------------------------------- */

static double fitness(const struct landscape *l, unsigned genome)
{
	unsigned mask = (1u << (l->k + 1)) - 1;
	uint64_t twice = ((uint64_t)genome << GENES) | genome;
	double sum = 0;

	for (unsigned i = 0; i < GENES; i++)
		sum += (double)l->part[i][(twice >> i) & mask];
	return sum / GENES;
}

static void make_landscape(struct landscape *l, unsigned k, uint64_t seed)
{
	struct random r;

	random_init(&r, seed);
	l->k = k;
	for (unsigned i = 0; i < GENES; i++)
		for (unsigned j = 0; j < 1u << (k + 1); j++)
			l->part[i][j] = (float)random_unit(&r);
	l->start = l->best = fitness(l, 0);
	for (unsigned g = 0; g < POINTS; g++)
		l->best = fmax(l->best, fitness(l, g));
}

/* ---- the archive ----------------------------------------------------------- */

static unsigned number_of(const char *id)
{
	return (unsigned)strtoul(id, NULL, 16);
}

static void make_id(struct commit_id *id, unsigned n)
{
	snprintf(id->hex, sizeof id->hex, "%040x", n);
}

static struct error *open_workspace(struct archive *a UNUSED,
				    struct workspace *out, const char *parent)
{
	size_t i = 0;

	while (world->is_open[i])
		i++;
	world->is_open[i] = true;
	world->workspace[i] = world->genome[number_of(parent)];
	out->dir = xasprintf("%zu", i);
	return NULL;
}

static void close_workspace(struct archive *a UNUSED, struct workspace *ws)
{
	world->is_open[strtoul(ws->dir, NULL, 10)] = false;
	free(ws->dir);
}

static struct error *seal(struct archive *a UNUSED, struct commit_id *id,
			  bool *same, const struct workspace *ws,
			  const char *parent UNUSED,
			  const struct proposal *p UNUSED)
{
	unsigned n = ++world->candidates;

	if (n >= IDS_MAX)
		return error_new(ERROR_INTERNAL, "too many attempts");
	world->genome[n] = world->workspace[strtoul(ws->dir, NULL, 10)];
	make_id(id, n);
	*same = false;
	return NULL;
}

static struct error *load(struct archive *a UNUSED, struct candidate *out,
			  const char *id)
{
	out->id = commit_id(id);
	snprintf(out->sources_id, sizeof out->sources_id, "%08x",
		 world->genome[number_of(id)]);
	return NULL;
}

/* ---- the evaluator --------------------------------------------------------- */

static void identify(struct evaluator *e UNUSED, struct identity *out,
		     const struct candidate *c)
{
	*out = (struct identity){.task = "t", .machine = "m", .scorer = "1"};
	snprintf(out->sources, sizeof out->sources, "%.8s", c->sources_id);
}

static const char *machine_name(struct evaluator *e UNUSED)
{
	return "a landscape";
}

static double gain_of(const struct candidate *c)
{
	return SCALE * (fitness(world->land, number_of(c->sources_id)) -
			world->land->start);
}

static void compare(struct measurement *m, const struct candidate *c,
		    const struct rival_request *rival)
{
	double gain = gain_of(c) - gain_of(rival->candidate);
	struct comparison *out = measurement_add_comparison(
		m, rival->rival, rival->candidate->id.hex);

	out->ratio = exp(gain);
	out->ratio95 = (struct interval){out->ratio, out->ratio};
	out->decision = gain > TOLD_APART    ? DECISION_FASTER
			: gain < -TOLD_APART ? DECISION_SLOWER
					     : DECISION_NONE;
	out->confirmed = out->decision == DECISION_FASTER;
}

static struct error *score(struct evaluator *e, struct measurement **out,
			   const struct score_request *request)
{
	*out = measurement_new();
	identify(e, &(*out)->identity, request->candidate);
	(*out)->score = exp(gain_of(request->candidate));
	for (size_t i = 0; i < request->n_rivals; i++)
		compare(*out, request->candidate, &request->rivals[i]);
	return NULL;
}

/* ---- an agent -------------------------------------------------------------- */

static struct error *vary(struct variation_operator *o UNUSED, enum varied *out,
			  struct variation *v)
{
	size_t at = strtoul(v->workspace, NULL, 10);
	const struct attempt *a = NULL;
	struct random r;

	random_init(&r, v->seed);
	*out = VARIED;
	for (int i = 0; i < STEP && v->may_go_on(v); i++) {
		unsigned genome =
			world->genome[number_of(variation_parent(v)->id.hex)];
		uint64_t genes = 1 + random_below(&r, 3);

		for (uint64_t g = 0; g < genes; g++)
			genome ^= 1u << random_below(&r, GENES);
		world->workspace[at] = genome;
		TRY(v->score(v, &a, "a change", NULL, NULL));
	}
	return NULL;
}

/* ---- runs ------------------------------------------------------------------ */

/* The champion's share of the gain that the best point has. */
static struct error *run(double *share, const struct landscape *land,
			 size_t islands, size_t attempts, uint64_t seed)
{
	cleanup_free struct world *w = world = xcalloc(1, sizeof *w);
	cleanup_population struct population p;
	struct evolve settings = {
		.task = &w->task,
		.archive = &w->archive,
		.evaluator = &w->evaluator,
		.operator_ = &w->agent[0],
		.agents = {.n = AGENTS,
			   .operator_ = w->operators,
			   .in_order = 1,
			   .builds = 1,
			   .islands = ISLAND_RULES_DEFAULT},
		.run = "r",
		.seed = seed,
		.budget = {.attempts = (int64_t)attempts},
		.supervisor = {.rules = {.stall = 12, .max_lineages = 4}},
	};
	enum ending ending;

	w->archive = (struct archive){.open_workspace = open_workspace,
				      .close_workspace = close_workspace,
				      .seal = seal,
				      .load = load,
				      .append = append_nothing,
				      .read = read_nothing,
				      .find = find_nothing};
	w->evaluator = (struct evaluator){.score = score,
					  .identify = identify,
					  .machine_name = machine_name};
	w->task.path = (char *)(uintptr_t) "avogit.yaml";
	w->land = land;
	for (size_t i = 0; i < AGENTS; i++) {
		w->agent[i] = (struct variation_operator){.name = "gene",
							  .vary = vary};
		w->operators[i] = &w->agent[i];
	}
	settings.agents.islands.count = islands;
	make_id(&settings.base, 0);
	population_init(&p);
	TRY(evolve_run(&ending, &p, &settings));
	*share = p.champion ? p.attempt[p.champion].gain /
				      (SCALE * (land->best - land->start))
			    : 0;
	return NULL;
}

static double mean(const double *x, size_t n, double *half_width)
{
	double sum = 0, squares = 0, m;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	m = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (x[i] - m) * (x[i] - m);
	*half_width = 1.96 * sqrt(squares / (double)(n - 1) / (double)n);
	return m;
}

static struct error *on_landscapes(unsigned k, size_t seeds, size_t attempts)
{
	static const size_t counts[] = {1, 2, 4, 8};
	cleanup_free struct landscape *land = xcalloc(1, sizeof *land);
	cleanup_free double *share =
		xcalloc(ARRAY_SIZE(counts) * seeds, sizeof *share);

	for (size_t s = 0; s < seeds; s++) {
		make_landscape(land, k, 1000 + s);
		for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
			TRY(run(&share[i * seeds + s], land, counts[i],
				attempts, 1 + s));
	}
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		double wide, more, *x = share + i * seeds;
		double m = mean(x, seeds, &wide);

		for (size_t s = 0; s < seeds; s++)
			x[s] -= i ? share[s] : 0;
		more = i ? mean(x, seeds, &wide) : 0;
		printf("islands.k%u_after_%zu_of_%zu %.2f %% %+.2f+-%.2f %s\n",
		       k, attempts, counts[i], 100 * m, 100 * more,
		       i ? 100 * wide : 0.0,
		       100 * (more + wide) < 0 ? "SHORT" : "ok");
		fflush(stdout);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static const unsigned rugged[] = {0, 3, 6};
	size_t seeds = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
	size_t most = argc > 2 ? strtoul(argv[2], NULL, 10) : 400;
	cleanup_error struct error *err = NULL;

	if (seeds < 2 || most < 1 || most >= IDS_MAX)
		return 2;
	for (size_t i = 0; i < ARRAY_SIZE(rugged) && !err; i++)
		for (size_t n = most / 4; n <= most && !err; n *= 2)
			err = on_landscapes(rugged[i], seeds, n);
	if (err)
		fprintf(stderr, "islands_bench: %s\n", error_message(err));
	return err != NULL;
}
