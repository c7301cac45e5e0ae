#include "agent/tuner/tuner.h"

#include <math.h>

#include "agent/tuner/ahead.h"
#include "agent/tuner/search.h"
#include "agent/tuner/tunables.h"
#include "core/base/json.h"
#include "core/run/population.h"

/* The state of an attempt records its point for the tuner; the subject and
 * hypothesis say for people what was changed and why. */

/* ---- points -------------------------------------------------------------- */

static struct json *values_of(const struct tunables *space, const size_t *point)
{
	struct json *values = json_object();

	for (size_t i = 0; i < space->n; i++)
		json_set_string(values, space->tunable[i].name,
				space->tunable[i].value[point[i]]);
	return values;
}

/* {"tunables": {"NAME": "VALUE", ...}, "rest": "ID"}: names and text, because a
 * later version of the sources may have other values; and the id of all else in
 * the sources (tunables_locate), whose points these are. free() disposes. */
static char *tuner_state(const struct tunables *space, const size_t *point,
			 const size_t *parent)
{
	cleanup_json struct json *state = json_object();

	json_set(state, "tunables", values_of(space, point));
	json_set(state, "parent", values_of(space, parent));
	return json_print(state);
}

static bool index_of(size_t *out, const struct tunable *t, const char *value)
{
	for (*out = 0; *out < t->n_values; ++*out)
		if (str_eq(t->value[*out], value))
			return true;
	return false;
}

/* Reads a point of tuner_state; `whose` is "tunables" or "parent". False if
 * this space has no such point. */
static bool tuner_point(size_t *point, const struct tunables *space,
			const char *state, const char *whose)
{
	cleanup_json struct json *j = NULL;
	cleanup_error struct error *err = NULL;
	const struct json *values;

	if (!state)
		return false;
	err = json_parse(&j, state, strlen(state));
	if (err)
		return false;
	values = json_get(j, whose);
	for (size_t i = 0; i < space->n; i++) {
		const struct tunable *t = &space->tunable[i];
		const char *value;

		if (!json_get_string(values, t->name, &value) ||
		    !index_of(&point[i], t, value))
			return false;
	}
	return true;
}

/* ---- words --------------------------------------------------------------- */

/* "MR 4 -> 8, NR 32 -> 64"; free() disposes. */
static char *tuner_change(const struct tunables *from, const size_t *to)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	for (size_t i = 0; i < from->n; i++) {
		const struct tunable *t = &from->tunable[i];

		if (to[i] != t->current)
			buf_addf(&b, "%s%s %s -> %s", b.len ? ", " : "",
				 t->name, t->value[t->current],
				 t->value[to[i]]);
	}
	return buf_take(&b);
}

struct evidence {
	double sum;
	size_t n;
};

/* Mean gain of the attempts with this value of tunable `d`. */
static struct evidence evidence_for(const struct tunables *space,
				    const struct population *p, size_t d,
				    size_t value)
{
	cleanup_free size_t *point = xcalloc(space->n, sizeof *point);
	struct evidence e = {0};

	for (size_t i = 0; i < p->n; i++) {
		const struct attempt *a = &p->attempt[i];

		if (!isfinite(a->gain) ||
		    !tuner_point(point, space, a->operator_state, "tunables") ||
		    point[d] != value)
			continue;
		e.sum += a->gain;
		e.n++;
	}
	return e;
}

static void add_evidence(struct buf *b, const struct tunables *space,
			 const struct population *p, size_t d, size_t to)
{
	const struct tunable *t = &space->tunable[d];
	struct evidence now = evidence_for(space, p, d, t->current);
	struct evidence then = evidence_for(space, p, d, to);
	double percent;

	if (!then.n || !now.n)
		return;
	percent = 100 *
		  expm1(then.sum / (double)then.n - now.sum / (double)now.n);
	buf_addf(b,
		 " With %s = %s kernels were %.1f %% %s on average than with "
		 "%s (%zu against %zu attempts).",
		 t->name, t->value[to], fabs(percent),
		 percent >= 0 ? "faster" : "slower", t->value[t->current],
		 then.n, now.n);
}

/* The changed values that no attempt has had yet: "MR = 12, NR = 64". */
static char *list_untried(const struct tunables *space,
			  const struct population *p, const size_t *to)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	for (size_t d = 0; d < space->n; d++) {
		const struct tunable *t = &space->tunable[d];

		if (to[d] != t->current && !evidence_for(space, p, d, to[d]).n)
			buf_addf(&b, "%s%s = %s", b.len ? ", " : "", t->name,
				 t->value[to[d]]);
	}
	return buf_take(&b);
}

/* The reason for this point: the search's `reason`, and the results so far of
 * attempts with these values; free() disposes. */
static char *tuner_why(const struct tunables *space, const struct population *p,
		       const size_t *to, const char *reason)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *untried = list_untried(space, p, to);

	buf_addf(&b, "Chosen for its expected improvement: %s.", reason);
	for (size_t d = 0; d < space->n; d++)
		if (to[d] != space->tunable[d].current)
			add_evidence(&b, space, p, d, to[d]);
	if (*untried)
		buf_addf(&b, " Not tried before: %s.", untried);
	return buf_take(&b);
}

/* Guesses at later choices, which are built if there is room. */
#define GUESSES 3

struct tuner {
	struct variation_operator operator_; /* first: cast back */
	const struct task *task;
	/* Kept from step to step as long as the sources declare the same
	 * tunables; `seen` attempts of the population have been told to it. */
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

/* A person's parent has no state: the first attempt on it has its point. */
static void learn_parent(struct tuner *t, const struct population *p,
			 const struct attempt *a, size_t *point)
{
	const struct attempt *parent = population_find(p, a->parent.hex);

	if (parent && !parent->operator_state && isfinite(parent->gain) &&
	    tuner_point(point, &t->space, a->operator_state, "parent"))
		search_tell(t->search, point, parent->gain);
}

/* Tells the search what the run has measured, in this process or another. */
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
			 "vary: write '// avogit: 16 32 64' after a '#define "
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

/* Builds the points chosen ahead, then the guesses. */
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

/* Scores one candidate: the next point, written into the workspace. */
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

/* The sources in the workspace, and the current values of their tunables. */
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

/* Continues the search if the sources are the same but for their point, else
 * begins one. */
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
	search_tell(t->search, s.current, variation_parent(v)->gain);
	/* A lineage with a direction stays near its own point. */
	wish.around = v->direction ? s.current : NULL;
	if (!tuner_ahead_take(&t->ahead, t->search, &wish, point, &reason)) {
		*out = VARIED_DEAD_END;
		return NULL;
	}
	foresee(t, v, &s.sources, &s.here, wish.around);
	return try_point(t, out, v, &s.sources, &s.here, point, s.current,
			 reason);
}

/* The start's gain is 0 by definition. */
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
