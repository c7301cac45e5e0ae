#include "cmd/session/gain.h"

#include <math.h>

#include "cmd/session/record.h"
#include "cmd/ui/out.h"
#include "cmd/ui/report.h"

static const struct comparison *with_start(const struct pick *p,
					   const struct measurement *m)
{
	for (size_t i = 0; i < m->n_comparisons; i++)
		if (m->comparisons[i].rival != RIVAL_BASELINE &&
		    str_eq(m->comparisons[i].name, p->base.hex))
			return &m->comparisons[i];
	return NULL;
}

/* By a chain of wins, where the two were never measured together. */
static void say_chain(const struct pick *p, struct session *s, const char *kind)
{
	cleanup_population struct population run = {0};
	cleanup_error struct error *err = NULL;
	const struct attempt *a;
	char ratio[32];

	if (!*p->run)
		return;
	err = kind ? gitstore_population_on(&run, s->git, p->run, kind)
		   : gitstore_population(&run, s->git, p->run);
	a = err ? NULL : population_find(&run, p->of.hex);
	if (!a || !isfinite(attempt_speedup(a)))
		return;
	report_format_ratio(ratio, sizeof ratio, attempt_speedup(a));
	printf("  %s the speed of the start (a chain of wins)\n", ratio);
}

static void say_rate(const struct pick *p, const struct session *s,
		     const struct measurement *m)
{
	char rate[RATE_TEXT], noise[32], id[COMMIT_ID_LEN + 1];
	const char *unsteady = measurement_get(m, "unsteady");
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);

	measurement_format(rate, sizeof rate, m, m->score);
	if (!report_is_noisy(m)) {
		printf("  %s\n", rate);
		return;
	}
	measurement_format_percent(noise, sizeof noise, m->noise);
	if (unsteady)
		out_clean_line(&why, unsteady);
	else
		buf_addf(&why, "noise %s", noise);
	gitstore_abbreviate(id, s->git, p->of.hex);
	printf("  ~%s (%s: `avogit verify %s` on a quiet machine says more)\n",
	       rate, why.data, id);
}

void gain_say(const struct pick *p, struct session *s, const char *kind)
{
	cleanup_record struct candidate_record r = {.only = kind};
	cleanup_error struct error *err = NULL;
	const struct measurement *m = p->measurement;
	const struct comparison *start;

	if (kind) {
		err = record_read_on(&r, s->git, p->of.hex, p->run, kind);
		m = err ? NULL : r.measurement;
	}
	if (!m || m->verdict != VERDICT_PASS)
		return;
	say_rate(p, s, m);
	start = with_start(p, m);
	if (start)
		report_against(&s->color, start, "the start", ", side by side");
	else
		say_chain(p, s, kind);
	for (size_t i = 0; i < m->n_comparisons; i++)
		if (m->comparisons[i].rival == RIVAL_BASELINE)
			report_against(&s->color, &m->comparisons[i],
				       m->comparisons[i].name, "");
}
