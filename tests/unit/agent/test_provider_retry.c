#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "agent/provider/retry.h"

/* Sun, 06 Nov 1994 08:49:37 GMT */
#define DATE 784111777

static const struct {
	int status;
	const char *should, *after_ms, *after;
	unsigned attempts;
	double unit;
	double seconds; /* NAN: not again */
} cases[] = {
	/* which statuses pass */
	{0, "", "", "", 1, 0, 0.5},
	{408, "", "", "", 1, 0, 0.5},
	{409, "", "", "", 1, 0, 0.5},
	{429, "", "", "", 1, 0, 0.5},
	{500, "", "", "", 1, 0, 0.5},
	{529, "", "", "", 1, 0, 0.5},
	{400, "", "", "", 1, 0, NAN},
	{401, "", "", "", 1, 0, NAN},
	{404, "", "", "", 1, 0, NAN},
	{413, "", "", "", 1, 0, NAN},
	{302, "", "", "", 1, 0, NAN},
	/* the server's word wins */
	{400, "true", "", "", 1, 0, 0.5},
	{500, "false", "", "", 1, 0, NAN},
	{500, "perhaps", "", "", 1, 0, 0.5},
	/* doubling, its limit, the jitter, the end */
	{500, "", "", "", 2, 0, 1},
	{500, "", "", "", 5, 0, 8},
	{500, "", "", "", 9, 0, 8},
	{500, "", "", "", 10, 0.5, 7},
	{500, "", "", "", 11, 0, NAN},
	{500, "true", "", "", 11, 0, NAN},
	/* what the server asks for */
	{429, "", "1500", "", 1, 0.9, 1.5},
	{429, "", "1500", "7", 1, 0, 1.5},
	{429, "", "", "7", 1, 0, 7},
	{429, "", "", "0.25", 1, 0, 0.25},
	{429, "", "", "120", 1, 0, 120},
	{429, "", "", "121", 1, 0, 0.5},
	{429, "", "", "0", 1, 0, 0.5},
	{429, "", "", "-3", 1, 0, 0.5},
	{429, "", "", "nan", 1, 0, 0.5},
	{429, "", "", "inf", 1, 0, 0.5},
	{429, "", "", "soon", 1, 0, 0.5},
	{429, "", "", "7 s", 1, 0, 0.5},
	{429, "", "", "Sun, 06 Nov 1994 08:50:00 GMT", 1, 0, 23},
	{429, "", "", "Sunday, 06-Nov-94 08:50:00 GMT", 1, 0, 23},
	{429, "", "", "Sun Nov  6 08:50:00 1994", 1, 0, 23},
	{429, "", "", "Sun, 06 Nov 1994 08:49:00 GMT", 1, 0, 0.5},
	{429, "", "", "Mon, 07 Nov 1994 08:49:37 GMT", 1, 0, 0.5},
};

static void decides_as_the_vendors_clients_do(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct retry_facts f = {.status = cases[i].status,
					.should_retry = cases[i].should,
					.retry_after_ms = cases[i].after_ms,
					.retry_after = cases[i].after,
					.now = DATE,
					.attempts = cases[i].attempts,
					.retries = 10,
					.unit = cases[i].unit};
		struct retry_decision d = retry_decide(&f);

		if (d.again == isnan(cases[i].seconds) ||
		    (d.again && fabs(d.seconds - cases[i].seconds) > 1e-9))
			fail_msg("case %zu: %d after %g s", i, d.again,
				 d.seconds);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decides_as_the_vendors_clients_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
