#include "agent/provider/reply.h"

const char *protocol_name(enum protocol protocol)
{
	static const char *const known[] = {
		[PROTOCOL_ANTHROPIC] = "anthropic",
		[PROTOCOL_OPENAI] = "openai",
		[PROTOCOL_RESPONSES] = "responses",
	};

	return known[protocol];
}

static const char *const names[] = {
	[REPLY_END] = "end",	       [REPLY_TOOLS] = "tools",
	[REPLY_LENGTH] = "length",     [REPLY_REFUSED] = "refused",
	[REPLY_FILTERED] = "filtered", [REPLY_CONTEXT_FULL] = "context-full",
	[REPLY_REJECTED] = "rejected", [REPLY_PAUSED] = "paused",
};

const char *reply_stop_name(enum reply_stop stop)
{
	return names[stop];
}

bool reply_stop_parse(enum reply_stop *out, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_eq(names[i], name)) {
			*out = (enum reply_stop)i;
			return true;
		}
	return false;
}

static void add(int64_t *sum, int64_t more)
{
	if (more > 0 && __builtin_add_overflow(*sum, more, sum))
		*sum = INT64_MAX;
}

void usage_add(struct usage *sum, const struct usage *more)
{
	add(&sum->input, more->input);
	add(&sum->cache_read, more->cache_read);
	add(&sum->cache_write, more->cache_write);
	add(&sum->cache_write_long, more->cache_write_long);
	add(&sum->output, more->output);
	add(&sum->reasoning, more->reasoning);
	sum->known = sum->known && more->known;
}

void tool_call_release(struct tool_call *call)
{
	free(call->id);
	free(call->name);
	free(call->arguments);
	free(call->invalid);
	free(call->result.text);
	free(call->result.file);
}

void reply_release(struct reply *r)
{
	free(r->text);
	for (size_t i = 0; i < r->n_calls; i++)
		tool_call_release(&r->calls[i]);
	free(r->calls);
	free(r->model);
	free(r->served_by);
	free(r->request_id);
	free(r->raw);
	free(r->refusal);
	free(r->refused_model);
	*r = (struct reply){0};
}
