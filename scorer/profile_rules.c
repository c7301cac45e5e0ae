/*
 * What holds a kernel back, by rule. A rule gives a severity: the part of the
 * time, in percent, that what was counted could explain; 0 or NAN where it
 * does not hold. A part of the card that is busy is as severe as it is busy. A
 * wait is as severe as it is long, but only for the part of the card that
 * nothing keeps busy: with tensor cores at 90 % of their peak nobody minds
 * that warps wait for them. docs/profile.md lists the rules.
 */
#include <math.h>

#include "scorer/profile.h"

#define LEAST	      10.0
#define BUSY	      60.0 /* % of peak from which a part is near its limit */
#define BUSY_ISSUE    70.0
#define MANY_WAVES    10.0
#define LOW_OCCUPANCY 60.0
#define UNEVEN	      15.0
#define CONFLICTS     0.1
#define WASTE	      0.2
#define SPILLS	      0.02
#define FEW_LANES     26.0
#define LONG_WAIT     0.25
#define SHORT_SECONDS 5e-6

struct rule {
	const char *name;
	double (*severity)(const struct profile *p);
	void (*figures)(struct buf *out, const struct profile *p);
	const char *advice; /* NULL: it depends on the wait */
};

/* The busiest part of the card: what else is slow hardly matters beside it. */
static double busiest(const struct profile *p)
{
	static const enum fact parts[] = {FACT_SM, FACT_MEMORY, FACT_DRAM,
					  FACT_TENSOR};
	double most = 0;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		most = fmax(most, p->fact[parts[i]]);
	return fmin(most, 100);
}

static double idle(const struct profile *p)
{
	return 1 - busiest(p) / 100;
}

static double from(double v, double least)
{
	return v >= least ? fmin(v, 100) : 0;
}

/* ---- a part that is near its limit -------------------------------------------- */

static double dram_severity(const struct profile *p)
{
	return from(p->fact[FACT_DRAM], BUSY);
}

static void dram_figures(struct buf *out, const struct profile *p)
{
	buf_addf(out, "DRAM is at %.0f %% of its peak", p->fact[FACT_DRAM]);
	if (!isnan(p->fact[FACT_L2_HITS]))
		buf_addf(out, ", L2 answers %.0f %% of what it is asked",
			 p->fact[FACT_L2_HITS]);
}

/* fmax() takes the other where one is not known. */
static double l2_severity(const struct profile *p)
{
	const double *f = p->fact;

	return f[FACT_L2] > fmax(f[FACT_DRAM], 0) ? from(f[FACT_L2], BUSY) : 0;
}

static void l2_figures(struct buf *out, const struct profile *p)
{
	buf_addf(out, "L2 is at %.0f %% of its peak, above DRAM",
		 p->fact[FACT_L2]);
}

static double l1_severity(const struct profile *p)
{
	const double *f = p->fact;
	double further = fmax(fmax(f[FACT_L2], f[FACT_DRAM]), 0);

	return f[FACT_L1] > further ? from(f[FACT_L1], BUSY) : 0;
}

static void l1_figures(struct buf *out, const struct profile *p)
{
	buf_addf(out,
		 "L1/TEX with shared memory is at %.0f %% of its peak, above "
		 "L2 and DRAM",
		 p->fact[FACT_L1]);
}

static double tensor_severity(const struct profile *p)
{
	return from(p->fact[FACT_TENSOR], BUSY);
}

static void tensor_figures(struct buf *out, const struct profile *p)
{
	buf_addf(out, "the tensor cores are at %.0f %% of their peak",
		 p->fact[FACT_TENSOR]);
}

static enum fact busiest_pipe(const struct profile *p)
{
	static const enum fact pipes[] = {FACT_FMA, FACT_ALU, FACT_XU,
					  FACT_FP64};
	enum fact most = pipes[0];

	for (size_t i = 1; i < ARRAY_SIZE(pipes); i++)
		if (p->fact[pipes[i]] > fmax(p->fact[most], 0))
			most = pipes[i];
	return most;
}

static double pipe_severity(const struct profile *p)
{
	return from(p->fact[busiest_pipe(p)], BUSY);
}

static void pipe_figures(struct buf *out, const struct profile *p)
{
	enum fact pipe = busiest_pipe(p);

	buf_addf(out, "the %s pipe is at %.0f %% of its peak",
		 pipe == FACT_FMA   ? "FMA"
		 : pipe == FACT_ALU ? "ALU (integers, comparisons)"
		 : pipe == FACT_XU  ? "XU (exp, rsqrt, conversions)"
				    : "FP64",
		 p->fact[pipe]);
}

static double issue_severity(const struct profile *p)
{
	return from(p->fact[FACT_ISSUE], BUSY_ISSUE);
}

static void issue_figures(struct buf *out, const struct profile *p)
{
	buf_addf(out, "%.0f %% of the issue slots are taken",
		 p->fact[FACT_ISSUE]);
}

/* ---- a card that is not filled --------------------------------------------------- */

static double grid_severity(const struct profile *p)
{
	double part = p->fact[FACT_GRID] / p->fact[FACT_PROCESSORS];

	return part < 1 ? 100 * (1 - part) : 0;
}

static void grid_figures(struct buf *out, const struct profile *p)
{
	buf_addf(out, "%.0f blocks for %.0f multiprocessors",
		 p->fact[FACT_GRID], p->fact[FACT_PROCESSORS]);
}

static double tail_severity(const struct profile *p)
{
	double waves = p->fact[FACT_WAVES];

	return waves > 1 && waves < MANY_WAVES ? 100 * (1 - profile_wave_use(p))
					       : 0;
}

static void tail_figures(struct buf *out, const struct profile *p)
{
	buf_addf(out,
		 "%.2f waves of blocks: the last one leaves %.0f %% of the "
		 "time's slots empty",
		 p->fact[FACT_WAVES], 100 * (1 - profile_wave_use(p)));
}

static double occupancy_severity(const struct profile *p)
{
	double possible = p->fact[FACT_OCCUPANCY_MAX];

	return possible < LOW_OCCUPANCY ? idle(p) * (100 - possible) : 0;
}

static void occupancy_figures(struct buf *out, const struct profile *p)
{
	const char *limit = profile_limit(p);

	buf_addf(out, "%.0f %% of the warps a multiprocessor holds",
		 p->fact[FACT_OCCUPANCY_MAX]);
	if (limit)
		buf_addf(out, ", limited by %s", limit);
	if (!isnan(p->fact[FACT_REGISTERS]))
		buf_addf(out, " (%.0f registers a thread)",
			 p->fact[FACT_REGISTERS]);
	buf_addf(out, ", while nothing is over %.0f %% busy", busiest(p));
}

static double uneven_severity(const struct profile *p)
{
	double possible = p->fact[FACT_OCCUPANCY_MAX];
	double missing = possible - p->fact[FACT_OCCUPANCY];

	return missing >= UNEVEN ? idle(p) * 100 * missing / possible : 0;
}

static void uneven_figures(struct buf *out, const struct profile *p)
{
	buf_addf(out, "%.0f %% occupancy where %.0f %% are possible",
		 p->fact[FACT_OCCUPANCY], p->fact[FACT_OCCUPANCY_MAX]);
}

static double short_severity(const struct profile *p)
{
	double part = p->fact[FACT_SECONDS] / SHORT_SECONDS;

	return part < 1 ? 60 * (1 - part) + LEAST : 0;
}

static void short_figures(struct buf *out, const struct profile *p)
{
	buf_addf(out, "it takes %.2f us, and a launch alone about 2",
		 1e6 * p->fact[FACT_SECONDS]);
}

/* ---- work that is wasted ----------------------------------------------------------- */

/* Conflicts hurt as far as L1 is busy or warps wait for it. */
static double conflict_severity(const struct profile *p)
{
	double share = profile_conflicts(p);
	double waits = profile_stall_share(p, "short_scoreboard") +
		       profile_stall_share(p, "mio_throttle");

	return share >= CONFLICTS ? share * fmax(p->fact[FACT_L1], 100 * waits)
				  : 0;
}

static void conflict_figures(struct buf *out, const struct profile *p)
{
	double share = profile_conflicts(p);

	buf_addf(out,
		 "%.0f %% of shared memory's wavefronts are bank conflicts",
		 100 * share);
	if (share < 1)
		buf_addf(out, ": %.1f times what is needed", 1 / (1 - share));
}

static double wasted_severity(const struct profile *p)
{
	double share = profile_waste(p);
	double waits = profile_stall_share(p, "long_scoreboard") +
		       profile_stall_share(p, "lg_throttle");

	return share >= WASTE ? share * fmax(p->fact[FACT_MEMORY], 100 * waits)
			      : 0;
}

static void wasted_figures(struct buf *out, const struct profile *p)
{
	buf_addf(out,
		 "%.0f %% of the bytes that global loads and stores move are "
		 "not asked for",
		 100 * profile_waste(p));
}

static double spill_severity(const struct profile *p)
{
	double share = profile_spills(p);

	return share >= SPILLS ? fmin(LEAST + 100 * share, 80) : 0;
}

static void spill_figures(struct buf *out, const struct profile *p)
{
	buf_addf(out,
		 "%.0f %% of the bytes that loads and stores move are local "
		 "memory, spilled registers or arrays that are indexed",
		 100 * profile_spills(p));
}

static double lanes_severity(const struct profile *p)
{
	double lanes = p->fact[FACT_LANES];

	return lanes < FEW_LANES ? (1 - lanes / 32) * fmax(busiest(p), 30) : 0;
}

static void lanes_figures(struct buf *out, const struct profile *p)
{
	buf_addf(out, "%.1f of 32 threads take part in an instruction",
		 p->fact[FACT_LANES]);
	if (!isnan(p->fact[FACT_UNIFORM]))
		buf_addf(out, ", %.0f %% of branches are uniform",
			 p->fact[FACT_UNIFORM]);
}

/* ---- a wait -------------------------------------------------------------------------- */

static double wait_severity(const struct profile *p)
{
	const struct stall *top = profile_top_stall(p);
	double share = top ? profile_stall_share(p, top->name) : 0;

	return share >= LONG_WAIT ? 100 * share * idle(p) : 0;
}

static void wait_figures(struct buf *out, const struct profile *p)
{
	const struct stall *top = profile_top_stall(p);

	buf_addf(out,
		 "%.0f %% of the time between a warp's instructions it waits "
		 "for %s (%.1f cycles an instruction)",
		 100 * profile_stall_share(p, top->name), top->name,
		 top->cycles);
}

/* ---- all of them ------------------------------------------------------------------------ */

/* Where two are as severe, the first here comes first. */
static const struct rule rules[] = {
	{"dram-bandwidth", dram_severity, dram_figures,
	 "move fewer bytes: fuse passes, read once and keep in registers or "
	 "shared memory, narrower types, tiles in an order that L2 serves"},
	{"tensor-cores", tensor_severity, tensor_figures,
	 "near what the card can do: skip work (masked tiles), narrower types "
	 "(FP8), or the last percents by overlapping all else"},
	{"math-pipe", pipe_severity, pipe_figures,
	 "use another pipe: tensor cores for products, fewer instructions "
	 "(packed half2, shifts for divisions, polynomials for exp)"},
	{"l2-bandwidth", l2_severity, l2_figures,
	 "reuse more in shared memory and registers (larger tiles, "
	 "multicast TMA in a cluster), so that L2 is asked less"},
	{"l1-bandwidth", l1_severity, l1_figures,
	 "fewer and wider accesses to shared memory (128 bits, ldmatrix), "
	 "larger tiles a thread in registers, operands by wgmma descriptors"},
	{"issue-slots", issue_severity, issue_figures,
	 "fewer instructions for the same work: wider loads and stores, "
	 "unrolling to save index arithmetic, tensor cores"},
	{"small-grid", grid_severity, grid_figures,
	 "more blocks: smaller tiles, split the reduction (split-K), or a "
	 "persistent kernel with work for every multiprocessor"},
	{"tail", tail_severity, tail_figures,
	 "another tile size, or a persistent kernel that deals out tiles, so "
	 "that the last wave is full"},
	{"spills", spill_severity, spill_figures,
	 "fewer live registers: smaller tiles a thread, a higher register "
	 "limit (__launch_bounds__), indexes known at compile time"},
	{"bank-conflicts", conflict_severity, conflict_figures,
	 "pad rows by 16 bytes or swizzle columns by row (XOR), so that the "
	 "threads of a warp meet different banks"},
	{"uncoalesced", wasted_severity, wasted_figures,
	 "let neighbouring threads access neighbouring bytes: swap the "
	 "loops or transpose through shared memory"},
	{"waiting", wait_severity, wait_figures, NULL},
	{"occupancy", occupancy_severity, occupancy_figures,
	 "either less of what limits it a block, or more independent work a "
	 "warp, so that few warps are enough"},
	{"uneven-work", uneven_severity, uneven_figures,
	 "blocks or warps end at different times: deal out work in smaller "
	 "pieces, the longest first"},
	{"divergence", lanes_severity, lanes_figures,
	 "let the threads of a warp take the same path: sort or group the "
	 "work, masks by predicates, edges apart from the middle"},
	{"short-kernel", short_severity, short_figures,
	 "do more in one launch: fuse it with what comes before or after"},
};

static const char *advice_of(const struct rule *r, const struct profile *p)
{
	return r->advice ? r->advice : profile_wait_advice(p);
}

/* Into its place among those found so far. */
static void insert(struct bottlenecks *b, struct bottleneck found)
{
	size_t at = b->n;

	while (at > 0 && b->item[at - 1].severity < found.severity)
		at--;
	if (at == PROFILE_BOTTLENECKS) {
		free(found.figures);
		return;
	}
	if (b->n == PROFILE_BOTTLENECKS)
		free(b->item[--b->n].figures);
	for (size_t i = b->n; i > at; i--)
		b->item[i] = b->item[i - 1];
	b->item[at] = found;
	b->n++;
}

void profile_judge(struct bottlenecks *out, const struct profile *p)
{
	*out = (struct bottlenecks){0};
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		double severity = rules[i].severity(p);
		cleanup_buf struct buf figures = BUF_INIT(1024);

		if (!(severity >= LEAST))
			continue;
		rules[i].figures(&figures, p);
		insert(out,
		       (struct bottleneck){.name = rules[i].name,
					   .severity = severity,
					   .figures = buf_take(&figures),
					   .advice = advice_of(&rules[i], p)});
	}
}

void bottlenecks_release(struct bottlenecks *b)
{
	for (size_t i = 0; i < b->n; i++)
		free(b->item[i].figures);
	*b = (struct bottlenecks){0};
}
