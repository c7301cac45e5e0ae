#include "scorer/runner_gpu/judge_memory.h"

#include <unistd.h>

/* ---- buffers of one case ----------------------------------------------- */

static void close_given(struct judge_buffers *r)
{
	for (uint32_t i = 0; i < r->n_given; i++)
		cleanup_fd_fn(&r->given[i]);
	r->n_given = 0;
}

/* A struct of all zeros has no descriptors. */
static void close_shown(struct judge_buffers *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(r->shown); i++) {
		if (r->shown[i] > 0)
			close(r->shown[i]);
		r->shown[i] = -1;
	}
}

/* Allocates memory that other processes map, unless the buffers are apart. */
static const char *make(struct judge_buffers *r, struct gpu_memory *m,
			struct gpu_device *g, size_t bytes)
{
	int *fd = r->apart ? NULL : &r->given[r->n_given++];

	if (fd)
		*fd = -1;
	return gpu_memory_make(m, g, bytes, 0, fd);
}

const char *judge_buffers_make(struct judge_buffers *r, struct gpu_device *g,
			       size_t inputs, size_t outputs, uint32_t slots,
			       bool apart)
{
	const char *why;

	judge_buffers_release(r, g);
	r->slots = slots;
	r->apart = apart;
	why = make(r, &r->inputs, g, inputs);
	for (uint32_t s = 0; !why && s < slots; s++)
		why = make(r, &r->outputs[s], g, outputs);
	return why;
}

const char *judge_buffers_show(struct judge_buffers *r, struct gpu_device *g,
			       uint32_t slot)
{
	const char *why;

	close_shown(r);
	gpu_memory_release(&r->shown_outputs[slot], g);
	why = gpu_memory_make(&r->shown_inputs[slot], g, r->inputs.bytes, 0,
			      &r->shown[0]);
	if (!why)
		why = gpu_memory_make(&r->shown_outputs[slot], g,
				      r->outputs[slot].bytes, 0, &r->shown[1]);
	return why;
}

void judge_buffers_release(struct judge_buffers *r, struct gpu_device *g)
{
	gpu_memory_release(&r->inputs, g);
	for (uint32_t s = 0; s < r->slots; s++) {
		gpu_memory_release(&r->shown_inputs[s], g);
		gpu_memory_release(&r->outputs[s], g);
		gpu_memory_release(&r->shown_outputs[s], g);
	}
	close_given(r);
	close_shown(r);
	*r = (struct judge_buffers){0};
}

static size_t bytes_of(const struct judge_buffers *r)
{
	return r->inputs.bytes + r->slots * r->outputs[0].bytes;
}

/* ---- the pool ---------------------------------------------------------- */

static void take_out(struct buffer_pool *s, size_t i)
{
	s->n--;
	memmove(&s->buffers[i], &s->buffers[i + 1],
		(s->n - i) * sizeof *s->buffers);
}

static void drop_oldest(struct buffer_pool *s, struct gpu_device *g)
{
	judge_buffers_release(&s->buffers[0], g);
	take_out(s, 0);
}

void buffer_pool_put(struct buffer_pool *s, struct judge_buffers *r,
		     struct gpu_device *g)
{
	if (r->apart || !r->slots) {
		judge_buffers_release(r, g);
		return;
	}
	if (s->n == BUFFER_POOL_MAX)
		drop_oldest(s, g);
	s->buffers[s->n++] = *r;
	*r = (struct judge_buffers){0};
}

bool buffer_pool_take(struct judge_buffers *r, struct buffer_pool *s,
		      const struct gpu_device *g, size_t inputs, size_t outputs,
		      uint32_t slots)
{
	for (size_t i = s->n; i-- > 0;) {
		const struct judge_buffers *kept = &s->buffers[i];

		if (kept->slots != slots ||
		    kept->inputs.bytes != gpu_memory_whole(g, inputs) ||
		    kept->outputs[0].bytes != gpu_memory_whole(g, outputs))
			continue;
		*r = *kept;
		take_out(s, i);
		return true;
	}
	return false;
}

static size_t kept_bytes(const struct buffer_pool *s)
{
	size_t bytes = 0;

	for (size_t i = 0; i < s->n; i++)
		bytes += bytes_of(&s->buffers[i]);
	return bytes;
}

void buffer_pool_trim(struct buffer_pool *s, struct gpu_device *g)
{
	size_t free_bytes = 0, all = 0;

	while (s->n && (g->cuda.memory_info(&free_bytes, &all) ||
			free_bytes < all / 2 || kept_bytes(s) > all / 8))
		drop_oldest(s, g);
}

void buffer_pool_clear(struct buffer_pool *s, struct gpu_device *g)
{
	while (s->n)
		drop_oldest(s, g);
}
