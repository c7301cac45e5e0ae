#include "agent/tuner/tunables.h"

#include <ctype.h>
#include <errno.h>

#include "agent/tuner/declaration.h"
#include "agent/tuner/lines.h"
#include "agent/tuner/values.h"
#include "core/base/buf.h"

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

/* The values as integers, for conditions, and where those find them. */
static void bind_requirements(struct tunables *t)
{
	char *names[TUNABLES_MAX];

	for (size_t i = 0; i < t->n; i++) {
		struct tunable *d = &t->tunable[i];

		names[i] = d->name;
		d->number = xcalloc(d->n_values, sizeof *d->number);
		d->is_integer = xcalloc(d->n_values, sizeof *d->is_integer);
		for (size_t v = 0; v < d->n_values; v++)
			d->is_integer[v] = tunable_integer(&d->number[v], d, v);
	}
	t->require_end = xcalloc(t->n_require, sizeof *t->require_end);
	for (size_t i = 0; i < t->n_require; i++)
		t->require_end[i] = expr_bind(t->require[i], names, t->n);
}

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

bool tunable_has_value(const struct tunable *t, const char *value,
		       size_t *index)
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

/* What joins the elements of an order: a comma, which a macro's arguments have,
 * but where it would end the value. */
static char order_join(const struct define *d)
{
	return d->is_assigned ? '_' : ',';
}

static void set_steps(struct tunable *t, char join)
{
	t->steps = xcalloc(t->n_values, t->n_values);
	for (size_t i = 0; i < t->n_values; i++)
		for (size_t j = 0; j < t->n_values; j++)
			t->steps[i * t->n_values + j] =
				values_steps(t->value[i], t->value[j], join);
}

static struct error *read_values(struct tunable *t,
				 const struct source_line *at,
				 const struct define *d, const char *text,
				 const char *current)
{
	cleanup_strvec struct strvec words = STRVEC_INIT;
	enum values_kind kind;
	const char *why = values_expand(&words, &kind, text, order_join(d),
					TUNABLES_MAX_VALUES);

	for (size_t i = 0; !why && i < words.n; i++) {
		why = declaration_odd_value(d, words.v[i]);
		add_value(t, words.v[i]);
	}
	if (why)
		return off(at, why);
	if (!tunable_has_value(t, current, &t->current))
		return off(at, "the value in force is not among the values "
			       "after '// avogit:'");
	t->ordered = kind == VALUES_WORDS && is_rising(t);
	if (kind == VALUES_ORDERS)
		set_steps(t, order_join(d));
	return NULL;
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
	return read_values(t, at, &d, values + strlen(DEFINE_MARK), value);
}

char *declaration_flags(const char *text, size_t len)
{
	cleanup_free char *copy = xstrndup(text, len);
	cleanup_buf struct buf b = BUF_INIT(DECLARATION_MAX_LINE);
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
	tunable_has_value(t, first, &t->current);
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
		cleanup_free char *flags = declaration_flags(text, len);
		size_t i;

		TRY(check_flags(at, flags, task));
		if (tunable_has_value(t, flags, &i) ||
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

/* ---- a set of flags -------------------------------------------------------- */

struct error *declaration_split_set(struct strvec *on, struct strvec *all,
				    const struct source_line *at,
				    const char *text)
{
	cleanup_free char *before = xstrndup(text, strcspn(text, "|"));
	const char *side[] = {before, text + strlen(before)};

	if (!*side[1] || strchr(++side[1], '|'))
		return off(at, "'// avogit-flag-set:' has the flags that are "
			       "in force, one '|', and those that are not");
	for (size_t i = 0; i < ARRAY_SIZE(side); i++) {
		char *word;

		while ((word = next_word(&side[i]))) {
			strvec_push(all, word);
			free(word);
		}
		for (size_t j = 0; !i && j < all->n; j++)
			strvec_push(on, all->v[j]);
	}
	return NULL;
}

/* Each flag is a tunable; in the order of their names, because a choice moves
 * them about in the line. */
static struct error *read_set(struct tunables *out,
			      const struct source_line *at, const char *text,
			      const struct task *task)
{
	cleanup_strvec struct strvec on = STRVEC_INIT, all = STRVEC_INIT;

	for (size_t i = 0; i < out->n; i++)
		if (out->tunable[i].is_member)
			return off(at, "there is more than one set of flags");
	TRY(declaration_split_set(&on, &all, at, text + strlen(SET_MARK)));
	if (!all.n)
		return off(at, "a set of flags has none");
	qsort(all.v, all.n, sizeof *all.v, by_text);
	for (size_t i = 0; i < all.n; i++) {
		struct tunable *t;

		TRY(check_flags(at, all.v[i], task));
		TRY(check_new(out, at, all.v[i]));
		t = add_tunable(out, at, all.v[i]);
		t->is_member = true;
		add_value(t, "off");
		add_value(t, "on");
		t->current = strvec_has(&on, all.v[i]);
	}
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
	if (mark && task->fixed_flags &&
	    (starts_with(mark, FLAGS_MARK) || starts_with(mark, SET_MARK)))
		return NULL;
	if (mark && starts_with(mark, SET_MARK))
		return read_set(out, at, mark, task);
	if (mark && starts_with(mark, FLAGS_MARK))
		return read_flags(out, at, mark, task);
	if (mark && starts_with(mark, REQUIRE_MARK))
		return read_require(out, at, mark);
	if (declaration_looks_like_one(line))
		strvec_pushf(&out->odd, "%s:%zu: %.200s", at->path, at->line,
			     line + strspn(line, " \t"));
	return NULL;
}

size_t declaration_line_length(const struct file_entry *f, size_t begin)
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
		size_t len = declaration_line_length(f, i);
		cleanup_free char *line =
			xstrndup(f->data + i, MIN(len, DECLARATION_MAX_LINE));

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

/* Moves the flag to its side of the bar, and leaves the others in their order. */
static void write_member(struct buf *out, const char *line,
			 const struct tunable *t, size_t chosen)
{
	const char *comment, *mark = declaration_mark(line, &comment);
	cleanup_strvec struct strvec on = STRVEC_INIT, all = STRVEC_INIT;
	const struct source_line at = {t->path, t->line};

	/* It was split when it was read. */
	error_free(
		declaration_split_set(&on, &all, &at, mark + strlen(SET_MARK)));
	buf_add(out, line, (size_t)(mark - line) + strlen(SET_MARK));
	for (size_t i = 0; i < on.n; i++)
		if (!str_eq(on.v[i], t->name))
			buf_addf(out, " %s", on.v[i]);
	buf_addf(out, "%s%s |", chosen ? " " : "", chosen ? t->name : "");
	buf_addf(out, "%s%s", chosen ? "" : " ", chosen ? "" : t->name);
	for (size_t i = on.n; i < all.n; i++)
		if (!str_eq(all.v[i], t->name))
			buf_addf(out, " %s", all.v[i]);
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
		size_t len = declaration_line_length(f, i);
		cleanup_free char *line = xstrndup(f->data + i, len);

		if (++number != t->line)
			buf_add(&out, f->data + i, len);
		else if (t->is_flags)
			write_flags(&out, line, t, chosen);
		else if (t->is_member)
			write_member(&out, line, t, chosen);
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

/* Are those of the constraints met that concern tunables in [from, n), the last
 * of each there? */
static bool are_met(const struct tunables *t, const size_t *point, size_t from,
		    size_t n)
{
	int64_t value[TUNABLES_MAX], v;
	bool has[TUNABLES_MAX];

	if (!t->n_require)
		return true;
	for (size_t i = 0; i < n; i++) {
		value[i] = t->tunable[i].number[point[i]];
		has[i] = t->tunable[i].is_integer[point[i]];
	}
	for (size_t i = 0; i < t->n_require; i++)
		if (t->require_end[i] >= from && t->require_end[i] <= n &&
		    (!expr_eval_at(&v, t->require[i], value, has) || !v))
			return false;
	return true;
}

bool tunables_allowed(const struct tunables *t, const size_t *point)
{
	return are_met(t, point, 0, t->n);
}

bool tunables_may_begin(const struct tunables *t, const size_t *point, size_t n)
{
	return are_met(t, point, n, n);
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

/* The flags in force are those of one file (task_chosen_flags). */
static struct error *check_set(const struct tunables *t)
{
	const struct tunable *first = NULL;

	for (size_t i = 0; i < t->n; i++) {
		const struct tunable *d = &t->tunable[i];

		if (!d->is_flags && !d->is_member)
			continue;
		if (first && !str_eq(first->path, d->path))
			return error_new(ERROR_TASK,
					 "%s:%zu: avogit-flags and "
					 "avogit-flag-set belong in one file",
					 d->path, d->line);
		first = d;
	}
	return NULL;
}

struct error *tunables_read(struct tunables *out, const struct fileset *sources,
			    const struct task *task)
{
	cleanup_tunables struct tunables t = {0};

	for (size_t i = 0; i < sources->n; i++)
		TRY(declarations_read(&t, &sources->file[i], task));
	bind_requirements(&t);
	TRY(check_requirements(&t));
	TRY(check_set(&t));
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

static bool is_part(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Has the line the name as a word, where it is no comment of avogit's? */
static bool has_word(const char *line, size_t len, const char *name)
{
	const char *end = memmem(line, len, "// avogit", 9);
	const char *at = line;
	size_t n = strlen(name);

	len = end ? (size_t)(end - line) : len;
	end = line + len;
	while ((at = memmem(at, (size_t)(end - at), name, n))) {
		bool before = at > line && is_part(at[-1]);
		bool after = at + n < end && is_part(at[n]);

		if (!before && !after)
			return true;
		at += n;
	}
	return false;
}

bool tunable_is_unused(const struct tunable *t, const struct fileset *sources)
{
	size_t found = 0;
	bool defines = false;

	for (size_t i = 0; i < sources->n; i++) {
		const struct file_entry *f = &sources->file[i];
		const char *line = f->data, *end = f->data + f->len;

		for (size_t number = 1; line < end; number++) {
			const char *next =
				memchr(line, '\n', (size_t)(end - line));
			size_t len = (size_t)((next ? next : end) - line);

			found += has_word(line, len, t->name);
			if (number == t->line && str_eq(f->path, t->path))
				defines = memmem(line, len, "define", 6);
			line += len + 1;
		}
	}
	return defines && !t->is_flags && !t->is_member && found <= 1;
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

void tunables_release(struct tunables *t)
{
	for (size_t i = 0; i < t->n; i++) {
		for (size_t j = 0; j < t->tunable[i].n_values; j++)
			free(t->tunable[i].value[j]);
		free(t->tunable[i].value);
		free(t->tunable[i].steps);
		free(t->tunable[i].number);
		free(t->tunable[i].is_integer);
		free(t->tunable[i].name);
		free(t->tunable[i].path);
	}
	for (size_t i = 0; i < t->n_require; i++)
		expr_free(t->require[i]);
	free(t->tunable);
	free(t->require);
	free(t->require_end);
	strvec_release(&t->odd);
	*t = (struct tunables){0};
}
