#include "agent/tuner/tunables.h"

#include <ctype.h>
#include <errno.h>

#include "agent/tuner/declaration.h"
#include "core/base/buf.h"

#define MAX_LINE 4096

/* ---- reading declarations ------------------------------------------------ */

/* The value with that index as a number; false if it is not an integer. */
static bool tunable_integer(int64_t *out, const struct tunable *t, size_t value)
{
	const char *text = t->value[value];
	char *end;

	errno = 0;
	*out = strtoll(text, &end, 10);
	return !errno && end != text && !*end;
}

struct source_line {
	const char *path;
	size_t line;
};

static struct error *off(const struct source_line *at, const char *what)
{
	return error_new(ERROR_TASK, "%s:%zu: %s", at->path, at->line, what);
}

/* Copies the next word and moves *p after it; or NULL. free() disposes. */
static char *next_word(const char **p)
{
	const char *start = *p + strspn(*p, " \t\r");
	size_t len = strcspn(start, " \t\r");

	*p = start + len;
	return len ? xstrndup(start, len) : NULL;
}

static void add_value(struct tunable *t, const char *value)
{
	t->value = xrealloc(t->value, t->n_values + 1, sizeof *t->value);
	t->value[t->n_values++] = xstrdup(value);
}

static bool has_value(const struct tunable *t, const char *value, size_t *index)
{
	for (*index = 0; *index < t->n_values; ++*index)
		if (str_eq(t->value[*index], value))
			return true;
	return false;
}

static bool is_rising(const struct tunable *t)
{
	int64_t last = INT64_MIN, v;

	for (size_t i = 0; i < t->n_values; i++) {
		if (!tunable_integer(&v, t, i) || v <= last)
			return false;
		last = v;
	}
	return true;
}

static struct error *check_new(const struct tunables *t,
			       const struct source_line *at, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (str_eq(t->tunable[i].name, name))
			return off(at, "a tunable of this name is declared "
				       "twice");
	if (t->n >= TUNABLES_MAX)
		return off(at, "more than 64 tunables");
	return NULL;
}

static struct tunable *add_tunable(struct tunables *out,
				   const struct source_line *at,
				   const char *name)
{
	GROW(out->tunable, out->n, out->cap);
	out->tunable[out->n] = (struct tunable){
		.name = xstrdup(name),
		.path = xstrdup(at->path),
		.line = at->line,
	};
	return &out->tunable[out->n++];
}

/* Reads #define NAME VALUE // avogit: V1 V2 ..., where `comment` begins with "//"
 * and `values` with the mark. */
static struct error *read_define(struct tunables *out,
				 const struct source_line *at, const char *line,
				 const char *comment, const char *values)
{
	cleanup_free char *name = NULL, *value = NULL;
	struct tunable *t;
	struct define d;

	if (!declaration_define(&d, line) || d.value + d.value_len > comment)
		return off(at, "'// avogit:' belongs on a line '#define NAME "
			       "VALUE' or 'NAME = VALUE'");
	name = xstrndup(d.name, d.name_len);
	value = xstrndup(d.value, d.value_len);
	TRY(check_new(out, at, name));
	t = add_tunable(out, at, name);
	values += strlen(DEFINE_MARK);
	for (;;) {
		cleanup_free char *word = next_word(&values);
		size_t i;

		if (!word)
			break;
		if (has_value(t, word, &i))
			return off(at, "a value is listed twice");
		if (declaration_odd_value(&d, word))
			return off(at, declaration_odd_value(&d, word));
		if (t->n_values >= TUNABLES_MAX_VALUES)
			return off(at, "more than 64 values");
		add_value(t, word);
	}
	if (!has_value(t, value, &t->current))
		return off(at, "the value in force is not among the values "
			       "after '// avogit:'");
	t->ordered = is_rising(t);
	return NULL;
}

/* Joins the words of an alternative by single blanks. */
static char *normal_flags(const char *text, size_t len)
{
	cleanup_free char *copy = xstrndup(text, len);
	cleanup_buf struct buf b = BUF_INIT(MAX_LINE);
	const char *p = copy;

	for (;;) {
		cleanup_free char *word = next_word(&p);

		if (!word)
			return buf_take(&b);
		buf_addf(&b, "%s%s", b.len ? " " : "", word);
	}
}

static struct error *check_flags(const struct source_line *at,
				 const char *flags, const struct task *task)
{
	cleanup_strvec struct strvec words = STRVEC_INIT;
	cleanup_free char *why = NULL;
	const char *p = flags;

	for (;;) {
		cleanup_free char *word = next_word(&p);

		if (!word)
			break;
		strvec_push(&words, word);
	}
	if (task->language == LANGUAGE_CUDA)
		flags_join_pairs(&words);
	why = task_refuse_flags(task, &words);
	return why ? off(at, why) : NULL;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the values: a choice moves its alternative to the front of the line,
 * and the indices of a run's points must not change with it. */
static void sort_flags(struct tunable *t)
{
	cleanup_free char *first = xstrdup(t->value[0]);

	qsort(t->value, t->n_values, sizeof *t->value, by_text);
	has_value(t, first, &t->current);
}

/* Reads // avogit-flags: A | B | C; the first is in force. */
static struct error *read_flags(struct tunables *out,
				const struct source_line *at, const char *text,
				const struct task *task)
{
	struct tunable *t;

	TRY(check_new(out, at, "flags"));
	t = add_tunable(out, at, "flags");
	t->is_flags = true;
	for (text += strlen(FLAGS_MARK);;) {
		size_t len = strcspn(text, "|");
		cleanup_free char *flags = normal_flags(text, len);
		size_t i;

		TRY(check_flags(at, flags, task));
		if (has_value(t, flags, &i) ||
		    t->n_values >= TUNABLES_MAX_VALUES)
			return off(at, "an alternative is listed twice");
		add_value(t, flags);
		if (!text[len])
			break;
		text += len + 1;
	}
	sort_flags(t);
	return NULL;
}

static struct error *read_require(struct tunables *out,
				  const struct source_line *at,
				  const char *text)
{
	cleanup_expr struct expr *e = NULL;

	text += strlen(REQUIRE_MARK);
	text += strspn(text, " \t");
	TRY(error_wrap(expr_parse(&e, text), "%s:%zu", at->path, at->line));
	out->require = xrealloc(out->require, out->n_require + 1,
				sizeof(struct expr *));
	out->require[out->n_require++] = steal(&e);
	return NULL;
}

static struct error *read_line(struct tunables *out,
			       const struct source_line *at, const char *line,
			       const struct task *task)
{
	const char *comment, *mark = declaration_mark(line, &comment);

	if (mark && starts_with(mark, DEFINE_MARK))
		return read_define(out, at, line, comment, mark);
	if (mark && starts_with(mark, FLAGS_MARK) && task->fixed_flags)
		return NULL;
	if (mark && starts_with(mark, FLAGS_MARK))
		return read_flags(out, at, mark, task);
	if (mark && starts_with(mark, REQUIRE_MARK))
		return read_require(out, at, mark);
	if (declaration_looks_like_one(line))
		strvec_pushf(&out->odd, "%s:%zu: %.200s", at->path, at->line,
			     line + strspn(line, " \t"));
	return NULL;
}

/* Length of the line at `begin`; a NUL does not end it. */
static size_t line_length(const struct file_entry *f, size_t begin)
{
	const char *p = f->data + begin;
	const char *end = memchr(p, '\n', f->len - begin);

	return end ? (size_t)(end - p) : f->len - begin;
}

/* Adds the declarations of one source: at most TUNABLES_MAX tunables in all,
 * each name once. ERROR_TASK with FILE:LINE for a malformed declaration or a
 * flag that the task does not allow. */
static struct error *declarations_read(struct tunables *out,
				       const struct file_entry *f,
				       const struct task *task)
{
	struct source_line at = {f->path, 0};
	const char *comment;

	for (size_t i = 0; i < f->len;) {
		size_t len = line_length(f, i);
		cleanup_free char *line =
			xstrndup(f->data + i, MIN(len, MAX_LINE));

		at.line++;
		if (strlen(line) != len && declaration_mark(line, &comment))
			return off(&at, "a declaration is a line of text of at "
					"most 4096 bytes");
		TRY(read_line(out, &at, line, task));
		i += len + 1;
	}
	return NULL;
}

/* ---- rewriting declarations ---------------------------------------------- */

static void write_define(struct buf *out, const char *line, const char *value)
{
	struct define d;

	if (!declaration_define(&d, line)) {
		buf_adds(out, line);
		return;
	}
	buf_add(out, line, (size_t)(d.value - line));
	buf_adds(out, value);
	buf_adds(out, d.value + d.value_len);
}

/* Writes the chosen alternative first, then the others in their order. */
static void write_flags(struct buf *out, const char *line,
			const struct tunable *t, size_t chosen)
{
	const char *comment, *mark = declaration_mark(line, &comment);

	buf_add(out, line, (size_t)(mark - line) + strlen(FLAGS_MARK));
	buf_addf(out, " %s", t->value[chosen]);
	for (size_t i = 0; i < t->n_values; i++)
		if (i != chosen)
			buf_addf(out, " | %s", t->value[i]);
}

/* Rewrites the line that declares `t` so that the value `chosen` is in force;
 * all other bytes stay. */
static struct error *declaration_rewrite(struct fileset *sources,
					 const struct tunable *t, size_t chosen)
{
	const struct file_entry *f = fileset_get(sources, t->path);
	cleanup_buf struct buf out = BUF_INIT(FILESET_MAX_BYTES);
	size_t number = 0;

	if (!f)
		return error_new(ERROR_INTERNAL, "%s is gone", t->path);
	for (size_t i = 0; i < f->len;) {
		size_t len = line_length(f, i);
		cleanup_free char *line = xstrndup(f->data + i, len);

		if (++number != t->line)
			buf_add(&out, f->data + i, len);
		else if (t->is_flags)
			write_flags(&out, line, t, chosen);
		else
			write_define(&out, line, t->value[chosen]);
		if (i + len < f->len)
			buf_addc(&out, '\n');
		i += len + 1;
	}
	return fileset_put(sources, f->path, out.data, out.len, f->executable);
}

/* ---- the tunables of a candidate ----------------------------------------- */

struct values {
	char *name[TUNABLES_MAX];
	int64_t value[TUNABLES_MAX];
};

/* The values at a point as symbols; only tunables with integer values. */
static struct symbols symbols_at(struct values *v, const struct tunables *t,
				 const size_t *point)
{
	struct symbols s = {v->name, v->value, 0};

	for (size_t i = 0; i < t->n; i++) {
		v->name[s.n] = t->tunable[i].name;
		if (tunable_integer(&v->value[s.n], &t->tunable[i], point[i]))
			s.n++;
	}
	return s;
}

bool tunables_allowed(const struct tunables *t, const size_t *point)
{
	struct values values;
	struct symbols s = symbols_at(&values, t, point);

	for (size_t i = 0; i < t->n_require; i++) {
		int64_t v = 0;
		cleanup_error struct error *err =
			expr_eval(&v, t->require[i], &s);

		if (err || !v)
			return false;
	}
	return true;
}

/* Checks that the constraints can be evaluated at the current values. */
static struct error *check_requirements(const struct tunables *t)
{
	size_t point[TUNABLES_MAX];
	struct values values;
	struct symbols s;

	for (size_t i = 0; i < t->n; i++)
		point[i] = t->tunable[i].current;
	s = symbols_at(&values, t, point);
	for (size_t i = 0; i < t->n_require; i++) {
		int64_t v;

		TRY(error_wrap(expr_eval(&v, t->require[i], &s),
			       "avogit-require"));
	}
	return NULL;
}

struct error *tunables_read(struct tunables *out, const struct fileset *sources,
			    const struct task *task)
{
	cleanup_tunables struct tunables t = {0};

	for (size_t i = 0; i < sources->n; i++)
		TRY(declarations_read(&t, &sources->file[i], task));
	TRY(check_requirements(&t));
	*out = t;
	t = (struct tunables){0};
	return NULL;
}

static size_t tunables_space(const struct tunables *t)
{
	size_t space = 1;

	for (size_t i = 0; i < t->n; i++)
		if (__builtin_mul_overflow(space, t->tunable[i].n_values,
					   &space))
			return SIZE_MAX;
	return space;
}

/* Moves to the next point, like an odometer; false after the last. */
static bool advance(size_t *point, const struct tunables *t)
{
	for (size_t i = t->n; i-- > 0;) {
		if (++point[i] < t->tunable[i].n_values)
			return true;
		point[i] = 0;
	}
	return false;
}

size_t tunables_count(const struct tunables *t)
{
	size_t point[TUNABLES_MAX] = {0}, n = 0;

	if (!t->n_require)
		return tunables_space(t);
	if (tunables_space(t) > TUNABLES_MAX_COUNTED)
		return SIZE_MAX;
	do
		n += tunables_allowed(t, point);
	while (advance(point, t));
	return n;
}

char *tunables_summary(const struct tunables *t)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);
	size_t n = tunables_count(t);

	for (size_t i = 0; i < t->n; i++)
		buf_addf(&b, "%s%s (%zu)", i ? ", " : "", t->tunable[i].name,
			 t->tunable[i].n_values);
	if (n == SIZE_MAX)
		buf_addf(&b, ": more than %d points", TUNABLES_MAX_COUNTED);
	else
		buf_addf(&b, ": %zu point%s", n, n == 1 ? "" : "s");
	return buf_take(&b);
}

char *tunables_requirements(const struct tunables *t)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	for (size_t i = 0; i < t->n_require; i++)
		buf_addf(&b, "%s%s", i ? " and " : "",
			 expr_text(t->require[i]));
	return buf_take(&b);
}

struct error *tunables_apply(struct fileset *sources, const struct tunables *t,
			     const size_t *point)
{
	for (size_t i = 0; i < t->n; i++)
		if (point[i] != t->tunable[i].current)
			TRY(declaration_rewrite(sources, &t->tunable[i],
						point[i]));
	return NULL;
}

/* ---- the same tunables in other sources ----------------------------------- */

/* The line of the file that defines `t`: the one with a mark, else the first.
 * 0: none does. */
static size_t defining_line(const struct tunable *t, const struct file_entry *f)
{
	size_t number = 0, found = 0;

	for (size_t i = 0; i < f->len;) {
		size_t len = line_length(f, i);
		cleanup_free char *line =
			xstrndup(f->data + i, MIN(len, MAX_LINE));
		const char *comment, *mark = declaration_mark(line, &comment);
		bool is_marked = mark && starts_with(mark, DEFINE_MARK);
		struct define d;

		number++;
		i += len + 1;
		if (!declaration_define(&d, line) ||
		    d.name_len != strlen(t->name) ||
		    memcmp(d.name, t->name, d.name_len) != 0)
			continue;
		if (is_marked)
			return number;
		if (!found)
			found = number;
	}
	return found;
}

/* What is left of a line without declarations, and the values that it has in
 * force. Its value of each tunable is cut out. */
struct rest {
	const struct tunables *space;
	const struct file_entry *file;
	size_t line[TUNABLES_MAX]; /* that defines each in this file; or 0 */
	size_t *point;
	bool has[TUNABLES_MAX];
	struct buf *out;
};

static bool take_value(struct rest *r, size_t tunable, const char *text,
		       size_t len)
{
	cleanup_free char *value = normal_flags(text, len);

	r->has[tunable] = has_value(&r->space->tunable[tunable], value,
				    &r->point[tunable]);
	return r->has[tunable];
}

/* Index of the tunable that this line defines; space->n: none. */
static size_t defined_by(const struct rest *r, size_t number)
{
	size_t i = 0;

	while (i < r->space->n && r->line[i] != number)
		i++;
	return i;
}

static size_t flags_of(const struct tunables *space)
{
	size_t i = 0;

	while (i < space->n && !space->tunable[i].is_flags)
		i++;
	return i;
}

/* Adds the line up to `end`; nothing if that is blank. */
static void keep_line(struct rest *r, const char *line, const char *end)
{
	while (end > line && isspace((unsigned char)end[-1]))
		end--;
	if (end == line)
		return;
	buf_add(r->out, line, (size_t)(end - line));
	buf_addc(r->out, '\n');
}

static bool rest_of_define(struct rest *r, size_t tunable, const char *line,
			   const char *end)
{
	struct define d;

	if (!declaration_define(&d, line) ||
	    !take_value(r, tunable, d.value, d.value_len))
		return false;
	buf_add(r->out, line, (size_t)(d.value - line));
	keep_line(r, d.value + d.value_len, end);
	return true;
}

/* False: it has a value that the space has not. */
static bool rest_of_line(struct rest *r, const char *line, size_t number)
{
	const char *end = line + strlen(line), *comment;
	const char *mark = declaration_mark(line, &comment);
	size_t tunable = defined_by(r, number);
	size_t flags = flags_of(r->space);

	if (mark && starts_with(mark, FLAGS_MARK) && flags < r->space->n) {
		const char *first = mark + strlen(FLAGS_MARK);

		if (!take_value(r, flags, first, strcspn(first, "|")))
			return false;
		end = comment;
	} else if (mark && (starts_with(mark, DEFINE_MARK) ||
			    starts_with(mark, REQUIRE_MARK))) {
		end = comment;
	}
	if (tunable < r->space->n)
		return rest_of_define(r, tunable, line, end);
	keep_line(r, line, end);
	return true;
}

static struct error *rest_of_file(struct fileset *out, bool *has,
				  struct rest *r)
{
	const struct file_entry *f = r->file;
	size_t number = 0;

	for (size_t i = 0; i < r->space->n; i++) {
		const struct tunable *t = &r->space->tunable[i];

		r->line[i] = !t->is_flags && str_eq(t->path, f->path)
				     ? defining_line(t, f)
				     : 0;
	}
	buf_clear(r->out);
	for (size_t i = 0; i < f->len && *has;) {
		size_t len = line_length(f, i);
		cleanup_free char *line = xstrndup(f->data + i, len);

		*has = strlen(line) == len && rest_of_line(r, line, ++number);
		i += len + 1;
	}
	/* held: `out` has other files than r->file */
	return fileset_put(out, f->path, r->out->data, r->out->len,
			   f->executable);
}

struct error *tunables_locate(bool *has, size_t *point,
			      char rest[FILESET_ID_LEN + 1],
			      const struct tunables *space,
			      const struct fileset *sources)
{
	cleanup_buf struct buf out = BUF_INIT(FILESET_MAX_BYTES);
	cleanup_fileset struct fileset left = FILESET_INIT;
	struct rest r = {.space = space, .point = point, .out = &out};

	*has = true;
	for (size_t i = 0; i < sources->n && *has; i++) {
		r.file = &sources->file[i];
		TRY(rest_of_file(&left, has, &r));
	}
	for (size_t i = 0; i < space->n; i++)
		*has = *has && r.has[i];
	fileset_id(rest, &left);
	return NULL;
}

void tunables_release(struct tunables *t)
{
	for (size_t i = 0; i < t->n; i++) {
		for (size_t j = 0; j < t->tunable[i].n_values; j++)
			free(t->tunable[i].value[j]);
		free(t->tunable[i].value);
		free(t->tunable[i].name);
		free(t->tunable[i].path);
	}
	for (size_t i = 0; i < t->n_require; i++)
		expr_free(t->require[i]);
	free(t->tunable);
	free(t->require);
	strvec_release(&t->odd);
	*t = (struct tunables){0};
}
