#include "core/task/debug_info.h"

#include <ctype.h>

#include "core/base/buf.h"
#include "core/task/debug_entries.h"

#define MAX_ENTRIES ((size_t)2 << 20)
#define MAX_TYPES   32 /* a chain of types */

static void entries_release(struct entries *e)
{
	free(e->v);
	free(e->file);
}
DEFINE_RELEASE(entries, struct entries, entries_release)
#define cleanup_entries CLEANUP(entries)

/* ---- the text ---------------------------------------------------------------- */

/* "<2><143>: Abbrev Number: 13 (DW_TAG_formal_parameter)" */
static bool read_head(struct debug_entry *out, const char *s, const char *end)
{
	static const char tag[] = "(DW_TAG_";
	const char *at;
	char *next;

	/* So that what has no name is read as an empty one. */
	*out = (struct debug_entry){.name.at = "", .linkage.at = ""};
	if (*s != '<')
		return false;
	out->depth = strtoul(s + 1, &next, 16);
	if (next[0] != '>' || next[1] != '<')
		return false;
	out->offset = strtoull(next + 2, &next, 16);
	/* A number may have been looked for beyond the line. */
	if (next > end)
		return false;
	at = memmem(next, (size_t)(end - next), tag, sizeof tag - 1);
	if (!at)
		return false;
	at += sizeof tag - 1;
	out->tag = (struct text_piece){at, strcspn(at, ")\n")};
	return true;
}

/* The value of a string: readelf puts its form, and for most its place, before
 * it: "(strp) (offset: 0x43): abc", "(string) abc", "abc". */
static struct text_piece string_value(const char *s, const char *end)
{
	static const char offset[] = "offset: ";
	const char *at =
		memmem(s, (size_t)(end - s), offset, sizeof offset - 1);
	const char *colon = at ? memmem(at, (size_t)(end - at), "): ", 3)
			       : NULL;

	if (colon)
		s = colon + 3;
	else if (end - s > 9 && memcmp(s, "(string) ", 9) == 0)
		s += 9;
	while (end > s && isspace((unsigned char)end[-1]))
		end--;
	return (struct text_piece){s, (size_t)(end - s)};
}

/* "(data1) 4", "4", "(ref4) <0x2d>, float", "<0x2d>" */
static uint64_t number_value(const char *s, const char *end)
{
	if (*s == '(') {
		const char *close = memchr(s, ')', (size_t)(end - s));

		s = close ? close + 1 : s;
	}
	while (s < end && (*s == ' ' || *s == '<'))
		s++;
	return strtoull(s, NULL, 0);
}

/* The elements of a dimension: the number and `more`; 0 where that is an
 * expression, or an entry that has the number. */
static uint64_t count_value(const char *s, const char *end, uint64_t more)
{
	if (memmem(s, (size_t)(end - s), "block", 5) ||
	    memchr(s, '<', (size_t)(end - s)))
		return 0;
	return number_value(s, end) + more;
}

static void read_attribute(struct debug_entry *e, const char *s,
			   const char *end)
{
	const char *name = memmem(s, (size_t)(end - s), "DW_AT_", 6), *value;
	struct text_piece key;

	value = name ? memchr(name, ':', (size_t)(end - name)) : NULL;
	if (!value || end - value < 2)
		return;
	name += 6;
	key = (struct text_piece){name, strcspn(name, " :\n")};
	value += 1 + (value[1] == ' ');
	if (piece_is(key, "name"))
		e->name = string_value(value, end);
	else if (piece_is(key, "linkage_name") ||
		 piece_is(key, "MIPS_linkage_name"))
		e->linkage = string_value(value, end);
	else if (piece_is(key, "type"))
		e->type = number_value(value, end);
	else if (piece_is(key, "specification") ||
		 piece_is(key, "abstract_origin"))
		e->origin = number_value(value, end);
	else if (piece_is(key, "byte_size"))
		e->bytes = number_value(value, end);
	else if (piece_is(key, "upper_bound"))
		e->count = count_value(value, end, 1);
	else if (piece_is(key, "count"))
		e->count = count_value(value, end, 0);
	else if (piece_is(key, "data_member_location"))
		e->location = number_value(value, end);
	else if (piece_is(key, "encoding"))
		e->encoding = number_value(value, end);
	else if (piece_is(key, "decl_file"))
		e->file = number_value(value, end);
	else if (piece_is(key, "decl_line"))
		e->line = number_value(value, end);
	else if (piece_is(key, "external"))
		e->external = true;
	else if (piece_is(key, "declaration"))
		e->declaration = true;
	else if (piece_is(key, "bit_size"))
		e->bit_field = true;
	else if (piece_is(key, "artificial"))
		e->artificial = true;
	else if (piece_is(key, "low_pc"))
		e->has_code = true;
}

static void add_entry(struct entries *all, const struct debug_entry *e)
{
	size_t parent = all->n;

	/* The last one that is less deep; the text has them in order. */
	if (all->n && e->depth) {
		parent = all->n - 1;
		while (all->v[parent].depth >= e->depth &&
		       all->v[parent].parent != parent)
			parent = all->v[parent].parent;
	}
	GROW(all->v, all->n, all->cap);
	all->v[all->n] = *e;
	all->v[all->n++].parent = parent;
}

/* "  1\t0\t0\t0\tb.c" */
static void read_file_name(struct entries *all, const char *s, const char *end)
{
	const char *name = end;
	char *after;
	unsigned long number = strtoul(s, &after, 10);

	if (after == s || number != all->n_files + 1)
		return;
	while (name > s && name[-1] != '\t' && name[-1] != '/')
		name--;
	GROW(all->file, all->n_files, all->cap_files);
	all->file[all->n_files++] =
		(struct text_piece){name, (size_t)(end - name)};
}

static void read_text(struct entries *all, const char *text)
{
	bool files = false, known = false;

	for (const char *s = text; *s && all->n < MAX_ENTRIES;) {
		const char *end = strchrnul(s, '\n');
		const char *word = s;
		struct debug_entry e;

		while (word < end && isspace((unsigned char)*word))
			word++;
		if (memmem(s, (size_t)(end - s), "File Name Table", 15)) {
			files = !all->n_files;
		} else if (files && isdigit((unsigned char)*word)) {
			read_file_name(all, word, end);
		} else if (files && word == end) {
			files = false;
		} else if (*word == '<' && word[1] && word - s == 1) {
			known = read_head(&e, word, end);
			if (known)
				add_entry(all, &e);
		} else if (known && all->n) {
			read_attribute(&all->v[all->n - 1], word, end);
		}
		s = *end ? end + 1 : end;
	}
}

/* ---- entries ------------------------------------------------------------------- */

/* By its offset; NULL: none, or not in order. */
static const struct debug_entry *find(const struct entries *all,
				      uint64_t offset)
{
	size_t low = 0, high = all->n;

	while (offset && low < high) {
		size_t middle = low + (high - low) / 2;

		if (all->v[middle].offset == offset)
			return &all->v[middle];
		if (all->v[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* What a later entry says of an earlier one counts for both. */
static const struct debug_entry *origin(const struct entries *all,
					const struct debug_entry *e)
{
	const struct debug_entry *o = find(all, e->origin);

	return o ? o : e;
}

static bool is_name(const char *s, size_t len, bool cxx)
{
	if (!len || len > 400 || isdigit((unsigned char)*s))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)s[i]) && s[i] != '_' &&
		    !(cxx && strchr(":<>, *&()", s[i])))
			return false;
	return true;
}

bool debug_is_name(const char *s, size_t len)
{
	return is_name(s, len, false);
}

static bool is_scope(const struct debug_entry *e)
{
	return piece_is(e->tag, "namespace") ||
	       piece_is(e->tag, "class_type") ||
	       piece_is(e->tag, "structure_type") ||
	       piece_is(e->tag, "union_type");
}

/* "ns::K::name" */
static char *full_name(const struct entries *all, const struct debug_entry *e)
{
	cleanup_buf struct buf name = BUF_INIT(BUF_LIMIT_TEXT);
	const struct debug_entry *up = e;

	buf_add(&name, e->name.at, e->name.len);
	for (size_t depth = 0; depth < MAX_TYPES; depth++) {
		cleanup_free char *inner = NULL;

		up = &all->v[up->parent];
		if (!is_scope(up))
			break;
		if (!up->name.len) /* its names are those of what it is in */
			continue;
		inner = buf_take(&name);
		buf_addf(&name, "%.*s::%s", (int)up->name.len, up->name.at,
			 inner);
	}
	return buf_take(&name);
}

/* ---- types ----------------------------------------------------------------------- */

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
		e = find(all, e->type);
	}
	return NULL; /* void, or a chain without end */
}

/* The word for a type in a message, or in a declaration: "struct s", in C++
 * with its namespaces: "struct ns::s". */
static char *type_word(const struct entries *all, const struct debug_entry *e)
{
	const char *before = "";
	cleanup_free char *name = NULL;

	if (!e)
		return xstrdup("void");
	if (piece_is(e->tag, "subroutine_type"))
		return xstrdup("a function");
	if (piece_is(e->tag, "structure_type"))
		before = "struct ";
	else if (piece_is(e->tag, "union_type"))
		before = "union ";
	else if (piece_is(e->tag, "enumeration_type"))
		return xstrdup("int");
	if (!e->name.len || (!is_name(e->name.at, e->name.len, true) &&
			     !piece_is(e->tag, "base_type")))
		return xasprintf("%s(no name)", before);
	if (*before || piece_is(e->tag, "class_type"))
		name = full_name(all, e);
	else
		name = xstrndup(e->name.at, e->name.len);
	return xasprintf("%s%.200s", before, name);
}

const struct debug_entry *debug_plain(const struct entries *all, uint64_t type)
{
	bool ignored;
	struct text_piece alias = {0};

	return plain(all, find(all, type), &ignored, &alias);
}

static bool is_reference(const struct debug_entry *e)
{
	return piece_is(e->tag, "reference_type") ||
	       piece_is(e->tag, "rvalue_reference_type");
}

const struct debug_entry *debug_pointee(const struct entries *all,
					uint64_t type)
{
	const struct debug_entry *e = debug_plain(all, type);

	return e && (piece_is(e->tag, "pointer_type") || is_reference(e))
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
		if (member->parent != at)
			continue;
		/* A base class, a type or a function within it. */
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
	bool ignored;
	struct text_piece alias = {0};
	const struct debug_entry *e =
		plain(u->all, find(u->all, type), &ignored, &alias);
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
		struct text_piece alias = {0};
		const struct debug_entry *type;
		bool ignored;

		if (member->parent != at)
			continue;
		type = plain(all, find(all, member->type), &ignored, &alias);
		if (!type || piece_is(type->tag, "array_type") || depth > 8 ||
		    !is_name(member->name.at, member->name.len, false))
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
			   const struct debug_entry *e)
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
	if (piece_is(e->tag, "structure_type") &&
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
		plain(all, find(all, type), &ignored, &alias);
	bool reference = e && is_reference(e);
	cleanup_free char *word = NULL;
	size_t stars = 0;

	if (e && (reference || piece_is(e->tag, "pointer_type")))
		alias.len = 0;
	if (e && (reference || piece_is(e->tag, "pointer_type"))) {
		out->is_pointer = true;
		e = plain(all, find(all, e->type), &out->is_const, &alias);
		for (size_t i = 0;
		     i < TASK_MAX_DIMS && e && piece_is(e->tag, "array_type");
		     i++) {
			out->is_nested = true;
			e = plain(all, find(all, e->type), &out->is_const,
				  &alias);
		}
		for (; e && piece_is(e->tag, "pointer_type") && stars < 8;
		     stars++)
			e = plain(all, find(all, e->type), &ignored, &alias);
	}
	if (is_name(alias.at, alias.len, false))
		out->alias = xstrndup(alias.at, alias.len);
	/* A structure may have no other name. */
	word = out->alias && is_structure(e) ? xstrdup(out->alias)
					     : type_word(all, e);
	out->known = e && !stars && !reference && find_dtype(&out->dtype, e);
	if (!stars && !reference && language == LANGUAGE_C)
		read_structure(out, all, e);
	out->type = xasprintf("%s%.*s", word, (int)stars, "********");
	out->declared = xasprintf("%s%s%s%s",
				  out->is_const && !stars ? "const " : "",
				  out->type, out->is_pointer ? " " : "",
				  reference	    ? "&"
				  : out->is_pointer ? "*"
						    : "");
}

/* ---- functions ------------------------------------------------------------------- */

static void read_parameters(struct prototype *p, const struct entries *all,
			    size_t function)
{
	uint64_t type[TASK_MAX_ARGS] = {0};

	for (size_t i = function + 1;
	     i < all->n && all->v[i].depth > all->v[function].depth; i++) {
		const struct debug_entry *e = &all->v[i], *o = origin(all, e);
		struct parameter *a = &p->parameter[p->n];
		struct text_piece name = e->name.len ? e->name : o->name;

		if (e->parent != function ||
		    !piece_is(e->tag, "formal_parameter"))
			continue;
		if (p->n == TASK_MAX_ARGS) {
			p->too_many = true;
			return;
		}
		type[p->n++] = e->type ? e->type : o->type;
		/* What no parameter of a function can be called. */
		if (e->artificial || o->artificial)
			name = (struct text_piece){"self", 4};
		p->is_method |= p->n == 1 && (e->artificial || o->artificial);
		a->name = is_name(name.at, name.len, false)
				  ? xstrndup(name.at, name.len)
				  : xstrdup("");
		debug_read_type(a, all, type[p->n - 1], p->language);
	}
	for (size_t i = 0; i < p->n; i++)
		debug_read_members(p, i, all, type[i]);
}

#define MAX_ORIGINS 4 /* a copy, what it is a copy of, its declaration */

/* An entry may refer to an earlier one: a copy of a function, of which a
 * constructor has two, to the function, and that to its declaration in a class.
 * What the later one leaves out is as the earlier one has it, and the scope is
 * that of the earliest; but the file, say, is that of the definition. */
static struct debug_entry with_origins(const struct entries *all,
				       const struct debug_entry *e)
{
	struct debug_entry whole = *e;

	for (size_t i = 0; i < MAX_ORIGINS; i++) {
		const struct debug_entry *o = find(all, e->origin);

		if (!o)
			break;
		whole.name = whole.name.len ? whole.name : o->name;
		whole.linkage = whole.linkage.len ? whole.linkage : o->linkage;
		whole.type = whole.type ? whole.type : o->type;
		whole.file = whole.file ? whole.file : o->file;
		whole.line = whole.line ? whole.line : o->line;
		whole.external |= o->external;
		whole.artificial |= o->artificial;
		whole.parent = o->parent;
		e = o;
	}
	return whole;
}

/* "view" of "view<float>" */
static struct text_piece without_arguments(struct text_piece name)
{
	name.len = MIN(name.len, strcspn(name.at, "<\n"));
	return name;
}

/* It has the name of the class that it is in. */
static bool is_constructor(const struct entries *all,
			   const struct debug_entry *e)
{
	const struct debug_entry *up = &all->v[e->parent];
	struct text_piece own = without_arguments(e->name);
	struct text_piece of = without_arguments(up->name);

	return is_scope(up) && !piece_is(up->tag, "namespace") && own.len &&
	       own.len == of.len && memcmp(own.at, of.at, own.len) == 0;
}

/* `whole` is entry i with what its origins say. */
static bool read_function(struct prototype *out, const struct entries *all,
			  size_t i, const struct debug_entry *whole,
			  enum language language)
{
	struct text_piece linkage = whole->linkage;
	struct parameter result = {0};

	*out = (struct prototype){.language = language};
	out->name = full_name(all, whole);
	if (!is_name(out->name, strlen(out->name), language != LANGUAGE_C) ||
	    (linkage.len && !is_name(linkage.at, linkage.len, false))) {
		prototype_release(out);
		return false;
	}
	out->symbol = linkage.len ? xstrndup(linkage.at, linkage.len) : NULL;
	out->is_static = !whole->external;
	out->is_constructor = is_constructor(all, whole);
	out->line = whole->line;
	read_parameters(out, all, i);
	if (whole->type) {
		debug_read_type(&result, all, whole->type, language);
		out->result = steal(&result.declared);
		out->has_result = result.known && !result.is_pointer;
		out->result_dtype = result.dtype;
		free(result.type);
		free(result.alias);
		free(result.layout);
		free(result.arrays);
	}
	return true;
}

static bool is_of_file(const struct entries *all, uint64_t file,
		       const char *path)
{
	const char *slash = strrchr(path, '/');

	return file && file <= all->n_files &&
	       piece_is(all->file[file - 1], slash ? slash + 1 : path);
}

/* Defined or declared there: a header may include what defines its methods. */
static bool is_of(const struct entries *all, const struct debug_entry *e,
		  uint64_t defined, const char *path)
{
	return is_of_file(all, defined, path) ||
	       is_of_file(all, origin(all, e)->file, path);
}

/* A function of the standard library, by a name that is reserved for it. In a
 * file of the user's own, "__axpy" is the user's. */
static bool is_of_library(const char *name, bool own_file)
{
	return starts_with(name, "std::") || starts_with(name, "__gnu_cxx::") ||
	       (!own_file && starts_with(name, "__"));
}

static int by_line(const void *a, const void *b)
{
	const struct prototype *x = a, *y = b;

	return x->line < y->line ? -1 : x->line > y->line;
}

static void collect(struct function_list *out, const struct entries *all,
		    enum language language, const char *path)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct debug_entry *e = &all->v[i];
		struct debug_entry whole;
		struct prototype p;

		if (!piece_is(e->tag, "subprogram") || e->declaration ||
		    !e->has_code)
			continue;
		whole = with_origins(all, e);
		if (whole.artificial ||
		    (path && !is_of(all, e, whole.file, path)) ||
		    !read_function(&p, all, i, &whole, language))
			continue;
		if (is_of_library(p.name, path)) {
			prototype_release(&p);
			continue;
		}
		GROW(out->v, out->n, out->cap);
		out->v[out->n++] = p;
	}
}

void debug_info_read(struct function_list *out, enum language language,
		     const char *text, const char *path)
{
	cleanup_entries struct entries all = {0};

	read_text(&all, text);
	collect(out, &all, language, path);
	if (!out->n)
		collect(out, &all, language, NULL);
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, by_line);
}

void function_list_release(struct function_list *f)
{
	for (size_t i = 0; i < f->n; i++)
		prototype_release(&f->v[i]);
	free(f->v);
	*f = (struct function_list){0};
}
