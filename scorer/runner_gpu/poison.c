#include "scorer/runner_gpu/judge_memory.h"

#include <math.h>

#include "scorer/runner/judge.h"

const char *gpu_poison_count_begin(struct judge_memory *j)
{
	static const uint64_t nothing[3] = {0, 0, UINT64_MAX};
	const char *why = NULL;

	if (!j->found.bytes)
		why = gpu_memory_make(&j->found, &j->gpu, sizeof nothing, 0,
				      NULL);
	if (why)
		return why;
	return gpu_check(&j->gpu,
			 j->gpu.cuda.to_device(j->found.at, nothing,
					       sizeof nothing),
			 "looking at a tensor");
}

const char *gpu_poison_count_end(uint64_t found[3], struct judge_memory *j)
{
	return gpu_check(&j->gpu,
			 j->gpu.cuda.to_host(found, j->found.at,
					     3 * sizeof *found),
			 "looking at a tensor");
}

/* Does it get poison before a launch, which the launch must overwrite? */
static bool is_poisoned(const struct tensor_layout *t)
{
	return t->region == REGION_OUTPUT && t->direction == DIRECTION_OUT;
}

/* Counts errors in the guards and the poison of one tensor. */
static const char *queue_check(struct judge_memory *j, CUdeviceptr at,
			       const struct tensor_layout *t, uint64_t seed)
{
	uint64_t begin = t->begin, offset = t->offset, bytes = t->bytes,
		 end = t->end;
	struct gpu_tensor g = gpu_tensor_of(t);
	int elements = is_poisoned(t);
	void *p[] = {&at,  &g,	  &begin,    &offset,	  &bytes,
		     &end, &seed, &elements, &j->found.at};

	g.floating = poison_is_no_number(t->dtype);
	return gpu_queue(&j->gpu, GPU_LOOK,
			 MAX(end - begin, (uint64_t)t->elements), p, NULL);
}

const char *gpu_poison_check_tensor(struct judge_answer *a,
				    struct judge_memory *j, CUdeviceptr at,
				    const struct tensor_layout *t,
				    uint64_t seed)
{
	uint64_t found[3] = {0};
	const char *why = gpu_poison_count_begin(j);

	if (!why)
		why = queue_check(j, at, t, seed);
	if (!why)
		why = gpu_poison_count_end(found, j);
	if (why || (!found[0] && !found[1]))
		return why;
	a->finding = found[0] ? FINDING_GUARD : FINDING_UNWRITTEN;
	a->wrong = (int64_t)found[1];
	a->element = found[0] ? 0 : (int64_t)found[2];
	a->worst = HUGE_VAL;
	return NULL;
}

static bool is_written(const struct entry_call *c, size_t i)
{
	return c->layout.arg[i].is_tensor &&
	       (c->layout.arg[i].tensor.region == REGION_OUTPUT ||
		c->layout.arg[i].tensor.region == REGION_WORKSPACE);
}

/* The start of the region of a tensor that is written. */
static CUdeviceptr region_at(const struct entry_call *c, CUdeviceptr image,
			     size_t i)
{
	return c->layout.arg[i].tensor.region == REGION_WORKSPACE
		       ? image + c->layout.region_bytes[REGION_OUTPUT]
		       : image;
}

static const char *check_image(struct judge_answer *a, struct judge_memory *j,
			       CUdeviceptr image, uint64_t seed)
{
	const struct entry_call *c = &j->call;
	const char *why = NULL;

	for (size_t i = 0; !why && !a->finding && i < c->layout.n; i++) {
		if (!is_written(c, i))
			continue;
		a->argument = (uint32_t)i;
		why = gpu_poison_check_tensor(a, j, region_at(c, image, i),
					      &c->layout.arg[i].tensor, seed);
	}
	return why;
}

/* Counts errors in all images together, with one wait for the card. */
static const char *count_all(uint64_t found[3], struct judge_memory *j,
			     CUdeviceptr image, uint32_t idle, uint64_t seed)
{
	const struct entry_call *c = &j->call;
	const char *why = gpu_poison_count_begin(j);

	for (uint32_t k = 0; k < c->batch; k++) {
		for (size_t i = 0; !why && k != idle && i < c->layout.n; i++)
			if (is_written(c, i))
				why = queue_check(j, region_at(c, image, i),
						  &c->layout.arg[i].tensor,
						  seed);
		image += entry_call_outputs_bytes(c);
	}
	return why ? why : gpu_poison_count_end(found, j);
}

/* Has anything changed in an image that was not launched? */
static const char *check_idle(struct judge_answer *a, struct judge_memory *j,
			      CUdeviceptr image, uint64_t seed)
{
	const struct entry_call *c = &j->call;
	const char *why = NULL;

	for (size_t i = 0; !why && !a->finding && i < c->layout.n; i++) {
		struct judge_answer seen = {0};
		const struct tensor_layout *t = &c->layout.arg[i].tensor;
		int64_t left = is_poisoned(t) ? t->elements : 0;

		if (!is_written(c, i))
			continue;
		why = gpu_poison_check_tensor(&seen, j, region_at(c, image, i),
					      t, seed);
		if (seen.finding != FINDING_GUARD && seen.wrong == left)
			continue;
		a->finding = FINDING_GUARD;
		a->argument = (uint32_t)i;
		a->worst = HUGE_VAL;
	}
	return why;
}

/* Asks in which image only if something is wrong. */
const char *gpu_poison_check_images(struct judge_answer *a,
				    struct judge_memory *j, CUdeviceptr image,
				    uint32_t idle, uint64_t seed)
{
	size_t bytes = entry_call_outputs_bytes(&j->call);
	uint64_t found[3] = {0};
	const char *why = count_all(found, j, image, idle, seed);

	if (!why && idle < j->call.batch)
		why = check_idle(a, j, image + idle * bytes, seed);
	if (why || a->finding || (!found[0] && !found[1]))
		return why;
	for (uint32_t k = 0; !why && !a->finding && k < j->call.batch; k++)
		if (k != idle)
			why = check_image(a, j, image + k * bytes, seed);
	/* The second check does not find it, but the first did. */
	if (!a->finding)
		a->finding = found[0] ? FINDING_GUARD : FINDING_UNWRITTEN;
	a->worst = HUGE_VAL;
	return why;
}
