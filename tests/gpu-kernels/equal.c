/* Holds the GPU's kernels, run on the CPU, against what they are to do: equal fill,
 * look or compare; ends with 1 where something differs, and says what. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/dtype.h"
#include "core/task/fill.h"
#include "scorer/runner/fill.h"
#include "scorer/runner_gpu/gpu.h"

void gpu_fill(void *data, const struct gpu_tensor *t, const struct contents *c);
void gpu_poison(void *region, uint64_t words, uint64_t seed);
void gpu_look(const void *region, const struct gpu_tensor *t, uint64_t offset,
	      uint64_t bytes, uint64_t end, uint64_t seed, uint64_t *found);
void gpu_start(void *to, const void *from, const struct gpu_tensor *t,
	       int wide);
void gpu_unlike(const void *a, const void *b, const struct gpu_tensor *t,
		uint64_t tile, uint64_t part, uint64_t *found);
void gpu_same(const void *a, const void *b, const struct gpu_tensor *t,
	      uint64_t *found);

/* Of rows that are long and short, with gaps between them or none, and of
 * groups of 512 that are not full. */
static const struct {
	size_t n;
	int64_t shape[3], stride[3];
} shapes[] = {
	{1, {7}, {1}},
	{1, {3000}, {1}},
	{2, {5, 700}, {700, 1}},
	{2, {40, 128}, {128, 1}},
	{2, {9, 64}, {80, 1}},
	{3, {3, 7, 50}, {400, 56, 1}},
	{2, {60, 20}, {20, 1}},
	{2, {64, 33}, {33, 1}},
	{2, {3, 1536}, {1536, 1}},
	{1, {3001}, {1}},
	{2, {9, 65}, {80, 1}},
};

static struct tensor_layout tensor(size_t shape, enum dtype type)
{
	struct tensor_layout t = {.region = REGION_INPUT,
				  .dtype = type,
				  .n_dims = shapes[shape].n,
				  .elements = 1};
	size_t last = 0;

	for (size_t d = 0; d < t.n_dims; d++) {
		t.shape[d] = shapes[shape].shape[d];
		t.stride[d] = shapes[shape].stride[d];
		t.elements *= t.shape[d];
		last += (size_t)((t.shape[d] - 1) * t.stride[d]);
	}
	t.bytes = (last + 1) * dtype_bytes(type);
	return t;
}

static struct gpu_tensor shown(const struct tensor_layout *t)
{
	struct gpu_tensor g = {.elements = t->elements,
			       .dtype = (int)t->dtype,
			       .size = (int)dtype_bytes(t->dtype),
			       .n_dims = (int)t->n_dims,
			       .floating = dtype_is_float(t->dtype)};

	memcpy(g.shape, t->shape, sizeof g.shape);
	memcpy(g.stride, t->stride, sizeof g.stride);
	return g;
}

static size_t place(const struct tensor_layout *t, int64_t i)
{
	int64_t at = 0;

	for (size_t d = t->n_dims; d-- > 0; i /= t->shape[d])
		at += i % t->shape[d] * t->stride[d];
	return (size_t)at;
}

static int differs(const char *what, const struct tensor_layout *t,
		   size_t shape, int kind)
{
	printf("%s: %s, shape %zu, kind %d\n", what, dtype_name(t->dtype),
	       shape, kind);
	return 1;
}

/* ---- what inputs hold ------------------------------------------------------ */

static int fill_one(size_t shape, enum dtype type, int kind)
{
	struct tensor_layout t = tensor(shape, type);
	struct gpu_tensor g = shown(&t);
	struct recipe r = {.fill = {(uint32_t)kind}, .high = {101}};
	char *right = calloc(t.bytes + 64, 1), *is = calloc(t.bytes + 64, 1);
	struct contents c;
	int wrong;

	for (size_t i = 0; i < KEY_WORDS; i++)
		r.key.word[i] = (uint32_t)(shape * 97 + (size_t)kind * 7 + i);
	contents_init(&c, &r, &t, 0, 0);
	fill_tensor(right, &t, 0, &r, 0);
	gpu_fill(is, &g, &c);
	wrong = memcmp(right, is, t.bytes + 64) != 0;
	free(right);
	free(is);
	return wrong ? differs("fill", &t, shape, kind) : 0;
}

static int fills(void)
{
	int wrong = 0;

	for (size_t s = 0; s < ARRAY_SIZE(shapes); s++)
		for (int type = 0; type < DTYPE_COUNT; type++)
			for (int kind = FILL_NORMAL; kind < FILL_COUNT; kind++)
				if (kind != FILL_GENERATOR)
					wrong += fill_one(s, (enum dtype)type,
							  kind);
	return wrong;
}

/* ---- what is left of poison ------------------------------------------------ */

#define SEED   4711
#define BEHIND 40

/* Every third element is written, two bytes before it change and one after. */
static int look_one(size_t shape, enum dtype type, size_t offset)
{
	struct tensor_layout t = tensor(shape, type);
	struct gpu_tensor g = shown(&t);
	size_t end = (offset + t.bytes + BEHIND) / 8 * 8,
	       size = dtype_bytes(type);
	uint64_t found[3] = {0, 0, UINT64_MAX}, left = 0;
	char *region = calloc(end + 8, 1);
	int wrong;

	gpu_poison(region, end / 8, SEED);
	for (int64_t i = 0; i < t.elements; i += 3)
		for (size_t b = 0; b < size; b++)
			region[offset + place(&t, i) * size + b] ^= 0x55;
	left = (uint64_t)(t.elements - (t.elements + 2) / 3);
	region[1] ^= 1;
	region[offset - 1] ^= 1;
	region[end - 1] ^= 1;
	gpu_look(region, &g, offset, t.bytes, end, SEED, found);
	wrong = found[0] != 3 ||
		(g.floating && (found[1] != left || found[2] != 1)) ||
		(!g.floating && size == 8 && found[1] != left);
	free(region);
	return wrong ? differs("look", &t, shape, (int)offset) : 0;
}

/* All is written; `same` of the last elements are by chance what poison is. */
static uint64_t left_of(const struct tensor_layout *t, size_t offset,
			int64_t same)
{
	struct gpu_tensor g = shown(t);
	size_t end = (offset + t->bytes + BEHIND) / 8 * 8,
	       size = dtype_bytes(t->dtype);
	uint64_t found[3] = {0, 0, UINT64_MAX};
	char *region = calloc(end + 8, 1);

	g.floating = g.floating && size > 1; /* as the judge says it */
	gpu_poison(region, end / 8, SEED);
	for (int64_t i = 0; i < t->elements - same; i++)
		for (size_t b = 0; b < size; b++)
			region[offset + place(t, i) * size + b] ^= 0x55;
	gpu_look(region, &g, offset, t->bytes, end, SEED, found);
	free(region);
	return found[1];
}

/* A number may be that byte, or those two: it is unwritten only where eight bytes of
 * elements are poison. */
static int chance_one(size_t shape, enum dtype type, size_t offset)
{
	struct tensor_layout t = tensor(shape, type);
	size_t size = dtype_bytes(type);
	bool numbers = size == 1 || !dtype_is_float(type);
	uint64_t right = numbers && size < 8 ? 0 : 1;
	int64_t all = numbers ? (int64_t)(8 / size) : 1;

	if (left_of(&t, offset, 1) == right &&
	    (t.elements < all || left_of(&t, offset, all) >= 1))
		return 0;
	return differs("left by chance", &t, shape, (int)offset);
}

static int looks(void)
{
	int wrong = 0;

	for (size_t s = 0; s < ARRAY_SIZE(shapes); s++)
		for (int type = 0; type < DTYPE_COUNT; type++)
			for (size_t at = 8; at <= 16; at += 4)
				if (at % dtype_bytes((enum dtype)type) == 0)
					wrong += look_one(s, (enum dtype)type,
							  at) +
						 chance_one(s, (enum dtype)type,
							    at);
	return wrong;
}

/* ---- two outputs ------------------------------------------------------------ */

/* How far two tensors are from where a word of memory begins, and elements of a
 * tile and of a part: of some words, of hundreds, and of none. */
static const struct {
	size_t askew[2];
	uint64_t tile, part;
} cuts[] = {
	{{0, 0}, 1536, 1536},
	{{8, 8}, 5000, 4000},
	{{0, 8}, 24, 8},
	{{8, 8}, 700, 333},
};

/* Of the element that `found` names, the difference over the largest value beside
 * it: in a part only the two that differ are counted. */
static bool is_right(uint64_t found, float most, int64_t tile)
{
	uint32_t bits;

	memcpy(&bits, &most, sizeof bits);
	return found == ((uint64_t)bits << 32 | 5 << 26 | (uint64_t)tile);
}

/* One element differs, at this byte of a word of memory. */
static bool finds(const char *a, char *b, const struct tensor_layout *t,
		  const struct gpu_tensor *g, size_t cut, int64_t i,
		  double value)
{
	size_t size = dtype_bytes(t->dtype), at = place(t, i);
	double was = dtype_load(t->dtype, a, at), is;
	uint64_t found = 0;

	dtype_store(t->dtype, b, at, value);
	is = dtype_load(t->dtype, b, at);
	gpu_unlike(a, b, g, cuts[cut].tile, cuts[cut].part, &found);
	memcpy(b + at * size, a + at * size, size);
	return is_right(found,
			g->floating ? (float)(fabs(is - was) / fmax(is, was))
				    : HUGE_VALF,
			i / (int64_t)cuts[cut].tile);
}

/* The second is the first but for one element, in turn the first, the last and one
 * between; or but for two, of which one differs more. */
static int compare_one(size_t shape, enum dtype type)
{
	struct tensor_layout t = tensor(shape, type);
	struct gpu_tensor g = shown(&t);
	int64_t more = t.elements / 2, less = t.elements - 1;
	size_t room = (t.bytes / 16 + 3) * 16,
	       c = (shape + type) % ARRAY_SIZE(cuts);
	char *all = aligned_alloc(16, 2 * room), *a = all + cuts[c].askew[0],
	     *b = all + room + cuts[c].askew[1];
	double *wide = calloc(t.bytes, sizeof *wide);
	uint64_t differing = 0, found = 0, tile = cuts[c].tile,
		 part = cuts[c].part;
	int wrong = 0;

	memset(all, 0, 2 * room);
	for (int64_t i = 0; i < t.elements; i++)
		dtype_store(type, a, place(&t, i), (double)(i % 7 + 1));
	gpu_start(b, a, &g, 0);
	wrong |= memcmp(a, b, t.bytes + 8) != 0;
	gpu_start(wide, a, &g, 1);
	for (int64_t i = 0; g.floating && i < t.elements; i++)
		wrong |= wide[place(&t, i)] < (double)(i % 7 + 1) ||
			 wide[place(&t, i)] > (double)(i % 7 + 1);
	gpu_unlike(a, b, &g, tile, part, &found);
	wrong |= found != 0;
	wrong |= !finds(a, b, &t, &g, c, 0, 112);
	wrong |= !finds(a, b, &t, &g, c, t.elements / 3, 112);
	wrong |= !finds(a, b, &t, &g, c, less, 112);
	dtype_store(type, b, place(&t, more), 112);
	dtype_store(type, b, place(&t, less), 9);
	gpu_same(a, b, &g, &differing);
	gpu_unlike(a, b, &g, tile, part, &found);
	wrong |= differing != 2 || (found >> 26 & 63) != 5;
	if (g.floating)
		wrong |= (int64_t)(found & 0x3ffffff) != more / (int64_t)tile;
	free(all);
	free(wide);
	return wrong ? differs("compare", &t, shape, (int)c) : 0;
}

static int compares(void)
{
	int wrong = 0;

	for (size_t s = 0; s < ARRAY_SIZE(shapes); s++)
		for (int type = 0; type < DTYPE_COUNT; type++)
			wrong += compare_one(s, (enum dtype)type);
	return wrong;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "fill") == 0)
		return fills() != 0;
	if (strcmp(what, "look") == 0)
		return looks() != 0;
	return compares() != 0;
}
