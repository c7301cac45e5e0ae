/* What an export says of the candidate, for people and for programs. */
#include "cmd/export/source.h"
#include "cmd/ui/out.h"
#include "cmd/ui/report.h"
#include "core/base/clock.h"
#include "core/base/text.h"

#define EXPORT_FORMAT 1

struct error *export_put(struct export_source *s, const char *path,
			 const struct buf *text)
{
	if (text->truncated)
		return error_new(ERROR_TOO_BIG, "export: %s is too long", path);
	return fileset_put(&s->out, path, text->data, text->len, false);
}

struct error *export_put_files(struct export_source *s, const char *folder)
{
	for (size_t i = 0; i < s->candidate.files.n; i++) {
		const struct file_entry *f = &s->candidate.files.file[i];
		cleanup_free char *path = xasprintf("%s%s", folder, f->path);

		TRY(fileset_put(&s->out, path, f->data, f->len, f->executable));
	}
	return NULL;
}

void export_comment(struct buf *out, const char *begin, const char *text)
{
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

	text_add_line(&line, text, strlen(text));
	buf_adds(out, begin);
	for (const char *p = line.data; *p; p++) {
		buf_addc(out, *p);
		if ((*p == '*' && p[1] == '/') || (*p == '/' && p[1] == '*'))
			buf_addc(out, ' ');
	}
	/* A backslash at the end, also as a trigraph, would take the next line
	 * into the comment. */
	if (line.len && strchr("\\/", line.data[line.len - 1]))
		buf_addc(out, '.');
	buf_addc(out, '\n');
}

/* ---- for people ---------------------------------------------------------- */

static void add_cases(struct buf *out, const struct export_source *s,
		      const char *begin)
{
	const struct measurement *m = s->pick.measurement;
	const struct task *t = s->task;

	export_comment(out, begin, "made for, and timed at:");
	for (size_t i = 0; i < t->n_cases; i++) {
		cleanup_free char *line = NULL;
		char rate[32] = "";

		if (m && i < m->n_cases && m->cases[i].seconds > 0)
			measurement_format(rate, sizeof rate, m,
					   m->cases[i].rate);
		line = xasprintf("  %s%s%s", t->cases[i].name,
				 *rate ? ": " : "", rate);
		export_comment(out, begin, line);
	}
}

static void add_hidden(struct buf *out, const struct export_source *s,
		       const char *begin)
{
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);
	const struct task *t = s->task;

	if (!t->hidden)
		return;
	buf_adds(&line, "checked at shapes drawn from:");
	for (size_t i = 0; i < t->symbols.n; i++) {
		const struct hidden_range *h = &t->hidden[i];

		buf_addf(&line, " %s=%lld..%lld", t->symbols.v[i],
			 (long long)h->low, (long long)h->high);
		if (h->step > 1)
			buf_addf(&line, " (multiples of %lld)",
				 (long long)h->step);
	}
	if (t->hidden_require)
		buf_addf(&line, ", where %s", expr_text(t->hidden_require));
	export_comment(out, begin, line.data);
}

static char *licence_words(const struct export_source *s)
{
	if (!s->licence_file)
		return s->licence ? xasprintf("%s (by a source)", s->licence)
				  : xstrdup("not stated: the repository has no "
					    "LICENSE file; ask its owner");
	return s->licence ? xasprintf("%s (%s)", s->licence, s->licence_file)
			  : xasprintf("see %s", s->licence_file);
}

static void add_setting(struct buf *out, const struct measurement *m,
			const char *begin, const char *words, const char *key)
{
	const char *value = measurement_get(m, key);
	cleanup_free char *line = value ? xasprintf("%s: %s", words, value)
					: NULL;

	if (line)
		export_comment(out, begin, line);
}

static void add_measurement(struct buf *out, const struct measurement *m,
			    const char *begin)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *line = NULL;
	char time[21];

	if (!m) {
		export_comment(out, begin,
			       "score: its measurement is not in this "
			       "repository");
		return;
	}
	clock_format(time, m->time_us);
	report_headline(&text, m);
	line = xasprintf("score: %s (class %s, %s)", text.data,
			 trust_class_name(m->trust), time);
	export_comment(out, begin, line);
	add_setting(out, m, begin, "machine", "machine");
	add_setting(out, m, begin, "compiler", "compiler");
	add_setting(out, m, begin, "flags it was measured with", "flags");
}

void export_facts(struct buf *out, const struct export_source *s,
		  const char *begin)
{
	const struct pick *p = &s->pick;
	cleanup_free char *commit = xasprintf("commit: %s", p->of.hex);
	cleanup_free char *task = xasprintf("task: %s (%s)%s%s", s->task->name,
					    s->task->path,
					    *p->run ? ", run " : "", p->run);
	cleanup_free char *words = licence_words(s);
	cleanup_free char *licence = xasprintf("licence: %s", words);

	export_comment(out, begin, task);
	export_comment(out, begin, commit);
	add_measurement(out, p->measurement, begin);
	add_cases(out, s, begin);
	add_hidden(out, s, begin);
	export_comment(out, begin, licence);
	export_comment(out, begin, "exported by avogit " AVOGIT_VERSION);
}

static void add_shape(struct buf *out, struct expr *const *dim, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_addf(out, "%s%s", i ? ", " : "", expr_text(dim[i]));
}

static void add_scalar(struct buf *out, const struct scalar *m)
{
	if (m->tensor)
		buf_addf(out, "`%s`: a pointer to `%s`", m->name, m->tensor);
	else if (m->value)
		buf_addf(out, "`%s` %s = `%s`", m->name, dtype_name(m->dtype),
			 expr_text(m->value));
	else
		buf_addf(out, "`%s` %s = %.17g", m->name, dtype_name(m->dtype),
			 m->constant);
}

static void add_argument(struct buf *out, const struct argument *a)
{
	static const char *const ways[] = {"input", "output",
					   "input and output"};

	switch (a->kind) {
	case ARGUMENT_TENSOR:
		buf_addf(out, "%s%s, %s [", a->is_static ? "static " : "",
			 ways[a->direction], dtype_name(a->dtype));
		add_shape(out, a->shape, a->n_dims);
		buf_adds(out, "]");
		if (a->has_strides) {
			buf_adds(out, ", strides [");
			add_shape(out, a->stride, a->n_dims);
			buf_adds(out, "]");
		}
		buf_addf(out, ", aligned to %zu bytes%s", a->alignment,
			 a->passing == PASSED_BACK ? ", returned" : "");
		break;
	case ARGUMENT_SCALAR:
	case ARGUMENT_STRUCT:
		buf_adds(out, a->kind == ARGUMENT_STRUCT ? "struct: " : "");
		for (size_t i = 0; i < a->n_members; i++) {
			buf_adds(out, i ? "; " : "");
			add_scalar(out, &a->members[i]);
		}
		break;
	default:
		buf_addf(out, "%s of `%s` bytes%s",
			 a->kind == ARGUMENT_PREPARED
				 ? "what the prepare function fills,"
				 : "scratch memory",
			 expr_text(a->bytes), a->zeroed ? ", zeroed" : "");
	}
}

void export_arguments(struct buf *out, const struct export_source *s)
{
	const struct task *t = s->task;

	buf_adds(out, "| argument | what |\n| --- | --- |\n");
	for (size_t i = 0; i < t->n_arguments; i++) {
		buf_addf(out, "| `%s` | ", t->argument[i].name);
		add_argument(out, &t->argument[i]);
		buf_adds(out, " |\n");
	}
}

/* ---- for programs -------------------------------------------------------- */

struct error *export_put_facts(struct export_source *s, const char *form)
{
	cleanup_json struct json *j = json_object();
	cleanup_free char *text = NULL;
	const struct pick *p = &s->pick;

	json_set_int(j, "format", EXPORT_FORMAT);
	json_set_string(j, "avogit", AVOGIT_VERSION);
	json_set_string(j, "as", form);
	json_set_string(j, "package", s->package);
	json_set_string(j, "task", s->task->name);
	json_set_string(j, "task_file", s->task->path);
	json_set_string(j, "language", task_language(s->task));
	json_set_string(j, "commit", p->of.hex);
	json_set_string(j, "base", p->base.hex);
	json_set_string(j, "run", *p->run ? p->run : NULL);
	json_set_string(j, "entry", s->entry.name);
	json_set_string(j, "symbol", s->entry.symbol);
	json_set_string(j, "compiler", s->task->compiler);
	json_set(j, "flags", json_strings(&s->flags));
	json_set(j, "libraries", json_strings(&s->libs));
	json_set_string(j, "arch", s->arch);
	json_set_string(j, "licence", s->licence);
	json_set_string(j, "licence_file", s->licence_file);
	if (p->measurement) {
		json_set_string(j, "machine",
				measurement_get(p->measurement, "machine"));
		json_set(j, "measurement", measurement_to_json(p->measurement));
	}
	text = json_print_pretty(j);
	return fileset_put(&s->out, "export.json", text, strlen(text), false);
}
