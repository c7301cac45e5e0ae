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
	/* C: a shim may have to make it, since the kernel changes it or it has
	 * arrays: these are whole, and what no argument can be has its name
	 * here. */
	bool may_change;
	bool by_shim; /* no struct of a task can be it */
	size_t n_arrays, n_pointers;
};

/* A member, or the structure that members are in. */
struct member_place {
	const char *name, *path; /* "size_w", "size.w" */
	uint64_t at;
	size_t depth;
};

static bool add_member(struct members *m, const struct member_place *w,
		       uint64_t bytes, uint64_t count, struct parameter *filled)
{
	struct prototype *p = m->p;
	struct parameter *to = &p->parameter[p->n + p->n_members];
	uint64_t place = (m->end + bytes - 1) / bytes * bytes;

	m->by_shim |= place != w->at;
	if ((place != w->at && !m->may_change) || m->n == MAX_MEMBERS ||
	    !m->of->name[0] || p->n_members + p->n >= TASK_MAX_ARGS) {
		parameter_release(filled);
		return false;
	}
	m->end = w->at + bytes * count;
	m->align = MAX(m->align, bytes);
	m->n++;
	p->n_members++;
	*to = *filled;
	*filled = (struct parameter){0};
	to->member = xstrdup(w->name);
	to->path = xstrdup(w->path);
	to->name = xasprintf("%s_%s", m->of->name, w->name);
	to->owner = (size_t)(m->of - p->parameter) + 1;
	return true;
}

/* What no argument can be: where the kernel uses it, init makes no structure. */
static bool add_opaque(struct members *m, const struct debug_entry *d,
		       const struct member_place *w)
{
	struct parameter here = {.held = HELD_OPAQUE};

	if (!m->may_change)
		return false;
	m->by_shim = true;
	here.type = debug_type_word(m->all, debug_plain(m->all, d->type));
	return add_member(m, w, 1, 1, &here);
}

static bool add_type(struct members *m, uint64_t type,
		     const struct member_place *w);

static bool add_structure(struct members *m, const struct debug_entry *e,
			  const struct member_place *w)
{
	const struct entries *all = m->all;
	size_t own = (size_t)(e - all->v);

	for (size_t i = own + 1; i < all->n && all->v[i].depth > e->depth;
	     i++) {
		const struct debug_entry *d = &all->v[i];
		cleanup_free char *name = NULL, *path = NULL;
		struct member_place here = {.at = w->at + d->location,
					    .depth = w->depth + 1};
		size_t before = m->n;

		if (++m->looks > MAX_LOOKS)
			return false;
		if (d->parent != own || d->declaration || d->external)
			continue;
		if (piece_is(d->tag, "inheritance"))
			return false;
		if (!piece_is(d->tag, "member"))
			continue;
		/* Names of the library's own are not for others to fill in. */
		if (!d->name.len || *d->name.at == '_' ||
		    !debug_is_name(d->name.at, d->name.len, false))
			return false;
		here.name = name = xasprintf("%s%s%.*s", w->name,
					     *w->name ? "_" : "",
					     (int)d->name.len, d->name.at);
		here.path = path = xasprintf("%s%s%.*s", w->path,
					     *w->path ? "." : "",
					     (int)d->name.len, d->name.at);
		if (!d->bit_field && add_type(m, d->type, &here))
			continue;
		/* Some of it may be there. */
		if (m->n != before || !add_opaque(m, d, &here))
			return false;
	}
	return true;
}

/* The dimensions of an array; 0: one of them is not known, or they are many. */
static size_t read_dimensions(uint64_t *dim, const struct entries *all,
			      const struct debug_entry *e)
{
	size_t own = (size_t)(e - all->v), n = 0;

	for (size_t i = own + 1; i < all->n && all->v[i].parent == own; i++) {
		if (n == STATE_MAX_DIMS || !all->v[i].count)
			return 0;
		dim[n++] = all->v[i].count;
	}
	return n;
}

/* As one argument, for a shim. */
static bool add_whole_array(struct members *m, const struct debug_entry *e,
			    const struct member_place *w)
{
	const struct debug_entry *row = debug_plain(m->all, e->type);
	struct parameter here = {.held = HELD_ARRAY};
	uint64_t count;

	if (row && piece_is(row->tag, "array_type"))
		return false;
	debug_read_elements(&here, m->all, e->type, m->p->language);
	here.n_held = read_dimensions(here.held_dim, m->all, e);
	count = MIN(MAX(here.members, (size_t)1), (size_t)STATE_MAX_ELEMENTS);
	for (size_t i = 0; i < here.n_held && count < STATE_MAX_ELEMENTS; i++)
		count *= MIN(here.held_dim[i], (uint64_t)STATE_MAX_ELEMENTS);
	if (!here.n_held || !here.known || count >= STATE_MAX_ELEMENTS) {
		parameter_release(&here);
		return false;
	}
	m->by_shim = true;
	m->n_arrays++;
	here.is_const = m->of->is_const;
	return add_member(m, w, dtype_bytes(here.dtype), count, &here);
}

static bool add_array(struct members *m, const struct debug_entry *e,
		      const struct member_place *w)
{
	struct parameter element = {0};
	uint64_t dim[STATE_MAX_DIMS] = {0};
	bool ok = read_dimensions(dim, m->all, e) == 1 && dim[0] <= MAX_MEMBERS;

	if (m->may_change)
		return add_whole_array(m, e, w);
	debug_read_type(&element, m->all, e->type, m->p->language);
	ok = ok && element.known && !element.is_pointer;
	for (uint64_t i = 0; ok && i < dim[0]; i++) {
		cleanup_free char *each =
			xasprintf("%s_%llu", w->name, (unsigned long long)i);
		struct member_place here = {
			each, w->path, w->at + i * dtype_bytes(element.dtype),
			w->depth + 1};

		ok = add_type(m, e->type, &here);
	}
	parameter_release(&element);
	return ok;
}

static bool add_type(struct members *m, uint64_t type,
		     const struct member_place *w)
{
	const struct debug_entry *e = debug_plain(m->all, type);
	struct parameter here = {0};

	if (!e || w->depth > 8)
		return false;
	if (piece_is(e->tag, "structure_type"))
		return add_structure(m, e, w);
	if (piece_is(e->tag, "array_type"))
		return add_array(m, e, w);
	debug_read_type(&here, m->all, type, m->p->language);
	free(here.name);
	here.name = NULL;
	/* Rows have no shape here: which of their numbers is used is not seen. */
	if (here.is_nested || (!here.is_pointer && !here.known)) {
		parameter_release(&here);
		return false;
	}
	m->n_pointers += here.is_pointer;
	return add_member(m, w,
			  here.is_pointer ? sizeof(void *)
					  : dtype_bytes(here.dtype),
			  1, &here);
}

/* `by_shim`: as what a shim makes. One that is only read is so where it has arrays and
 * points to none. */
static bool read_members(struct prototype *p, struct parameter *a,
			 const struct entries *all, const struct debug_entry *e,
			 bool by_shim)
{
	struct members m = {
		.all = all, .p = p, .of = a, .align = 1, .may_change = by_shim};
	const struct member_place whole = {"", "", 0, 0};
	size_t before = p->n_members;

	a->has_members = add_structure(&m, e, &whole) && m.n;
	m.by_shim |= (m.end + m.align - 1) / m.align * m.align != e->bytes;
	a->by_shim = m.by_shim;
	a->whole_bytes = e->bytes;
	a->has_members &= !m.by_shim || m.may_change;
	if (by_shim && a->is_const)
		a->has_members &= m.n_arrays && !m.n_pointers;
	if (a->has_members)
		return true;
	while (p->n_members > before)
		parameter_release(&p->parameter[p->n + --p->n_members]);
	return false;
}

/* Several integers of one type, known as an array of structures already. */
static bool may_be_one(const struct prototype *p, const struct parameter *a)
{
	return p->language == LANGUAGE_C && a->known && a->members > 1 &&
	       !a->is_const && !dtype_is_float(a->dtype);
}

static void drop_members(struct prototype *p, struct parameter *a,
			 size_t before)
{
	while (p->n_members > before)
		parameter_release(&p->parameter[p->n + --p->n_members]);
	a->has_members = a->by_shim = false;
}

void debug_read_members(struct prototype *p, size_t i,
			const struct entries *all, uint64_t type)
{
	struct parameter *a = &p->parameter[i];
	const struct debug_entry *e = debug_pointee(all, type);
	bool by_shim = p->language == LANGUAGE_C, one = may_be_one(p, a);
	size_t before = p->n_members;

	if (!e || (a->known && !one) || a->is_nested || !a->is_pointer ||
	    (!piece_is(e->tag, "structure_type") &&
	     !piece_is(e->tag, "class_type")))
		return;
	if (!read_members(p, a, all, e, by_shim) && by_shim && a->is_const)
		read_members(p, a, all, e, false);
	if (!one)
		return;
	/* A single array is one already. */
	a->may_be_one = a->has_members && p->n_members - before > 1;
	if (a->may_be_one)
		a->has_members = false;
	else
		drop_members(p, a, before);
}
