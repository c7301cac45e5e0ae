/* The flags that a source chooses: `// avogit-flags: -O3 -ffast-math | -O2`, and
 * of a set those before the bar: `// avogit-flag-set: -funroll-loops | -fwrapv`. */
#include <ctype.h>

#include "core/task/task.h"

#define FLAGS_MARK "avogit-flags:"
#define SET_MARK   "avogit-flag-set:"

/* The text after the mark if [line, end) is a line of it, else NULL. */
static const char *flags_text(const char *line, const char *end,
			      const char *mark)
{
	while (line < end && (*line == ' ' || *line == '\t'))
		line++;
	if (end - line < 2 || !starts_with(line, "//"))
		return NULL;
	for (line += 2; line < end && (*line == ' ' || *line == '\t'); line++)
		;
	if ((size_t)(end - line) < strlen(mark) || !starts_with(line, mark))
		return NULL;
	return line + strlen(mark);
}

/* A line of a file, and what follows its mark. */
struct marked {
	const char *text, *end;
	size_t number; /* 0: there is none */
};

static void split_words(struct strvec *flags, const char *text, const char *end)
{
	while (text < end) {
		const char *word;

		while (text < end && isspace((unsigned char)*text))
			text++;
		for (word = text; text < end && !isspace((unsigned char)*text);
		     text++)
			;
		if (text > word)
			strvec_pushf(flags, "%.*s", (int)(text - word), word);
	}
}

/* Where the alternative ends that begins at `text`: a '|' separates them. */
static const char *alternative_end(const char *text, const char *end)
{
	const char *bar = memchr(text, '|', (size_t)(end - text));

	return bar ? bar : end;
}

static void split_choice(struct strvec *flags, const struct marked *m)
{
	if (m->number)
		split_words(flags, m->text, alternative_end(m->text, m->end));
}

/* The pairs of one alternative are joined before the next one's words follow. */
static void split_all(struct strvec *flags, const struct marked *m,
		      const struct task *t)
{
	const char *text = m->text, *end;

	if (!m->number)
		return;
	do {
		cleanup_strvec struct strvec words = STRVEC_INIT;

		end = alternative_end(text, m->end);
		split_words(&words, text, end);
		if (t->language == LANGUAGE_CUDA)
			flags_join_pairs(&words);
		strvec_extend(flags, &words);
		text = end + 1;
	} while (end < m->end);
}

/* The first line of a file with this mark. */
static struct marked find_mark(const struct file_entry *f, const char *mark)
{
	const char *line = f->data, *stop = f->data + f->len;

	for (size_t number = 1; line < stop; number++) {
		const char *end = memchr(line, '\n', (size_t)(stop - line));
		const char *text = flags_text(line, end ? end : stop, mark);

		if (text)
			return (struct marked){text, end ? end : stop, number};
		if (!end)
			break;
		line = end + 1;
	}
	return (struct marked){0};
}

/* The lines that are in force: those of the first source that has one. */
struct flag_lines {
	const char *path; /* NULL: there is none */
	struct marked choice, set;
};

static struct flag_lines find_declared(const struct task *t,
				       const struct fileset *files)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;

	task_source_patterns(&patterns, t);
	for (size_t i = 0; !t->fixed_flags && i < files->n; i++) {
		const struct file_entry *f = &files->file[i];
		struct flag_lines d = {f->path, {0}, {0}};

		if (!path_matches(f->path, &patterns))
			continue;
		d.choice = find_mark(f, FLAGS_MARK);
		d.set = find_mark(f, SET_MARK);
		if (d.choice.number || d.set.number)
			return d;
	}
	return (struct flag_lines){0};
}

const char *task_chosen_flags(struct strvec *out, size_t *line,
			      const struct task *t, const struct fileset *files)
{
	struct flag_lines d = find_declared(t, files);

	*line = d.choice.number ? d.choice.number : d.set.number;
	split_choice(out, &d.choice);
	split_choice(out, &d.set);
	if (t->language == LANGUAGE_CUDA)
		flags_join_pairs(out);
	return d.path;
}

static char *refuse_line(const struct task *t, const struct flag_lines *d,
			 const struct marked *m)
{
	cleanup_strvec struct strvec flags = STRVEC_INIT;
	cleanup_free char *why = NULL;

	split_all(&flags, m, t);
	why = task_refuse_flags(t, &flags);
	return why ? xasprintf("%s:%zu: %s", d->path, m->number, why) : NULL;
}

char *task_refuse_declared(const struct task *t, const struct fileset *files)
{
	struct flag_lines d = find_declared(t, files);
	char *why = refuse_line(t, &d, &d.choice);

	return why ? why : refuse_line(t, &d, &d.set);
}
