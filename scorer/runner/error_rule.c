#include "scorer/runner/reference.h"

#include <float.h>
#include <math.h>

#include "scorer/runner/error_sums.h"
#include "scorer/runner/parts.h"

#define TILE_ELEMENTS 64

void expected_release(struct expected *e)
{
	free(e->reference);
	free(e->plain);
	free(e->exact);
	free(e->tile);
	memset(e, 0, sizeof *e);
}

/* Units in the last place of the largest element of a row that are always
 * allowed. Halves round once at the end; for doubles the reference itself is not
 * more exact. */
static double floor_units(enum dtype t)
{
	if (t == DTYPE_F64)
		return 1024;
	return t == DTYPE_F32 ? 4 : 1;
}

static double smallest(enum dtype t)
{
	switch (t) {
	case DTYPE_F16:
		return 0x1p-24;
	case DTYPE_F32:
	case DTYPE_BF16:
		return 0x1p-126; /* subnormals may be flushed */
	default:
		return 0x1p-1022;
	}
}

/* Below this a type has fewer digits, or none: the plain version's error there
 * says nothing of larger numbers. */
static double least_normal(enum dtype t)
{
	switch (t) {
	case DTYPE_F16:
	case DTYPE_F8E5M2:
		return 0x1p-14;
	case DTYPE_F8E4M3:
		return 0x1p-6;
	case DTYPE_F64:
		return 0x1p-1022;
	default:
		return 0x1p-126;
	}
}

/* Every |v| below this is finite in the type. */
static double surely_finite(enum dtype t)
{
	if (t == DTYPE_F64)
		return DBL_MAX;
	return t == DTYPE_F32 || t == DTYPE_BF16 ? 3e38 : 60000;
}

/* The value as the type stores it: infinite beyond its range. */
static double stored(enum dtype t, double v)
{
	unsigned char bytes[8];

	if (!isfinite(v) || fabs(v) < surely_finite(t))
		return v;
	dtype_store(t, bytes, 0, v);
	return isinf(dtype_load(t, bytes, 0)) ? copysign(INFINITY, v) : v;
}

/* If the plain version overflows and the reference does not, the task's own
 * precision has no right value: any is accepted. */
static bool no_answer(const struct expected *e, int64_t i)
{
	return e->plain && !isfinite(e->plain[i]) &&
	       isfinite(stored(e->dtype, e->reference[i]));
}

bool expected_plain_differs(const struct expected *e, int64_t i)
{
	double ref = stored(e->dtype, e->reference[i]);

	return e->plain && !isfinite(ref) &&
	       (isnan(ref) ? !isnan(e->plain[i]) : e->plain[i] != ref);
}

static double plain_error(const struct expected *e, int64_t i)
{
	double ref = stored(e->dtype, e->reference[i]);

	if (!e->plain || !isfinite(ref) || !isfinite(e->plain[i]))
		return 0;
	return fabs(e->plain[i] - ref);
}

/* The next tile: a part of a long row, or several short rows; the rest at the
 * end joins the last tile. */
static int64_t tile_end(const struct expected *e, int64_t begin)
{
	int64_t row = MAX(e->row, 1), in_row = begin % row;
	int64_t parts, part, rows, end;

	if (row >= TILE_ELEMENTS) {
		parts = row / TILE_ELEMENTS;
		part = (in_row * parts + row - 1) / row;
		return begin - in_row + row * (part + 1) / parts;
	}
	rows = (TILE_ELEMENTS + row - 1) / row;
	end = begin + rows * row;
	return e->n - end < rows * row ? e->n : end;
}

static double rms(double squares, int64_t n)
{
	return n ? sqrt(squares / (double)n) : 0;
}

static void measure_each(struct tile *t, const struct expected *e)
{
	double squares = 0, errors = 0;

	for (int64_t i = t->begin; i < t->end; i++) {
		double err = plain_error(e, i), ref = e->reference[i];

		errors += err * err;
		squares += isfinite(ref) ? ref * ref : 0;
		t->largest = MAX(t->largest, err);
		t->silent += no_answer(e, i);
	}
	t->plain = rms(errors, t->end - t->begin);
	t->reference = rms(squares, t->end - t->begin);
	t->peak = error_sums_peak(e->reference + t->begin, t->end - t->begin);
}

static void measure_tile(struct tile *t, const struct expected *e)
{
	int64_t n = t->end - t->begin;
	struct error_sums s;

	t->usual = e->plain && error_sums_take(&s, e->plain + t->begin,
					       e->reference + t->begin, n,
					       surely_finite(e->dtype));
	if (!t->usual) {
		measure_each(t, e);
		return;
	}
	t->plain = rms(s.errors, n);
	t->reference = rms(s.rights, n);
	t->largest = s.largest;
	t->peak = s.size;
}

/* Tiles that one part of the work has: each is of 64 elements or a little more. */
#define PART_TILES ((size_t)(PART_ELEMENTS / TILE_ELEMENTS))

static size_t tile_parts(const struct expected *e)
{
	return (e->n_tiles + PART_TILES - 1) / PART_TILES;
}

static void measure_part(void *arg, size_t part)
{
	struct expected *e = arg;
	size_t end = MIN((part + 1) * PART_TILES, e->n_tiles);

	for (size_t i = part * PART_TILES; i < end; i++)
		measure_tile(&e->tile[i], e);
}

static void cut_and_measure(struct expected *e)
{
	/* A tile of a long row has at least so many elements, others more. */
	size_t cap = (size_t)(e->n / TILE_ELEMENTS) + 1;

	if (e->tile)
		return;
	e->tile = xcalloc(cap, sizeof *e->tile);
	e->n_tiles = 0;
	for (int64_t at = 0, end; at < e->n; at = end) {
		end = tile_end(e, at);
		GROW(e->tile, e->n_tiles, cap);
		e->tile[e->n_tiles++] = (struct tile){.begin = at, .end = end};
	}
	parts_run(tile_parts(e), measure_part, e);
}

/* The largest |reference| of a row that begins with tile k; of several short
 * rows, where the tile is of them. */
static double row_peak(const struct expected *e, size_t k)
{
	int64_t end = e->tile[k].begin + MAX(e->row, 1);
	double peak = 0;

	for (; k < e->n_tiles && e->tile[k].begin < end; k++)
		peak = MAX(peak, e->tile[k].peak);
	return peak;
}

static void spread_add(struct spread *s, double v)
{
	s->largest = MAX(s->largest, v);
	s->sum += v;
	s->squares += v * v;
	s->n++;
}

#define DEVIATIONS 6

/* The largest value to expect of this figure. */
static double spread_end(const struct spread *s)
{
	double n = (double)MAX(s->n, 1), mean = s->sum / n;
	double variance = MAX(s->squares / n - mean * mean, 0);

	return MAX(s->largest, mean + DEVIATIONS * sqrt(variance));
}

void error_history_add(struct error_history *h, struct expected *e)
{
	cut_and_measure(e);
	for (size_t i = 0; i < e->n_tiles; i++) {
		const struct tile *t = &e->tile[i];
		double n = (double)(t->end - t->begin);

		h->squares += t->plain * t->plain * n;
		h->reference += t->reference * t->reference * n;
		h->silent += t->silent;
		spread_add(&h->largest, t->largest);
		if (t->reference >= least_normal(e->dtype) &&
		    isfinite(t->plain))
			spread_add(&h->relative, t->plain / t->reference);
		if (e->row < TILE_ELEMENTS || t->begin % e->row == 0)
			h->rows++;
	}
	h->n += e->n;
}

/* In a tile of few elements all errors may be large: some deviations more. */
static double small_tile(const struct error_history *h, int64_t n)
{
	return rms(h->squares, h->n) * (1 + 2 / sqrt((double)n));
}

void expected_allow(struct expected *e, const struct error_history *h,
		    const struct tolerance *tolerance)
{
	double units = floor_units(e->dtype) * dtype_epsilon(e->dtype);
	double relative = spread_end(&h->relative), floor = 0, peak = 0;
	int64_t row = MAX(e->row, 1);

	cut_and_measure(e);
	for (size_t i = 0; i < e->n_tiles; i++) {
		struct tile *t = &e->tile[i];
		/* Where the squares of right values overflow, the product may be
		 * no number: then the plain version's error is what counts. */
		double base = MAX(relative * t->reference, t->plain), here;

		if (t->begin % row == 0)
			peak = row_peak(e, i);
		here = units * peak + smallest(e->dtype);
		if (t->end - t->begin < TILE_ELEMENTS)
			base = MAX(base, small_tile(h, t->end - t->begin));
		t->allowed = tolerance->factor * base + here;
		floor = MAX(floor, here);
	}
	e->allowed_largest =
		tolerance->factor * spread_end(&h->largest) + floor;
}

/* times: the error of what is named, over the allowed one. */
static void find(struct judge_answer *a, enum finding finding,
		 const struct expected *e, int64_t i, double got, double times)
{
	if (a->finding != FINDING_NONE)
		return;
	a->finding = finding;
	a->times = times;
	a->argument = e->argument;
	a->element = i;
	a->got = got;
	if (e->reference)
		a->expected = stored(e->dtype, e->reference[i]);
}

/* The error of element i, 0 if any value is accepted; a wrong NaN or infinity
 * is a separate finding. */
static double element_error(struct judge_answer *a, const struct expected *e,
			    int64_t i, double got)
{
	double ref = stored(e->dtype, e->reference[i]);

	if (no_answer(e, i))
		return 0;
	if (isfinite(ref) && isfinite(got))
		return fabs(got - ref);
	if (isnan(ref) ? isnan(got) : got == ref)
		return 0;
	find(a, FINDING_NAN, e, i, got, INFINITY);
	a->wrong++;
	a->worst = INFINITY;
	return 0;
}

/* error / allowed; both may be zero, or infinite. */
static double over(double error, double allowed)
{
	if (error <= allowed)
		return allowed > 0 && isfinite(allowed) ? error / allowed : 0;
	return allowed > 0 ? error / allowed : INFINITY;
}

/* Over what is allowed, in the mean or in one element. */
static double tile_over(const struct expected *e, const struct tile *t,
			double squares, double largest)
{
	return MAX(over(rms(squares, t->end - t->begin), t->allowed),
		   over(largest, e->allowed_largest));
}

/* The error of a tile's finite elements over the allowed one; *at is where it
 * is largest. */
static double tile_error(struct judge_answer *a, int64_t *at,
			 const struct expected *e, const struct tile *t,
			 const double *got)
{
	double squares = 0, largest = 0;

	*at = t->begin;
	for (int64_t i = t->begin; i < t->end; i++) {
		double err = element_error(a, e, i, got[i]);

		squares += err * err;
		if (err > largest) {
			largest = err;
			*at = i;
		}
	}
	return tile_over(e, t, squares, largest);
}

/* A tile of which all elements are usual, and none is over: most are. */
static bool pass_tile(struct judge_answer *a, const struct expected *e,
		      const struct tile *t, const double *got)
{
	struct error_sums s;
	double worst;

	if (!t->usual ||
	    !error_sums_take(&s, got + t->begin, e->reference + t->begin,
			     t->end - t->begin, surely_finite(e->dtype)))
		return false;
	worst = tile_over(e, t, s.errors, s.largest);
	if (!(worst <= 1))
		return false;
	a->worst = MAX(a->worst, worst);
	return true;
}

static void compare_tile(struct judge_answer *a, const struct expected *e,
			 const struct tile *t, const double *got)
{
	int64_t at;
	double worst;

	if (pass_tile(a, e, t, got))
		return;
	worst = tile_error(a, &at, e, t, got);
	a->worst = MAX(a->worst, worst);
	if (!(worst <= 1)) {
		find(a, FINDING_VALUE, e, at, got[at], worst);
		a->wrong++;
	}
}

/* Elements that are looked at together, and each only if one may be wrong. */
#define STRETCH 256

static bool pass_stretch(struct judge_answer *a, const struct expected *e,
			 int64_t begin, int64_t end, const double *got,
			 const struct tolerance *tol)
{
	double worst;

	if (e->plain ||
	    !error_sums_most(&worst, got + begin, e->reference + begin,
			     end - begin, surely_finite(e->dtype), tol->atol,
			     tol->rtol) ||
	    !(worst <= 1))
		return false;
	a->worst = MAX(a->worst, worst);
	return true;
}

static void compare_each(struct judge_answer *a, const struct expected *e,
			 int64_t begin, int64_t end, const double *got,
			 const struct tolerance *tol)
{
	for (int64_t i = begin; i < end; i++) {
		double ref = stored(e->dtype, e->reference[i]);
		double err = element_error(a, e, i, got[i]), worst;

		if (!isfinite(ref))
			continue;
		worst = over(err, tol->atol + tol->rtol * fabs(ref));
		a->worst = MAX(a->worst, worst);
		if (!(worst <= 1)) {
			find(a, FINDING_VALUE, e, i, got[i], worst);
			a->wrong++;
		}
	}
}

static void compare_absolute(struct judge_answer *a, const struct expected *e,
			     int64_t begin, int64_t end, const double *got,
			     const struct tolerance *tol)
{
	for (int64_t i = begin; i < end; i += STRETCH) {
		int64_t to = MIN(i + STRETCH, end);

		if (!pass_stretch(a, e, i, to, got, tol))
			compare_each(a, e, i, to, got, tol);
	}
}

static int64_t load_signed(const void *at, size_t size)
{
	int8_t i8;
	int16_t i16;
	int32_t i32;
	int64_t i64;

	switch (size) {
	case 1:
		memcpy(&i8, at, size);
		return i8;
	case 2:
		memcpy(&i16, at, size);
		return i16;
	case 4:
		memcpy(&i32, at, size);
		return i32;
	default:
		memcpy(&i64, at, sizeof i64);
		return i64;
	}
}

double integer_difference(enum dtype t, const void *a, const void *b)
{
	size_t size = dtype_bytes(t);
	uint64_t u = 0, v = 0;

	if (t == DTYPE_I8 || t == DTYPE_I16 || t == DTYPE_I32 ||
	    t == DTYPE_I64) {
		/* With the sign bit inverted, they have the order of unsigned
		 * ones. */
		u = (uint64_t)load_signed(a, size) ^ (UINT64_C(1) << 63);
		v = (uint64_t)load_signed(b, size) ^ (UINT64_C(1) << 63);
	} else {
		memcpy(&u, a, size);
		memcpy(&v, b, size);
	}
	return (double)(u > v ? u - v : v - u);
}

static double integer_allowed(const struct tolerance *tol, double right)
{
	return tol->absolute ? tol->atol + tol->rtol * fabs(right) : 0;
}

static void compare_integers(struct judge_answer *a, const struct expected *e,
			     int64_t begin, int64_t end,
			     const unsigned char *outputs,
			     const struct tolerance *tol)
{
	size_t size = dtype_bytes(e->dtype);

	for (int64_t i = begin; i < end; i++) {
		const unsigned char *want = e->exact + (size_t)i * size;
		const unsigned char *got = outputs + (size_t)i * size;
		double right, worst;

		if (i % STRETCH == 0 && end - i >= STRETCH &&
		    memcmp(got, want, STRETCH * size) == 0) {
			i += STRETCH - 1;
			continue;
		}
		if (memcmp(got, want, size) == 0)
			continue;
		right = dtype_load(e->dtype, want, 0);
		worst = over(integer_difference(e->dtype, got, want),
			     integer_allowed(tol, right));
		a->worst = MAX(a->worst, worst);
		if (worst <= 1)
			continue;
		if (a->finding == FINDING_NONE)
			a->expected = right;
		find(a, FINDING_VALUE, e, i, dtype_load(e->dtype, got, 0),
		     worst);
		a->wrong++;
	}
}

struct comparing {
	const struct expected *e;
	const void *got;
	const struct tolerance *tolerance;
	struct judge_answer *part; /* what each part found */
};

static void compare_part(void *arg, size_t part)
{
	const struct comparing *c = arg;
	const struct expected *e = c->e;
	struct judge_answer *a = &c->part[part];
	int64_t begin = (int64_t)part * PART_ELEMENTS;
	int64_t end = MIN(begin + PART_ELEMENTS, e->n);
	size_t tiles = MIN((part + 1) * PART_TILES, e->n_tiles);

	if (e->exact)
		compare_integers(a, e, begin, end, c->got, c->tolerance);
	else if (c->tolerance->absolute)
		compare_absolute(a, e, begin, end, c->got, c->tolerance);
	else
		for (size_t i = part * PART_TILES; i < tiles; i++)
			compare_tile(a, e, &e->tile[i], c->got);
}

static void add_part(struct judge_answer *a, const struct judge_answer *part)
{
	a->worst = MAX(a->worst, part->worst);
	a->wrong += part->wrong;
	if (a->finding != FINDING_NONE || part->finding == FINDING_NONE)
		return;
	a->finding = part->finding;
	a->argument = part->argument;
	a->element = part->element;
	a->got = part->got;
	a->expected = part->expected;
	a->times = part->times;
}

void expected_compare(struct judge_answer *a, const struct expected *e,
		      const void *got, const struct tolerance *tolerance)
{
	bool in_tiles = !e->exact && !tolerance->absolute;
	size_t n = in_tiles ? tile_parts(e) : parts_of(e->n);
	cleanup_free struct judge_answer *part =
		xcalloc(MAX(n, (size_t)1), sizeof *part);
	struct comparing c = {e, got, tolerance, part};

	parts_run(n, compare_part, &c);
	for (size_t i = 0; i < n; i++)
		add_part(a, &part[i]);
}

static bool is_marked(const struct expected *e, int64_t i, double got,
		      double allowed)
{
	double ref = stored(e->dtype, e->reference[i]);

	if (no_answer(e, i))
		return false;
	if (isfinite(ref) && isfinite(got))
		return !(fabs(got - ref) <= allowed);
	return isnan(ref) ? !isnan(got) : got != ref;
}

/* In a wrong tile those that are off by more than the tile may be in the mean:
 * at least one is. */
static int64_t mark_tiles(unsigned char *mark, const struct expected *e,
			  const double *got)
{
	int64_t n = 0;

	for (size_t k = 0; k < e->n_tiles; k++) {
		const struct tile *t = &e->tile[k];
		struct judge_answer a = {0};
		double allowed = MIN(t->allowed, e->allowed_largest);
		int64_t at;

		if (tile_error(&a, &at, e, t, got) <= 1)
			allowed = INFINITY;
		if (!(allowed < INFINITY) && !a.wrong)
			continue;
		for (int64_t i = t->begin; i < t->end; i++)
			n += mark[i] = is_marked(e, i, got[i], allowed);
	}
	return n;
}

static int64_t mark_absolute(unsigned char *mark, const struct expected *e,
			     const double *got, const struct tolerance *tol)
{
	int64_t n = 0;

	for (int64_t i = 0; i < e->n; i++) {
		double ref = stored(e->dtype, e->reference[i]);

		n += mark[i] = is_marked(e, i, got[i],
					 tol->atol + tol->rtol * fabs(ref));
	}
	return n;
}

static int64_t mark_integers(unsigned char *mark, const struct expected *e,
			     const unsigned char *got,
			     const struct tolerance *tol)
{
	size_t size = dtype_bytes(e->dtype);
	int64_t n = 0;

	for (int64_t i = 0; i < e->n; i++, got += size) {
		const unsigned char *want = e->exact + (size_t)i * size;
		double right = dtype_load(e->dtype, want, 0);

		n += mark[i] = integer_difference(e->dtype, got, want) >
			       integer_allowed(tol, right);
	}
	return n;
}

int64_t expected_mark(unsigned char *mark, const struct expected *e,
		      const void *got, const struct tolerance *tolerance)
{
	if (e->exact)
		return mark_integers(mark, e, got, tolerance);
	if (tolerance->absolute)
		return mark_absolute(mark, e, got, tolerance);
	return mark_tiles(mark, e, got);
}
