/* The judge's memory of cases: what is kept for when they come again. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <unistd.h>

#include "scorer/runner_gpu/judge_memory.h"

#define MIB  ((size_t)1 << 20)
#define CARD (1024 * MIB)

/* ---- a driver that counts --------------------------------------------------- */

static struct {
	size_t bytes[512];
	size_t made, used;
} card;

static CUresult create(CUmemGenericAllocationHandle *out, size_t bytes,
		       const CUmemAllocationProp *p, unsigned long long flags)
{
	(void)p;
	(void)flags;
	if (card.used + bytes > CARD)
		return 2;
	card.bytes[++card.made] = bytes;
	card.used += bytes;
	*out = card.made;
	return 0;
}

static CUresult release(CUmemGenericAllocationHandle handle)
{
	assert_true(card.bytes[handle]);
	card.used -= card.bytes[handle];
	card.bytes[handle] = 0;
	return 0;
}

static CUresult reserve(CUdeviceptr *out, size_t bytes, size_t alignment,
			CUdeviceptr at, unsigned long long flags)
{
	(void)bytes;
	(void)alignment;
	(void)at;
	(void)flags;
	*out = 4096;
	return 0;
}

static CUresult unreserve(CUdeviceptr at, size_t bytes)
{
	(void)at;
	(void)bytes;
	return 0;
}

static CUresult map(CUdeviceptr at, size_t bytes, size_t offset,
		    CUmemGenericAllocationHandle handle,
		    unsigned long long flags)
{
	(void)at;
	(void)bytes;
	(void)offset;
	(void)handle;
	(void)flags;
	return 0;
}

static CUresult set_access(CUdeviceptr at, size_t bytes,
			   const CUmemAccessDesc *access, size_t n)
{
	(void)at;
	(void)bytes;
	(void)access;
	(void)n;
	return 0;
}

static CUresult export_fd(void *fd, CUmemGenericAllocationHandle handle,
			  int type, unsigned long long flags)
{
	(void)handle;
	(void)type;
	(void)flags;
	*(int *)fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return 0;
}

static CUresult memory_info(size_t *free_bytes, size_t *all)
{
	*free_bytes = CARD - card.used;
	*all = CARD;
	return 0;
}

static CUresult error_name(CUresult r, const char **name)
{
	*name = r ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_SUCCESS";
	return 0;
}

static struct gpu_device a_gpu(void)
{
	struct gpu_device g = {.granularity = 2 * MIB};

	memset(&card, 0, sizeof card);
	g.cuda.create = create;
	g.cuda.release = release;
	g.cuda.reserve = reserve;
	g.cuda.unreserve = unreserve;
	g.cuda.map = map;
	g.cuda.unmap = unreserve;
	g.cuda.set_access = set_access;
	g.cuda.export_fd = export_fd;
	g.cuda.memory_info = memory_info;
	g.cuda.error_name = error_name;
	return g;
}

/* ---- tests ------------------------------------------------------------------- */

static void buffers_are_shared_but_for_what_is_apart(void **state)
{
	struct gpu_device g = a_gpu();
	struct judge_buffers r = {0};

	(void)state;
	assert_null(judge_buffers_make(&r, &g, 3 * MIB, MIB, 2, false));
	assert_int_equal(r.n_given, 3);
	assert_int_equal(card.used, 4 * MIB + 2 * 2 * MIB);
	assert_null(judge_buffers_make(&r, &g, 3 * MIB, MIB, 2, true));
	assert_int_equal(r.n_given, 0);
	assert_int_equal(card.used, 4 * MIB + 2 * 2 * MIB);
	judge_buffers_release(&r, &g);
	assert_int_equal(card.used, 0);
}

static void what_is_shown_was_never_shown_before(void **state)
{
	struct gpu_device g = a_gpu();
	struct judge_buffers r = {0};
	CUmemGenericAllocationHandle first;

	(void)state;
	assert_null(judge_buffers_make(&r, &g, 3 * MIB, MIB, 2, true));
	assert_null(judge_buffers_show(&r, &g, 1));
	first = r.shown_inputs[1].handle;
	assert_int_equal(card.used, 2 * 4 * MIB + 3 * 2 * MIB);
	for (size_t i = 0; i < 2; i++)
		assert_true(fcntl(r.shown[i], F_GETFD) >= 0);
	/* Of the one before nothing is left. */
	assert_null(judge_buffers_show(&r, &g, 1));
	assert_true(r.shown_inputs[1].handle > first);
	assert_int_equal(card.used, 2 * 4 * MIB + 3 * 2 * MIB);
	assert_null(judge_buffers_show(&r, &g, 0));
	assert_int_equal(card.used, 3 * 4 * MIB + 4 * 2 * MIB);
	judge_buffers_release(&r, &g);
	assert_int_equal(card.used, 0);
}

static void what_was_kept_is_given_again(void **state)
{
	struct gpu_device g = a_gpu();
	struct judge_buffers r = {0};
	struct buffer_pool s = {0};

	(void)state;
	assert_null(judge_buffers_make(&r, &g, 5 * MIB, MIB, 2, false));
	buffer_pool_put(&s, &r, &g);
	assert_int_equal(r.slots, 0);
	assert_int_equal(s.n, 1);
	/* Another size, or for others. */
	assert_false(buffer_pool_take(&r, &s, &g, 7 * MIB, MIB, 2));
	assert_false(buffer_pool_take(&r, &s, &g, 5 * MIB, 3 * MIB, 2));
	assert_false(buffer_pool_take(&r, &s, &g, 5 * MIB, MIB, 3));
	/* As many pages are as good as as many bytes. */
	assert_true(buffer_pool_take(&r, &s, &g, 6 * MIB, 2 * MIB, 2));
	assert_int_equal(s.n, 0);
	assert_int_equal(card.made, 3);
	assert_true(fcntl(r.given[2], F_GETFD) >= 0);
	judge_buffers_release(&r, &g);
	assert_int_equal(card.used, 0);
}

static void what_was_apart_is_never_kept(void **state)
{
	struct gpu_device g = a_gpu();
	struct judge_buffers r = {0};
	struct buffer_pool s = {0};

	(void)state;
	assert_null(judge_buffers_make(&r, &g, 5 * MIB, MIB, 2, true));
	buffer_pool_put(&s, &r, &g);
	assert_int_equal(s.n, 0);
	assert_int_equal(card.used, 0);
}

static void the_oldest_go_where_it_is_too_much(void **state)
{
	struct gpu_device g = a_gpu();
	struct judge_buffers r = {0};
	struct buffer_pool s = {0};

	(void)state;
	for (size_t i = 1; i <= 6; i++) {
		assert_null(judge_buffers_make(&r, &g, 20 * i * MIB, 2 * MIB, 1,
					       false));
		buffer_pool_put(&s, &r, &g);
		buffer_pool_trim(&s, &g);
		assert_true(card.used <= CARD / 8);
	}
	/* The last alone: a hundred and twenty MiB of 128. */
	assert_int_equal(s.n, 1);
	assert_true(buffer_pool_take(&r, &s, &g, 120 * MIB, 2 * MIB, 1));
	judge_buffers_release(&r, &g);
}

static void nothing_is_kept_on_a_card_that_is_full(void **state)
{
	struct gpu_device g = a_gpu();
	struct judge_buffers r = {0};
	struct buffer_pool s = {0};

	(void)state;
	assert_null(judge_buffers_make(&r, &g, 10 * MIB, 2 * MIB, 1, false));
	buffer_pool_put(&s, &r, &g);
	card.used += CARD / 2; /* another program's */
	buffer_pool_trim(&s, &g);
	assert_int_equal(s.n, 0);
	assert_int_equal(card.used, CARD / 2);
}

static void a_pool_has_an_end(void **state)
{
	struct gpu_device g = a_gpu();
	struct judge_buffers r = {0};
	struct buffer_pool s = {0};

	(void)state;
	for (size_t i = 0; i <= BUFFER_POOL_MAX; i++) {
		assert_null(judge_buffers_make(&r, &g, (2 * i + 2) * MIB,
					       2 * MIB, 1, false));
		buffer_pool_put(&s, &r, &g);
	}
	assert_int_equal(s.n, BUFFER_POOL_MAX);
	assert_false(buffer_pool_take(&r, &s, &g, 2 * MIB, 2 * MIB, 1));
	assert_true(buffer_pool_take(&r, &s, &g, 4 * MIB, 2 * MIB, 1));
	judge_buffers_release(&r, &g);
	buffer_pool_clear(&s, &g);
	assert_int_equal(card.used, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buffers_are_shared_but_for_what_is_apart),
		cmocka_unit_test(what_is_shown_was_never_shown_before),
		cmocka_unit_test(what_was_kept_is_given_again),
		cmocka_unit_test(what_was_apart_is_never_kept),
		cmocka_unit_test(the_oldest_go_where_it_is_too_much),
		cmocka_unit_test(nothing_is_kept_on_a_card_that_is_full),
		cmocka_unit_test(a_pool_has_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
