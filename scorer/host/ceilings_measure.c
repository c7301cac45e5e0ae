/* Starts and asks the runner that measures ceilings. */
#include "core/base/clock.h"
#include "scorer/host/ceilings.h"
#include "scorer/device/lock.h"
#include "scorer/host/runner_process.h"

/* For the driver to start, compile and fill memory, then a try of each loop. */
#define START_SECONDS 60.0

static struct error *ask(union runner_reply *reply, struct runner *r,
			 void *request, size_t bytes, uint32_t kind,
			 double seconds)
{
	int code, number;

	runner_send(r, request, bytes, -1, -1);
	switch (runner_wait(r, reply, kind,
			    clock_seconds() + START_SECONDS + 4 * seconds)) {
	case RUNNER_ANSWERED:
		return NULL;
	case RUNNER_REFUSED:
		return error_new(ERROR_REFUSED,
				 "what the card can do cannot be measured: %s",
				 reply->refused.text);
	case RUNNER_LATE:
		return error_new(ERROR_SYSTEM,
				 "the card gave no answer while its ceilings "
				 "were measured");
	case RUNNER_INTERRUPTED:
		return error_new(ERROR_INTERRUPTED, "stopped");
	case RUNNER_STRANGE:
	case RUNNER_ENDED:
		break;
	}
	runner_end(r, &code, &number);
	return error_new(ERROR_SYSTEM,
			 "measuring what the card can do ended by %s %d. %s",
			 number ? "signal" : "exit status",
			 number ? number : code, r->said.data);
}

static struct error *ask_one(struct ceilings *c, struct runner *r,
			     enum ceiling what)
{
	struct gpu_ceiling_request q = {
		.head = {GPU_CEILING, 0}, .what = what, .seconds = c->seconds};
	union runner_reply reply;

	TRY(ask(&reply, r, &q, sizeof q, GPU_CEILING_IS, c->seconds));
	if (!ceiling_is_rate(reply.ceiling.peak) ||
	    !ceiling_is_rate(reply.ceiling.sustained))
		return error_new(ERROR_SYSTEM,
				 "the card's clock gave %g /s for %s: no card "
				 "does that",
				 reply.ceiling.peak, ceiling_name(what));
	c->of[what].peak = reply.ceiling.peak;
	c->of[what].sustained = reply.ceiling.sustained;
	return NULL;
}

struct error *ceilings_measure(struct ceilings *out,
			       const struct sandbox *sandbox, int program_fd,
			       const struct gpus *gpus, double seconds,
			       const volatile int *stop_now)
{
	/* It loads no object, but the spec must have a descriptor. */
	struct runner_spec spec = {.sandbox = sandbox,
				   .program_fd = program_fd,
				   .role = "ceilings",
				   .gpu = &gpus->gpu[0],
				   .object_fd = program_fd,
				   .stop_now = stop_now};
	struct start_request start = {.head = {MESSAGE_START, 0}};
	struct message_head card = {GPU_CARD, 0};
	struct ceilings c = {.seconds = seconds};
	cleanup_runner struct runner *r = NULL;
	cleanup_fd int lock = -1;
	union runner_reply reply;

	if (!gpus->n)
		return error_new(ERROR_REFUSED, "there is no GPU here: %s",
				 gpus->why);
	snprintf(c.uuid, sizeof c.uuid, "%s", gpus->gpu[0].uuid);
	snprintf(c.name, sizeof c.name, "%s", gpus->gpu[0].name);
	ceilings_driver(c.driver, gpus);
	TRY(gpu_lock_take(&lock, "/tmp", c.uuid, stop_now));
	TRY(runner_start(&r, &spec));
	TRY(ask(&reply, r, &start, sizeof start, MESSAGE_STARTED, 0));
	TRY(ask(&reply, r, &card, sizeof card, GPU_CARD_IS, 0));
	ceilings_sheet(&c, &reply.card);
	for (int i = 0; i < CEILING_COUNT; i++)
		TRY(ask_one(&c, r, (enum ceiling)i));
	c.time_us = clock_wall_us();
	*out = c;
	return NULL;
}
