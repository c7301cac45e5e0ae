#include "core/score/measurement.h"

#include <ctype.h>
#include <stdarg.h>
#include <time.h>

#include "core/base/clock.h"
#include "core/base/random.h"

bool identity_comparable(const struct identity *a, const struct identity *b)
{
	return str_eq(a->task, b->task) && str_eq(a->machine, b->machine) &&
	       str_eq(a->scorer, b->scorer);
}

bool identity_equal(const struct identity *a, const struct identity *b)
{
	return identity_comparable(a, b) && str_eq(a->sources, b->sources);
}

const char *trust_class_name(enum trust_class t)
{
	static const char *const names[] = {"none", "isolated", "replayed",
					    "reported"};

	return names[t];
}

const char *rival_name(enum rival r)
{
	static const char *const names[] = {"incumbent", "champion", "baseline",
					    "start"};

	return names[r];
}

/* "YYYYMMDDTHHMMSSZ-hhhhhhhh" */
static void make_id(char id[MEASUREMENT_ID_LEN + 1], int64_t time_us)
{
	time_t seconds = (time_t)(time_us / 1000000);
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(id, MEASUREMENT_ID_LEN + 1, "%Y%m%dT%H%M%SZ-", &tm);
	random_hex(id + 17, 8);
}

bool measurement_is_id(const char *text, size_t len)
{
	static const char form[] = "00000000T000000Z-xxxxxxxx";

	if (len != MEASUREMENT_ID_LEN)
		return false;
	for (size_t i = 0; form[i]; i++) {
		unsigned char c = (unsigned char)text[i];

		if (form[i] == '0'   ? !isdigit(c)
		    : form[i] == 'x' ? !isxdigit(c)
				     : c != (unsigned char)form[i])
			return false;
	}
	return true;
}

struct measurement *measurement_new(void)
{
	struct measurement *m = xcalloc(1, sizeof *m);

	m->time_us = clock_wall_us();
	make_id(m->id, m->time_us);
	return m;
}

#define DAY_US (INT64_C(24) * 3600 * 1000000)

bool measurement_is_ahead(const struct measurement *m)
{
	return m->time_us > clock_wall_us() + DAY_US;
}

struct case_result *measurement_add_case(struct measurement *m,
					 const char *name)
{
	struct case_result *c;

	GROW(m->cases, m->n_cases, m->cap_cases);
	c = &m->cases[m->n_cases++];
	*c = (struct case_result){.name = xstrdup(name), .weight = 1};
	return c;
}

struct comparison *measurement_add_comparison(struct measurement *m,
					      enum rival rival,
					      const char *name)
{
	struct comparison *c;

	GROW(m->comparisons, m->n_comparisons, m->cap_comparisons);
	c = &m->comparisons[m->n_comparisons++];
	*c = (struct comparison){.rival = rival, .name = xstrdup(name)};
	return c;
}

struct kernel_resources *measurement_add_kernel(struct measurement *m,
						const char *name)
{
	if (m->resources.n >= MEASUREMENT_MAX_KERNELS)
		return resources_get(&m->resources, name);
	return resources_of(&m->resources, name);
}

void measurement_set(struct measurement *m, const char *key, const char *value)
{
	struct setting *s;

	for (size_t i = 0; i < m->n_environment; i++) {
		if (!str_eq(m->environment[i].key, key))
			continue;
		free(m->environment[i].value);
		m->environment[i].value = xstrdup(value);
		return;
	}
	if (m->n_environment >= MEASUREMENT_MAX_SETTINGS)
		return;
	GROW(m->environment, m->n_environment, m->cap_environment);
	s = &m->environment[m->n_environment++];
	*s = (struct setting){xstrdup(key), xstrdup(value)};
}

const char *measurement_get(const struct measurement *m, const char *key)
{
	for (size_t i = 0; i < m->n_environment; i++)
		if (str_eq(m->environment[i].key, key))
			return m->environment[i].value;
	return NULL;
}

const struct comparison *measurement_against(const struct measurement *m,
					     enum rival rival, const char *name)
{
	for (size_t i = 0; m && i < m->n_comparisons; i++)
		if (m->comparisons[i].rival == rival &&
		    (!name || str_eq(m->comparisons[i].name, name)))
			return &m->comparisons[i];
	return NULL;
}

const enum rival rival_order[RIVAL_COUNT] = {RIVAL_START, RIVAL_CHAMPION,
					     RIVAL_INCUMBENT, RIVAL_BASELINE};

const struct comparison *measurement_headline(const struct measurement *m)
{
	for (size_t i = 0; i < RIVAL_COUNT; i++) {
		const struct comparison *c =
			measurement_against(m, rival_order[i], NULL);

		if (c)
			return c;
	}
	return NULL;
}

const struct comparison *measurement_decisive(const struct measurement *m)
{
	for (size_t i = 0; i < m->n_comparisons; i++)
		if (m->comparisons[i].rival == RIVAL_INCUMBENT ||
		    m->comparisons[i].rival == RIVAL_CHAMPION)
			return &m->comparisons[i];
	return NULL;
}

bool measurement_is_open(const struct measurement *m)
{
	return m->verdict == VERDICT_PASS && m->n_comparisons &&
	       m->comparisons[0].decision == DECISION_FASTER &&
	       !m->comparisons[0].confirmed && measurement_get(m, "unsteady");
}

bool measurement_is_open_loss(const struct measurement *m,
			      const struct comparison *c)
{
	return c->rival != RIVAL_BASELINE && c->decision == DECISION_NONE &&
	       c->ratio95.hi > 0 && c->ratio95.hi < 1 &&
	       measurement_get(m, "unsteady");
}

const char *measurement_told(const struct measurement *m,
			     const struct comparison *c)
{
	return measurement_is_open_loss(m, c)
		       ? "not faster"
		       : decision_name(c->decision, c->ratio95);
}

void measurement_fail(struct measurement *m, enum verdict verdict,
		      const char *why, ...)
{
	va_list ap;
	char *text;

	va_start(ap, why);
	if (vasprintf(&text, why, ap) < 0)
		text = xstrdup(verdict_line(verdict));
	va_end(ap);
	free(m->why);
	m->why = text;
	m->verdict = verdict;
	m->score = 0;
}

void measurement_format_percent(char *out, size_t size, double share)
{
	char rounded[32];

	snprintf(rounded, sizeof rounded, "%.1e", 100 * share);
	snprintf(out, size, "%.15g %%", strtod(rounded, NULL));
}

void measurement_format_rate(char *out, size_t size, double rate, bool bytes)
{
	unit_format(out, size, rate, bytes ? "B/s" : "FLOPS", 0);
}

const char *measurement_unit(double *size, const struct measurement *m)
{
	const char *unit = measurement_get(m, UNIT_KEY);
	const char *text = measurement_get(m, UNIT_SIZE_KEY);
	double v = text ? strtod(text, NULL) : 0;

	*size = 0;
	if (!unit || !unit_is_plain(unit))
		return m->rate_is_bytes ? "B/s" : "FLOPS";
	if (v >= 1 && v <= 1e18)
		*size = v;
	return unit;
}

void measurement_format(char *out, size_t size, const struct measurement *m,
			double rate)
{
	double unit_size;
	const char *unit = measurement_unit(&unit_size, m);

	unit_format(out, size, rate, unit, unit_size);
	if (m->trust == TRUST_REPORTED)
		snprintf(out + strlen(out), size - strlen(out), " reported");
}

/* NULL for none: there may be a hundred thousand measurements. */
static void *array_of(size_t n, size_t size)
{
	return n ? xcalloc(n, size) : NULL;
}

struct measurement *measurement_dup(const struct measurement *m)
{
	struct measurement *d = xmemdup(m, sizeof *m);

	resources_copy(&d->resources, &m->resources);
	d->why = xstrdup_null(m->why);
	d->log = xstrdup_null(m->log);
	d->cases = array_of(m->n_cases, sizeof *d->cases);
	d->comparisons = array_of(m->n_comparisons, sizeof *d->comparisons);
	d->environment = array_of(m->n_environment, sizeof *d->environment);
	d->cap_cases = m->n_cases;
	d->cap_comparisons = m->n_comparisons;
	d->cap_environment = m->n_environment;
	for (size_t i = 0; i < m->n_cases; i++) {
		d->cases[i] = m->cases[i];
		d->cases[i].name = xstrdup(m->cases[i].name);
	}
	for (size_t i = 0; i < m->n_comparisons; i++) {
		struct comparison *c = &d->comparisons[i];

		*c = m->comparisons[i];
		c->name = xstrdup(c->name);
		c->case_ratio = c->n_cases
					? xmemdup(c->case_ratio,
						  c->n_cases * sizeof(double))
					: NULL;
	}
	for (size_t i = 0; i < m->n_environment; i++)
		d->environment[i] =
			(struct setting){xstrdup(m->environment[i].key),
					 xstrdup(m->environment[i].value)};
	return d;
}

/* The settings that distinguish kernels and explain the outcome. */
static const char *const kept_when_brief[] = {
	"code",	 "same_code", "sanitized",   "unsanitized",  "unsteady",
	"final", UNIT_KEY,    UNIT_SIZE_KEY, "same_sources", DOUBT_KEY,
};

bool measurement_brief_has(const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(kept_when_brief); i++)
		if (str_eq(key, kept_when_brief[i]))
			return true;
	return false;
}

struct measurement *measurement_brief(const struct measurement *m)
{
	struct setting kept[ARRAY_SIZE(kept_when_brief)];
	cleanup_free struct comparison *c =
		xmemdup(m->comparisons, m->n_comparisons * sizeof *c);
	struct measurement slim = *m;

	for (size_t i = 0; i < m->n_comparisons; i++)
		c[i].n_cases = 0;
	slim.comparisons = c;
	slim.resources = (struct resources){0};
	slim.n_cases = 0;
	slim.log = NULL;
	slim.environment = kept;
	slim.n_environment = 0;
	for (size_t i = 0; i < m->n_environment; i++)
		if (measurement_brief_has(m->environment[i].key) &&
		    slim.n_environment < ARRAY_SIZE(kept))
			kept[slim.n_environment++] = m->environment[i];
	slim.brief = true;
	return measurement_dup(&slim);
}

void measurement_drop_results(struct measurement *m)
{
	for (size_t i = 0; i < m->n_cases; i++)
		free(m->cases[i].name);
	for (size_t i = 0; i < m->n_comparisons; i++) {
		free(m->comparisons[i].name);
		free(m->comparisons[i].case_ratio);
	}
	m->n_cases = m->n_comparisons = 0;
}

void measurement_free(struct measurement *m)
{
	if (!m)
		return;
	measurement_drop_results(m);
	for (size_t i = 0; i < m->n_environment; i++) {
		free(m->environment[i].key);
		free(m->environment[i].value);
	}
	resources_release(&m->resources);
	free(m->cases);
	free(m->comparisons);
	free(m->environment);
	free(m->why);
	free(m->log);
	free(m);
}
