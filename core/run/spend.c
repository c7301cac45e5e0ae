#include "core/run/spend.h"

#include <inttypes.h>
#include <math.h>

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

struct json *spend_to_json(const struct spend *s)
{
	struct json *j;

	if (spend_is_zero(s))
		return NULL;
	j = json_object();
	if (s->turns)
		json_set_int(j, "turns", s->turns);
	if (s->tokens_in)
		json_set_int(j, "tokens_in", s->tokens_in);
	if (s->tokens_hit)
		json_set_int(j, "tokens_hit", s->tokens_hit);
	if (s->tokens_out)
		json_set_int(j, "tokens_out", s->tokens_out);
	if (s->dollars > 0)
		json_set_double(j, "dollars", s->dollars);
	if (s->unpriced)
		json_set_bool(j, "unpriced", true);
	if (s->gpu_seconds > 0)
		json_set_double(j, "gpu_seconds", s->gpu_seconds);
	return j;
}

/* A sum of counts of another clone must not overflow. */
static void read_count(int64_t *out, const struct json *j, const char *key)
{
	int64_t n = 0;

	if (json_get_int(j, key, &n))
		*out = MIN(MAX(n, 0), INT64_C(1) << 40);
}

static void read_amount(double *out, const struct json *j, const char *key)
{
	double v = 0;

	if (json_get_double(j, key, &v) && isfinite(v) && v > 0)
		*out = v;
}

void spend_from_json(struct spend *out, const struct json *j)
{
	*out = (struct spend){0};
	if (!j)
		return;
	read_count(&out->turns, j, "turns");
	read_count(&out->tokens_in, j, "tokens_in");
	read_count(&out->tokens_hit, j, "tokens_hit");
	read_count(&out->tokens_out, j, "tokens_out");
	read_amount(&out->dollars, j, "dollars");
	read_amount(&out->gpu_seconds, j, "gpu_seconds");
	json_get_bool(j, "unpriced", &out->unpriced);
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
		{"interrupted", "somebody stopped the run"},
		{"exhausted", "nothing is left to try"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (str_eq(reason, words[i][0]))
			return words[i][1];
	return reason;
}
