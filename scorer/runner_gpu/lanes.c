/* Queues a launch of a plan on its lanes: a chain of nodes on one lane,
 * independent nodes in parallel on several. */
#include "scorer/runner_gpu/replay.h"

/* The lane of each node of a launch. */
struct lanes {
	uint32_t of[PLAN_NODES];
	uint32_t tail[REPLAY_LANES]; /* its last node */
	uint32_t n;
};

/* Continues the lane of a node that it waits for, unless another node does. */
static uint32_t choose_lane(struct lanes *l, const struct plan_node *n,
			    uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (n->after & 1U << k && l->tail[l->of[k]] == k)
			return l->of[k];
	return l->n < REPLAY_LANES ? l->n++ : 0;
}

/* Makes lane `lane` wait for the nodes on other lanes that node i waits for. */
static CUresult wait_for(struct gpu_replay *r, const struct lanes *l,
			 const struct plan_node *n, uint32_t i, uint32_t lane)
{
	CUresult result = CUDA_SUCCESS;

	for (uint32_t k = 0; !result && k < i; k++)
		if (n->after & 1U << k && l->of[k] != lane)
			result = r->gpu->cuda.stream_after(r->lane[lane],
							   r->done[k], 0);
	return result;
}

static const char *launch_side_by_side(struct gpu_replay *r,
				       struct plan_launch *p, CUevent begin)
{
	struct cuda *cuda = &r->gpu->cuda;
	struct lanes l = {.n = 0};
	CUresult result = CUDA_SUCCESS;
	const char *why = NULL;

	for (uint32_t i = 0; !why && !result && i < p->n_nodes; i++) {
		struct plan_node *n = &p->node[i];
		uint32_t before = l.n, lane = choose_lane(&l, n, i);
		bool early = n->early && l.n == before &&
			     n->early & 1U << l.tail[lane];

		if (l.n > before && lane > 0)
			result = cuda->stream_after(r->lane[lane], begin, 0);
		if (!result)
			result = wait_for(r, &l, n, i, lane);
		if (!result)
			why = replay_queue(r, n, r->lane[lane], early);
		l.of[i] = lane;
		l.tail[lane] = i;
		if (!result && !why)
			result = cuda->event_record(r->done[i], r->lane[lane]);
	}
	for (uint32_t k = 1; !why && !result && k < l.n; k++)
		result = cuda->stream_after(r->lane[0], r->done[l.tail[k]], 0);
	return why ? why : gpu_check(r->gpu, result, "launching side by side");
}

static const char *play(struct gpu_replay *r, struct plan_launch *p,
			CUevent begin)
{
	const char *why = NULL;

	if (!plan_is_chain(p))
		return launch_side_by_side(r, p, begin);
	for (uint32_t i = 0; !why && i < p->n_nodes; i++)
		why = replay_queue(r, &p->node[i], r->lane[0],
				   p->node[i].early != 0);
	return why;
}

/* Queue entries of a node that is not in a chain: itself, its event, its waits. */
static uint32_t steps_of(const struct plan_launch *p)
{
	uint32_t steps = p->n_nodes;

	if (plan_is_chain(p))
		return steps;
	for (uint32_t i = 0; i < p->n_nodes; i++)
		steps += 2 + (uint32_t)__builtin_popcount(p->node[i].after);
	return steps + REPLAY_LANES;
}

uint32_t replay_steps(const struct gpu_replay *r)
{
	uint32_t most = 0;

	for (uint32_t k = 0; k < r->images; k++)
		most = MAX(most, steps_of(&r->plan[k]));
	return most;
}

const char *replay_launch(struct gpu_replay *r, uint32_t image, CUevent begin)
{
	return play(r, &r->plan[image], begin);
}

const char *replay_prepare(struct gpu_replay *r, uint32_t image, CUevent begin)
{
	return r->launches > r->images
		       ? play(r, &r->plan[r->images + image], begin)
		       : NULL;
}
