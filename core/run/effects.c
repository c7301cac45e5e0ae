#include "core/run/effects.h"

#include <math.h>

#define ARROW " -> "
/* A title may end there, without its last changes (agent/tuner). */
#define LONGEST_SUBJECT 160
#define MAX_CHANGES	16
#define MAX_NAME	64
/* Passes over all effects; they settle in a dozen. */
#define PASSES 60
/* Added to the number of what speaks for a value: where two settings were only
 * ever changed together, each gets half. */
#define RIDGE	  0.05
#define MAX_LINES 16

struct effect_of {
	char *name;
	size_t before; /* the level that it was changed from first */
	size_t attempts, failed, lately;
};

struct effect_level {
	size_t setting;
	char *value;
	double effect; /* log */
	size_t n;      /* attempts with a gain that set it so */
};

struct effect_change {
	size_t attempt, from, to; /* levels */
};

/* ---- reading a subject ---------------------------------------------------- */

struct words_of_change {
	const char *name, *from, *to;
	size_t name_len, from_len, to_len;
};

/* "NAME FROM -> TO" up to the end; values may hold blanks. */
static bool read_change(struct words_of_change *out, const char *s, size_t len)
{
	const char *arrow = memmem(s, len, ARROW, strlen(ARROW));
	const char *blank = arrow ? memchr(s, ' ', (size_t)(arrow - s)) : NULL;

	if (!blank || blank == s)
		return false;
	*out = (struct words_of_change){
		.name = s,
		.name_len = (size_t)(blank - s),
		.from = blank + 1,
		.from_len = (size_t)(arrow - blank - 1),
		.to = arrow + strlen(ARROW),
	};
	out->to_len = (size_t)(s + len - out->to);
	return out->name_len <= MAX_NAME && out->from_len && out->to_len;
}

/* The number of changes; 0: it is no list of such. */
static size_t read_changes(struct words_of_change *out, const char *subject)
{
	const char *s = subject;
	size_t n = 0;

	if (!s || strlen(s) >= LONGEST_SUBJECT)
		return 0;
	for (;;) {
		const char *end = strstr(s, ", ");
		size_t len = end ? (size_t)(end - s) : strlen(s);

		if (n == MAX_CHANGES || !read_change(&out[n++], s, len))
			return 0;
		if (!end)
			return n;
		s = end + 2;
	}
}

/* ---- settings and their values ---------------------------------------------- */

static bool is(const char *whole, const char *s, size_t len)
{
	return strlen(whole) == len && memcmp(whole, s, len) == 0;
}

static size_t setting_of(struct effects *e, const struct words_of_change *c)
{
	for (size_t i = 0; i < e->n; i++)
		if (is(e->setting[i].name, c->name, c->name_len))
			return i;
	GROW(e->setting, e->n, e->cap);
	e->setting[e->n] = (struct effect_of){
		.name = xstrndup(c->name, c->name_len), .before = SIZE_MAX};
	return e->n++;
}

static size_t level_of(struct effects *e, size_t setting, const char *value,
		       size_t len)
{
	for (size_t i = 0; i < e->n_levels; i++)
		if (e->level[i].setting == setting &&
		    is(e->level[i].value, value, len))
			return i;
	GROW(e->level, e->n_levels, e->cap_levels);
	e->level[e->n_levels] = (struct effect_level){
		.setting = setting, .value = xstrndup(value, len)};
	return e->n_levels++;
}

static void add_change(struct effects *e, const struct words_of_change *c,
		       double gain, bool lately)
{
	size_t setting = setting_of(e, c);
	size_t from = level_of(e, setting, c->from, c->from_len);
	size_t to = level_of(e, setting, c->to, c->to_len);
	struct effect_of *s = &e->setting[setting];

	s->attempts++;
	s->lately += lately;
	if (s->before == SIZE_MAX)
		s->before = from;
	if (!isfinite(gain)) {
		s->failed++;
		return;
	}
	e->level[to].n++;
	GROW(e->change, e->n_changes, e->cap_changes);
	e->change[e->n_changes++] =
		(struct effect_change){e->n_attempts, from, to};
}

bool effects_add(struct effects *e, const char *subject, double gain,
		 bool lately)
{
	struct words_of_change change[MAX_CHANGES];
	size_t n = read_changes(change, subject);

	for (size_t i = 0; i < n; i++)
		add_change(e, &change[i], gain, lately);
	if (!n || !isfinite(gain))
		return n > 0;
	GROW(e->residual, e->n_attempts, e->cap_attempts);
	e->residual[e->n_attempts++] = gain;
	return true;
}

void effects_release(struct effects *e)
{
	for (size_t i = 0; i < e->n; i++)
		free(e->setting[i].name);
	for (size_t i = 0; i < e->n_levels; i++)
		free(e->level[i].value);
	free(e->setting);
	free(e->level);
	free(e->change);
	free(e->residual);
	*e = (struct effects){0};
}

/* ---- the fit ------------------------------------------------------------------ */

/* What the attempts that set or left a value say of it while all other effects
 * stand: the mean. */
static void fit_level(struct effects *e, size_t level)
{
	double sum = 0, count = 0, change;

	for (size_t i = 0; i < e->n_changes; i++) {
		const struct effect_change *c = &e->change[i];
		double side =
			(double)(c->to == level) - (double)(c->from == level);

		sum += side * e->residual[c->attempt] +
		       side * side * e->level[level].effect;
		count += side * side;
	}
	change = sum / (count + RIDGE) - e->level[level].effect;
	e->level[level].effect += change;
	for (size_t i = 0; i < e->n_changes; i++) {
		const struct effect_change *c = &e->change[i];

		if (c->to == level)
			e->residual[c->attempt] -= change;
		if (c->from == level)
			e->residual[c->attempt] += change;
	}
}

void effects_fit(struct effects *e)
{
	for (unsigned pass = 0; pass < PASSES; pass++)
		for (size_t i = 0; i < e->n_levels; i++)
			fit_level(e, i);
}

/* ---- words --------------------------------------------------------------------- */

static void add_level(struct buf *out, const struct effects *e,
		      const char *label, const struct effect_level *l)
{
	const struct effect_of *s = &e->setting[l->setting];
	double gain = l->effect - e->level[s->before].effect;

	buf_addf(out, "%s%s %+.1f %% (%zu)", label, l->value, 100 * expm1(gain),
		 l->n);
}

static void add_setting(struct buf *out, const struct effects *e, size_t which)
{
	const struct effect_of *s = &e->setting[which];
	const struct effect_level *best = NULL, *worst = NULL;

	for (size_t i = 0; i < e->n_levels; i++) {
		const struct effect_level *l = &e->level[i];

		if (l->setting != which || !l->n || i == s->before)
			continue;
		if (!best || l->effect > best->effect)
			best = l;
		if (!worst || l->effect < worst->effect)
			worst = l;
	}
	buf_addf(out, "- %s, %zu attempt%s", s->name, s->attempts,
		 s->attempts == 1 ? "" : "s");
	if (best) {
		buf_addf(out, ", beside %s: ", e->level[s->before].value);
		add_level(out, e, best == worst ? "" : "best ", best);
	}
	if (best != worst)
		add_level(out, e, ", worst ", worst);
	if (s->failed)
		buf_addf(out, "%s %zu failed", best ? ";" : ":", s->failed);
	buf_adds(out, "\n");
}

void effects_write(struct buf *out, const struct effects *e)
{
	if (!e->n)
		return;
	buf_adds(out, "Tried so far, by what was set, with what else was "
		      "changed at the same time accounted for (and in how many "
		      "attempts):\n");
	for (size_t i = 0; i < MIN(e->n, (size_t)MAX_LINES); i++)
		add_setting(out, e, i);
	if (e->n > MAX_LINES)
		buf_addf(out, "- and %zu more\n", e->n - MAX_LINES);
}

void effects_list(struct buf *out, const struct effects *e, bool lately,
		  const char *head, bool *any)
{
	for (size_t i = 0; i < MIN(e->n, (size_t)MAX_LINES); i++) {
		const struct effect_of *s = &e->setting[i];

		if ((s->lately > 0) != lately)
			continue;
		buf_addf(out, "%s%s", *any ? ", " : head, s->name);
		if (lately)
			buf_addf(out, " (%zu)", s->lately);
		*any = true;
	}
}
