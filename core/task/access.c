#include "core/task/access.h"

/* ---- one offset ------------------------------------------------------------ */

struct dims {
	struct poly dim[TASK_MAX_DIMS], stride[TASK_MAX_DIMS];
	size_t n;
};

static bool larger_stride(const struct poly *a, const struct poly *b)
{
	size_t da = poly_degree(a), db = poly_degree(b);

	return da != db ? da > db : poly_at_least(a, b) && !poly_equal(a, b);
}

/* Two loops along one dimension, as in a convolution, make one. */
static bool merge(struct dims *d, const struct poly *stride,
		  const struct poly *steps)
{
	for (size_t i = 0; i < d->n; i++) {
		if (!poly_equal(&d->stride[i], stride))
			continue;
		d->dim[i] = poly_add(&d->dim[i], steps);
		return true;
	}
	return false;
}

/* Inserts a dimension of steps + 1 by its stride, the largest first. */
static bool insert(struct dims *d, const struct poly *stride,
		   const struct poly *steps)
{
	struct poly one = poly_constant(1);
	size_t at = 0;

	if (merge(d, stride, steps))
		return true;
	if (d->n == TASK_MAX_DIMS)
		return false;
	while (at < d->n && !larger_stride(stride, &d->stride[at]))
		at++;
	for (size_t i = d->n++; i > at; i--) {
		d->dim[i] = d->dim[i - 1];
		d->stride[i] = d->stride[i - 1];
	}
	d->dim[at] = poly_add(steps, &one);
	d->stride[at] = *stride;
	return true;
}

/* What is left without loops, "+ n + 1", goes to the dimensions that it steps
 * along. */
static bool spread(struct dims *d, const struct poly *rest)
{
	for (size_t i = 0; i < rest->n; i++) {
		struct poly term = {.ok = true, .n = 1}, steps;
		size_t k = 0;

		term.term[0] = rest->term[i];
		while (k < d->n && !poly_divide(&steps, &term, &d->stride[k]))
			k++;
		if (k == d->n)
			return false;
		d->dim[k] = poly_add(&d->dim[k], &steps);
	}
	return true;
}

static bool find_dims(struct dims *d, const struct poly_table *t,
		      const struct poly *offset)
{
	struct poly rest = *offset;
	size_t atom;

	while (poly_last_loop(&atom, t, &rest)) {
		struct poly stride, without, steps, zero = poly_constant(0);
		size_t other;

		/* What goes backwards is no dimension by itself. */
		if (!poly_split(&stride, &without, &rest, atom) ||
		    poly_last_loop(&other, t, &stride) ||
		    poly_at_least(&zero, &stride))
			return false;
		steps = poly_greatest(t, &t->atom[atom].high);
		if (!insert(d, &stride, &steps))
			return false;
		rest = without;
	}
	return spread(d, &rest);
}

/* ---- all of them ------------------------------------------------------------ */

/* The elements from the first one to the last one of these dimensions. */
static struct poly span(const struct poly *dim, const struct poly *stride,
			size_t n)
{
	struct poly one = poly_constant(1), sum = one;

	for (size_t i = 0; i < n; i++) {
		struct poly steps = poly_sub(&dim[i], &one);

		steps = poly_mul(&steps, &stride[i]);
		sum = poly_add(&sum, &steps);
	}
	return sum;
}

/* A turn that reads what another one wrote does so under a condition, which keeps
 * it from the first turn, and at another place than it writes. */
static void note_order(struct accesses *a, const struct poly *at,
		       enum access_kind kind)
{
	if (!a->any && kind != ACCESS_WRITE) {
		a->read_first = true;
		a->read_unsure = a->conditional && a->loop;
		a->read_in = a->loop;
	}
	if (a->written)
		return;
	if (kind == ACCESS_READ)
		a->read_unsure = a->read_unsure && a->conditional;
	else if (a->read_unsure)
		a->read_unsure = kind == ACCESS_WRITE &&
				 a->read_in == a->loop &&
				 !(at->ok && poly_equal(at, &a->last_read));
	a->last_read = *at;
}

static void note_kind(struct accesses *a, const struct poly *at,
		      enum access_kind kind)
{
	note_order(a, at, kind);
	a->any = true;
	a->written = a->written || (kind & ACCESS_WRITE);
}

static void note_written(struct accesses *a, const struct poly_table *t,
			 const struct poly *offset, const struct poly *extent)
{
	struct poly least = poly_least(t, offset);

	if (least.ok && !least.n)
		a->from_start = true;
	if (!a->written_to.ok || poly_at_least(extent, &a->written_to))
		a->written_to = *extent;
}

/* Is what reaches furthest sure to? */
static void note_reach(struct accesses *a, const struct poly *extent)
{
	bool further = !a->far.extent.ok ||
		       !poly_at_least(&a->far.extent, extent);

	if (further)
		a->guarded = a->doubt;
	else if (!a->doubt && poly_equal(&a->far.extent, extent))
		a->guarded = false;
}

static void take_dims(struct reach *r, const struct dims *d)
{
	r->n_dims = d->n;
	memcpy(r->dim, d->dim, sizeof r->dim);
	memcpy(r->stride, d->stride, sizeof r->stride);
}

static struct poly end_of(const struct poly_table *t, const struct poly *offset)
{
	struct poly one = poly_constant(1), last = poly_greatest(t, offset);

	return poly_add(&last, &one);
}

/* An index that an `if` narrows has two bounds: that of the condition, and that
 * of the loop where it is lower, or where the condition has other loops in it,
 * for then it is about another tensor as likely as not. */
static void take_lower(struct poly *offset, const struct poly_table *t,
		       size_t atom)
{
	struct poly factor, rest, wide, end, wide_end;
	size_t loop;

	if (!t->atom[atom].wide.ok ||
	    !poly_split(&factor, &rest, offset, atom) || !factor.n)
		return;
	wide = poly_mul(&factor, &t->atom[atom].wide);
	wide = poly_add(&wide, &rest);
	end = end_of(t, offset);
	wide_end = end_of(t, &wide);
	if (wide_end.ok && (poly_at_least(&end, &wide_end) ||
			    (!poly_at_least(&wide_end, &end) &&
			     poly_last_loop(&loop, t, &t->atom[atom].high))))
		*offset = wide;
}

static struct poly lower_bound(const struct poly_table *t,
			       const struct poly *offset)
{
	struct poly out = *offset;

	for (size_t i = 0; offset->ok && i < offset->n; i++)
		for (size_t k = 0; k < offset->term[i].degree; k++)
			take_lower(&out, t, offset->term[i].atom[k]);
	return out;
}

/* Rows of which the last few elements are not reached here are whole ones: what
 * reaches less far may reach those, as x[i * m + j + 1] beside x[(i + 1) * m + j].
 * A stride of its own (a parameter) may be anything. */
static bool complete_rows(struct dims *d)
{
	struct poly one = poly_constant(1), missing;
	size_t last = d->n - 1;
	int64_t c;

	if (d->n < 2 || !poly_equal(&d->stride[last], &one) ||
	    !poly_degree(&d->stride[last - 1]))
		return false;
	missing = poly_sub(&d->stride[last - 1], &d->dim[last]);
	if (!poly_is_constant(&missing, &c) || c <= 0)
		return false;
	d->dim[last] = d->stride[last - 1];
	return true;
}

/* Rows at a stride of its own are as long as some access says, and as many as
 * another does: x[i * ld + j + 1] beside x[(i + 1) * ld + j]. */
static bool join_rows(struct accesses *a, const struct dims *d)
{
	struct poly one = poly_constant(1), dim[TASK_MAX_DIMS];
	size_t last = d->n - 1;

	if (d->n < 2 || a->far.n_dims != d->n || a->doubt ||
	    !poly_equal(&d->stride[last], &one))
		return false;
	for (size_t i = 0; i < d->n; i++) {
		bool more = poly_at_least(&d->dim[i], &a->far.dim[i]);

		if (!poly_equal(&d->stride[i], &a->far.stride[i]) ||
		    (!more && !poly_at_least(&a->far.dim[i], &d->dim[i])))
			return false;
		dim[i] = more ? d->dim[i] : a->far.dim[i];
	}
	for (size_t i = 0; i < last; i++) {
		struct poly inner =
			span(dim + i + 1, d->stride + i + 1, last - i);
		struct poly most = poly_add(&d->stride[i], &one);

		if (!inner.ok || poly_at_least(&inner, &most))
			return false;
	}
	memcpy(a->far.dim, dim, d->n * sizeof *dim);
	a->far.extent = span(a->far.dim, a->far.stride, a->far.n_dims);
	return true;
}

static void set_reach(struct reach *r, const struct poly *extent,
		      struct dims *d)
{
	r->extent = *extent;
	if (d->n && complete_rows(d))
		r->extent = span(d->dim, d->stride, d->n);
	take_dims(r, d);
}

static void add_other(struct accesses *a, const struct poly *extent,
		      struct dims *d)
{
	for (size_t i = 0; i < a->n_others; i++) {
		if (poly_at_least(&a->other[i].extent, extent))
			return;
		if (poly_at_least(extent, &a->other[i].extent)) {
			set_reach(&a->other[i], extent, d);
			return;
		}
	}
	if (a->n_others < ACCESS_OTHERS)
		set_reach(&a->other[a->n_others++], extent, d);
	else
		a->unsure = true;
}

/* Is it at the sum of two loop variables? */
static bool has_two_loops(const struct poly_table *t, const struct poly *offset)
{
	size_t loops = 0;

	for (size_t i = 0; i < offset->n; i++) {
		const struct poly_term *term = &offset->term[i];

		loops += term->degree == 1 && !t->atom[term->atom[0]].text;
	}
	return loops > 1;
}

/* The first extent goes on by a number of elements after the second one. */
static bool goes_on(const struct poly *extent, const struct poly *after)
{
	struct poly more = poly_sub(extent, after);
	int64_t c;

	return poly_is_constant(&more, &c) && c > 0;
}

/* What is looked at ahead of an index, as far as something else lets it, is seldom
 * behind the end of an array: true where the access is left out. */
static bool look_ahead(struct accesses *a, const struct poly_table *t,
		       const struct poly *offset, const struct poly *extent)
{
	bool ahead = a->ended && has_two_loops(t, offset);

	if (!a->far.extent.ok) {
		a->far_ahead = ahead;
		return false;
	}
	if (ahead && !a->far_ahead && goes_on(extent, &a->far.extent)) {
		a->ahead = true;
		return true;
	}
	if (!ahead && a->far_ahead) {
		a->ahead = goes_on(&a->far.extent, extent);
		a->far_ahead = false;
		if (a->ahead)
			a->far = (struct reach){.extent = poly_unknown};
	}
	return false;
}

void accesses_add(struct accesses *a, struct poly_table *t,
		  const struct poly *at, enum access_kind kind)
{
	struct poly bounded = lower_bound(t, at), *offset = &bounded;
	struct poly one = poly_constant(1);
	struct poly extent = poly_greatest(t, offset);
	struct dims d = {0};
	int64_t c;

	note_kind(a, at, kind);
	/* No size of a first task is larger. */
	if (!a->moved && !a->doubt && poly_is_constant(offset, &c) &&
	    c < INT64_C(1) << 30)
		a->constant = MAX(a->constant, c);
	extent = poly_add(&extent, &one);
	extent = poly_tidy(t, &extent);
	if (!extent.ok) {
		a->unsure = true;
		return;
	}
	if (look_ahead(a, t, offset, &extent))
		return;
	if (kind & ACCESS_WRITE)
		note_written(a, t, offset, &extent);
	note_reach(a, &extent);
	if (!find_dims(&d, t, offset))
		d.n = 0;
	if (d.n && a->far.extent.ok && join_rows(a, &d))
		return;
	if (a->far.extent.ok && poly_at_least(&a->far.extent, &extent)) {
		/* The same reach, but by loops that say more of it. */
		if (a->far.n_dims || !poly_equal(&a->far.extent, &extent))
			return;
	} else if (a->far.extent.ok &&
		   !poly_at_least(&extent, &a->far.extent)) {
		add_other(a, &extent, &d);
		return;
	}
	set_reach(&a->far, &extent, &d);
}

void accesses_choose(struct accesses *a, size_t which)
{
	if (which)
		a->far = a->other[which - 1];
	a->n_others = 0;
}

static bool is_dense(const struct accesses *a)
{
	struct poly stride = poly_constant(1);

	for (size_t i = a->far.n_dims; i-- > 0;) {
		if (!poly_equal(&stride, &a->far.stride[i]))
			return false;
		stride = poly_mul(&stride, &a->far.dim[i]);
	}
	return true;
}

/* Do windows lie over each other, as in x[2 * i + k] with k up to 16? A stride
 * that is a parameter may be large enough. */
static bool overlaps(const struct accesses *a)
{
	struct poly one = poly_constant(1);

	for (size_t i = 0; i + 1 < a->far.n_dims; i++) {
		struct poly inner = span(&a->far.dim[i + 1],
					 &a->far.stride[i + 1],
					 a->far.n_dims - i - 1);
		struct poly least = poly_add(&a->far.stride[i], &one);

		if (inner.ok && least.ok && poly_at_least(&inner, &least))
			return true;
	}
	return false;
}

static void print_all(struct buf *out, const struct poly_table *t,
		      const struct poly *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buf_adds(out, i ? ", " : "");
		poly_print(out, t, &p[i]);
	}
}

bool accesses_shape(struct buf *shape, struct buf *strides,
		    const struct accesses *a, const struct poly_table *t)
{
	struct poly all = span(a->far.dim, a->far.stride, a->far.n_dims);
	bool fits = a->far.n_dims && poly_equal(&all, &a->far.extent) &&
		    !overlaps(a);

	if (!a->any || !a->far.extent.ok)
		return false;
	if (!fits) {
		poly_print(shape, t, &a->far.extent);
		return true;
	}
	print_all(shape, t, a->far.dim, a->far.n_dims);
	if (!is_dense(a))
		print_all(strides, t, a->far.stride, a->far.n_dims);
	return true;
}
