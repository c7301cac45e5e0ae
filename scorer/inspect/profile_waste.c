/* Rules for work that is wasted, and for warps that wait. */
#include <math.h>

#include "scorer/inspect/profile_rules.h"

#define CONFLICTS 0.1
#define WASTE	  0.2
#define SPILLS	  0.02
#define FEW_LANES 26.0
#define LONG_WAIT 0.25

/* Conflicts matter as far as L1 is busy or warps wait for it. */
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

	return share >= SPILLS ? fmin(RULE_LEAST + 100 * share, 80) : 0;
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

	return lanes < FEW_LANES
		       ? (1 - lanes / 32) * fmax(profile_busiest(p), 30)
		       : 0;
}

static void lanes_figures(struct buf *out, const struct profile *p)
{
	buf_addf(out, "%.1f of 32 threads take part in an instruction",
		 p->fact[FACT_LANES]);
	if (!isnan(p->fact[FACT_UNIFORM]))
		buf_addf(out, ", %.0f %% of branches are uniform",
			 p->fact[FACT_UNIFORM]);
}

static double wait_severity(const struct profile *p)
{
	const struct stall *top = profile_top_stall(p);
	double share = top ? profile_stall_share(p, top->name) : 0;

	return share >= LONG_WAIT ? 100 * share * profile_idle(p) : 0;
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

static const struct profile_rule rules[] = {
	{"spills", spill_severity, spill_figures,
	 "fewer live registers: smaller tiles a thread, a higher register "
	 "limit (__launch_bounds__), indexes known at compile time",
	 NULL},
	{"bank-conflicts", conflict_severity, conflict_figures,
	 "pad rows by 16 bytes or swizzle columns by row (XOR), so that the "
	 "threads of a warp meet different banks",
	 NULL},
	{"uncoalesced", wasted_severity, wasted_figures,
	 "let neighbouring threads access neighbouring bytes: swap the "
	 "loops or transpose through shared memory",
	 NULL},
	{"waiting", wait_severity, wait_figures, NULL, profile_wait_advice},
	{"divergence", lanes_severity, lanes_figures,
	 "let the threads of a warp take the same path: sort or group the "
	 "work, masks by predicates, edges apart from the middle",
	 NULL},
};

const struct profile_rule *rules_of_waste(size_t *n)
{
	*n = ARRAY_SIZE(rules);
	return rules;
}
