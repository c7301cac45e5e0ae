#include "core/base/clock.h"

#include <time.h>

/* Longest sleep before *stop is looked at. */
#define SLICE_SECONDS 0.05

double clock_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- the time of a run --------------------------------------------------- */

static double skipped_seconds;

double clock_run_seconds(void)
{
	return clock_seconds() + skipped_seconds;
}

/* How many times faster than real a wait is. */
static double test_scale(void)
{
	static double scale;
	const char *text = env_get("AVOGIT_TEST_CLOCK");

	if (scale <= 0)
		scale = text ? MAX(strtod(text, NULL), 1.0) : 1;
	return scale;
}

bool clock_wait(double seconds, const volatile int *stop)
{
	double scale = test_scale(), began = clock_seconds();
	double left, real = seconds / scale;

	while ((left = began + real - clock_seconds()) > 0) {
		double slice = MIN(left, SLICE_SECONDS);
		const struct timespec t = {0, (long)(slice * 1e9)};

		if (stop && *stop)
			break;
		nanosleep(&t, NULL);
	}
	if (scale > 1)
		skipped_seconds +=
			MIN(clock_seconds() - began, real) * (scale - 1);
	return !(stop && *stop);
}

/* ---- wall time ----------------------------------------------------------- */

int64_t clock_wall_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t clock_bounded(int64_t wall_us)
{
	const int64_t last = INT64_C(253402300799) * 1000000;

	return MIN(MAX(wall_us, 0), last);
}

void clock_format(char out[21], int64_t wall_us)
{
	time_t seconds = (time_t)(wall_us / 1000000);
	struct tm tm;

	if (!gmtime_r(&seconds, &tm) ||
	    !strftime(out, 21, "%Y-%m-%dT%H:%M:%SZ", &tm))
		memcpy(out, "0000-00-00T00:00:00Z", 21);
}

char *clock_format_span(double seconds)
{
	int64_t s = (int64_t)seconds;

	if (seconds < 60)
		return xasprintf("%.1f s", seconds);
	if (s < 3600)
		return xasprintf("%jdm %02jds", (intmax_t)(s / 60),
				 (intmax_t)(s % 60));
	return xasprintf("%jdh %02jdm", (intmax_t)(s / 3600),
			 (intmax_t)(s / 60 % 60));
}

static double unit_seconds(char unit)
{
	switch (unit) {
	case 's':
	case '\0':
		return 1;
	case 'm':
		return 60;
	case 'h':
		return 3600;
	case 'd':
		return 86400;
	default:
		return 0;
	}
}

/* Units must fall ("1h30m"), and only a single number may go without. */
bool clock_parse_span(double *seconds, const char *text)
{
	double total = 0, last = 1e9;
	const char *p = text;

	while (*p) {
		char *end;
		double n, unit;

		if (*p < '0' || *p > '9')
			return false;
		n = strtod(p, &end);
		unit = unit_seconds(*end);
		if (unit == 0 || unit >= last || (!*end && p != text) ||
		    end - p > 12)
			return false;
		last = unit;
		total += n * unit;
		p = *end ? end + 1 : end;
	}
	if (!(total > 0))
		return false;
	*seconds = total;
	return true;
}
