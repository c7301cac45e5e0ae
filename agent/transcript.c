#include "agent/transcript.h"

#include <inttypes.h>

#include "core/clock.h"
#include "core/file.h"

struct error *transcript_open(struct transcript *t, struct archive *archive,
			      const char *run, const char *kind,
			      uint32_t number, const struct key *key)
{
	cleanup_free char *name = NULL;
	char when[21];
	int fd;

	if (!archive || !archive->open_log || !archive->keep_log)
		return NULL;
	clock_format(when, clock_wall_us());
	/* No ':', which REV:PATH of git gives another meaning. */
	for (char *c = when; *c; c++)
		if (*c == ':')
			*c = '-';
	name = xasprintf("%s-%s-%08" PRIx32 ".jsonl", kind, when, number);
	TRY(archive->open_log(archive, &fd, run, name));
	t->archive = archive;
	t->key = key;
	snprintf(t->run, sizeof t->run, "%s", run);
	t->name = steal(&name);
	t->fd = fd;
	return NULL;
}

struct error *transcript_event(struct transcript *t, const char *name,
			       struct json *more)
{
	cleanup_json struct json *members = more;
	cleanup_json struct json *event = NULL;
	cleanup_free char *text = NULL, *line = NULL;
	char when[21];

	if (t->fd < 0)
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
	return error_wrap(write_all(t->fd, text, strlen(text)),
			  "cannot write the transcript");
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
	if (t->fd < 0)
		return NULL;
	cleanup_fd_fn(&t->fd);
	return t->archive->keep_log(t->archive, t->run, t->name);
}

void transcript_release(struct transcript *t)
{
	cleanup_fd_fn(&t->fd);
	free(t->name);
	*t = (struct transcript)TRANSCRIPT_INIT;
}
