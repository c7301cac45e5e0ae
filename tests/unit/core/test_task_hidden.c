/* The hidden cases of a scoring: which ones come always, and what moves them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/secret.h"
#include "core/task/hidden.h"
#include "core/task/hidden_more.h"
#include "core/task/hidden_parts.h"
#include "core/task/hidden_steps.h"
#include "core/task/layout.h"

#define TASK                                                            \
	"name: t\nlanguage: c\nsources: [k.c]\nentry: t\narguments:\n"  \
	"  - {name: a, dtype: f32, shape: [rows, cols]}\n"              \
	"  - {name: c, dtype: f32, shape: [rows, k], direction: out}\n" \
	"cases: [{rows: 64, cols: 64, k: 8}]\nbytes: rows\n"            \
	"reference: {source: r.c, entry: ref, plain: p}\n"
#define SCORINGS 100

/* Hidden cases of many scorings. */
struct world {
	struct task *task;
	struct hidden_numbers numbers;
	struct secret_random secret;
	struct task_case *drawn; /* of one scoring */
};

static void world_open(struct world *w, const char *hidden, const char *source)
{
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_free char *text = xasprintf(TASK "hidden: %s\n", hidden);

	*w = (struct world){0};
	assert_null(task_parse(&w->task, "avogit.yaml", text, strlen(text)));
	assert_null(fileset_put(&files, "k.c", source, strlen(source), false));
	assert_null(fileset_put(&files, "other.c", "250", 3, false));
	hidden_numbers_read(&w->numbers, w->task, &files);
	secret_random_repeat(&w->secret, 7);
	w->drawn = xcalloc(hidden_total(w->task), sizeof *w->drawn);
	hidden_draw_all(w->drawn, w->task, &w->numbers, &w->secret);
}

static void world_release_cases(struct world *w)
{
	for (size_t i = 0; i < hidden_total(w->task); i++)
		task_case_release(&w->drawn[i]);
}

static void world_again(struct world *w)
{
	world_release_cases(w);
	hidden_draw_all(w->drawn, w->task, &w->numbers, &w->secret);
}

static void world_close(struct world *w)
{
	world_release_cases(w);
	free(w->drawn);
	hidden_numbers_release(&w->numbers);
	task_free(w->task);
}

static bool has(const struct world *w, size_t symbol, int64_t size)
{
	for (size_t i = 0; i < hidden_total(w->task); i++)
		if (w->drawn[i].value[symbol] == size)
			return true;
	return false;
}

static void ends_of_all_ranges_come_in_every_scoring(void **state)
{
	struct world w;

	(void)state;
	world_open(&w,
		   "{count: 2, rows: 2..67, cols: {low: 3, high: 70, step: 8}, "
		   "k: 1..9}",
		   "");
	assert_int_equal(hidden_total(w.task),
			 1 + 3 + HIDDEN_AT + HIDDEN_AROUND + 2);
	for (size_t i = 0; i < SCORINGS; i++, world_again(&w)) {
		const int64_t *first = w.drawn[0].value;

		assert_int_equal(first[0], 67);
		assert_int_equal(first[1], 64);
		assert_int_equal(first[2], 9);
		assert_true(has(&w, 0, 2) && has(&w, 1, 8) && has(&w, 2, 1));
		for (size_t c = 0; c < hidden_total(w.task); c++) {
			const int64_t *v = w.drawn[c].value;

			assert_in_range(v[0], 2, 67);
			assert_in_range(v[1], 8, 64);
			assert_int_equal(v[1] % 8, 0);
			assert_in_range(v[2], 1, 9);
		}
	}
	world_close(&w);
}

/* With the low end of one symbol the others are not all at theirs. */
static void a_low_end_comes_beside_other_sizes(void **state)
{
	struct world w;
	size_t together = 0;

	(void)state;
	world_open(&w, "{count: 1, rows: 2..67, cols: 2..67, k: 2..9}", "");
	for (size_t i = 0; i < SCORINGS; i++, world_again(&w))
		for (size_t c = 1; c < 4; c++)
			together += w.drawn[c].value[0] == 2 &&
				    w.drawn[c].value[1] == 2;
	assert_true(together < SCORINGS / 4);
	world_close(&w);
}

static void sizes_are_drawn_around_numbers_of_the_sources(void **state)
{
	struct world w;
	size_t seen[4] = {0};

	(void)state;
	world_open(&w, "{count: 1, rows: 1..300, cols: 1..300, k: 4..4}",
		   "#define TILE_77 128 // avogit: 128 0x40UL 1e3\n"
		   "float x = 250.5; int y = x200;\n");
	assert_int_equal(w.numbers.n, 2); /* 128, 64 */
	for (size_t i = 0; i < 10 * SCORINGS; i++, world_again(&w)) {
		seen[0] += has(&w, 0, 127);
		seen[1] += has(&w, 0, 128);
		seen[2] += has(&w, 1, 129);
		seen[3] += has(&w, 0, 250) || has(&w, 0, 77);
	}
	for (size_t i = 0; i < 3; i++)
		assert_true(seen[i] > 4 * SCORINGS);
	assert_true(seen[3] < SCORINGS);
	world_close(&w);
}

static void each_size_of_a_tunable_comes_in_every_scoring(void **state UNUSED)
{
	static const char *const source[] = {
		"#define TILE 100 // avogit: 100 300\n#define OF (50)\n"
		"int x = 7 + 9 + 11; i += 16; i & 31; j >> 6; {8, 32, 64}",
		"constexpr int tile = 100, y = 1;\nstatic const int of = 50;\n",
		"TILE = 100  # avogit: 100 | 300\nOF=50\nx = 5 + 16",
	};

	for (size_t k = 0; k < ARRAY_SIZE(source); k++) {
		struct world w;

		world_open(&w,
			   "{count: 1, rows: 1..200, cols: 1..200, k: 4..4}",
			   source[k]);
		for (size_t i = 0; i < SCORINGS; i++, world_again(&w))
			for (size_t s = 0; s < 2; s++)
				for (int64_t by = -1; by <= 1; by++)
					assert_true(has(&w, s, 100 + by) &&
						    has(&w, s, 50 + by));
		world_close(&w);
	}
}

/* Where no sizes take as little memory as cases at numbers rather do. */
static void sizes_of_a_tunable_come_where_all_cases_are_large(
	void **state UNUSED)
{
	struct world w;

	world_open(&w, "{count: 1, rows: 1..64, cols: 200000..200000, k: 4..4}",
		   "#define TILE 16\n");
	for (size_t i = 0; i < SCORINGS; i++, world_again(&w))
		for (int64_t rows = 15; rows <= 17; rows++)
			assert_true(has(&w, 0, rows));
	world_close(&w);
}

static enum hidden_rank rank_of(const struct world *w, int64_t size)
{
	for (size_t i = 0; i < w->numbers.n; i++)
		if (w->numbers.v[i].size == size)
			return w->numbers.v[i].rank;
	return HIDDEN_RANKS;
}

static void numbers_of_a_source_are_ranked(void **state UNUSED)
{
	struct world w;

	world_open(&w, "{count: 1, rows: 1..200, cols: 1..200, k: 4..4}",
		   "#define A 12 // avogit: 24 48\nenum { B = 13 };\n"
		   "for (; i + 40 <= n; i += 40) f(i % 5, i & 63, 128, 77);\n"
		   "n >> 8; n >= 91; x = 79; x[14] = 1.5;\n");
	assert_int_equal(rank_of(&w, 12), HIDDEN_TUNABLE);
	assert_int_equal(rank_of(&w, 13), HIDDEN_TUNABLE);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(rank_of(&w,
					 (int[]){40, 5, 64, 128, 256, 91}[i]),
				 HIDDEN_STEP);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(rank_of(&w, (int[]){24, 48, 77, 79, 14}[i]),
				 HIDDEN_OTHER);
	world_close(&w);
}

static void bytes_that_are_put_together_are_no_size(void **state UNUSED)
{
	static const struct {
		const char *source;
		enum hidden_rank rank;
	} given[] = {
		{"v |= p[2] << 16;", HIDDEN_RANKS},
		{"h ^= h >> 16; h = x1 << 16;", HIDDEN_RANKS},
		{"n < (size_t)1 << 16;", HIDDEN_STEP},
		{"static int table[1u << 16];", HIDDEN_STEP},
	};
	struct world w;

	for (size_t i = 0; i < ARRAY_SIZE(given); i++) {
		world_open(&w, "{count: 1, rows: 1..9, cols: 1..9, k: 4..4}",
			   given[i].source);
		assert_int_equal(rank_of(&w, 65536), given[i].rank);
		world_close(&w);
	}
}

/* A flood of numbers moves what is there for numbers, and nothing else. */
static void numbers_of_a_candidate_leave_ends_and_chance_alone(void **state)
{
	cleanup_buf struct buf flood = BUF_INIT(1 << 20);
	struct world w;
	bool rows[68] = {false};
	size_t different = 0;

	(void)state;
	for (size_t i = 0; i < 5000; i++)
		buf_adds(&flood, "5 0x5 999999999999999999999 ");
	world_open(&w, "{count: 3, rows: 2..67, cols: 2..67, k: 2..9}",
		   flood.data);
	assert_int_equal(hidden_total(w.task),
			 1 + 3 + HIDDEN_AT + HIDDEN_AROUND + 3);
	for (size_t i = 0; i < SCORINGS; i++, world_again(&w)) {
		assert_int_equal(w.drawn[0].value[0], 67);
		assert_true(has(&w, 1, 2));
		for (size_t c = hidden_planned(w.task);
		     c < hidden_total(w.task); c++)
			rows[w.drawn[c].value[0]] = true;
	}
	for (size_t i = 2; i < ARRAY_SIZE(rows); i++)
		different += rows[i];
	assert_true(different > 55);
	world_close(&w);
}

static void a_long_line_of_numbers_is_soon_read(void **state UNUSED)
{
	cleanup_buf struct buf line = BUF_INIT((size_t)3 << 20);
	clock_t begin = clock();
	struct world w;

	for (size_t i = 0; i < 1000000; i++)
		buf_adds(&line, "5 ");
	assert_false(line.truncated);
	world_open(&w, "{count: 1, rows: 2..67, cols: 2..67, k: 2..9}",
		   line.data);
	assert_int_equal(w.numbers.n, 1);
	world_close(&w);
	assert_true(clock() - begin < 10 * CLOCKS_PER_SEC);
}

static void sizes_that_do_not_go_together_are_not_drawn(void **state)
{
	struct world w;

	(void)state;
	world_open(&w,
		   "{count: 8, rows: 1..9, cols: 1..67, k: 1..67, require: k < "
		   "cols && rows / (k - 3) < 9}",
		   "64 65");
	for (size_t i = 0; i < SCORINGS; i++, world_again(&w)) {
		for (size_t c = 0; c < hidden_total(w.task); c++) {
			const int64_t *v = w.drawn[c].value;

			assert_true(v[2] < v[1] && v[2] != 3);
		}
		assert_true(has(&w, 2, 1));
	}
	world_close(&w);
}

static void ends_stay_within_the_memory_of_the_cases(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "{count: 1, rows: 1..9000, cols: 1..9000, k: 1..9}",
		   "8191");
	for (size_t i = 0; i < SCORINGS; i++, world_again(&w)) {
		for (size_t c = 0; c < hidden_total(w.task) - 1; c++)
			assert_true(w.drawn[c].value[0] * w.drawn[c].value[1] <=
				    (1 << 24));
		assert_true(has(&w, 0, 1) && has(&w, 1, 1));
	}
	world_close(&w);
}

static void what_no_sizes_meet_is_refused(void **state)
{
	static const char *const bad[][2] = {
		{"require: k > cols", "no sizes from the ranges met it"},
		{"require: k <= q", "'k <= q' uses q"},
		{"require: k <", "hidden.require"},
		{"require: [1, 2]", "hidden.require"},
		{"r: 1..2", "no case has this symbol"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		cleanup_task struct task *t = NULL;
		cleanup_error struct error *err = NULL;
		cleanup_free char *text = xasprintf(
			TASK "hidden: {rows: 1..2, cols: 3..9, k: 1..3, %s}\n",
			bad[i][0]);

		err = task_parse(&t, "avogit.yaml", text, strlen(text));
		assert_non_null(err);
		if (!strstr(error_message(err), bad[i][1]))
			print_error("%s\n", error_message(err));
		assert_non_null(strstr(error_message(err), bad[i][1]));
	}
}

/* A compiler takes a NUL in a comment. */
static void a_number_behind_a_nul_is_read(void **state UNUSED)
{
	static const char source[] = "/*\0*/ 128";
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_free char *text =
		xasprintf(TASK "hidden: {rows: 2..9, cols: 2..9, k: 2..9}\n");
	struct hidden_numbers numbers = {0};
	struct task *task = NULL;

	assert_null(task_parse(&task, "avogit.yaml", text, strlen(text)));
	assert_null(
		fileset_put(&files, "k.c", source, sizeof source - 1, false));
	hidden_numbers_read(&numbers, task, &files);
	assert_int_equal(numbers.n, 1);
	assert_int_equal(numbers.v[0].size, 128);
	hidden_numbers_release(&numbers);
	task_free(task);
}

/* ---- one or two sizes change --------------------------------------------- */

#define MOST_STEPS 300

/* How many symbols differ between two cases, and which, at most two. */
static size_t changed(size_t which[2], const struct world *w,
		      const struct task_case *a, const struct task_case *b)
{
	size_t n = 0;

	for (size_t s = 0; s < w->task->symbols.n; s++)
		if (a->value[s] != b->value[s]) {
			if (n < 2)
				which[n] = s;
			n++;
		}
	return n;
}

/* What a key made of two sizes may be. */
enum kept {
	PRODUCT,
	SUM,
	DIFFERENCE,
	QUOTIENT,
	FIRST_TWICE,
	SECOND_TWICE,
	LARGER,
	KEPT
};

/* What the steps of one scoring did to each symbol, and to each two. */
struct seen_steps {
	bool up[3], down[3];
	bool one_up[3], one_down[3]; /* by a single step */
	bool same_group[3][9];	     /* of 2 to 8 */
	bool same_bits[3];	     /* the last four */
	size_t same;
	bool kept[3][3][KEPT];
};

static void look_at_one(struct seen_steps *seen, const struct world *w,
			size_t s, int64_t from, int64_t to)
{
	int64_t step = w->task->hidden[s].step;

	seen->up[s] |= to > from;
	seen->down[s] |= to < from;
	seen->one_up[s] |= to == from + step;
	seen->one_down[s] |= to == from - step;
	for (int64_t group = 2; group < 9; group++)
		seen->same_group[s][group] |= from / group == to / group;
	seen->same_bits[s] |= (to - from) % (16 * step) == 0;
}

static void look_at_two(bool *kept, const int64_t *from, const int64_t *to)
{
	kept[PRODUCT] |= from[0] * from[1] == to[0] * to[1];
	kept[SUM] |= from[0] + from[1] == to[0] + to[1];
	kept[DIFFERENCE] |= from[0] - from[1] == to[0] - to[1];
	kept[QUOTIENT] |= from[0] * to[1] == to[0] * from[1];
	kept[FIRST_TWICE] |= 2 * from[0] + from[1] == 2 * to[0] + to[1];
	kept[SECOND_TWICE] |= from[0] + 2 * from[1] == to[0] + 2 * to[1];
	kept[LARGER] |= MAX(from[0], from[1]) == MAX(to[0], to[1]);
}

static void look_at(struct seen_steps *seen, const struct world *w,
		    const struct task_case *before, const struct task_case *c)
{
	size_t s[2] = {0}, n = changed(s, w, before, c);

	assert_true(hidden_meets(w->task, c));
	seen->same += n == 0;
	if (n == 1)
		look_at_one(seen, w, s[0], before->value[s[0]], c->value[s[0]]);
	if (n == 2)
		look_at_two(seen->kept[s[0]][s[1]],
			    (int64_t[]){before->value[s[0]],
					before->value[s[1]]},
			    (int64_t[]){c->value[s[0]], c->value[s[1]]});
	/* All may change where others are drawn, so that two can change next. */
	for (size_t i = 0; i < w->task->symbols.n; i++) {
		const struct hidden_range *h = &w->task->hidden[i];

		assert_in_range(c->value[i], h->low, h->high);
		assert_int_equal(c->value[i] % h->step, 0);
	}
}

static void draw_steps(struct seen_steps *seen, struct world *w)
{
	struct task_case c[MOST_STEPS] = {{0}};
	size_t n;

	assert_true(hidden_steps_most(w->task) <= MOST_STEPS);
	n = hidden_steps_draw(c, w->task, &w->numbers, &w->secret);
	assert_true(n && n <= hidden_steps_most(w->task));
	*seen = (struct seen_steps){0};
	for (size_t i = 1; i < n; i++)
		look_at(seen, w, &c[i - 1], &c[i]);
	for (size_t i = 0; i < n; i++)
		task_case_release(&c[i]);
}

/* A cache that does not look at one size sees two others of it, one after the
 * other: a greater one first, so that what was made for the smaller falls short. */
static void each_size_changes_alone_in_every_scoring(void **state UNUSED)
{
	static const char *const hidden[] = {
		"{rows: 1..300, cols: {low: 3, high: 70, step: 8}, k: 1..9}",
		"{rows: 1..5000000, cols: 1..5000000, k: 0..9, require: k > 0}",
		"{rows: 1..35, cols: 1..35, k: 1..35, require: k <= cols}",
	};

	for (size_t h = 0; h < ARRAY_SIZE(hidden); h++) {
		struct world w;

		world_open(&w, hidden[h], "");
		for (size_t i = 0; i < SCORINGS; i++) {
			struct seen_steps seen;

			draw_steps(&seen, &w);
			assert_int_equal(seen.same, 1);
			for (size_t s = 0; s < 3; s++)
				assert_true(seen.up[s] && seen.down[s]);
		}
		world_close(&w);
	}
}

/* A key of a size without its last bits, or of these alone, does not tell two. */
static void each_size_changes_by_little_in_every_scoring(void **state UNUSED)
{
	struct world w;

	world_open(&w, "{rows: 1..259, cols: 1..300, k: 1..99}", "");
	for (size_t i = 0; i < SCORINGS; i++) {
		struct seen_steps seen;

		draw_steps(&seen, &w);
		for (size_t s = 0; s < 3; s++) {
			assert_true(seen.one_up[s] && seen.one_down[s]);
			assert_true(seen.same_bits[s]);
			for (size_t group = 2; group < 9; group++)
				assert_true(seen.same_group[s][group]);
		}
	}
	world_close(&w);
}

static size_t n_missed(const struct seen_steps *seen)
{
	size_t n = 0;

	for (size_t a = 0; a < 3; a++)
		for (size_t b = a + 1; b < 3; b++)
			for (size_t k = 0; k < KEPT; k++)
				n += !seen->kept[a][b][k];
	return n;
}

/* A key of a product, a sum or the like does not tell two pairs of sizes. */
static void each_two_sizes_change_together_in_every_scoring(void **state UNUSED)
{
	static const char *const hidden[] = {
		"{rows: 1..259, cols: 1..300, k: 1..99}",
		"{rows: 1..35, cols: 1..35, k: 1..35}",
		"{rows: 1..5000000, cols: 1..5000000, k: 1..40}",
	};

	for (size_t h = 0; h < ARRAY_SIZE(hidden); h++) {
		size_t missed = 0;
		struct world w;

		world_open(&w, hidden[h], "");
		for (size_t i = 0; i < SCORINGS; i++) {
			struct seen_steps seen;

			draw_steps(&seen, &w);
			missed += n_missed(&seen);
		}
		/* Beside a third size of thousands two may have no room to
		 * change: of all changes of 1000 scorings about two. */
		assert_in_range(missed, 0, h < 2 ? 0 : SCORINGS / 50);
		world_close(&w);
	}
}

static void sizes_change_where_small_ones_do_not_go_together(
	void **state UNUSED)
{
	static const char *const hidden[] = {
		"{rows: 1..512, cols: 1..512, k: 5..5, require: rows + cols > "
		"600}",
		"{rows: 1..256, cols: 4096..4096, k: 4096..4096, require: rows "
		"% 8 == 0}",
	};

	for (size_t h = 0; h < ARRAY_SIZE(hidden); h++) {
		struct world w;

		world_open(&w, hidden[h], "");
		for (size_t i = 0; i < SCORINGS; i++) {
			struct seen_steps seen;

			draw_steps(&seen, &w);
			assert_int_equal(seen.same, 1);
			for (size_t s = 0; s < 2 - h; s++)
				assert_true(seen.up[s] && seen.down[s]);
		}
		world_close(&w);
	}
}

static void sizes_that_cannot_change_alone_stay(void **state UNUSED)
{
	struct world w;

	world_open(&w,
		   "{rows: 1..300, cols: 1..300, k: 5..5, require: rows == "
		   "cols}",
		   "");
	for (size_t i = 0; i < 10; i++) {
		struct seen_steps seen;

		draw_steps(&seen, &w);
		assert_int_equal(seen.same, 1);
		for (size_t s = 0; s < 3; s++)
			assert_false(seen.up[s] || seen.down[s]);
	}
	world_close(&w);
}

static void cases_of_a_changed_size_are_small(void **state UNUSED)
{
	struct world w;

	world_open(&w, "{rows: 1..9000, cols: 1..9000, k: 1..9}", "");
	for (size_t i = 0; i < SCORINGS; i++) {
		struct task_case c[MOST_STEPS] = {{0}};
		size_t n = hidden_steps_draw(c, w.task, &w.numbers, &w.secret);

		assert_true(n <= hidden_steps_most(w.task));
		for (size_t k = 0; k < n; k++) {
			assert_true(4 * c[k].value[0] * c[k].value[1] <
				    (4 << 20));
			task_case_release(&c[k]);
		}
	}
	world_close(&w);
}

/* ---- beyond the ranges, and small ones ----------------------------------- */

#define MOST_MORE 64

/* What a scoring has beyond the ranges. */
struct beyond {
	struct task_case c[MOST_MORE];
	size_t n;
};

static void beyond_draw(struct beyond *out, struct world *w)
{
	assert_true(hidden_more_most(w->task) <= MOST_MORE);
	out->n = hidden_between_draw(out->c, w->task, &w->numbers, &w->secret);
	assert_true(out->n <= HIDDEN_BETWEEN);
}

static void beyond_release(struct beyond *b)
{
	for (size_t i = 0; i < b->n; i++)
		task_case_release(&b->c[i]);
}

static bool reaches(const struct beyond *b, size_t symbol, int64_t low,
		    int64_t high)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->c[i].value[symbol] >= low &&
		    b->c[i].value[symbol] <= high)
			return true;
	return false;
}

/* The cases of TASK have 64 rows and 64 columns. */
static void sizes_between_a_range_and_the_largest_case_are_drawn(
	void **state UNUSED)
{
	struct world w;
	size_t far = 0;

	world_open(&w,
		   "{rows: 1..35, cols: {low: 4, high: 30, step: 4}, k: 1..8}",
		   "if (rows > 40 && rows < 50) cols == 48;");
	for (size_t i = 0; i < SCORINGS; i++) {
		struct beyond b;

		beyond_draw(&b, &w);
		assert_true(reaches(&b, 0, 41, 41) && reaches(&b, 0, 51, 51));
		assert_true(reaches(&b, 1, 44, 44) && reaches(&b, 1, 52, 52));
		far += reaches(&b, 0, 55, 64);
		for (size_t k = 0; k < b.n; k++) {
			const int64_t *v = b.c[k].value;

			assert_in_range(v[0], 1, 64);
			assert_in_range(v[1], 4, 64);
			assert_int_equal(v[1] % 4, 0);
			assert_in_range(v[2], 1, 8);
			assert_true(v[0] > 35 || v[1] > 28);
		}
		beyond_release(&b);
	}
	assert_in_range(far, SCORINGS / 2, SCORINGS - 1);
	world_close(&w);
}

static void no_size_is_drawn_that_the_task_excludes(void **state UNUSED)
{
	static const char *const none[] = {
		"{rows: 64..64, cols: 1..64, k: 1..9}",
		"{rows: 9..9, cols: 9..9, k: 1..9}",
		"{rows: 1..35, cols: 1..35, k: 1..9, require: rows <= 35 && "
		"cols <= 35}",
		"{rows: 1..63, cols: {low: 7, high: 60, step: 7}, k: 1..9, "
		"require: rows < 64}",
	};
	struct world w;

	for (size_t h = 0; h < ARRAY_SIZE(none); h++) {
		struct beyond b;

		world_open(&w, none[h], "50 64");
		beyond_draw(&b, &w);
		for (size_t i = 0; h == 3 && i < b.n; i++)
			assert_int_equal(b.c[i].value[1], 63);
		if (h < 3)
			assert_int_equal(b.n, 0);
		beyond_release(&b);
		world_close(&w);
	}
}

/* A window is never wider than what it slides over, though none said so. */
static void sizes_beyond_keep_the_order_of_ranges_and_cases(void **state UNUSED)
{
	struct world w;

	world_open(&w, "{rows: 20..40, cols: 20..30, k: 1..5}", "k > 6");
	for (size_t i = 0; i < SCORINGS; i++) {
		struct beyond b;

		beyond_draw(&b, &w);
		assert_true(reaches(&b, 2, 6, 8));
		for (size_t k = 0; k < b.n; k++)
			assert_true(b.c[k].value[2] <= b.c[k].value[0] &&
				    b.c[k].value[2] <= b.c[k].value[1]);
		beyond_release(&b);
	}
	world_close(&w);
}

static void sizes_that_only_go_together_are_drawn_together(void **state UNUSED)
{
	struct world w;

	world_open(&w,
		   "{rows: 1..30, cols: 1..30, k: 1..8, require: rows == "
		   "cols}",
		   "rows >= 50");
	for (size_t i = 0; i < SCORINGS; i++) {
		struct beyond b;

		beyond_draw(&b, &w);
		assert_true(reaches(&b, 0, 51, 51));
		for (size_t k = 0; k < b.n; k++)
			assert_int_equal(b.c[k].value[0], b.c[k].value[1]);
		beyond_release(&b);
	}
	world_close(&w);
}

static void each_value_of_a_small_range_comes_in_every_scoring(
	void **state UNUSED)
{
	static const char *const hidden[] = {
		"{rows: 1..300, cols: {low: 8, high: 128, step: 8}, k: 1..8}",
		"{rows: 1..300, cols: 1..16, k: 1..16, require: k <= cols}",
	};

	for (size_t h = 0; h < ARRAY_SIZE(hidden); h++) {
		struct world w;

		world_open(&w, hidden[h], "");
		for (size_t i = 0; i < SCORINGS; i++, world_again(&w)) {
			struct task_case c[MOST_MORE];
			size_t n = hidden_cover_draw(c, w.task, w.drawn,
						     hidden_total(w.task),
						     &w.secret);
			struct beyond b = {.n = n};

			memcpy(b.c, c, n * sizeof *c);
			for (int64_t v = 1; v <= 8; v++)
				assert_true(has(&w, 2, v) ||
					    reaches(&b, 2, v, v));
			for (int64_t v = 1; v <= 16; v++)
				assert_true(has(&w, 1, h ? v : 8 * v) ||
					    reaches(&b, 1, h ? v : 8 * v,
						    h ? v : 8 * v));
			for (size_t k = 0; k < n; k++)
				assert_true(hidden_meets(w.task, &c[k]));
			beyond_release(&b);
		}
		world_close(&w);
	}
}

static void sizes_beyond_need_no_more_memory_than_the_largest_case(
	void **state UNUSED)
{
	struct world w;

	world_open(&w, "{rows: 1..35, cols: 1..64, k: 1..4000}", "rows > 50");
	for (size_t i = 0; i < SCORINGS; i++) {
		uint64_t most = hidden_bytes(w.task, &w.task->cases[0]);
		struct beyond b;

		beyond_draw(&b, &w);
		assert_true(reaches(&b, 0, 51, 51));
		for (size_t k = 0; k < b.n; k++)
			assert_true(hidden_bytes(w.task, &b.c[k]) <= most);
		beyond_release(&b);
	}
	world_close(&w);
}

/* As other hidden cases do, up to 64 MiB. */
static void values_of_a_small_range_come_where_all_sizes_are_large(
	void **state UNUSED)
{
	struct task_case c[MOST_MORE];
	bool seen[9] = {false};
	struct world w;
	size_t n;

	world_open(&w, "{count: 1, rows: 1..8, cols: 500000..500000, k: 4..4}",
		   "");
	n = hidden_cover_draw(c, w.task, NULL, 0, &w.secret);
	for (size_t i = 0; i < n; i++) {
		seen[c[i].value[0]] = true;
		task_case_release(&c[i]);
	}
	for (size_t v = 1; v < ARRAY_SIZE(seen); v++)
		assert_true(seen[v]);
	world_close(&w);
}

static void both_ends_of_a_range_are_drawn(void **state UNUSED)
{
	static const struct hidden_range ranges[] = {
		{.low = 1, .high = 2, .step = 1},
		{.low = 7, .high = 8, .step = 1},
		{.low = 0, .high = 1, .step = 1},
		{.low = 1, .high = 100, .step = 1},
		{.low = 8, .high = 24, .step = 8},
	};
	struct secret_random r;

	secret_random_repeat(&r, 7);
	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
		const struct hidden_range *h = &ranges[i];
		size_t low = 0, high = 0;

		for (size_t k = 0; k < 2000; k++) {
			int64_t v = hidden_draw_between(h, h->low, h->high, &r);

			assert_in_range(v, h->low, h->high);
			low += v == h->low;
			high += v == h->high;
		}
		assert_true(low && high);
	}
}

static void a_size_is_drawn_from_a_part_of_its_range(void **state UNUSED)
{
	struct world w;
	struct task_case c;
	size_t seen[3] = {0};

	world_open(&w,
		   "{rows: 2..67, cols: {low: 3, high: 70, step: 8}, k: 1..9}",
		   "");
	for (size_t i = 0; i < SCORINGS; i++) {
		assert_true(
			hidden_draw_within(&c, w.task, 1, 10, 39, &w.secret));
		assert_in_range(c.value[1], 16, 32);
		assert_int_equal(c.value[1] % 8, 0);
		seen[c.value[1] / 8 - 2]++;
		assert_in_range(c.value[0], 2, 67);
		assert_non_null(strstr(c.name, c.value[1] == 16	  ? "cols=16"
					       : c.value[1] == 24 ? "cols=24"
								  : "cols=32"));
		task_case_release(&c);
	}
	assert_true(seen[0] && seen[1] && seen[2]);
	/* None is there, or none of the range. */
	assert_false(hidden_draw_within(&c, w.task, 1, 1, 7, &w.secret));
	assert_false(hidden_draw_within(&c, w.task, 1, 71, 90, &w.secret));
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ends_of_a_range_are_drawn),
		cmocka_unit_test(
			sizes_beyond_need_no_more_memory_than_the_largest_case),
		cmocka_unit_test(
			values_of_a_small_range_come_where_all_sizes_are_large),
		cmocka_unit_test(a_number_behind_a_nul_is_read),
		cmocka_unit_test(ends_of_all_ranges_come_in_every_scoring),
		cmocka_unit_test(a_low_end_comes_beside_other_sizes),
		cmocka_unit_test(sizes_are_drawn_around_numbers_of_the_sources),
		cmocka_unit_test(each_size_of_a_tunable_comes_in_every_scoring),
		cmocka_unit_test(
			sizes_of_a_tunable_come_where_all_cases_are_large),
		cmocka_unit_test(numbers_of_a_source_are_ranked),
		cmocka_unit_test(bytes_that_are_put_together_are_no_size),
		cmocka_unit_test(a_long_line_of_numbers_is_soon_read),
		cmocka_unit_test(
			numbers_of_a_candidate_leave_ends_and_chance_alone),
		cmocka_unit_test(sizes_that_do_not_go_together_are_not_drawn),
		cmocka_unit_test(ends_stay_within_the_memory_of_the_cases),
		cmocka_unit_test(what_no_sizes_meet_is_refused),
		cmocka_unit_test(each_size_changes_alone_in_every_scoring),
		cmocka_unit_test(each_size_changes_by_little_in_every_scoring),
		cmocka_unit_test(
			each_two_sizes_change_together_in_every_scoring),
		cmocka_unit_test(
			sizes_change_where_small_ones_do_not_go_together),
		cmocka_unit_test(sizes_that_cannot_change_alone_stay),
		cmocka_unit_test(cases_of_a_changed_size_are_small),
		cmocka_unit_test(
			sizes_between_a_range_and_the_largest_case_are_drawn),
		cmocka_unit_test(no_size_is_drawn_that_the_task_excludes),
		cmocka_unit_test(
			sizes_beyond_keep_the_order_of_ranges_and_cases),
		cmocka_unit_test(
			sizes_that_only_go_together_are_drawn_together),
		cmocka_unit_test(
			each_value_of_a_small_range_comes_in_every_scoring),
		cmocka_unit_test(a_size_is_drawn_from_a_part_of_its_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
