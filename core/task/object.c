#include "core/task/object.h"

#include "core/base/buf.h"

void object_free(struct method_object *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->n; i++) {
		free(o->member[i].name);
		free(o->member[i].way);
		free(o->member[i].type);
		parameter_release(&o->member[i].filled);
	}
	free(o->member);
	strvec_release(&o->methods);
	free(o->fault);
	free(o);
}

/* ---- which members ------------------------------------------------------------ */

/* The member's own name where nothing else has it. */
static char *argument_name(const struct prototype *p, const char *before,
			   const char *name)
{
	cleanup_free char *own = xasprintf("%s%s", before, name);

	return prototype_has(p, own) ? xasprintf("self_%s", own) : steal(&own);
}

static void set_text(char **to, char *text)
{
	free(*to);
	*to = text;
}

static struct parameter *add(struct prototype *p, const struct object_member *m,
			     char *name)
{
	struct parameter *a = &p->parameter[prototype_all(p)];
	const struct parameter *from = &m->filled;

	*a = (struct parameter){.name = name,
				.member = xstrdup(m->name),
				.owner = 1,
				.type = xstrdup_null(from->type),
				.declared = xstrdup_null(from->declared),
				.alias = xstrdup_null(from->alias),
				.layout = xstrdup_null(from->layout),
				.arrays = xstrdup_null(from->arrays),
				.known = from->known,
				.dtype = from->dtype,
				.members = from->members,
				.is_nested = from->is_nested,
				.is_pointer = from->is_pointer,
				.is_const = from->is_const,
				.place = 1 + m->at};
	p->n_members++;
	return a;
}

/* How many a vector has; before its last character, which is often a mark of
 * members: "n_taps" of "taps_". */
static void add_count(struct prototype *p, const struct object_member *m)
{
	size_t len = strlen(m->name);
	cleanup_free char *name =
		xstrndup(m->name, len - (len > 1 && m->name[len - 1] == '_'));
	struct parameter *a = &p->parameter[prototype_all(p)];

	*a = (struct parameter){.name = argument_name(p, "n_", name),
				.member = xasprintf("%s()", m->name),
				.owner = 1,
				.type = xstrdup("unsigned long"),
				.declared = xstrdup("unsigned long"),
				.known = true,
				.dtype = DTYPE_U64,
				.place = 1 + m->at,
				.held = HELD_COUNT};
	p->n_members++;
}

static void forget_members(struct prototype *p)
{
	size_t kept = p->n, all = prototype_all(p);

	for (size_t i = p->n; i < all; i++) {
		if (p->parameter[i].owner == 1)
			parameter_release(&p->parameter[i]);
		else
			p->parameter[kept++] = p->parameter[i];
	}
	p->n_members = kept - p->n;
}

/* The structure among the members that this one is in: so many characters of its
 * name, 0: in none. */
static size_t group_length(const struct object_member *m)
{
	return m->last ? m->last - 1 : 0;
}

static bool is_mentioned(const struct object_member *m,
			 const struct object_text *text)
{
	const char *own = m->name + m->last;
	cleanup_free char *name =
		xstrndup(own, m->array ? m->array : strlen(own));

	return text->mentions(text->text, name);
}

/* Of a structure that is mentioned, some member is, too, and no method is called:
 * else something is done with the whole that is not seen. */
static bool is_whole_used(const struct method_object *o,
			  const struct object_member *m,
			  const struct object_text *text)
{
	size_t len = group_length(m);
	cleanup_free char *way = xstrdup(m->way);
	char *rest = way, *word, *group = NULL;

	while ((word = strsep(&rest, " ")) && *word) {
		if (text->calls(text->text, word))
			return true;
		group = word;
	}
	if (!group || !text->mentions(text->text, group))
		return false;
	for (size_t i = 0; i < o->n; i++) {
		const struct object_member *other = &o->member[i];

		if (strncmp(other->name, m->name, len) == 0 &&
		    other->name[len] == '_' && other->last > len &&
		    is_mentioned(other, text))
			return false;
	}
	return true;
}

static bool give_up(struct prototype *p, const struct object_member *m,
		    const char *why)
{
	int len = (int)strcspn(m->type, "<");

	forget_members(p);
	p->parameter[0].has_members = false;
	p->object->fault = xasprintf("`%s`, a `%.*s%s`%s", m->name, len,
				     m->type, m->type[len] ? "<...>" : "", why);
	return false;
}

bool object_choose(struct prototype *p, const struct object_text *text)
{
	struct method_object *o = p->object;

	forget_members(p);
	for (size_t i = 0; i < o->n; i++) {
		const struct object_member *m = &o->member[i];
		const char *why;
		struct parameter *a;

		if (is_whole_used(o, m, text))
			return give_up(p, m, "");
		if (!is_mentioned(m, text))
			continue;
		if (m->is_opaque)
			return give_up(p, m, "");
		why = m->is_vector
			      ? text->used_whole(text->text, m->name + m->last)
			      : NULL;
		if (why)
			return give_up(p, m, why);
		if (prototype_all(p) + 2 > TASK_MAX_ARGS)
			return give_up(p, m, " among too many");
		a = add(p, m, argument_name(p, "", m->name));
		if (!m->is_vector)
			continue;
		/* What a vector has is as constant as the vector. */
		if (p->parameter[0].is_const && !a->is_const) {
			a->is_const = true;
			set_text(&a->declared,
				 xasprintf("const %s *", a->type));
		}
		a->held = HELD_VECTOR;
		add_count(p, m);
	}
	p->parameter[0].has_members = true;
	o->is_used = true;
	return true;
}

/* ---- as arguments ------------------------------------------------------------- */

/* A number that is there after the call is compared as an array of one is. */
static void make_state(struct parameter *a, bool kept)
{
	a->held = HELD_STATE;
	a->is_pointer = a->has_direction = true;
	a->is_const = false;
	a->direction = kept ? DIRECTION_INOUT : DIRECTION_OUT;
	set_text(&a->shape, xstrdup("1"));
	set_text(&a->extent, xstrdup("1"));
	set_text(&a->declared, xasprintf("%s *", a->type));
}

/* Where the loops do not say how far a vector is used, it is all of it. */
static void size_vector(struct parameter *a, struct parameter *count)
{
	if (a->shape)
		return;
	count->is_size = true;
	set_text(&a->shape,
		 a->members ? xasprintf("%s, %zu", count->name, a->members)
			    : xstrdup(count->name));
	set_text(&a->extent,
		 a->members ? xasprintf("%s * %zu", count->name, a->members)
			    : xstrdup(count->name));
}

void object_flatten(struct prototype *p, const bool *changed, const bool *kept)
{
	struct parameter all[TASK_MAX_ARGS];
	size_t n = 0, before = prototype_all(p);

	for (size_t i = p->n; i < before; i++) {
		struct parameter *a = &p->parameter[i];

		if (a->owner != 1)
			continue;
		/* How many a vector has stays: one that is resized is refused. */
		if (changed[i] && !a->is_pointer && !a->is_size &&
		    a->held != HELD_COUNT)
			make_state(a, kept[i]);
		if (a->held == HELD_VECTOR)
			size_vector(a, a + 1);
		free(a->member);
		a->member = NULL;
		all[n++] = *a;
		all[n - 1].owner = 0;
	}
	p->n_members -= n;
	parameter_release(&p->parameter[0]);
	for (size_t i = 1, held = n; i < before; i++) {
		struct parameter *a = &p->parameter[i];

		if (i >= p->n && a->owner == 1)
			continue;
		all[n] = *a;
		if (i >= p->n)
			all[n].owner += held - 1;
		n++;
	}
	p->n = n - p->n_members;
	memcpy(p->parameter, all, n * sizeof *all);
	memset(p->parameter + n, 0, (TASK_MAX_ARGS - n) * sizeof *all);
	p->is_method = false;
}
