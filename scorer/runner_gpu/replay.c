#include "scorer/runner_gpu/replay.h"

#include <elf.h>

/* The most memory that plans may have besides their arguments. */
#define ALLOCATION_BYTES ((uint64_t)8 << 30)
#define ALLOCATION_PAGE	 ((uint64_t)2 << 20)

/* ---- the device code ------------------------------------------------------- */

const char *replay_load(struct gpu_replay *r, const void *cubins, size_t end)
{
	const char *file = cubins;
	size_t at = 0;

	while (at + sizeof(uint64_t) <= end && r->n_modules < REPLAY_MODULES) {
		/* A copy, because in the file it may be unaligned. */
		cleanup_free void *copy = NULL;
		uint64_t bytes;
		CUresult result;

		memcpy(&bytes, file + at, sizeof bytes);
		at += sizeof bytes;
		if (bytes > end - at)
			return "the build is broken";
		copy = xmemdup(file + at, bytes);
		at += bytes;
		result = r->gpu->cuda.module_load(&r->module[r->n_modules++],
						  copy);
		if (result)
			return gpu_check(r->gpu, result, "loading the cubin");
	}
	return r->n_modules ? NULL : "the build has no code for this GPU";
}

static bool in_file(uint64_t at, uint64_t bytes, uint64_t size)
{
	return at <= size && bytes <= size - at;
}

/* The driver is not told how long it is. Counts must be in the head: with zero
 * sections, or the largest number of segments, they would be in a section. */
static bool is_elf(const void *file, uint64_t bytes)
{
	Elf64_Ehdr head;
	Elf64_Shdr section;

	if (bytes < sizeof head)
		return false;
	memcpy(&head, file, sizeof head);
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e_ident[EI_CLASS] != ELFCLASS64 || !head.e_shnum ||
	    head.e_shentsize != sizeof section || head.e_phnum == PN_XNUM ||
	    (head.e_phnum && head.e_phentsize != sizeof(Elf64_Phdr)) ||
	    !in_file(head.e_phoff, head.e_phnum * sizeof(Elf64_Phdr), bytes) ||
	    !in_file(head.e_shoff, head.e_shnum * sizeof section, bytes))
		return false;
	for (size_t i = 0; i < head.e_shnum; i++) {
		memcpy(&section,
		       (const char *)file + head.e_shoff + i * sizeof section,
		       sizeof section);
		if (section.sh_type != SHT_NOBITS &&
		    !in_file(section.sh_offset, section.sh_size, bytes))
			return false;
	}
	return true;
}

static void unload_own(struct gpu_replay *r)
{
	while (r->n_own)
		r->gpu->cuda.module_unload(r->own[--r->n_own]);
}

/* The device code of a plan: what a process that could be anything loaded. */
static const char *load_own(struct gpu_replay *r, const char *file, size_t end)
{
	size_t at = 0;

	while (at + sizeof(uint64_t) <= end) {
		cleanup_free void *copy = NULL;
		uint64_t bytes;
		CUresult result;

		memcpy(&bytes, file + at, sizeof bytes);
		at += sizeof bytes;
		if (!bytes)
			return NULL;
		if (bytes > end - at || r->n_own == REPLAY_OWN_MODULES)
			return "the plan's code is broken";
		copy = xmemdup(file + at, bytes);
		at += bytes;
		if (!is_elf(copy, bytes))
			return "the plan's code is not a cubin";
		result = r->gpu->cuda.module_load(&r->own[r->n_own], copy);
		if (result)
			return gpu_check(r->gpu, result,
					 "loading the plan's code");
		r->n_own++;
	}
	return NULL;
}

const char *replay_open(struct gpu_replay *r, struct gpu_device *g)
{
	CUresult result = CUDA_SUCCESS;

	r->gpu = g;
	for (size_t i = 0; !result && i < REPLAY_LANES; i++)
		result = g->cuda.stream_create(&r->lane[i],
					       CU_STREAM_NON_BLOCKING);
	for (size_t i = 0; !result && i < PLAN_NODES; i++)
		result = g->cuda.event_create(&r->done[i],
					      CU_EVENT_DISABLE_TIMING);
	return gpu_check(g, result, "getting ready");
}

/* ---- the plan -------------------------------------------------------------- */

static const char *check_node(const struct plan_node *n, uint32_t i)
{
	uint32_t earlier = i ? UINT32_MAX >> (32 - i) : 0;

	if (n->kind >= PLAN_KINDS || n->parameter_bytes > PLAN_PARAMETER ||
	    !memchr(n->name, 0, sizeof n->name) || n->after & ~earlier ||
	    n->early & ~n->after)
		return "the plan is broken";
	return NULL;
}

/* A copy, because the process that made it may still write to it. Only of the
 * nodes in use, `least` or more: all of it would be ten megabytes. */
static const char *copy_launch(struct plan_launch *to,
			       const struct plan_launch *from, uint32_t least)
{
	uint32_t n = *(const volatile uint32_t *)&from->n_nodes;
	const char *why = NULL;

	if (n < least || n > PLAN_NODES)
		return n ? "the plan is broken"
			 : "it launched nothing when it was captured";
	to->n_nodes = n;
	memcpy(to->node, from->node, n * sizeof *to->node);
	for (uint32_t i = 0; !why && i < n; i++)
		why = check_node(&to->node[i], i);
	return why;
}

/* One piece for all the memory that the plan allocates itself, at the addresses
 * of the capture; filled with bytes that no kernel wrote. */
static const char *make_allocation(struct gpu_replay *r)
{
	uint64_t low = UINT64_MAX, high = 0;
	const char *why;

	gpu_memory_release(&r->allocation, r->gpu);
	for (uint32_t k = 0; k < r->launches; k++)
		for (uint32_t i = 0; i < r->plan[k].n_nodes; i++) {
			const struct plan_node *n = &r->plan[k].node[i];

			if (n->kind != PLAN_ALLOCATION)
				continue;
			if (n->width > ALLOCATION_BYTES ||
			    n->at > UINT64_MAX / 2)
				return "it takes more than 8 GiB of its own";
			low = MIN(low,
				  n->at / ALLOCATION_PAGE * ALLOCATION_PAGE);
			high = MAX(high, n->at + n->width);
		}
	if (!high)
		return NULL;
	if (high - low > ALLOCATION_BYTES)
		return "it takes more than 8 GiB of its own";
	why = gpu_memory_make(&r->allocation, r->gpu, high - low, low, NULL);
	/* No other address will do: in the capture the driver chose it. */
	if (why && r->gpu->moved) {
		r->gpu->moved = false;
		r->foreign = true;
		return "memory that it takes on its stream cannot be had at "
		       "the same address again";
	}
	if (why || r->pristine)
		return why;
	return gpu_check(r->gpu,
			 r->gpu->cuda.set_bytes(r->allocation.at, 0xaa,
						r->allocation.bytes),
			 "filling a plan's own memory");
}

void replay_release(struct gpu_replay *r)
{
	free(r->plan);
	r->plan = NULL;
	r->images = r->launches = 0;
	r->n_kernels = 0;
	unload_own(r);
	gpu_memory_release(&r->allocation, r->gpu);
}

/* ---- nodes ----------------------------------------------------------------- */

static CUresult set_up(struct cuda *cuda, CUfunction f,
		       const struct plan_node *n)
{
	CUresult r = CUDA_SUCCESS;

	if (n->max_shared_bytes > 0)
		r = cuda->function_set(
			f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
			n->max_shared_bytes);
	if (!r && n->carveout >= 0)
		r = cuda->function_set(
			f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
			n->carveout);
	if (!r && n->cluster[0] * n->cluster[1] * n->cluster[2] > 8)
		r = cuda->function_set(
			f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
			1);
	return r;
}

static CUresult find_function(CUfunction *out, struct gpu_replay *r,
			      const struct plan_node *n)
{
	CUresult result = 1;

	if (n->module)
		return n->module > r->n_own
			       ? result
			       : r->gpu->cuda.module_function(
					 out, r->own[n->module - 1], n->name);
	for (size_t i = 0; result && i < r->n_modules; i++)
		result = r->gpu->cuda.module_function(out, r->module[i],
						      n->name);
	return result;
}

static const char *find_kernel(CUfunction *out, struct gpu_replay *r,
			       const struct plan_node *n)
{
	CUresult result;

	for (size_t i = 0; i < r->n_kernels; i++)
		if (r->kernel[i].module == n->module &&
		    str_eq(r->kernel[i].name, n->name)) {
			*out = r->kernel[i].function;
			return NULL;
		}
	if (r->n_kernels == REPLAY_KERNELS)
		return "too many kernels";
	r->foreign = find_function(out, r, n) != CUDA_SUCCESS;
	if (r->foreign)
		return "it launches a kernel that is not its own";
	result = set_up(&r->gpu->cuda, *out, n);
	if (result)
		return gpu_check(r->gpu, result, "setting up a kernel");
	r->kernel[r->n_kernels].module = n->module;
	r->kernel[r->n_kernels].name = n->name;
	r->kernel[r->n_kernels++].function = *out;
	return NULL;
}

static const char *find_all(struct gpu_replay *r)
{
	const char *why = NULL;
	CUfunction f;

	for (uint32_t k = 0; k < r->launches; k++)
		for (uint32_t i = 0; !why && i < r->plan[k].n_nodes; i++)
			if (r->plan[k].node[i].kind == PLAN_KERNEL)
				why = find_kernel(&f, r, &r->plan[k].node[i]);
	return why;
}

const char *replay_take(struct gpu_replay *r, const void *plan, uint32_t images,
			bool prepares, size_t code_bytes)
{
	const struct plan_launch *from = plan;
	const char *why = NULL;

	free(r->plan);
	r->images = images;
	r->launches = prepares ? 2 * images : images;
	r->plan = xcalloc(r->launches, sizeof *r->plan);
	r->n_kernels = 0;
	r->foreign = false;
	unload_own(r);
	for (uint32_t k = 0; !why && k < r->launches; k++)
		why = copy_launch(&r->plan[k], &from[k], k < images);
	if (!why)
		why = load_own(r, (const char *)(from + r->launches),
			       code_bytes);
	if (!why)
		why = find_all(r);
	return why ? why : make_allocation(r);
}

static void add_attribute(CUlaunchConfig *config, int id,
			  CUlaunchAttributeValue value)
{
	config->attrs[config->numAttrs].id = id;
	config->attrs[config->numAttrs++].value = value;
}

static const char *launch_kernel(struct gpu_replay *r, struct plan_node *n,
				 CUstream lane, bool early)
{
	CUlaunchAttribute attribute[3] = {{0}};
	CUlaunchConfig config = {n->grid[0],	  n->grid[1],
				 n->grid[2],	  n->block[0],
				 n->block[1],	  n->block[2],
				 n->shared_bytes, lane,
				 attribute,	  0};
	CUlaunchAttributeValue value = {{0}};
	size_t bytes = n->parameter_bytes;
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, n->parameter,
			 CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
			 CU_LAUNCH_PARAM_END};
	CUfunction f = NULL;
	const char *why = find_kernel(&f, r, n);

	if (why)
		return why;
	if (n->cluster[0]) {
		memcpy(&value, n->cluster, sizeof n->cluster);
		add_attribute(&config, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
			      value);
	}
	value = (CUlaunchAttributeValue){{0}};
	value.cooperative = 1;
	if (n->cooperative)
		add_attribute(&config, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, value);
	if (early)
		add_attribute(
			&config,
			CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
			value);
	return gpu_check(r->gpu,
			 r->gpu->cuda.launch(&config, f, NULL,
					     bytes ? extra : NULL),
			 "a launch");
}

static const char *fill(struct gpu_replay *r, const struct plan_node *n,
			CUstream lane)
{
	struct cuda *cuda = &r->gpu->cuda;
	CUresult result = 1;

	if (n->element_bytes == 1)
		result = cuda->set_bytes_async(n->at, (unsigned char)n->value,
					       n->width, lane);
	else if (n->element_bytes == 2)
		result = cuda->set_halves_async(n->at, (unsigned short)n->value,
						n->width / 2, lane);
	else if (n->element_bytes == 4)
		result = cuda->set_words_async(n->at, n->value, n->width / 4,
					       lane);
	return gpu_check(r->gpu, result, "filling memory");
}

static const char *copy(struct gpu_replay *r, const struct plan_node *n,
			CUstream lane)
{
	CUDA_MEMCPY3D p = {
		.srcMemoryType = CU_MEMORYTYPE_DEVICE,
		.srcDevice = n->from,
		.srcPitch = n->from_pitch,
		.srcHeight = n->height,
		.dstMemoryType = CU_MEMORYTYPE_DEVICE,
		.dstDevice = n->at,
		.dstPitch = n->pitch,
		.dstHeight = n->height,
		.WidthInBytes = n->width,
		.Height = n->height,
		.Depth = 1,
	};

	return gpu_check(r->gpu,
			 n->height > 1 ? r->gpu->cuda.copy_async(&p, lane)
				       : r->gpu->cuda.copy_line(n->at, n->from,
								n->width, lane),
			 "copying memory");
}

const char *replay_queue(struct gpu_replay *r, struct plan_node *n,
			 CUstream lane, bool early)
{
	switch (n->kind) {
	case PLAN_KERNEL:
		return launch_kernel(r, n, lane, early);
	case PLAN_FILL:
		return fill(r, n, lane);
	case PLAN_COPY:
		return copy(r, n, lane);
	default:
		return NULL;
	}
}
