#include "scorer/host/buffers.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

/* Ranges of address space, apart from each other and from where programs
 * usually live. */
#define OUTPUTS_BASE  ((uint64_t)0x1000 << 32)
#define INPUTS_BASE   ((uint64_t)0x3000 << 32)
#define PREPARED_BASE ((uint64_t)0x5000 << 32)
#define ADDRESS_PAGES ((uint64_t)1 << 33)
#define CACHE_LINE    64
#define DEFAULT_CACHE ((size_t)32 << 20)
#define NEAR_BYTES    ((uint64_t)LAYOUT_PAGE)

static uint64_t draw_address(struct layout_random *layout, uint64_t base)
{
	return base + layout_below(layout, ADDRESS_PAGES) * LAYOUT_PAGE;
}

uint64_t buffers_inputs_at(struct layout_random *layout)
{
	return draw_address(layout, INPUTS_BASE);
}

uint64_t buffers_prepared_at(struct layout_random *layout)
{
	return draw_address(layout, PREPARED_BASE);
}

struct error *buffers_open(struct buffers *b, const struct input_set *s,
			   struct secret_random *secret,
			   struct layout_random *layout)
{
	const struct entry_call *c = &s->call;

	memset(b, 0, sizeof *b);
	b->inputs = b->outputs = b->capture = -1;
	b->call = *c;
	b->series = s->series;
	b->shared_bytes = c->batch * entry_call_outputs_bytes(c);
	b->captured_bytes = c->batch * c->layout.region_bytes[REGION_OUTPUT];
	b->poison = secret_u64(secret);
	b->outputs_at = draw_address(layout, OUTPUTS_BASE);
	b->inputs_at = buffers_inputs_at(layout);
	TRY(sized_memfd(&b->outputs, "outputs", b->shared_bytes));
	return sized_memfd(&b->capture, "capture", b->captured_bytes);
}

struct error *buffers_map(struct buffers *b)
{
	void *p = mmap(NULL, b->shared_bytes, PROT_READ,
		       MAP_SHARED | MAP_POPULATE, b->outputs, 0);

	if (p == MAP_FAILED)
		return error_errno("cannot map the outputs of a launch");
	b->shared = p;
	p = mmap(NULL, b->captured_bytes, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_POPULATE, b->capture, 0);
	if (p == MAP_FAILED)
		return error_errno("cannot map the copy of the outputs");
	b->captured = p;
	return NULL;
}

void buffers_capture(struct buffers *b)
{
	size_t from = entry_call_outputs_bytes(&b->call);
	size_t to = b->call.layout.region_bytes[REGION_OUTPUT];

	for (uint32_t k = 0; k < b->call.batch; k++)
		for (size_t i = 0; i < b->call.layout.n; i++) {
			const struct tensor_layout *t =
				&b->call.layout.arg[i].tensor;

			if (!b->call.layout.arg[i].is_tensor ||
			    t->region != REGION_OUTPUT)
				continue;
			memcpy(b->captured + k * to + t->begin,
			       b->shared + k * from + t->begin,
			       t->end - t->begin);
		}
}

struct error *buffers_keep(int *out, const struct buffers *b)
{
	*out = fcntl(b->capture, F_DUPFD_CLOEXEC, 0);
	if (*out < 0)
		return error_errno("cannot keep the copy of the outputs");
	return NULL;
}

void buffers_unmap(struct buffers *b)
{
	set_copy_drop(&b->inputs);
	if (b->shared)
		munmap(b->shared, b->shared_bytes);
	if (b->captured)
		munmap(b->captured, b->captured_bytes);
	b->shared = b->captured = NULL;
}

#if defined(__x86_64__)
static void flush_lines(const unsigned char *p, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += CACHE_LINE)
		_mm_clflush(p + i);
	_mm_mfence();
}
#else
/* Without an instruction to flush: other data takes the place in the caches. */
static void flush_lines(const unsigned char *p, size_t bytes)
{
	long level3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
	size_t n = 4 * (level3 > 0 ? (size_t)level3 : DEFAULT_CACHE);
	cleanup_free volatile unsigned char *filler = xcalloc(n, 1);

	(void)p;
	(void)bytes;
	for (size_t i = 0; i < n; i += CACHE_LINE)
		filler[i]++;
}
#endif

struct error *buffers_chill(const struct buffers *b)
{
	size_t bytes = b->call.batch * entry_call_inputs_bytes(&b->call);

	if (bytes) {
		void *p =
			mmap(NULL, bytes, PROT_READ, MAP_SHARED, b->inputs, 0);

		if (p == MAP_FAILED)
			return error_errno("cannot map the inputs");
		flush_lines(p, bytes);
		munmap(p, bytes);
	}
	flush_lines(b->shared, b->shared_bytes);
	return NULL;
}

/* Offset of an address in its image; false if it is in no image. */
static bool in_images(uint64_t *offset, const struct entry_call *c,
		      unsigned mask, uint64_t base, uint64_t address)
{
	uint64_t stride = entry_call_image_map(c, mask).stride;

	if (address < base || address >= base + c->batch * stride + LAYOUT_PAGE)
		return false;
	*offset = (address - base) % stride;
	if (address - base >= c->batch * stride)
		*offset += stride; /* the page after the last image */
	return true;
}

/* Bytes between an address and a tensor whose slot begins at `slot`; false where
 * it is in the slot or too far from it. */
static bool is_beside(uint64_t *distance, bool *past,
		      const struct tensor_layout *t, uint64_t slot, uint64_t at)
{
	uint64_t end = slot + (t->end - t->begin);
	uint64_t data = slot + (t->offset - t->begin);

	*past = at >= end;
	*distance = *past ? at - (data + t->bytes) : data - at;
	return *past ? at < end + NEAR_BYTES
		     : at < slot && at + NEAR_BYTES >= slot;
}

static char *within(const struct tensor_layout *t, const char *name,
		    uint64_t slot, uint64_t at)
{
	if (at < slot || at >= slot + (t->end - t->begin))
		return NULL;
	if (t->region == REGION_INPUT)
		return xasprintf("in `%s`, an input, which is read-only", name);
	return xasprintf("in `%s`", name);
}

/* A page between two tensors is told by the one whose elements are nearer. */
static char *explain_in(const struct entry_call *c, const struct task *t,
			unsigned mask, uint64_t at)
{
	struct image_map map = entry_call_image_map(c, mask);
	uint64_t least = UINT64_MAX, distance;
	const char *nearest = NULL;
	bool past, past_nearest = false;

	for (size_t i = 0; i < c->layout.n; i++) {
		const struct tensor_layout *l = &c->layout.arg[i].tensor;
		char *words;

		if (!c->layout.arg[i].is_tensor || !(mask & (1U << l->region)))
			continue;
		words = within(l, t->argument[i].name, map.slot[i], at);
		if (words)
			return words;
		if (!is_beside(&distance, &past, l, map.slot[i], at) ||
		    distance >= least)
			continue;
		least = distance;
		nearest = t->argument[i].name;
		past_nearest = past;
	}
	return nearest ? xasprintf("just %s of `%s`",
				   past_nearest ? "past the end"
						: "before the start",
				   nearest)
		       : NULL;
}

char *buffers_explain(const struct buffers *b, const struct task *t,
		      uint64_t address)
{
	uint64_t at;

	if (in_images(&at, &b->call, OUTPUTS_MASK, b->outputs_at, address))
		return explain_in(&b->call, t, OUTPUTS_MASK, at);
	if (in_images(&at, &b->call, INPUTS_MASK, b->inputs_at, address))
		return explain_in(&b->call, t, INPUTS_MASK, at);
	return NULL;
}

void buffers_release(struct buffers *b)
{
	buffers_unmap(b);
	if (b->outputs >= 0)
		close(b->outputs);
	if (b->capture >= 0)
		close(b->capture);
	memset(b, 0, sizeof *b);
	b->inputs = b->outputs = b->capture = -1;
}
