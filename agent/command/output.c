/*
 * The program's stdout and stderr together, for people. Output is handled by
 * the line, so that a secret is seen whole. The log gets the head as it comes
 * and the tail at the end of the step; what lies between is left out and
 * counted.
 */
#include <ctype.h>

#include "agent/command/internal.h"
#include "agent/provider/key.h"
#include "core/base/utf8.h"
#include "core/base/text.h"

#define HEAD_BYTES ((size_t)1 << 20)
#define TAIL_BYTES ((size_t)512 << 10)
/* A longer line is split. */
#define LINE_BYTES ((size_t)64 << 10)

void command_output_init(struct command_output *o,
			 const struct command_settings *settings)
{
	*o = (struct command_output){.settings = settings};
	buf_init(&o->line, LINE_BYTES + 1);
	buf_init(&o->tail, 2 * TAIL_BYTES + 8 * LINE_BYTES);
}

void command_output_release(struct command_output *o)
{
	step_log_release(&o->log);
	buf_release(&o->line);
	buf_release(&o->tail);
}

/* ---- one line ------------------------------------------------------------ */

static bool names_a_secret(const char *variable)
{
	static const char *const parts[] = {"KEY", "TOKEN", "SECRET", "PASS"};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (strstr(variable, parts[i]))
			return true;
	return false;
}

/* Removes the values of variables that the task passes on, such as keys. */
static char *without_secrets(const char *text, const struct strvec *env)
{
	char *clean = redact(text, NULL);

	for (size_t i = 0; i < env->n; i++) {
		const struct api_key key = {.secret = getenv(env->v[i])};
		char *more;

		if (!names_a_secret(env->v[i]) || !key.secret || !*key.secret)
			continue;
		more = redact(clean, &key);
		free(clean);
		clean = more;
	}
	return clean;
}

static void keep_tail(struct buf *tail, const char *text, size_t len)
{
	if (tail->len + len > 2 * TAIL_BYTES) {
		size_t drop = tail->len - MIN(tail->len, TAIL_BYTES);

		memmove(tail->data, tail->data + drop, tail->len - drop);
		tail->len -= drop;
	}
	buf_add(tail, text, len);
}

static struct error *take_line(struct command_output *o)
{
	cleanup_buf struct buf clean = BUF_INIT(4 * LINE_BYTES);
	cleanup_free char *text = NULL;
	size_t len, room;

	text_add_lines(&clean, o->line.data, o->line.len);
	buf_clear(&o->line);
	text = without_secrets(clean.data, &o->settings->env);
	len = strlen(text);
	room = MIN(HEAD_BYTES - o->in_head, len);
	keep_tail(&o->tail, text, len);
	o->total += len;
	o->in_head += room;
	return step_log_add(&o->log, text, room);
}

/* ---- all of it ----------------------------------------------------------- */

struct error *command_output_open(struct command_output *o,
				  const struct variation *v, const char *prompt)
{
	cleanup_buf struct buf head = BUF_INIT((size_t)128 << 10);

	TRY(step_log_open(&o->log, v->archive, v->population->record.run,
			  "step", (uint32_t)v->seed, ".txt"));
	buf_addf(&head, "avogit: on %s, lineage %lld, it was started as\n",
		 variation_parent(v)->id.hex, (long long)v->lineage);
	for (size_t i = 0; i < o->settings->words.n; i++)
		buf_addf(&head, " %s", o->settings->words.v[i]);
	buf_addf(&head, "\navogit: the prompt:\n%s\navogit: what it said:\n",
		 prompt);
	return step_log_add(&o->log, head.data, head.len);
}

struct error *command_output_add(struct command_output *o, const char *data,
				 size_t len)
{
	for (size_t i = 0; i < len; i++) {
		buf_addc(&o->line, data[i]);
		if (data[i] == '\n' || o->line.len == LINE_BYTES)
			TRY(take_line(o));
	}
	return NULL;
}

struct error *command_output_close(struct command_output *o)
{
	cleanup_free char *gap = NULL;
	size_t late, kept;

	if (o->line.len)
		TRY(take_line(o));
	late = o->total - o->in_head;
	kept = MIN(late, o->tail.len);
	if (late > kept)
		gap = xasprintf("\n[avogit: %zu bytes are left out here]\n",
				late - kept);
	if (gap)
		TRY(step_log_add(&o->log, gap, strlen(gap)));
	o->in_head = o->total;
	return step_log_add(&o->log, o->tail.data + o->tail.len - kept, kept);
}

struct error *command_output_keep(struct command_output *o, const char *end)
{
	cleanup_free char *line = xasprintf("\navogit: %s\n", end);

	TRY(step_log_add(&o->log, line, strlen(line)));
	return step_log_keep(&o->log);
}
