#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/mman.h>
#include <unistd.h>

#include "core/base/file.h"
#include "scorer/runner/mapping.h"
#include "scorer/wire/set.h"

#define PAGES  40
#define IMAGES 2
#define AT     ((uint64_t)0x2345 << 32)
#define BYTES  ((size_t)PAGES * LAYOUT_PAGE)

/* One output of PAGES pages. */
static struct entry_call *call_of_output(void)
{
	struct entry_call *c = xcalloc(1, sizeof *c);

	c->batch = IMAGES;
	c->layout.n = 1;
	c->layout.region_bytes[REGION_OUTPUT] = BYTES;
	c->layout.arg[0].is_tensor = true;
	c->layout.arg[0].tensor =
		(struct tensor_layout){.region = REGION_OUTPUT,
				       .end = BYTES,
				       .bytes = BYTES,
				       .n_dims = 1,
				       .elements = (int64_t)BYTES / 4,
				       .shape = {(int64_t)BYTES / 4},
				       .stride = {1}};
	return c;
}

static void must(struct error *err)
{
	if (err)
		fail_msg("%s", error_message(err));
}

/* A file of outputs as the scorer opens one: its pages are there, and nothing
 * has written to any. */
static int outputs_file(size_t bytes)
{
	int fd = -1;
	void *p;

	must(sized_memfd(&fd, "outputs", bytes));
	p = mmap(NULL, bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
	assert_true(p != MAP_FAILED);
	munmap(p, bytes);
	return fd;
}

/* KiB of a key of /proc/self/smaps, of all mappings in [from, to). */
static size_t kib_of(const char *key, uint64_t from, uint64_t to)
{
	cleanup_buf struct buf text = BUF_INIT(16 << 20);
	size_t sum = 0;
	bool in = false;

	must(file_read(&text, "/proc/self/smaps"));
	for (const char *line = text.data; line && *line;
	     line = strchr(line, '\n')) {
		unsigned long long begin, end;

		line += *line == '\n';
		if (sscanf(line, "%llx-%llx ", &begin, &end) == 2)
			in = begin >= from && end <= to;
		else if (in && starts_with(line, key))
			sum += strtoull(line + strlen(key), NULL, 10);
	}
	return sum;
}

static void no_page_of_outputs_is_written_for_the_first_time_later(void **state)
{
	cleanup_free struct entry_call *c = call_of_output();
	cleanup_mapping struct mapping m = {0};
	size_t bytes = IMAGES * entry_call_outputs_bytes(c);
	cleanup_fd int fd = outputs_file(bytes);
	uint64_t base;

	(void)state;
	if (access("/proc/self/smaps", R_OK) < 0)
		skip();
	assert_null(mapping_guarded(&m, fd, c, OUTPUTS_MASK,
				    entry_call_outputs_bytes(c), MAPPING_WRITE,
				    AT));
	base = (uint64_t)(uintptr_t)m.base;
	assert_int_equal(kib_of("Private_Dirty:", base, base + m.bytes) +
				 kib_of("Shared_Dirty:", base, base + m.bytes),
			 bytes / 1024);
}

static void what_is_in_outputs_stays(void **state)
{
	cleanup_free struct entry_call *c = call_of_output();
	cleanup_mapping struct mapping m = {0};
	size_t bytes = IMAGES * entry_call_outputs_bytes(c);
	cleanup_fd int fd = outputs_file(bytes);
	unsigned char *in_file =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	(void)state;
	assert_true(in_file != MAP_FAILED);
	for (size_t i = 0; i < bytes; i++)
		in_file[i] = (unsigned char)(i % 251);
	assert_null(mapping_guarded(&m, fd, c, OUTPUTS_MASK,
				    entry_call_outputs_bytes(c), MAPPING_WRITE,
				    AT));
	for (uint32_t k = 0; k < IMAGES; k++)
		assert_memory_equal(mapping_tensor(&m, c, 0, k),
				    in_file + k * BYTES, BYTES);
	munmap(in_file, bytes);
}

/* ---- what lies round a tensor ------------------------------------------------ */

#define SLOTS 3

/* Inputs of one page, of two and of one. */
static struct entry_call *call_of_inputs(uint32_t batch)
{
	struct entry_call *c = xcalloc(1, sizeof *c);
	size_t *at = &c->layout.region_bytes[REGION_INPUT];

	c->batch = batch;
	c->layout.n = SLOTS;
	for (size_t i = 0; i < SLOTS; i++) {
		struct tensor_layout *t = &c->layout.arg[i].tensor;

		c->layout.arg[i].is_tensor = true;
		t->region = REGION_INPUT;
		t->begin = t->offset = *at;
		*at += (i == 1 ? 2UL : 1UL) * LAYOUT_PAGE;
		t->end = *at;
		t->bytes = t->end - t->begin;
	}
	return c;
}

/* Can this process read the byte? The kernel says so where a load would fault. */
static bool is_readable(const unsigned char *p)
{
	int end[2];
	bool is;

	assert_int_equal(pipe(end), 0);
	is = write(end[1], p, 1) == 1;
	close(end[0]);
	close(end[1]);
	return is;
}

static void a_step_past_either_end_of_any_tensor_faults(void **state)
{
	cleanup_free struct entry_call *c = call_of_inputs(IMAGES);
	cleanup_mapping struct mapping m = {0};
	size_t image = entry_call_inputs_bytes(c);
	cleanup_fd int fd = outputs_file(IMAGES * image);

	(void)state;
	assert_null(mapping_guarded(&m, fd, c, INPUTS_MASK, image, MAPPING_READ,
				    AT));
	for (uint32_t k = 0; k < IMAGES; k++)
		for (size_t i = 0; i < SLOTS; i++) {
			unsigned char *p = mapping_tensor(&m, c, i, k);
			size_t bytes = c->layout.arg[i].tensor.bytes;

			assert_true(is_readable(p));
			assert_true(is_readable(p + bytes - 1));
			assert_false(is_readable(p - 1));
			assert_false(is_readable(p - LAYOUT_PAGE));
			assert_false(is_readable(p + bytes));
			assert_false(is_readable(p + bytes + LAYOUT_PAGE - 1));
		}
}

/* Each slot is a mapping of its own where pages lie between, and a process may have
 * some 65,000. */
static void a_large_batch_has_few_mappings(void **state)
{
	cleanup_free struct entry_call *c = call_of_inputs(PROTOCOL_BATCH);
	struct image_map few = entry_call_image_map(c, INPUTS_MASK), many;

	(void)state;
	assert_int_equal(few.slot[1], few.slot[0] + 2 * LAYOUT_PAGE);
	c->layout.n = TASK_MAX_ARGS;
	many = entry_call_image_map(c, INPUTS_MASK);
	assert_int_equal(many.slot[1], many.slot[0] + LAYOUT_PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			no_page_of_outputs_is_written_for_the_first_time_later),
		cmocka_unit_test(what_is_in_outputs_stays),
		cmocka_unit_test(a_step_past_either_end_of_any_tensor_faults),
		cmocka_unit_test(a_large_batch_has_few_mappings),
	};

	return cmocka_run_group_tests_name("mapping", tests, NULL, NULL);
}
