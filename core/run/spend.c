#include "core/run/spend.h"

#include <float.h>
#include <inttypes.h>

#include "core/score/field.h"
#include "core/task/task.h"

void spend_add(struct spend *sum, const struct spend *more)
{
	sum->turns += more->turns;
	sum->tokens_in += more->tokens_in;
	sum->tokens_hit += more->tokens_hit;
	sum->tokens_out += more->tokens_out;
	sum->dollars += more->dollars;
	sum->unpriced |= more->unpriced;
	sum->gpu_seconds += more->gpu_seconds;
}

bool spend_is_zero(const struct spend *s)
{
	return !s->turns && !s->tokens_in && !s->tokens_out && !s->unpriced &&
	       !(s->dollars > 0) && !(s->gpu_seconds > 0);
}

static void add_count(struct buf *out, int64_t n)
{
	if (n < 1000)
		buf_addf(out, "%" PRId64, n);
	else if (n < 1000000)
		buf_addf(out, "%" PRId64 "k", (n + 500) / 1000);
	else
		buf_addf(out, "%.1fM", (double)n / 1e6);
}

static void add_money(struct buf *out, const struct spend *s)
{
	if (!s->unpriced)
		buf_addf(out, ", $%.2f", s->dollars);
	else if (s->dollars > 0)
		buf_addf(out, ", $%.2f and what has no price", s->dollars);
	else
		buf_adds(out, ", price unknown");
}

char *spend_format(const struct spend *s)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	if (!s->turns)
		return xstrdup("");
	buf_addf(&out, "%" PRId64 " turn%s, ", s->turns,
		 s->turns == 1 ? "" : "s");
	add_count(&out, s->tokens_in);
	buf_adds(&out, " tokens in");
	if (s->tokens_hit) {
		buf_adds(&out, " (");
		add_count(&out, s->tokens_hit);
		buf_adds(&out, " cached)");
	}
	buf_adds(&out, ", ");
	add_count(&out, s->tokens_out);
	buf_adds(&out, " out");
	add_money(&out, s);
	return buf_take(&out);
}

/* ---- on disk ------------------------------------------------------------- */

#define OF(member) FIELD_MEMBER(struct spend, member), .optional = true
#define AMOUNT	   .most = DBL_MAX, .or_nothing = true

static const struct field rows[] = {
	{.json = "turns", OF(turns)},
	{.json = "tokens_in", OF(tokens_in)},
	{.json = "tokens_hit", OF(tokens_hit)},
	{.json = "tokens_out", OF(tokens_out)},
	{.json = "dollars", OF(dollars), AMOUNT},
	{.json = "unpriced", OF(unpriced)},
	{.json = "gpu_seconds", OF(gpu_seconds), .unit = "s", AMOUNT},
};
static const struct fields fields = FIELD_TABLE(rows);

struct json *spend_to_json(const struct spend *s)
{
	struct json *j;

	if (spend_is_zero(s))
		return NULL;
	j = json_object();
	fields_to_json(j, &fields, s);
	return j;
}

void spend_from_json(struct spend *out, const struct json *j)
{
	*out = (struct spend){0};
	if (j)
		fields_from_json(out, &fields, j);
}

/* ---- limits -------------------------------------------------------------- */

const char *spend_reached(const struct spend *s, const struct budget_limits *b)
{
	if (b->steps && s->turns >= b->steps)
		return "steps";
	if (b->tokens && s->tokens_in + s->tokens_out >= b->tokens)
		return "tokens";
	if (b->dollars > 0 && s->dollars >= b->dollars)
		return "money";
	if (b->gpu_seconds > 0 && s->gpu_seconds >= b->gpu_seconds)
		return "gpu-time";
	return NULL;
}

const char *stop_words(const char *reason)
{
	static const char *const words[][2] = {
		{"attempts", "as many attempts were made as were asked for"},
		{"time", "the time is up"},
		{"steps", "the model had all its turns"},
		{"tokens", "the tokens are spent"},
		{"money", "the money is spent"},
		{"gpu-time", "the GPU time is spent"},
		{"ceiling", "the champion is as near to what the card can do "
			    "as was asked for"},
		{"interrupted", "the user stopped the run"},
		{"exhausted", "nothing is left to try"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (str_eq(reason, words[i][0]))
			return words[i][1];
	return reason;
}
