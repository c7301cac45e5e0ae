#include "cmd/ui/bars.h"

#include "cmd/ui/out.h"
#include "cmd/ui/table.h"
#include "core/base/clock.h"

#define BAR_MOST    30
#define BAR_LEAST   8
#define LABEL_WIDTH 9
/* The label, the brackets, and the figures behind them at their longest. */
#define BESIDE_BAR  (LABEL_WIDTH + 4 + 28)
#define RUNNER_SIZE 3 /* of what wanders in a bar of which nothing is known */

static const char *label(enum stage_kind kind)
{
	static const char *const names[STAGE_COUNT] = {
		[STAGE_NONE] = "",	    [STAGE_QUEUE] = "queueing",
		[STAGE_BUILD] = "building", [STAGE_CHECK] = "checking",
		[STAGE_TIME] = "timing",    [STAGE_THINK] = "thinking",
	};

	return names[kind];
}

static bool has_steps(const struct stage_view *v)
{
	return v->share >= 0 && (v->kind == STAGE_CHECK || !(v->usual > 0));
}

/* How much of it is done, as far as one can tell; negative: one cannot. What
 * takes longer than usual goes on for at least a quarter of that. */
static double guess(const struct stage_view *v)
{
	double rest = MAX(v->usual - v->seconds, v->usual / 4);

	if (has_steps(v))
		return v->share;
	return v->usual > 0 ? MAX(v->seconds, 0.0) / (v->seconds + rest) : -1;
}

static void add_filled(struct buf *out, double share, size_t cells)
{
	size_t full = (size_t)(share * (double)cells);

	for (size_t i = 0; i < cells; i++)
		buf_addc(out, i < full ? '#' : '-');
}

/* From one end to the other and back, a cell in a fifth of a second. */
static void add_wandering(struct buf *out, double seconds, size_t cells)
{
	size_t places = cells - RUNNER_SIZE;
	size_t at = (size_t)(5 * MAX(seconds, 0.0)) % (2 * places);

	at = at < places ? at : 2 * places - at;
	for (size_t i = 0; i < cells; i++)
		buf_addc(out, i >= at && i < at + RUNNER_SIZE ? '#' : '-');
}

static void add_figures(struct buf *out, const struct stage_view *v)
{
	cleanup_free char *span = clock_format_span(MAX(v->seconds, 0.0));
	cleanup_free char *usual = clock_format_span(v->usual);

	if (has_steps(v))
		buf_addf(out, "%.0f %%, %s", 100 * v->share, span);
	else if (v->usual > 0)
		buf_addf(out, "%s, usually %s", span, usual);
	else
		buf_adds(out, span);
}

void bars_add(struct buf *out, const struct stage_view *v,
	      const struct palette *p, size_t width)
{
	cleanup_buf struct buf figures = BUF_INIT(BUF_LIMIT_TEXT);
	size_t cells = width > BESIDE_BAR ? width - BESIDE_BAR : 0;
	double share = guess(v);

	if (v->kind == STAGE_NONE)
		return;
	add_figures(&figures, v);
	if (cells < BAR_LEAST) {
		cleanup_free char *line =
			xasprintf("%s %s", label(v->kind), figures.data);

		bars_add_text(out, line, p, COLOR_NONE, width);
		return;
	}
	buf_addf(out, "%-*s[%s", LABEL_WIDTH, label(v->kind),
		 color_begin(p, COLOR_GOOD));
	cells = MIN(cells, (size_t)BAR_MOST);
	if (share >= 0)
		add_filled(out, share, cells);
	else
		add_wandering(out, v->seconds, cells);
	buf_addf(out, "%s]  %s\n", color_end(p, COLOR_GOOD), figures.data);
}

void bars_add_text(struct buf *out, const char *text, const struct palette *p,
		   enum color color, size_t width)
{
	cleanup_buf struct buf clean = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *fit = NULL;

	out_clean_line(&clean, text);
	fit = text_fit(clean.data, width);
	buf_addf(out, "%s%s%s\n", color_begin(p, color), fit,
		 color_end(p, color));
}
