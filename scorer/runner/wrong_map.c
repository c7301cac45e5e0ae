#include "scorer/runner/wrong_map.h"

#include "scorer/runner/element_runs.h"

/* The tensor as rows of its last dimension; a vector is one column. */
struct plane {
	struct wrong_map *map;
	int64_t rows, columns;
	int64_t row; /* the last wrong one; -1: none yet */
	unsigned char *in_column;
};

static struct plane plane_of(struct wrong_map *map,
			     const struct tensor_layout *t)
{
	struct plane p = {.map = map, .row = -1};

	p.columns = t->n_dims > 1 ? t->shape[t->n_dims - 1] : 1;
	p.columns = MAX(p.columns, 1);
	p.rows = MAX(t->elements / p.columns, 1);
	return p;
}

/* Lines come in ascending order. */
static void lines_add(struct wrong_lines *l, int64_t line)
{
	if (!l->n++)
		l->first = line;
	l->last = line;
	l->step = common_divisor(line - l->first, l->step);
}

/* ---- the picture ---------------------------------------------------------- */

/* A vector is drawn in reading order, over all lines of the picture. */
static void size_picture(const struct plane *p)
{
	int64_t cells = MIN(p->rows, (int64_t)WRONG_HEIGHT * WRONG_WIDTH);

	if (p->columns > 1) {
		p->map->height = (uint32_t)MIN(p->rows, (int64_t)WRONG_HEIGHT);
		p->map->width = (uint32_t)MIN(p->columns, (int64_t)WRONG_WIDTH);
		return;
	}
	p->map->width = (uint32_t)MIN(cells, (int64_t)WRONG_WIDTH);
	p->map->height = (uint32_t)((cells + WRONG_WIDTH - 1) / WRONG_WIDTH);
}

/* Of `n` lines the cell, among `cells`, that holds this one. */
static uint32_t cell_of(int64_t line, int64_t n, uint32_t cells)
{
	return (uint32_t)((double)line / (double)n * cells);
}

static void draw(const struct plane *p, int64_t row, int64_t column, bool wrong)
{
	struct wrong_map *m = p->map;
	int64_t cells = MIN(p->rows, (int64_t)WRONG_HEIGHT * WRONG_WIDTH);
	uint32_t y, x;

	if (p->columns > 1) {
		y = cell_of(row, p->rows, m->height);
		x = cell_of(column, p->columns, m->width);
	} else {
		x = cell_of(row, p->rows, (uint32_t)cells);
		y = x / WRONG_WIDTH;
		x %= WRONG_WIDTH;
	}
	m->looked[y] |= UINT32_C(1) << x;
	if (wrong)
		m->wrong[y] |= UINT32_C(1) << x;
}

/* ---- one element after the other ------------------------------------------ */

static void add_element(struct plane *p, int64_t element, bool wrong)
{
	int64_t row = element / p->columns, column = element % p->columns;

	p->map->checked++;
	draw(p, row, column, wrong);
	if (!wrong)
		return;
	p->map->elements++;
	p->in_column[column] = 1;
	if (row != p->row)
		lines_add(&p->map->rows, row);
	p->row = row;
}

/* The segment that begins first of those that do not begin before `from`, or
 * hold it; n if there is none. */
static uint32_t next_segment(const struct segment *segment, uint32_t n,
			     int64_t from)
{
	uint32_t next = n;

	for (uint32_t k = 0; k < n; k++)
		if (segment[k].end > from &&
		    (next == n || segment[k].begin < segment[next].begin))
			next = k;
	return next;
}

static void look_at_segments(struct plane *p, const struct tensor_layout *t,
			     const unsigned char *mark,
			     const struct segment *segment, uint32_t n)
{
	int64_t row = tensor_row_elements(t), from = 0;
	uint32_t k;

	while ((k = next_segment(segment, n, from)) < n) {
		int64_t begin = MAX(segment[k].begin, from), before = 0;

		for (uint32_t i = 0; i < k; i++)
			before += segment[i].end - segment[i].begin;
		for (int64_t i = begin * row; i < segment[k].end * row; i++)
			add_element(
				p, i,
				mark[i + (before - segment[k].begin) * row]);
		p->map->rows.of += (segment[k].end - begin);
		from = segment[k].end;
	}
	p->map->rows.of *= MAX(row / p->columns, 1);
}

/* ---- tiles ---------------------------------------------------------------- */

#define SIDE_MOST  256
#define SIDE_LEAST 8

/* How many tiles of this side are wrong; 0 if one of them is so in part. */
static int64_t whole_tiles(const struct plane *p, const unsigned char *mark,
			   int64_t side)
{
	int64_t across = (p->columns + side - 1) / side;
	int64_t down = (p->rows + side - 1) / side, tiles = 0;
	cleanup_free int64_t *wrong =
		xcalloc((size_t)(across * down), sizeof *wrong);

	for (int64_t i = 0; i < p->rows * p->columns; i++)
		if (mark[i])
			wrong[i / p->columns / side * across +
			      i % p->columns / side]++;
	for (int64_t k = 0; k < across * down; k++) {
		int64_t high = MIN(side, p->rows - k / across * side);
		int64_t wide = MIN(side, p->columns - k % across * side);

		if (wrong[k] && wrong[k] < high * wide)
			return 0;
		tiles += wrong[k] > 0;
	}
	return tiles;
}

static void find_tiles(const struct plane *p, const unsigned char *mark)
{
	int64_t side = SIDE_MOST;

	if (p->map->elements == p->map->checked)
		return;
	for (; side >= SIDE_LEAST; side /= 2) {
		if (side >= p->rows && side >= p->columns)
			continue;
		p->map->tiles = whole_tiles(p, mark, side);
		p->map->side = p->map->tiles ? side : 0;
		if (p->map->tiles)
			return;
	}
}

void wrong_map_make(struct wrong_map *out, const struct tensor_layout *t,
		    const unsigned char *mark, const struct segment *segment,
		    uint32_t n)
{
	struct plane p = plane_of(out, t);
	struct segment all = {0, tensor_rows(t)};
	cleanup_free unsigned char *in_column = xcalloc((size_t)p.columns, 1);

	*out = (struct wrong_map){0};
	p.in_column = in_column;
	size_picture(&p);
	look_at_segments(&p, t, mark, n ? segment : &all, n ? n : 1);
	out->columns.of = p.columns;
	for (int64_t i = 0; i < p.columns; i++)
		if (in_column[i])
			lines_add(&out->columns, i);
	if (!n)
		find_tiles(&p, mark);
}
