#include "scorer/runner/fill.h"
#include "scorer/runner/parts.h"

/* Several versions of the hot loops; the CPU's is chosen at load time. */
#if defined(__x86_64__) && defined(__gnu_linux__)
#define MANY_VERSIONS __attribute__((target_clones("avx2", "default")))
#else
#define MANY_VERSIONS
#endif

/* ---- keys ---------------------------------------------------------------- */

enum purpose {
	PURPOSE_ROWS = 1,
	PURPOSE_SEED,
	PURPOSE_GAPS,
	PURPOSE_OTHER,
	PURPOSE_CHANGE,
	PURPOSE_ARGUMENT = 64, /* and those after it */
};

static uint64_t derived(const struct chacha_key *from, enum purpose purpose,
			uint64_t number)
{
	struct chacha_key k;

	chacha_derive(&k, from, purpose, number);
	return k.word[0] | (uint64_t)k.word[1] << 32;
}

/* All images have the same static inputs. */
static const struct chacha_key *key_of(const struct recipe *r, size_t i,
				       uint32_t *image)
{
	if (!r->is_static[i])
		return r->is_kept[i] ? &r->kept_key : &r->key;
	*image = 0;
	return &r->static_key;
}

uint64_t recipe_seed(const struct recipe *r, size_t i, uint32_t image)
{
	const struct chacha_key *key = key_of(r, i, &image);

	return derived(key, PURPOSE_SEED, image);
}

uint64_t recipe_gaps(const struct recipe *r)
{
	return derived(&r->key, PURPOSE_GAPS, 0);
}

void recipe_other(struct recipe *out, const struct recipe *like,
		  uint64_t number)
{
	*out = *like;
	out->n_changes = 0;
	chacha_derive(&out->key, &like->key, PURPOSE_OTHER, number);
}

/* ---- figures ------------------------------------------------------------- */

/* Limits of a type: products of two outliers are still finite in f16, and
 * numbers that are close together still differ by some steps. */
struct value_range {
	double large, outlier, mean, spread;
};

static struct value_range reach_of(enum dtype t)
{
	switch (t) {
	case DTYPE_F64:
		return (struct value_range){1e4, 1024, 0x1p20, 1};
	case DTYPE_F16:
		return (struct value_range){16, 96, 16, 0.25};
	case DTYPE_BF16:
		return (struct value_range){1e4, 96, 16, 1};
	case DTYPE_F8E4M3:
	case DTYPE_F8E5M2:
		return (struct value_range){16, 96, 4, 1};
	default:
		return (struct value_range){1e4, 96, 256, 1};
	}
}

static uint64_t row_of(const struct tensor_layout *t)
{
	if (t->n_dims < 2)
		return CONTENTS_SHORT;
	return (uint64_t)MAX(t->shape[t->n_dims - 1], 1);
}

static bool is_range(const struct contents *c)
{
	return c->kind == FILL_RANGE || c->kind >= FILL_ALL_HIGH;
}

/* All at one end are a range of one number. */
static void narrow_range(struct contents *c)
{
	if (c->kind == FILL_ALL_HIGH)
		c->low = c->high;
	else if (c->kind == FILL_ALL_LOW)
		c->high = c->low;
	else
		return;
	c->kind = FILL_RANGE;
}

static void contents_of_integers(struct contents *c, enum dtype t)
{
	bool is_signed = t < DTYPE_U8;

	if (is_range(c))
		return;
	c->kind = FILL_RANGE;
	c->low = is_signed ? -4 : 0;
	c->high = is_signed ? 4 : 8;
}

void contents_init(struct contents *out, const struct recipe *r,
		   const struct tensor_layout *t, size_t i, uint32_t image)
{
	const struct chacha_key *key = key_of(r, i, &image);
	struct value_range reach = reach_of(t->dtype);

	*out = (struct contents){.kind = (int)r->fill[i],
				 .row = row_of(t),
				 .low = r->low[i],
				 .high = r->high[i],
				 .large = reach.large,
				 .outlier = reach.outlier,
				 .mean = reach.mean,
				 .spread = reach.spread};
	chacha_derive(&out->key, key, PURPOSE_ARGUMENT + i, image);
	out->rows = (uint32_t)derived(&out->key, PURPOSE_ROWS, 0);
	if (!dtype_is_float(t->dtype))
		contents_of_integers(out, t->dtype);
	narrow_range(out);
	out->wide = t->dtype == DTYPE_F64 || is_range(out);
}

/* ---- words --------------------------------------------------------------- */

/* The words of its elements. */
struct group {
	uint64_t number;
	bool made;
	uint32_t word[CONTENTS_GROUP];
};

/* Blocks that are computed at once. */
#define LANES 8
typedef uint32_t lanes __attribute__((vector_size(LANES * sizeof(uint32_t))));

MANY_VERSIONS
static void make_lanes(uint32_t *out, const struct chacha_key *key,
		       uint64_t block)
{
	uint32_t one[CHACHA_WORDS];
	lanes x[CHACHA_WORDS], start[CHACHA_WORDS];

	chacha_start(one, key, 0, 0);
#pragma GCC unroll 16
	for (int i = 0; i < CHACHA_WORDS; i++)
		start[i] = (lanes){0} + one[i];
	for (unsigned i = 0; i < LANES; i++) {
		start[12][i] = (uint32_t)(block + i);
		start[13][i] = (uint32_t)((block + i) >> 32);
	}
#pragma GCC unroll 16
	for (int i = 0; i < CHACHA_WORDS; i++)
		x[i] = start[i];
	for (int i = 0; i < CHACHA_FAST; i += 2)
		CHACHA_TWO_ROUNDS(x);
#pragma GCC unroll 16
	for (int i = 0; i < CHACHA_WORDS; i++) {
		x[i] += start[i];
		memcpy(out + (ptrdiff_t)i * CONTENTS_LANES, &x[i], sizeof x[i]);
	}
}

static void make_group(struct group *g, const struct contents *c,
		       uint64_t number)
{
	if (g->made && g->number == number)
		return;
	g->made = true;
	g->number = number;
	for (unsigned i = 0; i < CONTENTS_LANES; i += LANES)
		make_lanes(g->word + i, &c->key, number * CONTENTS_LANES + i);
}

/* ---- elements ------------------------------------------------------------ */

/* A part of a group that has one kind. */
struct fill_span {
	const uint32_t *word;
	size_t n;
	struct contents_row row;
};

/* One loop a kind, so that a compiler can do many elements at once. */
#define ALL_OF(KIND, MAKE)                                             \
	case KIND:                                                     \
		row.kind = KIND;                                       \
		for (size_t i = 0; i < p->n; i++)                      \
			out[i] = MAKE(c, row, contents_draw(word[i])); \
		break
#define EVERY_KIND(MAKE)                        \
	switch (row.kind) {                     \
		ALL_OF(FILL_NORMAL, MAKE);      \
		ALL_OF(FILL_UNIFORM, MAKE);     \
		ALL_OF(FILL_LARGE, MAKE);       \
		ALL_OF(FILL_TINY, MAKE);        \
		ALL_OF(FILL_SMALL_INTS, MAKE);  \
		ALL_OF(FILL_SPARSE, MAKE);      \
		ALL_OF(FILL_RANGE, MAKE);       \
		ALL_OF(FILL_OUTLIERS, MAKE);    \
		ALL_OF(FILL_SHIFTED, MAKE);     \
		ALL_OF(FILL_ENDS, MAKE);        \
		ALL_OF(FILL_MOSTLY_LOW, MAKE);  \
		ALL_OF(FILL_MOSTLY_HIGH, MAKE); \
	default:                                \
		break;                          \
	}

MANY_VERSIONS
static void make_floats(float *out, const struct contents *c,
			const struct fill_span *p)
{
	const uint32_t *word = p->word;
	struct contents_row row = p->row;

	EVERY_KIND(contents_float)
}

MANY_VERSIONS
static void make_doubles(double *out, const struct contents *c,
			 const struct fill_span *p)
{
	const uint32_t *word = p->word;
	struct contents_row row = p->row;

	EVERY_KIND(contents_double)
}

/* ---- integers ------------------------------------------------------------ */

/* The largest integer up to which doubles have all. */
#define EXACT_MOST 0x1p53

/* A range of integers that the type has, of less than 2^32: contents_integer and
 * dtype_store in whole numbers, which is many times faster and the same. */
static bool is_whole_range(const struct contents *c, enum dtype t)
{
	int bits = (int)dtype_bytes(t) * 8;
	bool is_signed = t < DTYPE_U8;
	double top = (double)(UINT64_C(1) << (bits - 1)) * (is_signed ? 1 : 2);
	double bottom = is_signed ? -top : 0;

	return !dtype_is_float(t) && c->kind == FILL_RANGE &&
	       c->low >= bottom && c->high < top && c->low >= -EXACT_MOST &&
	       c->high <= EXACT_MOST && c->low <= c->high &&
	       c->low == (double)(int64_t)c->low &&
	       c->high == (double)(int64_t)c->high &&
	       c->high - c->low < (double)UINT32_MAX;
}

/* Of any sign: its low bits are all that is kept. */
#define STORE_WHOLE(TYPE)                 \
	for (size_t i = 0; i < p->n; i++) \
	((TYPE *)data)[i] =               \
		(TYPE)(low + (uint32_t)((uint64_t)word[i] * span >> 32))

MANY_VERSIONS
static void make_integers(void *data, size_t bytes, const struct contents *c,
			  const struct fill_span *p)
{
	const uint32_t *word = p->word;
	uint64_t low = (uint64_t)(int64_t)c->low;
	uint32_t span = (uint32_t)(c->high - c->low) + 1;

	switch (bytes) {
	case 1:
		STORE_WHOLE(uint8_t);
		break;
	case 2:
		STORE_WHOLE(uint16_t);
		break;
	case 4:
		STORE_WHOLE(uint32_t);
		break;
	default:
		STORE_WHOLE(uint64_t);
	}
}

/* ---- tensors ------------------------------------------------------------- */

/* Stores elements of a group from `first` on into a tensor, a step apart. */
static void store_part(void *data, int64_t at, int64_t step, enum dtype t,
		       const struct contents *c, const struct fill_span *p)
{
	float narrow[CONTENTS_GROUP];
	double wide[CONTENTS_GROUP];
	size_t bytes = dtype_bytes(t);

	if (step == 1 && is_whole_range(c, t)) {
		make_integers((unsigned char *)data + (size_t)at * bytes, bytes,
			      c, p);
		return;
	}
	if (t == DTYPE_F64 && step == 1) {
		make_doubles((double *)data + at, c, p);
		return;
	}
	if (c->wide) {
		make_doubles(wide, c, p);
	} else if (t == DTYPE_F32 && step == 1) {
		make_floats((float *)data + at, c, p);
		return;
	} else {
		make_floats(narrow, c, p);
	}
	for (size_t i = 0; i < p->n; i++)
		/* All kinds set them, which the analyser cannot see. */
		// NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage)
		dtype_store(t, data, (size_t)(at + (int64_t)i * step),
			    c->wide ? wide[i] : (double)narrow[i]);
}

/* How many elements from this one on have the same group and kind. */
static size_t same_part(const struct contents *c, uint64_t element,
			int64_t left)
{
	uint64_t n = CONTENTS_GROUP - element % CONTENTS_GROUP;

	if (contents_has_rows(c))
		n = MIN(n, c->row - element % c->row);
	return (size_t)MIN(n, (uint64_t)left);
}

static void fill_run(void *data, const struct element_run *run, enum dtype t,
		     const struct contents *c, struct group *g)
{
	for (int64_t done = 0; done < run->n;) {
		uint64_t element = (uint64_t)(run->first + done);
		size_t in_group = element % CONTENTS_GROUP;
		struct fill_span p = {.word = g->word + in_group,
				      .n = same_part(c, element, run->n - done),
				      .row = contents_row(c, element / c->row)};

		make_group(g, c, element / CONTENTS_GROUP);
		store_part(data, run->at + done * run->step, run->step, t, c,
			   &p);
		done += (int64_t)p.n;
	}
}

struct filling {
	void *data;
	const struct tensor_layout *tensor;
	const struct contents *contents;
	int64_t rows; /* of a part */
};

static void fill_part(void *arg, size_t part)
{
	const struct filling *f = arg;
	struct group group = {.made = false};
	int64_t begin = (int64_t)part * f->rows;
	struct element_runs w;
	struct element_run run;

	element_runs_start(&w, f->tensor, begin,
			   MIN(begin + f->rows, tensor_rows(f->tensor)));
	while (element_runs_next(&w, &run))
		fill_run(f->data, &run, f->tensor->dtype, f->contents, &group);
}

void fill_tensor(void *data, const struct tensor_layout *t, size_t i,
		 const struct recipe *r, uint32_t image)
{
	struct contents c;
	struct filling f = {data, t, &c, tensor_part_rows(t)};
	int64_t rows = tensor_rows(t);

	contents_init(&c, r, t, i, image);
	parts_run((size_t)((rows + f.rows - 1) / f.rows), fill_part, &f);
}

/* ---- single elements ------------------------------------------------------- */

/* Of sparse numbers nine draws of ten are the zero that was there. */
#define CHANGE_TRIES 256

int64_t fill_place(const struct tensor_layout *t, int64_t element)
{
	int64_t at = 0;

	for (size_t d = t->n_dims; d > 0; d--) {
		int64_t n = MAX(t->shape[d - 1], 1);

		at += element % n * t->stride[d - 1];
		element /= n;
	}
	return at;
}

void fill_changed(void *here, const struct tensor_layout *t,
		  const struct recipe *r, uint32_t image,
		  const struct changed_element *change)
{
	size_t bytes = dtype_bytes(t->dtype);
	unsigned char was[sizeof(double)];
	uint64_t element = (uint64_t)change->element;
	struct contents c;
	struct chacha_key key;

	contents_init(&c, r, t, change->argument, image);
	key = c.key;
	memcpy(was, here, bytes);
	for (uint64_t i = 0; i < CHANGE_TRIES && memcmp(was, here, bytes) == 0;
	     i++) {
		struct group group = {.made = false};
		struct fill_span p = {.word = group.word +
					      element % CONTENTS_GROUP,
				      .n = 1,
				      .row = contents_row(&c, element / c.row)};

		chacha_derive(&c.key, &key, PURPOSE_CHANGE,
			      change->number + (i << 32));
		make_group(&group, &c, element / CONTENTS_GROUP);
		store_part(here, 0, 1, t->dtype, &c, &p);
	}
}

void fill_change(void *data, const struct tensor_layout *t,
		 const struct recipe *r, uint32_t image,
		 const struct changed_element *change)
{
	size_t at = (size_t)fill_place(t, change->element);

	fill_changed((unsigned char *)data + at * dtype_bytes(t->dtype), t, r,
		     image, change);
}
