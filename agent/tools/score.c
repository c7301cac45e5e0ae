/* Builds, scores and profiles the sources of the workspace. */
#include <inttypes.h>

#include "agent/tools/internal.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/run/outcome.h"

#define SUBJECT_MAX    200
#define HYPOTHESIS_MAX 4000

void toolbox_init(struct toolbox *b, struct variation *v)
{
	*b = (struct toolbox){
		.v = v, .dir = v->workspace, .shown = v->workspace};
}

/* ---- the sources --------------------------------------------------------- */

struct error *toolbox_read_sources(struct fileset *out, const struct toolbox *b)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;

	if (!file_exists(b->dir))
		return error_new(ERROR_NOT_FOUND, "the workspace is gone");
	task_source_patterns(&patterns, b->v->task);
	return fileset_read(out, b->dir, &patterns);
}

/* May change v->workspace: only called if that is not the agent's folder. */
static struct error *copy_sources(const struct fileset *sources,
				  const struct toolbox *b)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;
	cleanup_fileset struct fileset there = FILESET_INIT;

	task_source_patterns(&patterns, b->v->task);
	TRY(fileset_read(&there, b->v->workspace, &patterns));
	for (size_t i = 0; i < there.n; i++)
		if (!fileset_get(sources, there.file[i].path))
			TRY(folder_remove(b->v->workspace, there.file[i].path));
	return fileset_write(sources, b->v->workspace);
}

struct error *toolbox_take_sources(struct fileset *sources, struct toolbox *b)
{
	TRY(toolbox_read_sources(sources, b));
	if (!sources->n)
		return error_new(ERROR_NOT_FOUND,
				 "none of the task's sources is in the "
				 "workspace any more (restore brings them "
				 "back)");
	return str_eq(b->dir, b->v->workspace) ? NULL
					       : copy_sources(sources, b);
}

static struct error *parent_sources(struct fileset *out,
				    const struct toolbox *b)
{
	struct archive *archive = b->v->archive;
	cleanup_candidate struct candidate c = {0};

	TRY(archive->load(archive, &c, variation_parent(b->v)->id.hex));
	for (size_t i = 0; i < c.files.n; i++) {
		const struct file_entry *f = &c.files.file[i];

		if (tool_is_source(b, f->path))
			TRY(fileset_put(out, f->path, f->data, f->len,
					f->executable));
	}
	return NULL;
}

struct error *toolbox_diff(struct buf *out, const struct toolbox *b)
{
	struct archive *archive = b->v->archive;
	cleanup_fileset struct fileset before = FILESET_INIT;
	cleanup_fileset struct fileset now = FILESET_INIT;

	if (!archive->diff_files)
		return NULL;
	TRY(parent_sources(&before, b));
	TRY(toolbox_read_sources(&now, b));
	return archive->diff_files(archive, out, &before, &now);
}

struct error *toolbox_is_dirty(bool *out, const struct toolbox *b)
{
	cleanup_fileset struct fileset sources = FILESET_INIT;
	cleanup_fileset struct fileset parent = FILESET_INIT;
	char now[FILESET_ID_LEN + 1], before[FILESET_ID_LEN + 1];

	TRY(toolbox_read_sources(&sources, b));
	fileset_id(now, &sources);
	if (!*b->scored)
		TRY(parent_sources(&parent, b));
	fileset_id(before, &parent);
	if (*b->scored)
		memcpy(before, b->scored, sizeof before);
	*out = !str_eq(now, before);
	return NULL;
}

/* The agent's sources with the parent's other files, as a build needs them. */
static struct error *candidate_of(struct candidate *out, struct toolbox *b)
{
	struct archive *archive = b->v->archive;
	cleanup_candidate struct candidate parent = {0}, c = {0};
	cleanup_fileset struct fileset sources = FILESET_INIT;

	TRY(toolbox_take_sources(&sources, b));
	TRY(archive->load(archive, &parent, variation_parent(b->v)->id.hex));
	c.id = parent.id;
	fileset_id(c.sources_id, &sources);
	for (size_t i = 0; i < parent.files.n; i++) {
		const struct file_entry *f = &parent.files.file[i];

		if (!tool_is_source(b, f->path))
			TRY(fileset_put(&c.files, f->path, f->data, f->len,
					f->executable));
	}
	TRY(fileset_copy(&c.files, &sources));
	*out = c;
	c = (struct candidate){0};
	return NULL;
}

/* ---- build and profile --------------------------------------------------- */

TOOL_FUNCTION(tool_build)
{
	struct evaluator *e = b->v->evaluator;
	cleanup_candidate struct candidate c = {0};
	cleanup_free char *log = NULL;
	struct error *err;
	bool ok = false;

	(void)arguments;
	if (!e->build) {
		tool_fail(out, "nothing is built for this task: score it");
		return NULL;
	}
	err = candidate_of(&c, b);
	if (!err) {
		variation_at_rest(b->v, true);
		err = e->build(e, &ok, &log, &c);
		variation_at_rest(b->v, false);
	}
	if (err)
		return tool_mend(out, err);
	out->failed = !ok;
	buf_addf(&out->text, "%s\n%s", ok ? "it builds" : "it does not build",
		 log ? log : "");
	return NULL;
}

static bool has_case(struct tool_reply *out, const struct task *t,
		     const char *name)
{
	for (size_t i = 0; i < t->n_cases; i++)
		if (str_eq(t->cases[i].name, name))
			return true;
	tool_fail(out, "there is no case '%.100s'; there is", name);
	for (size_t i = 0; i < t->n_cases; i++)
		buf_addf(&out->text, "%s '%s'", i ? "," : "", t->cases[i].name);
	return false;
}

static bool can_show(struct tool_reply *out, const char *show)
{
	static const char *const views[] = {"counters", "every", "sass", "ptx"};

	for (size_t i = 0; i < ARRAY_SIZE(views); i++)
		if (!show || str_eq(show, views[i]))
			return true;
	tool_fail(out, "profile: 'show' is counters, every, sass or ptx");
	return false;
}

TOOL_FUNCTION(tool_profile)
{
	struct evaluator *e = b->v->evaluator;
	cleanup_candidate struct candidate c = {0};
	struct profile_wish wish = {0};
	struct error *err;

	if (!e->profile) {
		tool_fail(out, "this task cannot be profiled here");
		return NULL;
	}
	json_get_string(arguments, "kernel", &wish.kernel);
	json_get_string(arguments, "show", &wish.show);
	if (json_get_string(arguments, "case", &wish.case_name) &&
	    !has_case(out, b->v->task, wish.case_name))
		return NULL;
	if (!can_show(out, wish.show))
		return NULL;
	err = candidate_of(&c, b);
	if (!err) {
		variation_at_rest(b->v, true);
		err = e->profile(e, &out->text, &c, &wish);
		variation_at_rest(b->v, false);
	}
	return tool_mend(out, err);
}

/* ---- a program of the agent's own ----------------------------------------- */

#define PROGRAM_MAX	((size_t)64 << 10)
#define PROGRAM_SECONDS 10
#define PROGRAM_LONGEST 60

static struct error *run_program(struct tool_reply *out, struct toolbox *b,
				 const char *source, double seconds)
{
	struct evaluator *e = b->v->evaluator;
	struct allowance *a = b->v->allowance;
	struct program_run r = {.text = BUF_INIT(TOOL_WHOLE_MAX)};
	struct error *err;

	variation_at_rest(b->v, true);
	err = e->microbenchmark(e, &r, source, seconds);
	variation_at_rest(b->v, false);
	if (a && r.gpu_seconds > 0)
		a->spent(a, &(struct spend){.gpu_seconds = r.gpu_seconds});
	out->failed = !r.ok;
	buf_add(&out->text, r.text.data, r.text.len);
	buf_release(&r.text);
	return tool_mend(out, err);
}

TOOL_FUNCTION(tool_microbenchmark)
{
	const char *source = tool_string(arguments, "source");
	int64_t seconds = tool_int(arguments, "seconds", PROGRAM_SECONDS, 1,
				   PROGRAM_LONGEST);
	const char *why = toolbox_why_stop(b);

	if (!b->v->evaluator || !b->v->evaluator->microbenchmark) {
		tool_fail(out, "no program can be run for this task");
		return NULL;
	}
	if (strlen(source) > PROGRAM_MAX)
		tool_fail(out, "a program is at most %zu KiB of source",
			  PROGRAM_MAX >> 10);
	else if (why)
		tool_fail(out, "not run: %s, so the run ends here",
			  stop_words(why));
	if (out->failed)
		return NULL;
	return run_program(out, b, source, (double)seconds);
}

/* ---- score --------------------------------------------------------------- */

char *toolbox_state(const struct toolbox *b, bool cleared)
{
	cleanup_json struct json *state = b->state ? json_dup(b->state)
						   : json_object();

	if (b->notes && (cleared || b->notes->text.len))
		json_set_string(state, "notes", b->notes->text.data);
	return json_len(state) ? json_print(state) : NULL;
}

/* Reduces the agent's text to one line. */
static char *one_line(const char *text, size_t max)
{
	cleanup_buf struct buf line = BUF_INIT(max);

	text_add_line(&line, text, strlen(text));
	buf_trim_end(&line);
	return buf_take(&line);
}

const char *toolbox_why_stop(const struct toolbox *b)
{
	const struct allowance *a = b->v->allowance;

	return a ? a->why_stop(a) : NULL;
}

/* Says why nothing was scored. */
static void nothing_scored(struct tool_reply *out, const struct toolbox *b)
{
	const char *why = toolbox_why_stop(b);

	if (why)
		tool_fail(out, "not scored: %s, so the run ends here",
			  stop_words(why));
	else
		tool_fail(out, "not scored: the sources are those of the "
			       "parent, nothing is changed");
}

static void add_next(struct buf *out, struct toolbox *b,
		     const struct attempt *a)
{
	const char *why = toolbox_why_stop(b);

	if (a->accepted)
		buf_adds(out, "It is kept: the next attempt is compared "
			      "with it.\n");
	else
		buf_addf(out,
			 "It is not kept: the next attempt is still "
			 "compared with #%" PRId64
			 ". The workspace is as you left it.\n",
			 variation_parent(b->v)->number);
	if (why)
		buf_addf(out, "This was the last one: %s.\n", stop_words(why));
}

void toolbox_add_redirection(struct buf *out, const struct variation *v)
{
	const struct lineage *l = population_lineage(v->population, v->lineage);

	if (l && l->from_island)
		buf_addf(out,
			 "The champion of island %" PRId64
			 " came to this one: lineage %" PRId64,
			 l->from_island, v->lineage);
	else
		buf_addf(out, "The supervisor began lineage %" PRId64,
			 v->lineage);
	buf_addf(out,
		 ": from now on attempts are compared with #%" PRId64
		 " and the champion. `restore` it and begin from there.\n%s\n",
		 variation_parent(v)->number, v->direction ? v->direction : "");
}

static void add_result(struct tool_reply *out, struct toolbox *b,
		       const struct attempt *a, int64_t lineage)
{
	figures_add(&out->text, b->v->population, a, b->v->archive);
	json_free(out->data);
	out->data = figures_json(b->v->population, a);
	if (b->v->lineage == lineage)
		add_next(&out->text, b, a);
	else
		toolbox_add_redirection(&out->text, b->v);
}

/* Passed, and neither shown to be faster nor to be slower. */
static bool is_open(const struct toolbox *b, const struct attempt *a)
{
	switch (attempt_outcome(b->v->population, a)) {
	case OUTCOME_UNDECIDED:
	case OUTCOME_NOT_FASTER:
	case OUTCOME_SAME:
	case OUTCOME_NOT_COMPARED:
	case OUTCOME_UNCONFIRMED:
	case OUTCOME_UNSTEADY:
		return true;
	default:
		return false;
	}
}

static struct error *attempt_of_sources(const struct attempt **out,
					struct toolbox *b);

/* The attempt with these sources that an earlier process made and could not
 * tell the agent of; NULL: there is none. */
static struct error *unread_attempt(const struct attempt **out,
				    struct toolbox *b)
{
	const struct population *p = b->v->population;
	size_t from = b->unread;

	*out = NULL;
	b->unread = 0;
	if (!from || from >= p->n)
		return NULL;
	TRY(attempt_of_sources(out, b));
	if (*out && (size_t)(*out - p->attempt) < from)
		*out = NULL;
	if (*out)
		b->v->goes_on_from(b->v, (*out)->id.hex);
	return NULL;
}

static struct error *score(struct tool_reply *out, struct toolbox *b,
			   const char *subject, const char *hypothesis)
{
	int64_t lineage = b->v->lineage;
	cleanup_fileset struct fileset sources = FILESET_INIT;
	cleanup_free char *state = toolbox_state(b, false);
	const struct attempt *a = NULL;

	TRY(toolbox_take_sources(&sources, b));
	TRY(unread_attempt(&a, b));
	if (!a)
		TRY(b->v->score(b->v, &a, subject,
				*hypothesis ? hypothesis : NULL, state));
	if (!a) {
		nothing_scored(out, b);
		return NULL;
	}
	fileset_id(b->scored, &sources);
	b->attempts++;
	add_result(out, b, a, lineage);
	if (is_open(b, a) && measurement_get(a->measurement, "same_sources"))
		buf_adds(&out->text, "Nothing was timed now. `again` measures "
				     "these sources once more, at length.\n");
	return NULL;
}

/* ---- once more ------------------------------------------------------------ */

/* The newest attempt with the sources of the workspace; NULL: there is none. */
static struct error *attempt_of_sources(const struct attempt **out,
					struct toolbox *b)
{
	const struct population *p = b->v->population;
	struct evaluator *e = b->v->evaluator;
	cleanup_candidate struct candidate c = {0};
	struct identity id;

	*out = NULL;
	TRY(candidate_of(&c, b));
	e->identify(e, &id, &c);
	for (size_t i = p->n; i-- > 0 && !*out;) {
		const struct measurement *m = p->attempt[i].measurement;

		if (m && identity_equal(&m->identity, &id))
			*out = &p->attempt[i];
	}
	return NULL;
}

static void nothing_open(struct tool_reply *out, const struct toolbox *b,
			 const struct attempt *a)
{
	if (!a) {
		tool_fail(out, "these sources were not scored in this run: "
			       "call score without `again`");
		return;
	}
	tool_fail(out,
		  "#%" PRId64 " is decided, nothing is measured again: %s (",
		  a->number, attempt_outcome_name(b->v->population, a));
	attempt_outcome_explain(&out->text, b->v->population, a);
	buf_addc(&out->text, ')');
}

static struct error *remark_again(struct toolbox *b, const struct attempt *a,
				  const char *why)
{
	cleanup_free char *text =
		xasprintf("measured #%" PRId64 " again: %s", a->number, why);

	return b->v->remark ? b->v->remark(b->v, text) : NULL;
}

static struct error *score_again(struct tool_reply *out, struct toolbox *b,
				 const char *why)
{
	int64_t lineage = b->v->lineage;
	const struct attempt *a;
	struct commit_id id;

	TRY(attempt_of_sources(&a, b));
	if (!a || !is_open(b, a)) {
		nothing_open(out, b, a);
		return NULL;
	}
	id = a->id; /* what others wrote may move the attempts */
	TRY(remark_again(b, a, why));
	TRY(b->v->measure_again(b->v, &a, id.hex));
	if (!a) {
		nothing_scored(out, b);
		return NULL;
	}
	b->attempts++;
	add_result(out, b, a, lineage);
	return NULL;
}

struct error *toolbox_score(struct tool_reply *out, struct toolbox *b,
			    const char *subject, const char *hypothesis)
{
	cleanup_free char *line = one_line(subject, SUBJECT_MAX);
	cleanup_free char *why = xstrndup(hypothesis, HYPOTHESIS_MAX);

	if (!*line) {
		tool_fail(out, "the subject is empty: what was changed?");
		return NULL;
	}
	return tool_mend(out, score(out, b, line, why));
}

TOOL_FUNCTION(tool_score)
{
	bool again = false;

	if (json_get_bool(arguments, "again", &again) && again) {
		cleanup_free char *why = one_line(
			tool_string(arguments, "subject"), SUBJECT_MAX);

		return tool_mend(out, score_again(out, b, why));
	}
	return toolbox_score(out, b, tool_string(arguments, "subject"),
			     tool_string(arguments, "hypothesis"));
}
