#include "core/task/debug_info.h"

#include <ctype.h>

#include "core/base/buf.h"
#include "core/task/debug_entries.h"

#define MAX_ENTRIES ((size_t)2 << 20)

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
	else if (piece_is(key, "virtuality"))
		e->is_virtual = true;
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
const struct debug_entry *debug_find(const struct entries *all, uint64_t offset)
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
	const struct debug_entry *o = debug_find(all, e->origin);

	return o ? o : e;
}

bool debug_is_name(const char *s, size_t len, bool cxx)
{
	if (!len || len > 400 || isdigit((unsigned char)*s))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)s[i]) && s[i] != '_' &&
		    !(cxx && strchr(":<>, *&()", s[i])))
			return false;
	return true;
}

static bool is_scope(const struct debug_entry *e)
{
	return piece_is(e->tag, "namespace") ||
	       piece_is(e->tag, "class_type") ||
	       piece_is(e->tag, "structure_type") ||
	       piece_is(e->tag, "union_type");
}

/* "ns::K::name" */
char *debug_full_name(const struct entries *all, const struct debug_entry *e)
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

/* ---- functions ------------------------------------------------------------------- */

/* `this` is no array, even where all of its members are numbers of one type. */
static void read_as_object(struct parameter *a)
{
	a->known = false;
	a->members = 0;
	free(a->layout);
	free(a->arrays);
	a->layout = a->arrays = NULL;
}

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
		a->name = debug_is_name(name.at, name.len, false)
				  ? xstrndup(name.at, name.len)
				  : xstrdup("");
		debug_read_type(a, all, type[p->n - 1], p->language);
		if (p->is_method && p->n == 1)
			read_as_object(a);
	}
	for (size_t i = 0; i < p->n; i++)
		debug_read_members(p, i, all, type[i]);
	if (p->is_method)
		debug_read_object(p, all, type[0]);
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
		const struct debug_entry *o = debug_find(all, e->origin);

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
	out->name = debug_full_name(all, whole);
	if (!debug_is_name(out->name, strlen(out->name),
			   language != LANGUAGE_C) ||
	    (linkage.len && !debug_is_name(linkage.at, linkage.len, false))) {
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
