#include "cmd/scan/hot.h"

#include <math.h>

/* More distinct entries are not kept before they are summed up. */
#define MERGE_EVERY ((size_t)1 << 16)

static void function_release(struct hot_function *f)
{
	free(f->name);
	free(f->object);
	free(f->source);
}

void hot_release(struct hot_list *h)
{
	for (size_t i = 0; i < h->n; i++)
		function_release(&h->f[i]);
	free(h->f);
	*h = (struct hot_list){0};
}

static int compare_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int by_name(const void *a, const void *b)
{
	const struct hot_function *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : compare_text(x->object, y->object);
}

/* A profiler may say a little over 100 %; what it cannot mean is not known. */
static double share_of_ceiling(double reached)
{
	return reached >= 0 ? MIN(reached, 1) : NAN;
}

/* The sum of two; its ceiling is known only if both are. */
static void absorb(struct hot_function *f, struct hot_function *more)
{
	f->reached = share_of_ceiling(
		(f->reached * f->cost + more->reached * more->cost) /
		(f->cost + more->cost));
	f->cost += more->cost;
	if (!f->source) {
		f->source = steal(&more->source);
		f->line = more->line;
	}
	function_release(more);
}

static void merge(struct hot_list *h)
{
	size_t n = 0;

	if (h->n)
		qsort(h->f, h->n, sizeof *h->f, by_name);
	for (size_t i = 0; i < h->n; i++) {
		if (n && by_name(&h->f[n - 1], &h->f[i]) == 0)
			absorb(&h->f[n - 1], &h->f[i]);
		else
			h->f[n++] = h->f[i];
	}
	h->n = n;
}

void hot_add(struct hot_list *h, const char *name, const char *object,
	     double cost, double reached)
{
	struct hot_function *f;

	if (!(cost > 0) || !isfinite(cost) || !isfinite(h->total + cost))
		return;
	if (h->n >= MAX(h->merge_at, (size_t)MERGE_EVERY)) {
		merge(h);
		h->merge_at = 2 * h->n;
	}
	GROW(h->f, h->n, h->cap);
	f = &h->f[h->n++];
	*f = (struct hot_function){.cost = cost,
				   .reached = share_of_ceiling(reached)};
	f->name = xstrdup(*name ? name : "[unknown]");
	f->object = xstrdup_null(object);
	h->total += cost;
}

double hot_share(const struct hot_list *h, const struct hot_function *f)
{
	return h->total > 0 ? MIN(f->cost / h->total, 1) : 0;
}

double hot_whole(const struct hot_list *h, const struct hot_function *f,
		 double times)
{
	double share = hot_share(h, f);

	return 1 / (1 - share + share / times);
}

static double could_save(const struct hot_function *f)
{
	return isnan(f->reached) ? f->cost : f->cost * (1 - f->reached);
}

static int by_saving(const void *a, const void *b)
{
	const struct hot_function *x = a, *y = b;
	double m = could_save(x), n = could_save(y);

	if (m != n)
		return m > n ? -1 : 1;
	return by_name(a, b);
}

void hot_rank(struct hot_list *h)
{
	merge(h);
	if (h->n)
		qsort(h->f, h->n, sizeof *h->f, by_saving);
}
