#include "scorer/runner/gpu_room.h"

const char *room_memory_put(struct room_memory *m, struct gpu_device *g,
			    const struct gpu_addresses *p, const int fd[2])
{
	const char *why = gpu_memory_import(&m->inputs, g, fd[0],
					    p->images * p->inputs_bytes,
					    p->inputs_at, false);

	return why ? why : room_memory_turn(m, g, p, fd[1]);
}

const char *room_memory_take(struct room_memory *m, struct gpu_device *g,
			     const struct gpu_addresses *p, const int fd[2])
{
	const char *why = room_memory_put(m, g, p, fd);

	if (!why)
		why = gpu_memory_make(&m->prepared, g,
				      p->images * p->prepared_bytes,
				      p->prepared_at, NULL);
	return why;
}

const char *room_memory_turn(struct room_memory *m, struct gpu_device *g,
			     const struct gpu_addresses *p, int fd)
{
	return gpu_memory_import(&m->outputs, g, fd,
				 p->images * p->outputs_bytes, p->outputs_at,
				 true);
}

void room_memory_let_go(struct room_memory *m, struct gpu_device *g)
{
	gpu_memory_release(&m->inputs, g);
	gpu_memory_release(&m->outputs, g);
}

void room_memory_release(struct room_memory *m, struct gpu_device *g)
{
	room_memory_let_go(m, g);
	gpu_memory_release(&m->prepared, g);
}
