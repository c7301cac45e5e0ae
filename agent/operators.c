#include "agent/operators.h"

#include "agent/command/command.h"
#include "agent/tuner/tuner.h"

/* ---- a person ------------------------------------------------------------ */

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
	if (!a || !str_eq(a->subject, h->subject))
		v->because = xstrdup("nothing new was to be scored");
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
	h->operator_ = (struct variation_operator){.name = "hand",
						   .vary = vary,
						   .free = hand_free,
						   .proposes = true};
	h->sources = sources;
	h->subject = xstrndup(message, subject);
	h->hypothesis = *rest ? xstrdup(rest) : NULL;
	*out = &h->operator_;
	return NULL;
}

/* ---- by name -------------------------------------------------------------- */

struct error *operator_new(struct variation_operator **out,
			   const struct task *task, const char *name,
			   const struct llm_options *o)
{
	struct llm_options options = *o;

	if (!name)
		name = task->operator_name;
	if (str_eq(name, "tuner"))
		return tuner_new(out, task);
	if (str_eq(name, "command"))
		return command_new(out, task, o->knowledge);
	options.plays = str_eq(name, "replay");
	if (options.plays || str_eq(name, "llm"))
		return llm_new(out, task, &options);
	return error_new(ERROR_USAGE,
			 "the operator '%s' is not one avogit has: there is "
			 "'tuner', which varies the tunables a source "
			 "declares, 'llm', a model with tools, 'command', an "
			 "agent the task names, and 'replay', a recording",
			 name);
}

void operator_free(struct variation_operator *o)
{
	if (o)
		o->free(o);
}
