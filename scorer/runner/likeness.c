#include "scorer/runner/judge.h"

#include <math.h>

#include "scorer/runner/element_runs.h"
#include "scorer/runner/parts.h"
#include "scorer/runner/reference.h"

/* The figures of a part of the rows. */
struct stretch {
	double peak;	   /* the largest value of either arm */
	double difference; /* the largest */
};

/* Compares bits: arms that compute in the same order have the same. */
static bool same_bytes(const struct tensor_layout *t,
		       const struct element_run *r, const unsigned char *one,
		       const unsigned char *other)
{
	size_t size = dtype_bytes(t->dtype), at = (size_t)r->at * size;

	return r->step == 1 &&
	       memcmp(one + at, other + at, (size_t)r->n * size) == 0;
}

static void add_pair(struct stretch *s, double a, double b)
{
	if (isfinite(a) && isfinite(b)) {
		s->peak = MAX(s->peak, MAX(fabs(a), fabs(b)));
		s->difference = MAX(s->difference, fabs(a - b));
	} else if (isnan(a) ? !isnan(b) : a != b) {
		s->difference = HUGE_VAL;
	}
}

static void add_each(struct stretch *s, const struct tensor_layout *t,
		     const struct element_run *r, const void *one,
		     const void *other)
{
	for (int64_t i = 0; i < r->n; i++) {
		size_t at = (size_t)(r->at + i * r->step);

		add_pair(s, dtype_load(t->dtype, one, at),
			 dtype_load(t->dtype, other, at));
	}
}

/* The bits of |v|, which have the order of the values: a CPU finds the largest
 * of several integers at a time. */
static int32_t magnitude(float v)
{
	int32_t bits;

	memcpy(&bits, &v, sizeof bits);
	return bits & INT32_MAX;
}

static float from_magnitude(int32_t bits)
{
	float v;

	memcpy(&v, &bits, sizeof v);
	return v;
}

/* For f32, the type of most outputs. False if not all elements are finite. */
static bool add_singles(struct stretch *s, const float *one, const float *other,
			int64_t n)
{
	int32_t peak = 0, difference = 0;

	for (int64_t i = 0; i < n; i++) {
		int32_t a = magnitude(one[i]), b = magnitude(other[i]);
		int32_t d = magnitude(one[i] - other[i]);

		peak = a > peak ? a : peak;
		peak = b > peak ? b : peak;
		difference = d > difference ? d : difference;
	}
	if (peak >= magnitude(HUGE_VALF) || difference >= magnitude(HUGE_VALF))
		return false;
	s->peak = MAX(s->peak, (double)from_magnitude(peak));
	s->difference = MAX(s->difference, (double)from_magnitude(difference));
	return true;
}

static void add_floats(struct stretch *s, const struct tensor_layout *t,
		       const struct element_run *r, const void *one,
		       const void *other)
{
	if (t->dtype != DTYPE_F32 || r->step != 1 ||
	    !add_singles(s, (const float *)one + r->at,
			 (const float *)other + r->at, r->n))
		add_each(s, t, r, one, other);
}

static void add_integers(struct stretch *s, const struct tensor_layout *t,
			 const struct element_run *r, const unsigned char *one,
			 const unsigned char *other)
{
	size_t size = dtype_bytes(t->dtype);

	for (int64_t i = 0; i < r->n; i++) {
		size_t at = (size_t)(r->at + i * r->step) * size;

		if (memcmp(one + at, other + at, size) != 0)
			s->difference = HUGE_VAL;
	}
}

/* Where integers may be off by a little, two arms that differ everywhere by one
 * would hide the rows where one of them is wrong. */
static void add_tolerant(struct stretch *s, const struct tensor_layout *t,
			 const struct element_run *r, const unsigned char *one,
			 const unsigned char *other)
{
	size_t size = dtype_bytes(t->dtype);

	for (int64_t i = 0; i < r->n; i++) {
		size_t at = (size_t)(r->at + i * r->step);
		double a = dtype_load(t->dtype, one, at);
		double b = dtype_load(t->dtype, other, at);

		s->peak = MAX(s->peak, MAX(fabs(a), fabs(b)));
		s->difference =
			MAX(s->difference,
			    integer_difference(t->dtype, one + at * size,
					       other + at * size));
	}
}

/* The difference in rows [begin, end), relative to their largest value. */
static double look_at_rows(const struct tensor_layout *t,
			   const unsigned char *one, const unsigned char *other,
			   int64_t begin, int64_t end)
{
	struct stretch s = {0};
	struct element_runs w;
	struct element_run r;

	element_runs_start(&w, t, begin, end);
	while (element_runs_next(&w, &r)) {
		if (same_bytes(t, &r, one, other))
			continue;
		if (dtype_is_float(t->dtype))
			add_floats(&s, t, &r, one, other);
		else if (t->has_tolerance)
			add_tolerant(&s, t, &r, one, other);
		else
			add_integers(&s, t, &r, one, other);
	}
	if (s.difference <= 0 || isinf(s.difference))
		return s.difference;
	return s.difference / s.peak;
}

struct looking {
	const struct tensor_layout *tensor;
	const unsigned char *one, *other;
	int64_t tile_rows, part_tiles;
	struct likeness_reply *part; /* what each part found */
};

static void look_at_part(void *arg, size_t part)
{
	const struct looking *l = arg;
	struct likeness_reply *out = &l->part[part];
	int64_t rows = tensor_rows(l->tensor), step = l->tile_rows;
	int64_t at = (int64_t)part * l->part_tiles * step;
	int64_t stop = MIN(at + l->part_tiles * step, rows);

	for (; at < stop; at += step) {
		int64_t end = MIN(at + step, rows);
		double most =
			look_at_rows(l->tensor, l->one, l->other, at, end);

		if (most > out->most) {
			out->most = most;
			out->rows = (struct segment){at, end};
		}
	}
}

static void look_at_tensor(struct likeness_reply *out,
			   const struct tensor_layout *t,
			   const unsigned char *one, const unsigned char *other,
			   int64_t tile_rows)
{
	int64_t rows = tensor_rows(t), step = MIN(tile_rows, MAX(rows, 1));
	struct looking l = {.tensor = t,
			    .one = one,
			    .other = other,
			    .tile_rows = step,
			    .part_tiles = MAX(tensor_part_rows(t) / step, 1)};
	size_t n = (size_t)((rows + step * l.part_tiles - 1) /
			    (step * l.part_tiles));
	cleanup_free struct likeness_reply *part =
		xcalloc(MAX(n, (size_t)1), sizeof *part);

	l.part = part;
	parts_run(n, look_at_part, &l);
	for (size_t i = 0; i < n; i++)
		if (part[i].most > out->most) {
			out->most = part[i].most;
			out->rows = part[i].rows;
		}
}

void likeness_look(struct likeness_reply *out, const struct layout *l,
		   const unsigned char *one, const unsigned char *other,
		   int64_t tile_rows)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct tensor_layout *t = &l->arg[i].tensor;

		if (l->arg[i].is_tensor && t->region == REGION_OUTPUT)
			look_at_tensor(out, t, one + t->offset,
				       other + t->offset, MAX(tile_rows, 1));
	}
}
