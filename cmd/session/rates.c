#include "cmd/session/rates.h"

#include <math.h>

#include "cmd/ui/report.h"

/* Below it noise alone has two rates change places. */
#define CLEARLY 1.05

static bool is_faster_at_a_lower_rate(const struct attempt *a,
				      const struct attempt *b)
{
	return attempt_passes(a) && attempt_passes(b) && a->kind == b->kind &&
	       isfinite(a->gain) && isfinite(b->gain) &&
	       a->gain > b->gain + log(CLEARLY) &&
	       a->measurement->score * CLEARLY < b->measurement->score;
}

static void say(struct buf *out, const struct attempt *fast,
		const struct attempt *slow)
{
	char ratio[2][32];

	report_format_ratio(ratio[0], sizeof ratio[0], attempt_speedup(fast));
	report_format_ratio(ratio[1], sizeof ratio[1], attempt_speedup(slow));
	buf_addf(out,
		 "go by the speeds: rates of different minutes do not compare "
		 "(attempt %lld is faster than attempt %lld, %s and %s, at a "
		 "lower rate)",
		 (long long)fast->number, (long long)slow->number, ratio[0],
		 ratio[1]);
}

void rates_say(struct buf *out, const struct population *p)
{
	const size_t known[] = {0, p->champion};

	for (size_t i = 1; i < p->n; i++)
		for (size_t k = 0; k < ARRAY_SIZE(known); k++) {
			const struct attempt *a = &p->attempt[i];
			const struct attempt *b = &p->attempt[known[k]];
			bool faster = is_faster_at_a_lower_rate(a, b);

			if (faster || is_faster_at_a_lower_rate(b, a)) {
				say(out, faster ? a : b, faster ? b : a);
				return;
			}
		}
}
