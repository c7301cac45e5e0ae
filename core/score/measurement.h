/*
 * A measurement: one scoring of one candidate under one task on one machine.
 * It has two forms on disk, both made here: the text of a git note (for
 * people and programs) and JSON (in the journal, complete). A figure is a
 * member below and a line of the tables in measurement_fields.c, which say
 * where it is stored, under which keys, and what it can be.
 *
 * The note is sorted lines, each "ID RANK key=value ...": ID is
 * "YYYYMMDDTHHMMSSZ-hhhhhhhh" (UTC, then random), RANK three digits: 000 the
 * headline, 001.. the cases, 500.. the comparisons, 700.. what the kernels take
 * of a GPU, 900.. the environment.
 * Values with blanks or quotes are in double quotes with \" \\ \n escapes.
 * Every line is self-contained, so notes of two machines merge by
 * `git notes merge -s cat_sort_uniq`. Unknown keys are kept.
 */
#ifndef CORE_SCORE_MEASUREMENT_H
#define CORE_SCORE_MEASUREMENT_H

#include "core/base/buf.h"
#include "core/base/json.h"
#include "core/score/resources.h"
#include "core/score/stats.h"
#include "core/score/verdict.h"

#define MEASUREMENT_FORMAT 1
#define MEASUREMENT_ID_LEN 25
#define IDENTITY_HEX_LEN   16

/* What makes two measurements comparable: only like is compared with like. */
struct identity {
	char task[IDENTITY_HEX_LEN + 1]; /* reference, harness, cases, build */
	char sources[IDENTITY_HEX_LEN + 1]; /* the blobs of the sources */
	char machine[IDENTITY_HEX_LEN + 1]; /* the kind of machine */
	char scorer[16];		    /* the scorer's version */
};
/* The same measurement would come out: all four equal. */
bool identity_equal(const struct identity *a, const struct identity *b);
/* May be ranked together: all but the sources equal. */
bool identity_comparable(const struct identity *a, const struct identity *b);

/* Where the clock and the candidate stood: never compared across. */
enum trust_class {
	TRUST_NONE, /* nothing was run (it did not build, there is no GPU) */
	TRUST_ISOLATED,
	TRUST_REPLAYED,
};
const char *trust_class_name(enum trust_class t);

struct case_result {
	char *name; /* "m=512 n=512 k=512" */
	double weight;
	double seconds; /* median of one launch; 0 where it was not timed */
	double rate;	/* flop/s, or byte/s where the task gives only bytes */
	double error;	/* worst error over what is allowed: <= 1 is right */
	/* Of `seconds`: what a launch costs that does nothing, handing inputs
	 * over and taking outputs (class isolated on a GPU); 0: nothing. */
	double overhead;
	double ceiling; /* of what the card can do at most; 0: not known */
	size_t launches;
};

enum rival {
	RIVAL_INCUMBENT, /* the tip of its own lineage */
	RIVAL_CHAMPION,	 /* the champion of the run, where it is another */
	RIVAL_BASELINE,	 /* named in the task */
	RIVAL_START,	 /* the base of the run */
	RIVAL_COUNT
};
/* What is told first, best first: all that was won since the run began; then
 * over the best of the run, over the tip of its own lineage, and last over what
 * the task names, which says nothing of the run. */
extern const enum rival rival_order[RIVAL_COUNT];
const char *rival_name(enum rival r); /* "incumbent", ... */

/* A paired comparison with something measured in the same minutes. */
struct comparison {
	enum rival rival;
	char *name;   /* commit id, or the baseline's name */
	double ratio; /* how many times faster: > 1 is a gain */
	struct interval ratio95;
	enum told told;
	size_t blocks;
	bool confirmed;	    /* told again in fresh processes, fresh seed */
	double worst_case;  /* the smallest ratio of a single case */
	double *case_ratio; /* one a timed case, in order; owned */
	size_t n_cases;
};

/* No span of time that is written down is longer: three centuries. */
#define SECONDS_MAX 1e10

/* What one measurement can hold. No scoring comes near it; of what others wrote
 * the rest is not read. */
#define MEASUREMENT_MAX_CASES	    499
#define MEASUREMENT_MAX_COMPARISONS 200
#define MEASUREMENT_MAX_KERNELS	    1024
#define MEASUREMENT_MAX_WARNINGS    256 /* a kernel */
#define MEASUREMENT_MAX_SETTINGS    256

struct setting {
	char *key, *value;
};

struct measurement {
	char id[MEASUREMENT_ID_LEN + 1];
	int64_t time_us;
	struct identity identity;
	enum verdict verdict;
	enum trust_class trust;
	char *why;    /* of a failure, one sentence; NULL for a pass */
	char *log;    /* of a failure, bounded text; only in the journal */
	double score; /* geometric mean of the rates; 0 if not a pass */
	bool rate_is_bytes;
	/* A/A: half width of its 95 % interval, log ratio; 0: not known, as of
	 * what a search did not find faster. */
	double noise;
	/* Where the time of the scoring went; starting: of sandboxes. */
	double seconds_build, seconds_judge, seconds_timed, seconds_starting,
		seconds_total;
	struct case_result *cases;
	size_t n_cases, cap_cases;
	struct comparison *comparisons;
	size_t n_comparisons, cap_comparisons;
	struct resources resources;  /* of every kernel, CUDA */
	struct setting *environment; /* cpu, compiler, sandbox ... in order */
	size_t n_environment, cap_environment;
	bool brief; /* measurement_brief made it */
};

struct measurement *measurement_new(void) MUST_CHECK; /* with a fresh id */
/* Its date is not before tomorrow, by this machine's clock: a clock was wrong,
 * so that it is not what was measured last. */
bool measurement_is_ahead(const struct measurement *m);
/* Has it the form of an id? */
bool measurement_is_id(const char *text, size_t len);
struct case_result *measurement_add_case(struct measurement *m,
					 const char *name);
struct comparison *measurement_add_comparison(struct measurement *m,
					      enum rival rival,
					      const char *name);
/* NULL where it holds as many as it can. Borrowed until the next. */
struct kernel_resources *measurement_add_kernel(struct measurement *m,
						const char *name);
void measurement_set(struct measurement *m, const char *key, const char *value);
/* NULL if it has none. Borrowed. */
const char *measurement_get(const struct measurement *m, const char *key);
/* The comparison with this kind of rival (name NULL: the first). Borrowed. */
const struct comparison *measurement_against(const struct measurement *m,
					     enum rival rival,
					     const char *name);
/* The one ratio that is told where there is place for one, as in the first line
 * of a note and of a journal's entry: the first in rival_order. NULL where there
 * is none. Borrowed. For what was decided by it see measurement_decisive, for
 * the speed over the start attempt_speedup. */
const struct comparison *measurement_headline(const struct measurement *m);
/* What a crown or a place in a lineage depends on: the comparison with the
 * first rival of the run's own, an incumbent or a champion; not one with the
 * start or a baseline, which decides nothing. NULL where there is none.
 * Borrowed. */
const struct comparison *measurement_decisive(const struct measurement *m);
/* A win that the machine's unsteadiness may have made: nothing is settled. */
bool measurement_is_open(const struct measurement *m);
void measurement_fail(struct measurement *m, enum verdict verdict,
		      const char *why, ...) PRINTF(3, 4);
/* Takes all cases and comparisons away. */
void measurement_drop_results(struct measurement *m);
/* Drops the figures of what was read where no scoring can have found them (no
 * number, negative, beyond every machine): a pass becomes VERDICT_UNUSABLE, and
 * `why` says which figure it is. Both readers below end with this. */
void measurement_check(struct measurement *m);
/* Would measurement_check let a case have this number under this key of the
 * journal? */
bool measurement_case_allows(const char *key, double value);
/* "85.3 GFLOPS", "1.25 TFLOPS", "212 GB/s". */
void measurement_format_rate(char *out, size_t size, double rate, bool bytes);
/* "0.41 %", "7.9 %", "180 %": two digits that count, of a share (1 is all). */
void measurement_format_percent(char *out, size_t size, double share);

/* Note text: adds the lines of m to `text`, keeps what is there, sorts,
 * drops duplicates: what `git notes merge -s cat_sort_uniq` would do. What is
 * beyond the limit of `text` is left out: lines that are no measurement's
 * first, then the oldest measurements, never m. */
void measurement_note_add(struct buf *text, const struct measurement *m);
/* The lines of a note in the same way, sorted, up to the limit of `out`. */
void measurement_note_keep(struct buf *out, const char *note, size_t len);
/* The newest measurement in a note that `want` is comparable with (want NULL:
 * the newest of all), one that is ahead (see measurement_is_ahead) or unusable
 * only where there is no other; NULL if
 * there is none. Enough for tables: headline, cases, comparisons, environment.
 * measurement_free disposes. */
struct measurement *measurement_note_latest(const char *note,
					    const struct identity *want);
/* The newest one that `wanted` says yes to, chosen in the same way. */
struct measurement *measurement_note_find(
	const char *note,
	bool (*wanted)(const struct measurement *m, void *arg), void *arg);
struct json *measurement_to_json(const struct measurement *m) MUST_CHECK;
struct error *measurement_from_json(struct measurement **out,
				    const struct json *j) MUST_CHECK;
struct measurement *measurement_dup(const struct measurement *m) MUST_CHECK;
/* What telling attempts apart needs: verdict, why, score and comparisons,
 * without cases, resources and log, and of the environment only its code and
 * whether it was steady and sanitized. */
struct measurement *measurement_brief(const struct measurement *m) MUST_CHECK;
/* Is this setting of the environment in a brief one? */
bool measurement_brief_has(const char *key);
void measurement_free(struct measurement *m);

DEFINE_CLEANUP(measurement, struct measurement, measurement_free)
#define cleanup_measurement CLEANUP(measurement)

#endif
