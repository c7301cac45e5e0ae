/* Of the functions of a candidate's sources, those that the entry comes to. */
#include "core/task/hidden_parts.h"
#include "core/task/source.h"

#define MOST_FILES 64

/* A function, and the words of its body. */
struct reached_function {
	struct token name;
	const struct source_tokens *source;
	struct function_body d;
	bool is_reached;
};

struct reaching {
	const struct file_entry *file[MOST_FILES];
	struct source_tokens source[MOST_FILES];
	size_t n;
	struct reached_function *function; /* by name */
	size_t n_functions, cap;
	/* Reached, but what they name is not yet. */
	size_t *open;
	size_t n_open;
};

static void reaching_release(struct reaching *r)
{
	for (size_t i = 0; i < r->n; i++)
		source_release(&r->source[i]);
	free(r->function);
	free(r->open);
}
DEFINE_RELEASE(reaching, struct reaching, reaching_release)
#define cleanup_reaching CLEANUP(reaching)

static int compare(struct token a, struct token b)
{
	int order = memcmp(a.at, b.at, MIN(a.len, b.len));

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

static int by_name(const void *a, const void *b)
{
	return compare(((const struct reached_function *)a)->name,
		       ((const struct reached_function *)b)->name);
}

/* All functions of this name are reached; false: there is none. */
static bool reach(struct reaching *r, struct token name)
{
	size_t low = 0, high = r->n_functions;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(r->function[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	high = low;
	for (;
	     low < r->n_functions && compare(r->function[low].name, name) == 0;
	     low++) {
		if (!r->function[low].is_reached)
			r->open[r->n_open++] = low;
		r->function[low].is_reached = true;
	}
	return low > high;
}

/* The last name of "ns::f<float>" or "ns::f(int)". */
static bool reach_named(struct reaching *r, const char *name)
{
	struct token t, last = {0};

	while (name && (t = token_next(&name)).len && !token_is(t, "<") &&
	       !token_is(t, "("))
		if (token_is_word(t))
			last = t;
	return last.len && reach(r, last);
}

/* What macros name: a macro may be used anywhere. */
static void reach_macros(struct reaching *r, const char *text)
{
	while ((text = strchr(text, '#'))) {
		const char *line = text + 1;
		bool goes_on = true;

		for (; *line && goes_on; line++) {
			struct token word = {line, 0};

			while (is_word_char(line[word.len]))
				word.len++;
			if (word.len) {
				reach(r, word);
				line += word.len - 1;
			} else {
				goes_on = *line != '\n' || line[-1] == '\\';
			}
		}
		text = line;
	}
}

/* "int NAME(", and no call of it: "= NAME(" */
static bool is_declared(const struct source_tokens *s, size_t i)
{
	return i && i + 1 < s->n && token_is(s->token[i + 1], "(") &&
	       (token_is_word(s->token[i - 1]) ||
		token_is(s->token[i - 1], "*") ||
		token_is(s->token[i - 1], "&") ||
		token_is(s->token[i - 1], ":") ||
		token_is(s->token[i - 1], ">"));
}

/* What is outside of functions: tables, initial values, classes. */
static void reach_outside(struct reaching *r, const struct source_tokens *s)
{
	size_t next = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct function_body *d =
			next < s->n_definitions ? &s->definition[next] : NULL;

		if (d && i == d->name) {
			i = s->partner[d->body];
			while (next < s->n_definitions &&
			       s->definition[next].name < i)
				next++;
		} else if (token_is_word(s->token[i]) && !is_declared(s, i)) {
			reach(r, s->token[i]);
		}
	}
}

/* A source that is compiled, or a header, of C, C++ or CUDA. */
static void read_files(struct reaching *r, const struct fileset *files)
{
	for (size_t i = 0; i < files->n && r->n < MOST_FILES; i++) {
		const char *dot = strrchr(files->file[i].path, '.');
		static const char *const endings[] = {".c",   ".h",   ".cc",
						      ".cpp", ".cxx", ".hpp",
						      ".cu",  ".cuh"};
		bool is_code = false;

		for (size_t k = 0; dot && k < ARRAY_SIZE(endings); k++)
			is_code |= str_eq(dot, endings[k]);
		if (!is_code)
			continue;
		r->file[r->n] = &files->file[i];
		source_read(&r->source[r->n++], files->file[i].data);
	}
	for (size_t i = 0; i < r->n; i++)
		for (size_t k = 0; k < r->source[i].n_definitions; k++) {
			const struct source_tokens *s = &r->source[i];

			GROW(r->function, r->n_functions, r->cap);
			r->function[r->n_functions++] =
				(struct reached_function){
					.name = s->token[s->definition[k].name],
					.source = s,
					.d = s->definition[k]};
		}
	r->open = xcalloc(r->n_functions + 1, sizeof *r->open);
	if (r->n_functions)
		qsort(r->function, r->n_functions, sizeof *r->function,
		      by_name);
}

static void reach_all(struct reaching *r)
{
	while (r->n_open) {
		const struct reached_function *f =
			&r->function[r->open[--r->n_open]];

		for (size_t i = f->d.parameters;
		     i < f->source->partner[f->d.body]; i++)
			if (token_is_word(f->source->token[i]))
				reach(r, f->source->token[i]);
	}
}

/* Blanks in place of the bodies that are not reached. */
static void blank_rest(char *text, const struct reaching *r, size_t file)
{
	const struct source_tokens *s = &r->source[file];

	for (size_t i = 0; i < r->n_functions; i++) {
		const struct reached_function *f = &r->function[i];
		size_t from, to;

		if (f->source != s || f->is_reached)
			continue;
		from = (size_t)(s->token[f->d.body].at - r->file[file]->data);
		to = (size_t)(s->token[s->partner[f->d.body]].at -
			      r->file[file]->data);
		for (; from < to; from++)
			text[from] = text[from] == '\n' ? '\n' : ' ';
	}
}

void hidden_numbers_reached(struct hidden_numbers *out, const struct task *t,
			    const struct fileset *files)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;
	cleanup_reaching struct reaching r = {0};

	task_source_patterns(&patterns, t);
	read_files(&r, files);
	if (!reach_named(&r, t->entry)) {
		hidden_numbers_read(out, t, files);
		return;
	}
	reach_named(&r, t->prepare);
	reach_named(&r, t->setup);
	for (size_t i = 0; i < r.n; i++) {
		reach_macros(&r, r.file[i]->data);
		reach_outside(&r, &r.source[i]);
	}
	reach_all(&r);
	for (size_t i = 0, k = 0; i < files->n; i++) {
		const struct file_entry *f = &files->file[i];
		cleanup_free char *text = xmemdup(f->data, f->len + 1);

		if (k < r.n && r.file[k] == f)
			blank_rest(text, &r, k++);
		if (path_matches(f->path, &patterns))
			hidden_numbers_add(out, text, f->len);
	}
}
