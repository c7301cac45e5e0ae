#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/provider/sse.h"

/* Events as "name=data;". */
static struct error *note(void *arg, const char *name, const char *data,
			  size_t len)
{
	buf_addf(arg, "%s=", name);
	buf_add(arg, data, len);
	buf_addc(arg, ';');
	return NULL;
}

static const struct {
	const char *stream, *events;
} cases[] = {
	{"data: a\n\n", "=a;"},
	{"data:a\n\n", "=a;"},
	{"data:  a\n\n", "= a;"},
	{"event: x\ndata: a\n\ndata: b\n\n", "x=a;=b;"},
	{"data: a\ndata: b\n\n", "=a\nb;"},
	{"data: a\r\n\r\ndata: b\r\n\r\n", "=a;=b;"},
	{"data: a\r\ndata: b\r\n\r\n", "=a\nb;"},
	{"data: a\r\rdata: b\r\r", "=a;=b;"},
	{": a comment\n\n:\ndata: a\n\n", "=a;"},
	{"id: 7\nretry: 5\nunknown\ndata: a\n\n", "=a;"},
	{"event: nothing\n\ndata: a\n\n", "=a;"},
	{"data\n\n", "=;"},
	{"data:\ndata:\n\n", "=\n;"},
	{"\xef\xbb\xbf"
	 "data: a\n\n",
	 "=a;"},
	{"data: a", "=a;"},
	{"data: a\n", "=a;"},
	{"datax: a\n\n data: b\n\n", ""},
	{"data: a: b\n\n", "=a: b;"},
	{"\n\n\n", ""},
};

static void reads_events_however_they_are_cut(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (size_t step = 1; step < 20; step++) {
			cleanup_buf struct buf seen = BUF_INIT(1000);
			cleanup_sse struct sse s;
			size_t len = strlen(cases[i].stream);

			sse_init(&s, 100, note, &seen);
			for (size_t at = 0; at < len; at += step)
				assert_null(sse_feed(&s, cases[i].stream + at,
						     MIN(step, len - at)));
			assert_null(sse_end(&s));
			assert_string_equal(seen.data, cases[i].events);
		}
}

static void stops_at_the_limit_of_a_line(void **state)
{
	cleanup_buf struct buf seen = BUF_INIT(1000);
	cleanup_sse struct sse s;
	cleanup_error struct error *err = NULL;
	int fed = 0;

	(void)state;
	sse_init(&s, 100, note, &seen);
	while (!err && fed++ < 1000)
		err = sse_feed(&s, "xxxxxxxxxx", 10);
	assert_true(error_is(err, ERROR_TOO_BIG));
	assert_int_equal(fed, 11);
	assert_true(s.line.cap < 1000);
}

static void stops_at_the_limit_of_an_event(void **state)
{
	cleanup_buf struct buf seen = BUF_INIT(1000);
	cleanup_sse struct sse s;
	cleanup_error struct error *err = NULL;

	(void)state;
	sse_init(&s, 100, note, &seen);
	for (int i = 0; !err && i < 1000; i++)
		err = sse_feed(&s, "data: 12345\n", 12);
	assert_true(error_is(err, ERROR_TOO_BIG));
}

static struct error *refuse(void *arg, const char *name, const char *data,
			    size_t len)
{
	(void)arg, (void)name, (void)data, (void)len;
	return error_new(ERROR_MALFORMED, "not this");
}

static void hands_an_error_through(void **state)
{
	cleanup_sse struct sse s;
	cleanup_error struct error *err = NULL;

	(void)state;
	sse_init(&s, 100, refuse, NULL);
	err = sse_feed(&s, "data: a\n\n", 9);
	assert_string_equal(error_message(err), "not this");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_events_however_they_are_cut),
		cmocka_unit_test(stops_at_the_limit_of_a_line),
		cmocka_unit_test(stops_at_the_limit_of_an_event),
		cmocka_unit_test(hands_an_error_through),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
