/*
 * What may follow on a command line that is being typed, for the completion
 * scripts of the shells (dist/completions): `avogit help --complete -- WORD...`.
 */
#ifndef CMD_COMPLETE_H
#define CMD_COMPLETE_H

#include "cmd/cmd.h"

/* Adds a line for each word that can stand where the last word of `typed` is:
 * the word, a tab, and what it is in a few words. "@file" or "@folder" instead:
 * a path, after what the line has behind the tab ("--task="). A command line
 * that avogit does not understand gets none. Changes the current folder where
 * the words say -C. */
void complete_words(struct buf *out, const struct command *const *commands,
		    size_t n_commands, const struct strvec *typed);
/* The script for "bash", "zsh" or "fish"; NULL for others. */
const char *complete_script(const char *shell);

#endif
