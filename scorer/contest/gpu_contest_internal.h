/*
 * Inside a contest on the GPU: its state, shared by gpu_contest.c, which runs
 * halves, gpu_contest_start.c, which captures plans and starts the processes,
 * gpu_turns.c, which stops them, gpu_hand_over.c, which counts the launches that
 * are timed at once, and gpu_clocks.c, which detects cheats. Callers use gpu_contest.h.
 *
 * Launchers are counted as contenders are, and the twin's is the last one. A
 * plan is valid for the addresses in `at` and for no others. A process writes
 * the outputs of one slot of the buffers; which one changes with every case.
 */
#ifndef SCORER_CONTEST_GPU_CONTEST_INTERNAL_H
#define SCORER_CONTEST_GPU_CONTEST_INTERNAL_H

#include "scorer/contest/gpu_contest.h"
#include "scorer/device/nvml.h"

struct contest_launcher {
	struct runner *runner; /* a launcher or a resident; owned */
	bool replays;	       /* a launcher */
	bool all_queues;       /* one that opened all of them */
	size_t armed_for;      /* case + 1; 0: none */
	uint32_t slot;	       /* whose outputs it writes, of the buffers */
	bool turns;	       /* was asked for the outputs of the next half */
	bool halted;	       /* a resident while it is not its turn */
	unsigned uses;	       /* comparisons before this one, if it was kept */
};

#define HALF_SAMPLES_MIN 6 /* with fewer a detector decides nothing */
/* What a detector (gpu_clocks.c) keeps of each half of a contest. */
struct half_samples {
	struct half_sample {
		size_t which;	/* case */
		double share;	/* of a launch; or a log ratio */
		double seconds; /* the same in seconds of a launch; or 0 */
	} * sample;		/* owned */
	size_t n, cap;
};

struct gpu_contest {
	struct contest *contest; /* borrowed */
	struct gpu_buffers buffers;
	size_t buffers_for;	 /* case + 1; 0: none */
	struct gpu_addresses at; /* where buffers are mapped; no sizes */
	/* Whose outputs each slot of a half wrote in the first half of this
	 * case. */
	size_t dealt[GPU_SLOTS];
	uint32_t idle;	/* this half's image that is not launched, or none */
	unsigned moves; /* how often addresses were drawn again */
	struct gpu_watch watch;
	/* By case, owned. Class isolated: images of a hand-over, 0: not known;
	 * and logs of the candidate's time over its first rival's, of one alone
	 * and of several. */
	int64_t *images;
	struct samples *alone, *together;
	double quiet; /* the least of gpu_judge_quiet so far; 0: none */
	/* Time of a launch that the candidate's clock saw and its events did
	 * not, less the same of a rival, as a share of the rival's launch. */
	struct half_samples left_out;
	/* How much longer a batch's first launch is than the mean, as a log:
	 * the candidate's, and that less a rival's. */
	struct half_samples first, first_over_rival;
	struct contest_launcher *launcher; /* contenders, then the twin */
	size_t n;			   /* of launchers */
	/* By contender, each array owned: */
	int **plan;		  /* by case: memfd, or -1; owned */
	uint64_t captured;	  /* the most bytes that a capturer mapped */
	struct runner **capturer; /* while plans are captured, else NULL */
	/* The candidate's launcher of the first phase, loaded; or NULL. */
	struct runner *checked;
	bool keeps_plans; /* its rivals are captured for later contests, too */
	bool *side_by_side; /* one of its plans is not a chain */
	/* Of a contender that is a resident: gate_steps of
	 * gpu_resident_request. Once a process of it needed fewer, the next
	 * one starts with fewer. */
	uint32_t *gate_steps;
};

/* ---- the class of the contest -------------------------------------------- */

/* Class isolated: all contenders are called as a user would call them. */
bool gpu_contest_isolated(const struct gpu_contest *f);
/* Is this contender called as a user would call it, in a process of its own?
 * So in class isolated, and always for the task's own code, which is trusted
 * and may call libraries that a launcher does not have. */
bool gpu_contest_is_resident(const struct gpu_contest *f, size_t contender);
/* The contender of a launcher; the last one is the twin's. */
size_t gpu_contest_contender_at(const struct gpu_contest *f, size_t at);

/* ---- plans and processes: gpu_contest_start.c ---------------------------- */

/* Captures a plan for each replayed contender that has none and is still
 * needed. If one cannot be captured the contest goes on in class isolated. */
struct error *gpu_contest_capture(struct score_outcome *o,
				  struct gpu_contest *f) MUST_CHECK;
/* This contender cannot be replayed: the contest goes on in class isolated, or
 * the contender fails if the task demands class replayed. */
struct error *gpu_contest_isolate(struct score_outcome *o,
				  struct gpu_contest *f, size_t contender,
				  const char *why) MUST_CHECK;
/* Draws other addresses. Closes all plans, and every process has to be armed
 * again. */
void gpu_contest_move(struct gpu_contest *f);
/* If *o is a crash: ends *failed and sets it to NULL, and returns an error if
 * the card has too little memory for the scorer itself. */
struct error *gpu_contest_check_memory(
	const struct score_outcome *o, struct gpu_contest *f,
	struct runner **failed,
	const struct gpu_addresses *addresses) MUST_CHECK;
/* Sets which outputs of the buffers each slot of the half writes. Where memory
 * lies on the card is worth up to a percent. So outputs are dealt at random for
 * each pair of halves, and in the second half the candidate and its first rival
 * exchange theirs: the effect cancels. */
void gpu_contest_deal_slots(size_t slot[GPU_SLOTS], struct gpu_contest *f,
			    const struct half *h);
/* Ends all processes, closes all plans and frees the arrays by contender. */
void gpu_contest_plans_free(struct gpu_contest *f);

/* ---- of earlier contests, for later ones: gpu_contest_kept.c ---------------- */

/* Takes over what was kept: sets f->at, and the plans of the rivals. */
void gpu_kept_plans_take(struct gpu_contest *f);
/* Where rivals are captured for later contests, too (f->keeps_plans): draws the
 * addresses of these sets; whoever has captured all says so with gpu_kept_plans_whole. */
void gpu_kept_plans_draw(struct gpu_contest *f);
int *gpu_kept_plan(struct gpu_contest *f, size_t set, size_t contender,
		   size_t which);
void gpu_kept_plans_whole(struct gpu_contest *f);
/* A launcher with the contender's code that there is already, with one queue; or
 * NULL. The caller owns it. */
struct runner *gpu_kept_launcher(unsigned *uses, struct gpu_contest *f,
				 size_t at) MUST_CHECK;
/* Keeps a launcher for later contests; false: it is not one to keep. */
bool gpu_kept_leave(struct gpu_contest *f, size_t at);

/* ---- turns of residents in class isolated: gpu_turns.c -------------------- */

/* Before the first resident starts: how long the judge's kernel takes on a card
 * that rests. A resident could make every later look as long as it likes. */
struct error *gpu_turns_rest(struct gpu_contest *f) MUST_CHECK;
/* From now on this launcher alone runs, of all that have one. *o, which passes,
 * fails if one cannot be stopped, or if kernels are still at work that one has
 * launched while all ran; *whose is the contender of that. An error if they are
 * seen to be another program's. */
struct error *gpu_turn_give(struct score_outcome *o, size_t *whose,
			    struct gpu_contest *f, size_t at) MUST_CHECK;
/* Its turn is over, after a launch without a failure. As gpu_turn_give. */
struct error *gpu_turn_over(struct score_outcome *o, size_t *whose,
			    struct gpu_contest *f, size_t at) MUST_CHECK;
/* All run again, for what is not timed. */
void gpu_turns_end(struct gpu_contest *f);

/* ---- launches of a hand-over in class isolated: gpu_hand_over.c ----------- */

/* A half with f->images[h->which] images. */
typedef struct error *(*half_fn)(struct score_outcome *o, struct gpu_contest *f,
				 struct half *h, const size_t *order);
/* Sets that number where it is not known yet, by halves of one image. */
struct error *gpu_hand_over_count(struct score_outcome *o,
				  struct gpu_contest *f, struct half *h,
				  const size_t *order, half_fn run) MUST_CHECK;
/* Adds one half, of one image or of several. */
void gpu_hand_over_take(struct gpu_contest *f, const struct half *h);
/* As gpu_contest_bias: work for several images at once. */
double gpu_alone_bias(char **why, const struct gpu_contest *f);

/* ---- detectors: gpu_clocks.c --------------------------------------------- */

/* Adds one half to f->left_out. `left_out`: seconds of a launch by slot of the
 * half; NAN: not known. Each number is inexact; the mean of all halves is
 * exact enough. */
void gpu_left_out_take(struct gpu_contest *f, const struct half *h,
		       const double *left_out);
/* VERDICT_FORBIDDEN if it is too much for chance or a difference of clocks. */
void gpu_left_out_verdict(struct score_outcome *o, const struct gpu_contest *f);
/* As gpu_contest_bias: the part that is certain but too small for a verdict. */
double gpu_left_out_bias(char **why, const struct gpu_contest *f);

/* Adds one half to f->first and f->first_over_rival. `first`: seconds of a
 * batch's first launch by slot of the half; 0: not known, or the only launch.
 * The other two functions are like those above. */
void gpu_first_launch_take(struct gpu_contest *f, const struct half *h,
			   const double *first);
void gpu_first_launch_verdict(struct score_outcome *o,
			      const struct gpu_contest *f);
double gpu_first_launch_bias(char **why, const struct gpu_contest *f);

#endif
