/* The project's own flags for a source. */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>

#include "cmd/init/compile.h"
#include "core/base/file.h"
#include "core/base/json.h"

#define COMMANDS_LIMIT ((size_t)64 << 20)

void compile_line_release(struct compile_line *l)
{
	free(l->compiler);
	free(l->from);
	strvec_release(&l->flags);
	strvec_release(&l->folders);
	strvec_release(&l->left_out);
	*l = (struct compile_line){0};
}

/* ---- flags -------------------------------------------------------------------- */

/* Flags that say what the source means. The rest is about the output, warnings
 * and files, which is for the build. */
static bool is_meaning(const char *flag)
{
	static const char *const starts[] = {"-std=", "-m",    "-f",
					     "-O",    "-ansi", "-pthread"};
	static const char *const not_these[] = {
		"-fplugin", "-fuse-ld", "-flto",   "-fdump", "-fprofile",
		"-MM",	    "-fpass",	"-fsanit", "-fload", "-fsyntax-only",
		"-fanalyz", "-ftime",	"-fmodul", "-fdiag", "-fcolor"};

	if (strpbrk(flag, "/@ \t\n"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(not_these); i++)
		if (starts_with(flag, not_these[i]))
			return false;
	for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
		if (starts_with(flag, starts[i]) &&
		    (flag[2] || starts_with(flag, "-ansi")))
			return true;
	return false;
}

/* The path of a folder from the top of the work tree; NULL: not within it. */
static char *within(const char *top, const char *base, const char *path)
{
	cleanup_free char *full = *path == '/' ? xstrdup(path)
					       : xasprintf("%s/%s", base, path);
	cleanup_free char *real = realpath(full, NULL);
	size_t len = strlen(top);

	if (!real || strncmp(real, top, len) != 0 ||
	    (real[len] && real[len] != '/'))
		return NULL;
	return xstrdup(real[len] ? real + len + 1 : "");
}

static void add_folder(struct compile_line *l, const char *top,
		       const char *base, const char *path)
{
	cleanup_free char *folder = within(top, base, path);

	if (folder) {
		strvec_pushf(&l->flags, "-I%s", *folder ? folder : ".");
		strvec_push(&l->folders, folder);
	} else if (starts_with(path, "/usr/")) {
		strvec_pushf(&l->flags, "-isystem%s", path);
	} else {
		strvec_pushf(&l->left_out, "-I%s", path);
	}
}

/* The value of a flag that is in the same word or is the next one. */
static const char *value_of(const char *const *word, const char *flag,
			    size_t *used)
{
	const char *joined = word[0] + strlen(flag);

	*used = *joined ? 1 : 2;
	return *joined ? joined : word[1];
}

/* One flag at `word`: how many words it takes. */
static size_t read_flag(struct compile_line *l, const char *top,
			const char *base, const char *const *word)
{
	static const char *const folders[] = {"-isystem", "-iquote", "-I"};
	static const char *const takes_next[] = {"-o",	  "-MF",      "-MT",
						 "-MQ",	  "-include", "-x",
						 "-arch", "-Xclang",  "-T",
						 "-L"};
	const char *value;
	size_t used = 1;

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		if (!starts_with(word[0], folders[i]))
			continue;
		value = value_of(word, folders[i], &used);
		if (value)
			add_folder(l, top, base, value);
		return value ? used : 1;
	}
	if (starts_with(word[0], "-D") || starts_with(word[0], "-U")) {
		value = value_of(word, "-D", &used);
		if (value)
			strvec_pushf(&l->flags, "%.2s%s", word[0], value);
		return value ? used : 1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(takes_next); i++) {
		if (!str_eq(word[0], takes_next[i]))
			continue;
		if (str_eq(word[0], "-include"))
			strvec_push(&l->left_out, word[0]);
		return word[1] ? 2 : 1;
	}
	if (is_meaning(word[0]))
		strvec_push(&l->flags, word[0]);
	return 1;
}

static void read_flags(struct compile_line *l, const char *top,
		       const char *base, const char *const *word)
{
	while (*word)
		word += read_flag(l, top, base, word);
}

/* ---- compile_commands.json -------------------------------------------------------- */

/* "cc -DX='a b' -c k.c": words as a shell has them, without anything that it
 * would do. */
static void split_command(struct strvec *out, const char *s)
{
	cleanup_buf struct buf word = BUF_INIT(BUF_LIMIT_TEXT);
	char quote = 0;
	bool any = false;

	for (;; s++) {
		if (!*s || (!quote && isspace((unsigned char)*s))) {
			if (any)
				strvec_push(out, word.data);
			buf_clear(&word);
			any = false;
			if (!*s)
				return;
			continue;
		}
		any = true;
		if (quote ? *s == quote : *s == '"' || *s == '\'')
			quote = quote ? 0 : *s;
		else if (*s == '\\' && s[1] && quote != '\'')
			buf_addc(&word, *++s);
		else
			buf_addc(&word, *s);
	}
}

static void words_of(struct strvec *out, const struct json *entry)
{
	const struct json *list = json_get(entry, "arguments");
	const char *command;

	for (size_t i = 0; i < json_len(list); i++)
		if (json_string(json_at(list, i)))
			strvec_push(out, json_string(json_at(list, i)));
	if (!out->n && json_get_string(entry, "command", &command))
		split_command(out, command);
}

/* Is the entry about this source? Its folder may be another machine's. */
static bool is_about(const struct json *entry, const char *top,
		     const char *source)
{
	const char *file, *directory = "";
	const char *path = source + strlen(top);
	cleanup_free char *full = NULL;

	if (!json_get_string(entry, "file", &file))
		return false;
	json_get_string(entry, "directory", &directory);
	full = *file == '/' ? xstrdup(file)
			    : xasprintf("%s/%s", directory, file);
	return str_eq(full, source) || ends_with(full, path);
}

static char *compiler_name(const char *word)
{
	const char *slash = strrchr(word, '/');
	const char *name = slash ? slash + 1 : word;

	return *name && *name != '-' && strlen(name) < 64 &&
			       !name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
						  "0123456789+-._")]
		       ? xstrdup(name)
		       : NULL;
}

static bool take_entry(struct compile_line *out, const struct json *entry,
		       const char *top)
{
	cleanup_strvec struct strvec words = STRVEC_INIT;
	const char *directory = top;

	words_of(&words, entry);
	if (!words.n)
		return false;
	json_get_string(entry, "directory", &directory);
	free(out->compiler);
	out->compiler = compiler_name(words.v[0]);
	read_flags(out, top, directory, (const char *const *)words.v + 1);
	return true;
}

/* A file of that name that is not such a database is passed over. */
static bool read_commands(struct compile_line *out, const char *file,
			  const char *top, const char *source)
{
	cleanup_buf struct buf text = BUF_INIT(COMMANDS_LIMIT);
	cleanup_json struct json *all = NULL;
	struct error *err = file_read(&text, file);

	if (!err)
		err = json_parse(&all, text.data, text.len);
	if (err) {
		error_free(err);
		return false;
	}
	for (size_t i = 0; i < json_len(all); i++)
		if (is_about(json_at(all, i), top, source) &&
		    take_entry(out, json_at(all, i), top))
			return true;
	return false;
}

static bool find_commands(struct compile_line *out, const char *top,
			  const char *source)
{
	static const char *const places[] = {"compile_commands.json",
					     "build/compile_commands.json"};
	cleanup_free char *folder = xstrdup(source);
	char *slash;

	while ((slash = strrchr(folder, '/')) && strlen(folder) > strlen(top)) {
		*slash = '\0';
		if (strlen(folder) < strlen(top))
			break;
		for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
			cleanup_free char *file =
				xasprintf("%s/%s", folder, places[i]);

			if (!read_commands(out, file, top, source))
				continue;
			out->from = xstrdup(file + strlen(top) + 1);
			return true;
		}
	}
	return false;
}

struct error *compile_line_find(struct compile_line *out,
				enum language language, const char *top,
				const char *source, const struct strvec *words)
{
	cleanup_compile_line struct compile_line l = {0};
	cleanup_free char *here = realpath(".", NULL);

	if (!here)
		return error_errno("the current folder");
	if (words->n)
		read_flags(&l, top, here, (const char *const *)words->v);
	else
		find_commands(&l, top, source);
	if (!l.compiler)
		l.compiler = xstrdup(language == LANGUAGE_C ? "cc" : "c++");
	*out = l;
	l = (struct compile_line){0};
	return NULL;
}
