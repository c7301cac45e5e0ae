/* The tree of lineages that `avogit log` draws. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/ui/graph.h"

/* A run in short: the lineage of each attempt, upper case where it was kept;
 * lineages begin at the attempt of the given index. */
struct story {
	const char *attempts; /* "A" is lineage 1, "b" a failure of 2 */
	size_t root[4];
	size_t n_lineages;
};

static void build(struct population *p, struct attempt *attempt,
		  struct lineage *lineage, const struct story *s)
{
	*p = (struct population){.attempt = attempt, .lineage = lineage};
	for (size_t i = 0; i < s->n_lineages; i++)
		lineage[p->n_lineages++] = (struct lineage){
			.number = (int64_t)i + 1,
			.root = s->root[i],
			.tip = s->root[i],
		};
	for (const char *c = s->attempts; *c; c++) {
		size_t number = (size_t)(*c & 0x1f);

		if (*c < 'a')
			lineage[number - 1].tip = p->n;
		attempt[p->n++] = (struct attempt){
			.number = c - s->attempts,
			.lineage = (int64_t)number,
			.accepted = *c < 'a',
		};
	}
}

static void draw(struct buf *out, const struct story *s)
{
	struct attempt attempt[32];
	struct lineage lineage[8];
	struct population p;
	cleanup_graph struct graph g;

	build(&p, attempt, lineage, s);
	graph_init(&g, &p);
	for (size_t i = p.n; i-- > 0;) {
		cleanup_buf struct buf cells = BUF_INIT(BUF_LIMIT_TEXT);

		graph_row(out, &cells, &g, i, attempt[i].accepted ? 'o' : 'x');
		buf_trim_end(&cells);
		buf_addf(out, "%s\n", cells.data);
	}
}

static void draws_lineages_as_lines_that_end_at_their_root(void **state)
{
	static const struct {
		struct story story;
		const char *drawing;
	} rows[] = {
		{{"AAaA", {0}, 1},
		 "o\n"
		 "|x\n"
		 "o\n"
		 "o\n"},
		/* lineage 2 begins at attempt 1 */
		{{"AABbB", {0, 1}, 2},
		 "o\n"
		 "|x\n"
		 "o\n"
		 "o\n"
		 "o\n"},
		{{"AABAbA", {0, 1}, 2},
		 "o\n"
		 "| |x\n"
		 "o |\n"
		 "| o\n"
		 "|/\n"
		 "o\n"
		 "o\n"},
		/* two that begin at the same attempt */
		{{"AABCAbAcA", {0, 1, 1}, 3},
		 "o\n"
		 "| |x\n"
		 "o |\n"
		 "| | |x\n"
		 "o | |\n"
		 "| o |\n"
		 "| | o\n"
		 "|_|/\n"
		 "|/\n"
		 "o\n"
		 "o\n"},
		/* one that kept nothing */
		{{"AAbA", {0, 1}, 2},
		 "o\n"
		 "|x\n"
		 "o\n"
		 "o\n"},
		/* the first lineage is the last to be seen */
		{{"AABCbc", {0, 0, 0}, 3},
		 "|x\n"
		 "| |x\n"
		 "o |\n"
		 "| o\n"
		 "| | o\n"
		 " \\|_|\n"
		 "   \\|\n"
		 "    o\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

		draw(&out, &rows[i].story);
		assert_string_equal(out.data, rows[i].drawing);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			draws_lineages_as_lines_that_end_at_their_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
