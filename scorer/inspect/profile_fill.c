/* Rules for a card that is not filled with blocks or with warps. */
#include <math.h>

#include "scorer/inspect/profile_rules.h"

#define MANY_WAVES    10.0
#define LOW_OCCUPANCY 60.0
#define MISSING	      15.0 /* points of occupancy */
#define SHORT_BLOCK   2e-6
#define SHORT_SECONDS 5e-6

/* Multiprocessors without a block are lost. If each has a block but could hold
 * more, the rest is lost as far as the card is idle. */
static double grid_severity(const struct profile *p)
{
	double part = p->fact[FACT_GRID] / p->fact[FACT_PROCESSORS];
	double waves = p->fact[FACT_WAVES];
	double without = part < 1 ? 100 * (1 - part) : 0;
	double unused = waves < 1 ? profile_idle(p) * 100 * (1 - waves) : 0;

	return fmax(without, unused);
}

static void grid_figures(struct buf *out, const struct profile *p)
{
	const double *f = p->fact;

	buf_addf(out, "%.0f blocks for %.0f multiprocessors", f[FACT_GRID],
		 f[FACT_PROCESSORS]);
	if (f[FACT_WAVES] < 1)
		buf_addf(out, ", %.3g %% of what the card holds at once",
			 100 * f[FACT_WAVES]);
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

	return possible < LOW_OCCUPANCY ? profile_idle(p) * (100 - possible)
					: 0;
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
	buf_addf(out, ", while nothing is over %.0f %% busy",
		 profile_busiest(p));
}

/* Occupancy that is missing although there are enough blocks. */
static double missing_severity(const struct profile *p)
{
	double waves = p->fact[FACT_WAVES];
	double possible = p->fact[FACT_OCCUPANCY_MAX] * (waves < 1 ? waves : 1);
	double missing = possible - p->fact[FACT_OCCUPANCY];

	return missing >= MISSING ? profile_idle(p) * 100 * missing / possible
				  : 0;
}

static double block_seconds(const struct profile *p)
{
	return p->fact[FACT_SECONDS] / p->fact[FACT_WAVES];
}

/* In many waves the last does not matter: short blocks end before others begin.
 */
static bool are_blocks_short(const struct profile *p)
{
	return p->fact[FACT_WAVES] >= MANY_WAVES &&
	       block_seconds(p) < SHORT_BLOCK;
}

static double uneven_severity(const struct profile *p)
{
	return are_blocks_short(p) ? 0 : missing_severity(p);
}

static double block_severity(const struct profile *p)
{
	return are_blocks_short(p) ? missing_severity(p) : 0;
}

static void missing_figures(struct buf *out, const struct profile *p)
{
	buf_addf(out, "%.0f %% occupancy where %.0f %% are possible",
		 p->fact[FACT_OCCUPANCY], p->fact[FACT_OCCUPANCY_MAX]);
}

static void block_figures(struct buf *out, const struct profile *p)
{
	missing_figures(out, p);
	buf_addf(out, ": a block runs for %.2f us, and starting one takes time",
		 1e6 * block_seconds(p));
}

static double short_severity(const struct profile *p)
{
	double part = p->fact[FACT_SECONDS] / SHORT_SECONDS;

	return part < 1 ? 60 * (1 - part) + RULE_LEAST : 0;
}

static void short_figures(struct buf *out, const struct profile *p)
{
	buf_addf(out, "it takes %.2f us, and a launch alone about 2",
		 1e6 * p->fact[FACT_SECONDS]);
}

static const struct profile_rule rules[] = {
	{"small-grid", grid_severity, grid_figures,
	 "more blocks: smaller tiles, split the reduction (split-K), or a "
	 "persistent kernel with work for every multiprocessor",
	 NULL},
	{"tail", tail_severity, tail_figures,
	 "another tile size, or a persistent kernel that deals out tiles, so "
	 "that the last wave is full",
	 NULL},
	{"occupancy", occupancy_severity, occupancy_figures,
	 "either less of what limits it a block, or more independent work a "
	 "warp, so that few warps are enough",
	 NULL},
	{"uneven-work", uneven_severity, missing_figures,
	 "blocks or warps end at different times: deal out work in smaller "
	 "pieces, the longest first",
	 NULL},
	{"short-blocks", block_severity, block_figures,
	 "more work a block: several elements a thread (128 bits at a time), "
	 "or as many blocks as the card holds, each over many tiles",
	 NULL},
	{"short-kernel", short_severity, short_figures,
	 "do more in one launch: fuse it with what comes before or after",
	 NULL},
};

const struct profile_rule *rules_of_filling(size_t *n)
{
	*n = ARRAY_SIZE(rules);
	return rules;
}
