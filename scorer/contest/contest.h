/*
 * The second phase: is the candidate faster than its rivals? All contenders are
 * timed in rounds. A round visits every case; there each contender runs twice,
 * in random order and then in that order backwards (ABBA for two), so that a
 * drift of the machine cancels. All first runs get one input set, all second
 * runs another. One round gives one observation of each rival: the weighted
 * mean over cases of the log of the time ratio. Every fourth round the first
 * rival is compared with itself (A/A); in a search only the confirmation has
 * that, every second round. The processes are started again every few rounds,
 * so that the random effect of addresses averages out. For a short launch on a
 * GPU that effect is larger than the noise of rounds (half a percent at 12 us
 * was seen): then each of several pairs of processes runs a few rounds, and a
 * pair is one observation. In a search only a candidate that is slower by far
 * more than such an effect is dropped after one pair or a few.
 */
#ifndef SCORER_CONTEST_CONTEST_H
#define SCORER_CONTEST_CONTEST_H

#include "core/score/stats.h"
#include "scorer/contest/correctness.h"
#include "scorer/contest/kept_launches.h"
#include "scorer/device/steadiness.h"

struct build;

struct samples {
	double *value;
	size_t n, cap;
};
void samples_add(struct samples *s, double v);

struct contender {
	const char *name;	   /* for messages; borrowed */
	const struct build *build; /* borrowed */
	struct entry_points points;
	struct arm *arm;
	bool active;	   /* still needed */
	double *log_ratio; /* one for each round, or process; of a rival */
	size_t n, cap;
	struct samples rounds; /* the same, always one for each round */
	double gathered;       /* sum of the rounds of this process so far */
	double **case_log;     /* by case: one for each round; of a rival */
	struct comparison_state state;
};

struct contest {
	struct scoring *sc;
	struct contender *contender; /* [0] is the candidate */
	size_t n;
	size_t failed;	  /* index of the one that failed in contest_run */
	bool thorough;	  /* without rivals: as many rounds as with one */
	struct arm *twin; /* of contender `twin_of`: A/A */
	size_t twin_of;
	struct samples twin_log; /* A/A log ratios, a round or a process each */
	/* Sum and number of this process's rounds with a twin so far. */
	double twin_gathered;
	size_t twin_rounds;
	struct samples *seconds;     /* by case: candidate's, of one launch */
	double *case_error;	     /* by case: borrowed, raised */
	struct reference_cost *cost; /* by case: borrowed */
	size_t round;
	size_t in_process; /* rounds with the present processes */
	/* Launches are so short that two processes of the same code differ:
	 * all rounds of one pair of processes are one observation. */
	bool by_process;
	/* On the CPU: a process of the runner without code of a contender, for launches
	 * that call nothing. */
	struct arm *blank;
	struct samples *fixed; /* by case: seconds of such a launch */
	/* What the runner of `blank`, of another language, says of its versions
	 * ("toy 1.0"), where no candidate could say it; NULL: nothing. */
	char *versions;
	/* The same of another runner, where contenders have one that the
	 * candidate has not: a baseline in Python beside C. Else NULL. */
	struct arm *other_blank;
	struct samples *other_fixed;
	uint32_t *in_series; /* by case: launches of a hand-over (series.h) */
	/* By case: seconds of a launch alone of the candidate, less those of its
	 * first rival. */
	struct samples *excess;
	/* On the GPU, class isolated: by case, the same. */
	double *case_overhead;
	struct kept_launches kept; /* launches that are checked at the end */
	struct comparison_design design;
	bool twinless; /* no A/A: another contest of this scoring has it */
	/* GPU: a win is confirmed by another contest, so processes may have been
	 * used before: a rival's in earlier contests, the candidate's launcher
	 * in the first phase. */
	bool used_before;
	size_t twin_every; /* so many rounds, after the first three */
	struct steadiness steady;
	struct gpu_contest *gpu; /* runs the contenders, for CUDA; else NULL */
	uint64_t seed;
};

struct contest *contest_new(struct scoring *sc, size_t n_contenders,
			    double *case_error,
			    struct reference_cost *cost) MUST_CHECK;
/* Runs until the comparison with every rival is decided, or `seconds` are over.
 * The first failure of a contender goes to *o, its index to c->failed. */
struct error *contest_run(struct score_outcome *o, struct contest *c,
			  double seconds) MUST_CHECK;
/* The numbers below n in random order: the order in which contenders are
 * started, armed or called must not reveal which one is which. */
void contest_order(size_t *order, const struct contest *c, size_t n);
/* Takes over the outcome *one of a contender: a failure moves to *o, and
 * c->failed is its index. A rival's failure also names the case, unless
 * `case_name` is NULL. */
struct error *contest_attribute(struct score_outcome *o,
				struct score_outcome *one, struct contest *c,
				size_t contender,
				const char *case_name) MUST_CHECK;
/* Is a contender called by another runner than the candidate? */
bool contest_is_other(const struct contest *c, size_t contender);
/* Half width of the 95 % interval of the A/A log ratio; 0: not known. */
double contest_noise(const struct contest *c);
/* Two processes of the same code differed by this (log ratio), and not by
 * chance: a gain up to this does not count. 0 if A/A shows no difference. */
double contest_floor(const struct contest *c);
/* exp of the median log ratio of a case. */
double contest_case_ratio(const struct contest *c, size_t contender,
			  size_t which);
void contest_free(struct contest *c);

DEFINE_CLEANUP(contest, struct contest, contest_free)
#define cleanup_contest CLEANUP(contest)

#endif
