/* Inside the command operator: what the task says, the folders that its
 * program is given, and what it says. Only this module includes it. */
#ifndef AGENT_COMMAND_INTERNAL_H
#define AGENT_COMMAND_INTERNAL_H

#include "agent/command/command.h"
#include "agent/tools/step_log.h"
#include "agent/tools/tool.h"
#include "core/sandbox/sandbox.h"

struct command_settings {
	struct strvec words, env, folders;
	double silence, seconds; /* 0: no limit of its own */
};
struct error *command_settings_read(struct command_settings *out,
				    const struct task *t) MUST_CHECK;
void command_settings_release(struct command_settings *s);
DEFINE_RELEASE(command_settings, struct command_settings,
	       command_settings_release)
#define cleanup_command_settings CLEANUP(command_settings)

/* One step's folders on this machine, and what the program is started with. */
struct command_box {
	char *top;	 /* removed with all in it */
	char *workspace; /* the program's /box */
	char *run;	 /* its /run/avogit */
	int listen_fd;	 /* of the socket in it */
	struct strvec argv, env;
	struct sandbox_bind bind[2];
};
#define COMMAND_BOX_INIT        \
	{                       \
		.listen_fd = -1 \
	}
/* The workspace has the parent's files. */
struct error *command_box_make(struct command_box *out, struct variation *v,
			       const struct command_settings *s) MUST_CHECK;
/* `prompt` for prompt.md and "{prompt}". After command_box_make. */
struct error *command_box_brief(struct command_box *box,
				const struct variation *v,
				const struct command_settings *s,
				const char *prompt) MUST_CHECK;
void command_box_release(struct command_box *box);
DEFINE_RELEASE(command_box, struct command_box, command_box_release)
#define cleanup_command_box CLEANUP(command_box)

/* What it said in a step: head and tail of it are in the step's log, without
 * keys and control characters. */
struct command_output {
	const struct command_settings *settings;
	struct step_log log;
	struct buf line;       /* begun, not ended */
	struct buf tail;       /* the newest, of the whole */
	size_t total, in_head; /* bytes: all, and written as they came */
};
/* Borrows the settings. */
void command_output_init(struct command_output *o,
			 const struct command_settings *settings);
/* Begins the log: what is started, and with which prompt. */
struct error *command_output_open(struct command_output *o,
				  const struct variation *v,
				  const char *prompt) MUST_CHECK;
struct error *command_output_add(struct command_output *o, const char *data,
				 size_t len) MUST_CHECK;
/* It says no more. */
struct error *command_output_close(struct command_output *o) MUST_CHECK;
/* Puts the log among the run's, with what came of the step as its end. */
struct error *command_output_keep(struct command_output *o,
				  const char *end) MUST_CHECK;
void command_output_release(struct command_output *o);
DEFINE_RELEASE(command_output, struct command_output, command_output_release)
#define cleanup_command_output CLEANUP(command_output)

#endif
