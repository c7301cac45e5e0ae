#include "agent/tuner/words.h"

#include <math.h>

#include "core/base/json.h"

/* ---- points ------------------------------------------------------------ */

static struct json *values_of(const struct tunables *space, const size_t *point)
{
	struct json *values = json_object();

	for (size_t i = 0; i < space->n; i++)
		json_set_string(values, space->tunable[i].name,
				space->tunable[i].value[point[i]]);
	return values;
}

char *tuner_state(const struct tunables *space, const size_t *point,
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

bool tuner_point(size_t *point, const struct tunables *space, const char *state,
		 const char *whose)
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

/* ---- words ------------------------------------------------------------- */

char *tuner_change(const struct tunables *from, const size_t *to)
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

/* Mean gain of the attempts that had this value of tunable `d`. */
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

/* The changed values no attempt has had yet: "MR = 12, NR = 64". */
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

char *tuner_why(const struct tunables *space, const struct population *p,
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
