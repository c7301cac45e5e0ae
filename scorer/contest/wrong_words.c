#include "scorer/contest/wrong_words.h"

#include <inttypes.h>

/* Of a single element the reason says all. */
static bool is_known(const struct wrong_map *m)
{
	return m->elements > 0 && m->checked >= MAX(m->elements, 2);
}

/* Of an output of which not all rows were checked, so many were. */
static const char *were_checked(const struct layout *l,
				const struct judge_answer *a)
{
	return a->map.checked < l->arg[a->argument].tensor.elements ? "checked "
								    : "";
}

void wrong_words_count(struct buf *out, const struct task *t,
		       const struct layout *l, const struct judge_answer *a)
{
	if (!is_known(&a->map))
		return;
	buf_addf(out, "; %" PRId64 " of %" PRId64 " %selements of `%s` %s",
		 a->map.elements, a->map.checked, were_checked(l, a),
		 t->argument[a->argument].name,
		 a->map.elements == 1 ? "is wrong" : "are wrong");
	for (size_t i = 0; i < t->n_arguments; i++)
		if (a->also_wrong[i] > 0)
			buf_addf(out, ", %" PRId64 " of `%s`", a->also_wrong[i],
				 t->argument[i].name);
}

/* "64 of 256 rows (3 to 255, every 4th)" */
static void add_lines(struct buf *out, const struct wrong_lines *l,
		      const char *what)
{
	if (l->n == l->of && l->n > 1) {
		buf_addf(out, "all %" PRId64 " %ss", l->n, what);
		return;
	}
	buf_addf(out, "%" PRId64 " of %" PRId64 " %ss (%" PRId64, l->n, l->of,
		 what, l->first);
	if (l->n > 1)
		buf_addf(out, " to %" PRId64, l->last);
	if (l->n > 2 && l->step > 1)
		buf_addf(out,
			 l->n == (l->last - l->first) / l->step + 1
				 ? ", each %" PRId64 " after the other"
				 : ", multiples of %" PRId64 " apart",
			 l->step);
	buf_addc(out, ')');
}

static void add_tiles(struct buf *out, const struct wrong_map *m)
{
	if (m->side <= 0 || m->tiles <= 0)
		return;
	if (m->columns.of > 1)
		buf_addf(out,
			 "; they are %" PRId64 " whole tile%s of %" PRId64
			 " x %" PRId64,
			 m->tiles, m->tiles == 1 ? "" : "s", m->side, m->side);
	else
		buf_addf(out,
			 "; they are %" PRId64 " whole block%s of %" PRId64,
			 m->tiles, m->tiles == 1 ? "" : "s", m->side);
}

static char cell(const struct wrong_map *m, uint32_t y, uint32_t x)
{
	if (m->wrong[y] >> x & 1)
		return '#';
	return m->looked[y] >> x & 1 ? '.' : '-';
}

static void add_picture(struct buf *out, const struct wrong_map *m)
{
	uint32_t height = MIN(m->height, (uint32_t)WRONG_HEIGHT);
	uint32_t width = MIN(m->width, (uint32_t)WRONG_WIDTH);

	for (uint32_t y = 0; y < height; y++) {
		buf_adds(out, "  ");
		for (uint32_t x = 0; x < width; x++)
			buf_addc(out, cell(m, y, x));
		buf_addc(out, '\n');
	}
}

/* No cell of it is right: the picture would be one wall. */
static bool is_wall(const struct wrong_map *m)
{
	for (uint32_t y = 0; y < MIN(m->height, (uint32_t)WRONG_HEIGHT); y++)
		if (m->looked[y] & ~m->wrong[y])
			return false;
	return true;
}

static void add_place(struct buf *out, const struct wrong_map *m, bool flat)
{
	add_lines(out, &m->rows, flat ? "element" : "row");
	if (!flat) {
		buf_adds(out, ", ");
		add_lines(out, &m->columns, "column");
	}
	add_tiles(out, m);
}

void wrong_words_place(struct buf *out, const struct task *t,
		       const struct judge_answer *a)
{
	const struct wrong_map *m = &a->map;
	bool flat = m->columns.of <= 1;

	if (!is_known(m))
		return;
	buf_addf(out, "wrong in `%s`: ", t->argument[a->argument].name);
	if (m->elements == m->checked) {
		buf_addf(out, "all %" PRId64 " elements that were checked\n",
			 m->checked);
		return;
	}
	add_place(out, m, flat);
	if (is_wall(m)) {
		buf_adds(out, "; in every part of it\n");
		return;
	}
	buf_addf(out,
		 "\n`%s` in small%s (# wrong, . right, - not "
		 "checked):\n",
		 t->argument[a->argument].name,
		 flat ? ", line after line" : "");
	add_picture(out, m);
}
