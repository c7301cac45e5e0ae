/*
 * Output of commands. Data goes to stdout, messages about the work itself to
 * stderr. Text from a candidate, a compiler, a commit message or a model must
 * pass out_clean before a terminal gets it.
 */
#ifndef CMD_UI_OUT_H
#define CMD_UI_OUT_H

#include "core/base/buf.h"
#include "core/base/json.h"

/* Version of the format of all --json output; its first member. */
#define JSON_SCHEMA 1

/* Adds s without sequences that a terminal acts upon: control characters except
 * newline and tab become ^X, invalid UTF-8 becomes '?'. */
void out_clean(struct buf *b, const char *s);
/* The same with newlines and tabs as blanks, for one line of a table. */
void out_clean_line(struct buf *b, const char *s);
/* The last line of s, as out_clean_line; blank lines at the end do not count. */
void out_clean_last_line(struct buf *b, const char *s);
/* Cleans and prints a text of several lines, `indent` before each line. */
void out_text(const char *indent, const char *s);
void out_text_to(FILE *out, const char *indent, const char *s);
/* Adds s as one word of a shell command, quoted if needed. */
void out_shell_word(struct buf *b, const char *s);
/* Makes an object that begins with its "schema". */
struct json *out_json_new(void) MUST_CHECK;
/* Prints the object to stdout, indented, with a final newline. */
void out_json(const struct json *j);
/* ERROR_REFUSED if the file is there, which --force of this command replaces. */
struct error *out_check_free(const char *command, const char *path) MUST_CHECK;
/* Was everything written? A full disk is an error; a reader that closed the
 * pipe is not. */
struct error *out_finish(void) MUST_CHECK;
/* Prints "avogit: message" on stderr, cleaned. */
void out_error(const char *message);

#endif
