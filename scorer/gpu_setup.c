#include "scorer/gpu_setup.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"

/* Where a case's memory is mapped, everywhere: apart from each other and from
 * where drivers put things. */
#define INPUTS_BASE	((uint64_t)0x6000 << 32)
#define OUTPUTS_BASE	((uint64_t)0x6100 << 32)
#define ADDRESS_STEP	((uint64_t)4 << 30)
#define ADDRESS_CHOICES 128

/* A batch turns over more memory than any cache has, but not all there is. */
#define TURN_BYTES  ((size_t)256 << 20)
#define BATCH_BYTES ((size_t)4 << 30)
#define MIN_IMAGES  4

/* The device code of a build in one file: each behind its length. */
struct error *gpu_cubins(int *out, const struct build *b)
{
	cleanup_fd int fd = memfd_create("cubins", MFD_CLOEXEC);

	if (fd < 0)
		return error_errno("memfd");
	for (size_t i = 0; i < b->n_cubins; i++) {
		cleanup_free char *data = NULL;
		struct stat st;
		uint64_t bytes;

		if (fstat(b->cubin_fd[i], &st) < 0)
			return error_errno("cannot read the device code");
		bytes = (uint64_t)st.st_size;
		data = xcalloc(bytes + 1, 1);
		if (pread(b->cubin_fd[i], data, bytes, 0) != st.st_size)
			return error_errno("cannot read the device code");
		TRY(write_all(fd, &bytes, sizeof bytes));
		TRY(write_all(fd, data, bytes));
	}
	*out = steal_fd(&fd);
	return NULL;
}

struct runner_spec gpu_spec(const struct scoring *sc, const char *role,
			    int object_fd)
{
	return (struct runner_spec){.sandbox = sc->sandbox,
				    .image_fd = sc->image_fd,
				    .role = role,
				    .object_fd = object_fd,
				    .gpu = true,
				    .stop_now = sc->stop_now};
}

/* A driver does not give an address again right after it was freed. */
static uint64_t draw_address(struct random *rng, uint64_t base)
{
	return base + random_below(rng, ADDRESS_CHOICES) * ADDRESS_STEP;
}

void gpu_place_draw(struct gpu_place *p, struct random *rng)
{
	p->inputs_at = draw_address(rng, INPUTS_BASE);
	p->outputs_at = draw_address(rng, OUTPUTS_BASE);
}

struct error *gpu_set(struct input_set *s, struct scoring *sc,
		      const struct task_case *c, enum fill mixed,
		      int64_t images)
{
	TRY(set_init(s, sc->task, c, mixed, images, &sc->rng));
	return layout_make(&s->call.layout, sc->task, c, false);
}

struct error *gpu_count_images(int64_t *out, struct scoring *sc,
			       const struct task_case *c)
{
	cleanup_input_set struct input_set s = INPUT_SET_INIT;
	size_t bytes;

	TRY(gpu_set(&s, sc, c, FILL_NORMAL, 1));
	bytes = MAX(call_inputs_bytes(&s.call) + call_outputs_bytes(&s.call),
		    1);
	*out = (int64_t)MAX(TURN_BYTES / bytes + 1, MIN_IMAGES);
	*out = MIN(*out, GPU_IMAGES);
	*out = MIN(*out, (int64_t)MAX(BATCH_BYTES / bytes, 1));
	return NULL;
}
