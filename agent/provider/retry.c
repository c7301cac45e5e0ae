#include "agent/provider/retry.h"
#include "agent/provider/http.h"

#include <math.h>

static bool is_passing(const struct retry_facts *f)
{
	if (str_eq(f->should_retry, "true"))
		return true;
	if (str_eq(f->should_retry, "false"))
		return false;
	return !f->status || f->status == 408 || f->status == 409 ||
	       f->status == 429 || f->status >= 500;
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

/* The wait that the server asked for; false if it asked for none or for more
 * than RETRY_MOST_SECONDS. */
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
	if (v <= 0 || v > RETRY_MOST_SECONDS)
		return false;
	*out = v;
	return true;
}

struct retry_decision retry_decide(const struct retry_facts *f)
{
	struct retry_decision d = {.again = false};
	unsigned doublings = f->attempts ? f->attempts - 1 : 0;

	if (f->attempts > f->retries || !is_passing(f))
		return d;
	d.again = true;
	if (!asked_for(f, &d.seconds))
		d.seconds = fmin(0.5 * pow(2, fmin(doublings, 10)), 8) *
			    (1 - 0.25 * f->unit);
	return d;
}
