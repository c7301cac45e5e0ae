/*
 * What a run came to, read once from its journal: the attempts, the steps from
 * the start to the champion with their diffs, and what a reader must know before
 * the figures are believed. Each form of `avogit report` is made of it.
 *
 * Subjects, hypotheses, reasons, diffs and logs are text of models and of
 * candidates: each form has to make it harmless in its own way.
 */
#ifndef CMD_REPORT_RUN_STORY_H
#define CMD_REPORT_RUN_STORY_H

#include "cmd/session/session.h"
#include "gitstore/run/logs.h"

struct run_story {
	struct session session;
	char *run;
	struct population p;
	/* Indices of p.attempt from the start to the champion; only the start
	 * without a champion. */
	size_t *step;
	size_t n_steps, cap_steps;
	struct strvec patch;   /* one a step, "" for the start */
	struct strvec sources; /* patterns of the task; empty: not known */
	bool with_logs;	       /* their text, too, which may be private */
	struct strvec caveats;
};

/* `run`: NULL for the one that which_run chooses. `on`: NULL, or the word for
 * a kind of machine, of which alone it then is. */
struct error *run_story_read(struct run_story *out, const char *run,
			     const char *on) MUST_CHECK;
void run_story_release(struct run_story *s);
/* The champion; the start where nothing was crowned. Borrowed. */
const struct attempt *run_story_best(const struct run_story *s);
/* Is the attempt with this index part of the report? Of one kind of machine what it
 * has not measured is not. */
bool run_story_has(const struct run_story *s, size_t attempt);
/* The whole as JSON. */
struct json *run_story_json(const struct run_story *s) MUST_CHECK;

/* run_facts.c: what the journal says besides its attempts. Adds `work` (flops and bytes of each case), `tolerance`, `directions` (a
 * lineage each), `commits_url`, `kernel_names`, `profiles` and `logs`. */
void run_story_add_facts(struct json *j, const struct run_story *s);
/* run_texts.c: adds to each of these, by index of an attempt and NULL where it is no
 * part of the report, `patch` and, where it failed, `log`, as long as there is room. */
void run_story_add_texts(struct json **attempt, const struct run_story *s);
/* Adds `text` and `cut` of a log. Returns the bytes, which are at most `room`; 0: it
 * could not be read or there was no room. */
size_t run_story_add_log_text(struct json *j, const struct run_story *s,
			      const struct log_info *log,
			      size_t room) MUST_CHECK;
/* For each case with figures of a profiler of the champion a list of these, and of
 * those of an attempt before it first, where there are some. */
struct json *run_story_profiles(const struct run_story *s,
				const struct log_list *logs) MUST_CHECK;

enum trajectory_axis { AXIS_ATTEMPTS, AXIS_HOURS, AXIS_TOKENS, AXIS_DOLLARS };
/* Is there anything on this axis? */
bool run_story_has_axis(const struct run_story *s, enum trajectory_axis axis);
/* The speed of every attempt relative to the start as an <svg> element, with the
 * running best and the baselines. Adds up to the limit of *out. */
void run_story_svg(struct buf *out, const struct run_story *s,
		   enum trajectory_axis axis);
void run_story_markdown(struct buf *out, const struct run_story *s);
/* One file without references to others. */
struct error *run_story_page(struct buf *out,
			     const struct run_story *s) MUST_CHECK;
/* Adds text as one line of HTML or XML. */
void run_story_add_html(struct buf *out, const char *text);

DEFINE_RELEASE(run_story, struct run_story, run_story_release)
#define cleanup_run_story CLEANUP(run_story)

#endif
