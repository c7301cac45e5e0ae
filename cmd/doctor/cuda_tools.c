#include "cmd/doctor/doctor.h"

#include "core/base/error.h"
#include "core/sandbox/process.h"
#include "scorer/device/program.h"

/* ---- versions of tools --------------------------------------------------- */

#define OUTPUT_LIMIT   4096
#define PROGRAM_WAIT_S 10

struct error *tool_version(char **out, const char *program)
{
	const char *argv[] = {program, "--version", NULL};
	struct process_spec spec = {
		.argv = argv,
		.limits = {.wall_seconds = PROGRAM_WAIT_S},
		.die_with_parent = true,
	};
	cleanup_process_result struct process_result r = {0};

	TRY(process_run(&r, &spec, OUTPUT_LIMIT));
	if (r.exit_code != 0)
		return error_new(ERROR_NOT_FOUND, "%s does not run", program);
	*out = buf_take(&r.output);
	return NULL;
}

/* ---- CUDA ---------------------------------------------------------------- */

/* Extracts "2025.3.1" after the last "Version " or "release " of the output;
 * empty if there is none. */
static char *number_of(const char *text)
{
	static const char *const words[] = {"Version ", "release "};
	const char *found = "";

	for (size_t i = 0; i < ARRAY_SIZE(words) && !*found; i++)
		for (const char *p = text; (p = strstr(p, words[i]));)
			found = p += strlen(words[i]);
	return xstrndup(found, strspn(found, "0123456789."));
}

/* " 2025.3.1"; "" if the program exists but fails to run. */
static char *version_after(const char *program)
{
	cleanup_free char *text = NULL, *version = NULL;
	cleanup_error struct error *err = tool_version(&text, program);

	if (err || !text)
		return xstrdup("");
	version = number_of(text);
	return *version ? xasprintf(" %s", version) : xstrdup("");
}

/* Adds the name to `have` with its version, or to `lack`. */
static bool look_for(struct buf *have, struct buf *lack, const char *name,
		     const char *variable)
{
	cleanup_free char *path = NULL;
	cleanup_free char *version = NULL;
	cleanup_error struct error *err = program_find(&path, name, variable);

	if (err) {
		buf_addf(lack, "%s%s", lack->len ? ", " : "", name);
		return false;
	}
	version = version_after(path);
	buf_addf(have, "%s%s%s", have->len ? ", " : "", name, version);
	return true;
}

void cuda_tools(struct buf *have, struct buf *lack)
{
	cleanup_buf struct buf neither = BUF_INIT(1024);

	look_for(have, lack, "ncu", "AVOGIT_NCU");
	look_for(have, lack, "compute-sanitizer", "AVOGIT_COMPUTE_SANITIZER");
	/* One of the two disassemblers is enough. */
	if (!look_for(have, &neither, "cuobjdump", "AVOGIT_CUOBJDUMP") &&
	    !look_for(have, &neither, "nvdisasm", "AVOGIT_NVDISASM"))
		buf_addf(lack, "%scuobjdump or nvdisasm",
			 lack->len ? ", " : "");
}
