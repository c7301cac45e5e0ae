/* avogit mcp: the agent's tools for any client of the Model Context Protocol.
 * stdout belongs to the protocol; text for people goes to stderr. */
#include <signal.h>
#include <unistd.h>

#include "agent/mcp/mcp.h"
#include "cmd/cmd.h"
#include "cmd/session/evolving.h"

struct mcp_command_options {
	const char *run;
	int64_t attempts;
	double seconds;
	const char *task;
	const char *client;
	const char *socket;
};

static const struct opt options[] = {
	OPT(struct mcp_command_options, run, "run", 'r', "NAME",
	    "name of the run (the task's name); auto: the first of NAME, "
	    "NAME-2 ... that is free"),
	OPT(struct mcp_command_options, attempts, "attempts", 'n', "N",
	    "take N attempts from now, then no more"),
	OPT(struct mcp_command_options, seconds, "time", 't', "SPAN",
	    "take attempts for 90s, 30m, 1h30m from now"),
	OPT(struct mcp_command_options, task, "task", 0, "FILE",
	    "task file (the nearest avogit.yaml)"),
	OPT(struct mcp_command_options, client, "print-config", 0, "CLIENT",
	    "print what registers avogit with claude, codex or cursor"),
	OPT(struct mcp_command_options, socket, "relay", 0, "SOCKET",
	    "inside a sandbox: pass all on to the evolve process there"),
	OPT_END,
};

static struct error *print_config(const char *client)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	TRY(mcp_print_config(&text, client, "avogit"));
	fputs(text.data, stdout);
	return NULL;
}

static struct error *serve(const struct mcp_command_options *o)
{
	cleanup_evolving struct evolving e = {.say = stderr};
	const struct evolve_options evolve = {
		.run = o->run,
		.attempts = o->attempts,
		.seconds = o->seconds,
		.task = o->task,
		.color = "never",
	};
	enum ending ending;

	knowledge_tool_init(&e.choice.knowledge, &e.session);
	TRY(mcp_operator_new(&e.operator_, STDIN_FILENO, STDOUT_FILENO,
			     &e.choice.knowledge.tool));
	TRY(evolving_prepare(&e, &evolve));
	TRY(error_wrap(evolve_run(&ending, &e.population, &e.evolve), "run %s",
		       e.evolve.run));
	fprintf(stderr, "stopped run %s: %s\n", e.evolve.run,
		e.population.stop_reason);
	return NULL;
}

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	struct mcp_command_options o = {0};
	cleanup_strvec struct strvec operands = STRVEC_INIT;

	(void)code;
	TRY(command_parse(self, &o, &operands, argv));
	if (o.client && o.socket)
		return error_new(ERROR_USAGE, "mcp: --print-config and --relay "
					      "exclude each other");
	if (o.client)
		return print_config(o.client);
	signal(SIGPIPE, SIG_IGN);
	if (o.socket)
		return mcp_relay(o.socket, STDIN_FILENO, STDOUT_FILENO);
	return serve(&o);
}

const struct command command_mcp = {
	.name = "mcp",
	.operands = "",
	.summary = "serves the tools of a run to a coding agent (MCP on stdio)",
	.about =
		"Starts a run, or goes on with it, whose attempts come from a "
		"client of the Model\nContext Protocol: a coding agent that "
		"is registered by --print-config. It gets a\nfolder with the "
		"kernel, builds and scores through tools, and every score is a "
		"commit.\nYour branch, index and work tree stay as they are. "
		"Ends when the client does.",
	.options = options,
	.run = run,
};
