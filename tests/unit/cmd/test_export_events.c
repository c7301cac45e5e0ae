/* An event file of TensorBoard, byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/export/event_file.h"
#include "core/base/crc32c.h"

/* The check value of CRC-32C, and two of the examples of RFC 3720. */
static void test_checksum_is_castagnoli(void **state)
{
	unsigned char bytes[32] = {0};

	(void)state;
	assert_int_equal(crc32c("123456789", 9), 0xe3069283);
	assert_int_equal(crc32c("", 0), 0);
	assert_int_equal(crc32c(bytes, sizeof bytes), 0x8a9136aa);
	memset(bytes, 0xff, sizeof bytes);
	assert_int_equal(crc32c(bytes, sizeof bytes), 0x62a8ab43);
}

static void same(const struct buf *b, const void *expected, size_t len)
{
	assert_int_equal(b->len, len);
	assert_memory_equal(b->data, expected, len);
}

/* TensorBoard's own RecordWriter wrote these bytes of such events, and the next. */
static void test_first_record_says_the_version(void **state)
{
	static const char expected[] = "\x18\0\0\0\0\0\0\0"
				       "\xa3\x7f\x4b\x22"
				       "\x09\0\0\0\0\0\0\xf0\x3f"
				       "\x1a\x0d"
				       "brain.Event:2"
				       "\x86\xbf\x57\x7a";
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	event_file_begin(&b, 1.0);
	same(&b, expected, sizeof expected - 1);
}

static void test_scalars_of_a_step_are_one_record(void **state)
{
	static const char expected[] = "\x29\0\0\0\0\0\0\0"
				       "\x37\xff\x5f\0"
				       "\x09\0\0\xa0\x04\x30\xc1\xda\x41"
				       "\x10\xac\x02"
				       "\x2a\x1b"
				       "\x0a\x0f\x0a\x08"
				       "run/best"
				       "\x15\0\0\xc0\x3f"
				       "\x0a\x08\x0a\x01"
				       "e"
				       "\x15\0\0\x80\xbe"
				       "\xf7\x66\x07\x3b";
	static const struct event_scalar scalars[] = {{"run/best", 1.5},
						      {"e", -0.25}};
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	event_file_add(&b, 1795473426.5, 300, scalars, ARRAY_SIZE(scalars));
	same(&b, expected, sizeof expected - 1);
}

/* Names of cases are of other people. */
static void test_large_event_is_whole_or_the_file_is_cut(void **state)
{
	size_t len = 2 * BUF_LIMIT_TEXT;
	cleanup_free char *tag = xcalloc(len + 1, 1);
	cleanup_buf struct buf whole = BUF_INIT(2 * len), cut = BUF_INIT(len);
	struct event_scalar scalar = {.value = 1};

	(void)state;
	memset(tag, 'x', len);
	scalar.tag = tag;
	event_file_add(&whole, 1, 1, &scalar, 1);
	assert_true(whole.len > len);
	assert_false(whole.truncated);
	event_file_add(&cut, 1, 1, &scalar, 1);
	assert_true(cut.truncated);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_checksum_is_castagnoli),
		cmocka_unit_test(test_first_record_says_the_version),
		cmocka_unit_test(test_scalars_of_a_step_are_one_record),
		cmocka_unit_test(test_large_event_is_whole_or_the_file_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
