#include "agent/llm/transcript.h"

#include "core/base/clock.h"

struct error *transcript_open(struct transcript *t, struct archive *archive,
			      const char *run, const char *kind,
			      uint32_t number, const struct api_key *key)
{
	t->key = key;
	return step_log_open(&t->log, archive, run, kind, number, ".jsonl");
}

struct error *transcript_event(struct transcript *t, const char *name,
			       struct json *more)
{
	cleanup_json struct json *members = more;
	cleanup_json struct json *event = NULL;
	cleanup_free char *text = NULL, *line = NULL;
	char when[21];

	if (!t->log.archive)
		return NULL;
	event = json_object();
	clock_format(when, clock_wall_us());
	json_set_string(event, "event", name);
	json_set_string(event, "time", when);
	for (size_t i = 0; i < json_len(members); i++)
		json_set(event, json_key(json_at(members, i)),
			 json_dup(json_at(members, i)));
	text = json_print(event);
	line = redact(text, t->key);
	free(text);
	text = xasprintf("%s\n", line);
	return step_log_add(&t->log, text, strlen(text));
}

static struct json *calls_of(const struct reply *r)
{
	struct json *calls = json_array();

	for (size_t i = 0; i < r->n_calls; i++) {
		struct json *call = json_object();

		json_set_string(call, "id", r->calls[i].id);
		json_set_string(call, "name", r->calls[i].name);
		json_set_string(call, "arguments", r->calls[i].arguments);
		json_set_string(call, "invalid", r->calls[i].invalid);
		json_push(calls, call);
	}
	return calls;
}

static struct json *usage_of(const struct usage *u)
{
	struct json *j = json_object();

	json_set_int(j, "input", u->input);
	json_set_int(j, "cache_read", u->cache_read);
	json_set_int(j, "cache_write", u->cache_write);
	json_set_int(j, "output", u->output);
	return j;
}

struct error *transcript_reply(struct transcript *t, const struct reply *r,
			       double seconds)
{
	struct json *j = json_object();

	json_set_string(j, "model", r->model);
	json_set_string(j, "served_by", r->served_by);
	json_set_string(j, "request_id", r->request_id);
	json_set_string(j, "stop", reply_stop_name(r->stop));
	json_set_string(j, "text", r->text);
	/* Its reasoning is in here. */
	json_set_string(j, "raw", r->raw);
	if (r->n_calls)
		json_set(j, "calls", calls_of(r));
	if (r->dropped_calls)
		json_set_int(j, "dropped_calls", (int64_t)r->dropped_calls);
	if (r->refusal && *r->refusal)
		json_set_string(j, "refusal", r->refusal);
	json_set_string(j, "refused_model", r->refused_model);
	if (r->usage.known)
		json_set(j, "usage", usage_of(&r->usage));
	json_set_int(j, "attempts", (int64_t)r->attempts);
	json_set_double(j, "seconds", seconds);
	return transcript_event(t, "reply", j);
}

struct error *transcript_keep(struct transcript *t)
{
	return step_log_keep(&t->log);
}

void transcript_release(struct transcript *t)
{
	step_log_release(&t->log);
	t->key = NULL;
}
