#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/sandbox/process.h"
#include "scorer/build/internal.h"
#include "scorer/build/cubin.h"
#include "scorer/device/gpu.h"

#define DATA "tests/data/nvcc/"

/* ---- what nvcc says ---------------------------------------------------- */

static char *log_of(const char *name)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *path = xasprintf(DATA "%s.log", name);

	assert_null(file_read(&text, path));
	return build_clean_log(&text);
}

static void reads_what_each_kernel_takes_on_the_one_architecture(void **state)
{
	cleanup_free char *log = log_of("two-architectures");
	cleanup_resources struct resources r = {0}, older = {0};
	const struct kernel_resources *k;

	(void)state;
	build_resources(&r, log, "sm_90a");
	build_resources(&older, log, "sm_80");
	assert_int_equal(r.n, 2);
	k = resources_get(&r, "busy");
	assert_int_equal(k->registers, 64);
	assert_int_equal(k->stack, 824);
	assert_int_equal(k->spill_stores, 1356);
	assert_int_equal(k->spill_loads, 1628);
	assert_int_equal(k->shared, 0);
	assert_int_equal(k->constant, 0);
	assert_int_equal(k->warnings.n, 1);
	assert_true(starts_with(k->warnings.v[0], "Registers are spilled"));
	k = resources_get(&r, "staged");
	assert_int_equal(k->registers, 19);
	assert_int_equal(k->barriers, 1);
	assert_int_equal(k->shared, 128);
	assert_int_equal(k->stack, 0);
	assert_int_equal(k->warnings.n, 0);
	assert_int_equal(resources_get(&older, "busy")->stack, 816);
	assert_int_equal(resources_get(&older, "staged")->constant, 364);
}

static void keeps_what_ptxas_remarks_on_wgmma_once_a_kind(void **state)
{
	cleanup_free char *log = log_of("wgmma");
	cleanup_resources struct resources r = {0};
	const struct kernel_resources *k;

	(void)state;
	build_resources(&r, log, "sm_90a");
	assert_int_equal(r.n, 1);
	k = resources_get(&r, "wg");
	assert_int_equal(k->registers, 30);
	assert_int_equal(k->warnings.n, 3);
	assert_true(starts_with(k->warnings.v[0], "(C7519) "));
	assert_true(starts_with(k->warnings.v[1], "(C7517) "));
	assert_non_null(strstr(k->warnings.v[2], "(C7511) Potential "
						 "Performance Loss: wgmma"));
}

static void with_rdc_only_kernels_count_and_the_linker_knows_best(void **state)
{
	cleanup_free char *log = log_of("rdc");
	cleanup_resources struct resources r = {0};

	(void)state;
	build_resources(&r, log, "sm_90a");
	assert_int_equal(r.n, 2);
	assert_int_equal(resources_get(&r, "_Z2k2Pf")->registers, 24);
	assert_int_equal(resources_get(&r, "_Z2k2Pf")->shared, 256);
	assert_int_equal(resources_get(&r, "_Z5saxpyfPKfPfi")->registers, 10);
	assert_null(resources_get(&r, "_Z5twicef"));
}

static void the_linkers_registers_stand(void **state)
{
	static const char log[] =
		"ptxas info    : Compiling entry function 'f' for 'sm_90a'\n"
		"ptxas info    : Used 24 registers, used 0 barriers\n"
		"nvlink info    : Function properties for 'f': (target: "
		"sm_90a)\n"
		"nvlink info    : used 40 registers, 0 stack (target: "
		"sm_90a)\n"
		"nvlink info    : Function properties for 'f': (target: "
		"sm_80)\n"
		"nvlink info    : used 99 registers, 0 stack (target: sm_80)\n";
	cleanup_resources struct resources r = {0};

	(void)state;
	build_resources(&r, log, "sm_90a");
	assert_int_equal(r.kernel[0].registers, 40);
}

static void the_first_error_is_the_one_that_matters(void **state)
{
	static const struct {
		const char *log, *line;
	} errors[] = {
		{"error-source",
		 "e1.cu(5): error: identifier \"nothing\" is undefined"},
		{"error-ptx", "ptxas kernel.ptx, line 34; error   : Unknown "
			      "modifier '.b99'"},
		{"error-link", "nvlink error   : Undefined reference to "
			       "'_Z4gonef' in 'e3.o'"},
		{"error-extern",
		 "ptxas fatal   : Unresolved extern function '_Z4gonef'"},
		{"error-shared",
		 "ptxas error   : Entry function '_Z1kPf' uses too much shared "
		 "data (0x61a80 bytes, 0x38c00 max)"},
		{"error-host-link", "e5.cudafe1.cpp:(.text+0x3b): undefined "
				    "reference to `gone'"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		cleanup_free char *log = log_of(errors[i].log);
		cleanup_free char *line = build_first_error(log);

		assert_string_equal(line, errors[i].line);
	}
}

/* ---- cubins in an object ----------------------------------------------- */

struct entry {
	uint16_t kind, version;
	uint32_t header_len;
	uint64_t len;
	uint32_t zipped_len, options;
	uint16_t minor, major;
	uint32_t arch, name_at, name_len;
	uint64_t flags, zero, plain_len;
};
struct container {
	uint32_t magic;
	uint16_t version, header_len;
	uint64_t len;
};

/* An ELF file of one section of that name and contents. */
static void make_elf(struct buf *out, const char *name, const void *data,
		     size_t len)
{
	cleanup_buf struct buf names = BUF_INIT(256);
	Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64},
			   .e_shentsize = sizeof(Elf64_Shdr),
			   .e_shnum = 3,
			   .e_shstrndx = 2};
	Elf64_Shdr section[3] = {{0}};

	buf_add(&names, "\0", 1);
	buf_add(&names, name, strlen(name) + 1);
	section[1] = (Elf64_Shdr){
		.sh_name = 1, .sh_offset = sizeof head, .sh_size = len};
	section[2] = (Elf64_Shdr){.sh_offset = sizeof head + len,
				  .sh_size = names.len};
	head.e_shoff = sizeof head + len + names.len;
	buf_add(out, &head, sizeof head);
	buf_add(out, data, len);
	buf_add(out, names.data, names.len);
	buf_add(out, section, sizeof section);
}

static void add_entry(struct buf *out, const struct entry *like,
		      const struct buf *cubin)
{
	struct entry e = *like;

	e.header_len = sizeof e;
	e.len = cubin->len;
	buf_add(out, &e, sizeof e);
	buf_add(out, cubin->data, cubin->len);
}

/* PTX, one for sm_80, one for sm_90 with a kernel, one for sm_90 without. */
static void make_object(struct buf *out, uint32_t zipped)
{
	const struct entry ptx = {.kind = 1, .arch = 90};
	const struct entry ours = {.kind = 2, .arch = 90, .zipped_len = zipped};
	const struct entry other = {.kind = 2, .arch = 80};
	cleanup_buf struct buf kernel = BUF_INIT(4096);
	cleanup_buf struct buf empty = BUF_INIT(4096);
	cleanup_buf struct buf entries = BUF_INIT(65536);
	cleanup_buf struct buf section = BUF_INIT(65536);
	struct container c = {0xba55ed50, 1, sizeof c, 0};

	make_elf(&kernel, ".text.k", "SASS", 4);
	make_elf(&empty, ".nv.info", "info", 4);
	add_entry(&entries, &ptx, &empty);
	add_entry(&entries, &other, &kernel);
	add_entry(&entries, &ours, &kernel);
	add_entry(&entries, &ours, &empty);
	c.len = entries.len;
	buf_add(&section, "\0\0\0\0\0\0\0\0", 8);
	buf_add(&section, &c, sizeof c);
	buf_add(&section, entries.data, entries.len);
	make_elf(out, ".nv_fatbin", section.data, section.len);
}

static void finds_the_cubins_of_the_architecture(void **state)
{
	cleanup_buf struct buf object = BUF_INIT(65536);
	struct cubin cubin[CUBIN_MAX];
	size_t n = 9;

	(void)state;
	make_object(&object, 0);
	assert_null(cubins_find(cubin, &n, object.data, object.len, "sm_90a"));
	assert_int_equal(n, 1);
	assert_memory_equal(object.data + cubin[0].offset, ELFMAG, SELFMAG);
	assert_non_null(
		memmem(object.data + cubin[0].offset, cubin[0].len, "SASS", 4));
	assert_null(cubins_find(cubin, &n, object.data, object.len, "sm_75"));
	assert_int_equal(n, 0);
}

static void says_that_device_code_is_compressed(void **state)
{
	cleanup_buf struct buf object = BUF_INIT(65536);
	cleanup_error struct error *err = NULL;
	struct cubin cubin[CUBIN_MAX];
	size_t n;

	(void)state;
	make_object(&object, 100);
	err = cubins_find(cubin, &n, object.data, object.len, "sm_90a");
	assert_true(error_is(err, ERROR_REFUSED));
	assert_non_null(strstr(error_message(err), "-no-compress"));
}

/* Whatever it answers: what it names lies inside. Run it with sanitizers. */
static void look(const char *data, size_t len)
{
	cleanup_free char *exact = xmemdup(data, len);
	struct cubin cubin[CUBIN_MAX];
	size_t n = 0;
	struct error *err = cubins_find(cubin, &n, exact, len, "sm_90a");

	for (size_t i = 0; !err && i < n; i++)
		assert_true(cubin[i].offset <= len &&
			    cubin[i].len <= len - cubin[i].offset);
	error_free(err);
}

static void damaged_objects_do_no_harm(void **state)
{
	static const unsigned char values[] = {0x00, 0x01, 0x7f, 0xff};
	cleanup_buf struct buf object = BUF_INIT(65536);

	(void)state;
	make_object(&object, 0);
	for (size_t len = 1; len < object.len; len++)
		look(object.data, len);
	for (size_t at = 0; at < object.len; at++) {
		char was = object.data[at];

		for (size_t v = 0; v < ARRAY_SIZE(values); v++) {
			object.data[at] = (char)values[v];
			look(object.data, object.len);
		}
		object.data[at] = was;
	}
}

/* ---- the driver -------------------------------------------------------- */

#define DRIVER(init, count)                                             \
	"#include <stdlib.h>\n#include <string.h>\n"                    \
	"int cuInit(unsigned f) { (void)f; " init " }\n"                \
	"int cuDriverGetVersion(int *v) { *v = 13000; return 0; }\n"    \
	"int cuDeviceGetCount(int *n) { *n = " count "; return 0; }\n"  \
	"int cuDeviceGet(int *d, int i) { *d = i; return 0; }\n"        \
	"int cuDeviceGetName(char *s, int n, int d)"                    \
	"{ (void)n; (void)d; strcpy(s, \"NVIDIA Test\"); return 0; }\n" \
	"int cuDeviceGetAttribute(int *v, int a, int d)"                \
	"{ (void)d; *v = a == 75 ? 9 : 0; return 0; }\n"                \
	"int cuDeviceTotalMem_v2(size_t *b, int d)"                     \
	"{ (void)d; *b = 1 << 30; return 0; }\n"                        \
	"int cuDeviceGetUuid(unsigned char *u, int d)"                  \
	"{ (void)d; for (int i = 0; i < 16; i++) u[i] = i; return 0; }\n"

/* Compiles a driver and asks it. */
static void ask(struct gpus *out, const char *source)
{
	cleanup_free char *folder = NULL, *c = NULL, *so = NULL;
	cleanup_process_result struct process_result r = {0};

	assert_null(dir_make_temp(&folder, "/tmp", "avogit-test-"));
	c = xasprintf("%s/driver.c", folder);
	so = xasprintf("%s/driver.so", folder);
	assert_null(file_write(c, source, strlen(source), false));
	{
		const char *argv[] = {"cc", "-shared", "-fPIC", "-w",
				      "-o", so,	       c,	NULL};
		struct process_spec spec = {.argv = argv};

		assert_null(process_run(&r, &spec, 4096));
		assert_int_equal(r.exit_code, 0);
	}
	setenv("AVOGIT_LIBCUDA", so, 1);
	assert_null(gpu_probe(out));
	unsetenv("AVOGIT_LIBCUDA");
	error_free(dir_remove(folder));
}

static void knows_the_gpus_that_the_driver_knows(void **state)
{
	struct gpus g;
	char arch[GPU_ARCH_SIZE];

	(void)state;
	ask(&g, DRIVER("return 0;", "2"));
	assert_int_equal(g.n, 2);
	assert_int_equal(g.cuda, 13000);
	assert_string_equal(g.why, "");
	assert_string_equal(g.gpu[1].name, "NVIDIA Test");
	assert_string_equal(g.gpu[1].uuid,
			    "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f");
	assert_int_equal(g.gpu[1].memory, 1 << 30);
	gpu_arch(arch, &g.gpu[0]);
	assert_string_equal(arch, "sm_90a");
	g.gpu[0].major = 8;
	g.gpu[0].minor = 6;
	gpu_arch(arch, &g.gpu[0]);
	assert_string_equal(arch, "sm_86");
}

static void a_card_that_cannot_run_the_code_is_none(void **state)
{
	static const struct {
		int major, minor;
		const char *arch;
		bool runs;
	} cases[] = {
		{9, 0, "sm_90a", true},	  {9, 0, "sm_90", true},
		{9, 0, "sm_80", false},	  {9, 0, "sm_100a", false},
		{8, 0, "sm_80", true},	  {8, 0, "sm_86", false},
		{8, 9, "sm_86", true},	  {10, 3, "sm_100", true},
		{10, 3, "sm_100f", true}, {10, 3, "sm_100a", false},
		{10, 3, "sm_103a", true}, {12, 0, "sm_100f", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct gpus g = {.n = 2};

		g.gpu[0].major = cases[i].major;
		g.gpu[0].minor = cases[i].minor;
		snprintf(g.gpu[0].name, sizeof g.gpu[0].name, "Test");
		gpus_keep_for(&g, cases[i].arch);
		if ((g.n == 2) != cases[i].runs)
			fail_msg("%s on %d.%d", cases[i].arch, cases[i].major,
				 cases[i].minor);
		if (!g.n && !strstr(g.why, "runs no code for"))
			fail_msg("%s", g.why);
	}
}

static void a_card_is_chosen_by_number_or_uuid(void **state)
{
	static const struct {
		const char *word, *uuid, *why;
	} cases[] = {
		{"0", "GPU-aa01", NULL},
		{"2", "GPU-bb03", NULL},
		{"GPU-bb03", "GPU-bb03", NULL},
		{"GPU-b", "GPU-bb03", NULL},
		{"GPU-aa", NULL, "'GPU-aa' names several of the 3 GPUs here"},
		{"GPU-", NULL, "several"},
		{"3", NULL,
		 "'3' names none of the 3 GPUs here: give a number "
		 "from 0 to 2, or a UUID"},
		{"-1", NULL, "none"},
		{"1x", NULL, "none"},
		{"bb03", NULL, "none"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct gpus g = {.gpu = {{.uuid = "GPU-aa01"},
					 {.uuid = "GPU-aa02"},
					 {.uuid = "GPU-bb03"}},
				 .n = 3};
		cleanup_error struct error *err =
			gpus_choose(&g, cases[i].word);

		if (cases[i].why) {
			assert_true(error_is(err, ERROR_USAGE));
			assert_non_null(
				strstr(error_message(err), cases[i].why));
			assert_int_equal(g.n, 3);
			continue;
		}
		assert_null(err);
		assert_int_equal(g.n, 1);
		assert_string_equal(g.gpu[0].uuid, cases[i].uuid);
	}
}

static void no_card_can_be_chosen_where_there_is_none(void **state)
{
	struct gpus g = {.why = "the driver has no device"};
	cleanup_error struct error *err = gpus_choose(&g, "0");

	(void)state;
	assert_true(error_is(err, ERROR_REFUSED));
	assert_string_equal(error_message(err),
			    "there is no GPU here that could be '0': the "
			    "driver has no device");
}

static void cards_are_chosen_by_the_environment_alone(void **state)
{
	cleanup_strvec struct strvec env = STRVEC_INIT;
	struct gpus g;

	(void)state;
	setenv("CUDA_VISIBLE_DEVICES", "3", 1);
	ask(&g, DRIVER("return 100;", "0"));
	assert_non_null(strstr(g.why, "; CUDA_VISIBLE_DEVICES is '3'"));
	gpu_visible(&env, NULL);
	unsetenv("CUDA_VISIBLE_DEVICES");
	assert_int_equal(env.n, 1);
	assert_string_equal(env.v[0], "CUDA_VISIBLE_DEVICES=3");
	gpu_visible(&env, NULL);
	assert_int_equal(env.n, 1);
}

static void assert_alone(const struct gpu *g, const char *word,
			 const char *node)
{
	cleanup_strvec struct strvec env = STRVEC_INIT;
	cleanup_strvec struct strvec nodes = STRVEC_INIT;

	gpu_alone(&env, &nodes, g);
	assert_int_equal(env.n, !!word);
	if (word)
		assert_string_equal(env.v[0], word);
	if (node) {
		assert_int_equal(nodes.n, 1);
		assert_string_equal(nodes.v[0], node);
	}
}

static void a_runner_sees_its_own_card_alone(void **state)
{
	static const struct gpu g = {.uuid = "GPU-8a", .node = 3},
				nameless = {.node = -1};

	(void)state;
	assert_alone(&g, "CUDA_VISIBLE_DEVICES=GPU-8a", "/dev/nvidia3");
	assert_alone(&nameless, NULL, NULL);
	setenv("CUDA_VISIBLE_DEVICES", "3", 1);
	assert_alone(&g, "CUDA_VISIBLE_DEVICES=GPU-8a", "/dev/nvidia3");
	assert_alone(&nameless, "CUDA_VISIBLE_DEVICES=3", NULL);
	/* A part of a card has another name than the card. */
	setenv("CUDA_VISIBLE_DEVICES", "MIG-1", 1);
	assert_alone(&g, "CUDA_VISIBLE_DEVICES=MIG-1", NULL);
	unsetenv("CUDA_VISIBLE_DEVICES");
}

static void a_driver_that_fails_is_no_gpu(void **state)
{
	static const struct {
		const char *source, *why;
	} drivers[] = {
		{DRIVER("return 100;", "0"), "cuInit with 100 (no device)"},
		{DRIVER("return 0;", "0"), "no device"},
		{DRIVER("abort();", "0"), "by signal 6"},
		{DRIVER("_Exit(0);", "0"), "ended the process"},
		{"int x;\n", "not a library of a driver"},
		{"#include <stdlib.h>\n__attribute__((constructor)) void f("
		 "void) { abort(); }\n",
		 "by signal 6"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(drivers); i++) {
		struct gpus g;

		ask(&g, drivers[i].source);
		assert_int_equal(g.n, 0);
		if (!strstr(g.why, drivers[i].why))
			fail_msg("%s", g.why);
	}
}

static void no_driver_is_no_gpu(void **state)
{
	struct gpus g;

	(void)state;
	setenv("AVOGIT_LIBCUDA", "/nonexistent/libcuda.so.1", 1);
	assert_null(gpu_probe(&g));
	unsetenv("AVOGIT_LIBCUDA");
	assert_int_equal(g.n, 0);
	assert_non_null(strstr(g.why, "cannot be opened"));
}

/* ---- the toolkit, and nvcc itself where it is --------------------------- */

static void a_folder_that_is_no_toolkit_is_named(void **state)
{
	cleanup_toolkit struct toolkit t = {0};
	cleanup_error struct error *err = NULL;

	(void)state;
	setenv("CUDA_HOME", "/tmp", 1);
	err = toolkit_find(&t);
	unsetenv("CUDA_HOME");
	assert_true(error_is(err, ERROR_NOT_FOUND));
	assert_non_null(strstr(error_message(err), "/tmp holds no CUDA"));
}

static void read_all(struct buf *out, int fd)
{
	char chunk[4096];
	ssize_t n;
	off_t at = 0;

	while ((n = pread(fd, chunk, sizeof chunk, at)) > 0) {
		buf_add(out, chunk, (size_t)n);
		at += n;
	}
}

/* -rdc, two files, a second architecture: all in one compile. */
static void the_cubin_is_the_one_in_the_object(void **state)
{
	cleanup_toolkit struct toolkit t = {0};
	struct error *none = toolkit_find(&t);
	cleanup_sandbox struct sandbox *sandbox = NULL;
	cleanup_fileset struct fileset files = {0};
	cleanup_builder struct builder *b = NULL;
	cleanup_build struct build first = BUILD_INIT, again = BUILD_INIT;
	cleanup_free char *cache = NULL;
	cleanup_buf struct buf object = BUF_INIT(BUILD_OBJECT_LIMIT);
	cleanup_buf struct buf cubin = BUF_INIT(BUILD_OBJECT_LIMIT);
	struct task task = {.language = LANGUAGE_CUDA, .build_seconds = 300};
	static const char a[] =
		"__device__ int twice(int);\n"
		"extern \"C\" __global__ void k(int *x) { *x = twice(*x); }\n"
		"extern \"C\" void run(int *x, cudaStream_t s) "
		"{ k<<<1, 1, 0, s>>>(x); }\n";
	static const char c[] = "__device__ int twice(int x) { return 2 * x; "
				"}\n";

	(void)state;
	if (none) {
		print_message("# no nvcc: %s\n", error_message(none));
		error_free(none);
		return;
	}
	task.prefix = xstrdup("");
	task.cuda.arch = xstrdup("sm_90a");
	task.cuda.rdc = true;
	strvec_push(&task.cuda.also, "sm_80");
	strvec_push(&task.sources, "*.cu");
	assert_null(fileset_put(&files, "a.cu", a, strlen(a), false));
	assert_null(fileset_put(&files, "c.cu", c, strlen(c), false));
	assert_null(sandbox_probe(&sandbox));
	assert_null(dir_make_temp(&cache, "/tmp", "avogit-test-"));
	assert_null(builder_new(&b, &task, sandbox, cache, NULL));
	assert_null(build_candidate(&first, b, &files));
	assert_null(first.first_error);
	assert_int_equal(first.n_cubins, 1);
	assert_int_equal(first.resources.n, 1);
	assert_true(resources_get(&first.resources, "k")->registers > 0);
	read_all(&object, first.object_fd);
	read_all(&cubin, first.cubin_fd[0]);
	assert_non_null(memmem(object.data, object.len, cubin.data, cubin.len));
	assert_int_equal(((Elf64_Ehdr *)(void *)cubin.data)->e_machine, 190);
	assert_null(build_candidate(&again, b, &files));
	assert_true(again.cached);
	assert_string_equal(again.cubins_id, first.cubins_id);
	assert_true(resources_get(&again.resources, "k")->registers ==
		    resources_get(&first.resources, "k")->registers);
	error_free(dir_remove(cache));
	strvec_release(&task.sources);
	strvec_release(&task.cuda.also);
	free(task.cuda.arch);
	free(task.prefix);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			reads_what_each_kernel_takes_on_the_one_architecture),
		cmocka_unit_test(keeps_what_ptxas_remarks_on_wgmma_once_a_kind),
		cmocka_unit_test(
			with_rdc_only_kernels_count_and_the_linker_knows_best),
		cmocka_unit_test(the_linkers_registers_stand),
		cmocka_unit_test(the_first_error_is_the_one_that_matters),
		cmocka_unit_test(finds_the_cubins_of_the_architecture),
		cmocka_unit_test(says_that_device_code_is_compressed),
		cmocka_unit_test(damaged_objects_do_no_harm),
		cmocka_unit_test(knows_the_gpus_that_the_driver_knows),
		cmocka_unit_test(a_card_that_cannot_run_the_code_is_none),
		cmocka_unit_test(a_card_is_chosen_by_number_or_uuid),
		cmocka_unit_test(no_card_can_be_chosen_where_there_is_none),
		cmocka_unit_test(cards_are_chosen_by_the_environment_alone),
		cmocka_unit_test(a_runner_sees_its_own_card_alone),
		cmocka_unit_test(a_driver_that_fails_is_no_gpu),
		cmocka_unit_test(no_driver_is_no_gpu),
		cmocka_unit_test(a_folder_that_is_no_toolkit_is_named),
		cmocka_unit_test(the_cubin_is_the_one_in_the_object),
	};

	return cmocka_run_group_tests_name("build in CUDA", tests, NULL, NULL);
}
