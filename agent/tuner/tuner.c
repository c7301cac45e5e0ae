#include "agent/tuner/tuner.h"

#include <math.h>

#include "agent/tuner/search.h"
#include "agent/tuner/ahead.h"
#include "agent/tuner/words.h"

/* Guesses at what is chosen after what was chosen ahead; they are built where
 * there is room. */
#define GUESSES 3

struct tuner {
	struct variation_operator operator_; /* first: cast back */
	const struct task *task;
	/* The search goes on from step to step as long as the sources declare
	 * the same tunables; `seen` attempts of the population are told. */
	struct tuner_search *search;
	struct tuner_ahead ahead;
	struct tunables space;
	size_t seen;
	size_t *values;
	bool *ordered;
};

/* ---- the space --------------------------------------------------------- */

static bool same_tunable(const struct tunable *a, const struct tunable *b)
{
	if (!str_eq(a->name, b->name) || a->n_values != b->n_values)
		return false;
	for (size_t i = 0; i < a->n_values; i++)
		if (!str_eq(a->value[i], b->value[i]))
			return false;
	return true;
}

static bool same_space(const struct tunables *a, const struct tunables *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!same_tunable(&a->tunable[i], &b->tunable[i]))
			return false;
	return true;
}

static bool allowed(const void *arg, const size_t *point)
{
	return tunables_allowed(arg, point);
}

static void forget(struct tuner *t)
{
	tuner_ahead_release(&t->ahead);
	search_free(t->search);
	t->search = NULL;
	tunables_release(&t->space);
	free(t->values);
	free(t->ordered);
	t->values = NULL;
	t->ordered = NULL;
	t->seen = 0;
}

/* Takes the contents of `space`. */
static void begin_search(struct tuner *t, struct tunables *space, uint64_t seed)
{
	struct search_space s = {.allowed = allowed, .arg = &t->space};

	forget(t);
	t->space = *space;
	*space = (struct tunables){0};
	t->values = xcalloc(t->space.n, sizeof *t->values);
	t->ordered = xcalloc(t->space.n, sizeof *t->ordered);
	for (size_t i = 0; i < t->space.n; i++) {
		t->values[i] = t->space.tunable[i].n_values;
		t->ordered[i] = t->space.tunable[i].ordered;
	}
	s.n = t->space.n;
	s.values = t->values;
	s.ordered = t->ordered;
	t->search = search_new(&s, seed);
	tuner_ahead_init(&t->ahead, s.n);
}

/* ---- what is known ----------------------------------------------------- */

/* A point that a person chose is known through the first attempt on it. */
static void learn_parent(struct tuner *t, const struct population *p,
			 const struct attempt *a, size_t *point)
{
	const struct attempt *parent = population_find(p, a->parent);

	if (parent && !parent->operator_state && isfinite(parent->gain) &&
	    tuner_point(point, &t->space, a->operator_state, "parent"))
		search_tell(t->search, point, parent->gain);
}

/* What the run already measured, this process's attempts and others'. */
static void learn(struct tuner *t, const struct population *p)
{
	cleanup_free size_t *point = xcalloc(t->space.n, sizeof *point);

	for (; t->seen < p->n; t->seen++) {
		const struct attempt *a = &p->attempt[t->seen];

		if (!a->measurement)
			return;
		learn_parent(t, p, a, point);
		if (tuner_point(point, &t->space, a->operator_state,
				"tunables"))
			search_tell(t->search, point, a->gain);
	}
}

/* ---- the operator ------------------------------------------------------ */

static struct error *read_space(struct tunables *space, const struct tuner *t,
				const struct fileset *sources)
{
	TRY(tunables_read(space, sources, t->task));
	if (space->n)
		return NULL;
	return error_new(ERROR_REFUSED,
			 "the sources declare nothing that the tuner could "
			 "vary: write '// avogit: 16 32 64' behind a '#define "
			 "NAME VALUE', or '// avogit-flags: -O2 | -O3', and "
			 "commit");
}

static struct error *read_sources(struct fileset *out, struct tunables *space,
				  const struct tuner *t,
				  const struct variation *v)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;

	task_source_patterns(&patterns, t->task);
	TRY(fileset_read(out, v->workspace, &patterns));
	return read_space(space, t, out);
}

static struct error *check(struct variation_operator *self,
			   const struct fileset *files)
{
	const struct tuner *t = (const struct tuner *)self;
	cleanup_strvec struct strvec patterns = STRVEC_INIT;
	cleanup_fileset struct fileset sources = FILESET_INIT;
	cleanup_tunables struct tunables space = {0};

	task_source_patterns(&patterns, t->task);
	for (size_t i = 0; i < files->n; i++) {
		const struct file_entry *f = &files->file[i];

		if (path_matches(f->path, &patterns))
			TRY(fileset_put(&sources, f->path, f->data, f->len,
					f->executable));
	}
	return read_space(&space, t, &sources);
}

static bool build(struct variation *v, const struct fileset *sources,
		  const struct tunables *here, const size_t *point,
		  bool is_sure)
{
	cleanup_fileset struct fileset copy = FILESET_INIT;
	cleanup_error struct error *err = fileset_copy(&copy, sources);

	if (!err)
		err = tunables_apply(&copy, here, point);
	return !err && v->foresee(v, &copy, is_sure);
}

/* What comes after it is built meanwhile; then what may. */
static void foresee(struct tuner *t, struct variation *v,
		    const struct fileset *sources, const struct tunables *here,
		    const size_t *around)
{
	cleanup_free size_t *guesses =
		xcalloc(GUESSES * here->n, sizeof *guesses);
	size_t n;

	if (!v->foresee)
		return;
	for (size_t i = 0; i < t->ahead.n; i++) {
		struct asked_point *p = &t->ahead.asked[i];

		if (p->lineage == v->lineage && !p->is_building)
			p->is_building =
				build(v, sources, here, p->point, true);
	}
	n = search_foresee(t->search, guesses, GUESSES, around);
	for (size_t i = 0; i < n; i++)
		build(v, sources, here, guesses + i * here->n, false);
}

/* One candidate: the next point, written into the workspace. */
static struct error *try_point(struct tuner *t, enum varied *out,
			       struct variation *v, struct fileset *sources,
			       const struct tunables *here, const size_t *point,
			       const size_t *current, const char *reason)
{
	cleanup_free char *subject = tuner_change(here, point);
	cleanup_free char *why = tuner_why(here, v->population, point, reason);
	cleanup_free char *state = tuner_state(&t->space, point, current);
	const struct attempt *a;

	TRY(tunables_apply(sources, here, point));
	TRY(fileset_write(sources, v->workspace));
	TRY(v->score(v, &a, subject, why, state));
	*out = a ? VARIED : VARIED_NOTHING;
	return NULL;
}

/* What the workspace holds, and where the tunables stand in it. */
struct stand {
	struct fileset sources;
	struct tunables here;
	size_t *current;
};

static void stand_release(struct stand *s)
{
	fileset_release(&s->sources);
	tunables_release(&s->here);
	free(s->current);
}
DEFINE_RELEASE(stand, struct stand, stand_release)

/* Goes on with the search of this space, or begins one. */
static struct error *take_stand(struct stand *s, struct tuner *t,
				const struct variation *v)
{
	cleanup_tunables struct tunables copy = {0};

	TRY(read_sources(&s->sources, &s->here, t, v));
	if (!t->search || !same_space(&s->here, &t->space)) {
		TRY(tunables_read(&copy, &s->sources, t->task));
		begin_search(t, &copy, v->seed);
	}
	s->current = xcalloc(s->here.n, sizeof *s->current);
	for (size_t i = 0; i < s->here.n; i++)
		s->current[i] = s->here.tunable[i].current;
	return NULL;
}

static struct error *vary(struct variation_operator *self, enum varied *out,
			  struct variation *v)
{
	struct tuner *t = (struct tuner *)self;
	CLEANUP(stand) struct stand s = {.sources = FILESET_INIT};
	cleanup_free size_t *point = NULL;
	struct tuner_wish wish = {v->lineage, NULL, MIN(v->ahead, TUNER_AHEAD)};
	const char *reason;

	TRY(take_stand(&s, t, v));
	learn(t, v->population);
	point = xcalloc(s.here.n, sizeof *point);
	search_tell(t->search, s.current, v->parent->gain);
	/* A lineage with a direction is there to look elsewhere. */
	wish.around = v->direction ? s.current : NULL;
	if (!tuner_ahead_take(&t->ahead, t->search, &wish, point, &reason)) {
		*out = VARIED_BARREN;
		return NULL;
	}
	foresee(t, v, &s.sources, &s.here, wish.around);
	return try_point(t, out, v, &s.sources, &s.here, point, s.current,
			 reason);
}

/* The gain of what a run starts from is nought by definition. */
static struct error *look_ahead(struct variation_operator *self,
				struct variation *v)
{
	struct tuner *t = (struct tuner *)self;
	CLEANUP(stand) struct stand s = {.sources = FILESET_INIT};
	const struct tuner_wish wish = {v->lineage, NULL,
					MIN(1 + v->ahead, TUNER_AHEAD)};

	TRY(take_stand(&s, t, v));
	search_tell(t->search, s.current, 0);
	tuner_ahead_ask(&t->ahead, t->search, &wish);
	foresee(t, v, &s.sources, &s.here, NULL);
	return NULL;
}

static void tuner_free(struct variation_operator *self)
{
	struct tuner *t = (struct tuner *)self;

	forget(t);
	free(t);
}

struct error *tuner_new(struct variation_operator **out,
			const struct task *task)
{
	struct tuner *t = xcalloc(1, sizeof *t);

	t->operator_ = (struct variation_operator){
		.name = "tuner",
		.vary = vary,
		.free = tuner_free,
		.check = check,
		.look_ahead = look_ahead,
	};
	t->task = task;
	*out = &t->operator_;
	return NULL;
}
