#include "core/score/unit.h"

#include <ctype.h>
#include <math.h>
#include <strings.h>

static const char prefixes[] = "kMGTP";

bool unit_is_plain(const char *unit)
{
	size_t len = strlen(unit);

	if (!len || len > UNIT_MAX || !isalpha((unsigned char)*unit))
		return false;
	for (const char *c = unit; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("/^*._%-", *c))
			return false;
	return true;
}

double unit_size(const char *unit, const char *quantity)
{
	const char *at = strchr(prefixes, *unit);

	if (!*unit || !at || !isalpha((unsigned char)unit[1]) ||
	    strncasecmp(unit, quantity, strlen(quantity)) == 0)
		return 0;
	return pow(1000, (double)(at - prefixes + 1));
}

static int digits_of(double v)
{
	return v >= 100 ? 0 : v >= 10 ? 1 : 2;
}

void unit_format(char *out, size_t out_size, double rate, const char *unit,
		 double size)
{
	const char *prefix = "";
	char one[2] = "";

	if (size > 0) {
		rate /= size;
		if (rate > 0 && rate < 1) {
			snprintf(out, out_size, "%.3g %s", rate, unit);
			return;
		}
		snprintf(out, out_size, "%.*f %s", digits_of(rate), rate, unit);
		return;
	}
	for (const char *p = prefixes; rate >= 1000 && *p; p++) {
		rate /= 1000;
		one[0] = *p;
		prefix = one;
	}
	snprintf(out, out_size, "%.*f %s%s", digits_of(rate), rate, prefix,
		 unit);
}
