/*
 * The memory that kernels can access: that of the card and what the driver has
 * mapped, or, on some machines, all memory of the process that launches them.
 * There a kernel can overwrite the heap of its launcher.
 */
#ifndef SCORER_WIRE_GPU_REACH_H
#define SCORER_WIRE_GPU_REACH_H

#include "core/base/base.h"

enum gpu_reach {
	REACH_OWN,
	REACH_HMM, /* all, by page faults that the operating system handles */
	REACH_ATS, /* all, by the host's page tables (Grace Hopper) */
};

#define GPU_REACHES_ALL	     "on this machine kernels reach ordinary memory"
#define GPU_REACHES_LAUNCHER "a candidate's could write into a launcher"

/* From two attributes of a device, as the driver reports them. */
static inline enum gpu_reach gpu_reach_of(int pageable, int by_host_tables)
{
	return !pageable ? REACH_OWN : by_host_tables ? REACH_ATS : REACH_HMM;
}

/* "HMM" or "ATS"; "" for REACH_OWN. */
static inline const char *gpu_reach_name(enum gpu_reach r)
{
	return r == REACH_OWN ? "" : r == REACH_HMM ? "HMM" : "ATS";
}

/* How to turn it off. */
static inline const char *gpu_reach_mend(enum gpu_reach r)
{
	return r == REACH_ATS ? "load nvidia_uvm with uvm_ats_mode=0"
			      : "load nvidia_uvm with uvm_disable_hmm=1";
}

/* "on this machine kernels ..., so that SO; ... to turn that off" */
static inline void gpu_reach_tell(char *out, size_t size, enum gpu_reach r,
				  const char *so)
{
	snprintf(out, size,
		 GPU_REACHES_ALL " (%s), so that %s; %s to turn that off",
		 gpu_reach_name(r), so, gpu_reach_mend(r));
}

#endif
