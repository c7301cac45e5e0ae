#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/file.h"
#include "scorer/inspect/sass.h"

#define BEGIN "\t\tFunction : k\n"

static void read_file(struct sass *out, const char *name)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *path = xasprintf("tests/data/sass/%s", name);

	assert_null(file_read(&text, path));
	assert_null(sass_parse(out, text.data, text.len));
}

static void parse(struct sass *out, const char *text)
{
	assert_null(sass_parse(out, text, strlen(text)));
}

static void the_loop_round_a_spin_is_the_hot_one(void **state)
{
	cleanup_sass struct sass s = {0};
	cleanup_sass_loop struct sass_loop loop = {0};

	(void)state;
	read_file(&s, "cuobjdump.txt");
	assert_int_equal(s.n_kernels, 2);
	assert_string_equal(s.kernel[0].name, "_Z5scalePfi");
	loop = sass_hot_loop(&s, SIZE_MAX);
	assert_int_equal(loop.kernel, 1);
	assert_true(loop.depth > 0);
	assert_int_equal(s.line[loop.line[0]].at, 0x20);
	assert_int_equal(s.line[loop.line[loop.n - 1]].at, 0xd0);
}

static void a_kernel_without_a_loop_is_shown_whole(void **state)
{
	cleanup_sass struct sass s = {0};
	cleanup_sass_loop struct sass_loop loop = {0};

	(void)state;
	read_file(&s, "cuobjdump.txt");
	loop = sass_hot_loop(&s, 0);
	assert_int_equal(loop.depth, 0);
	assert_int_equal(loop.line[0], 0);
	assert_int_equal(loop.n, 8);
}

static void labels_are_branched_to_as_addresses_are(void **state)
{
	cleanup_sass struct sass s = {0};
	cleanup_sass_loop struct sass_loop loop = {0};

	(void)state;
	read_file(&s, "nvdisasm.txt");
	assert_int_equal(s.n_kernels, 1);
	assert_string_equal(s.kernel[0].name, "_Z3sumPKfPfi");
	loop = sass_hot_loop(&s, SIZE_MAX);
	assert_true(loop.depth > 0);
	assert_int_equal(s.line[loop.line[0]].at, 0x20);
	assert_int_equal(s.line[loop.line[loop.n - 1]].at, 0x70);
}

static void the_mix_counts_kinds_and_widths(void **state)
{
	cleanup_sass struct sass s = {0};
	cleanup_buf struct buf mix = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_sass_loop struct sass_loop loop = {0};

	(void)state;
	read_file(&s, "cuobjdump.txt");
	loop = sass_hot_loop(&s, 1);
	sass_mix(&mix, &s, &loop);
	assert_string_equal(mix.data,
			    "LDS 3 (2 of .128), BRA 2, HGMMA 2, WARPGROUP 2, "
			    "IADD3 1, ISETP 1, SYNCS 1");
}

static void the_innermost_of_loops_with_work_is_taken(void **state)
{
	cleanup_sass struct sass s = {0};
	cleanup_sass_loop struct sass_loop loop = {0};

	(void)state;
	parse(&s, BEGIN "/*0000*/ LDG.E R0, [R2] ;\n"
			"/*0010*/ FFMA R0, R1, R2, R3 ;\n"
			"/*0020*/ FFMA R0, R1, R2, R3 ;\n"
			"/*0030*/ FFMA R0, R1, R2, R3 ;\n"
			"/*0040*/ FFMA R0, R1, R2, R3 ;\n"
			"/*0050*/ @P0 BRA 0x10 ;\n"
			"/*0060*/ @P1 BRA 0x0 ;\n"
			"/*0070*/ EXIT ;\n");
	loop = sass_hot_loop(&s, SIZE_MAX);
	assert_int_equal(loop.line[0], 1);
	assert_int_equal(loop.n, 5);
}

/* The spin after the kernel's end branches back into the loop over k, past
 * its head; the loop over tiles around it has an epilogue of 144 stores. */
static void the_loop_over_k_is_hot_not_the_one_over_tiles(void **state)
{
	cleanup_sass struct sass s = {0};
	cleanup_sass_loop struct sass_loop loop = {0};
	cleanup_buf struct buf mix = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	read_file(&s, "matmul.txt");
	loop = sass_hot_loop(&s, SIZE_MAX);
	assert_int_equal(loop.depth, 2);
	assert_int_equal(s.line[loop.line[0]].at, 0x380);
	assert_int_equal(s.line[loop.line[loop.n - 4]].at, 0x7d0);
	assert_int_equal(s.line[loop.line[loop.n - 1]].at, 0x5ff0);
	sass_mix(&mix, &s, &loop);
	assert_non_null(strstr(mix.data, "HGMMA 4"));
	assert_null(strstr(mix.data, "STG"));
	sass_print(&text, &s, &loop);
	assert_non_null(strstr(text.data, "inside 1 other\n"));
	assert_non_null(strstr(text.data, "instructions outside the loop"));
}

/* Loops side by side, unrolled by 16, 8, 4 and not at all, and a division
 * that is called. */
static void of_a_softmax_the_last_pass_is_hot(void **state)
{
	cleanup_sass struct sass s = {0};
	cleanup_sass_loop struct sass_loop loop = {0};

	(void)state;
	read_file(&s, "softmax.txt");
	loop = sass_hot_loop(&s, SIZE_MAX);
	assert_int_equal(loop.depth, 1);
	assert_int_equal(s.line[loop.line[0]].at, 0x1b60);
	assert_int_equal(s.line[loop.line[loop.n - 1]].at, 0x2350);
	assert_int_equal(loop.n, 128);
}

static void a_branch_back_that_nothing_leads_on_from_is_no_loop(void **state)
{
	cleanup_sass struct sass s = {0};
	cleanup_sass_loop struct sass_loop loop = {0};

	(void)state;
	parse(&s, BEGIN "/*0000*/ @P0 BRA 0x30 ;\n"
			"/*0010*/ FFMA R0, R1, R2, R3 ;\n"
			"/*0020*/ EXIT ;\n"
			"/*0030*/ FADD R0, R1, R2 ;\n"
			"/*0040*/ BRA 0x10 ;\n");
	loop = sass_hot_loop(&s, SIZE_MAX);
	assert_int_equal(loop.depth, 0);
	assert_int_equal(loop.n, 5);
}

static void what_leads_into_the_middle_of_a_loop_is_not_in_it(void **state)
{
	cleanup_sass struct sass s = {0};
	cleanup_sass_loop struct sass_loop loop = {0};

	(void)state;
	parse(&s, BEGIN "/*0000*/ @P0 BRA 0x20 ;\n"
			"/*0010*/ FFMA R0, R1, R2, R3 ;\n"
			"/*0020*/ FADD R0, R1, R2 ;\n"
			"/*0030*/ @P1 BRA 0x10 ;\n"
			"/*0040*/ EXIT ;\n");
	loop = sass_hot_loop(&s, SIZE_MAX);
	assert_int_equal(loop.depth, 1);
	assert_int_equal(loop.line[0], 1);
	assert_int_equal(loop.n, 3);
}

/* A hundred thousand levels. */
static void a_deep_nest_is_answered_at_once(void **state)
{
	enum { LINES = 100000 };
	cleanup_buf struct buf text = BUF_INIT((size_t)16 << 20);
	cleanup_sass struct sass s = {0};
	cleanup_sass_loop struct sass_loop loop = {0};

	(void)state;
	buf_adds(&text, BEGIN);
	for (unsigned i = 0; i < LINES; i++)
		buf_addf(&text, "/*%06x*/ FFMA R0, R1, R2, R3 ;\n", 16 * i);
	for (unsigned i = 0; i < LINES - 1; i++)
		buf_addf(&text, "/*%06x*/ @P0 BRA 0x%x ;\n", 16 * (LINES + i),
			 16 * (LINES - 1 - i));
	parse(&s, text.data);
	loop = sass_hot_loop(&s, SIZE_MAX);
	assert_int_equal(loop.depth, 6); /* deeper counts no more */
}

static void of_two_loops_the_one_with_more_work_is_taken(void **state)
{
	cleanup_sass struct sass s = {0};
	cleanup_sass_loop struct sass_loop loop = {0};

	(void)state;
	parse(&s, BEGIN "/*0000*/ IADD3 R0, R0, 0x1, RZ ;\n"
			"/*0010*/ FADD R0, R1, R2 ;\n"
			"/*0020*/ @P0 BRA 0x0 ;\n"
			"/*0030*/ HMMA.16816.F32 R0, R4, R8, R0 ;\n"
			"/*0040*/ @P1 BRA 0x30 ;\n");
	loop = sass_hot_loop(&s, SIZE_MAX);
	assert_int_equal(loop.line[0], 3);
	assert_int_equal(loop.n, 2);
}

static void a_long_loop_is_shown_without_its_middle(void **state)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_sass struct sass s = {0};
	cleanup_sass_loop struct sass_loop loop = {0};
	size_t lines = 0;

	(void)state;
	buf_adds(&text, BEGIN);
	for (unsigned i = 0; i < 500; i++)
		buf_addf(&text, "/*%04x*/ FFMA R0, R1, R2, R3 ;\n", 16 * i);
	buf_addf(&text, "/*%04x*/ @P0 BRA 0x0 ;\n", 16 * 500);
	parse(&s, text.data);
	loop = sass_hot_loop(&s, SIZE_MAX);
	sass_print(&out, &s, &loop);
	for (const char *p = out.data; (p = strchr(p, '\n')); p++)
		lines++;
	assert_int_equal(lines, 4 + SASS_SHOWN_LINES + 1);
	assert_non_null(strstr(out.data, "381 instructions left out"));
	assert_non_null(strstr(out.data, "@P0 BRA 0x0  -> 00000"));
}

static void what_is_no_code_is_not_found(void **state)
{
	static const char *const texts[] = {
		"",
		"cuobjdump fatal: no\n",
		"/*0000*/ EXIT ;\n", /* of no kernel */
		BEGIN,
		BEGIN "/*zz*/ EXIT ;\n/*0010 EXIT ;\n/*0020*/ ;\n"
		      "/*0030*/ EXIT\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct sass s;
		cleanup_error struct error *err =
			sass_parse(&s, texts[i], strlen(texts[i]));

		assert_true(error_is(err, ERROR_NOT_FOUND));
	}
}

static void branches_to_nowhere_make_no_loop(void **state)
{
	static const char *const branches[] = {
		"BRA",
		"BRA 0x",
		"BRA 0x9999",
		"BRA 0xffffffffffffffffffff",
		"BRA `(.L_none)",
		"BRA `(",
		"BRA `()",
		"BRA -0x10",
		"BRX R2 -0x10",
		"@P0",
		"BRAX 0x0",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(branches); i++) {
		cleanup_sass struct sass s = {0};
		cleanup_free char *text = xasprintf(
			BEGIN "/*0000*/ FADD R0, R1, R2 ;\n/*0010*/ %s ;\n",
			branches[i]);
		cleanup_sass_loop struct sass_loop loop = {0};

		parse(&s, text);
		loop = sass_hot_loop(&s, SIZE_MAX);
		assert_int_equal(loop.depth, 0);
	}
}

static void refuses_more_kernels_than_anybody_has(void **state)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_error struct error *err = NULL;
	struct sass s;

	(void)state;
	for (size_t i = 0; i <= SASS_MAX_KERNELS; i++)
		buf_adds(&text, BEGIN "/*0000*/ EXIT ;\n");
	err = sass_parse(&s, text.data, text.len);
	assert_true(error_is(err, ERROR_TOO_BIG));
}

/* Every beginning of an honest text is an answer, and none reads on. */
static void a_text_that_is_cut_anywhere_is_survived(void **state)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	assert_null(file_read(&text, "tests/data/sass/nvdisasm.txt"));
	for (size_t len = 0; len < text.len; len++) {
		cleanup_free char *part = xstrndup(text.data, len);
		cleanup_sass struct sass s = {0};
		cleanup_error struct error *err = sass_parse(&s, part, len);

		if (!err) {
			cleanup_sass_loop struct sass_loop loop =
				sass_hot_loop(&s, SIZE_MAX);

			assert_in_range(loop.n, 1, s.n_lines);
			assert_true(loop.line[loop.n - 1] < s.n_lines);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_loop_round_a_spin_is_the_hot_one),
		cmocka_unit_test(a_kernel_without_a_loop_is_shown_whole),
		cmocka_unit_test(labels_are_branched_to_as_addresses_are),
		cmocka_unit_test(the_mix_counts_kinds_and_widths),
		cmocka_unit_test(the_innermost_of_loops_with_work_is_taken),
		cmocka_unit_test(the_loop_over_k_is_hot_not_the_one_over_tiles),
		cmocka_unit_test(of_a_softmax_the_last_pass_is_hot),
		cmocka_unit_test(
			a_branch_back_that_nothing_leads_on_from_is_no_loop),
		cmocka_unit_test(
			what_leads_into_the_middle_of_a_loop_is_not_in_it),
		cmocka_unit_test(a_deep_nest_is_answered_at_once),
		cmocka_unit_test(of_two_loops_the_one_with_more_work_is_taken),
		cmocka_unit_test(a_long_loop_is_shown_without_its_middle),
		cmocka_unit_test(what_is_no_code_is_not_found),
		cmocka_unit_test(branches_to_nowhere_make_no_loop),
		cmocka_unit_test(refuses_more_kernels_than_anybody_has),
		cmocka_unit_test(a_text_that_is_cut_anywhere_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
