/* Which array an address is told by, and the fences round an array of a reference. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>

#include "scorer/runner/guards.h"
#include "scorer/runner/mapping.h"

#define PAGE  ((size_t)LAYOUT_PAGE)
#define WORD  UINT64_C(0x0123456789abcdef)
#define BYTES 1000

static int forget(void **state)
{
	(void)state;
	guards_clear();
	return 0;
}

/* An array at `data` with `room` bytes on both sides. */
static void add(uint64_t data, size_t bytes, size_t room, uint32_t argument)
{
	const struct guard g = {
		.begin = (const unsigned char *)(uintptr_t)(data - room),
		.end = (const unsigned char *)(uintptr_t)(data + bytes + room),
		.data = (const unsigned char *)(uintptr_t)data,
		.bytes = bytes,
		.argument = argument,
		.side = argument % 2,
		.element = 8};

	guards_add(&g);
}

static void is_of(uint64_t address, uint32_t argument, int64_t at)
{
	struct array_access found = {0};

	assert_true(guards_find(&found, address));
	assert_int_equal(found.array, argument + 1);
	assert_int_equal(found.side, argument % 2);
	assert_int_equal(found.at, at);
	assert_int_equal(found.element, 8);
}

static void an_address_is_of_the_array_round_it(void **state)
{
	struct array_access found = {0};

	(void)state;
	add(0x10000, 800, PAGE, 3);
	is_of(0x10000, 3, 0);
	is_of(0x10000 + 799, 3, 799);
	is_of(0x10000 + 800, 3, 800);
	is_of(0x10000 - 8, 3, -8);
	is_of(0x10000 - PAGE, 3, -(int64_t)PAGE);
	assert_false(guards_find(&found, 0x10000 - PAGE - 1));
	assert_false(guards_find(&found, 0x10000 + 800 + PAGE));
	assert_false(guards_find(&found, 0));
	assert_false(guards_find(&found, UINT64_MAX));
}

/* Inputs lie one behind the other, and what is between them is of both. */
static void of_two_the_nearer_has_it(void **state)
{
	(void)state;
	add(0x10000, 0x800, PAGE, 1);
	add(0x11000, 0x800, PAGE, 2);
	is_of(0x10000 + 0x800, 1, 0x800);
	is_of(0x11000 - 1, 2, -1);
	is_of(0x11000, 2, 0);
	is_of(0x107ff, 1, 0x7ff);
}

static void what_was_forgotten_is_not_found(void **state)
{
	struct array_access found = {0};

	(void)state;
	add(0x10000, 800, PAGE, 3);
	guards_clear();
	assert_false(guards_find(&found, 0x10000));
	add(0x20000, 800, PAGE, 4);
	assert_false(guards_find(&found, 0x10000));
	is_of(0x20000, 4, 0);
}

static void more_than_there_is_room_for_are_left_out(void **state)
{
	struct array_access found = {0};

	(void)state;
	for (uint32_t i = 0; i < 2 * TASK_MAX_ARGS + 3; i++)
		add(0x100000 + i * 16 * PAGE, 800, PAGE, i);
	for (uint32_t i = 0; i < 2 * TASK_MAX_ARGS; i++)
		is_of(0x100000 + i * 16 * PAGE, i, 0);
	assert_false(
		guards_find(&found, 0x100000 + 2 * TASK_MAX_ARGS * 16 * PAGE));
}

/* ---- fences ----------------------------------------------------------------- */

static sigjmp_buf back;
static volatile bool known;
static struct array_access told;

static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	known = guards_find(&told, (uint64_t)(uintptr_t)info->si_addr);
	siglongjmp(back, 1);
}

/* Does a read there, or a write, end in a fault? */
static bool faults(volatile unsigned char *p, bool writes)
{
	struct sigaction mine = {.sa_sigaction = on_fault,
				 .sa_flags = SA_SIGINFO},
			 before;
	volatile bool faulted = true;

	assert_int_equal(sigaction(SIGSEGV, &mine, &before), 0);
	if (!sigsetjmp(back, 1)) {
		if (writes)
			*p = 1;
		else
			(void)*p;
		faulted = false;
	}
	assert_int_equal(sigaction(SIGSEGV, &before, NULL), 0);
	return faulted;
}

static void a_fault_at_a_fence_is_told_by_its_array(void **state)
{
	(void)state;
	for (unsigned at_begin = 0; at_begin < 2; at_begin++) {
		cleanup_mapping struct mapping m = {0};
		struct guard g = {.argument = 5, .element = 8};

		assert_null(mapping_fenced(&m, BYTES, 8, at_begin, WORD));
		g.begin = m.room;
		g.end = m.room + m.room_bytes;
		g.data = m.base;
		g.bytes = m.bytes;
		guards_clear();
		guards_add(&g);
		assert_int_equal((uintptr_t)m.base % 8, 0);
		assert_false(faults(m.base, true));
		assert_false(faults(m.base + BYTES - 1, true));
		/* One step too far, at the end that lies at a page. */
		known = false;
		assert_true(
			faults(at_begin ? m.base - 8 : m.base + BYTES, false));
		assert_true(known);
		assert_int_equal(told.array, 6);
		assert_int_equal(told.at, at_begin ? -8 : BYTES);
		assert_int_equal(told.bytes, BYTES);
	}
}

static void a_closed_array_is_read_alone(void **state)
{
	cleanup_mapping struct mapping m = {0};

	(void)state;
	assert_null(mapping_fenced(&m, BYTES, 8, false, WORD));
	mapping_fence_close(&m);
	assert_false(faults(m.base + 7, false));
	assert_true(faults(m.base + 7, true));
}

/* All that is mapped and not the array's holds the word, each byte in its place. */
static void a_write_to_what_lies_between_is_seen_once(void **state)
{
	static const struct {
		size_t bytes, alignment;
		bool at_begin;
		int64_t at;
	} table[] = {
		{BYTES, 8, false, -1},	     {BYTES, 8, false, -3096},
		{BYTES, 64, false, BYTES},   {BYTES, 64, false, BYTES + 23},
		{BYTES, 8, true, BYTES},     {BYTES, 8, true, 4095},
		{3, 1, false, -1},	     {3, 1, true, 3},
		{4096 + 5, 1, false, -4091}, {4096 + 5, 1, true, 8191},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		cleanup_mapping struct mapping m = {0};
		int64_t at = 0;

		assert_null(mapping_fenced(&m, table[i].bytes,
					   table[i].alignment,
					   table[i].at_begin, WORD));
		assert_int_equal((uintptr_t)m.base % table[i].alignment, 0);
		memset(m.base, 1, m.bytes);
		assert_false(mapping_fence_touched(&m, WORD, &at));
		m.base[table[i].at] ^= 1;
		assert_true(mapping_fence_touched(&m, WORD, &at));
		assert_int_equal(at, table[i].at);
		assert_false(mapping_fence_touched(&m, WORD, &at));
		assert_int_equal(m.base[0], 1);
	}
}

static void no_array_has_no_fence(void **state)
{
	cleanup_mapping struct mapping m = {0};
	int64_t at = 0;

	(void)state;
	assert_null(mapping_fenced(&m, 0, 8, false, WORD));
	assert_null(m.base);
	mapping_fence_close(&m);
	assert_false(mapping_fence_touched(&m, WORD, &at));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(an_address_is_of_the_array_round_it,
				       forget),
		cmocka_unit_test_setup(of_two_the_nearer_has_it, forget),
		cmocka_unit_test_setup(what_was_forgotten_is_not_found, forget),
		cmocka_unit_test_setup(more_than_there_is_room_for_are_left_out,
				       forget),
		cmocka_unit_test_setup(a_fault_at_a_fence_is_told_by_its_array,
				       forget),
		cmocka_unit_test(a_closed_array_is_read_alone),
		cmocka_unit_test(a_write_to_what_lies_between_is_seen_once),
		cmocka_unit_test(no_array_has_no_fence),
	};

	return cmocka_run_group_tests_name("guards", tests, NULL, NULL);
}
