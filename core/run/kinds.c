#include "core/run/kinds.h"

#include <math.h>

#include "core/base/text.h"

size_t kinds_find(const struct population *p, const char *id)
{
	for (size_t i = 0; i < p->n_machines; i++)
		if (str_eq(p->machine[i].id, id))
			return i + 1;
	return 0;
}

size_t kinds_add(struct population *p, const char *id, const char *name)
{
	size_t kind = kinds_find(p, id);
	struct machine_kind *m;

	if (kind || !*id)
		return kind;
	GROW(p->machine, p->n_machines, p->cap_machines);
	m = &p->machine[p->n_machines++];
	*m = (struct machine_kind){.name = xstrdup(name ? name : id)};
	snprintf(m->id, sizeof m->id, "%s", id);
	return p->n_machines;
}

static struct standing *find_standing(const struct population *p,
				      const struct attempt *a, size_t kind)
{
	for (size_t at = a->standing; at; at = p->standing[at - 1].next)
		if (p->standing[at - 1].kind == kind)
			return &p->standing[at - 1];
	return NULL;
}

/* Borrowed until the next call. */
static struct standing *add_standing(struct population *p, struct attempt *a,
				     size_t kind)
{
	struct standing *s = find_standing(p, a, kind);

	if (s)
		return s;
	GROW(p->standing, p->n_standings, p->cap_standings);
	s = &p->standing[p->n_standings++];
	*s = (struct standing){.kind = kind, .gain = NAN, .next = a->standing};
	a->standing = p->n_standings;
	return s;
}

double kinds_gain(const struct population *p, const struct attempt *a,
		  size_t kind)
{
	const struct standing *s;

	if (a->number == 0 || a->kind == kind)
		return a->gain;
	s = find_standing(p, a, kind);
	return s ? s->gain : (double)NAN;
}

void kinds_measured(struct population *p, struct attempt *a, size_t kind)
{
	double gain = kinds_gain(p, a, kind);

	if (a->kind == kind)
		return;
	if (a->kind && a->number)
		add_standing(p, a, a->kind)->gain = a->gain;
	a->gain = gain;
	a->kind = kind;
}

double kinds_worst_gain(const struct population *p, const struct attempt *a,
			const size_t *kind, size_t n)
{
	double worst = n ? INFINITY : (double)NAN;

	for (size_t i = 0; i < n; i++) {
		double gain = kinds_gain(p, a, kind[i]);

		if (!isfinite(gain))
			return (double)NAN;
		worst = fmin(worst, gain);
	}
	return worst;
}

size_t kinds_portable(const struct population *p, const size_t *kind, size_t n)
{
	double most = 0;
	size_t best = 0;

	for (size_t i = 1; i < p->n; i++) {
		double worst = kinds_worst_gain(p, &p->attempt[i], kind, n);

		/* NAN is not greater. */
		if (!p->attempt[i].accepted ||
		    !attempt_passes(&p->attempt[i]) || !(worst > most))
			continue;
		most = worst;
		best = i;
	}
	return best;
}

/* ---- for people and programs ---------------------------------------------- */

static bool is_meant(const struct machine_kind *m, const char *word)
{
	return starts_with(m->id, word) || strcasestr(m->name, word);
}

static struct error *refuse_word(const struct population *p, const char *word,
				 size_t fitting)
{
	cleanup_buf struct buf all = BUF_INIT(BUF_LIMIT_TEXT);

	for (size_t i = 0; i < p->n_machines; i++) {
		const struct machine_kind *m = &p->machine[i];

		if (fitting && !is_meant(m, word))
			continue;
		buf_adds(&all, all.len ? "; " : "");
		text_add_line(&all, m->name, strlen(m->name));
		buf_addf(&all, " (%s)", m->id);
	}
	return error_new(ERROR_USAGE,
			 "'%s' fits %s kind of machine on which run %s was "
			 "measured, so name one of these by its id: %s",
			 word, fitting ? "more than one" : "no", p->record.run,
			 all.data);
}

struct error *kinds_choose(size_t *out, const struct population *p,
			   const char *word)
{
	size_t fitting = 0;

	for (size_t i = 0; i < p->n_machines; i++)
		if (is_meant(&p->machine[i], word)) {
			fitting++;
			*out = i + 1;
		}
	return fitting == 1 ? NULL : refuse_word(p, word, fitting);
}

void kinds_json_add(struct json *j, const struct population *p)
{
	struct json *all = json_array();

	for (size_t i = 0; i < p->n_machines; i++) {
		const struct machine_kind *m = &p->machine[i];
		const struct attempt *a = &p->attempt[m->champion];
		struct json *one = json_object();
		double gain = kinds_gain(p, a, i + 1);

		json_set_string(one, "id", m->id);
		json_set_string(one, "name", m->name);
		if (m->champion)
			json_set_string(one, "champion", a->id.hex);
		if (m->champion && isfinite(gain))
			json_set_double(one, "speedup", exp(gain));
		json_push(all, one);
	}
	json_set(j, "machines", all);
}

/* ---- crowns ---------------------------------------------------------------- */

size_t kinds_champion(const struct population *p, size_t kind)
{
	return kind ? p->machine[kind - 1].champion : p->champion;
}

void kinds_crown(struct population *p, size_t attempt, size_t kind)
{
	if (!kind)
		return;
	add_standing(p, &p->attempt[attempt], kind)->crowned = true;
	p->machine[kind - 1].champion = attempt;
}

/* The best that was crowned on this kind and still passes; 0: there is none. */
static size_t best_crowned(const struct population *p, size_t kind)
{
	double most = -INFINITY;
	size_t best = 0;

	for (size_t i = 1; i < p->n; i++) {
		const struct attempt *a = &p->attempt[i];
		const struct standing *s = find_standing(p, a, kind);
		double gain = kinds_gain(p, a, kind);

		if (!s || !s->crowned || !attempt_passes(a) ||
		    !isfinite(gain) || gain < most)
			continue;
		most = gain;
		best = i;
	}
	return best;
}

void kinds_depose(struct population *p, size_t attempt)
{
	size_t at = p->attempt[attempt].standing;

	for (; at; at = p->standing[at - 1].next)
		p->standing[at - 1].crowned = false;
	for (size_t i = 0; i < p->n_machines; i++)
		if (p->machine[i].champion == attempt)
			p->machine[i].champion = best_crowned(p, i + 1);
}
