/*
 * Subcommands. Each is a file with one const entry; its options are a table
 * that fills a struct on the command's stack. main.c lists the entries. To add
 * a command: write cmd/NAME.c, declare its entry here, list it in main.c, and
 * test it in tests/cli/.
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include "cmd/ui/exit_code.h"
#include "cmd/ui/opt.h"

struct command {
	const char *name;
	const char *operands; /* "[REV...]"; "" for none */
	const char *summary;  /* its line in `avogit --help` */
	const char *about;    /* its paragraph in `avogit NAME --help` */
	const struct opt *options;
	size_t min_operands, max_operands;
	/* Codes that are not what every command has; NULL for none. */
	const struct exit_meaning *exits;
	/* `argv` is what follows the name. *code is CODE_YES on entry; the kind
	 * of an error decides its exit code. */
	struct error *(*run)(enum exit_code *code, const struct command *self,
			     char **argv);
};

extern const struct command command_init;
extern const struct command command_import;
extern const struct command command_doctor;
extern const struct command command_score;
extern const struct command command_evolve;
extern const struct command command_log;
extern const struct command command_show;
extern const struct command command_profile;
extern const struct command command_best;
extern const struct command command_verify;
extern const struct command command_trust;
extern const struct command command_runs;
extern const struct command command_diff;
extern const struct command command_pick;
extern const struct command command_export;
extern const struct command command_gate;
extern const struct command command_report;
extern const struct command command_watch;
extern const struct command command_scan;
extern const struct command command_rm;
extern const struct command command_prune;
extern const struct command command_sync;
extern const struct command command_knowledge;
extern const struct command command_mcp;
extern const struct command command_skill;

/* Fills `options` (zeroed by the caller) and the operands, and checks their
 * number. */
struct error *command_parse(const struct command *self, void *options,
			    struct strvec *operands, char **argv) MUST_CHECK;

#endif
