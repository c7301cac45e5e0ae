#include "scorer/runner/gpu_launch.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scorer/runner/gpu.h"

/* What a cache holds when a batch begins must not hang on who was filled or
 * poisoned last: the arm whose outputs were was told one percent faster. */
#define FLUSH_CACHES 4
#define MAX_KERNELS  256
#define MAX_MODULES  16

struct launcher {
	struct gpu gpu;
	CUmodule module[MAX_MODULES];
	size_t n_modules;
	CUstream stream;
	CUevent event[2 * GPU_IMAGES];
	struct gpu_memory inputs, outputs;
	struct gpu_memory flush; /* several times the cache */
	struct plan_launch *plan;
	size_t plan_bytes;
	struct {
		const char *name; /* in the plan */
		CUfunction function;
	} kernel[MAX_KERNELS];
	size_t n_kernels;
	uint32_t images;
};

/* The cubins of the candidate's own compile, each behind its length in eight
 * bytes. */
static const char *load_cubins(struct launcher *l, const char *file, size_t end)
{
	size_t at = 0;

	while (at + sizeof(uint64_t) <= end && l->n_modules < MAX_MODULES) {
		/* Aligned, which it need not be in the file. */
		cleanup_free void *copy = NULL;
		uint64_t bytes;
		CUresult r;

		memcpy(&bytes, file + at, sizeof bytes);
		at += sizeof bytes;
		if (bytes > end - at)
			return "the build is broken";
		copy = xmemdup(file + at, bytes);
		at += bytes;
		r = l->gpu.cuda.module_load(&l->module[l->n_modules++], copy);
		if (r)
			return gpu_check(&l->gpu, r, "loading the cubin");
	}
	return l->n_modules ? NULL : "the build has no code for this GPU";
}

static const char *load_module(struct launcher *l)
{
	const char *why;
	struct stat st;
	void *file;

	if (fstat(RUNNER_OBJECT_FD, &st) < 0 || st.st_size <= 0)
		return "there is no object";
	file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE,
		    RUNNER_OBJECT_FD, 0);
	if (file == MAP_FAILED)
		return "the object cannot be mapped";
	why = load_cubins(l, file, (size_t)st.st_size);
	munmap(file, (size_t)st.st_size);
	return why;
}

static const char *open_launcher(struct launcher *l)
{
	const char *why = gpu_open(&l->gpu, false);
	CUresult r = CUDA_SUCCESS;

	if (!why)
		why = load_module(l);
	if (!why)
		why = gpu_memory_make(&l->flush, &l->gpu,
				      FLUSH_CACHES * l->gpu.l2_bytes, 0, NULL);
	if (why)
		return why;
	r = l->gpu.cuda.stream_create(&l->stream, CU_STREAM_NON_BLOCKING);
	for (size_t i = 0; !r && i < ARRAY_SIZE(l->event); i++)
		r = l->gpu.cuda.event_create(&l->event[i], 0);
	return gpu_check(&l->gpu, r, "getting ready");
}

static const char *find_kernel(CUfunction *out, struct launcher *l,
			       struct plan_node *n)
{
	CUresult r = 1;

	for (size_t i = 0; i < l->n_kernels; i++)
		if (str_eq(l->kernel[i].name, n->name)) {
			*out = l->kernel[i].function;
			return NULL;
		}
	if (l->n_kernels == MAX_KERNELS)
		return "too many kernels";
	for (size_t i = 0; r && i < l->n_modules; i++)
		r = l->gpu.cuda.module_function(out, l->module[i], n->name);
	if (!r && n->max_shared_bytes > 0)
		r = l->gpu.cuda.function_set(
			*out, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
			n->max_shared_bytes);
	if (!r && n->cluster[0] * n->cluster[1] * n->cluster[2] > 8)
		r = l->gpu.cuda.function_set(
			*out,
			CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
	if (r)
		return gpu_check(&l->gpu, r,
				 "a captured kernel is not in the cubin");
	l->kernel[l->n_kernels].name = n->name;
	l->kernel[l->n_kernels++].function = *out;
	return NULL;
}

static const char *launch_kernel(struct launcher *l, struct plan_node *n)
{
	CUlaunchAttribute attribute[2] = {{0}};
	CUlaunchConfig config = {n->grid[0],	  n->grid[1],
				 n->grid[2],	  n->block[0],
				 n->block[1],	  n->block[2],
				 n->shared_bytes, l->stream,
				 attribute,	  0};
	size_t bytes = n->parameter_bytes;
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, n->parameter,
			 CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
			 CU_LAUNCH_PARAM_END};
	CUfunction f = NULL;
	const char *why = find_kernel(&f, l, n);

	if (why)
		return why;
	if (n->cluster[0]) {
		attribute[config.numAttrs].id =
			CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
		memcpy(&attribute[config.numAttrs++].value, n->cluster,
		       sizeof n->cluster);
	}
	if (n->cooperative) {
		attribute[config.numAttrs].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
		attribute[config.numAttrs++].value.cooperative = 1;
	}
	return gpu_check(&l->gpu,
			 l->gpu.cuda.launch(&config, f, NULL,
					    bytes ? extra : NULL),
			 "a launch");
}

static const char *fill_memory(struct launcher *l, const struct plan_node *n)
{
	struct cuda *cuda = &l->gpu.cuda;
	CUresult r = 1;

	if (n->element_bytes == 1)
		r = cuda->set_bytes_async(n->at, (unsigned char)n->value,
					  n->elements, l->stream);
	else if (n->element_bytes == 2)
		r = cuda->set_halves_async(n->at, (unsigned short)n->value,
					   n->elements, l->stream);
	else if (n->element_bytes == 4)
		r = cuda->set_words_async(n->at, n->value, n->elements,
					  l->stream);
	return gpu_check(&l->gpu, r, "filling memory");
}

static const char *replay(struct launcher *l, uint32_t k)
{
	struct plan_launch *p = &l->plan[k];
	const char *why = NULL;

	for (uint32_t i = 0; !why && i < p->n_nodes; i++)
		why = p->node[i].kind == PLAN_KERNEL
			      ? launch_kernel(l, &p->node[i])
			      : fill_memory(l, &p->node[i]);
	return why;
}

static const char *check_plan(const struct plan_launch *plan, uint32_t images)
{
	for (uint32_t k = 0; k < images; k++) {
		if (plan[k].n_nodes < 1 || plan[k].n_nodes > PLAN_NODES)
			return "it launches nothing";
		for (uint32_t i = 0; i < plan[k].n_nodes; i++) {
			const struct plan_node *n = &plan[k].node[i];

			if (n->kind > PLAN_MEMSET ||
			    n->parameter_bytes > PLAN_PARAMETER ||
			    !memchr(n->name, 0, sizeof n->name))
				return "the plan is broken";
		}
	}
	return NULL;
}

/* A copy of the plan: what its maker can still write is not read twice. */
static const char *take_plan(struct launcher *l,
			     const struct gpu_arm_request *q, int fd)
{
	size_t bytes = q->place.images * sizeof(struct plan_launch);
	void *shared;

	if (q->place.images < 1 || q->place.images > GPU_IMAGES ||
	    q->plan_bytes < bytes)
		return "a count that no scorer asks for";
	shared = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
	if (shared == MAP_FAILED)
		return "the plan cannot be mapped";
	free(l->plan);
	l->plan = xmemdup(shared, bytes);
	munmap(shared, bytes);
	l->n_kernels = 0;
	l->images = q->place.images;
	return check_plan(l->plan, l->images);
}

static const char *arm(struct launcher *l, const struct gpu_arm_request *q,
		       const int fd[CHANNEL_MAX_FDS])
{
	const struct gpu_place *p = &q->place;
	const char *why = take_plan(l, q, fd[2]);

	if (!why)
		why = gpu_memory_import(&l->inputs, &l->gpu, fd[0],
					p->images * p->inputs_bytes,
					p->inputs_at, false);
	if (!why)
		why = gpu_memory_import(&l->outputs, &l->gpu, fd[1],
					p->images * p->outputs_bytes,
					p->outputs_at, true);
	return why;
}

static const char *run(struct gpu_ran_reply *out, struct launcher *l,
		       const struct gpu_run_request *q)
{
	struct cuda *cuda = &l->gpu.cuda;
	const char *why = NULL;
	CUresult r = CUDA_SUCCESS;

	if (q->n > l->images)
		return "a count that no scorer asks for";
	cuda->reset_l2();
	r = cuda->set_words_async(l->flush.at, q->order[0],
				  l->flush.bytes / sizeof(uint32_t), l->stream);
	for (uint32_t i = 0; !r && !why && i < q->n; i++) {
		if (q->order[i] >= l->images)
			return "an image that is not there";
		r = cuda->event_record(l->event[2 * i], l->stream);
		if (!r)
			why = replay(l, q->order[i]);
		if (!r && !why)
			r = cuda->event_record(l->event[2 * i + 1], l->stream);
	}
	if (!r && !why)
		r = cuda->stream_wait(l->stream);
	for (uint32_t i = 0; !r && !why && i < q->n; i++)
		r = cuda->event_elapsed(&out->milliseconds[i], l->event[2 * i],
					l->event[2 * i + 1]);
	return why ? why : gpu_check(&l->gpu, r, "while it was timed");
}

void launch_serve(union request *r)
{
	struct launcher *l = xcalloc(1, sizeof *l);
	const char *broken = open_launcher(l);
	int fd[CHANNEL_MAX_FDS];

	while (channel_receive(r, fd)) {
		struct gpu_ran_reply ran = {{GPU_RAN, r->head.sequence}, {0}};
		const char *why = broken;

		if (!why && r->head.kind == GPU_ARM)
			why = arm(l, &r->gpu_arm, fd);
		else if (!why && r->head.kind == GPU_RUN)
			why = run(&ran, l, &r->gpu_run);
		else if (!why)
			why = "not a request for a launcher";
		for (size_t i = 0; i < CHANNEL_MAX_FDS; i++)
			cleanup_fd_fn(&fd[i]);
		if (why)
			channel_refuse(r, why);
		else if (r->head.kind == GPU_RUN)
			channel_send(&ran, sizeof ran);
		else
			channel_reply(r, (enum message_kind)GPU_ARMED);
	}
	free(l->plan);
	free(l);
}
