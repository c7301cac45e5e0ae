#include "agent/provider/retry.h"
#include "agent/provider/http.h"

#include <math.h>

/* The server is down, or serves this user no more requests at the moment. */
static bool is_outage(const struct retry_facts *f)
{
	if (f->unreadable)
		return false;
	if (f->status == 429 || f->status == 503 || f->status == 529)
		return true;
	if (str_eq(f->should_retry, "false"))
		return false;
	return !f->status || f->status == 408 || f->status == 409 ||
	       f->status >= 500;
}

/* It may be of this request alone, so that it is repeated a few times only. */
static bool is_worth_a_try(const struct retry_facts *f)
{
	return f->unreadable || str_eq(f->should_retry, "true");
}

static bool parse_seconds(const char *text, double *out)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || *end || !isfinite(v))
		return false;
	*out = v;
	return true;
}

/* The wait that the server asked for; false if it asked for none. */
static bool asked_for(const struct retry_facts *f, double *out)
{
	int64_t date;
	double v;

	if (parse_seconds(f->retry_after_ms, &v))
		v /= 1e3;
	else if (parse_seconds(f->retry_after, &v))
		;
	else if (*f->retry_after && http_date(&date, f->retry_after))
		v = (double)(date - f->now);
	else
		return false;
	if (v <= 0)
		return false;
	*out = v;
	return true;
}

struct retry_decision retry_decide(const struct retry_facts *f)
{
	struct retry_decision d = {.verdict = RETRY_REFUSED};
	unsigned doublings = f->failures ? f->failures - 1 : 0;

	if (!is_outage(f) && (!is_worth_a_try(f) || f->failures > f->retries))
		return d;
	d.asked = asked_for(f, &d.seconds);
	if (!d.asked)
		d.seconds = fmin(0.5 * pow(2, fmin(doublings, 10)),
				 RETRY_MOST_SECONDS) *
			    (1 - 0.25 * f->unit);
	d.verdict = f->patience > 0 && f->waited + d.seconds > f->patience
			    ? RETRY_OVER
			    : RETRY_WAIT;
	return d;
}
