/* Members of structures. */
#include <ctype.h>

#include "core/task/walk.h"

/* Is the member named "path_name", or does its name go on so ("path_name_x")? */
static bool fits(const char *member, struct token path, struct token name,
		 bool whole)
{
	size_t len = path.len ? path.len + 1 : 0;

	if (path.len && (strncmp(member, path.at, path.len) != 0 ||
			 member[path.len] != '_'))
		return false;
	if (strlen(member) < len ||
	    strncmp(member + len, name.at, name.len) != 0)
		return false;
	len += name.len;
	return strlen(member) >= len &&
	       (whole ? !member[len] : member[len] == '_' && member[len + 1]);
}

struct value walk_object_member(const struct walk *w, size_t object,
				struct token path, struct token name)
{
	const struct prototype *p = w->prototype;
	struct value v = value_unknown();

	for (size_t i = p->n; i < prototype_all(p); i++) {
		const struct parameter *a = &p->parameter[i];

		if (a->owner != object)
			continue;
		if (fits(a->member, path, name, true)) {
			v = w->argument[i];
			v.place = i + 1;
			return v;
		}
		if (v.object || !fits(a->member, path, name, false))
			continue;
		v.object = object;
		v.path = (struct token){
			a->member, (path.len ? path.len + 1 : 0) + name.len};
	}
	return v;
}

/* The element that the member is of the array "path": -1: none. */
static int64_t element_number(const char *member, struct token path)
{
	const char *at = member + path.len + 1;
	char *end;
	long n;

	if (strncmp(member, path.at, path.len) != 0 ||
	    member[path.len] != '_' || !isdigit((unsigned char)*at))
		return -1;
	n = strtol(at, &end, 10);
	return *end ? -1 : n;
}

struct value walk_object_element(struct walk *w, const struct value *of,
				 const struct value *index)
{
	const struct prototype *p = w->prototype;
	struct value v = value_unknown();
	int64_t c;
	bool known = index->tensor < 0 && poly_is_constant(&index->p, &c);

	for (size_t i = p->n; i < prototype_all(p); i++) {
		int64_t n = p->parameter[i].owner == of->object
				    ? element_number(p->parameter[i].member,
						     of->path)
				    : -1;

		if (n < 0)
			continue;
		w->changed[i] |= !known;
		w->kept[i] |= !known;
		if (!known || n != c)
			continue;
		v = w->argument[i];
		v.place = i + 1;
	}
	return v;
}

static bool is_within(const char *member, struct token path)
{
	return !path.len || (strncmp(member, path.at, path.len) == 0 &&
			     member[path.len] == '_');
}

/* Is it the object of a method, or the state of a function in C? */
static bool may_change(const struct walk *w, size_t object)
{
	return object == w->self || state_is_possible(w->prototype, object - 1);
}

void walk_lend(struct walk *w, const struct value *v)
{
	const struct prototype *p = w->prototype;
	bool whole = p && v->object && may_change(w, v->object);

	if (!p || (!whole && (v->object || v->binding != SIZE_MAX)))
		return;
	for (size_t i = p->n; i < prototype_all(p); i++) {
		const struct parameter *a = &p->parameter[i];

		if (may_change(w, a->owner) && w->argument[i].tensor < 0 &&
		    (whole ? a->owner == v->object &&
				     is_within(a->member, v->path)
			   : v->place == i + 1))
			w->changed[i] = w->kept[i] = true;
	}
}

void walk_note_listed(struct walk *w, const struct value *v)
{
	if (v->object && !v->path.len)
		w->listed[v->object - 1] = true;
}

/* The parameter that says how many a vector has is the next one. */
struct value walk_vector_method(struct walk *w, const struct value *of)
{
	size_t at = w->at++;
	struct value v = *of;

	if (!walk_is(w, w->at, "(") || !walk_is(w, w->at + 1, ")"))
		return value_unknown();
	w->at += 2;
	v.is_element = false;
	v.place = 0;
	if (walk_is(w, at, "data") || walk_is(w, at, "get"))
		return v;
	if (w->prototype &&
	    w->prototype->parameter[of->tensor].held == HELD_VECTOR) {
		const struct value *count = &w->argument[of->tensor + 1];

		if (walk_is(w, at, "size"))
			return *count;
		if (walk_is(w, at, "end") || walk_is(w, at, "cend"))
			v.p = poly_add(&v.p, &count->p);
		if (walk_is(w, at, "begin") || walk_is(w, at, "cbegin") ||
		    walk_is(w, at, "end") || walk_is(w, at, "cend"))
			return v;
	}
	/* Where an iterator goes is not followed. */
	if (!walk_is(w, at, "empty"))
		walk_escape(w, of);
	return value_unknown();
}

void walk_change_member(struct walk *w, const struct value *member,
			const struct value *to)
{
	if (!w->changed[member->place - 1] && (w->conditions || !to))
		w->kept[member->place - 1] = true;
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
