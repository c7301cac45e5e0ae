/*
 * Arrays of messages, which the version 2025-03-26 allows: their answers come
 * back as one array, once the last is there.
 */
#include "agent/mcp/internal.h"

static void batch_release(struct mcp_batch *b)
{
	json_free(b->ids);
	json_free(b->answers);
	*b = (struct mcp_batch){0};
}

/* Sends what is whole: no message of it is still read or not answered. */
static void send_whole(struct mcp_server *s, struct mcp_batch *b)
{
	if (s->reading == b || json_len(b->ids))
		return;
	if (json_len(b->answers))
		mcp_send(s, b->client, b->answers);
	batch_release(b);
}

static struct mcp_batch *free_place(struct mcp_server *s)
{
	for (size_t i = 0; i < BATCHES_MAX; i++)
		if (!s->batch[i].answers)
			return &s->batch[i];
	return NULL;
}

static void expect(struct mcp_batch *b, const struct json *message)
{
	const struct json *id = json_get(message, "id");
	cleanup_free char *key = id ? json_print(id) : NULL;

	if (key && json_get(message, "method"))
		json_set_bool(b->ids, key, true);
}

void mcp_batch_message(struct mcp_server *s, size_t client,
		       const struct json *messages)
{
	struct mcp_batch *b = free_place(s);

	if (!b) {
		mcp_send_error(s, client, NULL, RPC_BUSY,
			       "too many arrays of messages wait for answers",
			       NULL);
		return;
	}
	*b = (struct mcp_batch){client, json_object(), json_array()};
	for (size_t i = 0; i < json_len(messages); i++)
		expect(b, json_at(messages, i));
	s->reading = b;
	for (size_t i = 0; i < json_len(messages); i++)
		mcp_dispatch(s, client, json_at(messages, i));
	s->reading = NULL;
	send_whole(s, b);
}

static struct mcp_batch *batch_of(struct mcp_server *s, size_t client,
				  const struct json *id)
{
	cleanup_free char *key = id ? json_print(id) : NULL;

	/* An error without an id answers what is being read. */
	if (!key)
		return s->reading;
	for (size_t i = 0; i < BATCHES_MAX; i++)
		if (s->batch[i].answers && s->batch[i].client == client &&
		    json_get(s->batch[i].ids, key))
			return &s->batch[i];
	return NULL;
}

static void cross_off(struct mcp_server *s, struct mcp_batch *b,
		      const struct json *id)
{
	cleanup_free char *key = id ? json_print(id) : NULL;

	if (key)
		json_remove(b->ids, key);
	send_whole(s, b);
}

bool mcp_batch_take(struct mcp_server *s, size_t client, const struct json *id,
		    const struct json *answer)
{
	struct mcp_batch *b = batch_of(s, client, id);

	if (!b)
		return false;
	json_push(b->answers, json_dup(answer));
	cross_off(s, b, id);
	return true;
}

void mcp_batch_forget(struct mcp_server *s, size_t client,
		      const struct json *id)
{
	struct mcp_batch *b = batch_of(s, client, id);

	if (b)
		cross_off(s, b, id);
}

void mcp_batch_drop(struct mcp_server *s, size_t client)
{
	for (size_t i = 0; i < BATCHES_MAX; i++)
		if (s->batch[i].answers && s->batch[i].client == client)
			batch_release(&s->batch[i]);
}
