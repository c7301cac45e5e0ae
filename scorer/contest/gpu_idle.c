/* The image of a batch that nobody launches. */
#include "scorer/contest/gpu_contest_internal.h"
#include "scorer/host/gpu_setup.h"

void gpu_idle_draw(struct gpu_contest *f)
{
	uint32_t images = f->buffers.addresses.images;

	f->idle = GPU_NO_IMAGE;
	if (!gpu_contest_isolated(f) && images > 1)
		f->idle =
			(uint32_t)secret_below(&f->contest->sc->secret, images);
}

uint32_t gpu_idle_launches(const struct gpu_contest *f)
{
	return f->buffers.addresses.images - (f->idle != GPU_NO_IMAGE);
}

uint32_t gpu_idle_draw_other(struct gpu_contest *f)
{
	uint32_t i = (uint32_t)secret_below(&f->contest->sc->secret,
					    gpu_idle_launches(f));

	return i + (i >= f->idle);
}
