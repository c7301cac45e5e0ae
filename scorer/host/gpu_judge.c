/* Requests to the judge on the GPU. */
#include "scorer/host/gpu_setup.h"

void gpu_buffers_init(struct gpu_buffers *r)
{
	*r = (struct gpu_buffers){0};
	for (size_t i = 0; i < GPU_SLOTS; i++)
		r->inputs[i] = r->outputs[i] = -1;
}

void gpu_buffers_release(struct gpu_buffers *r)
{
	for (size_t i = 0; i < GPU_SLOTS; i++) {
		cleanup_fd_fn(&r->inputs[i]);
		cleanup_fd_fn(&r->outputs[i]);
	}
}

struct error *gpu_judge_self_test(struct judge *j)
{
	struct gpu_pass_request q = {.head = {GPU_SELF_TEST, 0}};
	struct judge_answer a;

	if (j->tested)
		return NULL;
	TRY(judge_ask(j, &a, &q, sizeof q, -1, -1));
	if (a.wrong)
		return error_new(ERROR_SYSTEM,
				 "the GPU does not answer rightly any more: "
				 "kernels of the scorer's own, whose answer is "
				 "known, gave another; look at `nvidia-smi`");
	j->tested = true;
	return NULL;
}

struct error *gpu_judge_allocate(struct gpu_buffers *buffers, struct judge *j,
				 const struct entry_call *c, uint32_t slots,
				 bool apart)
{
	struct gpu_allocate_request q = {.head = {GPU_ALLOCATE, 0},
					 .call = *c,
					 .slots = slots,
					 .apart = apart,
					 .prepares = j->task->prepare != NULL};
	union runner_reply reply;

	gpu_buffers_release(buffers);
	TRY(judge_request(&reply, j, &q, sizeof q, -1, -1, GPU_ALLOCATED));
	gpu_addresses_size(&buffers->addresses, c);
	buffers->apart = apart;
	buffers->slots = slots;
	if (apart)
		return NULL;
	buffers->inputs[0] = steal_fd(&j->runner->given[0]);
	for (uint32_t i = 0; i < slots; i++)
		buffers->outputs[i] = steal_fd(&j->runner->given[1 + i]);
	return NULL;
}

struct error *gpu_judge_fill(struct judge *j, const struct recipe *recipe)
{
	struct gpu_fill_request q = {.head = {GPU_FILL_SET, 0},
				     .recipe = *recipe};
	struct judge_answer a;

	return judge_ask(j, &a, &q, sizeof q, -1, -1);
}

struct error *gpu_judge_poison(struct judge *j, uint32_t slot, uint64_t poison)
{
	struct gpu_poison_request q = {
		.head = {GPU_POISON_SLOT, 0}, .slot = slot, .poison = poison};
	struct judge_answer a;

	return judge_ask(j, &a, &q, sizeof q, -1, -1);
}

struct error *gpu_judge_reference(struct judge *j, const struct input_set *s,
				  const struct selection *what)
{
	struct gpu_reference_request q = {.head = {GPU_REFERENCE, 0},
					  .recipe = s->recipe,
					  .index = what->index,
					  .rows = j->task->reference_rows,
					  .n_segments = what->n_segments,
					  .history = s->history,
					  .tolerance = j->task->tolerance};
	struct judge_answer a;

	memcpy(q.segment, what->segment, sizeof q.segment);
	TRY(judge_share_memory(j, s));
	TRY(judge_ask(j, &a, &q, sizeof q, -1, -1));
	return judge_reference_fault(j, &a, s);
}

struct error *gpu_judge_compare(struct judge_answer *out, struct judge *j,
				uint32_t slot, uint32_t index, uint32_t idle,
				uint64_t poison)
{
	struct gpu_compare_request q = {.head = {GPU_COMPARE, 0},
					.slot = slot,
					.index = index,
					.idle = idle,
					.poison = poison};

	return judge_ask(j, out, &q, sizeof q, -1, -1);
}

struct error *gpu_judge_same(int64_t *differ, struct judge *j, uint32_t one,
			     uint32_t other)
{
	struct gpu_same_request q = {.head = {GPU_SAME_OUTPUTS, 0},
				     .slot = {one, other}};
	struct judge_answer a;

	TRY(judge_ask(j, &a, &q, sizeof q, -1, -1));
	*differ = a.wrong;
	return NULL;
}

struct error *gpu_judge_unlike(struct likeness_reply *out, struct judge *j,
			       uint32_t one, uint32_t other, uint32_t idle,
			       int64_t tile_rows)
{
	struct gpu_unlike_request q = {.head = {GPU_UNLIKE, 0},
				       .slot = {one, other},
				       .idle = idle,
				       .tile_rows = tile_rows};
	union runner_reply reply;

	TRY(judge_request(&reply, j, &q, sizeof q, -1, -1, MESSAGE_LIKENESS));
	*out = reply.likeness;
	return NULL;
}

struct error *gpu_judge_quiet(double *seconds, struct judge *j)
{
	struct gpu_pass_request q = {.head = {GPU_QUIET, 0}};
	struct judge_answer a;

	TRY(judge_ask(j, &a, &q, sizeof q, -1, -1));
	*seconds = 1e-9 * (double)a.wrong;
	return NULL;
}

/* For a context, its modules, and the data that a batch fills caches with. */
#define CONTEXT_BYTES ((int64_t)512 << 20)

struct error *gpu_judge_free_bytes(uint64_t *out, struct judge *j)
{
	struct gpu_pass_request q = {.head = {GPU_FREE, 0}};
	struct judge_answer a;

	TRY(judge_ask(j, &a, &q, sizeof q, -1, -1));
	*out = (uint64_t)MAX(a.wrong, 0);
	return NULL;
}

struct error *gpu_judge_check_memory(const struct score_outcome *o,
				     struct judge *j,
				     const struct gpu_addresses *p)
{
	int64_t needed = CONTEXT_BYTES + (int64_t)gpu_addresses_bytes(p);
	uint64_t free_bytes;

	if (o->verdict != VERDICT_CRASHED || !strstr(o->why, "OUT_OF_MEMORY"))
		return NULL;
	TRY(gpu_judge_free_bytes(&free_bytes, j));
	if (free_bytes >= (uint64_t)needed)
		return NULL;
	return error_new(
		ERROR_SYSTEM,
		"the memory of the GPU does not suffice: "
		"%lld bytes are free, and a process that runs a "
		"candidate needs %lld; does another program use it, or "
		"is the case too large?",
		(long long)free_bytes, (long long)needed);
}

struct error *gpu_judge_release(struct gpu_buffers *buffers, struct judge *j,
				uint32_t slot, uint64_t poison)
{
	struct gpu_pass_request q = {
		.head = {GPU_RELEASE, 0}, .slot = slot, .poison = poison};
	union runner_reply reply;

	cleanup_fd_fn(&buffers->inputs[slot]);
	cleanup_fd_fn(&buffers->outputs[slot]);
	TRY(judge_request(&reply, j, &q, sizeof q, -1, -1, GPU_ALLOCATED));
	buffers->inputs[slot] = steal_fd(&j->runner->given[0]);
	buffers->outputs[slot] = steal_fd(&j->runner->given[1]);
	return NULL;
}

struct error *gpu_judge_keep(struct judge *j, uint32_t slot)
{
	struct gpu_pass_request q = {.head = {GPU_TAKE, 0}, .slot = slot};
	struct judge_answer a;

	return judge_ask(j, &a, &q, sizeof q, -1, -1);
}
