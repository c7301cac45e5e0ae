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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			no_page_of_outputs_is_written_for_the_first_time_later),
		cmocka_unit_test(what_is_in_outputs_stays),
	};

	return cmocka_run_group_tests_name("mapping", tests, NULL, NULL);
}
