/*
 * The folders of one step. The workspace is a copy outside the repository: the
 * program may run as another user, who must not need access to the git
 * directory, and whatever the program does to the folder changes only the copy.
 */
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/command/internal.h"
#include "agent/mcp/mcp.h"
#include "core/base/file.h"

/* A folder on a disk that every sandbox can see. */
#define UNDER	    "/var/tmp"
#define RUN_INSIDE  "/run/avogit"
#define LIB_INSIDE  "/run/lib" /* where a copy in RUN_INSIDE looks: ../lib */
#define CONFIG_PATH RUN_INSIDE "/mcp.json"
#define PROMPT_PATH RUN_INSIDE "/prompt.md"
#define PROGRAM_MAX ((size_t)512 << 20)

void command_box_release(struct command_box *box)
{
	cleanup_fd_fn(&box->listen_fd);
	if (box->top)
		error_free(dir_remove(box->top));
	free(box->top);
	free(box->workspace);
	free(box->run);
	free(box->lib);
	for (size_t i = 0; i < ARRAY_SIZE(box->config); i++)
		free(box->config[i]);
	strvec_release(&box->argv);
	strvec_release(&box->env);
	*box = (struct command_box)COMMAND_BOX_INIT;
}

/* ---- contents ------------------------------------------------------------ */

static struct error *copy_self(const char *run)
{
	cleanup_free char *path = xasprintf("%s/avogit", run);
	cleanup_buf struct buf program = BUF_INIT(PROGRAM_MAX);

	TRY(file_read(&program, "/proc/self/exe"));
	TRY(file_write(path, program.data, program.len, true));
	return chmod(path, 0755) < 0 ? error_errno("%s", path) : NULL;
}

/* The libraries of a bundle (dist/bundle.sh), which its programs find by a path
 * relative to themselves. */
static void show_libraries(struct command_box *box)
{
	cleanup_free char *mark = file_carried_beside("BUNDLE");

	if (!mark)
		return;
	box->lib = file_carried_beside("lib");
	if (box->lib)
		box->bind[box->n_binds++] =
			(struct sandbox_bind){box->lib, LIB_INSIDE, false};
}

static struct error *listen_at(int *out, const char *run)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	cleanup_fd int fd =
		socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int n = snprintf(address.sun_path, sizeof address.sun_path,
			 "%s/mcp.sock", run);

	if (n < 0 || (size_t)n >= sizeof address.sun_path)
		return error_new(ERROR_INTERNAL, "%s: too long for a socket",
				 run);
	if (fd < 0 ||
	    bind(fd, (const struct sockaddr *)&address, sizeof address) < 0 ||
	    listen(fd, 8) < 0)
		return error_errno("%s", address.sun_path);
	*out = steal_fd(&fd);
	return NULL;
}

/* Registers the tools with each client as its own configuration does it, in
 * the home that it has inside. Claude Code is told the file. */
static struct error *write_configs(struct command_box *box)
{
	static const char *const words[] = {RUN_INSIDE "/avogit", "mcp",
					    "--relay", RUN_INSIDE "/mcp.sock",
					    NULL};
	static const struct {
		const char *client, *file, *home;
	} configs[COMMAND_CONFIGS] = {
		{"claude", "mcp.json", NULL},
		{"codex", "codex.toml", "/tmp/.codex/config.toml"},
		{"gemini", "gemini.json", "/tmp/.gemini/settings.json"},
		{"opencode", "opencode.json",
		 "/tmp/.config/opencode/opencode.json"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(configs); i++) {
		cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
		char *path = xasprintf("%s/%s", box->run, configs[i].file);

		box->config[i] = path;
		TRY(mcp_print_config(&text, configs[i].client, words));
		TRY(file_write(path, text.data, text.len, false));
		if (configs[i].home)
			box->bind[box->n_binds++] = (struct sandbox_bind){
				path, configs[i].home, false};
	}
	return NULL;
}

/* ---- arguments and environment ------------------------------------------- */

/* The given folders, and what is called bin in them, come after the system's:
 * a program in them is found by its name. */
static void add_path(struct strvec *env, const struct strvec *folders)
{
	cleanup_buf struct buf path = BUF_INIT(BUF_LIMIT_TEXT);

	buf_adds(&path, "PATH=/usr/bin:/bin");
	for (size_t i = 0; i < folders->n; i++)
		buf_addf(&path, ":%s/bin:%s", folders->v[i], folders->v[i]);
	strvec_push(env, path.data);
}

/* `agent`: of several (variation.agent). */
static void add_variables(struct strvec *env, const struct strvec *names,
			  unsigned agent)
{
	for (size_t i = 0; i < names->n; i++) {
		const char *value = getenv(names->v[i]);

		if (value)
			strvec_pushf(env, "%s=%s", names->v[i], value);
	}
	strvec_pushl(env, "AVOGIT_MCP_CONFIG=" CONFIG_PATH,
		     "AVOGIT_PROMPT=" PROMPT_PATH,
		     "AVOGIT=" RUN_INSIDE "/avogit",
		     "AVOGIT_MCP_SOCKET=" RUN_INSIDE "/mcp.sock", "NO_COLOR=1",
		     "TERM=dumb", NULL);
	if (agent)
		strvec_pushf(env, "AVOGIT_AGENT=%u", agent);
}

static void fill_in(struct strvec *argv, const struct strvec *words,
		    const char *prompt)
{
	for (size_t i = 0; i < words->n; i++)
		if (str_eq(words->v[i], "{prompt}"))
			strvec_push(argv, prompt);
		else if (str_eq(words->v[i], "{mcp_config}"))
			strvec_push(argv, CONFIG_PATH);
		else
			strvec_push(argv, words->v[i]);
}

struct error *command_box_make(struct command_box *out, struct variation *v,
			       const struct command_settings *s)
{
	cleanup_command_box struct command_box box = COMMAND_BOX_INIT;
	cleanup_candidate struct candidate parent = {0};

	TRY(dir_make_temp(&box.top, UNDER, "avogit-"));
	box.workspace = xasprintf("%s/box", box.top);
	box.run = xasprintf("%s/run", box.top);
	TRY(dir_make(box.workspace));
	TRY(dir_make(box.run));
	TRY(v->archive->load(v->archive, &parent, variation_parent(v)->id.hex));
	TRY(fileset_write(&parent.files, box.workspace));
	TRY(copy_self(box.run));
	TRY(listen_at(&box.listen_fd, box.run));
	add_variables(&box.env, &s->env, v->agent);
	add_path(&box.env, &s->folders);
	box.bind[0] = (struct sandbox_bind){box.workspace, SANDBOX_BOX, true};
	box.bind[1] = (struct sandbox_bind){box.run, RUN_INSIDE, false};
	box.n_binds = 2;
	show_libraries(&box);
	TRY(write_configs(&box));
	*out = box;
	box = (struct command_box)COMMAND_BOX_INIT;
	return NULL;
}

struct error *command_box_brief(struct command_box *box,
				const struct variation *v,
				const struct command_settings *s,
				const char *prompt)
{
	cleanup_free char *path = xasprintf("%s/prompt.md", box->run);

	TRY(file_write(path, prompt, strlen(prompt), false));
	fill_in(&box->argv, &s->words, prompt);
	return dir_hand_over(box->top, sandbox_uid(v->sandbox));
}
