/*
 * What commands print. Data goes to stdout, everything about the work itself
 * to stderr. Text that came from a candidate, a compiler, a commit message or
 * a model passes out_clean before a terminal sees it.
 */
#ifndef CMD_UI_OUT_H
#define CMD_UI_OUT_H

#include "core/base/buf.h"
#include "core/base/json.h"

/* Version of every --json output, its first member. */
#define JSON_SCHEMA 1

/* Adds s without what a terminal would act upon: control characters are
 * shown as ^X, except newlines and tabs; invalid UTF-8 as '?'. */
void out_clean(struct buf *b, const char *s);
/* The same, newlines and tabs as blanks: for one line of a table. */
void out_clean_line(struct buf *b, const char *s);
/* Cleans and prints a text of several lines, each after `indent`. */
void out_text(const char *indent, const char *s);
/* Adds s as one word of a shell command, quoted where it needs to be. */
void out_shell_word(struct buf *b, const char *s);
/* An object that begins with its "schema". */
struct json *out_json_new(void) MUST_CHECK;
void out_json(const struct json *j);
/* Was everything written? A full disk under a redirection is an error, a reader
 * that went away is not. */
struct error *out_finish(void) MUST_CHECK;
/* "avogit: message" on stderr, cleaned. */
void out_error(const char *message);

#endif
