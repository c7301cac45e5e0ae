/*
 * The second phase: how fast, against whom? A candidate and its rivals are
 * timed in rounds. A round visits every case; there each contender runs
 * twice, in random order and then in that order backwards (ABBA for two), so
 * that a drift of the machine cancels. The first set of inputs serves the
 * first run of all, a second one the second. One round gives one observation
 * a rival: the weighted mean over cases of the log of the time ratio. Every
 * fourth round the first rival meets itself (A/A); of a search only the
 * confirmation has that, every second round. The processes are started again every
 * few rounds, so that luck with addresses averages out. Where a launch on a GPU
 * is short that luck is larger than the noise of rounds (half a percent at
 * 12 us was seen): then it is a few rounds with each of several pairs of
 * processes, and a pair is one observation. Only who is slower by far more than
 * such luck goes out of a search after the rounds of one pair, or a few.
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

struct contender {
	const char *name;	   /* for messages; borrowed */
	int object_fd;		   /* borrowed */
	const struct build *build; /* CUDA: its device code; borrowed */
	struct entry_points points;
	struct arm *arm;
	bool active;	   /* still needed */
	double *log_ratio; /* one a round, or a process; of a rival */
	size_t n, cap;
	struct samples rounds; /* the same, always one a round */
	double gathered;       /* sum of the rounds of this process so far */
	double **case_log;     /* a case: one a round; of a rival */
	struct comparison_state state;
};

struct contest {
	struct scoring *sc;
	struct contender *contender; /* [0] is the candidate */
	size_t n;
	size_t failed; /* which of them the outcome of contest_run is about */
	bool thorough; /* alone: as many rounds as with a rival */
	struct arm *twin; /* of contender `twin_of`: A/A */
	size_t twin_of;
	struct samples twin_log; /* A/A log ratios, one a round, or a process */
	/* Of this process so far: what its rounds with a twin said. */
	double twin_gathered;
	size_t twin_rounds;
	struct samples *seconds;     /* a case: of the candidate, one launch */
	double *case_error;	     /* a case: borrowed, raised */
	struct reference_cost *cost; /* a case: borrowed */
	size_t round;
	size_t in_process; /* rounds with the processes of now */
	/* Launches so short that two processes of the same code differ: what
	 * the rounds of one pair of processes say is one observation. */
	bool by_process;
	double overhead;       /* seconds of a launch besides the kernel */
	double *case_overhead; /* the same, a case; where it depends on the case */
	struct kept_launches kept; /* launches that are checked at the end */
	struct comparison_plan plan;
	bool twinless;	   /* no A/A: another contest of this scoring has it */
	size_t twin_every; /* so many rounds, after the first three */
	struct steadiness steady;
	struct gpu_contest *gpu; /* where the arms are, for CUDA; else NULL */
	uint64_t seed;
};

struct contest *contest_new(struct scoring *sc, size_t n_contenders,
			    double *case_error,
			    struct reference_cost *cost) MUST_CHECK;
/* Runs until every rival is told apart or shown the same, or `seconds` are
 * over. The first failure of a contender goes to *o, and c->failed says whose it
 * is. */
struct error *contest_run(struct score_outcome *o, struct contest *c,
			  double seconds) MUST_CHECK;
/* The numbers below n in random order: the order in which contenders are
 * started, armed or called must not tell which one is which. */
void contest_order(size_t *order, const struct contest *c, size_t n);
/* What became of one contender: a failure goes on to *o, and c->failed has the
 * contender. Of a rival `case_name`, where it is not NULL, is told, too. */
struct error *contest_attribute(struct score_outcome *o,
				struct score_outcome *one, struct contest *c,
				size_t contender,
				const char *case_name) MUST_CHECK;
/* Half width of the 95 % interval of the A/A log ratio; 0: not known. */
double contest_noise(const struct contest *c);
/* Two processes of the same code differed by this (log ratio), and not by
 * chance: no gain up to it is one. 0 where A/A holds no difference. */
double contest_floor(const struct contest *c);
/* exp of the median log ratio of a case. */
double contest_case_ratio(const struct contest *c, size_t contender,
			  size_t which);
void contest_free(struct contest *c);

DEFINE_CLEANUP(contest, struct contest, contest_free)
#define cleanup_contest CLEANUP(contest)

#endif
