#include "agent/knowledge/database.h"

#include <sqlite3.h>

struct database {
	sqlite3 *db;
	const char *name;
};

static struct error *failed(const struct database *d)
{
	return error_new(ERROR_INTERNAL, "%s: %s", d->name,
			 sqlite3_errmsg(d->db));
}

static struct error *open_memory(struct database *d)
{
	if (sqlite3_open_v2(":memory:", &d->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
			    NULL) != SQLITE_OK)
		return failed(d);
	return NULL;
}

struct error *database_open(struct database **out, const char *name)
{
	cleanup_database struct database *d = xcalloc(1, sizeof *d);

	d->name = name;
	TRY(open_memory(d));
	*out = steal(&d);
	return NULL;
}

struct error *database_load(struct database **out, const char *name,
			    const struct buf *bytes)
{
	cleanup_database struct database *d = xcalloc(1, sizeof *d);
	unsigned char *data;

	d->name = name;
	TRY(open_memory(d));
	data = sqlite3_malloc64(bytes->len);
	if (!data)
		return error_new(ERROR_SYSTEM, "out of memory");
	memcpy(data, bytes->data, bytes->len);
	/* SQLite frees `data`, also on failure. */
	if (sqlite3_deserialize(d->db, "main", data, (sqlite3_int64)bytes->len,
				(sqlite3_int64)bytes->len,
				SQLITE_DESERIALIZE_FREEONCLOSE |
					SQLITE_DESERIALIZE_RESIZEABLE) !=
	    SQLITE_OK)
		return failed(d);
	*out = steal(&d);
	return NULL;
}

unsigned char *database_bytes(const struct database *d, size_t *len)
{
	sqlite3_int64 n = 0;
	unsigned char *bytes = sqlite3_serialize(d->db, "main", &n, 0);

	*len = bytes ? (size_t)n : 0;
	return bytes;
}

void database_bytes_free(unsigned char *bytes)
{
	sqlite3_free(bytes);
}

struct error *database_execute(const struct database *d, const char *sql)
{
	if (sqlite3_exec(d->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return failed(d);
	return NULL;
}

void database_free(struct database *d)
{
	if (!d)
		return;
	sqlite3_close(d->db);
	free(d);
}

/* ---- statements ---------------------------------------------------------- */

struct error *statement_prepare(struct statement *out, const struct database *d,
				const char *sql, const char *const *texts)
{
	sqlite3_stmt *prepared = NULL;
	cleanup_statement struct statement s = {.db = d};

	if (sqlite3_prepare_v2(d->db, sql, -1, &prepared, NULL) != SQLITE_OK)
		return failed(d);
	s.prepared = prepared;
	for (int i = 0; texts && texts[i]; i++)
		if (sqlite3_bind_text(prepared, i + 1, texts[i], -1,
				      SQLITE_STATIC) != SQLITE_OK)
			return failed(d);
	*out = s;
	s = (struct statement){0};
	return NULL;
}

void statement_set_int(struct statement *s, int parameter, int64_t value)
{
	sqlite3_bind_int64(s->prepared, parameter, value);
}

void statement_set_text(struct statement *s, int parameter, const char *text)
{
	sqlite3_bind_text(s->prepared, parameter, text, -1, SQLITE_STATIC);
}

struct error *statement_step(bool *row, struct statement *s)
{
	int rc = sqlite3_step(s->prepared);

	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return failed(s->db);
	*row = rc == SQLITE_ROW;
	return NULL;
}

struct error *statement_finish(struct statement *s)
{
	bool row = true;

	while (row)
		TRY(statement_step(&row, s));
	sqlite3_reset(s->prepared);
	return NULL;
}

const char *statement_text(struct statement *s, int column)
{
	const unsigned char *text = sqlite3_column_text(s->prepared, column);

	return text ? (const char *)text : "";
}

int64_t statement_int(struct statement *s, int column)
{
	return sqlite3_column_int64(s->prepared, column);
}

double statement_double(struct statement *s, int column)
{
	return sqlite3_column_double(s->prepared, column);
}

void statement_release(struct statement *s)
{
	sqlite3_finalize(s->prepared);
	*s = (struct statement){0};
}
