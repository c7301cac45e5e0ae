#include "scorer/runner/element_runs.h"

#include "scorer/runner/parts.h"

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

struct gathering {
	double *out;
	const struct tensor_layout *tensor;
	enum dtype from;
	const unsigned char *array;
	int64_t begin, end, rows; /* of a part */
};

static void gather_part(void *arg, size_t part)
{
	const struct gathering *g = arg;
	int64_t begin = g->begin + (int64_t)part * g->rows;
	double *out = g->out +
		      (int64_t)part * g->rows * tensor_row_elements(g->tensor);
	struct element_runs w;
	struct element_run r;

	element_runs_start(&w, g->tensor, begin, MIN(begin + g->rows, g->end));
	while (element_runs_next(&w, &r)) {
		dtype_load_all(out, g->from,
			       g->array + r.at * (int64_t)dtype_bytes(g->from),
			       (size_t)r.step, (size_t)r.n);
		out += r.n;
	}
}

int64_t tensor_part_rows(const struct tensor_layout *t)
{
	return MAX(PART_ELEMENTS / MAX(tensor_row_elements(t), 1), 1);
}

int64_t tensor_gather(double *out, const struct tensor_layout *t,
		      enum dtype from, const void *array, int64_t begin,
		      int64_t end)
{
	struct gathering g = {
		out, t, from, array, begin, end, tensor_part_rows(t)};
	int64_t n = MAX(end - begin, 0);

	parts_run((size_t)((n + g.rows - 1) / g.rows), gather_part, &g);
	return n * tensor_row_elements(t);
}
