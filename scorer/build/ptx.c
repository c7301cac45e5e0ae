/*
 * The assembler reports an error in a line of PTX, which the user did not
 * write. To find its line in the source, the file is compiled once more with
 * line information, and the .loc before the refused line is read.
 */
#include "scorer/build/internal.h"

#define SHOWN 120

/* Prints the source's path, its line, and the line of PTX. */
static const char script[] =
	"\"$@\" -cubin -lineinfo -keep -keep-dir \"$TMPDIR\" "
	"-o \"$TMPDIR/object.cubin\" >\"$TMPDIR/errors\" 2>&1; "
	"n=$(sed -n 's/^ptxas .*, line \\([0-9]*\\); error.*/\\1/p' "
	"\"$TMPDIR/errors\" | head -n 1); "
	"exec awk -v n=\"$n\" '"
	"$1 == \".file\" { path[$2] = $3 } "
	"$1 == \".loc\" && !text { file = $2; line = $3 } "
	"NR == n { text = $0 } "
	"END { if (text) { print path[file]; print line; print text } }' "
	"\"$TMPDIR\"/*.ptx";

/* "ptxas kernel.ptx, line 26; error   : MESSAGE": the stem and the message;
 * false if it is not such a line. */
static bool parse(char **stem, const char **message, const char *error)
{
	const char *end, *colon;

	if (!starts_with(error, "ptxas "))
		return false;
	error += strlen("ptxas ");
	end = strstr(error, ".ptx, line ");
	colon = end ? strstr(end, " : ") : NULL;
	if (!colon)
		return false;
	*stem = xstrndup(error, (size_t)(end - error));
	*message = colon + 3;
	return true;
}

static bool is_of_stem(const char *path, const char *stem)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t len = strlen(stem);

	return strncmp(name, stem, len) == 0 && str_eq(name + len, ".cu");
}

/* The same command for this one file and the first architecture, which stops
 * after the device code. False if the file is not among the words. */
static bool narrow(struct strvec *out, const struct strvec *command,
		   const char *stem)
{
	bool has_arch = false, has_source = false;

	for (size_t i = 0; i < command->n; i++) {
		const char *word = command->v[i];
		bool arch = starts_with(word, "-gencode=");
		bool source = i && word[0] == '.';

		if (str_eq(word, "-shared") || starts_with(word, "-l") ||
		    starts_with(word, "-Xlinker") || (arch && has_arch) ||
		    (source && (has_source || !is_of_stem(word, stem))))
			continue;
		has_arch = has_arch || arch;
		has_source = has_source || source;
		strvec_push(out, word);
	}
	return has_source;
}

/* "\"/box//kernel.cu\"" as a log shows it. */
static char *clean_path(const char *path, size_t len)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *clean = NULL;

	path += len && *path == '"';
	buf_add(&text, path, strcspn(path, "\"\n"));
	clean = build_clean_log(&text);
	return xstrdup(clean + strspn(clean, "./"));
}

static char *say(const char *found, const char *message)
{
	size_t path_len = strcspn(found, "\n");
	const char *line = found[path_len] ? found + path_len + 1 : "";
	size_t line_len = strcspn(line, "\n");
	const char *text = line[line_len] ? line + line_len + 1 : "";
	cleanup_free char *path = clean_path(found, path_len);

	text += strspn(text, " \t");
	if (!line_len || line_len > 9 || !*path ||
	    strspn(line, "0123456789") != line_len)
		return NULL;
	return xasprintf("%s(%.*s): error: %s, in the PTX `%.*s`", path,
			 (int)line_len, line, message,
			 (int)MIN(strcspn(text, "\n"), SHOWN), text);
}

struct error *build_ptx_locate(struct build *b, const struct builder *builder,
			       const struct strvec *command,
			       const struct fileset *files)
{
	cleanup_process_result struct process_result r = {0};
	cleanup_strvec struct strvec argv = STRVEC_INIT;
	cleanup_free char *stem = NULL;
	struct sandbox_spec spec = {
		.files = files,
		.limits = build_limits(LANGUAGE_CUDA,
				       builder->task->build_seconds),
		.folders = builder->toolkit.folder,
		.stop_now = builder->stop_now,
	};
	const char *message;
	char *line;

	if (!parse(&stem, &message, b->first_error))
		return NULL;
	build_cuda_environment(&argv, builder);
	strvec_pushl(&argv, "sh", "-c", script, "sh", NULL);
	if (!narrow(&argv, command, stem))
		return NULL;
	spec.argv = (const char *const *)argv.v;
	TRY(sandbox_run(&r, builder->sandbox, &spec, BUILD_LOG_LIMIT));
	line = say(r.output.data, message);
	if (!line)
		return NULL;
	free(b->first_error);
	b->first_error = line;
	return NULL;
}
