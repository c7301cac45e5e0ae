/* The long texts that a click in the page leads to: what an attempt changed, what a
 * failure printed, and the logs of the run. Each is cut, and all together have a
 * limit, so that a run of 10,000 attempts is a page that can be mailed. */
#include "cmd/report/run_story.h"

#include "core/base/text.h"
#include "gitstore/candidate/source_diff.h"

/* Of an attempt; of all of them; of how many at most. */
#define MAX_TEXT     ((size_t)16 << 10)
#define MAX_TEXTS    ((size_t)2 << 20)
#define MAX_ATTEMPTS 1000
/* Of a log. */
#define MAX_LOG ((size_t)1 << 20)
/* It is read whole, and one of gigabytes takes little to send. */
#define MAX_READ ((size_t)64 << 20)

/* What is left for one sort of text. Attempts count that have none, too: to find that
 * out takes as long. */
struct room {
	size_t bytes, attempts;
};

static void set_text(struct json *j, const char *key, struct room *room,
		     const char *text, bool cut)
{
	cleanup_buf struct buf all = BUF_INIT(MAX_TEXT + 32);
	size_t len = text_cut(text, MIN(MAX_TEXT, room->bytes));

	room->bytes -= len;
	buf_add(&all, text, len);
	if (cut || text[len])
		buf_adds(&all, "\n... cut here\n");
	json_set_string(j, key, all.data);
}

static bool is_full(const struct room *room)
{
	return !room->bytes || !room->attempts;
}

/* A clone that lacks the candidate has the rest. */
static void add_patch(struct json *j, const struct run_story *s,
		      const struct attempt *a, struct room *room)
{
	cleanup_buf struct buf text = BUF_INIT(MAX_TEXT);
	struct error *err;

	if (is_full(room))
		return;
	room->attempts--;
	err = candidate_diff(&text, s->session.git, a->parent.hex, a->id.hex,
			     s->sources.n ? &s->sources : NULL);
	if (!err && text.len)
		set_text(j, "patch", room, text.data, text.truncated);
	error_free(err);
}

static void add_log(struct json *j, const struct run_story *s,
		    const struct attempt *a, struct room *room)
{
	cleanup_measurement struct measurement *whole = NULL;
	const struct measurement *m = a->measurement;

	if (is_full(room) || !m || m->verdict == VERDICT_PASS)
		return;
	room->attempts--;
	/* An entry that cannot be read any more has no log. */
	error_free(gitstore_recall(&whole, s->session.git, a));
	m = whole ? whole : m;
	if (m->log && *m->log)
		set_text(j, "log", room, m->log, false);
}

static bool is_step(const struct run_story *s, size_t attempt)
{
	for (size_t i = 0; i < s->n_steps; i++)
		if (s->step[i] == attempt)
			return true;
	return false;
}

/* The newest first. What a step changed is in the story. */
void run_story_add_texts(struct json **attempt, const struct run_story *s)
{
	struct room patches = {MAX_TEXTS, MAX_ATTEMPTS}, logs = patches;

	for (size_t i = s->p.n; i-- > 1;) {
		if (!attempt[i])
			continue;
		add_log(attempt[i], s, &s->p.attempt[i], &logs);
		if (!is_step(s, i))
			add_patch(attempt[i], s, &s->p.attempt[i], &patches);
	}
}

/* ---- logs of the run --------------------------------------------------------- */

size_t run_story_add_log_text(struct json *j, const struct run_story *s,
			      const struct log_info *log, size_t room)
{
	cleanup_buf struct buf text = BUF_INIT(MAX_LOG);
	cleanup_buf struct buf clean = BUF_INIT(MAX_LOG);
	cleanup_error struct error *err = NULL;

	if (MIN(log->bytes, MAX_LOG) > room || log->bytes > MAX_READ)
		return 0;
	err = gitstore_file(&text, s->session.git, log->id.hex, log->name);
	/* Of one that is too big its begin is there. */
	if (err && !text.truncated)
		return 0;
	text_add_lines(&clean, text.data, text.len);
	json_set_string(j, "text", clean.data);
	json_set_bool(j, "cut", text.truncated || clean.truncated);
	return text.len;
}
