#include "scorer/runner_gpu/mapped_buffers.h"

const char *mapped_buffers_remap(struct mapped_buffers *m, struct gpu_device *g,
				 const struct gpu_addresses *p, const int fd[2])
{
	const char *why = gpu_memory_import(&m->inputs, g, fd[0],
					    p->images * p->inputs_bytes,
					    p->inputs_at, false);

	return why ? why : mapped_buffers_turn(m, g, p, fd[1]);
}

const char *mapped_buffers_take(struct mapped_buffers *m, struct gpu_device *g,
				const struct gpu_addresses *p, const int fd[2])
{
	const char *why = mapped_buffers_remap(m, g, p, fd);

	if (!why)
		why = gpu_memory_make(&m->prepared, g,
				      p->images * p->prepared_bytes,
				      p->prepared_at, NULL);
	return why;
}

const char *mapped_buffers_turn(struct mapped_buffers *m, struct gpu_device *g,
				const struct gpu_addresses *p, int fd)
{
	return gpu_memory_import(&m->outputs, g, fd,
				 p->images * p->outputs_bytes, p->outputs_at,
				 true);
}

void mapped_buffers_unmap(struct mapped_buffers *m, struct gpu_device *g)
{
	gpu_memory_release(&m->inputs, g);
	gpu_memory_release(&m->outputs, g);
}

void mapped_buffers_release(struct mapped_buffers *m, struct gpu_device *g)
{
	mapped_buffers_unmap(m, g);
	gpu_memory_release(&m->prepared, g);
}
