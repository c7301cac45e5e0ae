/*
 * Shows where a kernel's time goes: counters of the card for one replayed
 * launch, as a table of about twenty lines, and the three likeliest
 * bottlenecks, each with its figures and one thing to try. How it is captured:
 * docs/profile.md.
 *
 * The names of counters differ between cards and between versions of Nsight
 * Compute. Each fact below has a list of names; a fact without a column is NAN,
 * and no line or rule uses it. A fact that was not counted is never shown as 0.
 */
#ifndef SCORER_INSPECT_PROFILE_H
#define SCORER_INSPECT_PROFILE_H

#include "core/base/buf.h"
#include "core/run/evaluator.h"
#include "core/base/json.h"
#include "scorer/inspect/ncu.h"

enum fact {
	FACT_SECONDS,
	FACT_SM,     /* % of peak, like all without another unit */
	FACT_MEMORY, /* the busiest part of the way to memory */
	FACT_DRAM,
	FACT_DRAM_READ, /* bytes */
	FACT_DRAM_WRITTEN,
	FACT_L2,
	FACT_L2_HITS,
	FACT_L1,
	FACT_L1_HITS,
	FACT_SHARED_LOADS,	    /* wavefronts */
	FACT_SHARED_LOAD_CONFLICTS, /* those that conflicts added */
	FACT_SHARED_STORES,
	FACT_SHARED_STORE_CONFLICTS,
	FACT_TENSOR,
	FACT_FMA,
	FACT_ALU,
	FACT_XU,
	FACT_FP64,
	FACT_LSU,
	FACT_ISSUE,	      /* % of cycles in which a scheduler issues */
	FACT_ELIGIBLE,	      /* warps a scheduler and cycle */
	FACT_ACTIVE,	      /* warps a scheduler and cycle */
	FACT_OCCUPANCY,	      /* achieved */
	FACT_OCCUPANCY_MAX,   /* theoretical */
	FACT_LIMIT_REGISTERS, /* blocks a multiprocessor; all FACT_LIMIT_ */
	FACT_LIMIT_SHARED,
	FACT_LIMIT_BLOCKS,
	FACT_LIMIT_WARPS,
	FACT_LIMIT_BARRIERS,
	FACT_REGISTERS,	     /* a thread */
	FACT_SHARED_STATIC,  /* bytes a block */
	FACT_SHARED_DYNAMIC, /* bytes a block */
	FACT_BLOCK,	     /* threads */
	FACT_GRID,	     /* blocks */
	FACT_WAVES,
	FACT_PROCESSORS,
	FACT_LOAD_SECTORS, /* of 32 bytes */
	FACT_LOAD_REQUESTS,
	FACT_STORE_SECTORS,
	FACT_STORE_REQUESTS,
	FACT_LOAD_USE, /* bytes of a sector that were asked for, of 32 */
	FACT_STORE_USE,
	FACT_SPILL_LOADS, /* bytes of local memory */
	FACT_SPILL_STORES,
	FACT_LANES,   /* threads an instruction, of 32 */
	FACT_UNIFORM, /* % of branches that all threads take the same way */
	FACT_LATENCY, /* cycles of a warp from one instruction to the next */
	FACT_COUNT
};
/* "dram_percent": its name in JSON. */
const char *fact_name(enum fact f);

#define PROFILE_STALLS 24
/* A reason why warps wait: cycles for each instruction issued. */
struct stall {
	const char *name; /* "long_scoreboard"; borrowed from a fixed list */
	double cycles;
};

struct profile {
	char *kernel;
	size_t n_kernels; /* of the launch, this one included */
	double share;	  /* of the launch's time; 1: all */
	double fact[FACT_COUNT];
	struct stall stall[PROFILE_STALLS]; /* longest first */
	size_t n_stalls;
	bool limit_unknown; /* what limits the blocks was not computed */
};

/* The facts of the kernel that took longest, of those whose name has `kernel`
 * as a part (NULL: of all). What cannot be of a kernel that ran (no block fits)
 * is not known. ERROR_NOT_FOUND if the capture has no such kernel with a time.
 */
struct error *profile_read(struct profile *out, const char *kernel,
			   const struct profile_capture *c) MUST_CHECK;
void profile_release(struct profile *p);
DEFINE_RELEASE(profile, struct profile, profile_release)
#define cleanup_profile CLEANUP(profile)

/* Share of this wait in the time that warps wait, 0 to 1; 0: not known. */
double profile_stall_share(const struct profile *p, const char *name);
/* The longest wait that shows a problem (not "selected" and the like), or NULL.
 */
const struct stall *profile_top_stall(const struct profile *p);
/* Advice against that wait. Never NULL. */
const char *profile_wait_advice(const struct profile *p);
/* "registers": the resource that limits the blocks of a multiprocessor; NULL:
 * not known. */
const char *profile_limit(const struct profile *p);
/* How full the last wave of blocks is, 0 to 1; NAN: not known. */
double profile_wave_use(const struct profile *p);
/* Shares from 0 to 1, 0 if not known: bank conflicts' share of the wavefronts
 * of shared memory; unused bytes' share of the sectors of global memory; local
 * memory's share of the bytes that loads and stores move. */
double profile_conflicts(const struct profile *p);
double profile_waste(const struct profile *p);
double profile_spills(const struct profile *p);

/* About twenty lines, each "label  figures". */
void profile_table(struct buf *out, const struct profile *p);
/* Every figure that was counted, "name value", and every wait. */
void profile_every(struct buf *out, const struct profile *p);

/* ---- bottlenecks --------------------------------------------------------- */

#define PROFILE_BOTTLENECKS 3

struct bottleneck {
	const char *name; /* "dram-bandwidth" */
	double severity;  /* 0 to 100; see docs/profile.md */
	char *figures;	  /* a sentence with the counts; owned */
	const char *advice;
};
struct bottlenecks {
	struct bottleneck item[PROFILE_BOTTLENECKS]; /* severest first */
	size_t n;
};
/* Finds the bottlenecks whose rule has a severity of at least 10, and of at
 * least a fifth of the first's. */
void profile_judge(struct bottlenecks *out, const struct profile *p);
void profile_print_bottlenecks(struct buf *out, const struct bottlenecks *b);
void bottlenecks_release(struct bottlenecks *b);
DEFINE_RELEASE(bottlenecks, struct bottlenecks, bottlenecks_release)
#define cleanup_bottlenecks CLEANUP(bottlenecks)

struct json *profile_to_json(const struct profile *p,
			     const struct bottlenecks *b) MUST_CHECK;

/* ---- of a candidate ------------------------------------------------------ */

enum profile_kind {
	PROFILE_COUNTERS,
	PROFILE_SASS, /* the hot loop in the card's own instructions */
	PROFILE_PTX,
};

struct profile_request {
	const struct candidate *candidate;
	enum profile_kind kind;
	const char *case_name; /* NULL: the first */
	const char *kernel;    /* a part of its name; NULL: any */
	bool every;	       /* counters: all figures, after the table */
};

/* Either `failed` is set, or `text` and `json` are. profiled_release disposes.
 */
struct profile_result {
	/* A sentence on the candidate's fault: it does not build, or cannot be
	 * captured and replayed. */
	char *failed;
	char *text; /* bounded, for a person or an agent */
	struct json *json;
};
void profiled_release(struct profile_result *p);
DEFINE_RELEASE(profiled, struct profile_result, profiled_release)
#define cleanup_profiled CLEANUP(profiled)

/* `e` is of scorer_new. ERROR_REFUSED for a task that is not in CUDA, if there
 * is no GPU (counters), and if the driver does not give the counters to this
 * user; ERROR_NOT_FOUND for a missing case or tool; other errors if the tool's
 * output makes no sense. */
struct error *scorer_profile(struct profile_result *out, struct evaluator *e,
			     const struct profile_request *request) MUST_CHECK;
/* The same as a function of the evaluator: writes the text for an agent, which
 * is table and bottlenecks, or why there are none. */
struct error *profile_candidate(struct buf *text, struct evaluator *e,
				const struct candidate *candidate,
				const struct profile_wish *wish) MUST_CHECK;

#endif
