/* Runs the calls of a reply, and stops a model that repeats itself. */
#include <inttypes.h>
#include <sys/resource.h>

#include "agent/llm/internal.h"
#include "agent/llm/prompt.h"
#include "core/base/clock.h"

#define CALLS_MAX   32 /* in one reply */
#define REPEAT_TOLD 3
#define REPEAT_END  4

/* ---- repeated calls ------------------------------------------------------ */

static void call_id(char out[HASH_HEX_LEN + 1], const struct tool_call *call,
		    const struct tool_reply *r)
{
	struct hash *h = hash_new();

	hash_adds(h, call->name);
	hash_adds(h, call->arguments);
	hash_adds(h, r->text.data);
	hash_finish(out, h);
}

/* How many times this call gave this result since the sources changed. */
static unsigned note_call(struct step *s, const char *id)
{
	struct repeat *r;

	for (size_t i = 0; i < s->n_repeats; i++)
		if (str_eq(s->repeat[i].id, id))
			return ++s->repeat[i].n;
	if (s->n_repeats == REPEATS_MAX) {
		memmove(s->repeat, s->repeat + 1,
			(REPEATS_MAX - 1) * sizeof *s->repeat);
		s->n_repeats--;
	}
	r = &s->repeat[s->n_repeats++];
	*r = (struct repeat){.n = 1};
	memcpy(r->id, id, sizeof r->id);
	return 1;
}

/* After the sources change, a repeated call may give another result. The call
 * `but`, which changed them, keeps its count: otherwise it could repeat without
 * end. */
static void forget_calls(struct step *s, const char *but)
{
	for (size_t i = 0; i < s->n_repeats; i++)
		if (str_eq(s->repeat[i].id, but)) {
			s->repeat[0] = s->repeat[i];
			s->n_repeats = 1;
			return;
		}
	s->n_repeats = 0;
}

/* Counts a workspace that cannot be read as changed. */
static bool sources_changed(struct step *s, const char *tool)
{
	const struct tool *t = tool_find(tool);
	cleanup_fileset struct fileset now = FILESET_INIT;
	cleanup_error struct error *err = NULL;
	char id[FILESET_ID_LEN + 1] = "";

	if (!t || t->flags & TOOL_READS)
		return false;
	err = toolbox_read_sources(&now, &s->box);
	if (!err)
		fileset_id(id, &now);
	if (str_eq(id, s->sources))
		return false;
	memcpy(s->sources, id, sizeof id);
	return true;
}

static void watch_for_circles(struct step *s, const struct tool_call *call,
			      struct tool_reply *r, bool changed)
{
	char id[HASH_HEX_LEN + 1];
	unsigned n;

	call_id(id, call, r);
	n = note_call(s, id);
	if (changed)
		forget_calls(s, id);
	if (n >= REPEAT_END)
		talk_end(&s->talk,
			 "it went in circles (%.40s, %u times with the same "
			 "result)",
			 call->name, n);
	else if (n == REPEAT_TOLD)
		buf_addf(&r->text, "\n[%s]\n",
			 prompt_text(&s->talk.model->prompts, "stuck.md"));
}

/* ---- one call ------------------------------------------------------------ */

static void unknown_tool(struct tool_reply *r, const char *name,
			 const struct step *s)
{
	size_t n;
	const struct tool *t = tools(&n);

	tool_fail(r, "there is no tool '%.60s'; there is:", name);
	for (size_t i = 0; i < n; i++)
		if (role_has_tool(s->role, &t[i], s->box.v))
			buf_addf(&r->text, " %s", t[i].name);
}

/* False, and a failed reply, if the reviewer wants these sources not scored;
 * false also where the run was stopped before it answered. */
static struct error *may_score(bool *out, struct tool_reply *r, struct step *s,
			       const struct json *arguments, bool is_sweep)
{
	cleanup_free char *refusal = NULL;
	const char *subject = "", *hypothesis = "";
	bool again = false;

	*out = true;
	json_get_bool(arguments, "again", &again);
	json_get_string(arguments, "subject", &subject);
	json_get_string(arguments, "hypothesis", &hypothesis);
	if (is_sweep)
		subject = "Sweep the tunables that it declares";
	if (again || !*subject)
		return NULL;
	TRY(step_review(s, &refusal, subject, hypothesis));
	*out = !refusal && !s->talk.end;
	if (!refusal)
		return NULL;
	tool_fail(r,
		  "not scored, and no attempt was spent: the reviewer refused "
		  "it: %s",
		  refusal);
	return NULL;
}

/* The writer's attempt that failed is for the debugger; points of a sweep that
 * fail are not. */
static void note_scored(struct step *s, const char *tool)
{
	const struct population *p = s->box.v->population;
	const struct attempt *a = &p->attempt[p->n - 1];
	const struct measurement *m = a->measurement;

	s->roles->review_entry = commit_id("");
	roles_link(s->roles, s->box.v);
	if (s->role != ROLE_WRITER || !s->llm->role_model[ROLE_DEBUGGER] ||
	    !str_eq(tool, "score"))
		return;
	s->roles->failed = m && m->verdict != VERDICT_PASS &&
					   m->verdict != VERDICT_NOT_RUN &&
					   m->verdict != VERDICT_UNUSABLE
				   ? a->id
				   : commit_id("");
}

static struct error *run(struct tool_reply *r, struct step *s,
			 const struct tool_call *call)
{
	const struct tool *t = tool_find(call->name);
	cleanup_json struct json *arguments = NULL;
	struct error *err;
	bool may = true;

	if (!t ||
	    (s->role != ROLE_WRITER && !role_has_tool(s->role, t, s->box.v))) {
		unknown_tool(r, call->name, s);
		return NULL;
	}
	if (call->invalid) {
		tool_fail(r, "not run: %s", call->invalid);
		return NULL;
	}
	err = json_parse(&arguments, call->arguments, strlen(call->arguments));
	if (err) {
		tool_fail(r, "not run: the arguments cannot be read: %s",
			  error_message(err));
		error_free(err);
		return NULL;
	}
	if (s->role == ROLE_WRITER &&
	    (str_eq(t->name, "score") || str_eq(t->name, "tune")))
		TRY(may_score(&may, r, s, arguments, str_eq(t->name, "tune")));
	return may ? tool_call(r, &s->box, t, arguments) : NULL;
}

/* CPU seconds of this process, without its children. */
static double own_cpu(void)
{
	struct rusage u = {0};

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

static struct error *tell(struct step *s, const struct tool_call *call,
			  const struct tool_reply *r, size_t attempts,
			  double seconds)
{
	const struct population *p = s->box.v->population;
	struct json *j = json_object();

	json_set_string(j, "id", call->id);
	json_set_string(j, "name", call->name);
	json_set_bool(j, "failed", r->failed);
	json_set_string(j, "text", r->text.data);
	json_set_string(j, "file", r->file);
	json_set_double(j, "seconds", seconds);
	json_set_double(j, "cpu_so_far", own_cpu());
	if (s->box.attempts > attempts) {
		json_set_int(j, "attempt", p->attempt[p->n - 1].number);
		json_set_string(j, "commit", p->attempt[p->n - 1].id.hex);
	}
	return transcript_event(&s->talk.transcript, "result", j);
}

static struct error *run_call(struct step *s, struct conversation_turn *turn,
			      size_t i)
{
	struct tool_call *call = &turn->calls[i];
	struct allowance *a = s->talk.allowance;
	cleanup_tool_reply struct tool_reply r;
	double began = clock_seconds();
	size_t attempts = s->box.attempts;

	tool_reply_init(&r);
	if (i >= CALLS_MAX)
		tool_fail(&r, "not run: at most %d calls a reply", CALLS_MAX);
	else
		a->working(a, call->name);
	if (!r.failed)
		TRY(run(&r, s, call));
	/* Stopped in a review: the step goes on with this call. */
	if (s->talk.end)
		return NULL;
	if (s->box.attempts > attempts)
		note_scored(s, call->name);
	TRY(tell(s, call, &r, attempts, clock_seconds() - began));
	watch_for_circles(s, call, &r,
			  sources_changed(s, call->name) ||
				  s->box.attempts > attempts);
	conversation_answer(&s->talk.c, i, r.text.data, r.text.len, r.failed,
			    r.file);
	return NULL;
}

/* Calls left when the step or run ends get no answer: it would not be read. */
struct error *step_run_calls(struct step *s)
{
	struct conversation_turn *turn =
		&s->talk.c.turns[s->talk.c.n_turns - 1];

	for (size_t i = 0; i < turn->n_calls && !s->talk.end; i++) {
		if (turn->calls[i].result.text)
			continue; /* by an earlier process */
		if (s->talk.allowance->why_stop(s->talk.allowance))
			return NULL;
		TRY(run_call(s, turn, i));
		TRY(step_save(s));
	}
	return NULL;
}
