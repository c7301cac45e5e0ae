/* avogit: the table of commands, and what all commands share. */
#include <locale.h>
#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/complete.h"
#include "cmd/ui/live.h"
#include "cmd/ui/mdoc.h"
#include "cmd/ui/out.h"
#include "core/task/schema.h"

static const struct command *const commands[] = {
	&command_init,	 &command_doctor, &command_score,     &command_evolve,
	&command_log,	 &command_show,	  &command_best,      &command_verify,
	&command_trust,	 &command_runs,	  &command_diff,      &command_pick,
	&command_rm,	 &command_prune,  &command_knowledge, &command_profile,
	&command_mcp,	 &command_skill,  &command_sync,      &command_import,
	&command_export, &command_gate,	  &command_report,    &command_watch,
	&command_scan,
};

#define SUMMARY "evolves kernels inside a git repository"
#define EXIT_CODES                                                            \
	"0 done; 1 the answer is no (a failed candidate, no champion yet);\n" \
	"2 the command line is wrong, or the answer of `gate` is open; "      \
	"125 `gate --bisect`\ncannot tell; 128 an error; 130 interrupted, "   \
	"even where the attempt at hand was\nfinished first.\n"

static void print_help(void)
{
	fputs("avogit " SUMMARY ".\n"
	      "\n"
	      "usage: avogit [-C DIR] COMMAND [OPTION...] [OPERAND...]\n"
	      "\n",
	      stdout);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		printf("  %-9s  %s\n", commands[i]->name, commands[i]->summary);
	fputs("\n"
	      "  -C DIR     as if started in DIR\n"
	      "  --version  says the version\n"
	      "  --help     this; `avogit COMMAND --help` says more\n"
	      "\n"
	      "exit code: " EXIT_CODES,
	      stdout);
}

/* The page avogit(1). */
static void print_manual(void)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	mdoc_begin(&b, "avogit", SUMMARY);
	buf_adds(&b, ".Sh SYNOPSIS\n.Nm avogit\n.Op Fl C Ar DIR\n"
		     ".Ar COMMAND\n.Op Ar OPTION ...\n.Op Ar OPERAND ...\n"
		     ".Sh DESCRIPTION\nThe commands are\n"
		     ".Bl -tag -width Ds\n");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		buf_addf(&b, ".It Xr avogit-%s 1\n", commands[i]->name);
		mdoc_text(&b, commands[i]->summary);
	}
	buf_adds(&b, ".El\n.Sh OPTIONS\n.Bl -tag -width Ds\n"
		     ".It Fl C Ar DIR\nas if started in DIR\n"
		     ".It Fl \\-version\nsays the version\n"
		     ".It Fl h , Fl \\-help\nlists the commands\n.El\n"
		     ".Sh EXIT STATUS\n");
	mdoc_text(&b, EXIT_CODES);
	fputs(b.data, stdout);
}

static void print_command_manual(const struct command *c)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	mdoc_page(&b, &(struct mdoc_page){.name = c->name,
					  .operands = c->operands,
					  .summary = c->summary,
					  .about = c->about,
					  .options = c->options,
					  .exits = c->exits});
	fputs(b.data, stdout);
}

static void print_command_help(const struct command *c)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	opt_help(&b, c->options);
	printf("usage: avogit %s [OPTION...]%s%s\n\n%s\n", c->name,
	       *c->operands ? " " : "", c->operands, c->about);
	printf("\n%s", b.data);
}

static struct error *unknown_command(const char *word)
{
	const char *names[ARRAY_SIZE(commands) + 1] = {0};
	const char *nearest;

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		names[i] = commands[i]->name;
	nearest = opt_nearest(word, names);
	if (nearest)
		return error_new(ERROR_USAGE,
				 "'%s' is not a command: did you mean '%s'?",
				 word, nearest);
	return error_new(ERROR_USAGE,
			 "'%s' is not a command: avogit --help lists them",
			 word);
}

static struct error *find_command(const struct command **out, const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		if (str_eq(commands[i]->name, word)) {
			*out = commands[i];
			return NULL;
		}
	}
	return unknown_command(word);
}

static struct error *run_command(enum exit_code *code, char **argv)
{
	const struct command *c;

	TRY(find_command(&c, argv[0]));
	if (opt_asks_for_help(c->options, argv + 1)) {
		print_command_help(c);
		return NULL;
	}
	return c->run(code, c, argv + 1);
}

/* `avogit help --completion SHELL`. */
static struct error *print_completion(const char *shell)
{
	const char *script = shell ? complete_script(shell) : NULL;

	if (!script)
		return error_new(ERROR_USAGE, "--completion takes bash, zsh or "
					      "fish");
	fputs(script, stdout);
	return NULL;
}

/* `avogit help --complete -- WORD...`, which the scripts of the shells ask. */
static struct error *print_words(char **argv)
{
	cleanup_strvec struct strvec typed = STRVEC_INIT;
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	for (argv += *argv && str_eq(*argv, "--"); *argv; argv++)
		strvec_push(&typed, *argv);
	complete_words(&b, commands, ARRAY_SIZE(commands), &typed);
	fputs(b.data, stdout);
	return NULL;
}

/* What the parser of task files reads by: for editors as JSON, for docs/task.md as
 * Markdown. */
static void print_task_keys(bool as_schema)
{
	cleanup_json struct json *schema = NULL;
	cleanup_buf struct buf page = BUF_INIT(BUF_LIMIT_TEXT);

	if (as_schema) {
		schema = task_schema();
		out_json(schema);
		return;
	}
	task_keys_page(&page);
	fputs(page.data, stdout);
}

/* `avogit help --mdoc [CMD]` prints pages of the manual, and `help --list` the
 * names of all commands: `make install` asks for both. */
static struct error *help_source(char **argv)
{
	const struct command *c;

	if (str_eq(argv[0], "--completion"))
		return print_completion(argv[1]);
	if (str_eq(argv[0], "--complete"))
		return print_words(argv + 1);
	if (str_eq(argv[0], "--schema") || str_eq(argv[0], "--keys")) {
		print_task_keys(str_eq(argv[0], "--schema"));
	} else if (str_eq(argv[0], "--list")) {
		for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
			puts(commands[i]->name);
	} else if (!str_eq(argv[0], "--mdoc")) {
		return unknown_command(argv[0]);
	} else if (!argv[1]) {
		print_manual();
	} else {
		TRY(find_command(&c, argv[1]));
		print_command_manual(c);
	}
	return NULL;
}

/* Handles `avogit help` and `avogit help CMD`. */
static struct error *help(char **argv)
{
	const struct command *c;

	if (!argv[0]) {
		print_help();
		return NULL;
	}
	if (starts_with(argv[0], "--"))
		return help_source(argv);
	TRY(find_command(&c, argv[0]));
	print_command_help(c);
	return NULL;
}

static struct error *change_dir(const char *dir)
{
	if (!dir)
		return error_new(ERROR_USAGE, "-C needs a folder after it");
	if (chdir(dir))
		return error_errno("cannot change to %s", dir);
	return NULL;
}

static struct error *run(enum exit_code *code, char **argv)
{
	for (; *argv && str_eq(*argv, "-C"); argv += 2)
		TRY(change_dir(argv[1]));
	if (!*argv)
		return error_new(ERROR_USAGE, "which command? avogit --help "
					      "lists them");
	if (str_eq(*argv, "--help") || str_eq(*argv, "-h"))
		print_help();
	else if (str_eq(*argv, "help"))
		return help(argv + 1);
	else if (str_eq(*argv, "--version"))
		puts("avogit " AVOGIT_VERSION);
	else if (**argv == '-')
		return error_new(ERROR_USAGE,
				 "unknown option %s before the command", *argv);
	else
		return run_command(code, argv);
	return NULL;
}

static enum exit_code code_of(const struct error *err)
{
	if (error_is(err, ERROR_USAGE))
		return CODE_USAGE;
	return error_is(err, ERROR_INTERRUPTED) ? CODE_INTERRUPTED : CODE_FATAL;
}

struct error *command_parse(const struct command *self, void *options,
			    struct strvec *operands, char **argv)
{
	TRY(error_wrap(opt_parse(options, operands, self->options, argv), "%s",
		       self->name));
	if (operands->n < self->min_operands)
		return error_new(ERROR_USAGE, "%s needs %s", self->name,
				 self->operands);
	if (operands->n > self->max_operands)
		return error_new(ERROR_USAGE,
				 "%s does not know what to do with '%s'",
				 self->name, operands->v[self->max_operands]);
	return NULL;
}

/* Many agents can run for days on one machine, so freed memory goes back to the
 * system. The thresholds are fixed: glibc would raise them at each large
 * free. */
static void give_memory_back(void)
{
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, 128 << 10);
	mallopt(M_TRIM_THRESHOLD, 128 << 10);
	mallopt(M_TOP_PAD, 16 << 10);
}

int main(int argc, char **argv)
{
	enum exit_code code = CODE_YES;
	struct error *err;

	give_memory_back();
	/* Only for the width of characters: numbers and messages must not
	 * depend on the user's locale. */
	setlocale(LC_CTYPE, "C.UTF-8");
	err = run(&code, argv + (argc > 0));
	if (!err)
		err = out_finish();
	if (!err)
		return (int)code;
	code = code_of(err);
	/* A terminal that is stopped holds up no end. */
	if (code != CODE_INTERRUPTED || live_takes_more())
		out_error(error_message(err));
	error_free(err);
	return (int)code;
}
