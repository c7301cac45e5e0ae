/*
 * Which run a command is about: one rule for all commands that read a run
 * (docs/commands.md#which-run). Each of them has an option --run, so that what
 * is said here holds for all.
 */
#ifndef CMD_SESSION_WHICH_RUN_H
#define CMD_SESSION_WHICH_RUN_H

#include "cmd/session/session.h"

/* The run that a command is about: `wanted`, else the one named like the
 * nearest task, else the only one. A fetched run gets its branches. free()
 * disposes of *out. */
struct error *which_run(char **out, struct session *s,
			const char *wanted) MUST_CHECK;
/* The same for those who write nothing. */
struct error *which_run_there(char **out, struct session *s,
			      const char *wanted) MUST_CHECK;
/* The error for a missing run, with the remedy: a clone has the branches of
 * runs but not their journals. */
struct error *which_run_none(struct session *s) MUST_CHECK;

/* For a command that takes its run as an operand, too: *wanted is the one that
 * was named, or NULL. Borrowed. */
struct error *which_run_named(const char **wanted, const char *command,
			      const struct strvec *operands,
			      const char *option) MUST_CHECK;

/* The champion of a run, for this command; an error if there is none yet. */
struct error *which_run_champion(struct commit_id *id, struct session *s,
				 const char *run,
				 const char *command) MUST_CHECK;
/* The candidate that a command is about: its REV, else (NULL) the champion of the
 * run. `run` gets the name of its run, "" where none is known. */
struct error *which_candidate(struct commit_id *id, char run[RUN_NAME_MAX + 1],
			      struct session *s, const char *command,
			      const char *rev, const char *option) MUST_CHECK;

#endif
