#include "core/task/state.h"

#include "core/base/buf.h"

static bool is_of(const struct prototype *p, size_t member, size_t i)
{
	return member >= p->n && p->parameter[member].owner == i + 1;
}

static void set_text(char **to, char *text)
{
	free(*to);
	*to = text;
}

/* Why no shim makes it: the member that is used and that no argument can be. */
static char *find_fault(const struct prototype *p, size_t i,
			const struct state_use *use)
{
	for (size_t k = p->n; k < prototype_all(p); k++) {
		const struct parameter *a = &p->parameter[k];

		if (!is_of(p, k, i) || !use->used[k] ||
		    (a->held != HELD_OPAQUE && a->known))
			continue;
		return xasprintf("`%s`, a `%s%s`", a->path, a->type,
				 a->is_pointer ? " *" : "");
	}
	return NULL;
}

/* Is there something in it to compare, or nothing else that could make it? */
static bool is_needed(const struct prototype *p, size_t i,
		      const struct state_use *use)
{
	if (p->parameter[i].by_shim)
		return true;
	for (size_t k = p->n; k < prototype_all(p); k++)
		if (is_of(p, k, i) && use->changed[k] && use->used[k] &&
		    !p->parameter[k].is_pointer)
			return true;
	return false;
}

/* An array of one: in, out or both. */
static void make_array(struct parameter *a, bool changed, bool kept)
{
	a->held = HELD_STATE;
	a->is_pointer = a->has_direction = true;
	a->is_const = !changed;
	a->direction = !changed ? DIRECTION_IN
		       : kept	? DIRECTION_INOUT
				: DIRECTION_OUT;
	set_text(&a->shape, xstrdup("1"));
	set_text(&a->extent, xstrdup("1"));
	set_text(&a->declared,
		 xasprintf("%s%s *", changed ? "" : "const ", a->type));
}

/* A size goes in as a number, so what becomes of it has an argument of its own. */
static void add_after(struct prototype *to, const struct parameter *a)
{
	struct parameter *after = &to->parameter[to->n++];

	*after = (struct parameter){.name = xasprintf("%s" TASK_STATE_AFTER,
						      a->name),
				    .path = xstrdup(a->path),
				    .type = xstrdup(a->type),
				    .state = a->state,
				    .known = true,
				    .dtype = a->dtype};
	make_array(after, true, false);
	after->held = HELD_AFTER;
}

/* *a as a parameter of *to. */
static void take_member(struct prototype *to, struct parameter *a, bool changed,
			bool kept)
{
	a->owner = 0;
	a->state = to->n_states;
	set_text(&a->member, NULL);
	if (!a->is_pointer && !a->is_size)
		make_array(a, changed, kept);
	to->parameter[to->n++] = *a;
	if (!a->is_pointer && changed && to->n < TASK_MAX_ARGS)
		add_after(to, &to->parameter[to->n - 1]);
}

/* Its own place among the parameters goes to its members. */
static void take_state(struct prototype *to, struct prototype *p, size_t i,
		       const struct state_use *use)
{
	struct parameter *own = &p->parameter[i];

	to->state[to->n_states++] =
		(struct kernel_state){.name = xstrdup(own->name),
				      .type = xstrdup(own->type),
				      .bytes = own->whole_bytes};
	for (size_t k = p->n; k < prototype_all(p); k++) {
		if (!is_of(p, k, i))
			continue;
		if (use->used[k])
			take_member(to, &p->parameter[k], use->changed[k],
				    use->kept[k]);
		else
			parameter_release(&p->parameter[k]);
		p->parameter[k] = (struct parameter){0};
	}
	parameter_release(own);
}

static void drop_members(struct prototype *p, size_t i)
{
	for (size_t k = p->n; k < prototype_all(p); k++) {
		if (!is_of(p, k, i))
			continue;
		parameter_release(&p->parameter[k]);
		p->parameter[k] = (struct parameter){0};
	}
	p->parameter[i].has_members = false;
}

/* How many parameters there are then, members of other structures too. */
static size_t count_all(const struct prototype *p, const bool *is_state,
			const struct state_use *use)
{
	size_t n = p->n;

	for (size_t k = p->n; k < prototype_all(p); k++) {
		const struct parameter *a = &p->parameter[k];
		bool flat = a->owner && is_state[a->owner - 1];

		n += !flat || use->used[k];
		n += flat && use->used[k] && use->changed[k] && a->is_size;
	}
	return n;
}

static void rebuild(struct prototype *p, const bool *is_state,
		    const struct state_use *use)
{
	struct prototype *to = xcalloc(1, sizeof *to);
	size_t now[TASK_MAX_ARGS] = {0};

	for (size_t i = 0; i < p->n; i++) {
		now[i] = to->n + 1;
		if (is_state[i])
			take_state(to, p, i, use);
		else
			to->parameter[to->n++] = p->parameter[i];
	}
	for (size_t k = p->n; k < prototype_all(p); k++) {
		struct parameter *a = &p->parameter[k];

		if (!a->owner)
			continue;
		a->owner = now[a->owner - 1];
		to->parameter[to->n + to->n_members++] = *a;
	}
	p->n = to->n;
	p->n_members = to->n_members;
	p->n_states = to->n_states;
	memcpy(p->parameter, to->parameter, sizeof p->parameter);
	memcpy(p->state, to->state, sizeof p->state);
	free(to);
}

void state_flatten(struct prototype *p, const struct state_use *use)
{
	bool is_state[TASK_MAX_ARGS] = {false};
	bool any = false;

	for (size_t i = 0; !use && i < p->n; i++) {
		if (!p->parameter[i].by_shim || !p->parameter[i].has_members)
			continue;
		drop_members(p, i);
		any = true;
	}
	if (!use && any)
		rebuild(p, is_state, &(struct state_use){0});
	if (!use)
		return;

	for (size_t i = 0; i < p->n; i++) {
		struct parameter *a = &p->parameter[i];
		char *fault;

		if (!state_is_possible(p, i) || !is_needed(p, i, use))
			continue;
		fault = find_fault(p, i, use);
		is_state[i] = !fault;
		if (count_all(p, is_state, use) > TASK_MAX_ARGS) {
			is_state[i] = false;
			fault = xstrdup("too many members");
		}
		any |= is_state[i];
		if (fault && a->by_shim) {
			drop_members(p, i);
			a->fault = fault;
			fault = NULL;
			any = true;
		}
		free(fault);
	}
	if (any)
		rebuild(p, is_state, use);
}
