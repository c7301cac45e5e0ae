/* A task whose scores a command reports: the key `score:`. */
#include "core/score/unit.h"
#include "core/task/reader.h"

/* Of one run of the command. */
#define TIMEOUT	       300.0
#define MEMORY	       ((uint64_t)16 << 30)
#define REPEAT	       3
#define DEFAULT_BLOCKS 32

struct error *task_read_score_build(const struct task_reader *r,
				    const struct yaml *root)
{
	const struct yaml *y = document_get(root, "build");

	if (y)
		TRY(reader_keys(r, y, "build", keys_build, IN_COMMAND));
	return task_read_build(r, y);
}

/* `ab`, `exact`: how a gain is decided, if at all. */
static struct error *read_decision(const struct task_reader *r,
				   const struct yaml *y)
{
	struct reported_score *s = &r->task->score;
	const struct yaml *exact = document_get(y, "exact");
	int better = 0;

	s->ab = true;
	TRY(reader_bool(&s->ab, r, document_get(y, "ab"), "score.ab"));
	TRY(reader_bool(&s->exact, r, exact, "score.exact"));
	if (s->exact && !s->ab)
		return reader_refuse(r, exact, "score.exact",
				     "it is a way to compare, and ab: false "
				     "compares nothing");
	TRY(reader_choice(&better, r, document_get(y, "better"), "score.better",
			  WORDS_BETTER));
	s->lower_is_better = better == 1;
	s->repeat = s->exact ? 2 : REPEAT;
	s->blocks = DEFAULT_BLOCKS;
	if (s->exact &&
	    (document_get(y, "repeat") || document_get(y, "blocks")))
		return reader_refuse(r, exact, "score.exact",
				     "two runs decide then: leave out repeat "
				     "and blocks");
	TRY(reader_int(&s->repeat, r, document_get(y, "repeat"), "score.repeat",
		       task_key(keys_score, 0, "repeat")));
	return reader_int(&s->blocks, r, document_get(y, "blocks"),
			  "score.blocks", task_key(keys_score, 0, "blocks"));
}

static struct error *read_unit(const struct task_reader *r,
			       const struct yaml *y)
{
	struct task *t = r->task;

	t->unit = xstrdup("points");
	TRY(reader_word(&t->unit, r, y, "score.unit"));
	return unit_is_plain(t->unit)
		       ? NULL
		       : reader_refuse(r, y, "score.unit",
				       "it must be at most 16 letters, digits "
				       "and any of /^*._%-, such as tokens/s");
}

static struct error *read_folders(const struct task_reader *r,
				  const struct yaml *y)
{
	struct strvec *out = &r->task->score.folders;

	TRY(reader_words(out, r, y, "score.folders"));
	for (size_t i = 0; i < out->n; i++)
		if (*out->v[i] != '/' || strstr(out->v[i], "/.."))
			return reader_refuse(r, y, "score.folders",
					     "it must be a list of absolute "
					     "paths of this machine");
	return NULL;
}

/* What bounds one run; all CPUs are its where the task does not say. */
static struct error *read_limits(const struct task_reader *r,
				 const struct yaml *root,
				 const struct yaml *score)
{
	struct task *t = r->task;
	const struct yaml *limits = document_get(root, "limits");
	const struct yaml *timeout = limits ? document_get(limits, "timeout")
					    : NULL;
	int64_t threads = 0;

	if (timeout)
		return reader_refuse(r, timeout, "limits.timeout",
				     "it is for one launch of a kernel: here "
				     "score.timeout limits a run");
	if (!limits || !document_get(limits, "memory"))
		t->memory_bytes = MEMORY;
	t->timeout_seconds = TIMEOUT;
	TRY(reader_seconds(&t->timeout_seconds, r,
			   document_get(score, "timeout"), "score.timeout"));
	TRY(reader_int(&threads, r, document_get(root, "threads"), "threads",
		       task_key(keys_task, IN_REPORTED, "threads")));
	t->threads = (unsigned)threads;
	return NULL;
}

struct error *task_read_score(const struct task_reader *r,
			      const struct yaml *root)
{
	struct task *t = r->task;
	const struct yaml *y = document_get(root, "score");

	TRY(reader_keys(r, y, "score", keys_score, 0));
	TRY(reader_needed(r, y, "score", keys_score, 0));
	TRY(task_read_command(&t->score.command, r, document_get(y, "command"),
			      "score.command"));
	TRY(read_decision(r, y));
	TRY(read_unit(r, document_get(y, "unit")));
	TRY(reader_bool(&t->score.network, r, document_get(y, "network"),
			"score.network"));
	TRY(read_folders(r, document_get(y, "folders")));
	t->batch = 1;
	t->fixed_flags = true; /* no compiler of ours */
	return read_limits(r, root, y);
}
