/* All that the object of a method has, from the compiler's debug information. */
#include "core/task/debug_entries.h"
#include "core/task/object.h"

#define MAX_HELD   256
#define MAX_PARTS  16 /* of an array that is said element by element */
#define MAX_NESTED 8

struct object_reading {
	const struct entries *all;
	struct method_object *o;
	enum language language;
	size_t looks;
	bool cut; /* it has more */
};

/* What is gone through on the way: "state_" of its members, where it lies. */
struct within {
	const char *before, *way;
	uint64_t at;
	size_t depth;
	bool in_union;
};

static struct object_member *add(struct object_reading *r,
				 const struct within *w, const char *name,
				 uint64_t at)
{
	struct method_object *o = r->o;
	struct object_member *m;

	GROW(o->member, o->n, o->cap);
	m = &o->member[o->n++];
	*m = (struct object_member){.name = xasprintf("%s%s", w->before, name),
				    .last = strlen(w->before),
				    .way = xstrdup(w->way),
				    .at = w->at + at};
	return m;
}

static void set_opaque(struct object_reading *r, struct object_member *m,
		       uint64_t type)
{
	m->is_opaque = true;
	m->type = debug_type_word(r->all, debug_plain(r->all, type));
}

/* The argument T of vector<T>; 0: there is none. */
static uint64_t element_type(const struct entries *all,
			     const struct debug_entry *e)
{
	size_t own = (size_t)(e - all->v);

	for (size_t i = own + 1; i < all->n && all->v[i].depth > e->depth; i++)
		if (all->v[i].parent == own &&
		    piece_is(all->v[i].tag, "template_type_param"))
			return all->v[i].type;
	return 0;
}

static bool begins(struct text_piece p, const char *text)
{
	return p.len > strlen(text) && memcmp(p.at, text, strlen(text)) == 0;
}

/* Its memory begins with the address of what it has: three of them, or that alone,
 * or that and a counter. */
static bool is_holder(const struct debug_entry *e, bool *is_vector)
{
	*is_vector = begins(e->name, "vector<");
	return *is_vector ? e->bytes == 3 * sizeof(void *)
			  : (begins(e->name, "unique_ptr<") &&
			     e->bytes == sizeof(void *)) ||
				    (begins(e->name, "shared_ptr<") &&
				     e->bytes == 2 * sizeof(void *));
}

static bool is_class(const struct debug_entry *e)
{
	return piece_is(e->tag, "structure_type") ||
	       piece_is(e->tag, "class_type");
}

static void add_members(struct object_reading *r, const struct debug_entry *e,
			const struct within *w);

static void add_library(struct object_reading *r, const struct debug_entry *e,
			struct object_member *m, uint64_t type)
{
	uint64_t element = element_type(r->all, e);

	if (!element || !is_holder(e, &m->is_vector)) {
		m->is_vector = false;
		set_opaque(r, m, type);
		return;
	}
	debug_read_elements(&m->filled, r->all, element, r->language);
	m->is_opaque = !m->filled.known;
	m->type = debug_type_word(r->all, e);
}

/* One by one, "edge_1". */
static bool add_parts(struct object_reading *r, const struct debug_entry *e,
		      const char *name, const struct within *w, uint64_t at)
{
	const struct entries *all = r->all;
	size_t own = (size_t)(e - all->v);
	struct parameter element = {0};
	uint64_t n = own + 1 < all->n && all->v[own + 1].parent == own
			     ? all->v[own + 1].count
			     : 0;
	bool ok = n && n <= MAX_PARTS &&
		  (own + 2 >= all->n || all->v[own + 2].parent != own);
	size_t bytes;

	debug_read_type(&element, all, e->type, r->language);
	ok = ok && element.known && !element.is_pointer;
	bytes = ok ? dtype_bytes(element.dtype) : 0;
	parameter_release(&element);
	for (uint64_t i = 0; ok && i < n; i++) {
		cleanup_free char *each =
			xasprintf("%s_%llu", name, (unsigned long long)i);
		struct object_member *m = add(r, w, each, at + i * bytes);

		m->array = strlen(name);
		debug_read_type(&m->filled, all, e->type, r->language);
		m->type = xstrdup(m->filled.type);
	}
	return ok;
}

static void add_one(struct object_reading *r, const struct debug_entry *d,
		    const char *name, const struct within *w)
{
	const struct debug_entry *e = debug_plain(r->all, d->type);
	struct object_member *m;

	if (e && is_class(e) && !d->bit_field) {
		cleanup_free char *full = debug_full_name(r->all, e);
		cleanup_free char *before = xasprintf("%s%s_", w->before, name);
		cleanup_free char *way =
			xasprintf("%s%s%s", w->way, *w->way ? " " : "", name);
		struct within inner = {before, way, w->at + d->location,
				       w->depth + 1, false};

		if (starts_with(full, "std::") || starts_with(full, "__"))
			add_library(r, e, add(r, w, name, d->location),
				    d->type);
		else
			add_members(r, e, &inner);
		return;
	}
	if (e && piece_is(e->tag, "array_type") &&
	    add_parts(r, e, name, w, d->location))
		return;
	m = add(r, w, name, d->location);
	if (!e || d->bit_field || debug_is_reference(e) ||
	    piece_is(e->tag, "array_type") || piece_is(e->tag, "union_type")) {
		set_opaque(r, m, d->type);
		return;
	}
	debug_read_type(&m->filled, r->all, d->type, r->language);
	m->type = xstrdup(m->filled.declared);
	m->is_opaque = m->filled.is_nested ||
		       (!m->filled.is_pointer && !m->filled.known);
}

/* The structure whose members are named as if they were the class's own: a base, or
 * one without a name. */
static const struct debug_entry *merged(const struct entries *all,
					const struct debug_entry *d)
{
	const struct debug_entry *e;

	if (piece_is(d->tag, "inheritance"))
		return d->is_virtual ? NULL : debug_plain(all, d->type);
	if (!piece_is(d->tag, "member") || d->name.len || d->bit_field)
		return NULL;
	e = debug_plain(all, d->type);
	return e && (is_class(e) || piece_is(e->tag, "union_type")) ? e : NULL;
}

/* Operators and destructors have no name. */
static void add_method(struct object_reading *r, const struct debug_entry *d)
{
	cleanup_free char *name = xstrndup(d->name.at, d->name.len);

	if (debug_is_name(d->name.at, d->name.len, false))
		strvec_push(&r->o->methods, name);
}

/* With those of base classes; where one that is virtual lies is not said. Of a
 * union it is not known which member counts. */
static void add_members(struct object_reading *r, const struct debug_entry *e,
			const struct within *w)
{
	const struct entries *all = r->all;
	size_t own = (size_t)(e - all->v);

	for (size_t i = own + 1; i < all->n && all->v[i].depth > e->depth;
	     i++) {
		const struct debug_entry *d = &all->v[i], *base;
		cleanup_free char *name = NULL;

		if (++r->looks > MAX_LOOKS * 4 || r->o->n >= MAX_HELD ||
		    w->depth > MAX_NESTED) {
			r->cut = true;
			return;
		}
		if (d->parent != own)
			continue;
		if (piece_is(d->tag, "subprogram"))
			add_method(r, d);
		if (d->declaration || d->external)
			continue;
		r->cut |= piece_is(d->tag, "inheritance") && d->is_virtual;
		base = merged(all, d);
		if (base) {
			struct within same = {w->before, w->way,
					      w->at + d->location, w->depth + 1,
					      w->in_union ||
						      piece_is(base->tag,
							       "union_type")};

			add_members(r, base, &same);
		}
		if (!piece_is(d->tag, "member") ||
		    !debug_is_name(d->name.at, d->name.len, false))
			continue;
		name = xstrndup(d->name.at, d->name.len);
		if (w->in_union)
			set_opaque(r, add(r, w, name, d->location), d->type);
		else
			add_one(r, d, name, w);
	}
}

void debug_read_object(struct prototype *p, const struct entries *all,
		       uint64_t type)
{
	const struct debug_entry *e = debug_pointee(all, type);
	struct object_reading r = {.all = all, .language = p->language};
	struct within whole = {"", "", 0, 0, false};

	if (!e || !is_class(e) || !e->bytes)
		return;
	r.o = xcalloc(1, sizeof *r.o);
	r.o->bytes = e->bytes;
	p->object = r.o;
	add_members(&r, e, &whole);
	if (!r.cut)
		return;
	object_free(r.o);
	p->object = NULL;
}
