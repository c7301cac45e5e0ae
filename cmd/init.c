/* avogit init: the first version of a task file. */
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/session/session.h"
#include "cmd/ui/out.h"
#include "core/base/file.h"
#include "core/task/prototype.h"
#include "core/task/template.h"
#include "gitstore/gitstore.h"

#define KERNEL_LIMIT ((size_t)4 << 20)

/* ---- settings of git ----------------------------------------------------- */

/* Settings that git needs to show and transfer scores, made only in the
 * repository's own config. */

struct recommended_setting {
	const char *key, *value, *why;
	bool for_remote; /* only if git fetches from an origin */
};

/* Each has a wildcard: git neither fails nor warns where there is nothing of
 * that name. What is fetched, the next avogit command takes in. */
static const struct recommended_setting settings[] = {
	{"notes.displayRef", "refs/notes/avogit*", "`git log` shows scores",
	 false},
	{"remote.origin.fetch",
	 "+refs/notes/avogit*:refs/notes/avogit-fetched*",
	 "`git fetch` brings scores", true},
	{"remote.origin.fetch", "+refs/avogit/*:refs/avogit-fetched/*",
	 "`git fetch` brings runs", true},
};

/* What earlier versions set: `git fetch` fails with it where the remote has no
 * scores, and `git log` warns before there are any. */
static const struct recommended_setting outdated[] = {
	{"notes.displayRef", "refs/notes/avogit", "", false},
	{"remote.origin.fetch", "+refs/notes/avogit:refs/notes/origin/avogit",
	 "", true},
	{"remote.origin.fetch", "+refs/avogit/*:refs/avogit-origin/*", "",
	 true},
};

static bool applies(const struct recommended_setting *s,
		    const struct gitstore *g)
{
	cleanup_free char *url = NULL, *fetched = NULL;

	if (!s->for_remote)
		return true;
	url = gitstore_config(g, "remote.origin.url");
	fetched = gitstore_config(g, "remote.origin.fetch");
	return url && fetched;
}

static void print_commands(const struct gitstore *g)
{
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (applies(&settings[i], g))
			printf("  git config --add %s '%s'   # %s\n",
			       settings[i].key, settings[i].value,
			       settings[i].why);
}

static bool says_yes(void)
{
	char answer[16];

	printf("set this in the repository's own config? [y/N] ");
	fflush(stdout);
	return fgets(answer, sizeof answer, stdin) &&
	       (answer[0] == 'y' || answer[0] == 'Y');
}

/* Makes the missing settings if `yes` or after a "y" on a terminal; otherwise
 * prints the commands for them. */
static struct error *settings_offer(struct gitstore *g, bool yes)
{
	bool ask = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);

	printf("\n%s git that scores show and travel:\n",
	       yes ? "telling" : "to tell");
	print_commands(g);
	if (!yes && !(ask && says_yes()))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(outdated); i++)
		TRY(gitstore_config_remove(g, outdated[i].key,
					   outdated[i].value));
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (applies(&settings[i], g))
			TRY(gitstore_config_add(g, settings[i].key,
						settings[i].value));
	return NULL;
}

/* ---- avogit init --------------------------------------------------------- */

struct init_options {
	const char *entry;
	bool force;
	bool yes;
};

static const struct opt options[] = {
	OPT(struct init_options, entry, "entry", 'e', "NAME",
	    "the function to make fast (the only one)"),
	OPT(struct init_options, force, "force", 'f', NULL,
	    "overwrite " TASK_FILE " and the reference"),
	OPT(struct init_options, yes, "yes", 'y', NULL,
	    "set git's config without asking"),
	OPT_END,
};

/* A task can only name files beside it and below. */
static struct error *check_path(const char *kernel)
{
	if (!path_is_safe(kernel))
		return error_new(ERROR_USAGE,
				 "init: %s is not below this folder: start in "
				 "the folder that the task file shall be in",
				 kernel);
	if (!ends_with(kernel, ".c") && !ends_with(kernel, ".cu"))
		return error_new(
			ERROR_USAGE,
			"init: %s is not a source in C (NAME.c) or CUDA "
			"(NAME.cu)",
			kernel);
	return NULL;
}

static struct error *write_new(const char *path, const struct buf *text,
			       bool force)
{
	if (!force && file_exists(path))
		return error_new(ERROR_REFUSED,
				 "%s is there already: --force overwrites it",
				 path);
	return file_write_atomic(path, text->data, text->len);
}

static struct error *write_task(const struct template *t, bool force)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	template_task(&text, t);
	TRY(write_new(TASK_FILE, &text, force));
	printf("wrote %s: look over every line marked GUESS\n", TASK_FILE);
	return NULL;
}

/* An existing reference is kept, because the user wrote it. */
static struct error *write_reference(const struct template *t,
				     const char *kernel_text, bool force)
{
	cleanup_buf struct buf text = BUF_INIT(2 * KERNEL_LIMIT);

	if (!force && file_exists(t->reference)) {
		printf("kept %s: it needs %s_reference and %s_plain\n",
		       t->reference, t->prototype->name, t->prototype->name);
		return NULL;
	}
	template_reference(&text, t, kernel_text);
	TRY(write_new(t->reference, &text, force));
	printf("wrote %s: say in it what is right, in double precision\n",
	       t->reference);
	return NULL;
}

/* Remaining faults of the task file, which only the user can correct. */
static void say_what_is_left(const struct template *t)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf message = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_task struct task *task = NULL;
	struct error *err;

	template_task(&text, t);
	err = task_parse(&task, TASK_FILE, text.data, text.len);
	if (err) {
		out_clean_line(&message, error_message(err));
		printf("it needs your hand: %s\n", message.data);
	}
	error_free(err);
}

static void say_next(const struct template *t)
{
	cleanup_buf struct buf path = BUF_INIT(BUF_LIMIT_TEXT);

	out_shell_word(&path, t->kernel);
	printf("\nthen commit them and see what the kernel is worth:\n"
	       "  git add %s %s %s\n"
	       "  git commit -m 'a task for avogit'\n"
	       "  avogit score\n"
	       "  avogit evolve\n",
	       TASK_FILE, t->reference, path.data);
}

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	cleanup_session struct session s = {0};
	cleanup_strvec struct strvec operands = STRVEC_INIT;
	cleanup_buf struct buf kernel = BUF_INIT(KERNEL_LIMIT);
	cleanup_prototype struct prototype p = {0};
	struct init_options o = {0};
	struct template t = {0};
	bool cuda;

	(void)code;
	TRY(command_parse(self, &o, &operands, argv));
	TRY(check_path(operands.v[0]));
	TRY(session_open(&s, NULL));
	TRY(file_read(&kernel, operands.v[0]));
	cuda = ends_with(operands.v[0], ".cu");
	TRY(prototype_read(&p, cuda ? LANGUAGE_CUDA : LANGUAGE_C, operands.v[0],
			   kernel.data, o.entry));
	t = (struct template){operands.v[0], &p,
			      cuda ? "reference.cu" : "reference.c"};
	TRY(write_task(&t, o.force));
	TRY(write_reference(&t, kernel.data, o.force));
	say_what_is_left(&t);
	TRY(settings_offer(s.git, o.yes));
	say_next(&t);
	return NULL;
}

const struct command command_init = {
	.name = "init",
	.operands = "KERNEL",
	.summary = "writes a task file for a kernel",
	.about = "Writes a commented avogit.yaml for a kernel (KERNEL.c, or "
		 "KERNEL.cu with an extern \"C\"\nfunction that takes a "
		 "stream last), and a reference to be completed, into this\n"
		 "folder. What cannot be read from the kernel's prototype is "
		 "a marked guess.",
	.options = options,
	.min_operands = 1,
	.max_operands = 1,
	.run = run,
};
