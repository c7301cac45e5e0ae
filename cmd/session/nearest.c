#include "cmd/session/nearest.h"

#include "cmd/ui/out.h"
#include "cmd/ui/report.h"
#include "core/run/outcome.h"

bool nearest_say(struct buf *out, const struct population *p)
{
	const struct attempt *a = attempt_nearest(p);
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);
	char ratio[32];

	if (!a) {
		buf_adds(out, "no attempt was measurably faster than the "
			      "start");
		return false;
	}
	report_format_ratio(ratio, sizeof ratio, attempt_speedup(a));
	attempt_doubt_explain(&why, a);
	buf_addf(out, "#%lld was %s the speed of the start, but got no crown (",
		 (long long)a->number, ratio);
	out_clean_line(out, why.data);
	buf_adds(out, ")");
	return true;
}

char *nearest_command(const struct population *p)
{
	const struct attempt *a = attempt_nearest(p);

	/* What is slower in a case is so the next time. */
	if (!a || attempt_doubt(a) == OUTCOME_NOT_CROWNED)
		return NULL;
	return attempt_again_command(p->record.run, a);
}

/* Who is named at most. */
#define MAYBE_MOST 3

void nearest_say_maybe(struct buf *out, char **command,
		       const struct population *p)
{
	const struct attempt *a[MAYBE_MOST];
	size_t n = attempt_maybe_faster(a, MAYBE_MOST, p);
	cleanup_buf struct buf again = BUF_INIT(BUF_LIMIT_TEXT);

	*command = NULL;
	if (!n)
		return;
	buf_addf(&again, "avogit score --again --run %s", p->record.run);
	for (size_t i = 0; i < n; i++) {
		char ratio[32];

		report_format_ratio(ratio, sizeof ratio, attempt_speedup(a[i]));
		buf_addf(out, "%s#%lld %s", i ? ", " : "",
			 (long long)a[i]->number, ratio);
		buf_addf(&again, " %s#%lld", p->record.run,
			 (long long)a[i]->number);
	}
	buf_adds(out, " the speed of the start");
	*command = buf_take(&again);
}

/* As a list in one sentence. */
static void add_way(struct buf *out, size_t *n, const char *command,
		    const char *what)
{
	buf_addf(out, "%s `%s` %s", (*n)++ ? "," : ":", command, what);
}

/* What a command does with the attempt that is named to it: only `pick` takes it. */
static const char *what_it_does(const char *taker)
{
	if (str_eq(taker, "pick"))
		return "takes it as it is";
	if (str_eq(taker, "export"))
		return "writes it as it is";
	return str_eq(taker, "diff") ? "shows its changes" : "shows it";
}

static void add_ways(struct buf *out, const struct population *p,
		     const char *taker)
{
	const struct attempt *a = attempt_nearest(p);
	cleanup_free char *again = nearest_command(p), *verify = NULL,
			  *take = NULL;
	size_t n = 0;

	if (again)
		add_way(out, &n, again, "measures it again");
	if (!a || !taker)
		return;
	verify = xasprintf("avogit verify %s#%lld", p->record.run,
			   (long long)a->number);
	take = xasprintf("avogit %s %s#%lld", taker, p->record.run,
			 (long long)a->number);
	add_way(out, &n, verify, "holds it against the start");
	add_way(out, &n, take, what_it_does(taker));
}

void nearest_add(struct buf *out, struct session *s, const char *run,
		 const char *taker)
{
	cleanup_population struct population p = {0};
	cleanup_error struct error *err = gitstore_population(&p, s->git, run);

	if (err) {
		buf_adds(out, "nothing was crowned");
		return;
	}
	nearest_say(out, &p);
	add_ways(out, &p, taker);
}
