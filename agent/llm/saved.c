/* A step's state in the middle, for a process that goes on with it. The
 * workspace, the spend and the place of the step are the loop's to save. */
#include "agent/llm/internal.h"

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
	text = json_print(j);
	return v->save(v, text);
}

struct error *step_saved_over(struct step *s)
{
	struct variation *v = s->box.v;

	if (!v->save || model_is_replay(s->talk.model))
		return NULL;
	return v->save(v, NULL);
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
	cleanup_json struct json *j = NULL;

	TRY(json_parse(&j, saved, strlen(saved)));
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
	s->box.unread = s->box.v->saved_attempts;
	return NULL;
}
