/* What the llm operator spent, and an estimate of what it will spend. */
#include "agent/llm/internal.h"
#include "agent/llm/prompt.h"

/* A typical attempt: its replies, and what each adds to the conversation. */
#define TURNS_AN_ATTEMPT 10
#define GROWTH_A_TURN	 1500 /* tokens of a reply and its results */
#define OUTPUT_A_TURN	 600
#define BYTES_A_TOKEN	 4
#define FIRST_MESSAGE	 2500 /* tokens, without the prompt texts and tools */

static void add_spending(struct spend *sum, const struct model *m,
			 const struct spending *s)
{
	const struct usage *u = &s->usage;
	struct price_table own = model_prices(m);
	double dollars = 0;

	sum->turns += (int64_t)s->replies;
	sum->tokens_in += u->input + u->cache_read + u->cache_write;
	sum->tokens_hit += u->cache_read;
	sum->tokens_out += u->output;
	if (price_of(&dollars, &own, s->model, u))
		sum->dollars += dollars;
	else if (s->replies)
		sum->unpriced = true;
}

void model_count(struct model *m, struct allowance *a, struct spend *sum)
{
	struct spend now = {0}, more;
	const struct spend *then = &m->counted;

	for (size_t i = 0; i < m->provider->n_spending; i++)
		add_spending(&now, m, &m->provider->spending[i]);
	more = (struct spend){
		.turns = now.turns - then->turns,
		.tokens_in = now.tokens_in - then->tokens_in,
		.tokens_hit = now.tokens_hit - then->tokens_hit,
		.tokens_out = now.tokens_out - then->tokens_out,
		/* A price can become unknown later: the sum must not shrink. */
		.dollars = MAX(now.dollars - then->dollars, 0),
		.unpriced = now.unpriced && !then->unpriced,
	};
	m->counted = now;
	spend_add(sum, &more);
	sum->unpriced |= now.unpriced;
	if (!spend_is_zero(&more))
		a->spent(a, &more);
}

/* Bytes at the start of every request of a step. */
static size_t fixed_bytes(const struct model *m)
{
	size_t n, bytes = strlen(prompt_text(&m->prompts, "system.md")) +
			  strlen(prompt_text(&m->prompts, "step.md"));
	const struct tool *t = tools(&n);

	for (size_t i = 0; i < n; i++)
		bytes += strlen(t[i].name) + strlen(t[i].description) +
			 strlen(t[i].schema);
	return bytes;
}

bool llm_estimate(struct variation_operator *self, struct spend *out)
{
	const struct model *m = ((const struct llm *)self)->model;
	struct price_table own = model_prices(m);
	struct usage u = {.known = true};
	int64_t size =
		(int64_t)(fixed_bytes(m) / BYTES_A_TOKEN) + FIRST_MESSAGE;

	if (model_is_replay(m))
		return false;
	/* A request reads from the cache what the one before it wrote. */
	for (int i = 0; i < TURNS_AN_ATTEMPT; i++) {
		u.cache_read += i ? size : 0;
		u.cache_write += i ? GROWTH_A_TURN : size;
		size += i ? GROWTH_A_TURN : 0;
		u.output += OUTPUT_A_TURN;
	}
	*out = (struct spend){
		.turns = TURNS_AN_ATTEMPT,
		.tokens_in = u.cache_read + u.cache_write,
		.tokens_hit = u.cache_read,
		.tokens_out = u.output,
	};
	out->unpriced = !price_of(&out->dollars, &own, m->settings.model, &u);
	return true;
}
