/* The trajectory of a run as SVG. All of its text is avogit's own or passes
 * run_story_add_html. */
#include "cmd/report/run_story.h"

#include <math.h>

#include "core/run/outcome.h"

#define WIDTH  960
#define HEIGHT 420
#define LEFT   64
#define RIGHT  150
#define TOP    20
#define BOTTOM 56
#define FAILED 16 /* below the axis: attempts without a speed */

struct plot {
	const struct run_story *s;
	enum trajectory_axis axis;
	double most;   /* of x */
	double lo, hi; /* logarithms of speeds */
};

static double x_of(const struct plot *p, size_t i)
{
	const struct attempt *a = p->s->p.attempt;

	if (p->axis == AXIS_ATTEMPTS)
		return (double)i;
	return MAX(0, (double)(a[i].time_us - a[0].time_us) / 3.6e9);
}

static double at_x(const struct plot *p, double x)
{
	return LEFT + x / p->most * (WIDTH - LEFT - RIGHT);
}

static double at_y(const struct plot *p, double log_speed)
{
	return TOP +
	       (p->hi - log_speed) / (p->hi - p->lo) * (HEIGHT - TOP - BOTTOM);
}

/* The speed relative to the start of what the champion was compared with. */
static double baseline_log(const struct run_story *s,
			   const struct comparison *c)
{
	double best = run_story_best(s)->gain;

	if (c->rival != RIVAL_BASELINE || !(c->ratio > 0) || !isfinite(best))
		return NAN;
	return best - log(c->ratio);
}

static void include(struct plot *p, double log_speed)
{
	if (!isfinite(log_speed))
		return;
	p->lo = MIN(p->lo, log_speed);
	p->hi = MAX(p->hi, log_speed);
}

static void plot_init(struct plot *p, const struct run_story *s,
		      enum trajectory_axis axis)
{
	const struct measurement *m = run_story_best(s)->measurement;
	double room;

	*p = (struct plot){.s = s, .axis = axis};
	for (size_t i = 0; i < s->p.n; i++) {
		include(p, s->p.attempt[i].gain);
		p->most = MAX(p->most, x_of(p, i));
	}
	for (size_t i = 0; m && i < m->n_comparisons; i++)
		include(p, baseline_log(s, &m->comparisons[i]));
	p->most = p->most > 0 ? p->most : 1;
	room = MAX(0.05, (p->hi - p->lo) * 0.05);
	p->lo -= room;
	p->hi += room;
}

static void add_level(struct buf *out, const struct plot *p, double log_speed,
		      const char *class, const char *label)
{
	double y = at_y(p, log_speed);

	buf_addf(out,
		 "<line class=\"%s\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" "
		 "y2=\"%.1f\"/><text class=\"%s\" x=\"%d\" y=\"%.1f\">",
		 class, LEFT, WIDTH - RIGHT, y, y, class, WIDTH - RIGHT + 6,
		 y + 4);
	run_story_add_html(out, label);
	buf_adds(out, "</text>\n");
}

static void add_levels(struct buf *out, const struct plot *p)
{
	const struct measurement *m = run_story_best(p->s)->measurement;

	for (int i = 0; i <= 4; i++) {
		double at = p->lo + (p->hi - p->lo) * i / 4;
		double y = at_y(p, at);

		buf_addf(out,
			 "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" "
			 "y2=\"%.1f\"/><text x=\"%d\" y=\"%.1f\" "
			 "text-anchor=\"end\">%.4gx</text>\n",
			 LEFT, WIDTH - RIGHT, y, y, LEFT - 6, y + 4, exp(at));
	}
	add_level(out, p, 0, "start", "start");
	for (size_t i = 0; m && i < m->n_comparisons; i++) {
		const struct comparison *c = &m->comparisons[i];

		if (isfinite(baseline_log(p->s, c)))
			add_level(out, p, baseline_log(p->s, c), "baseline",
				  c->name);
	}
}

/* Steps at what was crowned. */
static void add_running_best(struct buf *out, const struct plot *p)
{
	const struct population *run = &p->s->p;

	buf_addf(out, "<path class=\"best\" d=\"M%.1f,%.1f", at_x(p, 0),
		 at_y(p, 0));
	for (size_t i = 1; i < run->n; i++) {
		const struct attempt *a = &run->attempt[i];

		if ((a->crowned || i == run->champion) && isfinite(a->gain))
			buf_addf(out, "H%.1fV%.1f", at_x(p, x_of(p, i)),
				 at_y(p, a->gain));
	}
	buf_addf(out, "H%.1f\"/>\n", at_x(p, p->most));
}

struct dot {
	const char *class, *radius;
};

static struct dot dot_of(const struct population *run, const struct attempt *a)
{
	switch (attempt_outcome(run, a)) {
	case OUTCOME_CHAMPION:
		return (struct dot){"champion", "6"};
	case OUTCOME_START:
	case OUTCOME_KEPT:
		return (struct dot){"kept", "4"};
	case OUTCOME_FAILED:
		return (struct dot){"failed", "2.5"};
	default:
		return (struct dot){"other", "2.5"};
	}
}

static void add_dots(struct buf *out, const struct plot *p)
{
	const struct population *run = &p->s->p;

	for (size_t i = 0; i < run->n; i++) {
		const struct attempt *a = &run->attempt[i];
		const struct dot dot = dot_of(run, a);
		double y = isfinite(a->gain) ? at_y(p, a->gain)
					     : HEIGHT - BOTTOM + FAILED;

		if (!run_story_has(p->s, i))
			continue;
		buf_addf(out,
			 "<circle class=\"%s\" data-n=\"%lld\" cx=\"%.1f\" "
			 "cy=\"%.1f\" r=\"%s\"/>\n",
			 dot.class, (long long)a->number, at_x(p, x_of(p, i)),
			 y, dot.radius);
	}
}

static void add_axis(struct buf *out, const struct plot *p)
{
	int y = HEIGHT - BOTTOM;

	buf_addf(out,
		 "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%d\" "
		 "y2=\"%d\"/><text x=\"%d\" y=\"%d\">0</text>"
		 "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.6g %s</text>"
		 "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">failed</text>\n",
		 LEFT, WIDTH - RIGHT, y, y, LEFT, y + 40, WIDTH - RIGHT, y + 40,
		 p->most,
		 p->axis == AXIS_HOURS ? "hours since the start" : "attempts",
		 LEFT - 6, y + FAILED + 4);
}

static const char style[] =
	"<style>\n"
	"svg{font:12px sans-serif;background:#fff}\n"
	"svg text{fill:#444}\n"
	"svg .grid{stroke:#e4e4e4}svg .axis{stroke:#888}\n"
	"svg line.start{stroke:#888;stroke-dasharray:2 4}\n"
	"svg line.baseline{stroke:#a05a00;stroke-dasharray:6 4}\n"
	"svg text.baseline{fill:#a05a00}\n"
	"svg .best{fill:none;stroke:#1f6fb4;stroke-width:2}\n"
	"svg circle{fill:#8a8a8a;fill-opacity:.7}\n"
	"svg circle.kept,svg circle.champion{fill:#1f6fb4;fill-opacity:1}\n"
	"svg circle.failed{fill:#c0392b}\n"
	"@media (prefers-color-scheme:dark){\n"
	"svg{background:#15181c}svg text{fill:#bbb}svg .grid{stroke:#2b3036}\n"
	"svg line.baseline{stroke:#e0a050}svg text.baseline{fill:#e0a050}\n"
	"svg .best{stroke:#6cb2f0}\n"
	"svg circle.kept,svg circle.champion{fill:#6cb2f0}\n"
	"svg circle.failed{fill:#f0776a}}\n"
	"</style>\n";

void run_story_svg(struct buf *out, const struct run_story *s,
		   enum trajectory_axis axis)
{
	struct plot p;

	plot_init(&p, s, axis);
	buf_addf(out,
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d "
		 "%d\" role=\"img\" aria-label=\"Speed relative to the start "
		 "against %s\">\n",
		 WIDTH, HEIGHT, axis == AXIS_HOURS ? "time" : "attempts");
	/* A page has it in its own style, which its policy allows. */
	if (axis == AXIS_ATTEMPTS)
		buf_adds(out, style);
	add_levels(out, &p);
	add_axis(out, &p);
	add_running_best(out, &p);
	add_dots(out, &p);
	buf_adds(out, "</svg>\n");
}
