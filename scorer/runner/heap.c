#include "scorer/runner/heap.h"

#include <malloc.h>
#include <sys/auxv.h>

#include "core/base/base.h"

/* Sizes of which the C library keeps freed blocks apart (a step of 16 bytes), and
 * no fewer than it keeps of each. */
#define KEPT_SIZES 64
#define KEPT_STEP  16
#define KEPT_EACH  8
/* So that the second large block is not greater than the first. */
#define BESIDE 64

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Eight times one byte from 0x44 to 0x7e, of either sign: large as a float of any
 * width or no number, and as an integer; true; no address. */
static void fill(void *p, size_t bytes, uint64_t *state)
{
	for (size_t at = 0; at < bytes; at += sizeof *state) {
		uint64_t draw = next(state) >> 32;
		uint64_t byte = (0x44 + draw % 0x3b) | (draw >> 24 & 0x80);
		uint64_t word = byte * 0x0101010101010101u;

		memcpy((unsigned char *)p + at, &word,
		       MIN(bytes - at, sizeof word));
	}
}

static void take(void *taken[KEPT_SIZES * KEPT_EACH])
{
	for (size_t i = 0; i < KEPT_SIZES * KEPT_EACH; i++)
		taken[i] = malloc((i / KEPT_EACH + 1) * KEPT_STEP);
}

/* Blocks that start and loading left free hold whatever they held, and links of
 * the C library's in front. They are taken, for good, so that what is asked for comes from
 * the large one. */
static void take_small(void)
{
	static void *taken[KEPT_SIZES * KEPT_EACH];

	take(taken);
	/* Or a compiler leaves them out. */
	__asm__ volatile("" : : "r"(taken) : "memory");
}

void heap_dirty(void)
{
	/* 16 bytes that the system draws for each process. */
	const void *drawn = (const void *)getauxval(AT_RANDOM); // NOLINT
	uint64_t state = 1;
	/* Else a compiler leaves out what is only freed. */
	void *volatile large = NULL;

	if (drawn)
		memcpy(&state, drawn, sizeof state);
	state |= 1;
	take_small();
	/* The first is mapped; when it is freed the C library takes such blocks
	 * from its heap, as it does after any kernel's first of that size. */
	large = malloc(HEAP_DIRTY_BYTES);
	free(large);
	large = malloc(HEAP_DIRTY_BYTES - BESIDE);
	if (large)
		fill(large, HEAP_DIRTY_BYTES - BESIDE, &state);
	free(large);
}

/* ---- for a moment ---------------------------------------------------------- */

#define POSITIVE 0x45 /* 3157 as a float, and far from it as an integer */
#define NEGATIVE 0xc3

/* Else small blocks would come as they were freed. */
static void *held[KEPT_SIZES * KEPT_EACH];

void heap_garbage(bool negative)
{
	heap_clean();
	take(held);
#ifdef M_PERTURB
	/* What is handed out holds the bits of this inverted. */
	mallopt(M_PERTURB, 0xff ^ (negative ? NEGATIVE : POSITIVE));
#else
	(void)negative;
#endif
}

void heap_clean(void)
{
#ifdef M_PERTURB
	mallopt(M_PERTURB, 0);
#endif
	for (size_t i = 0; i < ARRAY_SIZE(held); i++) {
		free(held[i]);
		held[i] = NULL;
	}
}

#define STACK_BYTES ((size_t)128 << 10)

__attribute__((noinline)) void stack_garbage(bool negative)
{
	unsigned char below[STACK_BYTES];

	memset(below, negative ? NEGATIVE : POSITIVE, sizeof below);
	/* Or a compiler leaves it out. */
	__asm__ volatile("" : : "r"(below) : "memory");
}
