#include "cmd/watch/trajectory.h"

#include <math.h>

#include "cmd/ui/report.h"
#include "cmd/watch/dots.h"

#define AXIS	 10 /* cells */
#define LOG_HALF 0.7

struct scale {
	double lo, hi;	   /* logarithms of speeds */
	double across, up; /* dots from one attempt to the next, and of one */
	size_t width, height; /* in dots */
};

/* What is slower than half the start is drawn on the lowest line, or it would
 * take the room of what is faster. */
static void scale_init(struct scale *s, const struct population *p,
		       const struct dots *plot)
{
	*s = (struct scale){.width = plot->cols * 2, .height = plot->rows * 4};
	for (size_t i = 0; i < p->n; i++) {
		double gain = p->attempt[i].gain;

		if (!isfinite(gain))
			continue;
		s->hi = MAX(s->hi, gain);
		s->lo = MIN(s->lo, gain);
	}
	s->hi = MAX(s->hi, 0.05);
	s->lo = MIN(MAX(s->lo, -MAX(s->hi / 2, LOG_HALF)), -0.05);
	s->up = (double)(s->height - 1) / (s->hi - s->lo);
	if (p->n > 1)
		s->across = (double)(s->width - 1) / (double)(p->n - 1);
}

static size_t x_of(const struct scale *s, size_t at)
{
	return (size_t)((double)at * s->across);
}

static size_t y_of(const struct scale *s, double gain)
{
	double y = (gain - s->lo) * s->up + 0.5;

	return (size_t)MIN(MAX(y, 0), (double)(s->height - 1));
}

/* A dot for each attempt, and the running best in steps at what was crowned, up
 * to the newest attempt. */
static void draw_attempts(struct dots *plot, const struct scale *s,
			  const struct population *p)
{
	size_t from = 0, level = y_of(s, 0);

	for (size_t i = 0; i < p->n; i++) {
		const struct attempt *a = &p->attempt[i];
		size_t x, y;

		if (!isfinite(a->gain))
			continue;
		x = x_of(s, i);
		y = y_of(s, a->gain);
		dots_set(plot, x, y, INK_OTHER);
		if (!i || !(a->crowned || i == p->champion))
			continue;
		dots_across(plot, from, x, level, INK_BEST);
		dots_up(plot, x, level, y, INK_BEST);
		from = x;
		level = y;
	}
	dots_across(plot, from, x_of(s, p->n - 1), level, INK_BEST);
}

static void put_row(struct canvas *c, size_t row, const struct dots *plot,
		    size_t at)
{
	for (size_t col = 0; col < plot->cols;) {
		cleanup_buf struct buf piece = BUF_INIT(BUF_LIMIT_TEXT);
		enum ink ink;
		size_t next = dots_piece(&piece, &ink, plot, at, col);

		buf_trim_end(&piece);
		if (piece.len)
			c->put(c, row, AXIS + col,
			       ink == INK_BEST ? COLOR_GOOD : COLOR_NONE,
			       piece.data);
		col = next;
	}
}

static void put_label(struct canvas *c, size_t row, double gain)
{
	char ratio[32], label[AXIS + 1];

	report_format_ratio(ratio, sizeof ratio, exp(gain));
	snprintf(label, sizeof label, "%*.*s", AXIS - 2, AXIS - 2, ratio);
	c->put(c, row, 0, COLOR_FAINT, label);
}

void trajectory_draw(struct canvas *c, size_t row, size_t rows,
		     const struct population *p)
{
	cleanup_dots struct dots plot = {.rows = 0};
	struct scale s;
	size_t start;

	if (c->cols < AXIS + 10)
		return;
	dots_init(&plot, rows, c->cols - AXIS);
	scale_init(&s, p, &plot);
	draw_attempts(&plot, &s, p);
	for (size_t i = 0; i < rows; i++) {
		c->put(c, row + i, AXIS - 1, COLOR_FAINT, "|");
		put_row(c, row + i, &plot, i);
	}
	start = rows - 1 - y_of(&s, 0) / 4;
	put_label(c, row, s.hi);
	if (start)
		put_label(c, row + start, 0);
	if (start + 1 < rows)
		put_label(c, row + rows - 1, s.lo);
}
