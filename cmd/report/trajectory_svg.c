/* The trajectory of a run as SVG. All of its text is avogit's own or passes
 * run_story_add_html. */
#include "cmd/report/run_story.h"

#include <math.h>

#include "core/run/outcome.h"
#include "core/run/supervisor.h"

/* Levels whose labels keep apart, and by how much. */
#define MAX_LABELS   16
#define LABEL_HEIGHT 13
#define WIDTH	     960
#define HEIGHT	     420
#define LEFT	     64
#define RIGHT	     150
#define TOP	     20
#define BOTTOM	     56
#define FAILED	     16 /* below the axis: attempts without a speed */

struct plot {
	const struct run_story *s;
	enum trajectory_axis axis;
	double most;   /* of x */
	double lo, hi; /* logarithms of speeds */
	/* Where labels of levels stand. */
	double label[MAX_LABELS];
	size_t n_labels;
};

static double x_of(const struct plot *p, size_t i)
{
	const struct attempt *a = p->s->p.attempt;

	switch (p->axis) {
	case AXIS_HOURS:
		return MAX(0, (double)(a[i].time_us - a[0].time_us) / 3.6e9);
	case AXIS_TOKENS:
		return a[i].tokens;
	case AXIS_DOLLARS:
		return a[i].dollars;
	default:
		return (double)i;
	}
}

bool run_story_has_axis(const struct run_story *s, enum trajectory_axis axis)
{
	const struct attempt *last = &s->p.attempt[s->p.n - 1];

	if (axis == AXIS_TOKENS)
		return last->tokens > 0;
	if (axis == AXIS_DOLLARS)
		return last->dollars > 0;
	return true;
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

/* Log of the speed that the champion's ceilings allow; NAN where one of its cases
 * has none. */
static double ceiling_log(const struct run_story *s)
{
	const struct attempt *best = run_story_best(s);
	const struct measurement *m = best->measurement;
	double sum = 0, weights = 0;

	for (size_t i = 0; m && i < m->n_cases; i++) {
		const struct case_result *r = &m->cases[i];

		if (!(r->ceiling > 0))
			return NAN;
		sum += r->weight * log(r->ceiling);
		weights += r->weight;
	}
	return weights > 0 ? best->gain - sum / weights : NAN;
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
	include(p, ceiling_log(s));
	p->most = p->most > 0 ? p->most : 1;
	room = MAX(0.05, (p->hi - p->lo) * 0.05);
	p->lo -= room;
	p->hi += room;
}

static bool is_free(const struct plot *p, double y)
{
	for (size_t i = 0; i < p->n_labels; i++)
		if (fabs(p->label[i] - y) < LABEL_HEIGHT)
			return false;
	return true;
}

/* The nearest place beside a level where no other label stands. */
static double place_label(struct plot *p, double y)
{
	double at = y;

	for (int i = 1; !is_free(p, at) && i < 2 * MAX_LABELS; i++) {
		int steps = (i + 1) / 2; /* above, below, farther above ... */

		at = y + (i % 2 ? -steps : steps) * (LABEL_HEIGHT / 2.0);
	}
	if (p->n_labels < MAX_LABELS)
		p->label[p->n_labels++] = at;
	return at;
}

static void add_level(struct buf *out, struct plot *p, double log_speed,
		      const char *class, const char *label)
{
	double y = at_y(p, log_speed);

	buf_addf(out,
		 "<line class=\"%s\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" "
		 "y2=\"%.1f\"/><text class=\"%s\" x=\"%d\" y=\"%.1f\">",
		 class, LEFT, WIDTH - RIGHT, y, y, class, WIDTH - RIGHT + 6,
		 place_label(p, y) + 4);
	run_story_add_html(out, label);
	buf_adds(out, "</text>\n");
}

/* The first of 1, 2, 5, 10, 20, 50 ... that is not below x. */
static double round_up(double x)
{
	static const double steps[] = {1, 2, 5};
	double decade = pow(10, floor(log10(x)));

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (steps[i] * decade >= x * (1 - 1e-9))
			return steps[i] * decade;
	return 10 * decade;
}

static void add_grid(struct buf *out, const struct plot *p, double speed)
{
	double y = at_y(p, log(speed));

	buf_addf(out,
		 "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" "
		 "y2=\"%.1f\"/><text x=\"%d\" y=\"%.1f\" "
		 "text-anchor=\"end\">%.4gx</text>\n",
		 LEFT, WIDTH - RIGHT, y, y, LEFT - 6, y + 4, speed);
}

/* Round speeds: where they lie within a factor of four by equal steps, else 1, 2,
 * 5, 10, or powers of ten. */
static void add_grids(struct buf *out, const struct plot *p)
{
	double lo = exp(p->lo), hi = exp(p->hi);
	double wide = ceil(log10(hi / lo) / 6), step = round_up((hi - lo) / 5);
	bool equal = hi<4 * lo, powers = hi> 1000 * lo;
	double at = equal    ? ceil(lo / step) * step
		    : powers ? pow(10, ceil(log10(lo)))
			     : round_up(lo);

	/* A journal of others may say any speed. */
	if (!(lo > 0) || !isfinite(hi))
		return;
	for (int n = 0; n < 12 && at <= hi; n++) {
		add_grid(out, p, at);
		at = equal    ? at + step
		     : powers ? at * pow(10, wide)
			      : round_up(at * 1.5);
	}
}

static void add_levels(struct buf *out, struct plot *p)
{
	const struct measurement *m = run_story_best(p->s)->measurement;

	add_grids(out, p);
	add_level(out, p, 0, "start", "start");
	if (isfinite(ceiling_log(p->s)))
		add_level(out, p, ceiling_log(p->s), "ceiling", "ceiling");
	for (size_t i = 0; m && i < m->n_comparisons; i++) {
		const struct comparison *c = &m->comparisons[i];

		if (isfinite(baseline_log(p->s, c)))
			add_level(out, p, baseline_log(p->s, c), "baseline",
				  c->name);
	}
}

/* Where the supervisor stepped in. */
static void add_marks(struct buf *out, const struct plot *p)
{
	const struct population *run = &p->s->p;

	for (size_t i = 0; i < run->n_sayings; i++) {
		const struct saying *w = &run->sayings[i];
		/* The start counts among them. */
		size_t after = MIN(MAX(w->attempts, 1) - 1, run->n - 1);
		double x;

		if (w->kind != ENTRY_INTERVENTION ||
		    !supervisor_said(w->trigger))
			continue;
		x = at_x(p, x_of(p, after));
		buf_addf(out,
			 "<path class=\"mark\" d=\"M%.1f,%dV%d\"/>"
			 "<text class=\"mark\" x=\"%.1f\" y=\"%d\" "
			 "text-anchor=\"middle\">s</text>\n",
			 x, TOP, HEIGHT - BOTTOM, x, TOP - 6);
	}
}

/* The 95 % interval of the win of each attempt that was kept. */
static void add_intervals(struct buf *out, const struct plot *p)
{
	const struct population *run = &p->s->p;

	for (size_t i = 1; i < run->n; i++) {
		const struct attempt *a = &run->attempt[i];
		const struct win *w = &a->won;

		if (!a->accepted || !isfinite(a->gain) || !(w->ratio > 0) ||
		    !(w->ratio95.lo > 0) || !isfinite(w->ratio95.hi))
			continue;
		buf_addf(out,
			 "<path class=\"interval\" d=\"M%.1f,%.1fV%.1f\"/>\n",
			 at_x(p, x_of(p, i)),
			 at_y(p, a->gain + log(w->ratio95.lo / w->ratio)),
			 at_y(p, a->gain + log(w->ratio95.hi / w->ratio)));
	}
}

/* Steps at what was crowned; the final may crown an earlier attempt later. */
static void add_running_best(struct buf *out, const struct plot *p)
{
	const struct population *run = &p->s->p;
	double best = 0;

	buf_addf(out, "<path class=\"best\" d=\"M%.1f,%.1f", at_x(p, 0),
		 at_y(p, 0));
	for (size_t i = 1; i < run->n; i++) {
		const struct attempt *a = &run->attempt[i];

		if (!(a->crowned || i == run->champion) || !isfinite(a->gain) ||
		    a->gain <= best)
			continue;
		best = a->gain;
		buf_addf(out, "H%.1fV%.1f", at_x(p, x_of(p, i)), at_y(p, best));
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
	static const char *const words[] = {"attempts", "hours since the start",
					    "tokens of models", "dollars"};
	int y = HEIGHT - BOTTOM;

	buf_addf(out,
		 "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%d\" "
		 "y2=\"%d\"/><text x=\"%d\" y=\"%d\">0</text>"
		 "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.6g %s</text>"
		 "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">failed</text>\n",
		 LEFT, WIDTH - RIGHT, y, y, LEFT, y + 40, WIDTH - RIGHT, y + 40,
		 p->most, words[p->axis], LEFT - 6, y + FAILED + 4);
}

static const char style[] =
	"<style>\n"
	"svg{font:12px sans-serif;background:#fff}\n"
	"svg text{fill:#444}\n"
	"svg .grid{stroke:#e4e4e4}svg .axis{stroke:#888}\n"
	"svg line.start{stroke:#888;stroke-dasharray:2 4}\n"
	"svg line.baseline{stroke:#a05a00;stroke-dasharray:6 4}\n"
	"svg text.baseline{fill:#a05a00}\n"
	"svg line.ceiling{stroke:#7a2e8e}svg text.ceiling{fill:#7a2e8e}\n"
	"svg .mark{stroke:#0c7c59;stroke-width:1.5;stroke-dasharray:3 3}\n"
	"svg text.mark{stroke:none;fill:#0c7c59}\n"
	"svg .interval{stroke:#1f6fb4;stroke-width:1.5}\n"
	"svg .best{fill:none;stroke:#1f6fb4;stroke-width:2}\n"
	"svg circle{fill:#8a8a8a;fill-opacity:.7}\n"
	"svg circle.kept,svg circle.champion{fill:#1f6fb4;fill-opacity:1}\n"
	"svg circle.failed{fill:#c0392b}\n"
	"@media (prefers-color-scheme:dark){\n"
	"svg{background:#15181c}svg text{fill:#bbb}svg .grid{stroke:#2b3036}\n"
	"svg line.baseline{stroke:#e0a050}svg text.baseline{fill:#e0a050}\n"
	"svg line.ceiling{stroke:#d69be6}svg text.ceiling{fill:#d69be6}\n"
	"svg .mark{stroke:#5fd0ac}svg text.mark{fill:#5fd0ac}\n"
	"svg .best,svg .interval{stroke:#6cb2f0}\n"
	"svg circle.kept,svg circle.champion{fill:#6cb2f0}\n"
	"svg circle.failed{fill:#f0776a}}\n"
	"</style>\n";

void run_story_svg(struct buf *out, const struct run_story *s,
		   enum trajectory_axis axis)
{
	static const char *const words[] = {"attempts", "time", "tokens",
					    "money"};
	struct plot p;

	plot_init(&p, s, axis);
	buf_addf(out,
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d "
		 "%d\" role=\"img\" aria-label=\"Speed relative to the start "
		 "against %s\">\n",
		 WIDTH, HEIGHT, words[axis]);
	/* A page has it in its own style, which its policy allows. */
	if (axis == AXIS_ATTEMPTS)
		buf_adds(out, style);
	add_levels(out, &p);
	add_axis(out, &p);
	add_marks(out, &p);
	add_running_best(out, &p);
	add_intervals(out, &p);
	add_dots(out, &p);
	buf_adds(out, "</svg>\n");
}
