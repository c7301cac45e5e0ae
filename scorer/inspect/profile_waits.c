/* What warps wait for, and the advice against it. */
#include "scorer/inspect/profile.h"

double profile_stall_share(const struct profile *p, const char *name)
{
	double all = 0, one = 0;

	for (size_t i = 0; i < p->n_stalls; i++) {
		all += p->stall[i].cycles;
		if (str_eq(p->stall[i].name, name))
			one = p->stall[i].cycles;
	}
	return all > 0 ? one / all : 0;
}

const struct stall *profile_top_stall(const struct profile *p)
{
	static const char *const no_wait[] = {"selected", "not_selected",
					      "misc"};

	for (size_t i = 0; i < p->n_stalls; i++) {
		bool says = true;

		for (size_t k = 0; k < ARRAY_SIZE(no_wait); k++)
			says &= !str_eq(p->stall[i].name, no_wait[k]);
		if (says)
			return &p->stall[i];
	}
	return NULL;
}

const char *profile_wait_advice(const struct profile *p)
{
	static const struct {
		const char *name, *advice;
	} advice[] = {
		{"long_scoreboard",
		 "have more loads of global memory in flight before the first "
		 "is used: unroll, prefetch the next tile (cp.async, TMA), "
		 "keep what is read twice in shared memory"},
		{"short_scoreboard",
		 "shared memory or special functions are waited for: wider "
		 "accesses (128 bits), loads ahead of use, fewer exp and "
		 "divisions"},
		{"math_pipe_throttle",
		 "one arithmetic pipe is wanted by all at once: mix "
		 "instructions of other pipes between, or use tensor cores"},
		{"barrier",
		 "blocks wait for their slowest warp: fewer __syncthreads, "
		 "named barriers for the warps concerned, double buffers, "
		 "smaller blocks"},
		{"membar", "fewer or narrower fences (__threadfence_block)"},
		{"mio_throttle",
		 "too many instructions for shared memory and special "
		 "functions: fewer and wider ones (LDS.128, ldmatrix)"},
		{"lg_throttle",
		 "too many small accesses to global memory: wider ones (128 "
		 "bits a thread), or fewer"},
		{"tex_throttle", "fewer texture accesses, or wider ones"},
		{"wait",
		 "instructions depend on the one right before: more "
		 "independent work a thread (unroll, several accumulators)"},
		{"no_instruction",
		 "the code does not fit its cache: unroll less, fewer copies "
		 "of the loop"},
		{"imc_miss",
		 "constants are missed in their cache: index parameters and "
		 "constants uniformly, or move them to registers"},
		{"branch_resolving",
		 "jumps are too dense: unroll, or use predicates"},
		{"drain", "stores at the end are waited for: spread them out, "
			  "or store through TMA"},
		{"sleeping", "spin on barriers with less sleep"},
		{"dispatch_stall", "mix instructions of other pipes between"},
		{"gmma",
		 "wgmma is waited for: more of them in flight (two "
		 "consumer groups, softmax of one beside the MMA of the "
		 "other), larger tiles"},
		{"warpgroup_arrive",
		 "wgmma is waited for: more of them in flight, larger tiles"},
	};
	const struct stall *top = profile_top_stall(p);

	for (size_t i = 0; top && i < ARRAY_SIZE(advice); i++)
		if (str_eq(advice[i].name, top->name))
			return advice[i].advice;
	return "look at the hot loop: avogit profile --sass";
}
