#include "cmd/init/sizes.h"

#include "core/base/buf.h"
#include "core/task/layout.h"
#include "core/task/token.h"

#define MOST_SYMBOLS 8 /* of which all corners are tried */

static bool is_fine(struct error *err)
{
	bool fine = !err;

	error_free(err);
	return fine;
}

static bool case_fits(const struct task *t, const struct task_case *c,
		      struct layout *l)
{
	bool is_bytes;
	double work;

	return is_fine(layout_make(l, t, c, true)) &&
	       is_fine(task_work(&work, &is_bytes, t, c));
}

/* Each symbol at an end of its range: the bits of `corner` say at which. */
static bool corner_fits(const struct task *t, size_t corner, struct layout *l)
{
	cleanup_free int64_t *value = xcalloc(t->symbols.n + 1, sizeof *value);
	char name[] = "hidden";
	struct task_case c = {.value = value, .weight = 1, .name = name};

	for (size_t i = 0; i < t->symbols.n; i++) {
		const struct hidden_range *h = &t->hidden[i];

		value[i] = corner >> MIN(i, (size_t)MOST_SYMBOLS - 1) & 1
				   ? h->high / h->step * h->step
				   : (h->low + h->step - 1) / h->step * h->step;
	}
	return case_fits(t, &c, l);
}

static bool all_fit(const struct task *t)
{
	cleanup_free struct layout *l = xcalloc(1, sizeof *l);
	size_t corners = (size_t)1 << MIN(t->symbols.n, (size_t)MOST_SYMBOLS);

	for (size_t i = 0; i < t->n_cases; i++)
		if (!case_fits(t, &t->cases[i], l))
			return false;
	for (size_t i = 0; t->hidden && i < corners; i++)
		if (!corner_fits(t, i, l))
			return false;
	return true;
}

enum sizes_fit { FIT_NOT, FIT_ALL, FIT_UNREADABLE };

static enum sizes_fit task_fits(const struct template *t, const char *path)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_task struct task *task = NULL;

	template_task(&text, t);
	if (!is_fine(task_parse(&task, path, text.data, text.len)))
		return FIT_UNREADABLE;
	return all_fit(task) ? FIT_ALL : FIT_NOT;
}

static size_t n_dims(const char *shape)
{
	size_t n = 1;

	for (; *shape; shape++)
		n += *shape == ',';
	return n;
}

/* What comes out, and not what is changed. */
static bool is_result(const struct parameter *a)
{
	return a->has_direction && a->direction != DIRECTION_IN &&
	       (a->direction == DIRECTION_OUT || a->is_partial || a->is_reread);
}

/* Is it a size of what comes out, and of nothing that goes in? *dims: the most
 * that such has. */
static bool is_of_outputs(size_t *dims, const struct prototype *p,
			  const char *name)
{
	bool found = false;

	*dims = 0;
	for (size_t i = 0; i < prototype_all(p); i++) {
		const struct parameter *a = &p->parameter[i];

		/* As far as what goes in says. */
		if (a->indexes && token_occurs(a->high, name))
			return false;
		if (!token_occurs(a->shape, name) &&
		    !token_occurs(a->strides, name))
			continue;
		if (!is_result(a))
			return false;
		found = true;
		*dims = MAX(*dims, n_dims(a->shape));
	}
	return found;
}

static bool has_input(const struct prototype *p, size_t dims)
{
	for (size_t i = 0; i < prototype_all(p); i++) {
		const struct parameter *a = &p->parameter[i];

		if (a->shape && a->has_direction &&
		    a->direction == DIRECTION_IN && n_dims(a->shape) >= dims)
			return true;
	}
	return false;
}

/* How many of something larger are chosen, as the best k of each row: there have
 * to be as many. NULL: no size, or several, look like that. */
static const char *chosen_size(const struct prototype *p)
{
	const char *found = NULL;
	size_t dims;

	for (size_t i = 0; i < p->n; i++) {
		const struct parameter *a = &p->parameter[i];

		if (a->is_pointer || !a->is_size || a->size ||
		    !is_of_outputs(&dims, p, a->name) || !has_input(p, dims))
			continue;
		if (found)
			return NULL;
		found = a->name;
	}
	return found;
}

void sizes_choose(struct template *t, const char *path)
{
	const struct prototype *p = t->prototype;
	enum sizes_fit fit;

	t->small = chosen_size(p);
	if (t->small && task_fits(t, path) == FIT_ALL)
		return;
	t->small = NULL;
	fit = task_fits(t, path);
	if (fit == FIT_ALL)
		return;
	t->above_least = true;
	if (task_fits(t, path) == FIT_ALL)
		return;
	t->above_least = false;
	/* The last ones first: the size of a filter comes after an image's. */
	for (size_t i = p->n; i-- > 0;) {
		const struct parameter *a = &p->parameter[i];

		if (a->is_pointer || !a->is_size || a->size)
			continue;
		t->small = a->name;
		if (task_fits(t, path) == FIT_ALL)
			return;
	}
	t->small = NULL;
	/* One that cannot be read has other faults first. */
	t->no_hidden = fit == FIT_NOT;
}
