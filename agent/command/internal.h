/* Shared by the files of the command operator: the task's settings, the
 * program's folders and its output. Only this module includes it. */
#ifndef AGENT_COMMAND_INTERNAL_H
#define AGENT_COMMAND_INTERNAL_H

#include "agent/command/command.h"
#include "agent/tools/step_log.h"
#include "agent/tools/tool.h"
#include "core/sandbox/sandbox.h"

struct command_settings {
	struct strvec words, env, folders;
	double silence, seconds; /* 0: no limit of this operator */
};
/* Reads the operator's settings of the task. ERROR_TASK names a wrong one. */
struct error *command_settings_read(struct command_settings *out,
				    const struct task *t) MUST_CHECK;
void command_settings_release(struct command_settings *s);
DEFINE_RELEASE(command_settings, struct command_settings,
	       command_settings_release)
#define cleanup_command_settings CLEANUP(command_settings)

/* Clients that the tools are registered with. */
#define COMMAND_CONFIGS 4

/* One step's folders on this machine, and its arguments and environment. */
struct command_box {
	char *top;	 /* removed at the end with all its contents */
	char *workspace; /* the program's /box */
	char *run;	 /* its /run/avogit */
	char *lib;	 /* libraries that came with avogit, or NULL */
	int listen_fd;	 /* of the socket in `run` */
	char *config[COMMAND_CONFIGS];
	struct strvec argv, env;
	struct sandbox_bind bind[3 + COMMAND_CONFIGS];
	size_t n_binds;
};
#define COMMAND_BOX_INIT        \
	{                       \
		.listen_fd = -1 \
	}
/* Makes the folders; the workspace gets the parent's files. */
struct error *command_box_make(struct command_box *out, struct variation *v,
			       const struct command_settings *s) MUST_CHECK;
/* Writes prompt.md and sets the arguments and environment; `prompt` is also the
 * value of "{prompt}". Call it after command_box_make. */
struct error *command_box_brief(struct command_box *box,
				const struct variation *v,
				const struct command_settings *s,
				const char *prompt) MUST_CHECK;
void command_box_release(struct command_box *box);
DEFINE_RELEASE(command_box, struct command_box, command_box_release)
#define cleanup_command_box CLEANUP(command_box)

/* usage.c: what the program says in JSON that it used. */
struct command_usage {
	struct buf line;  /* an unfinished line */
	struct buf whole; /* lines from "{" to "}" */
	bool open;	  /* such lines have begun */
	struct spend fresh;
};
void command_usage_init(struct command_usage *u);
void command_usage_release(struct command_usage *u);
/* Reads more of its output. */
void command_usage_add(struct command_usage *u, const char *data, size_t len);
/* Reads a last line that has no end: call it when the program has ended. */
void command_usage_end(struct command_usage *u);
/* What was read since the last call; false: nothing. */
bool command_usage_take(struct spend *out, struct command_usage *u);

/* The program's output in a step. The step's log keeps its head and tail,
 * without keys and control characters. */
struct command_output {
	const struct command_settings *settings;
	struct step_log log;
	struct buf line;       /* an unfinished line */
	struct buf tail;       /* the newest output */
	size_t total, in_head; /* bytes in all, and bytes written to the head */
};
/* Borrows the settings. */
void command_output_init(struct command_output *o,
			 const struct command_settings *settings);
/* Opens the log and writes the command and the prompt to it. */
struct error *command_output_open(struct command_output *o,
				  const struct variation *v,
				  const char *prompt) MUST_CHECK;
/* Adds output; complete lines go to the head of the log and to `tail`. */
struct error *command_output_add(struct command_output *o, const char *data,
				 size_t len) MUST_CHECK;
/* Ends the output: call it when the program has ended. */
struct error *command_output_close(struct command_output *o) MUST_CHECK;
/* Ends the log with `end`, the step's outcome, and stores it with the run. */
struct error *command_output_keep(struct command_output *o,
				  const char *end) MUST_CHECK;
void command_output_release(struct command_output *o);
DEFINE_RELEASE(command_output, struct command_output, command_output_release)
#define cleanup_command_output CLEANUP(command_output)

#endif
