/*
 * A measurement: one scoring of one candidate under one task on one machine. It
 * has two forms on disk, both made here: the text of a git note (for people and
 * programs) and JSON (in the journal, complete). A figure is a member below and
 * a line of the tables in measurement_fields.c, which define where it is
 * stored, under which keys, and its valid values.
 *
 * The note is sorted lines, each "ID RANK key=value ...": ID is
 * "YYYYMMDDTHHMMSSZ-hhhhhhhh" (UTC, then random), RANK three digits: 000 the
 * headline, 001.. the cases, 500.. the comparisons, 700.. the resources of the
 * kernels on a GPU, 900.. the environment. Values with blanks or quotes are in
 * double quotes with \" \\ \n escapes. Every line is self-contained, so `git
 * notes merge -s cat_sort_uniq` can merge notes of two machines. Unknown keys
 * are kept.
 */
#ifndef CORE_SCORE_MEASUREMENT_H
#define CORE_SCORE_MEASUREMENT_H

#include "core/base/buf.h"
#include "core/base/json.h"
#include "core/score/resources.h"
#include "core/score/stats.h"
#include "core/score/unit.h"
#include "core/score/verdict.h"

#define MEASUREMENT_FORMAT 1
#define MEASUREMENT_ID_LEN 25
#define IDENTITY_HEX_LEN   16

/* What makes two measurements comparable. */
struct identity {
	char task[IDENTITY_HEX_LEN + 1]; /* reference, harness, cases, build */
	char sources[IDENTITY_HEX_LEN + 1]; /* the blobs of the sources */
	char machine[IDENTITY_HEX_LEN + 1]; /* the kind of machine */
	char scorer[16];		    /* the scorer's version */
};
/* All four parts are equal: a new measurement would give the same result. */
bool identity_equal(const struct identity *a, const struct identity *b);
/* All parts but the sources are equal: the two may be ranked together. */
bool identity_comparable(const struct identity *a, const struct identity *b);

/* Where the clock and the candidate ran. Measurements of different classes are
 * never compared. */
enum trust_class {
	TRUST_NONE, /* nothing was run (it did not build, there is no GPU) */
	TRUST_ISOLATED,
	TRUST_REPLAYED,
	/* Not measured: a command of the task said it. */
	TRUST_REPORTED,
};
const char *trust_class_name(enum trust_class t);

struct case_result {
	char *name; /* "m=512 n=512 k=512" */
	double weight;
	double seconds; /* median of one launch; 0: not timed */
	double rate;	/* flop/s, or byte/s if the task gives only bytes; a
			 * reported value */
	double error;	/* worst error over the allowed one: <= 1 is right */
	/* Part of `seconds`: the cost of a launch that does nothing, for
	 * handing inputs over and taking outputs (class isolated); 0: none. */
	double overhead;
	/* Not in `seconds`: the cost of a launch that does nothing, which was
	 * taken off, and half the 95 % interval of it; 0: nothing was. */
	double fixed, fixed_error;
	/* Half of what the middle half of the launches differed by, as a share
	 * of `seconds`; 0: unknown. */
	double spread;
	double ceiling; /* share of the most that the card can do; 0: unknown */
	size_t launches;
};

enum rival {
	RIVAL_INCUMBENT, /* the tip of its own lineage */
	RIVAL_CHAMPION,	 /* the champion of the run, if it is not the tip */
	RIVAL_BASELINE,	 /* named in the task */
	RIVAL_START,	 /* the base of the run */
	RIVAL_COUNT
};
/* The order in which ratios are reported, most important first: the total gain
 * since the run began; then over the champion, over the tip of its own lineage,
 * and last over the task's baselines, which say nothing about the run. */
extern const enum rival rival_order[RIVAL_COUNT];
const char *rival_name(enum rival r); /* "incumbent", ... */

/* A paired comparison with something measured in the same minutes. */
struct comparison {
	enum rival rival;
	char *name;   /* commit id, or the baseline's name */
	double ratio; /* how many times faster: > 1 is a gain */
	struct interval ratio95;
	enum decision decision;
	size_t blocks;
	/* Launches are so short that this is the ratio of whole hand-overs: that
	 * of the kernels is farther from 1. */
	bool at_least;
	bool confirmed;	    /* found again in fresh processes, fresh seed */
	double worst_case;  /* the smallest ratio of a single case */
	double *case_ratio; /* one for each timed case, in order; owned */
	size_t n_cases;
};

/* The largest ratio of a comparison that was decided. */
#define RATIO_MAX 1e9
/* The longest time that is ever written: three centuries. */
#define SECONDS_MAX 1e10

/* Limits of one measurement, far above what a scoring makes. What others wrote
 * beyond them is not read. */
#define MEASUREMENT_MAX_CASES	    499
#define MEASUREMENT_MAX_COMPARISONS 200
#define MEASUREMENT_MAX_KERNELS	    1024
#define MEASUREMENT_MAX_WARNINGS    256 /* for each kernel */
#define MEASUREMENT_MAX_SETTINGS    256
/* Bytes: what is longer is cut when it is read. */
#define MEASUREMENT_WHY_MAX 8192
#define MEASUREMENT_LOG_MAX ((size_t)64 << 10)

struct setting {
	char *key, *value;
};

struct measurement {
	char id[MEASUREMENT_ID_LEN + 1];
	int64_t time_us;
	struct identity identity;
	enum verdict verdict;
	enum trust_class trust;
	char *why;    /* one sentence about a failure; NULL for a pass */
	char *log;    /* of a failure, limited length; journal only */
	double score; /* geometric mean of the rates; 0 without a pass */
	bool rate_is_bytes;
	/* A/A: half width of its 95 % interval, log ratio; 0: unknown, as for a
	 * candidate that a search did not find faster. */
	double noise;
	/* How long the parts of the scoring took; starting: of sandboxes. */
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
/* Its date is tomorrow or later by this machine's clock. So some clock was
 * wrong, and it cannot count as the newest measurement. */
bool measurement_is_ahead(const struct measurement *m);
/* Has the text the form of an id? */
bool measurement_is_id(const char *text, size_t len);
/* Adds a case of weight 1. Borrowed until the next call. */
struct case_result *measurement_add_case(struct measurement *m,
					 const char *name);
/* Adds a comparison without figures. Borrowed until the next call. */
struct comparison *measurement_add_comparison(struct measurement *m,
					      enum rival rival,
					      const char *name);
/* NULL if it is full. Borrowed until the next call. */
struct kernel_resources *measurement_add_kernel(struct measurement *m,
						const char *name);
/* Sets a setting of the environment. Ignored if there are too many. */
void measurement_set(struct measurement *m, const char *key, const char *value);
/* The setting with this key; NULL if it has none. Borrowed. */
const char *measurement_get(const struct measurement *m, const char *key);
/* The comparison with this kind of rival (name NULL: the first); NULL if there
 * is none. Borrowed. */
const struct comparison *measurement_against(const struct measurement *m,
					     enum rival rival,
					     const char *name);
/* The one ratio to report where there is room for only one, as in the first
 * line of a note and of a journal's entry: the first in rival_order. NULL if
 * there is none. Borrowed. measurement_decisive has the comparison that
 * decided, attempt_speedup the speed relative to the start. */
const struct comparison *measurement_headline(const struct measurement *m);
/* The comparison that decides on a crown or a place in a lineage: the one with
 * the first rival from the run, an incumbent or a champion. A comparison with
 * the start or a baseline decides nothing. NULL if there is none. Borrowed. */
const struct comparison *measurement_decisive(const struct measurement *m);
/* A loss that an unsteady machine may have caused: found slower with this rival,
 * the whole interval below 1, but not decided. Why is in `unsteady`. */
bool measurement_is_open_loss(const struct measurement *m,
			      const struct comparison *c);
/* What a comparison of m told, in one word: as decision_name, or "not faster" of
 * such a loss. A constant. */
const char *measurement_told(const struct measurement *m,
			     const struct comparison *c);
/* A win that an unsteady machine may have caused, so it settles nothing. */
bool measurement_is_open(const struct measurement *m);
/* Sets the verdict of a failure and `why`; the score becomes 0. */
void measurement_fail(struct measurement *m, enum verdict verdict,
		      const char *why, ...) PRINTF(3, 4);
/* Removes all cases and comparisons. */
void measurement_drop_results(struct measurement *m);
/* Removes the results of a measurement that was read if a figure is impossible
 * (not a number, negative, beyond every machine): a pass becomes
 * VERDICT_UNUSABLE, and `why` names the figure. Both readers below do this. */
void measurement_check(struct measurement *m);
/* Would measurement_check accept this number of a case under this key of the
 * journal? */
bool measurement_case_allows(const char *key, double value);
/* A setting: why its rate says little of the kernel, and what to do about it. */
#define DOUBT_KEY "rate_doubt"
/* The unit of its rates, if it is none of flop/s and byte/s: the text, and what
 * unit_size says (as %g; missing: 0). Settings of the environment. */
/* Of a problem of KernelBench: how many of its trials its rule lets pass, "5 of 5
 * trials" (scorer/contest/suite.h). */
#define SUITE_KEY     "kernelbench"
#define UNIT_KEY      "unit"
#define UNIT_SIZE_KEY "unit_size"
/* A setting of reported scores of which the lower is the better. */
#define BETTER_KEY   "better"
#define BETTER_LOWER "lower"
/* Its unit and that unit's size. Borrowed. */
const char *measurement_unit(double *size, const struct measurement *m);
/* Room for a rate as text. */
#define RATE_TEXT 64
/* A rate of it: "85.3 GFLOPS", "212 GB/s", "2.40 Gcells/s"; of the class
 * reported that is said, too: "123 tokens/s reported". */
void measurement_format(char *out, size_t size, const struct measurement *m,
			double rate);
/* "85.3 GFLOPS", "1.25 TFLOPS", "212 GB/s". */
void measurement_format_rate(char *out, size_t size, double rate, bool bytes);
/* "0.41 %", "7.9 %", "180 %": a share (1 is all), two significant digits. */
void measurement_format_percent(char *out, size_t size, double share);

/* Note text: adds the lines of m to `text`, keeps the lines already there,
 * sorts, drops duplicates, as `git notes merge -s cat_sort_uniq` does. Lines
 * beyond the limit of `text` are left out: first those that belong to no
 * measurement, then the oldest measurements, never m. */
void measurement_note_add(struct buf *text, const struct measurement *m);
/* Adds the lines of a note in the same way, up to the limit of `out`. */
void measurement_note_keep(struct buf *out, const char *note, size_t len);
/* The newest measurement in a note that is comparable with `want` (NULL: the
 * newest of all); one that is ahead (measurement_is_ahead) or unusable only if
 * there is no other; NULL if there is none. Has enough for tables: headline,
 * cases, comparisons, environment. measurement_free disposes. */
struct measurement *measurement_note_latest(const char *note,
					    const struct identity *want);
/* The newest one for which `wanted` returns true, chosen in the same way. */
struct measurement *measurement_note_find(
	const char *note,
	bool (*wanted)(const struct measurement *m, void *arg), void *arg);
struct json *measurement_to_json(const struct measurement *m) MUST_CHECK;
/* ERROR_MALFORMED if it is not of this version. measurement_free disposes. */
struct error *measurement_from_json(struct measurement **out,
				    const struct json *j) MUST_CHECK;
struct measurement *measurement_dup(const struct measurement *m) MUST_CHECK;
/* A copy with what is needed to distinguish attempts: verdict, why, score and
 * comparisons, without cases, resources and log; of the environment only the
 * code and whether it was steady and sanitized. */
struct measurement *measurement_brief(const struct measurement *m) MUST_CHECK;
/* Does a brief measurement keep this setting of the environment? */
bool measurement_brief_has(const char *key);
void measurement_free(struct measurement *m);

DEFINE_CLEANUP(measurement, struct measurement, measurement_free)
#define cleanup_measurement CLEANUP(measurement)

#endif
