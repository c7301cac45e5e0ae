/* What a profiler printed, in any of the forms: names are text of one line, shares
 * add up to the whole at most, and the ranks are in order. */
#include "cmd/scan/hot.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct hot_list *h)
{
	double sum = 0;

	for (size_t i = 0; i < h->n; i++) {
		const struct hot_function *f = &h->f[i];
		double share = hot_share(h, f);

		if (!f->name || !(share >= 0 && share <= 1))
			abort();
		if (!isnan(f->reached) && !(f->reached >= 0 && f->reached <= 1))
			abort();
		if (strchr(f->name, '\n') || f->line < 0)
			abort();
		if (!(hot_whole(h, f, 2) >= 1))
			abort();
		sum += share;
	}
	if (!(sum < 1 + 1e-6))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Of a file with a NUL the rest is not read. */
	cleanup_free char *text = xstrndup((const char *)data, size);
	cleanup_hot struct hot_list h = {0};
	enum profile_form form = PROFILE_PERF;
	cleanup_error struct error *err = profile_parse(&h, &form, text);

	if (!err != (h.n > 0) || (err && !error_is(err, ERROR_NOT_FOUND)))
		abort();
	check(&h);
	return 0;
}
