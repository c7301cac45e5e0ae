/* A candidate's code as text: PTX from the compiler, and machine instructions
 * from a disassembler. Both tools read files of unknown origin, so both run in
 * the sandbox. */
#include <unistd.h>

#include "scorer/build/internal.h"

#define CODE_FD 9

static const char ptx_script[] =
	"\"$@\" -ptx -odir \"$TMPDIR\" >\"$TMPDIR/log\" 2>&1 || "
	"{ cat \"$TMPDIR/log\"; exit 1; }; "
	"for f in \"$TMPDIR\"/*.ptx; do echo \"// ${f##*/}\"; cat \"$f\"; done";

static const char disassemble_script[] =
	"cat <&9 >\"$TMPDIR/code.cubin\" && exec \"$@\" \"$TMPDIR/code.cubin\"";

/* The same command for the first architecture, which stops after PTX. False if
 * there is no source for it. */
static bool narrow(struct strvec *out, const struct strvec *command)
{
	static const char *const later[] = {"-shared",	"-l",
					    "-Xlinker", "-Xnvlink",
					    "-Xptxas",	"-no-compress",
					    "-cudart"};
	bool has_arch = false, has_source = false;

	for (size_t i = 0; i < command->n; i++) {
		const char *word = command->v[i];
		bool arch = starts_with(word, "-gencode=");
		bool source = i && *word == '.';
		bool skip = (arch && has_arch) ||
			    (source && !ends_with(word, ".cu"));

		for (size_t k = 0; k < ARRAY_SIZE(later); k++)
			skip |= starts_with(word, later[k]) &&
				!str_eq(word, "-lineinfo");
		if (skip)
			continue;
		has_arch |= arch;
		has_source |= source;
		strvec_push(out, word);
	}
	return has_source;
}

static struct error *run(struct buf *out, char **failed,
			 const struct builder *b, const struct strvec *argv,
			 const struct fileset *files)
{
	cleanup_process_result struct process_result r = {0};
	cleanup_free char *log = NULL;
	const struct sandbox_spec spec = {
		.argv = (const char *const *)argv->v,
		.files = files,
		.limits = build_limits(LANGUAGE_CUDA, b->task->build_seconds),
		.folders = b->toolkit.folder,
		.stop_now = b->stop_now,
	};

	TRY(sandbox_run(&r, b->sandbox, &spec, out->limit));
	if (r.timed_out || r.exit_code != 0) {
		log = build_clean_log(&r.output);
		*failed = r.timed_out ? xstrdup("the compiler took too long")
				      : build_first_error(log);
		return NULL;
	}
	buf_add(out, r.output.data, r.output.len);
	out->truncated = out->truncated || r.output.truncated;
	return NULL;
}

struct error *build_ptx(struct buf *out, char **failed, const struct builder *b,
			const struct fileset *files)
{
	cleanup_strvec struct strvec command = STRVEC_INIT;
	cleanup_strvec struct strvec argv = STRVEC_INIT;
	cleanup_free char *flags = NULL;

	if (b->task->project.object)
		return error_new(ERROR_REFUSED,
				 "%s builds by a command of its own, which is "
				 "not known to make PTX",
				 b->task->path);
	*failed = build_candidate_command(&command, &flags, b, files);
	if (*failed)
		return NULL;
	build_cuda_environment(&argv, b);
	strvec_pushl(&argv, "sh", "-c", ptx_script, "sh", NULL);
	if (!narrow(&argv, &command)) {
		*failed = xstrdup("the sources hold no file that ends in .cu");
		return NULL;
	}
	return run(out, failed, b, &argv, files);
}

static struct error *disassemble(struct buf *out, const struct builder *b,
				 int code_fd, const char *const *tool,
				 const char *folder)
{
	cleanup_process_result struct process_result r = {0};
	cleanup_strvec struct strvec argv = STRVEC_INIT;
	const char *const folders[] = {folder, NULL};
	struct sandbox_spec spec = {
		.limits = build_limits(LANGUAGE_CUDA, b->task->build_seconds),
		.folders = folders,
		.inherit = {{code_fd, CODE_FD}},
		.n_inherit = 1,
		.stop_now = b->stop_now,
	};

	build_cuda_environment(&argv, b);
	strvec_pushl(&argv, "sh", "-c", disassemble_script, "sh", NULL);
	for (size_t i = 0; tool[i]; i++)
		strvec_push(&argv, tool[i]);
	spec.argv = (const char *const *)argv.v;
	if (lseek(code_fd, 0, SEEK_SET) < 0)
		return error_errno("cannot read the device code");
	TRY(sandbox_run(&r, b->sandbox, &spec, out->limit));
	if (r.timed_out || r.exit_code != 0)
		return error_new(ERROR_SYSTEM,
				 "%s does not read the code: %.*s", tool[0],
				 (int)MIN(strcspn(r.output.data, "\n"), 200),
				 r.output.data);
	buf_add(out, r.output.data, r.output.len);
	return NULL;
}

struct error *build_disassemble(struct buf *out, const struct builder *b,
				const struct build *build,
				const char *const *tool, const char *folder)
{
	for (size_t i = 0; i < build->n_cubins; i++)
		TRY(disassemble(out, b, build->cubin_fd[i], tool, folder));
	return NULL;
}
