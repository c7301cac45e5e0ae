#include "agent/llm/price.h"

/*
 * Sources, read at PRICES_DATE: platform.claude.com/docs/en/about-claude/
 * pricing and openai.com/api/pricing. OpenAI has no extra price for cache
 * writes, so they cost what input costs. Models whose price depends on the
 * length of the prompt are left out: their price stays unknown.
 */
static const struct price known[] = {
	{"claude-opus-5", 5, 0.50, 6.25, 10, 25},
	{"claude-opus-4-8", 5, 0.50, 6.25, 10, 25},
	{"claude-opus-4-7", 5, 0.50, 6.25, 10, 25},
	{"claude-opus-4-6", 5, 0.50, 6.25, 10, 25},
	{"claude-opus-4-5", 5, 0.50, 6.25, 10, 25},
	{"claude-sonnet-5", 2, 0.20, 2.50, 4, 10},
	{"claude-sonnet-4-6", 3, 0.30, 3.75, 6, 15},
	{"claude-sonnet-4-5", 3, 0.30, 3.75, 6, 15},
	{"claude-sonnet-4", 3, 0.30, 3.75, 6, 15},
	{"claude-haiku-4-5", 1, 0.10, 1.25, 2, 5},
	{"gpt-5.1", 1.25, 0.125, 1.25, 1.25, 10},
	{"gpt-4.1", 2, 0.50, 2, 2, 8},
};

static const struct price *longest(const struct price *prices, size_t n,
				   const char *model)
{
	const struct price *best = NULL;

	for (size_t i = 0; i < n; i++)
		if (starts_with(model, prices[i].model) &&
		    (!best || strlen(prices[i].model) > strlen(best->model)))
			best = &prices[i];
	return best;
}

/* A built-in price holds for that model and its dated snapshots, not for other
 * models whose names begin alike: "gpt-4.1" is not "gpt-4.1-mini", and
 * "claude-opus-5" is not its successor "claude-opus-5-5". */
static bool is_that_model(const char *rest)
{
	size_t digits;

	if (!*rest || *rest == '[')
		return true;
	if (*rest != '-' && *rest != '@')
		return false;
	digits = strspn(rest + 1, "0123456789");
	return digits == 8 || (digits == 4 && rest[5] == '-') ||
	       str_eq(rest, "-latest") || str_eq(rest, "-0");
}

const struct price *price_find(const struct price_table *own, const char *model)
{
	const struct price *p = own ? longest(own->prices, own->n, model)
				    : NULL;

	for (size_t i = 0; !p && i < ARRAY_SIZE(known); i++)
		if (starts_with(model, known[i].model) &&
		    is_that_model(model + strlen(known[i].model)))
			p = &known[i];
	return p;
}

char *price_command(const char *model)
{
	return xasprintf("`git config --global 'avogit.%s.price' 'IN OUT'`, in "
			 "dollars a million tokens",
			 *model ? model : "MODEL");
}

bool price_of(double *dollars, const struct price_table *own, const char *model,
	      const struct usage *u)
{
	const struct price *p = price_find(own, model);
	int64_t shorter =
		u->cache_write - MIN(u->cache_write_long, u->cache_write);

	if (!p || !u->known)
		return false;
	*dollars = ((double)u->input * p->input +
		    (double)u->cache_read * p->cache_read +
		    (double)shorter * p->cache_write +
		    (double)(u->cache_write - shorter) * p->cache_write_long +
		    (double)u->output * p->output) /
		   1e6;
	return true;
}
