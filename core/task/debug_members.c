/* The members of a structure that a function gets the address of, from the
 * compiler's debug information. */
#include "core/task/debug_entries.h"

#define MAX_MEMBERS 24

/* What is gathered of one structure. */
struct members {
	const struct entries *all;
	struct prototype *p;
	struct parameter *of;
	size_t looks, n;
	uint64_t end, align; /* as C would lay out the members so far */
};

static bool add_member(struct members *m, const char *name, uint64_t at,
		       uint64_t bytes, struct parameter *filled)
{
	struct prototype *p = m->p;
	struct parameter *to = &p->parameter[p->n + p->n_members];
	uint64_t place = (m->end + bytes - 1) / bytes * bytes;

	if (place != at || m->n == MAX_MEMBERS || !m->of->name[0] ||
	    p->n_members + p->n >= TASK_MAX_ARGS) {
		parameter_release(filled);
		return false;
	}
	m->end = at + bytes;
	m->align = MAX(m->align, bytes);
	m->n++;
	p->n_members++;
	*to = *filled;
	*filled = (struct parameter){0};
	to->member = xstrdup(name);
	to->name = xasprintf("%s_%s", m->of->name, name);
	to->owner = (size_t)(m->of - p->parameter) + 1;
	return true;
}

static bool add_type(struct members *m, uint64_t type, const char *name,
		     uint64_t at, size_t depth);

static bool add_structure(struct members *m, const struct debug_entry *e,
			  const char *before, uint64_t at, size_t depth)
{
	const struct entries *all = m->all;
	size_t own = (size_t)(e - all->v);

	for (size_t i = own + 1; i < all->n && all->v[i].depth > e->depth;
	     i++) {
		const struct debug_entry *d = &all->v[i];
		cleanup_free char *name = NULL;

		if (++m->looks > MAX_LOOKS)
			return false;
		if (d->parent != own || d->declaration || d->external)
			continue;
		if (piece_is(d->tag, "inheritance"))
			return false;
		if (!piece_is(d->tag, "member"))
			continue;
		/* Names of the library's own are not for others to fill in. */
		if (d->bit_field || !d->name.len || *d->name.at == '_' ||
		    !debug_is_name(d->name.at, d->name.len, false))
			return false;
		name = xasprintf("%s%s%.*s", before, *before ? "_" : "",
				 (int)d->name.len, d->name.at);
		if (!add_type(m, d->type, name, at + d->location, depth + 1))
			return false;
	}
	return true;
}

static bool add_array(struct members *m, const struct debug_entry *e,
		      const char *name, uint64_t at, size_t depth)
{
	const struct entries *all = m->all;
	size_t own = (size_t)(e - all->v);
	struct parameter element = {0};
	bool ok = own + 1 < all->n && all->v[own + 1].parent == own &&
		  all->v[own + 1].count &&
		  all->v[own + 1].count <= MAX_MEMBERS &&
		  (own + 2 >= all->n || all->v[own + 2].parent != own);

	debug_read_type(&element, all, e->type, m->p->language);
	ok = ok && element.known && !element.is_pointer;
	for (uint64_t i = 0; ok && i < all->v[own + 1].count; i++) {
		cleanup_free char *each =
			xasprintf("%s_%llu", name, (unsigned long long)i);

		ok = add_type(m, e->type, each,
			      at + i * dtype_bytes(element.dtype), depth + 1);
	}
	parameter_release(&element);
	return ok;
}

static bool add_type(struct members *m, uint64_t type, const char *name,
		     uint64_t at, size_t depth)
{
	const struct debug_entry *e = debug_plain(m->all, type);
	struct parameter here = {0};

	if (!e || depth > 8)
		return false;
	if (piece_is(e->tag, "structure_type"))
		return add_structure(m, e, name, at, depth);
	if (piece_is(e->tag, "array_type"))
		return add_array(m, e, name, at, depth);
	debug_read_type(&here, m->all, type, m->p->language);
	free(here.name);
	here.name = NULL;
	/* Rows have no shape here: which of their numbers is used is not seen. */
	if (here.is_nested || (!here.is_pointer && !here.known)) {
		parameter_release(&here);
		return false;
	}
	return add_member(m, name, at,
			  here.is_pointer ? sizeof(void *)
					  : dtype_bytes(here.dtype),
			  &here);
}

void debug_read_members(struct prototype *p, size_t i,
			const struct entries *all, uint64_t type)
{
	struct parameter *a = &p->parameter[i];
	struct members m = {.all = all, .p = p, .of = a, .align = 1};
	const struct debug_entry *e = debug_pointee(all, type);
	size_t before = p->n_members;

	if (!e || a->known || a->is_nested || !a->is_pointer ||
	    (!piece_is(e->tag, "structure_type") &&
	     !piece_is(e->tag, "class_type")))
		return;
	if (add_structure(&m, e, "", 0, 0) && m.n &&
	    (m.end + m.align - 1) / m.align * m.align == e->bytes) {
		a->has_members = true;
		return;
	}
	while (p->n_members > before)
		parameter_release(&p->parameter[p->n + --p->n_members]);
}
