#include "scorer/contest/changed_element.h"

/* A static input stays; elements of a generator's may belong together. */
static bool may_change(const struct task *t, size_t i)
{
	const struct argument *a = &t->argument[i];

	return a->kind == ARGUMENT_TENSOR && a->direction != DIRECTION_OUT &&
	       !a->is_static && a->fill != FILL_GENERATOR;
}

size_t changed_inputs(size_t which[TASK_MAX_ARGS], const struct task *t,
		      const struct input_set *s)
{
	const struct recipe *r = &s->recipe;
	size_t n = 0;

	for (size_t i = 0; i < t->n_arguments; i++) {
		bool fixed =
			r->fill[i] == FILL_ALL_HIGH ||
			r->fill[i] == FILL_ALL_LOW ||
			(r->fill[i] == FILL_RANGE && !(r->low[i] < r->high[i]));

		if (may_change(t, i) && !fixed &&
		    s->call.layout.arg[i].tensor.elements > 0)
			which[n++] = i;
	}
	return n;
}

static int64_t draw_element(struct scoring *sc, const struct layout *l,
			    const struct tensor_layout *t,
			    const struct selection *what)
{
	int64_t begin = 0, n = t->elements;

	if (what->n_segments && t->n_dims && t->shape[0] == l->rows) {
		const struct segment *s = &what->segment[secret_below(
			&sc->secret, what->n_segments)];
		int64_t row = t->elements / t->shape[0];

		begin = s->begin * row;
		n = (s->end - s->begin) * row;
	}
	return begin + (int64_t)secret_below(&sc->secret, (uint64_t)n);
}

void changed_draw(struct input_set *s, size_t i, struct scoring *sc,
		  const struct selection *what)
{
	const struct layout *l = &s->call.layout;
	struct recipe *r = &s->recipe;

	r->change[r->n_changes++] = (struct changed_element){
		.argument = (uint32_t)i,
		.number = (uint32_t)secret_u64(&sc->secret),
		.element = draw_element(sc, l, &l->arg[i].tensor, what)};
}

void changed_say(struct score_outcome *o, const struct task *t, size_t i,
		 bool failed)
{
	cleanup_free char *why = steal(&o->why);

	o->why = xasprintf(
		"%s; it was launched again in the same buffers with one "
		"changed element of `%s`%s",
		why, t->argument[i].name,
		failed ? ""
		       : ": what was kept for an address, a size or a part of "
			 "the elements is wrong there");
}
