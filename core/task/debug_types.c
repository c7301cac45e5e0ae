/* The types of the compiler's debug information: what of them a task has a word
 * for. */
#include "core/task/debug_entries.h"

#include "core/base/buf.h"

/* Encodings of DWARF. */
enum {
	ENCODING_BOOLEAN = 2,
	ENCODING_FLOAT = 4,
	ENCODING_SIGNED = 5,
	ENCODING_SIGNED_CHAR = 6,
	ENCODING_UNSIGNED = 7,
	ENCODING_UNSIGNED_CHAR = 8
};

static bool find_dtype(enum dtype *out, const struct debug_entry *e)
{
	static const struct {
		uint64_t bytes;
		enum dtype is_signed, is_unsigned;
	} integers[] = {{1, DTYPE_I8, DTYPE_U8},
			{2, DTYPE_I16, DTYPE_U16},
			{4, DTYPE_I32, DTYPE_U32},
			{8, DTYPE_I64, DTYPE_U64}};
	bool is_signed = e->encoding == ENCODING_SIGNED ||
			 e->encoding == ENCODING_SIGNED_CHAR;

	if (piece_is(e->tag, "enumeration_type"))
		is_signed = true;
	else if (e->encoding == ENCODING_FLOAT) {
		bool brain = memmem(e->name.at, e->name.len, "bf", 2) ||
			     memmem(e->name.at, e->name.len, "BF", 2);

		*out = e->bytes == 8   ? DTYPE_F64
		       : e->bytes == 4 ? DTYPE_F32
		       : brain	       ? DTYPE_BF16
				       : DTYPE_F16;
		return e->bytes == 8 || e->bytes == 4 || e->bytes == 2;
	} else if (!is_signed && e->encoding != ENCODING_UNSIGNED &&
		   e->encoding != ENCODING_UNSIGNED_CHAR &&
		   e->encoding != ENCODING_BOOLEAN)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(integers); i++) {
		if (e->bytes != integers[i].bytes)
			continue;
		*out = is_signed ? integers[i].is_signed
				 : integers[i].is_unsigned;
		return true;
	}
	return false;
}

static bool is_qualifier(const struct debug_entry *e)
{
	return piece_is(e->tag, "typedef") ||
	       piece_is(e->tag, "volatile_type") ||
	       piece_is(e->tag, "restrict_type") ||
	       piece_is(e->tag, "atomic_type");
}

/* Through typedefs and qualifiers; *is_const if one of them is. */
static const struct debug_entry *plain(const struct entries *all,
				       const struct debug_entry *e,
				       bool *is_const, struct text_piece *alias)
{
	for (size_t i = 0; e && i < MAX_TYPES; i++) {
		if (piece_is(e->tag, "const_type"))
			*is_const = true;
		else if (!is_qualifier(e))
			return e;
		if (piece_is(e->tag, "typedef") && !alias->len)
			*alias = e->name;
		e = debug_find(all, e->type);
	}
	return NULL; /* void, or a chain without end */
}

/* "struct biquad [8]" */
static char *array_word(const struct entries *all, const struct debug_entry *e)
{
	cleanup_free char *element =
		debug_type_word(all, debug_plain(all, e->type));
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);
	size_t own = (size_t)(e - all->v);

	buf_addf(&b, "%s ", element);
	for (size_t i = own + 1;
	     i < all->n && all->v[i].parent == own && b.len < 240; i++)
		buf_addf(&b, "[%llu]", (unsigned long long)all->v[i].count);
	return buf_take(&b);
}

char *debug_type_word(const struct entries *all, const struct debug_entry *e)
{
	const char *before = "";
	cleanup_free char *name = NULL;

	if (!e)
		return xstrdup("void");
	if (piece_is(e->tag, "array_type") &&
	    !(e->type && debug_plain(all, e->type) &&
	      piece_is(debug_plain(all, e->type)->tag, "array_type")))
		return array_word(all, e);
	if (piece_is(e->tag, "subroutine_type"))
		return xstrdup("a function");
	if (piece_is(e->tag, "structure_type"))
		before = "struct ";
	else if (piece_is(e->tag, "union_type"))
		before = "union ";
	else if (piece_is(e->tag, "enumeration_type"))
		return xstrdup(e->bytes == 1   ? "signed char"
			       : e->bytes == 2 ? "short"
			       : e->bytes == 8 ? "long"
					       : "int");
	if (!e->name.len || (!debug_is_name(e->name.at, e->name.len, true) &&
			     !piece_is(e->tag, "base_type")))
		return xasprintf("%s(no name)", before);
	if (*before || piece_is(e->tag, "class_type"))
		name = debug_full_name(all, e);
	else
		name = xstrndup(e->name.at, e->name.len);
	return xasprintf("%s%.200s", before, name);
}

const struct debug_entry *debug_plain(const struct entries *all, uint64_t type)
{
	bool ignored;
	struct text_piece alias = {0};

	return plain(all, debug_find(all, type), &ignored, &alias);
}

const struct debug_entry *debug_pointee(const struct entries *all,
					uint64_t type)
{
	const struct debug_entry *e = debug_plain(all, type);

	return e && (piece_is(e->tag, "pointer_type") || debug_is_reference(e))
		       ? debug_plain(all, e->type)
		       : NULL;
}

static bool is_structure(const struct debug_entry *e)
{
	return e && (piece_is(e->tag, "structure_type") ||
		     piece_is(e->tag, "union_type"));
}

/* What is known so far of a structure that may be numbers of one type and
 * nothing else. */
struct uniform {
	const struct entries *all;
	enum dtype dtype;
	bool has_dtype;
	size_t looks;
	struct text_piece member;
	struct buf *arrays; /* of a parameter */
};

static bool is_uniform(uint64_t *bytes, struct uniform *u, uint64_t type,
		       size_t depth);

/* Each dimension is an entry within that of the array. */
static bool is_uniform_array(uint64_t *bytes, struct uniform *u, size_t at,
			     size_t depth)
{
	const struct entries *all = u->all;
	const struct debug_entry *e = &all->v[at];
	struct text_piece name = u->member;
	bool has_dimension = false;

	if (!is_uniform(bytes, u, e->type, depth + 1))
		return false;
	for (size_t i = at + 1; i < all->n && all->v[i].depth > e->depth; i++) {
		const struct debug_entry *d = &all->v[i];

		if (++u->looks > MAX_LOOKS)
			return false;
		if (d->parent != at || !piece_is(d->tag, "subrange_type"))
			continue;
		if (__builtin_mul_overflow(*bytes, d->count, bytes))
			return false;
		buf_addf(u->arrays, " %.*s ", (int)name.len, name.at);
		has_dimension = true;
	}
	return has_dimension;
}

/* Its members, one after another, are all of it: no padding. */
static bool is_uniform_structure(uint64_t *bytes, struct uniform *u, size_t at,
				 size_t depth)
{
	const struct entries *all = u->all;
	const struct debug_entry *e = &all->v[at];
	bool overlap = piece_is(e->tag, "union_type");

	*bytes = 0;
	for (size_t i = at + 1; i < all->n && all->v[i].depth > e->depth; i++) {
		const struct debug_entry *member = &all->v[i];
		uint64_t here;

		if (++u->looks > MAX_LOOKS)
			return false;
		if (member->parent != at ||
		    piece_is(member->tag, "subprogram") ||
		    member->declaration || member->external)
			continue;
		/* A base class, or a type within it. */
		u->member = member->name;
		if (!piece_is(member->tag, "member") || member->bit_field ||
		    !is_uniform(&here, u, member->type, depth + 1))
			return false;
		if (overlap)
			*bytes = MAX(*bytes, here);
		else if (__builtin_add_overflow(*bytes, here, bytes))
			return false;
	}
	return *bytes == e->bytes;
}

/* Is all of the type, and of what is in it, of one dtype? *bytes: so many, not
 * 0. Every look counts, since structures of structures, each of which has the
 * same one many times, would take for ever. */
static bool is_uniform(uint64_t *bytes, struct uniform *u, uint64_t type,
		       size_t depth)
{
	const struct debug_entry *e = debug_plain(u->all, type);
	size_t at = e ? (size_t)(e - u->all->v) : 0;
	enum dtype here;

	if (!e || depth > 8 || ++u->looks > MAX_LOOKS)
		return false;
	if (piece_is(e->tag, "array_type"))
		return is_uniform_array(bytes, u, at, depth) && *bytes;
	if (is_structure(e))
		return is_uniform_structure(bytes, u, at, depth) && *bytes;
	if (!find_dtype(&here, e) || (u->has_dtype && here != u->dtype))
		return false;
	u->dtype = here;
	u->has_dtype = true;
	*bytes = e->bytes;
	return true;
}

/* "{ float x; struct { float a; } in; }"; false: it has arrays, or a member that
 * has no name. */
static bool add_layout(struct buf *out, const struct entries *all,
		       const struct debug_entry *e, size_t depth)
{
	size_t at = (size_t)(e - all->v);

	buf_adds(out, "{ ");
	for (size_t i = at + 1; i < all->n && all->v[i].depth > e->depth; i++) {
		const struct debug_entry *member = &all->v[i];
		const struct debug_entry *type;

		if (member->parent != at)
			continue;
		type = debug_plain(all, member->type);
		if (!type || piece_is(type->tag, "array_type") || depth > 8 ||
		    !debug_is_name(member->name.at, member->name.len, false))
			return false;
		if (!is_structure(type))
			buf_addf(out, "%.*s", (int)type->name.len,
				 type->name.at);
		else if (piece_is(type->tag, "union_type"))
			return false;
		else if (buf_adds(out, "struct "),
			 !add_layout(out, all, type, depth + 1))
			return false;
		buf_addf(out, " %.*s; ", (int)member->name.len,
			 member->name.at);
	}
	buf_addc(out, '}');
	return true;
}

/* Of a structure that is so many numbers of one type, one after another. */
static void read_structure(struct parameter *out, const struct entries *all,
			   const struct debug_entry *e, enum language language)
{
	cleanup_buf struct buf layout = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf arrays = BUF_INIT(BUF_LIMIT_TEXT);
	struct uniform u = {.all = all, .arrays = &arrays};
	uint64_t bytes;

	if (!is_structure(e) || !out->is_pointer || out->is_nested ||
	    !is_uniform(&bytes, &u, e->offset, 0))
		return;
	out->dtype = u.dtype;
	out->members = bytes / dtype_bytes(out->dtype);
	out->arrays = buf_take(&arrays);
	out->known = true;
	if (language == LANGUAGE_C && piece_is(e->tag, "structure_type") &&
	    add_layout(&layout, all, e, 0))
		out->layout = buf_take(&layout);
}

/* `e` without qualifiers; the elements of arrays of arrays. */
void debug_read_type(struct parameter *out, const struct entries *all,
		     uint64_t type, enum language language)
{
	bool ignored = false;
	struct text_piece alias = {0};
	const struct debug_entry *e =
		plain(all, debug_find(all, type), &ignored, &alias);
	bool reference = e && debug_is_reference(e);
	cleanup_free char *word = NULL;
	size_t stars = 0;

	if (e && (reference || piece_is(e->tag, "pointer_type"))) {
		alias.len = 0;
		out->is_pointer = true;
		e = plain(all, debug_find(all, e->type), &out->is_const,
			  &alias);
		for (size_t i = 0;
		     i < TASK_MAX_DIMS && e && piece_is(e->tag, "array_type");
		     i++) {
			out->is_nested = true;
			e = plain(all, debug_find(all, e->type), &out->is_const,
				  &alias);
		}
		for (; e && piece_is(e->tag, "pointer_type") && stars < 8;
		     stars++)
			e = plain(all, debug_find(all, e->type), &ignored,
				  &alias);
	}
	if (debug_is_name(alias.at, alias.len, false))
		out->alias = xstrndup(alias.at, alias.len);
	/* A structure may have no other name. */
	word = out->alias && is_structure(e) ? xstrdup(out->alias)
					     : debug_type_word(all, e);
	out->known = e && !stars && !reference && find_dtype(&out->dtype, e);
	if (!stars && !reference)
		read_structure(out, all, e, language);
	out->type = xasprintf("%s%.*s", word, (int)stars, "********");
	out->declared = xasprintf("%s%s%s%s",
				  out->is_const && !stars ? "const " : "",
				  out->type, out->is_pointer ? " " : "",
				  reference	    ? "&"
				  : out->is_pointer ? "*"
						    : "");
}

void debug_read_elements(struct parameter *out, const struct entries *all,
			 uint64_t type, enum language language)
{
	struct text_piece alias = {0};
	const struct debug_entry *e =
		plain(all, debug_find(all, type), &out->is_const, &alias);

	/* unique_ptr<float[]> */
	if (e && piece_is(e->tag, "array_type"))
		e = plain(all, debug_find(all, e->type), &out->is_const,
			  &alias);
	out->is_pointer = true;
	out->type = debug_type_word(all, e);
	out->declared =
		xasprintf("%s%s *", out->is_const ? "const " : "", out->type);
	out->known = e && find_dtype(&out->dtype, e);
	read_structure(out, all, e, language);
}
