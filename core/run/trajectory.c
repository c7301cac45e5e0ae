#include "core/run/trajectory.h"

#include <ctype.h>

/* How many attempts back to look for cycles, and for repeats. */
#define WINDOW	   64
#define LOOKBACK   1024
#define MAX_PERIOD 4
/* Of a failure's reason; the rest seldom comes twice in the same form. */
#define MAX_REASON 240

/* ---- what an attempt came to ------------------------------------------- */

/* The end of the number that begins at s: "12", "0x7f3a", "1.5e-05", "3f2a". */
static const char *number_end(const char *s)
{
	for (;; s++) {
		bool exponent = (*s == '+' || *s == '-') &&
				tolower((unsigned char)s[-1]) == 'e';
		bool point = *s == '.';

		if (!is_word_char(*s) &&
		    !((exponent || point) && isdigit((unsigned char)s[1])))
			return s;
	}
}

/* Adds one word of a reason: '#' for a number, and for digits in a name. */
static const char *add_word(struct buf *out, const char *s)
{
	if (isdigit((unsigned char)*s)) {
		buf_addc(out, '#');
		return number_end(s + 1);
	}
	for (; is_word_char(*s); s++) {
		if (!isdigit((unsigned char)*s))
			buf_addc(out, *s);
		else if (out->data[out->len - 1] != '#')
			buf_addc(out, '#');
	}
	return s;
}

char *trajectory_error(const struct measurement *m)
{
	cleanup_buf struct buf out = BUF_INIT(MAX_REASON);
	const char *s = m->why ? m->why : "";

	buf_addf(&out, "%s: ", verdict_name(m->verdict));
	while (*s && *s != '\n' && !out.truncated) {
		bool sign = (*s == '-' || *s == '+') &&
			    isdigit((unsigned char)s[1]);

		if (is_word_char(*s)) {
			s = add_word(&out, s);
			continue;
		}
		if (!sign)
			buf_addc(&out, *s);
		s++;
	}
	return buf_take(&out);
}

/* What identifies a kernel for the machine: its code if that is known. */
static const char *kernel_of(const struct measurement *m)
{
	const char *code = measurement_get(m, "code");

	return code ? code : m->identity.sources;
}

static bool same_kernel(const struct measurement *a,
			const struct measurement *b)
{
	if (*a->identity.sources &&
	    str_eq(a->identity.sources, b->identity.sources))
		return true;
	return *kernel_of(a) && str_eq(kernel_of(a), kernel_of(b));
}

/* ---- the newest attempts ------------------------------------------------ */

struct window {
	const struct population *p;
	size_t at[WINDOW];   /* indices of attempts, newest first */
	char *error[WINDOW]; /* of a failure; else NULL */
	size_t n;
};

static const struct measurement *nth(const struct window *w, size_t i)
{
	return w->p->attempt[w->at[i]].measurement;
}

static void window_init(struct window *w, const struct population *p, size_t n)
{
	*w = (struct window){.p = p};
	for (size_t i = p->n; i-- > 1 && w->n < MIN(n, (size_t)WINDOW);) {
		const struct measurement *m = p->attempt[i].measurement;

		if (!m)
			continue;
		w->at[w->n] = i;
		w->error[w->n++] =
			m->verdict == VERDICT_PASS ? NULL : trajectory_error(m);
	}
}

static void window_release(struct window *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->error[i]);
}
DEFINE_RELEASE(window, struct window, window_release)

static bool same_outcome(const struct window *w, size_t i, size_t j)
{
	if (w->error[i] && w->error[j])
		return str_eq(w->error[i], w->error[j]);
	return !w->error[i] && !w->error[j] &&
	       same_kernel(nth(w, i), nth(w, j));
}

static size_t failures_in_a_row(const struct window *w)
{
	size_t n = 0;

	while (n < w->n && w->error[n])
		n++;
	return n;
}

static size_t same_error_in_a_row(const struct window *w)
{
	size_t n = 0;

	while (n < w->n && w->error[n] && same_outcome(w, 0, n))
		n++;
	return n;
}

static bool measured_before(const struct population *p, size_t at)
{
	const struct measurement *m = p->attempt[at].measurement;

	if (measurement_get(m, "same_code"))
		return true;
	for (size_t i = at, left = LOOKBACK; i-- > 0 && left-- > 0;)
		if (p->attempt[i].measurement &&
		    same_kernel(p->attempt[i].measurement, m))
			return true;
	return false;
}

static size_t repeats_in_a_row(const struct window *w)
{
	size_t n = 0;

	while (n < w->n && measured_before(w->p, w->at[n]))
		n++;
	return n;
}

/* The same outcome again and again is not a cycle: same_error counts it. */
static bool goes_round(const struct window *w, size_t period)
{
	bool differ = false;

	if (w->n < 2 * period)
		return false;
	for (size_t i = 0; i < period; i++) {
		if (!same_outcome(w, i, i + period))
			return false;
		differ |= !same_outcome(w, 0, i);
	}
	return differ;
}

static size_t find_period(const struct window *w)
{
	for (size_t period = 2; period <= MAX_PERIOD; period++)
		if (goes_round(w, period))
			return period;
	return 0;
}

void trajectory_read(struct trajectory *out, const struct population *p,
		     double spent)
{
	bool intervened = p->interventions &&
			  p->since_intervention <= p->since_gain;
	double since = intervened ? p->intervention_seconds : p->gain_seconds;
	CLEANUP(window) struct window w;

	*out = (struct trajectory){
		.attempts = intervened ? p->since_intervention : p->since_gain,
		.seconds = MAX(spent - since, 0),
		.intervened = intervened,
		.gainless = p->since_gain,
		.gainless_seconds = MAX(spent - p->gain_seconds, 0),
	};
	window_init(&w, p, out->attempts);
	out->failures = failures_in_a_row(&w);
	out->same_error = same_error_in_a_row(&w);
	out->repeats = repeats_in_a_row(&w);
	out->period = find_period(&w);
}
