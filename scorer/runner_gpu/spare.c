#include "scorer/runner/roles.h"

#include <sys/prctl.h>
#include <unistd.h>

#include "scorer/runner_gpu/gpu.h"

/* Puts the object where it is expected, in place of a placeholder. */
static const char *put_object(int fd)
{
	if (fd < 0 || dup2(fd, RUNNER_OBJECT_FD) < 0)
		return "there is no object";
	close(fd);
	return NULL;
}

static void become_capturer(union runner_request *r,
			    const struct gpu_device *gpu, int object)
{
	struct functions f = {0};
	const char *why = put_object(object);

	prctl(PR_SET_NAME, "capturer");
	if (!why)
		why = load_functions(&f, &r->start);
	if (why) {
		channel_refuse(r, why);
		return;
	}
	channel_reply(r, MESSAGE_STARTED);
	capture_serve(r, gpu, f.entry, f.prepare);
}

/* Does the GPU still answer? A spare has no memory to release. */
static void rest(const union runner_request *r, struct gpu_device *gpu)
{
	struct gpu_ready_reply ready = {.head = {GPU_ARMED, r->head.sequence}};
	const char *why = gpu_check(gpu, gpu->cuda.synchronize(), "resting");

	if (why)
		channel_refuse(r, why);
	else
		channel_send(&ready, sizeof ready);
}

static bool is_rest(const union runner_request *r)
{
	return r->head.kind == GPU_ARM && !r->gpu_arm.addresses.images;
}

void spare_serve(union runner_request *r)
{
	struct gpu_device gpu = {0};
	const char *why = gpu_open(&gpu, false);
	int fd[CHANNEL_MAX_FDS];

	if (why) {
		channel_refuse(r, why);
		return;
	}
	channel_reply(r, MESSAGE_STARTED);
	while (channel_receive(r, fd)) {
		if (r->head.kind == GPU_LOAD) {
			prctl(PR_SET_NAME, "launcher");
			launch_serve(r, &gpu, fd[0]);
			return;
		}
		if (r->head.kind == MESSAGE_START) {
			become_capturer(r, &gpu, fd[0]);
			return;
		}
		if (is_rest(r))
			rest(r, &gpu);
		else
			channel_refuse(r, "not a request for a spare runner");
		for (size_t i = 0; i < CHANNEL_MAX_FDS; i++)
			cleanup_fd_fn(&fd[i]);
	}
}
