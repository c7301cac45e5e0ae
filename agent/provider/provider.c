#include "agent/provider/provider.h"
#include "agent/provider/recording.h"

struct error *provider_turn(struct provider *p, struct reply *out,
			    const struct conversation *c,
			    const struct turn_limits *limits)
{
	cleanup_reply struct reply r = {0};

	TRY(p->turn(p, &r, c, limits));
	if (p->recorder)
		TRY(recorder_note(p->recorder, c, &r));
	*out = r;
	r = (struct reply){0};
	return NULL;
}

void provider_free(struct provider *p)
{
	if (p)
		p->free(p);
}

static struct spending *spending_of(struct provider *p, const char *model)
{
	for (size_t i = 0; i < p->n_spending; i++)
		if (str_eq(p->spending[i].model, model))
			return &p->spending[i];
	GROW(p->spending, p->n_spending, p->spending_cap);
	p->spending[p->n_spending] = (struct spending){
		.model = xstrdup(model), .usage = {.known = true}};
	return &p->spending[p->n_spending++];
}

void provider_spent(struct provider *p, const char *model,
		    const struct usage *usage, bool failed)
{
	struct spending *s = spending_of(p, model);
	bool was_known = s->usage.known;

	usage_add(&s->usage, usage);
	if (failed) {
		/* A failure without usage usually cost nothing, so it does not
		 * make the sum unknown. */
		s->usage.known = was_known;
		s->failures++;
	} else {
		s->replies++;
	}
}

void provider_release(struct provider *p)
{
	for (size_t i = 0; i < p->n_spending; i++)
		free(p->spending[i].model);
	free(p->spending);
	recorder_free(p->recorder);
}
