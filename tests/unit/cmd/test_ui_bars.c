/* Bars of long waits: what they say, and that they fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/ui/bars.h"
#include "cmd/ui/table.h"

static const struct palette plain = {.on = false};

static char *bar(struct stage_view v, size_t width)
{
	struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	bars_add(&b, &v, &plain, width);
	return buf_take(&b);
}

static void says_what_is_known(void **state)
{
	static const struct {
		struct stage_view v;
		const char *line;
	} rows[] = {
		{{STAGE_BUILD, 0.2, -1, 0},
		 "building [-###------------]  0.2 s\n"},
		{{STAGE_BUILD, 1, -1, 2},
		 "building [########--------]  1.0 s, usually 2.0 s\n"},
		/* Never as if it were done. */
		{{STAGE_BUILD, 2, -1, 2},
		 "building [############----]  2.0 s, usually 2.0 s\n"},
		{{STAGE_BUILD, 100, -1, 2},
		 "building [###############-]  1m 40s, usually 2.0 s\n"},
		/* Steps are counted, whatever is usual. */
		{{STAGE_CHECK, 3, 0.5, 100},
		 "checking [########--------]  50 %, 3.0 s\n"},
		/* Timing ends when enough is known: mostly before the limit. */
		{{STAGE_TIME, 3, 0.25, 0},
		 "timing   [####------------]  25 %, 3.0 s\n"},
		{{STAGE_TIME, 3, 0.25, 6},
		 "timing   [########--------]  3.0 s, usually 6.0 s\n"},
		{{STAGE_QUEUE, 0, -1, 0},
		 "queueing [###-------------]  0.0 s\n"},
		{{STAGE_THINK, 2.6, -1, 0},
		 "thinking [-------------###]  2.6 s\n"},
		{{STAGE_NONE, 7, 0.5, 7}, ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_free char *line = bar(rows[i].v, 57);

		assert_string_equal(line, rows[i].line);
	}
}

/* Of any width, at any time of a wait. */
static void fits_the_terminal(void **state)
{
	(void)state;
	for (size_t width = 0; width < 200; width++) {
		for (int i = 0; i < 40; i++) {
			struct stage_view v = {STAGE_BUILD, 97.3 * i, -1,
					       i % 3 * 3599.0};
			cleanup_free char *line = bar(v, width);
			size_t len = strlen(line);

			assert_true(len > 0 && line[len - 1] == '\n');
			line[len - 1] = '\0';
			assert_null(strchr(line, '\n'));
			assert_true(text_width(line) <= width);
		}
	}
}

static void text_of_others_is_cut_and_harmless(void **state)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	bars_add_text(&b, "scoring #1 \033[2J and\nmore of it", &plain,
		      COLOR_NONE, 20);
	assert_null(strchr(b.data, '\033'));
	assert_int_equal(strcspn(b.data, "\n"), b.len - 1);
	assert_true(b.len - 1 <= 20);
}

static void a_stage_learns_how_long_it_takes(void **state)
{
	struct work_stage s = {.kind = STAGE_NONE};
	struct stage_view v;

	(void)state;
	stage_begin(&s, STAGE_CHECK);
	stage_done(&s, 0.5);
	v = stage_look(&s);
	assert_int_equal(v.kind, STAGE_CHECK);
	assert_true(v.share > 0.49 && v.share < 0.51);
	assert_true(v.seconds >= 0 && v.seconds < 60);
	assert_true(v.usual == 0);
	stage_begin(&s, STAGE_CHECK);
	v = stage_look(&s);
	assert_true(v.share < 0);
	assert_true(v.usual > 0 && v.usual < 60);
	stage_begin(&s, STAGE_NONE);
	v = stage_look(&s);
	assert_int_equal(v.kind, STAGE_NONE);
	/* Nobody looks. */
	stage_begin(NULL, STAGE_TIME);
	stage_done(NULL, 1);
	assert_int_equal(stage_look(NULL).kind, STAGE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_what_is_known),
		cmocka_unit_test(fits_the_terminal),
		cmocka_unit_test(text_of_others_is_cut_and_harmless),
		cmocka_unit_test(a_stage_learns_how_long_it_takes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
