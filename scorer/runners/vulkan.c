/*
 * avogit-runner-vulkan: candidates in GLSL for Vulkan's compute shaders, on the
 * machine's CPUs (lavapipe).
 *
 * Each source NAME.comp is a shader; they are dispatched in the task's order, one
 * after the other, but for those whose launch line names the task's `prepare`, which
 * are no part of a launch. Tensors, workspaces and prepared buffers are storage
 * buffers, with bindings 0, 1, 2 and so on of set 0 in the order of the arguments;
 * they are the scorer's own memory.
 * Values are the push constants, in their order, each aligned to its own size
 * (std430). A shader says the size of its work-groups by its layout, and how many
 * there are by a comment (geometry.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include "core/base/file.h"
#include "scorer/runners/geometry.h"
#include "scorer/runners/runner.h"

#define SOURCE_BYTES ((size_t)4 << 20)
#define CODE_BYTES   ((size_t)64 << 20)
#define LOG_BYTES    ((size_t)32 << 10)
#define MAX_SHADERS  16
#define PUSH_BYTES   128 /* what every device has */
#define IMPORTED     VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT

/* The one that the process has. */
static struct {
	size_t n; /* shaders */
	struct shader {
		struct geometry geometry; /* of one line */
		struct buf code;
		VkPipeline pipeline;
		uint32_t groups[3];
	} shader[MAX_SHADERS];
	uint32_t bindings;
	VkInstance instance;
	VkPhysicalDevice physical;
	VkPhysicalDeviceProperties properties;
	VkDevice device;
	VkQueue queue;
	VkFence fence;
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout;
	PFN_vkGetMemoryHostPointerPropertiesEXT host_pointer;
	/* of one launch */
	struct imported {
		VkBuffer buffer;
		VkDeviceMemory memory;
	} inputs, outputs, prepared;
	struct imported nothing; /* a page, in place of what is absent */
	VkDescriptorPool sets;
	VkCommandPool commands;
	VkCommandBuffer *command; /* one for each image */
	unsigned char push[PUSH_BYTES];
	uint32_t push_bytes;
} vk;

static struct error *failed(const char *what, VkResult rc)
{
	return error_new(ERROR_SYSTEM, "Vulkan: %s gives error %d", what,
			 (int)rc);
}
#define CALL(function, ...)                            \
	do {                                           \
		VkResult rc_ = function(__VA_ARGS__);  \
		if (rc_ != VK_SUCCESS)                 \
			return failed(#function, rc_); \
	} while (0)

/* Its words are added to the log if it fails. */
static struct error *run_compiler(struct candidate *c, const char *const *argv)
{
	cleanup_fd int words = memfd_create("words", MFD_CLOEXEC);
	cleanup_buf struct buf said = BUF_INIT(BUF_LIMIT_TEXT);
	posix_spawn_file_actions_t to;
	int status = 0, rc;
	pid_t child;

	posix_spawn_file_actions_init(&to);
	posix_spawn_file_actions_adddup2(&to, words, 1);
	posix_spawn_file_actions_adddup2(&to, words, 2);
	rc = posix_spawnp(&child, argv[0], &to, NULL,
			  (char *const *)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&to);
	if (rc)
		return error_new(ERROR_NOT_FOUND,
				 "%s cannot be started: install it (Debian: "
				 "glslang-tools)",
				 argv[0]);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return error_errno("%s", argv[0]);
	if (!status)
		return NULL;
	lseek(words, 0, SEEK_SET);
	TRY(file_read_fd(&said, words, "what the compiler says"));
	buf_adds(&c->log, said.data);
	return error_new(ERROR_TASK, "the GLSL compiler refuses the source");
}

static struct error *compile_shader(struct candidate *c, struct shader *s,
				    const char *path)
{
	const char *tmp = getenv("TMPDIR");
	cleanup_free char *code =
		xasprintf("%s/%td.spv", tmp ? tmp : "/tmp", s - vk.shader);
	const char *argv[] = {"glslangValidator",
			      "-V",
			      "--target-env",
			      "vulkan1.2",
			      "-I.",
			      "-S",
			      "comp",
			      "-o",
			      code,
			      path,
			      NULL};
	cleanup_buf struct buf text = BUF_INIT(SOURCE_BYTES);

	TRY(file_read(&text, path));
	TRY(geometry_read(&s->geometry, text.data, path));
	if (s->geometry.n != 1)
		return error_new(ERROR_TASK,
				 "%s does not say how many work-groups are "
				 "launched: write, once, "
				 "`// avogit-launch: groups=(N)`",
				 path);
	TRY(run_compiler(c, argv));
	buf_init(&s->code, CODE_BYTES);
	return file_read(&s->code, code);
}

/* Does it prepare, and so is no part of a launch? */
static bool is_prepare(const struct candidate *c, const struct shader *s)
{
	return c->prepare && str_eq(s->geometry.line[0].kernel, c->prepare);
}

/* Both kinds of shader must be there. */
static struct error *check_shaders(const struct candidate *c)
{
	size_t n = 0;

	if (!vk.n)
		return error_new(ERROR_TASK,
				 "no source of this candidate ends in .comp");
	for (size_t i = 0; i < vk.n; i++)
		n += is_prepare(c, &vk.shader[i]);
	if (c->prepare && !n)
		return error_new(ERROR_TASK,
				 "no shader says that it prepares: write "
				 "`// avogit-launch: %s groups=(N)` in it",
				 c->prepare);
	if (n == vk.n)
		return error_new(ERROR_TASK,
				 "all shaders prepare: one that is launched "
				 "says `// avogit-launch: groups=(N)`");
	return NULL;
}

static struct error *compile(struct candidate *c)
{
	for (size_t i = 0; i < c->sources.n; i++) {
		if (!ends_with(c->sources.v[i], ".comp"))
			continue;
		if (vk.n == MAX_SHADERS)
			return error_new(ERROR_TASK, "more than %d shaders",
					 MAX_SHADERS);
		TRY(compile_shader(c, &vk.shader[vk.n++], c->sources.v[i]));
	}
	if (!str_eq(c->entry, "main"))
		return error_new(
			ERROR_TASK,
			"a shader in GLSL begins at main: the task must "
			"say `entry: main`, not '%s'",
			c->entry);
	if (c->threads < 2)
		return error_new(ERROR_TASK,
				 "lavapipe launches from a thread of its own: "
				 "the task must allow it, by `threads: 2`");
	return check_shaders(c);
}

/* lavapipe alone: the drivers of cards are not visible here. */
static void choose_driver(int64_t threads)
{
	cleanup_free char *count = NULL;
	glob_t found;

	if (glob("/usr/share/vulkan/icd.d/lvp_icd*.json", 0, NULL, &found) ==
	    0) {
		setenv("VK_ICD_FILENAMES", found.gl_pathv[0], 1);
		globfree(&found);
	}
	/* Besides that of its queue it keeps as many threads for pictures as for
	 * computing; with none, that of the queue does the work. */
	count = xasprintf("%lld", (long long)(threads - 1) / 2);
	setenv("LP_NUM_THREADS", count, 1);
	setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
}

static struct error *no_device(void)
{
	return error_new(ERROR_NOT_FOUND,
			 "this machine has no Vulkan device that is a CPU: "
			 "install lavapipe (Debian: mesa-vulkan-drivers)");
}

static struct error *open_instance(void)
{
	VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
				 .apiVersion = VK_API_VERSION_1_2};
	VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.pApplicationInfo = &app};
	VkPhysicalDevice found[8];
	uint32_t n = ARRAY_SIZE(found);

	if (vkCreateInstance(&info, NULL, &vk.instance) != VK_SUCCESS ||
	    vkEnumeratePhysicalDevices(vk.instance, &n, found) < 0)
		return no_device();
	for (uint32_t i = 0; i < n; i++) {
		vkGetPhysicalDeviceProperties(found[i], &vk.properties);
		if (vk.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU) {
			vk.physical = found[i];
			return NULL;
		}
	}
	return no_device();
}

/* With all that it can do: 16-bit and 8-bit numbers in buffers, fp64 and so on. The
 * queue of the first family: a driver for a CPU has one, for everything. */
static struct error *open_device(void)
{
	static const char *const extension[] = {
		VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME};
	static const float priority = 1;
	VkPhysicalDeviceVulkan12Features two = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
	VkPhysicalDeviceVulkan11Features one = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
		.pNext = &two};
	VkPhysicalDeviceFeatures2 features = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
		.pNext = &one};
	VkFenceCreateInfo fence = {.sType =
					   VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 1,
		.pQueuePriorities = &priority};
	VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.pNext = &features,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
		.enabledExtensionCount = ARRAY_SIZE(extension),
		.ppEnabledExtensionNames = extension};

	vkGetPhysicalDeviceFeatures2(vk.physical, &features);
	features.features.robustBufferAccess = VK_FALSE;
	CALL(vkCreateDevice, vk.physical, &info, NULL, &vk.device);
	vkGetDeviceQueue(vk.device, 0, 0, &vk.queue);
	vk.host_pointer =
		(PFN_vkGetMemoryHostPointerPropertiesEXT)vkGetDeviceProcAddr(
			vk.device, "vkGetMemoryHostPointerPropertiesEXT");
	if (!vk.host_pointer)
		return no_device();
	CALL(vkCreateFence, vk.device, &fence, NULL, &vk.fence);
	return NULL;
}

static struct error *make_layout(const struct candidate *c)
{
	VkDescriptorSetLayoutBinding binding[RUNNER_MAX_ARGS];
	VkDescriptorSetLayoutCreateInfo set = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.pBindings = binding};
	VkPushConstantRange push = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
				    .size = PUSH_BYTES};
	VkPipelineLayoutCreateInfo layout = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 1,
		.pSetLayouts = &vk.set_layout,
		.pushConstantRangeCount = 1,
		.pPushConstantRanges = &push};

	for (size_t i = 0; i < c->n; i++)
		if (c->arg[i].memory) {
			binding[vk.bindings] = (VkDescriptorSetLayoutBinding){
				.binding = vk.bindings,
				.descriptorType =
					VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
				.descriptorCount = 1,
				.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
			vk.bindings++;
		}
	set.bindingCount = vk.bindings;
	CALL(vkCreateDescriptorSetLayout, vk.device, &set, NULL,
	     &vk.set_layout);
	CALL(vkCreatePipelineLayout, vk.device, &layout, NULL, &vk.layout);
	return NULL;
}

static struct error *make_pipeline(struct shader *s)
{
	VkShaderModuleCreateInfo code = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = s->code.len,
		.pCode = (const uint32_t *)(const void *)s->code.data};
	VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage =
			{.sType =
				 VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			 .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			 .pName = "main"},
		.layout = vk.layout};

	CALL(vkCreateShaderModule, vk.device, &code, NULL, &info.stage.module);
	CALL(vkCreateComputePipelines, vk.device, VK_NULL_HANDLE, 1, &info,
	     NULL, &s->pipeline);
	return NULL;
}

static void release(struct imported *m)
{
	vkDestroyBuffer(vk.device, m->buffer, NULL);
	vkFreeMemory(vk.device, m->memory, NULL);
	*m = (struct imported){0};
}

static void release_launch(void)
{
	vkDestroyCommandPool(vk.device, vk.commands, NULL);
	vkDestroyDescriptorPool(vk.device, vk.sets, NULL);
	vk.commands = VK_NULL_HANDLE;
	vk.sets = VK_NULL_HANDLE;
	free(vk.command);
	vk.command = NULL;
	release(&vk.inputs);
	release(&vk.outputs);
	release(&vk.prepared);
}

/* The scorer's memory itself as a buffer: nothing is copied. */
static struct error *import(struct imported *out, const struct memory *m)
{
	VkMemoryHostPointerPropertiesEXT can = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
	VkExternalMemoryBufferCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
		.handleTypes = IMPORTED};
	VkBufferCreateInfo buffer = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.pNext = &external,
		.size = m->bytes,
		.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
	VkImportMemoryHostPointerInfoEXT from = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
		.handleType = IMPORTED,
		.pHostPointer = m->base};
	VkMemoryAllocateInfo memory = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.pNext = &from,
		.allocationSize = m->bytes};

	if (!m->base)
		return NULL;
	CALL(vk.host_pointer, vk.device, IMPORTED, m->base, &can);
	while (memory.memoryTypeIndex < 31 &&
	       !(can.memoryTypeBits >> memory.memoryTypeIndex & 1))
		memory.memoryTypeIndex++;
	CALL(vkCreateBuffer, vk.device, &buffer, NULL, &out->buffer);
	CALL(vkAllocateMemory, vk.device, &memory, NULL, &out->memory);
	CALL(vkBindBufferMemory, vk.device, out->buffer, out->memory, 0);
	return NULL;
}

static struct error *check_slot(const struct candidate_argument *of,
				const struct launch_argument *a,
				size_t image_bytes)
{
	const VkPhysicalDeviceLimits *limit = &vk.properties.limits;
	size_t step = limit->minStorageBufferOffsetAlignment;

	if (a->offset % step || image_bytes % step)
		return error_new(ERROR_TASK,
				 "Vulkan's buffers begin at multiples of %zu "
				 "bytes: the task must align '%s' to that",
				 step, of->name);
	if (a->bytes > limit->maxStorageBufferRange)
		return error_new(ERROR_TOO_BIG,
				 "'%s' is larger than a buffer of this Vulkan "
				 "device, %u bytes",
				 of->name, limit->maxStorageBufferRange);
	return NULL;
}

static VkBuffer buffer_of(const struct launch *l, const struct memory *in)
{
	return in == &l->inputs	    ? vk.inputs.buffer
	       : in == &l->prepared ? vk.prepared.buffer
				    : vk.outputs.buffer;
}

static struct error *point_set(VkDescriptorSet set, const struct candidate *c,
			       const struct launch *l, uint32_t image)
{
	VkDescriptorBufferInfo at[RUNNER_MAX_ARGS];
	VkWriteDescriptorSet write = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		.dstSet = set,
		.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
		.pBufferInfo = at};
	uint32_t n = 0;

	for (size_t k = 0; k < c->n; k++) {
		const struct launch_argument *a = &l->arg[k];

		if (!c->arg[k].memory)
			continue;
		at[n++] = (VkDescriptorBufferInfo){.buffer = vk.nothing.buffer,
						   .range = VK_WHOLE_SIZE};
		if (!a->in)
			continue;
		TRY(check_slot(&c->arg[k], a, image ? a->in->image : 0));
		at[n - 1] = (VkDescriptorBufferInfo){
			.buffer = buffer_of(l, a->in),
			.offset = a->offset + image * a->in->image,
			.range = a->bytes};
	}
	write.descriptorCount = n;
	if (n)
		vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
	return NULL;
}

/* One command buffer an image: the shaders that prepare, or the others, each after
 * what the last wrote. */
static struct error *record(VkCommandBuffer to, VkDescriptorSet set,
			    const struct candidate *c, bool prepares)
{
	static const VkMemoryBarrier written = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_SHADER_READ_BIT |
				 VK_ACCESS_SHADER_WRITE_BIT |
				 VK_ACCESS_HOST_READ_BIT};
	VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT};

	CALL(vkBeginCommandBuffer, to, &begin);
	vkCmdBindDescriptorSets(to, VK_PIPELINE_BIND_POINT_COMPUTE, vk.layout,
				0, 1, &set, 0, NULL);
	if (vk.push_bytes)
		vkCmdPushConstants(to, vk.layout, VK_SHADER_STAGE_COMPUTE_BIT,
				   0, vk.push_bytes, vk.push);
	for (size_t i = 0; i < vk.n; i++) {
		const uint32_t *n = vk.shader[i].groups;

		if (is_prepare(c, &vk.shader[i]) != prepares)
			continue;
		vkCmdBindPipeline(to, VK_PIPELINE_BIND_POINT_COMPUTE,
				  vk.shader[i].pipeline);
		vkCmdDispatch(to, n[0], n[1], n[2]);
		vkCmdPipelineBarrier(to, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
				     VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT |
					     VK_PIPELINE_STAGE_HOST_BIT,
				     0, 1, &written, 0, NULL, 0, NULL);
	}
	CALL(vkEndCommandBuffer, to);
	return NULL;
}

static struct error *make_pools(uint32_t batch)
{
	VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
				     MAX(batch * vk.bindings, 1)};
	VkDescriptorPoolCreateInfo sets = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = batch,
		.poolSizeCount = 1,
		.pPoolSizes = &size};
	VkCommandPoolCreateInfo commands = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkCommandBufferAllocateInfo each = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandBufferCount = batch};

	CALL(vkCreateDescriptorPool, vk.device, &sets, NULL, &vk.sets);
	CALL(vkCreateCommandPool, vk.device, &commands, NULL, &vk.commands);
	each.commandPool = vk.commands;
	vk.command = xcalloc(batch, sizeof(VkCommandBuffer));
	CALL(vkAllocateCommandBuffers, vk.device, &each, vk.command);
	return NULL;
}

/* For the shaders that prepare, or for a launch. */
static struct error *set_up(const struct candidate *c, const struct launch *l,
			    bool prepares)
{
	VkDescriptorSetAllocateInfo one = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorSetCount = 1,
		.pSetLayouts = &vk.set_layout};
	VkDescriptorSet set;

	release_launch();
	TRY(import(&vk.inputs, &l->inputs));
	TRY(import(&vk.outputs, &l->outputs));
	TRY(import(&vk.prepared, &l->prepared));
	TRY(make_pools(l->batch));
	one.descriptorPool = vk.sets;
	for (uint32_t image = 0; image < l->batch; image++) {
		CALL(vkAllocateDescriptorSets, vk.device, &one, &set);
		TRY(point_set(set, c, l, image));
		TRY(record(vk.command[image], set, c, prepares));
	}
	return NULL;
}

static struct error *submit(const VkCommandBuffer *command, uint32_t n)
{
	VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
			     .commandBufferCount = n,
			     .pCommandBuffers = command};

	CALL(vkQueueSubmit, vk.queue, 1, &info, vk.fence);
	CALL(vkWaitForFences, vk.device, 1, &vk.fence, VK_TRUE, UINT64_MAX);
	CALL(vkResetFences, vk.device, 1, &vk.fence);
	return NULL;
}

/* lavapipe makes the machine code at the first dispatch: one of no work-groups is
 * enough, with nothing there. */
static struct error *dispatch_nothing(const struct candidate *c)
{
	static const struct launch l = {.batch = 1};
	struct memory page = {.bytes = 4096};

	page.base = mmap(NULL, page.bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page.base == MAP_FAILED)
		return error_errno("a page");
	TRY(import(&vk.nothing, &page));
	vk.push_bytes = PUSH_BYTES;
	TRY(set_up(c, &l, false));
	TRY(submit(vk.command, 1));
	if (!c->prepare)
		return NULL;
	TRY(set_up(c, &l, true));
	return submit(vk.command, 1);
}

static void add_version(struct candidate *c)
{
	uint32_t v = vk.properties.apiVersion;

	strvec_push(&c->version, "Vulkan");
	strvec_pushf(&c->version, "%u.%u on %s", VK_API_VERSION_MAJOR(v),
		     VK_API_VERSION_MINOR(v), vk.properties.deviceName);
}

static struct error *load(struct candidate *c)
{
	choose_driver(c->threads);
	TRY(open_instance());
	TRY(open_device());
	TRY(make_layout(c));
	for (size_t i = 0; i < vk.n; i++)
		TRY(make_pipeline(&vk.shader[i]));
	add_version(c);
	return dispatch_nothing(c);
}

static struct error *pack_values(const struct candidate *c,
				 const struct launch *l)
{
	size_t at = 0;

	for (size_t k = 0; k < c->n; k++) {
		const struct launch_argument *a = &l->arg[k];

		if (c->arg[k].memory)
			continue;
		at = (at + a->bytes - 1) / a->bytes * a->bytes;
		if (at + a->bytes > PUSH_BYTES)
			return error_new(ERROR_TASK,
					 "the values are more than %d bytes of "
					 "push constants",
					 PUSH_BYTES);
		memcpy(vk.push + at, a->value, a->bytes);
		at += a->bytes;
	}
	vk.push_bytes = (uint32_t)(at + 3) / 4 * 4;
	return NULL;
}

static struct error *make_ready(const struct candidate *c,
				const struct launch *l, bool prepares)
{
	TRY(pack_values(c, l));
	for (size_t i = 0; i < vk.n; i++)
		if (is_prepare(c, &vk.shader[i]) == prepares)
			TRY(geometry_groups(vk.shader[i].groups,
					    &vk.shader[i].geometry, 0,
					    &l->values));
	return set_up(c, l, prepares);
}

static struct error *ready(const struct candidate *c, const struct launch *l)
{
	return make_ready(c, l, false);
}

static struct error *go(const struct candidate *c, const struct launch *l,
			const uint32_t *image, size_t n)
{
	static VkCommandBuffer command[64];

	(void)c;
	(void)l;
	while (n) {
		uint32_t some = (uint32_t)MIN(n, ARRAY_SIZE(command));

		for (uint32_t i = 0; i < some; i++)
			command[i] = vk.command[image[i]];
		TRY(submit(command, some));
		image += some;
		n -= some;
	}
	return NULL;
}

static struct error *prepare(const struct candidate *c, const struct launch *l)
{
	TRY(make_ready(c, l, true));
	TRY(submit(vk.command, 1));
	release_launch();
	return NULL;
}

int main(void)
{
	static const struct runner vulkan = {compile, load, ready, go, prepare};

	return runner_serve(&vulkan);
}
