/* Reading back what a shell left: an archive that may be anything. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/tools/tar.h"
#include "core/base/buf.h"
#include "core/base/random.h"

#define BLOCK 512

/* Adds an entry; `claimed` is the size that its header says. */
static void add(struct buf *tar, const char *name, char type, const char *data,
		size_t claimed)
{
	char h[BLOCK] = {0};
	size_t len = strlen(data);
	unsigned sum = 0;

	snprintf(h, 100, "%s", name);
	snprintf(h + 100, 8, "%07o", 0644);
	snprintf(h + 124, 12, "%011zo", claimed);
	h[156] = type;
	memset(h + 148, ' ', 8);
	for (size_t i = 0; i < BLOCK; i++)
		sum += (unsigned char)h[i];
	snprintf(h + 148, 8, "%06o", sum);
	buf_add(tar, h, BLOCK);
	buf_add(tar, data, len);
	while (tar->len % BLOCK)
		buf_addc(tar, '\0');
}

static void add_end(struct buf *tar)
{
	const char zeros[2 * BLOCK] = {0};

	buf_add(tar, zeros, sizeof zeros);
}

static struct error *read_it(struct fileset *out, const struct buf *tar)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;

	strvec_pushl(&patterns, "kernel.c", "src/", NULL);
	return tar_read(out, tar->data, tar->len, &patterns);
}

static void takes_the_sources_and_nothing_else(void **state)
{
	cleanup_buf struct buf tar = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_fileset struct fileset files = FILESET_INIT;

	(void)state;
	add(&tar, "./kernel.c", '0', "int x;", 6);
	add(&tar, "./src/", '5', "", 0);
	add(&tar, "src/../../up.c", '0', "no", 2);
	add(&tar, "/src/a.c", '0', "no", 2);
	add(&tar, "src/link.c", '2', "", 0);
	add(&tar, "src/hard.c", '1', "", 0);
	add(&tar, "other.c", '0', "no", 2);
	add(&tar, "src/a.c", '0', "int y;", 6);
	add_end(&tar);
	assert_null(read_it(&files, &tar));
	assert_int_equal(files.n, 2);
	assert_string_equal(files.file[0].path, "kernel.c");
	assert_string_equal(files.file[0].data, "int x;");
	assert_string_equal(files.file[1].path, "src/a.c");
}

static void refuses_one_that_is_damaged(void **state)
{
	(void)state;
	for (int what = 0; what < 4; what++) {
		cleanup_buf struct buf tar = BUF_INIT(BUF_LIMIT_TEXT);
		cleanup_fileset struct fileset files = FILESET_INIT;
		cleanup_error struct error *err = NULL;

		add(&tar, "kernel.c", '0', "int x;", what == 0 ? 100000 : 6);
		if (what == 1)
			tar.data[3] ^= 1;
		if (what == 2)
			tar.len = 100;
		err = read_it(&files, &tar);
		assert_true(error_is(err, ERROR_MALFORMED));
	}
}

static void survives_noise(void **state)
{
	struct random r;

	(void)state;
	random_init(&r, 7);
	for (int i = 0; i < 2000; i++) {
		cleanup_buf struct buf tar = BUF_INIT(BUF_LIMIT_TEXT);
		cleanup_fileset struct fileset files = FILESET_INIT;

		add(&tar, "kernel.c", '0', "int x;", 6);
		add(&tar, "src/a.c", '0', "int y;", 6);
		add_end(&tar);
		for (int k = 0; k < 3; k++)
			tar.data[random_u64(&r) % tar.len] =
				(char)random_u64(&r);
		error_free(read_it(&files, &tar));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_the_sources_and_nothing_else),
		cmocka_unit_test(refuses_one_that_is_damaged),
		cmocka_unit_test(survives_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
