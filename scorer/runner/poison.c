#include "scorer/runner/judge.h"

/* In f64, f32, f16 and bf16: all exponent bits set, mantissa neither zero nor
 * that of the quiet NaN. */
#define POISON_BITS 0x7ff07ff07ff07ff0u
#define POISON_FREE 0x800e800e800e800eu

/* splitmix64's finaliser. A candidate may compute the seed from a page, but no
 * other page has that seed. */
static uint64_t mix(uint64_t seed, uint64_t k)
{
	uint64_t x = seed + (k + 1) * 0x9e3779b97f4a7c15u;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

bool poison_is_no_number(enum dtype type)
{
	return dtype_is_float(type) && dtype_bytes(type) > 1;
}

void poison_init(struct poison *p, uint64_t seed)
{
	for (size_t i = 0; i < ARRAY_SIZE(p->page); i++)
		p->page[i] = POISON_BITS ^ (mix(seed, i) & POISON_FREE);
}

void poison_init_image(struct poison *p, uint64_t seed, uint32_t image)
{
	struct chacha_key key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
	uint32_t word[CHACHA_WORDS];

	chacha_block(word, &key, CHACHA_ROUNDS, image, 0);
	poison_init(p, (uint64_t)word[0] << 32 | word[1]);
}

void poison_spread(const struct poison *p, void *memory, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += LAYOUT_PAGE)
		memcpy((unsigned char *)memory + at, p->page,
		       MIN(bytes - at, (size_t)LAYOUT_PAGE));
}

static void poison_range(const struct poison *p, unsigned char *region,
			 size_t begin, size_t end)
{
	const unsigned char *page = (const unsigned char *)p->page;

	while (begin < end) {
		size_t in_page = begin % LAYOUT_PAGE;
		size_t n = MIN(end - begin, LAYOUT_PAGE - in_page);

		memcpy(region + begin, page + in_page, n);
		begin += n;
	}
}

static bool is_dense(const struct tensor_layout *t)
{
	return t->n_dims == 0 ||
	       (size_t)t->elements * dtype_bytes(t->dtype) == t->bytes;
}

void poison_round(const struct poison *p, unsigned char *region,
		  const struct tensor_layout *t)
{
	size_t end = is_dense(t) ? t->offset : t->offset + t->bytes;

	poison_range(p, region, t->begin, end);
	poison_range(p, region, t->offset + t->bytes, t->end);
}

/* Are bytes [begin, end) of `memory` still poison? */
static bool poison_intact(const struct poison *p, const unsigned char *memory,
			  size_t begin, size_t end)
{
	const unsigned char *page = (const unsigned char *)p->page;

	while (begin < end) {
		size_t in_page = begin % LAYOUT_PAGE;
		size_t n = MIN(end - begin, LAYOUT_PAGE - in_page);

		if (memcmp(memory + begin, page + in_page, n) != 0)
			return false;
		begin += n;
	}
	return true;
}

/* For elements with gaps between them: marks the bytes of elements, checks the
 * rest. */
static bool gaps_intact(const struct poison *p, const unsigned char *region,
			const struct tensor_layout *t)
{
	size_t size = dtype_bytes(t->dtype);
	cleanup_free unsigned char *owned = xcalloc(t->bytes, 1);
	bool intact = true;
	struct element_runs w;
	struct element_run r;

	element_runs_start(&w, t, 0, tensor_rows(t));
	while (element_runs_next(&w, &r))
		for (int64_t i = 0; i < r.n; i++)
			memset(owned + (size_t)(r.at + i * r.step) * size, 1,
			       size);
	for (size_t i = 0; intact && i < t->bytes; i++)
		intact = owned[i] || poison_intact(p, region, t->offset + i,
						   t->offset + i + 1);
	return intact;
}

bool poison_guards_intact(const struct poison *p, const unsigned char *region,
			  const struct tensor_layout *t)
{
	if (!poison_intact(p, region, t->begin, t->offset) ||
	    !poison_intact(p, region, t->offset + t->bytes, t->end))
		return false;
	if (is_dense(t))
		return true;
	return gaps_intact(p, region, t);
}

bool poison_untouched(const struct poison *p, const unsigned char *region,
		      const struct tensor_layout *t)
{
	return poison_intact(p, region, t->begin, t->end);
}

static bool element_left(const struct poison *p, const unsigned char *region,
			 size_t at, size_t size)
{
	const unsigned char *page = (const unsigned char *)p->page;

	return memcmp(region + at, page + at % LAYOUT_PAGE, size) == 0;
}

/* For contiguous floats of four bytes, the usual case, a page at a time. */
static int64_t words_left(const struct poison *p, const unsigned char *region,
			  size_t at, int64_t n)
{
	const uint32_t *page = (const uint32_t *)(const void *)p->page;
	int64_t left = 0;

	while (n > 0) {
		size_t in_page = at % LAYOUT_PAGE / 4;
		int64_t part = MIN(n, (int64_t)(LAYOUT_PAGE / 4 - in_page));
		const uint32_t *got =
			(const uint32_t *)(const void *)(region + at);
		uint32_t same = 0;

		for (int64_t i = 0; i < part; i++)
			same += got[i] == page[in_page + (size_t)i];
		left += same;
		at += (size_t)part * 4;
		n -= part;
	}
	return left;
}

/* Sets mark[i] for element i where mark is not NULL. */
static int64_t run_left(const struct poison *p, const unsigned char *region,
			const struct tensor_layout *t,
			const struct element_run *r, int64_t *first,
			unsigned char *mark)
{
	size_t size = dtype_bytes(t->dtype);
	size_t step = (size_t)r->step * size;
	size_t at = t->offset + (size_t)r->at * size;
	bool floating = poison_is_no_number(t->dtype);
	int64_t group = floating ? 1 : (int64_t)(8 / size), left = 0;

	if (floating && size == 4 && r->step == 1 && at % 4 == 0 &&
	    !words_left(p, region, at, r->n))
		return 0;
	for (int64_t i = 0; i + group <= r->n; i += group) {
		int64_t same = 0;

		for (int64_t k = i; k < i + group; k++)
			same += element_left(p, region, at + (size_t)k * step,
					     size);
		if (same < group)
			continue;
		if (!left)
			*first = r->first + i;
		left += group;
		if (mark)
			memset(mark + r->first + i, 1, (size_t)group);
	}
	return left;
}

int64_t poison_left(const struct poison *p, const unsigned char *region,
		    const struct tensor_layout *t, int64_t *first,
		    unsigned char *mark)
{
	int64_t left = 0, at = 0;
	struct element_runs w;
	struct element_run r;

	element_runs_start(&w, t, 0, tensor_rows(t));
	while (element_runs_next(&w, &r)) {
		int64_t here = run_left(p, region, t, &r, &at, mark);

		if (here && !left)
			*first = at;
		left += here;
	}
	return left;
}
