#include "core/task/prototype.h"

#include "core/base/buf.h"
#include "core/task/object.h"
#include "core/task/token.h"

/* ---- finding the function ----------------------------------------------- */

struct prototype_scan {
	const char *at;
	bool in_c; /* within extern "C" { } */
};

struct definition {
	struct token name;
	const char *parameters; /* after the opening parenthesis */
	bool is_static, is_kernel, is_device, is_c;
};

/* Notes the words before the name. */
static void note_specifier(struct definition *d, struct token t)
{
	d->is_static = d->is_static || token_is(t, "static");
	d->is_kernel = d->is_kernel || token_is(t, "__global__");
	d->is_device = d->is_device || token_is(t, "__device__");
	d->is_c = d->is_c || token_is(t, "\"C\"");
}

/* Moves past the parameters; past a body too, and returns true, if one
 * follows. */
static bool skip_function(struct prototype_scan *s)
{
	const char *after;

	s->at = token_skip_nested(s->at, "(", ")");
	after = s->at;
	if (!token_is(token_next(&after), "{"))
		return false;
	s->at = token_skip_nested(after, "{", "}");
	return true;
}

/* The next function definition at file level; false at the end. */
static bool next_definition(struct definition *out, struct prototype_scan *s)
{
	struct definition d = {.is_c = s->in_c};
	struct token before = {0}, t;

	while ((t = token_next(&s->at)).len) {
		if (token_is(t, "(")) {
			d.name = before;
			d.parameters = s->at;
			if (skip_function(s) && token_is_word(before)) {
				*out = d;
				return true;
			}
		} else if (token_is(t, "{") && token_is(before, "\"C\"")) {
			s->in_c = true;
		} else if (token_is(t, "{")) {
			s->at = token_skip_nested(s->at, "{", "}");
		} else if (token_is(t, "}")) {
			s->in_c = false;
		}
		note_specifier(&d, t);
		if (token_is(t, ";") || token_is(t, "}"))
			d = (struct definition){.is_c = s->in_c};
		before = t;
	}
	return false;
}

/* Why other files cannot call it by its name; NULL: they can. */
static const char *why_hidden(const struct definition *d)
{
	if (d->is_static)
		return "static, so that nothing outside the file can call it";
	if (d->is_kernel || d->is_device)
		return "device code; an entry is a host function that launches "
		       "it";
	if (!d->is_c)
		return "a C++ function: declare it extern \"C\"";
	return NULL;
}

bool prototype_is_named_like(const char *name, size_t name_len,
			     const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	const char *dot = strrchr(base, '.');
	size_t len = dot ? (size_t)(dot - base) : strlen(base);

	return len && name_len == len && memcmp(name, base, len) == 0;
}

/* What could become an entry: a host function that C++ has, else one that
 * launches the kernel. */
static struct error *no_function(const char *path, struct token host,
				 struct token kernel)
{
	cleanup_buf struct buf what = BUF_INIT(BUF_LIMIT_TEXT);

	if (host.len)
		buf_addf(&what, "; put extern \"C\" before %.*s",
			 (int)MIN(host.len, (size_t)200), host.at);
	else if (kernel.len)
		buf_addf(&what, "; write one that launches %.*s",
			 (int)MIN(kernel.len, (size_t)200), kernel.at);
	return error_new(ERROR_NOT_FOUND,
			 "%s defines no extern \"C\" host function: an entry "
			 "is one, with a cudaStream_t as its last argument, "
			 "which launches the kernels%s",
			 path, what.data);
}

static struct error *choose(struct definition *out, const char *path,
			    const char *source, const char *entry)
{
	cleanup_buf struct buf names = BUF_INIT(BUF_LIMIT_TEXT);
	struct prototype_scan scan = {.at = source};
	const char *why = NULL; /* is the entry not called from outside */
	struct token host = {0}, kernel = {0};
	struct definition d;
	size_t n = 0;

	while (next_definition(&d, &scan)) {
		const char *hidden = why_hidden(&d);

		if (hidden && entry && token_is(d.name, entry))
			why = hidden;
		if (d.is_kernel)
			kernel = d.name;
		else if (!d.is_static && !d.is_c && !d.is_device &&
			 !token_is(d.name, "main"))
			host = d.name;
		if (hidden)
			continue;
		*out = d;
		if (entry ? token_is(d.name, entry)
			  : prototype_is_named_like(d.name.at, d.name.len,
						    path))
			return NULL;
		buf_addf(&names, "%s%.*s", n++ ? ", " : "", (int)d.name.len,
			 d.name.at);
	}
	if (why)
		return error_new(ERROR_USAGE, "%s: %s is %s", path, entry, why);
	if (entry)
		return error_new(ERROR_NOT_FOUND,
				 "%s defines no function %s%s%s", path, entry,
				 n ? "; it has " : "", names.data);
	if (n > 1)
		return error_new(ERROR_USAGE,
				 "%s has several functions: choose one by "
				 "--entry (%s)",
				 path, names.data);
	return n ? NULL : no_function(path, host, kernel);
}

/* ---- parameters --------------------------------------------------------- */

static const struct {
	const char *c;
	enum dtype dtype;
} c_types[] = {
	{"float", DTYPE_F32},
	{"double", DTYPE_F64},
	{"_Float16", DTYPE_F16},
	{"__bf16", DTYPE_BF16},
	{"char", DTYPE_I8},
	{"signed char", DTYPE_I8},
	{"unsigned char", DTYPE_U8},
	{"short", DTYPE_I16},
	{"unsigned short", DTYPE_U16},
	{"int", DTYPE_I32},
	{"signed", DTYPE_I32},
	{"unsigned", DTYPE_U32},
	{"unsigned int", DTYPE_U32},
	{"long", DTYPE_I64},
	{"long int", DTYPE_I64},
	{"long long", DTYPE_I64},
	{"unsigned long", DTYPE_U64},
	{"unsigned long long", DTYPE_U64},
	{"size_t", DTYPE_U64},
	{"ssize_t", DTYPE_I64},
	{"ptrdiff_t", DTYPE_I64},
	{"intptr_t", DTYPE_I64},
	{"int8_t", DTYPE_I8},
	{"int16_t", DTYPE_I16},
	{"int32_t", DTYPE_I32},
	{"int64_t", DTYPE_I64},
	{"uint8_t", DTYPE_U8},
	{"uint16_t", DTYPE_U16},
	{"uint32_t", DTYPE_U32},
	{"uint64_t", DTYPE_U64},
	{"bool", DTYPE_U8},
	{"_Bool", DTYPE_U8},
	{"half", DTYPE_F16},
	{"__half", DTYPE_F16},
	{"nv_bfloat16", DTYPE_BF16},
	{"__nv_bfloat16", DTYPE_BF16},
	{"__nv_fp8_e4m3", DTYPE_F8E4M3},
	{"__nv_fp8_e5m2", DTYPE_F8E5M2},
};

static void find_dtype(struct parameter *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(c_types); i++) {
		if (str_eq(p->type, c_types[i].c)) {
			p->known = true;
			p->dtype = c_types[i].dtype;
		}
	}
}

static bool is_qualifier(struct token t)
{
	static const char *const words[] = {"restrict", "__restrict",
					    "__restrict__", "volatile",
					    "register"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (token_is(t, words[i]))
			return true;
	return false;
}

/* Adds `word` to the type, and the word that was read as the name. */
static void push_word(struct buf *type, struct buf *name, struct token word)
{
	if (name->len)
		buf_addf(type, "%s%s", type->len ? " " : "", name->data);
	buf_clear(name);
	buf_add(name, word.at, word.len);
}

/* Reads one parameter up to its comma or the closing parenthesis; *last: the
 * parenthesis. */
static void read_parameter(struct parameter *out, bool *last,
			   const char **source)
{
	cleanup_buf struct buf type = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf name = BUF_INIT(BUF_LIMIT_TEXT);
	struct token t;
	bool odd = false, starred = false;

	*out = (struct parameter){0};
	while ((t = token_next(source)).len && !token_is(t, ",") &&
	       !token_is(t, ")")) {
		if (token_is(t, "const")) {
			/* After the star, const is not about the elements. */
			out->is_const = out->is_const || !out->is_pointer;
		} else if (token_is(t, "*")) {
			odd = odd || out->is_pointer;
			out->is_pointer = starred = true;
		} else if (token_is(t, "[")) {
			/* An array of arrays still has plain elements. */
			*source = token_skip_nested(*source, "[", "]");
			odd = odd || starred;
			out->is_pointer = true;
		} else if (token_is(t, "(")) {
			*source = token_skip_nested(*source, "(", ")");
			odd = true;
		} else if (token_is(t, "&")) {
			odd = true;
		} else if (token_is_word(t) && !is_qualifier(t)) {
			push_word(&type, &name, t);
		}
	}
	*last = !token_is(t, ",");
	/* A single word is a type without a name. */
	if (!type.len) {
		buf_adds(&type, name.data);
		buf_clear(&name);
	}
	out->type = buf_take(&type);
	out->name = buf_take(&name);
	if (!odd)
		find_dtype(out);
}

/* "(void)" and "()" have no parameters. */
static bool is_nothing(const struct parameter *p)
{
	return !p->is_pointer && (!*p->type || str_eq(p->type, "void"));
}

void parameter_release(struct parameter *p)
{
	free(p->name);
	free(p->member);
	free(p->type);
	free(p->declared);
	free(p->layout);
	free(p->arrays);
	free(p->alias);
	free(p->shape);
	free(p->strides);
	free(p->extent);
	free(p->contents);
	free(p->initial);
	free(p->path);
	free(p->low);
	free(p->high);
	free(p->fault);
}

static struct error *read_parameters(struct prototype *out, const char *path,
				     const char *source)
{
	bool last = false;

	while (!last) {
		struct parameter p;

		read_parameter(&p, &last, &source);
		if (is_nothing(&p)) {
			parameter_release(&p);
		} else if (out->n == TASK_MAX_ARGS) {
			parameter_release(&p);
			return error_new(ERROR_TOO_BIG,
					 "%s: %s has more than %d parameters",
					 path, out->name, TASK_MAX_ARGS);
		} else {
			out->parameter[out->n++] = p;
		}
	}
	return NULL;
}

/* avogit passes the stream, so it is not an argument of the task. */
static struct error *take_stream(struct prototype *p, const char *path)
{
	struct parameter *last = p->n ? &p->parameter[p->n - 1] : NULL;

	if (!last || last->is_pointer || !str_eq(last->type, "cudaStream_t"))
		return error_new(ERROR_TASK,
				 "%s: %s must take a cudaStream_t as its last "
				 "argument, and launch on it",
				 path, p->name);
	parameter_release(last);
	p->n--;
	return NULL;
}

struct error *prototype_read(struct prototype *out, const char *path,
			     const char *source, const char *entry)
{
	cleanup_prototype struct prototype p = {.language = LANGUAGE_CUDA};
	struct definition d = {.parameters = source};

	TRY(choose(&d, path, source, entry));
	p.name = xstrndup(d.name.at, d.name.len);
	TRY(read_parameters(&p, path, d.parameters));
	TRY(take_stream(&p, path));
	if (!p.n)
		return error_new(ERROR_TASK,
				 "%s: %s takes no arguments: there is nothing "
				 "that its result could depend on",
				 path, p.name);
	*out = p;
	memset(&p, 0, sizeof p);
	return NULL;
}

void prototype_release(struct prototype *p)
{
	for (size_t i = 0; i < p->n + p->n_members; i++)
		parameter_release(&p->parameter[i]);
	for (size_t i = 0; i < p->n_states; i++) {
		free(p->state[i].name);
		free(p->state[i].type);
	}
	object_free(p->object);
	free(p->name);
	free(p->symbol);
	free(p->result);
	free(p->bytes);
	free(p->flops);
	*p = (struct prototype){0};
}

static bool is_dimension(const struct prototype *p, const struct parameter *a)
{
	for (size_t i = 0; i < prototype_all(p); i++) {
		const struct parameter *b = &p->parameter[i];

		if (token_occurs(b->shape, a->name) ||
		    token_occurs(b->strides, a->name) ||
		    token_occurs(b->low, a->name) ||
		    token_occurs(b->high, a->name))
			return true;
	}
	return false;
}

static bool is_number(const struct parameter *a)
{
	return !a->is_pointer && *a->name;
}

bool prototype_is_count(const struct prototype *p, const struct parameter *a)
{
	bool beside = false;

	for (size_t i = 0; i < prototype_all(p) && !beside; i++)
		beside = &p->parameter[i] != a && is_number(&p->parameter[i]) &&
			 is_dimension(p, &p->parameter[i]);
	return beside && is_number(a) && !a->state && !a->n_values &&
	       !is_dimension(p, a);
}

size_t prototype_counts_in(const struct prototype *p, const char *text)
{
	size_t n = 0;

	for (size_t i = 0; i < prototype_all(p); i++)
		n += token_occurs(text, p->parameter[i].name) &&
		     prototype_is_count(p, &p->parameter[i]);
	return n;
}

bool prototype_has(const struct prototype *p, const char *name)
{
	for (size_t i = 0; i < prototype_all(p); i++)
		if (str_eq(p->parameter[i].name, name))
			return true;
	return false;
}
