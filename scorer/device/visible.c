#include "scorer/device/visible.h"

#include <glob.h>

#define NODES "/dev/nvidia"

static void pass_on(struct strvec *env, const char *name)
{
	const char *value = getenv(name);

	if (value)
		strvec_pushf(env, "%s=%s", name, value);
}

void gpu_environment(struct strvec *env)
{
	pass_on(env, GPU_VISIBLE);
	pass_on(env, "CUDA_DEVICE_ORDER");
}

/* A part of a card has another name than the card. */
static bool is_part(void)
{
	const char *visible = getenv(GPU_VISIBLE);

	return visible && strncmp(visible, "MIG", 3) == 0;
}

static void all_nodes(struct strvec *nodes)
{
	glob_t found = {0};

	if (glob(NODES "[0-9]*", 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++)
			strvec_push(nodes, found.gl_pathv[i]);
	globfree(&found);
}

void gpu_alone(struct strvec *env, struct strvec *nodes, const struct gpu *g)
{
	bool named = *g->uuid && !is_part();

	if (named)
		strvec_pushf(env, GPU_VISIBLE "=%s", g->uuid);
	else
		gpu_environment(env);
	if (named && g->node >= 0)
		strvec_pushf(nodes, NODES "%d", g->node);
	else
		all_nodes(nodes);
}
