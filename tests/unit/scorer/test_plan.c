/* A plan that a candidate's process wrote: none of its counts is believed, by the
 * launcher that replays it or by the scorer that names it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scorer/host/gpu_setup.h"
#include "scorer/runner_gpu/replay.h"
#include "scorer/wire/set.h"

#define IMAGES	   2
#define CODE_BYTES 4096
#define INPUTS	   ((uint64_t)0x6000 << 32)

/* ---- a driver that has every kernel ---------------------------------------- */

static size_t loaded, looked_for;

static CUresult module_load(CUmodule *out, const void *image)
{
	assert_memory_equal(image, ELFMAG, SELFMAG);
	loaded++;
	*out = (CUmodule)&loaded;
	return 0;
}

static CUresult module_unload(CUmodule m)
{
	(void)m;
	loaded--;
	return 0;
}

static CUresult module_function(CUfunction *out, CUmodule m, const char *name)
{
	(void)m;
	looked_for++;
	*out = (CUfunction)&looked_for;
	return str_eq(name, "kernel") ? 0 : 500;
}

static CUresult function_set(CUfunction f, int which, int to)
{
	(void)f;
	(void)which;
	(void)to;
	return 0;
}

static CUresult no_memory(CUmemGenericAllocationHandle *out, size_t bytes,
			  const CUmemAllocationProp *p,
			  unsigned long long flags)
{
	(void)out;
	(void)p;
	(void)flags;
	assert_true(bytes <= (uint64_t)8 << 30);
	return 2;
}

static CUresult memory_info(size_t *free_bytes, size_t *all)
{
	*free_bytes = *all = 0;
	return 0;
}

static CUresult error_name(CUresult r, const char **name)
{
	*name = r ? "CUDA_ERROR" : "CUDA_SUCCESS";
	return 0;
}

/* ---- a plan ------------------------------------------------------------------ */

/* As it lies in the memory file, and no byte longer. */
struct plan {
	struct plan_launch launch[IMAGES];
	unsigned char code[CODE_BYTES];
};

static void put_code(struct plan *p, uint64_t bytes, const Elf64_Ehdr *head)
{
	memcpy(p->code, &bytes, sizeof bytes);
	memcpy(p->code + sizeof bytes, head, sizeof *head);
}

static Elf64_Ehdr a_head(void)
{
	return (Elf64_Ehdr){.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
					ELFCLASS64},
			    .e_shoff = sizeof(Elf64_Ehdr),
			    .e_shentsize = sizeof(Elf64_Shdr),
			    .e_shnum = 1};
}

/* Two kernels of its own, one after the other. */
static struct plan *a_plan(void)
{
	struct plan *p = xcalloc(1, sizeof *p);
	const Elf64_Ehdr head = a_head();

	for (size_t k = 0; k < IMAGES; k++) {
		p->launch[k].n_nodes = 2;
		p->launch[k].node[1].after = 1;
		for (size_t i = 0; i < 2; i++) {
			struct plan_node *n = &p->launch[k].node[i];

			n->kind = PLAN_KERNEL;
			n->module = 1;
			n->parameter_bytes = 16;
			n->carveout = -1;
			snprintf(n->name, sizeof n->name, "kernel");
		}
	}
	put_code(p, sizeof head + sizeof(Elf64_Shdr), &head);
	return p;
}

/* What the launcher says of it; NULL: it takes it. */
static char *said(const struct plan *p)
{
	struct gpu_device g = {.granularity = (size_t)2 << 20};
	cleanup_free struct gpu_replay *r = xcalloc(1, sizeof *r);
	const char *why;
	char *out;

	g.cuda.module_load = module_load;
	g.cuda.module_unload = module_unload;
	g.cuda.module_function = module_function;
	g.cuda.function_set = function_set;
	g.cuda.create = no_memory;
	g.cuda.memory_info = memory_info;
	g.cuda.error_name = error_name;
	r->gpu = &g;
	loaded = 0;
	why = replay_take(r, p->launch, IMAGES, false, sizeof p->code);
	out = why ? xstrdup(why) : NULL;
	replay_release(r);
	assert_int_equal(loaded, 0);
	return out;
}

static void named(char id[HASH_HEX_LEN + 1], const struct plan *p)
{
	const struct gpu_addresses at = {
		.inputs_at = INPUTS, .images = IMAGES, .inputs_bytes = 4096};
	cleanup_fd int fd = -1;

	assert_null(sized_memfd(&fd, "plan", sizeof *p));
	assert_int_equal(pwrite(fd, p, sizeof *p, 0), sizeof *p);
	assert_null(gpu_plan_id(id, fd, false, &at));
}

/* ---- tests ------------------------------------------------------------------- */

static void a_plan_that_can_be_is_taken_and_named_without_its_addresses(
	void **state)
{
	cleanup_free struct plan *p = a_plan();
	cleanup_free struct plan *moved = a_plan();
	cleanup_free char *why = said(p);
	const uint64_t here = INPUTS + 64, there = INPUTS + 128;
	char id[HASH_HEX_LEN + 1], other[HASH_HEX_LEN + 1];

	(void)state;
	assert_null(why);
	memcpy(p->launch[0].node[0].parameter, &here, sizeof here);
	memcpy(moved->launch[0].node[0].parameter, &there, sizeof there);
	named(id, p);
	named(other, moved);
	assert_string_not_equal(id, other);
	moved->launch[0].node[0] = p->launch[0].node[0];
	named(other, moved);
	assert_string_equal(id, other);
}

/* `change` one of a plan, of the last image: it is refused with these words, and
 * the scorer still gives it a name. */
static void refuses(const struct plan *p, const char *words)
{
	cleanup_free char *why = said(p);
	char id[HASH_HEX_LEN + 1];

	assert_non_null(why);
	assert_non_null(strstr(why, words));
	named(id, p);
	assert_int_equal(strlen(id), HASH_HEX_LEN);
}

static void counts_of_nodes_that_cannot_be_are_refused(void **state)
{
	static const uint32_t counts[] = {PLAN_NODES + 1, INT32_MAX,
					  (uint32_t)INT32_MIN, UINT32_MAX};

	(void)state;
	for (size_t k = 0; k < IMAGES; k++)
		for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
			cleanup_free struct plan *p = a_plan();

			p->launch[k].n_nodes = counts[i];
			refuses(p, "the plan is broken");
			p->launch[k].n_nodes = 2;
			p->launch[k].node[1].parameter_bytes =
				MAX(counts[i], PLAN_PARAMETER + 1U);
			refuses(p, "the plan is broken");
		}
}

static void an_empty_one_is_said_to_launch_nothing(void **state)
{
	cleanup_free struct plan *p = a_plan();

	(void)state;
	p->launch[1].n_nodes = 0;
	refuses(p, "it launched nothing when it was captured");
}

static void nodes_wait_for_earlier_ones_alone(void **state)
{
	(void)state;
	for (uint32_t bit = 1; bit < 32; bit++) {
		cleanup_free struct plan *p = a_plan();

		p->launch[1].node[1].after = 1U << bit;
		refuses(p, "the plan is broken");
		p->launch[1].node[1].after = 1;
		p->launch[1].node[1].early = 1U << bit;
		refuses(p, "the plan is broken");
	}
}

static void a_name_without_an_end_and_another_kind_are_refused(void **state)
{
	cleanup_free struct plan *p = a_plan();

	(void)state;
	memset(p->launch[1].node[1].name, 'k', PLAN_NAME);
	refuses(p, "the plan is broken");
	snprintf(p->launch[1].node[1].name, PLAN_NAME, "kernel");
	p->launch[1].node[1].kind = PLAN_KINDS;
	refuses(p, "the plan is broken");
}

static void code_that_is_not_there_launches_nothing(void **state)
{
	cleanup_free struct plan *p = a_plan();

	(void)state;
	p->launch[0].node[0].module = 2;
	refuses(p, "it launches a kernel that is not its own");
	p->launch[0].node[0].module = UINT32_MAX;
	refuses(p, "it launches a kernel that is not its own");
}

static void code_longer_than_the_file_is_refused(void **state)
{
	static const uint64_t lengths[] = {CODE_BYTES - 7, PLAN_CODE_BYTES + 1,
					   INT64_MAX, UINT64_MAX};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		cleanup_free struct plan *p = a_plan();
		const Elf64_Ehdr head = a_head();

		put_code(p, lengths[i], &head);
		refuses(p, "the plan's code is broken");
	}
}

static void tables_outside_of_the_code_are_refused(void **state)
{
	const uint64_t bytes = sizeof(Elf64_Ehdr) + sizeof(Elf64_Shdr);
	cleanup_free struct plan *p = a_plan();
	Elf64_Shdr section = {.sh_type = SHT_PROGBITS};
	Elf64_Ehdr head[] = {a_head(), a_head(), a_head(), a_head(), a_head()};

	(void)state;
	head[0].e_shoff = UINT64_MAX - 8;
	head[1].e_shnum = 2;
	head[2].e_phnum = PN_XNUM;
	head[2].e_phentsize = sizeof(Elf64_Phdr);
	head[3].e_phoff = bytes + 1;
	head[4].e_shnum = 0; /* their number would be in the first */
	for (size_t i = 0; i < ARRAY_SIZE(head); i++) {
		put_code(p, bytes, &head[i]);
		refuses(p, "the plan's code is not a cubin");
	}
	head[0] = a_head();
	put_code(p, bytes, head);
	section.sh_offset = UINT64_MAX;
	section.sh_size = 2;
	memcpy(p->code + 8 + sizeof *head, &section, sizeof section);
	refuses(p, "the plan's code is not a cubin");
}

static void memory_of_its_own_is_bounded_wherever_it_lies(void **state)
{
	static const struct {
		uint64_t at, width;
		const char *words;
	} one[] = {
		{INPUTS, UINT64_MAX, "more than 8 GiB"},
		{UINT64_MAX - 4, 8, "more than 8 GiB"},
		{UINT64_MAX / 2, ((uint64_t)8 << 30) + 1, "more than 8 GiB"},
		/* Far from the other, which lies on the inputs. */
		{INPUTS + ((uint64_t)9 << 30), 8, "more than 8 GiB"},
		{INPUTS + 4096, 8192, "CUDA_ERROR"}, /* over it: the driver's */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(one); i++) {
		cleanup_free struct plan *p = a_plan();
		struct plan_node *n = p->launch[1].node;

		n[0].kind = n[1].kind = PLAN_ALLOCATION;
		n[0].at = INPUTS;
		n[0].width = 8192;
		n[1].at = one[i].at;
		n[1].width = one[i].width;
		refuses(p, one[i].words);
	}
}

/* ---- a copy that its writer cannot reach ----------------------------------- */

#define FAR ((off_t)2 << 20)

static void a_copy_stays_what_it_was_and_has_the_holes(void **state)
{
	cleanup_fd int plan = -1;
	cleanup_fd int copy = -1;
	struct stat st;
	char is[4] = "";

	(void)state;
	assert_null(sized_memfd(&plan, "plan", (size_t)2 * FAR + 3));
	assert_int_equal(pwrite(plan, "one", 3, 0), 3);
	assert_int_equal(pwrite(plan, "two", 3, FAR + 5), 3);
	assert_int_equal(pwrite(plan, "end", 3, 2 * FAR), 3);
	assert_null(gpu_plan_copy(&copy, plan));
	assert_int_equal(pwrite(plan, "new", 3, 0), 3);
	assert_int_equal(pread(copy, is, 3, 0), 3);
	assert_string_equal(is, "one");
	assert_int_equal(pread(copy, is, 3, FAR + 5), 3);
	assert_string_equal(is, "two");
	assert_int_equal(pread(copy, is, 3, 2 * FAR), 3);
	assert_string_equal(is, "end");
	assert_int_equal(fstat(copy, &st), 0);
	assert_int_equal(st.st_size, 2 * FAR + 3);
	assert_true(st.st_blocks * 512 < FAR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_plan_that_can_be_is_taken_and_named_without_its_addresses),
		cmocka_unit_test(counts_of_nodes_that_cannot_be_are_refused),
		cmocka_unit_test(an_empty_one_is_said_to_launch_nothing),
		cmocka_unit_test(nodes_wait_for_earlier_ones_alone),
		cmocka_unit_test(
			a_name_without_an_end_and_another_kind_are_refused),
		cmocka_unit_test(code_that_is_not_there_launches_nothing),
		cmocka_unit_test(code_longer_than_the_file_is_refused),
		cmocka_unit_test(tables_outside_of_the_code_are_refused),
		cmocka_unit_test(a_copy_stays_what_it_was_and_has_the_holes),
		cmocka_unit_test(memory_of_its_own_is_bounded_wherever_it_lies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
