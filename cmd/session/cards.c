#include "cmd/session/cards.h"

#include <string.h>

struct error *cards_parse(struct strvec *out, const char *list,
			  const struct task *t)
{
	if (!list)
		return NULL;
	if (t->language != LANGUAGE_CUDA)
		return error_new(ERROR_USAGE,
				 "--gpus is for tasks that run on a GPU, and "
				 "%s is a task in %s: leave it out",
				 t->path, task_language(t));
	for (;;) {
		size_t len = strcspn(list, ",");

		if (!len)
			return error_new(ERROR_USAGE,
					 "--gpus takes the numbers or UUIDs of "
					 "cards with commas between them, as "
					 "in 0,1");
		strvec_pushf(out, "%.*s", (int)len, list);
		if (!list[len])
			return NULL;
		list += len + 1;
	}
}

struct error *cards_check(const struct strvec *cards, size_t agents,
			  bool in_order)
{
	if (cards->n <= 1)
		return NULL;
	if (in_order)
		return error_new(ERROR_USAGE,
				 "with --in-order one candidate is measured "
				 "after another, which keeps one card at work: "
				 "name one card under --gpus");
	if (agents < cards->n)
		return error_new(ERROR_USAGE,
				 "--gpus names %zu cards, and an agent has one "
				 "candidate measured at a time: give --agents "
				 "%zu or more, or name fewer cards",
				 cards->n, cards->n);
	return NULL;
}
