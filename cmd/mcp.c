/* avogit mcp: the agent's tools for any client of the Model Context Protocol.
 * stdout belongs to the protocol; text for people goes to stderr. */
#include <signal.h>
#include <unistd.h>

#include "agent/mcp/mcp.h"
#include "cmd/cmd.h"
#include "cmd/launch/elsewhere.h"

struct mcp_command_options {
	const char *run;
	int64_t attempts;
	double seconds;
	const char *task;
	const char *workspace;
	const char *client;
	const char *socket;
	const char *launch;
	double patience;
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
	OPT(struct mcp_command_options, workspace, "workspace", 0, "DIR",
	    "make the workspace there: a folder that is not there yet, or "
	    "empty "
	    "(.avogit/RUN where the client was started)"),
	OPT(struct mcp_command_options, launch, "launch", 0, "NAME",
	    "have another machine measure: the host, cluster or command "
	    "avogit.launch.NAME of your git configuration (docs/launch.md)"),
	OPT(struct mcp_command_options, patience, "patience", 0, "SPAN",
	    "wait so long for a launch that does not answer (30m)"),
	OPT_WORDS(struct mcp_command_options, client, "print-config", 0,
		  "CLIENT", "claude codex cursor gemini opencode vscode",
		  "print what registers avogit with claude, codex, cursor, "
		  "gemini, "
		  "opencode or vscode"),
	OPT(struct mcp_command_options, socket, "relay", 0, "SOCKET",
	    "inside a sandbox: pass all on to the evolve process there"),
	OPT_END,
};

static struct error *print_config(const char *client, const char *launch)
{
	const char *const words[] = {"avogit", "mcp",
				     launch ? "--launch" : NULL, launch, NULL};
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	TRY(mcp_print_config(&text, client, words));
	fputs(text.data, stdout);
	return NULL;
}

/* Where coding agents may edit: below the folder they were started in, outside
 * the git directory. NULL for a bare repository, which has no such place. */
static char *usual_place(const struct evolving *e, const char *here)
{
	const char *top = gitstore_work_dir(e->session.git);
	cleanup_free char *prefix = NULL;
	cleanup_error struct error *err = NULL;

	if (!top)
		return NULL;
	/* The work tree may be elsewhere (GIT_WORK_TREE). */
	err = gitstore_prefix(&prefix, e->session.git, here);
	return xasprintf("%s%s.avogit/%s", top, err ? "" : prefix,
			 e->evolve.run);
}

static struct error *place_workspace(struct evolving *e, const char *chosen)
{
	cleanup_free char *here = getcwd(NULL, 0);
	cleanup_free char *place = NULL;

	if (!here)
		return error_errno("the current folder");
	if (!chosen)
		place = usual_place(e, here);
	else if (*chosen == '/')
		place = xstrdup(chosen);
	else
		place = xasprintf("%s/%s", here, chosen);
	if (place)
		gitstore_place_workspaces(e->session.archive, place,
					  chosen != NULL);
	return NULL;
}

/* The tool that the task at HEAD has no use for: a client asks for the list
 * before the run is there. NULL: none, or that is not known yet. */
static const char *useless_tool(const char *file, bool elsewhere)
{
	cleanup_session struct session s = {0};
	cleanup_error struct error *err = gitstore_open(&s.git, ".");
	struct commit_id head;
	const char *useless = NULL;

	if (!err)
		err = gitstore_resolve(&head, s.git, "HEAD");
	if (!err)
		err = session_task(&s, head.hex, file);
	if (!err && (elsewhere || s.at.task->language != LANGUAGE_CUDA))
		useless = "profile";
	return useless;
}

static void start_again(struct evolving *e)
{
	struct variation_operator *operator_ = steal(&e->operator_);

	evolving_release(e);
	*e = (struct evolving){.say = stderr, .operator_ = operator_};
}

static struct error *prepare(struct evolving *e,
			     const struct mcp_command_options *o)
{
	const struct evolve_options evolve = {
		.run = o->run,
		.attempts = o->attempts,
		.seconds = o->seconds,
		.task = o->task,
		.color = "never",
		.shared = true,
		.launch = o->launch,
		.elsewhere = &elsewhere_by_launch,
		.choice.patience = o->patience,
	};

	knowledge_tool_init(&e->choice.knowledge, &e->session);
	if (!e->operator_)
		TRY(mcp_operator_new(&e->operator_, STDIN_FILENO, STDOUT_FILENO,
				     useless_tool(o->task, o->launch != NULL),
				     &e->choice.knowledge.tool));
	TRY(evolving_prepare(e, &evolve));
	return place_workspace(e, o->workspace);
}

/* A client shows its user no more than that a server ended. So where the run
 * cannot be had, each call is told why, and tries again. */
static struct error *prepare_in_the_end(struct evolving *e,
					const struct mcp_command_options *o)
{
	for (;;) {
		struct error *err = prepare(e, o);

		if (!err || !e->operator_)
			return err;
		/* Others that extend the run go on while this one is idle. */
		start_again(e);
		if (!mcp_operator_refuse(e->operator_, error_message(err)))
			return err;
		error_free(err);
	}
}

static struct error *serve(const struct mcp_command_options *o)
{
	cleanup_evolving struct evolving e = {.say = stderr};
	enum ending ending;

	TRY(prepare_in_the_end(&e, o));
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
		return print_config(o.client, o.launch);
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
		"Ends when the client does.\nSeveral clients extend one run, "
		"in turns; --run auto gives each a run of its own.",
	.options = options,
	.run = run,
};
