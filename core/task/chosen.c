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

/* Words up to the first '|', which separates alternatives. */
static void split_choice(struct strvec *flags, const char *text,
			 const char *end)
{
	const char *bar = memchr(text, '|', (size_t)(end - text));

	if (bar)
		end = bar;
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

/* The first line of a file with this mark; its number, or 0 if there is none. */
static size_t find_flags(struct strvec *flags, const struct file_entry *f,
			 const char *mark)
{
	const char *line = f->data, *stop = f->data + f->len;

	for (size_t number = 1; line < stop; number++) {
		const char *end = memchr(line, '\n', (size_t)(stop - line));
		const char *text = flags_text(line, end ? end : stop, mark);

		if (text) {
			split_choice(flags, text, end ? end : stop);
			return number;
		}
		if (!end)
			return 0;
		line = end + 1;
	}
	return 0;
}

const char *task_chosen_flags(struct strvec *out, size_t *line,
			      const struct task *t, const struct fileset *files)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;

	if (t->fixed_flags)
		return NULL;
	task_source_patterns(&patterns, t);
	for (size_t i = 0; i < files->n; i++) {
		const struct file_entry *f = &files->file[i];
		size_t set;

		if (!path_matches(f->path, &patterns))
			continue;
		*line = find_flags(out, f, FLAGS_MARK);
		set = find_flags(out, f, SET_MARK);
		if (!*line)
			*line = set;
		if (!*line)
			continue;
		if (t->language == LANGUAGE_CUDA)
			flags_join_pairs(out);
		return f->path;
	}
	return NULL;
}
