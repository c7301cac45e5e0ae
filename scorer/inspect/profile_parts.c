/* Rules for parts of the card that are near their limit. */
#include <math.h>

#include "scorer/inspect/profile_rules.h"

#define BUSY	   60.0 /* % of peak from which a part is near its limit */
#define BUSY_ISSUE 70.0
#define BESIDE	   15.0 /* more points below the busiest: ignored */

double profile_busiest(const struct profile *p)
{
	static const enum fact parts[] = {FACT_SM, FACT_MEMORY, FACT_DRAM,
					  FACT_TENSOR};
	double most = 0;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		most = fmax(most, p->fact[parts[i]]);
	return fmin(most, 100);
}

double profile_idle(const struct profile *p)
{
	return 1 - profile_busiest(p) / 100;
}

/* A busy part that is much less busy than another one does not matter. */
static double near_limit(const struct profile *p, double v, double least)
{
	return v >= fmax(least, profile_busiest(p) - BESIDE) ? fmin(v, 100) : 0;
}

static double dram_severity(const struct profile *p)
{
	return near_limit(p, p->fact[FACT_DRAM], BUSY);
}

static void dram_figures(struct buf *out, const struct profile *p)
{
	buf_addf(out, "DRAM is at %.0f %% of its peak", p->fact[FACT_DRAM]);
	if (!isnan(p->fact[FACT_L2_HITS]))
		buf_addf(out, ", L2 answers %.0f %% of what it is asked",
			 p->fact[FACT_L2_HITS]);
}

/* fmax() returns the other figure if one is NAN. */
static double l2_severity(const struct profile *p)
{
	const double *f = p->fact;

	return f[FACT_L2] > fmax(f[FACT_DRAM], 0)
		       ? near_limit(p, f[FACT_L2], BUSY)
		       : 0;
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

	return f[FACT_L1] > further ? near_limit(p, f[FACT_L1], BUSY) : 0;
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
	return near_limit(p, p->fact[FACT_TENSOR], BUSY);
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
	return near_limit(p, p->fact[busiest_pipe(p)], BUSY);
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
	return near_limit(p, p->fact[FACT_ISSUE], BUSY_ISSUE);
}

static void issue_figures(struct buf *out, const struct profile *p)
{
	buf_addf(out, "%.0f %% of the issue slots are taken",
		 p->fact[FACT_ISSUE]);
}

/* From here a part is near what it can do; below, something holds it back. */
#define FULL 90.0

static const char *tensor_advice(const struct profile *p)
{
	if (p->fact[FACT_TENSOR] >= FULL)
		return "near what the tensor cores can do: skip work (masked "
		       "tiles), narrower types (FP8), or the last percents by "
		       "overlapping all else";
	return "the busiest part, and not full: feed it without gaps (more "
	       "stages, loads and epilogue beside the products, no wait for "
	       "all of them in the loop), and see what warps wait for";
}

static const char *dram_advice(const struct profile *p)
{
	if (p->fact[FACT_DRAM] >= FULL)
		return "near what DRAM can do: move fewer bytes (fuse passes, "
		       "read once and keep in registers or shared memory, "
		       "narrower types, tiles in an order that L2 serves)";
	return "the busiest part, and not full: more bytes in flight (16 bytes "
	       "a load, several loads before the first use, more blocks or "
	       "stages); and fewer bytes by fusing passes and reading once";
}

static const struct profile_rule rules[] = {
	{"dram-bandwidth", dram_severity, dram_figures, NULL, dram_advice},
	{"tensor-cores", tensor_severity, tensor_figures, NULL, tensor_advice},
	{"math-pipe", pipe_severity, pipe_figures,
	 "use another pipe: tensor cores for products, fewer instructions "
	 "(packed half2, shifts for divisions, polynomials for exp)",
	 NULL},
	{"l2-bandwidth", l2_severity, l2_figures,
	 "reuse more in shared memory and registers (larger tiles, "
	 "multicast TMA in a cluster), so that L2 is asked less",
	 NULL},
	{"l1-bandwidth", l1_severity, l1_figures,
	 "fewer and wider accesses to shared memory (128 bits, ldmatrix), "
	 "larger tiles a thread in registers, operands by wgmma descriptors",
	 NULL},
	{"issue-slots", issue_severity, issue_figures,
	 "fewer instructions for the same work: wider loads and stores, "
	 "unrolling to save index arithmetic, tensor cores",
	 NULL},
};

const struct profile_rule *rules_of_parts(size_t *n)
{
	*n = ARRAY_SIZE(rules);
	return rules;
}
