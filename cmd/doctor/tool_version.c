#include "cmd/doctor/tool_version.h"

#include "core/sandbox/process.h"

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
