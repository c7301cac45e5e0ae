#include "agent/hand.h"

struct hand {
	struct variation_operator operator_; /* first: cast back */
	const struct fileset *sources;
	char *subject, *hypothesis; /* the second may be NULL */
};

static struct error *vary(struct variation_operator *self, enum varied *out,
			  struct variation *v)
{
	struct hand *h = (struct hand *)self;
	const struct attempt *a;

	TRY(fileset_write(h->sources, v->workspace));
	TRY(v->score(v, &a, h->subject, h->hypothesis, NULL));
	*out = VARIED_EXHAUSTED;
	return NULL;
}

static void hand_free(struct variation_operator *self)
{
	struct hand *h = (struct hand *)self;

	free(h->subject);
	free(h->hypothesis);
	free(h);
}

struct error *hand_new(struct variation_operator **out,
		       const struct fileset *sources, const char *message)
{
	size_t subject = strcspn(message, "\n");
	const char *rest = message + subject;
	struct hand *h;

	rest += strspn(rest, "\n");
	if (!subject)
		return error_new(ERROR_USAGE,
				 "a message begins with a line on what was "
				 "tried");
	h = xcalloc(1, sizeof *h);
	h->operator_ = (struct variation_operator){
		.name = "hand", .vary = vary, .free = hand_free};
	h->sources = sources;
	h->subject = xstrndup(message, subject);
	h->hypothesis = *rest ? xstrdup(rest) : NULL;
	*out = &h->operator_;
	return NULL;
}
