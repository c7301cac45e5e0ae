/* A live provider that talks to the scripted model server. */
#ifndef TESTS_PROVIDER_FIXTURE_H
#define TESTS_PROVIDER_FIXTURE_H

#include "agent/provider/provider.h"
#include "tests/unit/agent/model_server.h"

#define KEY "sk-marker-0123456789abcdefghij"

struct fixture {
	struct model_server server;
	struct provider *provider;
	struct conversation conversation;
	struct buf waited; /* sentences of on_wait */
};

struct how {
	enum protocol protocol;
	bool streaming;
};
static const struct how ways[] = {
	{PROTOCOL_ANTHROPIC, true}, {PROTOCOL_ANTHROPIC, false},
	{PROTOCOL_OPENAI, true},    {PROTOCOL_OPENAI, false},
	{PROTOCOL_RESPONSES, true}, {PROTOCOL_RESPONSES, false},
};

static void note_wait(void *arg, const char *sentence)
{
	buf_addf(arg, "%s\n", sentence);
}

static void set_up_at(struct fixture *f, const char *script,
		      struct provider_config config, const char *path)
{
	struct api_key key = {.secret = xstrdup(KEY),
			      .from = xstrdup("a test")};
	cleanup_free char *url = NULL;

	model_server_start(&f->server, script);
	url = xasprintf("%s%s", f->server.url, path);
	config.base_url = url;
	if (!config.model)
		config.model = "model-1";
	assert_null(live_provider(&f->provider, &config, &key));
	assert_null(key.secret);
	conversation_init(&f->conversation, "You tune kernels.");
	assert_null(conversation_add_tool(&f->conversation, "view",
					  "Shows a file.",
					  "{\"type\":\"object\",\"properties\":"
					  "{\"path\":{\"type\":\"string\"}}}"));
	conversation_say(&f->conversation, "Make it fast.");
	buf_init(&f->waited, 4096);
}

static void set_up(struct fixture *f, const char *script,
		   struct provider_config config)
{
	set_up_at(f, script, config,
		  protocol_is_openai(config.protocol) ? "/v1" : "");
}

static struct error *ask(struct fixture *f, struct reply *out)
{
	struct turn_limits limits = {.on_wait = note_wait, .arg = &f->waited};

	return provider_turn(f->provider, out, &f->conversation, &limits);
}

/* Whether the script was played as written. */
static bool tear_down(struct fixture *f)
{
	provider_free(f->provider);
	conversation_release(&f->conversation);
	buf_release(&f->waited);
	return model_server_stop(&f->server);
}

#endif
