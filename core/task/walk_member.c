/* Members of structures. */
#include "core/task/walk.h"

struct value walk_object_member(const struct walk *w, size_t object,
				struct token name)
{
	const struct prototype *p = w->prototype;

	for (size_t i = p->n; i < prototype_all(p); i++)
		if (p->parameter[i].owner == object &&
		    token_is(name, p->parameter[i].member))
			return w->argument[i];
	return value_unknown();
}

void walk_escape_object(struct walk *w, size_t object)
{
	const struct prototype *p = w->prototype;

	for (size_t i = p->n; object && i < prototype_all(p); i++)
		if (p->parameter[i].owner == object &&
		    w->argument[i].tensor >= 0)
			walk_escape(w, &w->argument[i]);
}

size_t walk_dimensions(const struct walk *w, int tensor, struct token name)
{
	const char *at = w->arrays[tensor];
	size_t n = 0;

	for (; at && *at; at += strcspn(at, " ")) {
		at += strspn(at, " ");
		n += strcspn(at, " ") == name.len &&
		     memcmp(at, name.at, name.len) == 0;
	}
	return n;
}
