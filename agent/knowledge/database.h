/*
 * A database in memory, in SQLite's SQL; only database.c includes SQLite.
 * Failures are ERROR_INTERNAL with SQLite's own message.
 */
#ifndef AGENT_KNOWLEDGE_DATABASE_H
#define AGENT_KNOWLEDGE_DATABASE_H

#include "core/base/buf.h"
#include "core/base/error.h"

struct database;

/* Opens an empty database. `name` names it in errors; borrowed. */
struct error *database_open(struct database **out, const char *name) MUST_CHECK;
/* Opens the database in these bytes (see database_bytes), which are copied.
 * Their contents are not checked: a caller that distrusts them must check. */
struct error *database_load(struct database **out, const char *name,
			    const struct buf *bytes) MUST_CHECK;
/* All of the database as bytes; NULL if memory for them is missing.
 * database_bytes_free disposes. */
unsigned char *database_bytes(const struct database *d, size_t *len) MUST_CHECK;
void database_bytes_free(unsigned char *bytes);
/* Runs statements without parameters and rows, each ended by a semicolon. */
struct error *database_execute(const struct database *d,
			       const char *sql) MUST_CHECK;
void database_free(struct database *d);

/* One statement; release it before its database. */
struct statement {
	const struct database *db;
	void *prepared;
};

/* `texts` (NULL-terminated, or NULL) are the parameters ?1, ?2 and so on.
 * Borrowed for the life of the statement. */
struct error *statement_prepare(struct statement *out, const struct database *d,
				const char *sql,
				const char *const *texts) MUST_CHECK;
/* Parameters count from 1. A text is borrowed; NULL is SQL's NULL. */
void statement_set_int(struct statement *s, int parameter, int64_t value);
void statement_set_text(struct statement *s, int parameter, const char *text);
/* Fetches the next row; *row is false at the end. Columns count from 0. A text
 * of a row is borrowed and valid until the next step. */
struct error *statement_step(bool *row, struct statement *s) MUST_CHECK;
const char *statement_text(struct statement *s, int column); /* NULL as "" */
int64_t statement_int(struct statement *s, int column);
double statement_double(struct statement *s, int column);
/* Runs the statement to its end and resets it, for other parameters. */
struct error *statement_finish(struct statement *s) MUST_CHECK;
void statement_release(struct statement *s);

DEFINE_CLEANUP(database, struct database, database_free)
#define cleanup_database CLEANUP(database)
DEFINE_CLEANUP(database_bytes, unsigned char, database_bytes_free)
#define cleanup_database_bytes CLEANUP(database_bytes)
DEFINE_RELEASE(statement, struct statement, statement_release)
#define cleanup_statement CLEANUP(statement)

#endif
