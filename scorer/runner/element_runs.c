#include "scorer/runner/element_runs.h"

int64_t tensor_rows(const struct tensor_layout *t)
{
	return t->n_dims ? t->shape[0] : 1;
}

int64_t tensor_row_elements(const struct tensor_layout *t)
{
	return tensor_rows(t) ? t->elements / tensor_rows(t) : 0;
}

void element_runs_start(struct element_runs *w, const struct tensor_layout *t,
			int64_t begin, int64_t end)
{
	size_t d = t->n_dims;
	int64_t span = 1;

	*w = (struct element_runs){.tensor = t, .n = 1, .step = 1};
	w->done = begin >= end || t->elements == 0;
	w->rows = end - begin;
	w->base = t->n_dims ? begin * t->stride[0] : 0;
	w->first = begin * tensor_row_elements(t);
	/* Trailing dimensions without gaps join into one run. */
	while (d > 0 && t->stride[d - 1] == span) {
		d--;
		w->n *= d == 0 ? w->rows : t->shape[d];
		span *= t->shape[d];
	}
	if (d == t->n_dims && d > 0) {
		d--;
		w->step = t->stride[d];
		w->n = d == 0 ? w->rows : t->shape[d];
	}
	w->outer = d;
}

bool element_runs_next(struct element_runs *w, struct element_run *out)
{
	const struct tensor_layout *t = w->tensor;
	size_t d = w->outer;

	if (w->done)
		return false;
	*out = (struct element_run){w->base, w->first, w->n, w->step};
	for (size_t i = 0; i < w->outer; i++)
		out->at += w->index[i] * t->stride[i];
	w->first += w->n;
	while (d > 0) {
		d--;
		if (++w->index[d] < (d == 0 ? w->rows : t->shape[d]))
			return true;
		w->index[d] = 0;
	}
	w->done = true;
	return true;
}

int64_t tensor_gather(double *out, const struct tensor_layout *t,
		      enum dtype from, const void *array, int64_t begin,
		      int64_t end)
{
	struct element_runs w;
	struct element_run r;
	int64_t n = 0;

	element_runs_start(&w, t, begin, end);
	while (element_runs_next(&w, &r)) {
		dtype_load_all(out + n, from,
			       (const unsigned char *)array +
				       r.at * (int64_t)dtype_bytes(from),
			       (size_t)r.step, (size_t)r.n);
		n += r.n;
	}
	return n;
}
