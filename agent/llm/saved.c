/* A step's state in the middle, for a process that goes on with it. The
 * workspace, the spend and the place of the step are the loop's to save. */
#include "agent/llm/internal.h"

/* ---- what roles share ----------------------------------------------------- */

static struct json *roles_to_json(const struct role_state *r)
{
	struct json *j = json_object();

	json_set_string(j, "plan", r->plan);
	json_set_bool(j, "planned", r->planned);
	json_set_bool(j, "written", r->written);
	json_set_string(j, "plan_entry", r->plan_entry.hex);
	json_set_string(j, "review_entry", r->review_entry.hex);
	json_set_int(j, "refusals", (int64_t)r->refusals);
	json_set_string(j, "allowed", r->allowed);
	json_set_string(j, "refused", r->refused);
	json_set_string(j, "failed", r->failed.hex);
	return j;
}

static void roles_from_json(struct role_state *r, const struct json *j)
{
	int64_t n = 0;

	r->plan = json_dup_string(j, "plan");
	json_get_bool(j, "planned", &r->planned);
	json_get_bool(j, "written", &r->written);
	json_copy_string(r->plan_entry.hex, sizeof r->plan_entry.hex, j,
			 "plan_entry");
	json_copy_string(r->review_entry.hex, sizeof r->review_entry.hex, j,
			 "review_entry");
	if (json_get_int(j, "refusals", &n) && n > 0)
		r->refusals = (unsigned)n;
	json_copy_string(r->allowed, sizeof r->allowed, j, "allowed");
	json_copy_string(r->refused, sizeof r->refused, j, "refused");
	json_copy_string(r->failed.hex, sizeof r->failed.hex, j, "failed");
}

enum role step_saved_role(struct role_state *out, const struct variation *v)
{
	cleanup_json struct json *j = NULL;
	cleanup_error struct error *err = NULL;
	const char *name = role_name(ROLE_WRITER);

	if (!v->saved)
		return ROLE_COUNT;
	err = json_parse(&j, v->saved, strlen(v->saved));
	if (err)
		return ROLE_WRITER;
	roles_from_json(out, json_get(j, "roles"));
	json_get_string(j, "role", &name);
	return role_find(name);
}

/* ---- a talk --------------------------------------------------------------- */

static struct json *state_of(const struct step *s)
{
	const struct talk *t = &s->talk;
	struct json *j = json_object();

	json_set(j, "conversation", conversation_to_json(&t->c));
	json_set_int(j, "turns", t->turns);
	json_set_int(j, "cleared_at", (int64_t)t->cleared_at);
	json_set_double(j, "bytes_a_token", t->bytes_a_token);
	json_set_string(j, "words", t->words);
	if (!spend_is_zero(&t->spend))
		json_set(j, "spend", spend_to_json(&t->spend));
	json_set_int(j, "cut", (int64_t)s->cut);
	json_set_bool(j, "nudged", s->nudged);
	json_set_int(j, "attempts", (int64_t)s->box.attempts);
	json_set_int(j, "files", (int64_t)s->box.n_files);
	json_set_string(j, "scored", s->box.scored);
	if (s->role != ROLE_WRITER)
		json_set_string(j, "role", role_name(s->role));
	if (s->outer)
		json_set(j, "outer", state_of(s->outer));
	return j;
}

struct error *step_save(struct step *s)
{
	struct variation *v = s->box.v;
	cleanup_json struct json *j = NULL;
	cleanup_free char *text = NULL;

	/* A recording would begin again. */
	if (!v->save || model_is_replay(s->talk.model))
		return NULL;
	j = state_of(s);
	if (s->llm->has_roles)
		json_set(j, "roles", roles_to_json(s->roles));
	text = json_print(j);
	return v->save(v, text);
}

static size_t count_of(const struct json *j, const char *key)
{
	int64_t n = 0;

	return json_get_int(j, key, &n) && n > 0 ? (size_t)n : 0;
}

struct error *step_restore(struct step *s)
{
	struct talk *t = &s->talk;
	const char *saved = s->box.v->saved;
	cleanup_json struct json *whole = NULL;
	const struct json *j;

	TRY(json_parse(&whole, saved, strlen(saved)));
	j = s->debugger_resumes ? json_get(whole, "outer") : whole;
	TRY(conversation_from_json(&t->c, json_get(j, "conversation")));
	if (!t->c.n_turns)
		return error_new(ERROR_MALFORMED, "a saved step is empty");
	t->turns = (int64_t)count_of(j, "turns");
	t->cleared_at = count_of(j, "cleared_at");
	json_get_double(j, "bytes_a_token", &t->bytes_a_token);
	t->words = json_dup_string(j, "words");
	spend_from_json(&t->spend, json_get(j, "spend"));
	s->cut = (unsigned)count_of(j, "cut");
	json_get_bool(j, "nudged", &s->nudged);
	s->box.attempts = count_of(j, "attempts");
	s->box.n_files = (unsigned)count_of(j, "files");
	json_copy_string(s->box.scored, sizeof s->box.scored, j, "scored");
	s->box.unread = s->debugger_resumes ? 0 : s->box.v->saved_attempts;
	return NULL;
}
