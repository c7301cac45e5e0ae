#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "agent/provider/retry.h"

/* Sun, 06 Nov 1994 08:49:37 GMT */
#define DATE 784111777

enum { WAIT = RETRY_WAIT, OVER = RETRY_OVER, NO = RETRY_REFUSED };

static const struct {
	int status;
	bool unreadable;
	const char *should, *after_ms, *after;
	unsigned failures;
	double unit, waited, patience;
	int verdict;
	double seconds; /* of WAIT */
} cases[] = {
	/* which statuses pass */
	{0, false, "", "", "", 1, 0, 0, 0, WAIT, 0.5},
	{408, false, "", "", "", 1, 0, 0, 0, WAIT, 0.5},
	{409, false, "", "", "", 1, 0, 0, 0, WAIT, 0.5},
	{429, false, "", "", "", 1, 0, 0, 0, WAIT, 0.5},
	{500, false, "", "", "", 1, 0, 0, 0, WAIT, 0.5},
	{529, false, "", "", "", 1, 0, 0, 0, WAIT, 0.5},
	{400, false, "", "", "", 1, 0, 0, 0, NO, 0},
	{401, false, "", "", "", 1, 0, 0, 0, NO, 0},
	{404, false, "", "", "", 1, 0, 0, 0, NO, 0},
	{413, false, "", "", "", 1, 0, 0, 0, NO, 0},
	{302, false, "", "", "", 1, 0, 0, 0, NO, 0},
	/* the server's word, except that a limit passes at some time */
	{400, false, "true", "", "", 1, 0, 0, 0, WAIT, 0.5},
	{400, false, "true", "", "", 9, 0, 0, 0, NO, 0},
	{500, false, "false", "", "", 1, 0, 0, 0, NO, 0},
	{429, false, "false", "", "", 1, 0, 0, 0, WAIT, 0.5},
	{503, false, "false", "", "", 1, 0, 0, 0, WAIT, 0.5},
	{529, false, "false", "", "", 1, 0, 0, 0, WAIT, 0.5},
	{500, false, "perhaps", "", "", 1, 0, 0, 0, WAIT, 0.5},
	/* what cannot be read is repeated a few times */
	{0, true, "", "", "", 1, 0, 0, 0, WAIT, 0.5},
	{0, true, "", "", "", 8, 0, 0, 0, WAIT, 60},
	{0, true, "", "", "", 9, 0, 0, 0, NO, 0},
	/* doubling, its limit, the jitter, no end */
	{500, false, "", "", "", 2, 0, 0, 0, WAIT, 1},
	{500, false, "", "", "", 5, 0, 0, 0, WAIT, 8},
	{500, false, "", "", "", 7, 0, 0, 0, WAIT, 32},
	{500, false, "", "", "", 8, 0, 0, 0, WAIT, 60},
	{500, false, "", "", "", 8, 0.5, 0, 0, WAIT, 52.5},
	{0, false, "", "", "", 100000, 0, 6e6, 0, WAIT, 60},
	/* what the server asks for, however long */
	{429, false, "", "1500", "", 1, 0.9, 0, 0, WAIT, 1.5},
	{429, false, "", "1500", "7", 1, 0, 0, 0, WAIT, 1.5},
	{429, false, "", "", "7", 1, 0, 0, 0, WAIT, 7},
	{429, false, "", "", "0.25", 1, 0, 0, 0, WAIT, 0.25},
	{429, false, "", "", "180", 1, 0, 0, 0, WAIT, 180},
	{503, false, "", "", "90000", 1, 0, 0, 0, WAIT, 90000},
	{429, false, "", "", "0", 1, 0, 0, 0, WAIT, 0.5},
	{429, false, "", "", "-3", 1, 0, 0, 0, WAIT, 0.5},
	{429, false, "", "", "nan", 1, 0, 0, 0, WAIT, 0.5},
	{429, false, "", "", "inf", 1, 0, 0, 0, WAIT, 0.5},
	{429, false, "", "", "soon", 1, 0, 0, 0, WAIT, 0.5},
	{429, false, "", "", "7 s", 1, 0, 0, 0, WAIT, 0.5},
	{429, false, "", "", "Sun, 06 Nov 1994 08:50:00 GMT", 1, 0, 0, 0, WAIT,
	 23},
	{429, false, "", "", "Sunday, 06-Nov-94 08:50:00 GMT", 1, 0, 0, 0, WAIT,
	 23},
	{429, false, "", "", "Sun Nov  6 08:50:00 1994", 1, 0, 0, 0, WAIT, 23},
	{429, false, "", "", "Sun, 06 Nov 1994 08:49:00 GMT", 1, 0, 0, 0, WAIT,
	 0.5},
	{429, false, "", "", "Mon, 07 Nov 1994 08:49:37 GMT", 1, 0, 0, 0, WAIT,
	 86400},
	/* the user's patience */
	{503, false, "", "", "", 8, 0, 500, 600, WAIT, 60},
	{503, false, "", "", "", 8, 0, 541, 600, OVER, 0},
	{429, false, "", "", "700", 1, 0, 0, 600, OVER, 0},
	{400, false, "", "", "", 1, 0, 0, 600, NO, 0},
};

static void waits_for_what_passes_and_no_longer_than_the_patience(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct retry_facts f = {
			.status = cases[i].status,
			.unreadable = cases[i].unreadable,
			.should_retry = cases[i].should,
			.retry_after_ms = cases[i].after_ms,
			.retry_after = cases[i].after,
			.now = DATE,
			.failures = cases[i].failures,
			.retries = 8,
			.waited = cases[i].waited,
			.patience = cases[i].patience,
			.unit = cases[i].unit,
		};
		struct retry_decision d = retry_decide(&f);

		if ((int)d.verdict != cases[i].verdict ||
		    (d.verdict == RETRY_WAIT &&
		     fabs(d.seconds - cases[i].seconds) > 1e-9))
			fail_msg("case %zu: %d after %g s", i, (int)d.verdict,
				 d.seconds);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			waits_for_what_passes_and_no_longer_than_the_patience),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
