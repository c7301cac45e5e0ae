/*
 * What a coding agent says it used, in its output in JSON: Claude Code
 * (`--output-format json` and `stream-json`), Codex (`exec --json`), opencode
 * (`run --format json`), gemini (`--output-format json` and `stream-json`).
 * What cannot be read counts nothing: these are the program's own words, which
 * nothing but the run's spend follows.
 */
#include <math.h>

#include "agent/command/internal.h"

/* A longer line is not a report of usage. */
#define REPORT_BYTES ((size_t)4 << 20)
#define TOKENS_MAX   1e12

void command_usage_init(struct command_usage *u)
{
	*u = (struct command_usage){0};
	buf_init(&u->line, REPORT_BYTES);
	buf_init(&u->whole, REPORT_BYTES);
}

void command_usage_release(struct command_usage *u)
{
	buf_release(&u->line);
	buf_release(&u->whole);
}

static int64_t count(const struct json *j, const char *key)
{
	double v = 0;

	json_get_double(j, key, &v);
	return v > 0 && v < TOKENS_MAX ? (int64_t)v : 0;
}

static bool has_type(const struct json *j, const char *type)
{
	const char *is = "";

	json_get_string(j, "type", &is);
	return str_eq(is, type);
}

/* Claude Code's last word, for the whole of its work. */
static void read_claude(struct spend *out, const struct json *j)
{
	const struct json *u = json_get(j, "usage");
	int64_t hit = count(u, "cache_read_input_tokens");

	out->turns = count(j, "num_turns");
	out->tokens_hit = hit;
	out->tokens_in = count(u, "input_tokens") + hit +
			 count(u, "cache_creation_input_tokens");
	out->tokens_out = count(u, "output_tokens");
	out->unpriced = !json_get_double(j, "total_cost_usd", &out->dollars);
}

/* Codex after a turn; it knows no price. */
static void read_codex(struct spend *out, const struct json *u)
{
	out->turns = 1;
	out->tokens_in = count(u, "input_tokens");
	out->tokens_hit = count(u, "cached_input_tokens");
	out->tokens_out = count(u, "output_tokens");
	out->unpriced = true;
}

/* opencode after a step. Where it knows no price it says 0. */
static void read_opencode(struct spend *out, const struct json *part)
{
	const struct json *t = json_get(part, "tokens");
	const struct json *cache = json_get(t, "cache");

	out->turns = 1;
	out->tokens_hit = count(cache, "read");
	out->tokens_in =
		count(t, "input") + out->tokens_hit + count(cache, "write");
	out->tokens_out = count(t, "output") + count(t, "reasoning");
	json_get_double(part, "cost", &out->dollars);
	out->unpriced = out->dollars == 0 && out->tokens_in + out->tokens_out;
}

/* gemini's last word: a member for each model. */
static void read_gemini(struct spend *out, const struct json *models)
{
	for (size_t i = 0; i < json_len(models); i++) {
		const struct json *m = json_at(models, i);
		const struct json *t = json_get(m, "tokens");

		out->turns += count(json_get(m, "api"), "totalRequests");
		out->tokens_in += count(t, "prompt");
		out->tokens_hit += count(t, "cached");
		out->tokens_out +=
			count(t, "candidates") + count(t, "thoughts");
	}
	out->unpriced = true;
}

/* The same, in its stream. */
static void read_gemini_stream(struct spend *out, const struct json *s)
{
	out->turns = 1;
	out->tokens_in = count(s, "input_tokens");
	out->tokens_hit = count(s, "cached");
	out->tokens_out = count(s, "output_tokens");
	out->unpriced = true;
}

static void read_report(struct command_usage *u, const struct json *j)
{
	const struct json *stats = json_get(j, "stats");
	struct spend s = {0};

	if (has_type(j, "result") && json_get(j, "usage"))
		read_claude(&s, j);
	else if (has_type(j, "turn.completed"))
		read_codex(&s, json_get(j, "usage"));
	else if (has_type(j, "step_finish"))
		read_opencode(&s, json_get(j, "part"));
	else if (has_type(j, "result") && stats)
		read_gemini_stream(&s, stats);
	else if (json_get(stats, "models"))
		read_gemini(&s, json_get(stats, "models"));
	else
		return;
	if (!isfinite(s.dollars) || s.dollars < 0) {
		s.dollars = 0;
		s.unpriced = true;
	}
	spend_add(&u->fresh, &s);
}

static void try_text(struct command_usage *u, const struct buf *text)
{
	cleanup_json struct json *j = NULL;
	cleanup_error struct error *err = NULL;

	if (text->truncated)
		return;
	err = json_parse(&j, text->data, text->len);
	if (!err)
		read_report(u, j);
}

/* A report is a line, or lines from one that is "{" to one that is "}". */
static void take_line(struct command_usage *u)
{
	bool ends = str_eq(u->line.data, "}");

	if (str_eq(u->line.data, "{")) {
		buf_clear(&u->whole);
		u->whole.truncated = false;
		u->open = true;
	} else if (!u->open && *u->line.data == '{') {
		try_text(u, &u->line);
	}
	if (u->open)
		buf_addf(&u->whole, "%s\n", u->line.data);
	if (u->open && ends) {
		try_text(u, &u->whole);
		u->open = false;
	}
	buf_clear(&u->line);
	u->line.truncated = false;
}

void command_usage_add(struct command_usage *u, const char *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (data[i] == '\n')
			take_line(u);
		else if (data[i] && data[i] != '\r')
			buf_addc(&u->line, data[i]);
}

void command_usage_end(struct command_usage *u)
{
	take_line(u);
}

bool command_usage_take(struct spend *out, struct command_usage *u)
{
	*out = u->fresh;
	u->fresh = (struct spend){0};
	return !spend_is_zero(out);
}
