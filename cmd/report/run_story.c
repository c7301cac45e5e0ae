#include "cmd/report/run_story.h"

#include "cmd/session/nearest.h"
#include "cmd/session/one_kind.h"
#include "cmd/session/rates.h"
#include "cmd/session/which_run.h"
#include "cmd/ui/attempt_json.h"
#include "cmd/ui/out.h"
#include "core/run/kinds.h"
#include "core/run/outcome.h"
#include "core/run/supervisor.h"
#include "gitstore/candidate/source_diff.h"

#define MAX_PATCH ((size_t)256 << 10)

void run_story_release(struct run_story *s)
{
	free(s->run);
	free(s->step);
	strvec_release(&s->patch);
	strvec_release(&s->sources);
	strvec_release(&s->caveats);
	population_release(&s->p);
	session_release(&s->session);
}

const struct attempt *run_story_best(const struct run_story *s)
{
	return &s->p.attempt[s->p.champion];
}

bool run_story_has(const struct run_story *s, size_t attempt)
{
	return !*s->p.only || !attempt || s->p.attempt[attempt].measurement;
}

/* The kind of machine of which it is; NULL: all. Borrowed. */
static const struct machine_kind *only_kind(const struct run_story *s)
{
	size_t kind = kinds_find(&s->p, s->p.only);

	return kind ? &s->p.machine[kind - 1] : NULL;
}

/* ---- the champion's steps ------------------------------------------------ */

static void push_step(struct run_story *s, const struct attempt *a)
{
	GROW(s->step, s->n_steps, s->cap_steps);
	s->step[s->n_steps++] = (size_t)(a - s->p.attempt);
}

/* A journal of others may have a parent that comes after, so that no more steps
 * are taken than there are attempts. */
static void find_steps(struct run_story *s)
{
	const struct attempt *a = run_story_best(s);

	while (a && s->n_steps < s->p.n) {
		push_step(s, a);
		if (a->number == 0)
			break;
		a = population_find(&s->p, a->parent.hex);
	}
	for (size_t i = 0; i < s->n_steps / 2; i++) {
		size_t other = s->n_steps - 1 - i, kept = s->step[i];

		s->step[i] = s->step[other];
		s->step[other] = kept;
	}
}

/* Of a clone without the run's objects, or a task that cannot be read, the rest
 * is still worth a report. */
static void add_patch(struct run_story *s, const struct attempt *a)
{
	cleanup_buf struct buf text = BUF_INIT(MAX_PATCH);
	cleanup_error struct error *err =
		candidate_diff(&text, s->session.git, a->parent.hex, a->id.hex,
			       s->sources.n ? &s->sources : NULL);

	if (err)
		strvec_pushf(&s->patch, "not here: %s", error_message(err));
	else
		strvec_pushf(&s->patch, "%s%s", text.data,
			     text.truncated ? "\n... cut here\n" : "");
}

static void read_patches(struct run_story *s)
{
	struct session *session = &s->session;
	cleanup_error struct error *err = NULL;

	err = session_run_task(session, s->p.record.base.hex,
			       s->p.record.task_path);
	if (session->at.task)
		task_source_patterns(&s->sources, session->at.task);
	for (size_t i = 0; i < s->n_steps; i++) {
		const struct attempt *a = &s->p.attempt[s->step[i]];

		if (a->number == 0)
			strvec_push(&s->patch, "");
		else
			add_patch(s, a);
	}
}

/* ---- caveats ------------------------------------------------------------- */

static void add_machine_caveats(struct run_story *s,
				const struct measurement *m)
{
	const char *unsteady = measurement_get(m, "unsteady");
	const char *is_virtual = measurement_get(m, "virtual");
	char noise[32];

	if (m->trust == TRUST_REPORTED)
		strvec_push(&s->caveats,
			    "the scores are what a command of the task says, "
			    "not what avogit measured");
	if (measurement_get(m, DOUBT_KEY))
		strvec_push(&s->caveats, measurement_get(m, DOUBT_KEY));
	if (unsteady)
		strvec_pushf(&s->caveats, "the machine was not steady: %s",
			     unsteady);
	if (is_virtual && str_eq(is_virtual, "yes"))
		strvec_push(&s->caveats,
			    "the machine is virtual and may be shared");
	measurement_format_percent(noise, sizeof noise, m->noise);
	if (m->noise > 0)
		strvec_pushf(&s->caveats,
			     "the same code in two processes differed by %s",
			     noise);
}

static void find_caveats(struct run_story *s)
{
	const struct measurement *m = run_story_best(s)->measurement;
	const struct machine_kind *kind = only_kind(s);
	cleanup_buf struct buf rates = BUF_INIT(BUF_LIMIT_TEXT);

	rates_say(&rates, &s->p);
	if (!s->p.champion)
		strvec_push(&s->caveats, "no attempt was crowned");
	if (rates.len)
		strvec_push(&s->caveats, rates.data);
	if (s->p.contested)
		strvec_push(&s->caveats,
			    "two machines crowned different champions");
	if (kind)
		strvec_pushf(&s->caveats,
			     "it is of what one kind of machine measured: %s "
			     "(%s)",
			     kind->name, kind->id);
	else if (s->p.n_machines > 1)
		strvec_push(&s->caveats,
			    "several kinds of machine measured this run: "
			    "scores of different ones do not compare");
	if (!s->p.stop_reason)
		strvec_push(&s->caveats,
			    "the run is under way, or its process was killed");
	if (m)
		add_machine_caveats(s, m);
	strvec_push(&s->caveats,
		    "the figures were not measured again for this report: "
		    "`avogit verify` does that");
}

static struct error *read_run(struct run_story *s, const char *on)
{
	if (on)
		return one_kind_population(&s->p, &s->session, s->run, on);
	return gitstore_population(&s->p, s->session.git, s->run);
}

struct error *run_story_read(struct run_story *out, const char *run,
			     const char *on)
{
	struct session *session = &out->session;

	TRY(session_open(session, NULL));
	TRY(which_run(&out->run, session, run));
	TRY(read_run(out, on));
	if (!out->p.n)
		return error_new(ERROR_NOT_FOUND,
				 "run %s has no attempt here: `avogit sync` "
				 "brings its journal",
				 out->run);
	find_steps(out);
	read_patches(out);
	find_caveats(out);
	return NULL;
}

/* ---- JSON ---------------------------------------------------------------- */

/* How many attempts have each outcome. */
static struct json *outcomes_json(const struct run_story *s)
{
	size_t count[OUTCOME_COUNT] = {0};
	struct json *j = json_object();

	for (size_t i = 0; i < s->p.n; i++)
		if (run_story_has(s, i))
			count[attempt_outcome(&s->p, &s->p.attempt[i])]++;
	for (enum attempt_outcome o = 0; o < OUTCOME_COUNT; o++)
		if (count[o])
			json_set_int(j, outcome_name(o), (int64_t)count[o]);
	return j;
}

static struct json *attempt_json(const struct run_story *s,
				 const struct attempt *a)
{
	struct json *j = json_object();

	attempt_json_add(j, &s->p, a);
	json_set_string(j, "hypothesis", a->hypothesis);
	if (!spend_is_zero(&s->p.spend)) {
		json_set_double(j, "tokens", a->tokens);
		json_set_double(j, "dollars", a->dollars);
	}
	if (*a->after.hex)
		json_set_string(j, "after", a->after.hex);
	if (a->won.ratio > 0) {
		json_set_int(j, "won_over", a->won.over);
		json_set_double(j, "won_by", a->won.ratio);
		json_set_double(j, "won_low", a->won.ratio95.lo);
		json_set_double(j, "won_high", a->won.ratio95.hi);
	}
	return j;
}

static struct json *steps_json(const struct run_story *s)
{
	struct json *list = json_array();

	for (size_t i = 0; i < s->n_steps; i++) {
		struct json *j = json_object();

		json_set_int(j, "attempt", s->p.attempt[s->step[i]].number);
		json_set_string(j, "patch", s->patch.v[i]);
		json_push(list, j);
	}
	return list;
}

static struct json *sayings_json(const struct run_story *s)
{
	struct json *list = json_array();

	for (size_t i = 0; i < s->p.n_sayings; i++) {
		const struct saying *w = &s->p.sayings[i];
		struct json *j;

		if (w->kind != ENTRY_INTERVENTION ||
		    !supervisor_said(w->trigger))
			continue;
		j = json_object();
		/* The start counts among them. */
		json_set_int(j, "after_attempts",
			     (int64_t)(w->attempts ? w->attempts - 1 : 0));
		json_set_string(j, "trigger", w->trigger);
		json_set_string(j, "reason", w->reason);
		json_set_string(j, "direction", w->direction);
		if (w->lineage > 0)
			json_set_int(j, "lineage", w->lineage);
		json_push(list, j);
	}
	return list;
}

static void set_measurement(struct json *j, const char *key,
			    const struct attempt *a)
{
	if (a->measurement)
		json_set(j, key, measurement_to_json(a->measurement));
}

static struct json *attempts_json(const struct run_story *s)
{
	cleanup_free struct json **of = xcalloc(s->p.n, sizeof *of);
	struct json *list = json_array();

	for (size_t i = 0; i < s->p.n; i++) {
		if (!run_story_has(s, i))
			continue;
		of[i] = attempt_json(s, &s->p.attempt[i]);
		json_push(list, of[i]); /* which owns it */
	}
	run_story_add_texts(of, s);
	return list;
}

/* What comes nearest to a champion, or may be faster than it, and the command that
 * measures it again. */
static void set_nearest(struct json *j, const struct population *p)
{
	cleanup_buf struct buf said = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *again = nearest_command(p), *maybe = NULL;

	if (p->champion) {
		nearest_say_maybe(&said, &maybe, p);
		json_set_string(j, "maybe_faster", maybe ? said.data : NULL);
		json_set_string(j, "again", maybe);
		return;
	}
	nearest_say(&said, p);
	json_set_string(j, "nearest", said.data);
	json_set_string(j, "again", again);
}

struct json *run_story_json(const struct run_story *s)
{
	const struct machine_kind *kind = only_kind(s);
	struct json *j = out_json_new();

	json_set_string(j, "run", s->run);
	json_set_string(j, "task", s->p.record.task_path);
	json_set_string(j, "base", s->p.record.base.hex);
	json_set_string(j, "machine",
			kind ? kind->name : s->p.record.machine_name);
	json_set_string(j, "operator", s->p.operator_name);
	json_set_string(j, "stopped", s->p.stop_reason);
	json_set_double(j, "spent_seconds", s->p.spent_seconds);
	spend_json_add(j, &s->p);
	json_set(j, "outcomes", outcomes_json(s));
	json_set(j, "caveats", json_strings(&s->caveats));
	json_set(j, "steps", steps_json(s));
	set_measurement(j, "start", &s->p.attempt[0]);
	if (s->p.champion)
		set_measurement(j, "champion", run_story_best(s));
	set_nearest(j, &s->p);
	json_set(j, "interventions", sayings_json(s));
	run_story_add_facts(j, s);
	json_set(j, "attempts", attempts_json(s));
	return j;
}
