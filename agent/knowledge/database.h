/*
 * A database in memory, in SQLite's SQL: the only includer of SQLite. What
 * goes wrong in it is ERROR_INTERNAL with SQLite's own words.
 */
#ifndef AGENT_KNOWLEDGE_DATABASE_H
#define AGENT_KNOWLEDGE_DATABASE_H

#include "core/base/buf.h"
#include "core/base/error.h"

struct database;

/* An empty one. `name` says in errors what it is; it must live on. */
struct error *database_open(struct database **out, const char *name) MUST_CHECK;
/* The one that these bytes are (database_bytes), which need not live on. What
 * they hold is not checked here: a caller that does not trust them checks
 * first. */
struct error *database_load(struct database **out, const char *name,
			    const struct buf *bytes) MUST_CHECK;
/* All of it as bytes; NULL where memory for that is missing.
 * database_bytes_free disposes. */
unsigned char *database_bytes(const struct database *d, size_t *len) MUST_CHECK;
void database_bytes_free(unsigned char *bytes);
/* Statements without parameters or rows, each ended by a semicolon. */
struct error *database_execute(const struct database *d,
			       const char *sql) MUST_CHECK;
void database_free(struct database *d);

/* One statement, which is freed before its database is. */
struct statement {
	const struct database *db;
	void *prepared;
};

/* `texts` (NULL-terminated, or NULL) are its parameters ?1, ?2 and so on. They
 * must live on. */
struct error *statement_prepare(struct statement *out, const struct database *d,
				const char *sql,
				const char *const *texts) MUST_CHECK;
/* Parameters count from 1. A text (NULL: SQL's NULL) must live on. */
void statement_set_int(struct statement *s, int parameter, int64_t value);
void statement_set_text(struct statement *s, int parameter, const char *text);
/* *row: is there one more? Its columns count from 0, and what is borrowed from
 * it lives until the next step. */
struct error *statement_step(bool *row, struct statement *s) MUST_CHECK;
const char *statement_text(struct statement *s, int column); /* NULL as "" */
int64_t statement_int(struct statement *s, int column);
double statement_double(struct statement *s, int column);
/* Runs it to its end, so that it may be run again with other parameters. */
struct error *statement_finish(struct statement *s) MUST_CHECK;
void statement_release(struct statement *s);

DEFINE_CLEANUP(database, struct database, database_free)
#define cleanup_database CLEANUP(database)
DEFINE_CLEANUP(database_bytes, unsigned char, database_bytes_free)
#define cleanup_database_bytes CLEANUP(database_bytes)
DEFINE_RELEASE(statement, struct statement, statement_release)
#define cleanup_statement CLEANUP(statement)

#endif
