/* Applies all rules and reports the severest. */
#include "scorer/inspect/profile_rules.h"

#define FAR_BELOW 0.2 /* of the severest: a smaller severity is noise */

static const char *advice_of(const struct profile_rule *r,
			     const struct profile *p)
{
	return r->advice ? r->advice : r->advise(p);
}

/* Inserts it by severity among those found so far. */
static void insert(struct bottlenecks *b, struct bottleneck found)
{
	size_t at = b->n;

	while (at > 0 && b->item[at - 1].severity < found.severity)
		at--;
	if (at == PROFILE_BOTTLENECKS) {
		free(found.figures);
		return;
	}
	if (b->n == PROFILE_BOTTLENECKS)
		free(b->item[--b->n].figures);
	for (size_t i = b->n; i > at; i--)
		b->item[i] = b->item[i - 1];
	b->item[at] = found;
	b->n++;
}

static void ask(struct bottlenecks *out, const struct profile *p,
		const struct profile_rule *r)
{
	cleanup_buf struct buf figures = BUF_INIT(1024);
	double severity = r->severity(p);

	if (!(severity >= RULE_LEAST))
		return;
	r->figures(&figures, p);
	insert(out, (struct bottleneck){.name = r->name,
					.severity = severity,
					.figures = buf_take(&figures),
					.advice = advice_of(r, p)});
}

void profile_judge(struct bottlenecks *out, const struct profile *p)
{
	/* Of two with equal severity the first here comes first. */
	static const struct profile_rule *(*const lists[])(size_t * n) = {
		rules_of_parts, rules_of_filling, rules_of_waste};

	*out = (struct bottlenecks){0};
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		size_t n;
		const struct profile_rule *rules = lists[i](&n);

		for (size_t k = 0; k < n; k++)
			ask(out, p, &rules[k]);
	}
	while (out->n && out->item[out->n - 1].severity <
				 FAR_BELOW * out->item[0].severity)
		free(out->item[--out->n].figures);
}

void bottlenecks_release(struct bottlenecks *b)
{
	for (size_t i = 0; i < b->n; i++)
		free(b->item[i].figures);
	*b = (struct bottlenecks){0};
}
