#include "agent/tuner/tuner.h"

#include <math.h>

#include "agent/tuner/ahead.h"
#include "agent/tuner/known.h"
#include "agent/tuner/search.h"
#include "agent/tuner/tunables.h"
#include "core/base/json.h"
#include "core/run/population.h"

/* The state of an attempt records its point for the tuner; the subject and
 * hypothesis say for people what was changed and why. */

/* ---- points -------------------------------------------------------------- */

struct json *tuner_values(const struct tunables *space, const size_t *point)
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
			 const char *rest)
{
	cleanup_json struct json *state = json_object();

	json_set(state, "tunables", tuner_values(space, point));
	json_set_string(state, "rest", rest);
	return json_print(state);
}

static bool index_of(size_t *out, const struct tunable *t, const char *value)
{
	for (*out = 0; *out < t->n_values; ++*out)
		if (str_eq(t->value[*out], value))
			return true;
	return false;
}

bool tuner_point(size_t *point, const char **rest, const struct tunables *space,
		 const struct json *state)
{
	const struct json *values = json_get(state, "tunables");

	if (json_len(values) != space->n ||
	    !json_get_string(state, "rest", rest))
		return false;
	for (size_t i = 0; i < space->n; i++) {
		const struct tunable *t = &space->tunable[i];
		const char *value;

		if (!json_get_string(values, t->name, &value) ||
		    !index_of(&point[i], t, value))
			return false;
	}
	return true;
}

/* Of a normal number, in a 95 % interval. */
#define DEVIATIONS_95 3.92
/* Guesses at later choices, which are built if a build may begin. */
#define GUESSES 3

/* An attempt's point, if its sources have these tunables and are otherwise the
 * same; NULL: not. */
struct known_point {
	size_t *point;
	bool is_told; /* to the search */
};

struct tuner {
	struct variation_operator operator_; /* first: cast back */
	const struct task *task;
	/* Kept from step to step as long as the sources declare the same
	 * tunables and are otherwise the same. */
	struct tuner_search *search;
	struct tuner_ahead ahead;
	struct tunables space;
	char rest[FILESET_ID_LEN + 1];
	struct known_point *known; /* by attempt of the population */
	size_t n_known, cap_known;
	size_t all_told; /* nothing is left to tell of those before */
	size_t *values;
	bool *ordered;
	const uint8_t **steps;
	const struct buf *guide; /* what others measured, as text; or NULL */
};

/* Where the attempt at this index lies; NULL: not among these points. */
static const size_t *known_point(const struct tuner *t, size_t attempt)
{
	return attempt < t->n_known ? t->known[attempt].point : NULL;
}

/* ---- words --------------------------------------------------------------- */

/* Longest list of values in a title. */
#define TITLE_MAX 160

/* "MR 4 -> 8, NR 32 -> 64"; without `from` all values: "MR 8, NR 64". free()
 * disposes. */
static char *tuner_title(const struct tunables *space, const size_t *from,
			 const size_t *to)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	for (size_t i = 0; i < space->n && b.len < TITLE_MAX; i++) {
		const struct tunable *t = &space->tunable[i];

		if (from && from[i] == to[i])
			continue;
		buf_addf(&b, "%s%s ", b.len ? ", " : "", t->name);
		if (from)
			buf_addf(&b, "%s -> ", t->value[from[i]]);
		buf_adds(&b, t->value[to[i]]);
	}
	return buf_take(&b);
}

struct evidence {
	double sum;
	size_t n;
};

/* Mean gain of the attempts with this value of tunable `d`. */
static struct evidence evidence_for(const struct tuner *t,
				    const struct population *p, size_t d,
				    size_t value)
{
	struct evidence e = {0};

	for (size_t i = 0; i < p->n; i++) {
		const size_t *point = known_point(t, i);

		if (!point || point[d] != value ||
		    !isfinite(p->attempt[i].gain))
			continue;
		e.sum += p->attempt[i].gain;
		e.n++;
	}
	return e;
}

static void add_evidence(struct buf *b, const struct tuner *tuner,
			 const struct population *p, size_t d, size_t from,
			 size_t to)
{
	const struct tunable *t = &tuner->space.tunable[d];
	struct evidence now = evidence_for(tuner, p, d, from);
	struct evidence then = evidence_for(tuner, p, d, to);
	double percent;

	if (!then.n || !now.n)
		return;
	percent = 100 *
		  expm1(then.sum / (double)then.n - now.sum / (double)now.n);
	buf_addf(b,
		 " %s: kernels with %s = %s were %.1f %% %s on average than "
		 "with %s (%zu against %zu attempts, whatever else was set).",
		 percent >= 0 ? "For it" : "Against it", t->name, t->value[to],
		 fabs(percent), percent >= 0 ? "faster" : "slower",
		 t->value[from], then.n, now.n);
}

/* The values that differ from `from` and that no attempt has had yet: "MR = 12,
 * NR = 64". */
static char *list_untried(const struct tuner *tuner, const struct population *p,
			  const size_t *from, const size_t *to)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	for (size_t d = 0; d < tuner->space.n; d++) {
		const struct tunable *t = &tuner->space.tunable[d];

		if (to[d] != from[d] && !evidence_for(tuner, p, d, to[d]).n)
			buf_addf(&b, "%s%s = %s", b.len ? ", " : "", t->name,
				 t->value[to[d]]);
	}
	return buf_take(&b);
}

/* The reason for this point: the search's `reason`, and the results so far of
 * attempts with these values; free() disposes. */
static char *tuner_why(const struct tuner *t, const struct population *p,
		       const size_t *from, const size_t *to, const char *reason)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *untried = list_untried(t, p, from, to);

	buf_addf(&b, "Chosen for its expected improvement: %s.", reason);
	for (size_t d = 0; d < t->space.n; d++)
		if (to[d] != from[d])
			add_evidence(&b, t, p, d, from[d], to[d]);
	if (*untried)
		buf_addf(&b, " Not tried before: %s.", untried);
	return buf_take(&b);
}

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

static bool may_begin(const void *arg, const size_t *point, size_t n)
{
	return tunables_may_begin(arg, point, n);
}

static void forget(struct tuner *t)
{
	tuner_ahead_release(&t->ahead);
	search_free(t->search);
	t->search = NULL;
	tunables_release(&t->space);
	for (size_t i = 0; i < t->n_known; i++)
		free(t->known[i].point);
	t->n_known = t->all_told = 0;
	free(t->values);
	free(t->ordered);
	free(t->steps);
	t->steps = NULL;
	t->values = NULL;
	t->ordered = NULL;
}

/* A file without a measurement of this space does not end a run. */
static void guide_search(const struct tuner *t)
{
	cleanup_known struct known_gains k = {0};
	cleanup_error struct error *err = NULL;

	if (t->guide)
		err = known_read(&k, &t->space, t->guide->data, t->guide->len);
	for (size_t i = 0; i < k.n; i++)
		search_guide(t->search, k.point + i * k.dims, k.gain[i]);
}

/* Takes the contents of `space`. */
static void begin_search(struct tuner *t, struct tunables *space,
			 const char *rest, uint64_t seed)
{
	struct search_space s = {
		.allowed = allowed, .may_begin = may_begin, .arg = &t->space};

	forget(t);
	t->space = *space;
	*space = (struct tunables){0};
	memcpy(t->rest, rest, sizeof t->rest);
	t->values = xcalloc(t->space.n, sizeof *t->values);
	t->ordered = xcalloc(t->space.n, sizeof *t->ordered);
	t->steps = xcalloc(t->space.n, sizeof *t->steps);
	for (size_t i = 0; i < t->space.n; i++) {
		t->values[i] = t->space.tunable[i].n_values;
		t->ordered[i] = t->space.tunable[i].ordered;
		t->steps[i] = t->space.tunable[i].steps;
		if (t->steps[i])
			s.steps = t->steps;
	}
	s.n = t->space.n;
	s.values = t->values;
	s.ordered = t->ordered;
	t->search = search_new(&s, seed);
	guide_search(t);
	tuner_ahead_init(&t->ahead, s.n);
}

/* ---- what is known ----------------------------------------------------- */

/* The attempt's sources in the archive. */
static struct error *locate_sources(bool *has, size_t *point,
				    const struct tuner *t,
				    const struct variation *v,
				    const struct attempt *a)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;
	cleanup_candidate struct candidate c = {0};
	cleanup_fileset struct fileset sources = FILESET_INIT;
	char rest[FILESET_ID_LEN + 1];

	task_source_patterns(&patterns, t->task);
	TRY(v->archive->load(v->archive, &c, a->id.hex));
	for (size_t i = 0; i < c.files.n; i++) {
		const struct file_entry *f = &c.files.file[i];

		if (path_matches(f->path, &patterns))
			TRY(fileset_put(&sources, f->path, f->data, f->len,
					f->executable));
	}
	TRY(tunables_locate(has, point, rest, &t->space, &sources));
	*has = *has && str_eq(rest, t->rest);
	return NULL;
}

/* The point of an attempt of any operator: by its state if the tuner made it,
 * which is quicker, else by its sources. NULL: it is not a point of this space;
 * free() disposes. */
static size_t *locate(const struct tuner *t, const struct variation *v,
		      const struct attempt *a)
{
	cleanup_free size_t *point = xcalloc(t->space.n, sizeof *point);
	cleanup_json struct json *state = NULL;
	cleanup_error struct error *err = NULL;
	const char *rest;
	bool has = false;

	if (a->operator_state)
		err = json_parse(&state, a->operator_state,
				 strlen(a->operator_state));
	if (tuner_point(point, &rest, &t->space, state))
		return str_eq(rest, t->rest) ? steal(&point) : NULL;
	error_free(err);
	err = locate_sources(&has, point, t, v, a);
	return !err && has ? steal(&point) : NULL;
}

/* The standard deviation of the attempt's gain, by the narrowest interval of a
 * comparison within the run; 0: unknown. */
static double deviation_of(const struct attempt *a)
{
	double least = HUGE_VAL;

	for (size_t i = 0; i < a->measurement->n_comparisons; i++) {
		const struct comparison *c = &a->measurement->comparisons[i];

		if (c->rival != RIVAL_BASELINE && c->ratio95.lo > 0 &&
		    isfinite(c->ratio95.hi))
			least = MIN(least, log(c->ratio95.hi / c->ratio95.lo));
	}
	return isfinite(least) ? least / DEVIATIONS_95 : 0;
}

/* Tells the search what the run has measured: by the tuner, a model or a person,
 * in this process or another. */
static void learn(struct tuner *t, const struct variation *v)
{
	const struct population *p = v->population;

	while (t->n_known < p->n) {
		GROW(t->known, t->n_known, t->cap_known);
		t->known[t->n_known] = (struct known_point){
			.point = locate(t, v, &p->attempt[t->n_known])};
		t->n_known++;
	}
	for (size_t i = t->all_told; i < p->n; i++) {
		struct known_point *k = &t->known[i];
		bool is_due = k->point && !k->is_told;

		if (is_due && p->attempt[i].measurement) {
			search_tell_within(t->search, k->point,
					   p->attempt[i].gain,
					   deviation_of(&p->attempt[i]));
			k->is_told = true;
			is_due = false;
		}
		if (i == t->all_told && !is_due)
			t->all_told++;
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

static struct error *refuse_empty(const struct tunables *space)
{
	cleanup_free char *required = NULL;

	if (tunables_count(space))
		return NULL;
	required = tunables_requirements(space);
	return error_new(ERROR_REFUSED,
			 "nothing is left to vary: no choice of the declared "
			 "values meets avogit-require: %s",
			 required);
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

/* Where the sources in the workspace stand: their tunables with the current
 * values. */
struct stand {
	struct fileset sources;
	struct tunables here;
	size_t *current;
	/* The parent's point; NULL: its sources differ otherwise, too. */
	const size_t *parent;
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
	char rest[FILESET_ID_LEN + 1];
	bool has;

	TRY(read_sources(&s->sources, &s->here, t, v));
	s->current = xcalloc(s->here.n, sizeof *s->current);
	TRY(tunables_locate(&has, s->current, rest, &s->here, &s->sources));
	if (!t->search || !same_space(&s->here, &t->space) ||
	    !str_eq(rest, t->rest)) {
		TRY(tunables_read(&copy, &s->sources, t->task));
		TRY(refuse_empty(&copy));
		begin_search(t, &copy, rest, v->seed);
	}
	for (size_t i = 0; i < s->here.n; i++)
		s->current[i] = s->here.tunable[i].current;
	return NULL;
}

/* Scores one candidate: the next point, written into the workspace. */
static struct error *try_point(struct tuner *t, enum varied *out,
			       struct variation *v, struct stand *s,
			       const size_t *point, const char *reason)
{
	cleanup_free char *subject = tuner_title(&t->space, s->parent, point);
	cleanup_free char *why =
		reason ? tuner_why(t, v->population,
				   s->parent ? s->parent : s->current, point,
				   reason)
		       : xstrdup("The values in force, which no attempt with "
				 "these sources has measured yet.");
	cleanup_free char *state = tuner_state(&t->space, point, t->rest);
	const struct attempt *a;

	TRY(tunables_apply(&s->sources, &s->here, point));
	TRY(fileset_write(&s->sources, v->workspace));
	TRY(v->score(v, &a, subject, why, state));
	*out = a ? VARIED : VARIED_NOTHING;
	return NULL;
}

/* The point that is in force comes first, unless it was measured. */
static bool next_point(struct tuner *t, size_t *point, const char **reason,
		       struct variation *v, const struct stand *s)
{
	/* A lineage with a direction stays near its own point. */
	const struct tuner_wish wish = {v->lineage,
					!v->direction ? NULL
					: s->parent   ? s->parent
						      : s->current,
					MIN(v->ahead, TUNER_AHEAD)};

	if (!s->parent && !search_was_told(t->search, s->current) &&
	    tunables_allowed(&t->space, s->current)) {
		memcpy(point, s->current, t->space.n * sizeof *point);
		*reason = NULL;
		return true;
	}
	if (!tuner_ahead_take(&t->ahead, t->search, &wish, point, reason))
		return false;
	foresee(t, v, &s->sources, &s->here, wish.around);
	return true;
}

static struct error *vary(struct variation_operator *self, enum varied *out,
			  struct variation *v)
{
	struct tuner *t = (struct tuner *)self;
	CLEANUP(stand) struct stand s = {.sources = FILESET_INIT};
	cleanup_free size_t *point = NULL;
	const char *reason;

	TRY(take_stand(&s, t, v));
	learn(t, v);
	s.parent = known_point(t, v->parent);
	point = xcalloc(s.here.n, sizeof *point);
	if (!next_point(t, point, &reason, v, &s)) {
		*out = VARIED_DEAD_END;
		return NULL;
	}
	return try_point(t, out, v, &s, point, reason);
}

/* The index of the best attempt at one of these points: the parent if it is at
 * one, because it beat the others that were compared with it. p->n: none
 * passed. */
static size_t best_known(const struct tuner *t, const struct variation *v)
{
	const struct population *p = v->population;
	size_t best = p->n;

	if (known_point(t, v->parent))
		return v->parent;
	for (size_t i = 0; i < p->n; i++)
		if (known_point(t, i) && isfinite(p->attempt[i].gain) &&
		    (best == p->n ||
		     p->attempt[i].gain > p->attempt[best].gain))
			best = i;
	return best;
}

static struct error *take_best(struct variation_operator *self,
			       const struct attempt **out, struct variation *v)
{
	struct tuner *t = (struct tuner *)self;
	CLEANUP(stand) struct stand s = {.sources = FILESET_INIT};
	size_t best;

	*out = NULL;
	TRY(take_stand(&s, t, v));
	learn(t, v);
	best = best_known(t, v);
	if (best == v->population->n)
		return NULL;
	*out = &v->population->attempt[best];
	TRY(tunables_apply(&s.sources, &s.here, known_point(t, best)));
	return fileset_write(&s.sources, v->workspace);
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
	free(t->known);
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
		.take_best = take_best,
	};
	t->task = task;
	*out = &t->operator_;
	return NULL;
}

void tuner_guide(struct variation_operator *tuner, const struct buf *known)
{
	struct tuner *t = (struct tuner *)tuner;

	t->guide = known;
}
