/*
 * Inside a contest on the GPU: what it knows, between gpu_field.c,
 * which runs halves of blocks, gpu_cast.c, which has its plans and processes,
 * and gpu_bias.c, which says what a gain may be owed to instead. Callers use
 * gpu_field.h.
 */
#ifndef SCORER_CONTEST_GPU_CONTEST_INTERNAL_H
#define SCORER_CONTEST_GPU_CONTEST_INTERNAL_H

#include "scorer/contest/gpu_contest.h"
#include "scorer/device/watch.h"

struct contest_launcher {
	struct runner *runner; /* a launcher or a resident */
	size_t armed_for;      /* case + 1; 0: none */
	uint32_t slot;	       /* whose outputs it writes, of the buffers */
};

/* What halves said, one number each. */
#define HIDDEN_LEAST 6 /* of them, before anything is made of it */
struct hidden {
	struct hidden_half {
		size_t which; /* case */
		double share;
		double seconds; /* of a launch: the same, not as a share */
	} * half;
	size_t n, cap;
};

struct gpu_contest {
	struct contest *contest;
	struct gpu_buffers buffers;
	size_t buffers_for;	 /* case + 1; 0: none */
	struct gpu_addresses at; /* the addresses */
	size_t dealt[GPU_SLOTS]; /* of this block's first half */
	uint32_t idle;		 /* of this half's images: see gpu_idle_draw */
	unsigned moves;		 /* how often they were drawn anew */
	struct gpu_watch watch;
	/* Of a launch of a rival's: what the candidate's clock saw and its
	 * events did not, less the same of that rival's own. */
	struct hidden hidden;
	/* How much longer a batch's first launch is than the mean, as a log:
	 * the candidate's, and that less a rival's. */
	struct hidden first, ahead;
	struct contest_launcher *launcher; /* contenders, then the twin */
	size_t n;
	int **plan;		  /* a contender, a case: memfd or -1 */
	uint64_t captured;	  /* bytes that a capturer had, at most */
	struct runner **capturer; /* a contender: while plans are made */
	bool *side_by_side;	  /* a contender: a plan of his is no chain */
	/* A contender that is a resident: of gpu_resident_request. What one process
	 * of his found to be too much is not asked of the next. */
	uint32_t *gate_steps;
};

/* Class isolated: everybody is called as a user would. */
bool gpu_contest_isolated(const struct gpu_contest *f);
/* Called as a user would, in a process of its own: what is isolated, and the
 * task's own code, which is believed, and may call libraries that no launcher
 * has. */
bool gpu_contest_is_resident(const struct gpu_contest *f, size_t contender);
/* Plans of everybody that is replayed and has none. One who cannot be makes
 * the comparison one of class isolated. */
struct error *gpu_contest_capture(struct outcome *o,
				  struct gpu_contest *f) MUST_CHECK;
/* This contender cannot be replayed: all go on in class isolated, or, where the
 * task demands the other, it fails. */
struct error *gpu_contest_isolate(struct outcome *o, struct gpu_contest *f,
				  size_t contender, const char *why) MUST_CHECK;
/* Other addresses: plans hold no longer. */
void gpu_contest_move(struct gpu_contest *f);
/* Too little memory: of whose making? Who failed is needed no more, and ended. */
struct error *gpu_contest_check_memory(
	const struct outcome *o, struct gpu_contest *f, struct runner **failed,
	const struct gpu_addresses *addresses) MUST_CHECK;
/* Whose outputs, of the buffers, each slot of the block writes in this half:
 * where memory lies on the card is worth up to a percent. They are dealt for
 * every block, and in its second half the candidate and its first rival have
 * each other's, so that it cancels. */
void gpu_contest_deal_slots(size_t slot[GPU_SLOTS], struct gpu_contest *f,
			    const struct block *b);
void gpu_contest_plans_free(struct gpu_contest *f);

/* For each half an image is drawn that nobody launches, and that nobody may have
 * written: who does the work of launches to come in one that is timed, since
 * many at once cost less, cannot know which of them never comes. */
void gpu_idle_draw(struct gpu_contest *f);
/* Of a batch; and one of those that are, at random. */
uint32_t gpu_idle_launches(const struct gpu_contest *f);
uint32_t gpu_idle_draw_other(struct gpu_contest *f);

/* Events are written where kernels can write: beside them stands a clock that
 * they cannot reach, less exact for one launch, but over all halves exact
 * enough. `left_out`: seconds of a launch by slot of the block; NAN: not known. */
void gpu_hidden_take(struct gpu_contest *f, const struct block *b,
		     const double *left_out);
/* So much that it cannot be chance nor the clocks: VERDICT_FORBIDDEN. */
void gpu_left_out_verdict(struct outcome *o, const struct gpu_contest *f);
/* As gpu_contest_bias, of what is sure but less. */
double gpu_hidden_bias(char **why, const struct gpu_contest *f);

void gpu_hidden_add(struct hidden *h, size_t which, double share,
		    double seconds);
#define HIDDEN_ALL_CASES SIZE_MAX
/* Of the halves of a case, or of all; free() *share. How many they are. */
size_t gpu_hidden_shares(double **share, const struct hidden *h, size_t which);
/* Over all cases: the mean, and what is left of it where chance is given its
 * part. */
double gpu_hidden_mean(const struct hidden *h, double *error);
double gpu_hidden_surely(const struct hidden *h);

/* `first`: seconds of a batch's first launch by slot of the block; 0: not known
 * or there is no other. */
void gpu_ahead_take(struct gpu_contest *f, const struct block *b,
		    const double *first);
void gpu_first_launch_verdict(struct outcome *o, const struct gpu_contest *f);
double gpu_ahead_bias(char **why, const struct gpu_contest *f);

#endif
