/* Members of structures. */
#include "core/task/walk.h"

struct value walk_object_member(const struct walk *w, size_t object,
				struct token name)
{
	const struct prototype *p = w->prototype;

	for (size_t i = p->n; i < prototype_all(p); i++) {
		struct value v = w->argument[i];

		if (p->parameter[i].owner != object ||
		    !token_is(name, p->parameter[i].member))
			continue;
		v.place = i + 1;
		return v;
	}
	return value_unknown();
}

void walk_change_member(struct walk *w, const struct value *member,
			const struct value *to)
{
	w->changed[member->place - 1] = true;
	if (member->tensor < 0)
		return;
	w->access[member->tensor].unsure = true;
	if (to)
		walk_note_swap(w, member->tensor, to->tensor);
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
