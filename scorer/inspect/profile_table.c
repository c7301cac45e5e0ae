/* A profile as lines of text, and as JSON. */
#include <math.h>

#include "scorer/inspect/profile.h"

#define LABEL	     17
#define SHOWN_NAME   70
#define SHOWN_STALLS 5

/* One line: a label, then figures, without those that are not known. */
struct line {
	struct buf *out;
	const char *label;
	bool begun;
};

static void line_add(struct line *l, const char *text)
{
	if (l->begun)
		buf_adds(l->out, ", ");
	else
		buf_addf(l->out, "%-*s", LABEL, l->label);
	l->begun = true;
	buf_adds(l->out, text);
}

static void line_end(struct line *l)
{
	if (l->begun)
		buf_addc(l->out, '\n');
}

static void line_figure(struct line *l, const char *before, int digits,
			double v, const char *after)
{
	char text[96];

	if (isnan(v))
		return;
	snprintf(text, sizeof text, "%s%.*f%s", before, digits, v, after);
	line_add(l, text);
}

/* "1.53 MB" */
static void amount(char out[32], double v, const char *unit)
{
	static const char *const prefix[] = {"", "k", "M", "G", "T"};
	size_t i = 0;

	for (; v >= 999.5 && i + 1 < ARRAY_SIZE(prefix); i++)
		v /= 1000;
	snprintf(out, 32, "%.3g%s%s%s", v, i || *unit ? " " : "", prefix[i],
		 unit);
}

static void line_amount(struct line *l, const char *before, double v,
			const char *unit, const char *after)
{
	char text[32], whole[96];

	if (isnan(v))
		return;
	amount(text, v, unit);
	snprintf(whole, sizeof whole, "%s%s%s", before, text, after);
	line_add(l, whole);
}

/* ---- the lines ----------------------------------------------------------- */

static void kernel_lines(struct buf *out, const struct profile *p)
{
	struct line l = {.out = out, .label = "kernel"};
	struct line time = {.out = out, .label = "duration"};
	char name[SHOWN_NAME + 4];

	snprintf(name, sizeof name, "%.*s%s", SHOWN_NAME, p->kernel,
		 strlen(p->kernel) > SHOWN_NAME ? "..." : "");
	line_add(&l, name);
	line_end(&l);
	if (p->fact[FACT_SECONDS] < 1e-3)
		line_figure(&time, "", 2, 1e6 * p->fact[FACT_SECONDS], " us");
	else
		line_figure(&time, "", 3, 1e3 * p->fact[FACT_SECONDS], " ms");
	if (p->n_kernels > 1) {
		snprintf(name, sizeof name,
			 "%.0f %% of the launch's %zu kernels", 100 * p->share,
			 p->n_kernels);
		line_add(&time, name);
	}
	line_end(&time);
}

static void launch_lines(struct buf *out, const struct profile *p)
{
	const double *f = p->fact;
	struct line l = {.out = out, .label = "launch"};
	struct line waves = {.out = out, .label = "waves"};

	line_figure(&l, "", 0, f[FACT_GRID], " blocks");
	line_figure(&l, "of ", 0, f[FACT_BLOCK], " threads");
	line_figure(&l, "on ", 0, f[FACT_PROCESSORS], " multiprocessors");
	line_end(&l);
	line_figure(&waves, "", 2, f[FACT_WAVES], "");
	line_figure(&waves, "", 0, 100 * profile_wave_use(p),
		    " % of the card is in use over them");
	line_end(&waves);
}

static double bytes_a_second(const struct profile *p)
{
	return (p->fact[FACT_DRAM_READ] + p->fact[FACT_DRAM_WRITTEN]) /
	       p->fact[FACT_SECONDS];
}

static void memory_lines(struct buf *out, const struct profile *p)
{
	const double *f = p->fact;
	struct line dram = {.out = out, .label = "DRAM"};
	struct line l2 = {.out = out, .label = "L2"};
	struct line l1 = {.out = out, .label = "L1/TEX"};

	line_figure(&dram, "", 1, f[FACT_DRAM], " % of peak");
	line_amount(&dram, "", bytes_a_second(p), "B/s", "");
	line_amount(&dram, "read ", f[FACT_DRAM_READ], "B", "");
	line_amount(&dram, "written ", f[FACT_DRAM_WRITTEN], "B", "");
	line_end(&dram);
	line_figure(&l2, "", 1, f[FACT_L2], " % of peak");
	line_figure(&l2, "hits ", 1, f[FACT_L2_HITS], " %");
	line_end(&l2);
	line_figure(&l1, "", 1, f[FACT_L1], " % of peak");
	line_figure(&l1, "hits ", 1, f[FACT_L1_HITS], " %");
	line_end(&l1);
}

static void access_line(struct buf *out, const char *label, double sectors,
			double requests, double use)
{
	struct line l = {.out = out, .label = label};

	if (!(requests > 0))
		return;
	line_figure(&l, "", 1, sectors / requests, " sectors a request");
	line_figure(&l, "", 1, use, " of 32 bytes of a sector used");
	line_end(&l);
}

static void conflict_line(struct buf *out, const char *label, double wavefronts,
			  double conflicts)
{
	struct line l = {.out = out, .label = label};

	if (!(wavefronts > 0) || isnan(conflicts))
		return;
	line_amount(&l, "", wavefronts, "", " wavefronts");
	line_figure(&l, "", 1, 100 * conflicts / wavefronts,
		    " % of them bank conflicts");
	if (conflicts > 0 && conflicts < wavefronts)
		line_figure(&l, "", 2, wavefronts / (wavefronts - conflicts),
			    " times what is needed");
	line_end(&l);
}

static void access_lines(struct buf *out, const struct profile *p)
{
	const double *f = p->fact;
	struct line spills = {.out = out, .label = "local memory"};

	access_line(out, "global loads", f[FACT_LOAD_SECTORS],
		    f[FACT_LOAD_REQUESTS], f[FACT_LOAD_USE]);
	access_line(out, "global stores", f[FACT_STORE_SECTORS],
		    f[FACT_STORE_REQUESTS], f[FACT_STORE_USE]);
	conflict_line(out, "shared loads", f[FACT_SHARED_LOADS],
		      f[FACT_SHARED_LOAD_CONFLICTS]);
	conflict_line(out, "shared stores", f[FACT_SHARED_STORES],
		      f[FACT_SHARED_STORE_CONFLICTS]);
	line_amount(&spills, "loads ", f[FACT_SPILL_LOADS], "B", "");
	line_amount(&spills, "stores ", f[FACT_SPILL_STORES], "B", "");
	line_end(&spills);
}

static void pipe_lines(struct buf *out, const struct profile *p)
{
	const double *f = p->fact;
	struct line tensor = {.out = out, .label = "tensor cores"};
	struct line pipes = {.out = out, .label = "other pipes"};
	struct line issue = {.out = out, .label = "issue slots"};

	line_figure(&tensor, "", 1, f[FACT_TENSOR], " % of peak");
	line_end(&tensor);
	line_figure(&pipes, "FMA ", 1, f[FACT_FMA], " %");
	line_figure(&pipes, "ALU ", 1, f[FACT_ALU], " %");
	line_figure(&pipes, "XU ", 1, f[FACT_XU], " %");
	line_figure(&pipes, "FP64 ", 1, f[FACT_FP64], " %");
	line_figure(&pipes, "LSU ", 1, f[FACT_LSU], " %");
	line_end(&pipes);
	line_figure(&issue, "", 1, f[FACT_ISSUE], " % busy");
	line_figure(&issue, "", 2, f[FACT_ELIGIBLE], " warps eligible");
	line_figure(&issue, "", 2, f[FACT_ACTIVE], " active a scheduler");
	line_end(&issue);
}

static void occupancy_lines(struct buf *out, const struct profile *p)
{
	const double *f = p->fact;
	const char *limit = profile_limit(p);
	struct line l = {.out = out, .label = "occupancy"};
	struct line use = {.out = out, .label = "a block takes"};
	char text[64];

	line_figure(&l, "", 1, f[FACT_OCCUPANCY], " %");
	line_figure(&l, "", 1, f[FACT_OCCUPANCY_MAX], " % possible");
	if (limit) {
		snprintf(text, sizeof text, "limited by %s", limit);
		line_add(&l, text);
	}
	line_end(&l);
	line_figure(&use, "", 0, f[FACT_REGISTERS], " registers a thread");
	line_figure(&use, "", 0, f[FACT_SHARED_STATIC] + f[FACT_SHARED_DYNAMIC],
		    " B of shared memory");
	line_end(&use);
}

static void warp_lines(struct buf *out, const struct profile *p)
{
	const double *f = p->fact;
	struct line waits = {.out = out, .label = "warps wait for"};
	struct line lanes = {.out = out, .label = "divergence"};

	for (size_t i = 0; i < MIN(p->n_stalls, (size_t)SHOWN_STALLS); i++) {
		char text[64];

		snprintf(text, sizeof text, "%s %.2f", p->stall[i].name,
			 p->stall[i].cycles);
		line_add(&waits, text);
	}
	if (p->n_stalls)
		buf_adds(out, " cycles an instruction");
	line_end(&waits);
	line_figure(&lanes, "", 1, f[FACT_LANES],
		    " of 32 threads an instruction");
	line_figure(&lanes, "", 1, f[FACT_UNIFORM], " % of branches uniform");
	line_end(&lanes);
}

void profile_table(struct buf *out, const struct profile *p)
{
	struct line roof = {.out = out, .label = "of the card"};

	kernel_lines(out, p);
	launch_lines(out, p);
	line_figure(&roof, "computing ", 1, p->fact[FACT_SM], " %");
	line_figure(&roof, "memory ", 1, p->fact[FACT_MEMORY], " %");
	line_end(&roof);
	memory_lines(out, p);
	access_lines(out, p);
	pipe_lines(out, p);
	occupancy_lines(out, p);
	warp_lines(out, p);
}

void profile_every(struct buf *out, const struct profile *p)
{
	buf_adds(out, "\nevery figure\n");
	for (size_t f = 0; f < FACT_COUNT; f++)
		if (!isnan(p->fact[f]))
			buf_addf(out, "  %s %.6g\n", fact_name((enum fact)f),
				 p->fact[f]);
	for (size_t i = 0; i < p->n_stalls; i++)
		buf_addf(out, "  wait_%s %.6g\n", p->stall[i].name,
			 p->stall[i].cycles);
}

void profile_print_bottlenecks(struct buf *out, const struct bottlenecks *b)
{
	if (!b->n)
		buf_adds(out, "\nno rule says what holds it back: nothing is "
			      "near its limit, and nothing is waited for "
			      "much\n");
	else
		buf_adds(out, "\nlikeliest bottlenecks\n");
	for (size_t i = 0; i < b->n; i++)
		buf_addf(out, "%zu. %s (%.0f): %s\n   try: %s\n", i + 1,
			 b->item[i].name, b->item[i].severity,
			 b->item[i].figures, b->item[i].advice);
}

/* ---- JSON ---------------------------------------------------------------- */

/* A counter is exact to six digits; integers are written in full. */
static void set_figure(struct json *j, const char *name, double v)
{
	char text[40];

	snprintf(text, sizeof text, "%.6g", v);
	json_set_double(j, name, v == round(v) ? v : strtod(text, NULL));
}

struct json *profile_to_json(const struct profile *p,
			     const struct bottlenecks *b)
{
	struct json *j = json_object(), *facts = json_object();
	struct json *stalls = json_object(), *list = json_array();

	json_set_string(j, "kernel", p->kernel);
	json_set_int(j, "kernels", (int64_t)p->n_kernels);
	set_figure(j, "share", p->share);
	for (size_t f = 0; f < FACT_COUNT; f++)
		if (!isnan(p->fact[f]))
			set_figure(facts, fact_name((enum fact)f), p->fact[f]);
	json_set(j, "facts", facts);
	json_set_string(j, "occupancy_limit", profile_limit(p));
	for (size_t i = 0; i < p->n_stalls; i++)
		set_figure(stalls, p->stall[i].name, p->stall[i].cycles);
	json_set(j, "stalls", stalls);
	for (size_t i = 0; i < b->n; i++) {
		struct json *one = json_object();

		json_set_string(one, "name", b->item[i].name);
		json_set_double(one, "severity",
				round(b->item[i].severity * 10) / 10);
		json_set_string(one, "figures", b->item[i].figures);
		json_set_string(one, "advice", b->item[i].advice);
		json_push(list, one);
	}
	json_set(j, "bottlenecks", list);
	return j;
}
