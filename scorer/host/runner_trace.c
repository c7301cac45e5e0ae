#include "scorer/host/runner_trace.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>

#include "core/base/clock.h"

static int trace_fd = -1;

static void open_trace(void)
{
	const char *path = env_get("AVOGIT_TRACE");

	if (path)
		trace_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
				0666);
}

static bool is_traced(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, open_trace);
	return trace_fd >= 0;
}

static const char *request_name(uint32_t kind)
{
	static const struct {
		uint32_t kind;
		const char *name;
	} known[] = {
		{MESSAGE_START, "start"},
		{MESSAGE_READY, "ready"},
		{MESSAGE_GO, "go"},
		{MESSAGE_FILL, "fill"},
		{MESSAGE_POISON, "poison"},
		{MESSAGE_REFERENCE, "reference"},
		{MESSAGE_WRITE_DOWN, "write-down"},
		{MESSAGE_HOLD, "hold"},
		{MESSAGE_COMPARE, "compare"},
		{MESSAGE_UNLIKE, "unlike"},
		{MESSAGE_PREPARE, "prepare"},
		{GPU_ALLOCATE, "allocate"},
		{GPU_FILL_SET, "fill"},
		{GPU_POISON_SLOT, "poison"},
		{GPU_REFERENCE, "reference"},
		{GPU_COMPARE, "compare"},
		{GPU_SAME_OUTPUTS, "same"},
		{GPU_UNLIKE, "unlike"},
		{GPU_RELEASE, "release"},
		{GPU_TAKE, "take"},
		{GPU_SELF_TEST, "self-test"},
		{GPU_QUIET, "quiet"},
		{GPU_TRY, "try"},
		{GPU_CAPTURE, "capture"},
		{GPU_LOAD, "load"},
		{GPU_ARM, "arm"},
		{GPU_ARM_RESIDENT, "arm"},
		{GPU_LET_GO, "let-go"},
		{GPU_RUN, "run"},
		{GPU_PREPARE, "prepare"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i].kind == kind)
			return known[i].name;
	return "other";
}

void runner_trace_sent(struct runner *r, uint32_t request)
{
	if (!is_traced())
		return;
	r->asked = request;
	r->asked_at = clock_seconds();
}

void runner_trace_answered(const struct runner *r, double waited)
{
	if (!is_traced())
		return;
	dprintf(trace_fd, "%.6f %.6f %.6f %d %s %s\n", r->asked_at, waited,
		clock_seconds(), (int)r->process.inner, r->role,
		request_name(r->asked));
}
