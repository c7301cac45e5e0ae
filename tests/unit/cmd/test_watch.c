/* What `avogit watch` draws, on a canvas of characters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>

#include "cmd/ui/table.h"
#include "cmd/watch/dots.h"
#include "cmd/watch/view.h"

/* ---- dots in Braille characters ------------------------------------------ */

static void a_dot_is_where_unicode_has_it(void **state UNUSED)
{
	static const struct {
		size_t x, y;
		const char *cell;
	} table[] = {
		{0, 0, "\u2840"},  {1, 0, "\u2880"}, {0, 1, "\u2804"},
		{1, 1, "\u2820"},  {0, 3, "\u2801"}, {1, 3, "\u2808"},
		{2, 0, " \u2840"}, {0, 4, " "},	     {8, 0, " "},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		cleanup_dots struct dots p;
		cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);
		enum ink ink;

		dots_init(&p, 1, 4);
		dots_set(&p, table[i].x, table[i].y, INK_OTHER);
		assert_int_equal(dots_piece(&b, &ink, &p, 0, 0), 4);
		buf_trim_end(&b);
		assert_string_equal(b.data,
				    *table[i].cell == ' ' && !table[i].cell[1]
					    ? ""
					    : table[i].cell);
	}
}

static void a_piece_ends_where_another_ink_begins(void **state UNUSED)
{
	cleanup_dots struct dots p;
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);
	enum ink ink;

	dots_init(&p, 2, 5);
	dots_across(&p, 9, 6, 0, INK_BEST);
	dots_set(&p, 2, 1, INK_OTHER);
	dots_set(&p, 8, 2, INK_OTHER);
	assert_int_equal(dots_piece(&b, &ink, &p, 1, 0), 3);
	assert_int_equal(ink, INK_OTHER);
	assert_string_equal(b.data, " \u2804 ");
	buf_clear(&b);
	assert_int_equal(dots_piece(&b, &ink, &p, 1, 3), 5);
	assert_int_equal(ink, INK_BEST);
	assert_string_equal(b.data, "\u28c0\u28c2");
	buf_clear(&b);
	assert_int_equal(dots_piece(&b, &ink, &p, 0, 0), 5);
	assert_int_equal(ink, INK_NONE);
}

/* ---- the whole ----------------------------------------------------------- */

#define MOST 70

/* Keeps each row's text, and fails where something lies outside. */
struct paper {
	struct canvas canvas; /* first: the callback casts back */
	struct buf row[MOST];
};

static void write_text(struct canvas *self, size_t row, size_t col,
		       enum color color UNUSED, const char *text)
{
	struct paper *p = (struct paper *)self;

	assert_true(row < self->rows);
	assert_true(col + text_width(text) <= self->cols);
	for (const char *c = text; *c; c++)
		assert_true((unsigned char)*c >= ' ' && *c != 0x7f);
	while (text_width(p->row[row].data) < col)
		buf_addc(&p->row[row], ' ');
	buf_adds(&p->row[row], text);
}

static void paper_init(struct paper *p, size_t rows, size_t cols)
{
	*p = (struct paper){
		.canvas = {.rows = rows, .cols = cols, .put = write_text}};
	for (size_t i = 0; i < MOST; i++)
		buf_init(&p->row[i], BUF_LIMIT_TEXT);
}

static void paper_release(struct paper *p)
{
	for (size_t i = 0; i < MOST; i++)
		buf_release(&p->row[i]);
}

static const char hostile[] = "a\x1b[31m\u202e\u4e2d\u6587\xff "
			      "\u200b\x07 and a long line of more than "
			      "eighty cells, so that it has to be cut there "
			      "or it would go on below";

/* A run of `n` attempts in which all text is hostile. */
static void make_run(struct population *p, size_t n)
{
	population_init(p);
	p->has_record = true;
	p->operator_name = xstrdup(hostile);
	p->record.machine_name = xstrdup(hostile);
	for (size_t i = 0; i < n; i++) {
		cleanup_free char *id = xasprintf("%040zx", i * 7919);
		struct attempt *a = population_add(p, id);

		a->number = (int64_t)i;
		a->lineage = 1;
		a->gain = (double)i / 10;
		a->accepted = i % 3 == 0;
		a->crowned = i && i % 9 == 0;
		a->subject = xstrdup(hostile);
		if (a->crowned)
			p->champion = i;
	}
}

static void draw(struct paper *paper, size_t rows, size_t cols,
		 struct view *view)
{
	static const struct doing doing = {1, (char *)hostile, NULL};
	static const struct tally tally = {1, 2};

	view->doing = &doing;
	view->tally = &tally;
	view->now_us = 100000000;
	paper_init(paper, rows, cols);
	view_draw(&paper->canvas, view);
}

static void nothing_lies_outside_at_any_size(void **state UNUSED)
{
	static const size_t attempts[] = {0, 1, 2, 40, 700};

	for (size_t i = 0; i < ARRAY_SIZE(attempts); i++) {
		struct population p;

		make_run(&p, attempts[i]);
		for (size_t rows = 0; rows < MOST; rows += 1 + rows / 4) {
			for (size_t cols = 0; cols < 210; cols += 7) {
				struct view view = {.run = hostile,
						    .p = &p,
						    .pid = (long)i};
				struct paper paper;

				draw(&paper, rows, cols, &view);
				paper_release(&paper);
			}
		}
		population_release(&p);
	}
}

/* The first row for a state. */
static void assert_state(struct view *view, const char *expected)
{
	struct paper paper;

	draw(&paper, 24, 200, view);
	assert_non_null(strstr(paper.row[0].data, expected));
	paper_release(&paper);
}

static void a_state_is_said_in_words(void **state UNUSED)
{
	struct population p;
	struct view view = {.run = "r", .p = &p};

	make_run(&p, 3);
	assert_state(&view, "dead: its process is gone; `avogit evolve --run "
			    "r` goes on");
	view.elsewhere = true;
	assert_state(&view, "unfinished: another clone's");
	view.pid = 7;
	assert_state(&view, "running (process 7)");
	view.pid = 0;
	p.stop_reason = xstrdup("time");
	assert_state(&view, "ended: the time is up");
	view.trouble = "it is damaged";
	assert_state(&view, "cannot be read: it is damaged");
	view.run = NULL;
	view.waiting = "waiting for a run";
	assert_state(&view, "waiting for a run");
	population_release(&p);
}

static void the_line_to_the_champion_keeps_its_end(void **state UNUSED)
{
	struct population p;
	struct view view = {.run = "r", .p = &p, .pid = 1};
	struct paper paper;
	bool found = false;

	make_run(&p, 100);
	for (size_t i = 1; i < p.n; i++)
		p.attempt[i].parent = p.attempt[i / 2].id;
	draw(&paper, 24, 64, &view);
	for (size_t i = 0; i < 24; i++)
		found |= strstr(paper.row[i].data,
				"champion's line: ... > #24 11.0x > #49 134.3x "
				"> #99 19930.4x") != NULL;
	assert_true(found);
	paper_release(&paper);
	population_release(&p);
}

static void assert_champion_row(const struct population *p,
				const char *expected)
{
	struct view view = {.run = "r", .p = p, .pid = 1};
	struct paper paper;

	draw(&paper, 24, 200, &view);
	assert_string_equal(paper.row[1].data, expected);
	paper_release(&paper);
}

static void without_a_champion_the_nearest_is_named(void **state UNUSED)
{
	struct population p;
	struct measurement *m;
	struct comparison *c;

	make_run(&p, 3);
	assert_champion_row(&p, "no champion yet; the start: not measured yet");
	m = p.attempt[2].measurement = measurement_new();
	p.attempt[2].accepted = false;
	c = measurement_add_comparison(m, RIVAL_INCUMBENT, p.attempt[0].id.hex);
	c->decision = DECISION_FASTER;
	measurement_set(m, "unsteady", "it was throttled");
	assert_champion_row(&p,
			    "no champion yet: #2 was 1.221x the speed of the "
			    "start, but got no crown (faster, but the machine "
			    "was not steady: it was throttled)");
	population_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dot_is_where_unicode_has_it),
		cmocka_unit_test(a_piece_ends_where_another_ink_begins),
		cmocka_unit_test(nothing_lies_outside_at_any_size),
		cmocka_unit_test(a_state_is_said_in_words),
		cmocka_unit_test(the_line_to_the_champion_keeps_its_end),
		cmocka_unit_test(without_a_champion_the_nearest_is_named),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
