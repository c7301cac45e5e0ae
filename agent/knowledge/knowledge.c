#include "agent/knowledge/knowledge.h"

#include "agent/knowledge/database.h"
#include "agent/knowledge/cache.h"
#include "agent/knowledge/query.h"
#include "agent/knowledge/passages.h"

/* In errors. */
#define NAME "the knowledge base"

/* A heading that has the word says more than a passage that has it. */
#define RANK "bm25(passage, 2.0, 1.0)"

/* A document's passages are the rows `first` up to `past`. */
static const char schema[] =
	"PRAGMA journal_mode = OFF;"
	"CREATE TABLE document (source TEXT, title TEXT, kind TEXT,"
	" first INTEGER, past INTEGER, problem TEXT,"
	" PRIMARY KEY (source, title)) WITHOUT ROWID;"
	"CREATE VIRTUAL TABLE passage USING fts5 (heading, body,"
	" source UNINDEXED, tokenize = 'porter unicode61');";

struct knowledge {
	struct database *db;
	int64_t next; /* row of the next passage */
};

void knowledge_free(struct knowledge *k)
{
	if (!k)
		return;
	database_free(k->db);
	free(k);
}

/* ---- filling it --------------------------------------------------------- */

static struct error *insert_passages(struct knowledge *k, const char *source,
				     const char *title,
				     const struct passages *passages)
{
	cleanup_statement struct statement s = {0};

	TRY(statement_prepare(
		&s, k->db,
		"INSERT INTO passage (rowid, heading, body, source)"
		" VALUES (?1, ?2, ?3, ?4)",
		NULL));
	for (size_t i = 0; i < passages->n; i++) {
		const struct passage *p = &passages->v[i];
		cleanup_free char *heading = xasprintf(
			"%s%s%s", title, *title && *p->heading ? " > " : "",
			p->heading);

		statement_set_int(&s, 1, k->next++);
		statement_set_text(&s, 2, heading);
		statement_set_text(&s, 3, p->text);
		statement_set_text(&s, 4, source);
		TRY(statement_finish(&s));
	}
	return NULL;
}

static struct error *insert(struct knowledge *k, const char *source,
			    const char *title, enum document_kind kind,
			    const struct passages *passages,
			    const char *problem)
{
	const char *const texts[] = {source, title, document_kind_name(kind),
				     NULL};
	cleanup_statement struct statement s = {0};
	int64_t first = k->next;

	TRY(insert_passages(k, source, title, passages));
	TRY(statement_prepare(
		&s, k->db,
		"INSERT INTO document VALUES (?1, ?2, ?3, ?4, ?5, ?6)", texts));
	statement_set_int(&s, 4, first);
	statement_set_int(&s, 5, k->next);
	statement_set_text(&s, 6, problem);
	return statement_finish(&s);
}

static bool is_full(const struct knowledge *k)
{
	return k->next >= KNOWLEDGE_MAX_PASSAGES;
}

/* *whole becomes false where a document could not be read. */
static struct error *add_document(bool *whole, struct knowledge *k,
				  const struct document *d,
				  const struct sandbox *sandbox)
{
	cleanup_buf struct buf text = BUF_INIT(DOCUMENT_MAX_TEXT);
	cleanup_passages struct passages passages = {0};
	cleanup_error struct error *problem =
		is_full(k)
			? error_new(ERROR_TOO_BIG, "the knowledge base is full")
			: document_text(&text, d, sandbox);

	if (problem)
		*whole = false;
	else
		passages_cut(&passages, d->kind, text.data);
	return insert(k, d->source, "", d->kind, &passages,
		      problem ? error_message(problem) : NULL);
}

static struct error *build(bool *whole, struct knowledge *k,
			   const struct documents *d,
			   const struct sandbox *sandbox)
{
	TRY(database_execute(k->db, schema));
	TRY(database_execute(k->db, "BEGIN"));
	for (size_t i = 0; i < d->n; i++)
		TRY(add_document(whole, k, &d->doc[i], sandbox));
	return database_execute(k->db, "COMMIT");
}

/* ---- the copy on disk --------------------------------------------------- */

static void store(const struct knowledge *k, const char *dir, const char *key)
{
	size_t len;
	cleanup_database_bytes unsigned char *data =
		database_bytes(k->db, &len);

	if (data)
		knowledge_cache_put(dir, key, data, len);
}

static struct error *find_next(struct knowledge *k)
{
	cleanup_statement struct statement s = {0};
	bool row = false;

	TRY(statement_prepare(&s, k->db,
			      "SELECT coalesce(max(past), 0) FROM document",
			      NULL));
	TRY(statement_step(&row, &s));
	k->next = statement_int(&s, 0);
	return NULL;
}

static struct error *open_cached(struct knowledge *k, const char *dir,
				 const char *key)
{
	cleanup_buf struct buf bytes = BUF_INIT(0);

	if (!knowledge_cache_get(&bytes, dir, key))
		return error_new(ERROR_NOT_FOUND, "no copy");
	TRY(database_load(&k->db, NAME, &bytes));
	return find_next(k);
}

static bool is_cached(struct knowledge *k, const char *dir, const char *key)
{
	struct error *err = open_cached(k, dir, key);

	if (!err)
		return true;
	error_free(err);
	database_free(k->db);
	*k = (struct knowledge){0};
	return false;
}

struct error *knowledge_open(struct knowledge **out, const struct documents *d,
			     const struct knowledge_options *o)
{
	cleanup_knowledge struct knowledge *k = xcalloc(1, sizeof *k);
	char key[HASH_HEX_LEN + 1];
	bool whole = true;

	knowledge_key(key, d, o->sandbox && document_pdf_readable());
	if (!o->cache_dir || !is_cached(k, o->cache_dir, key)) {
		TRY(database_open(&k->db, NAME));
		TRY(build(&whole, k, d, o->sandbox));
		/* What failed may go better next time. */
		if (o->cache_dir && whole)
			store(k, o->cache_dir, key);
	}
	*out = steal(&k);
	return NULL;
}

/* ---- rows --------------------------------------------------------------- */

static struct error *forget(const struct knowledge *k, const char *source,
			    const char *title)
{
	static const char *const sql[] = {
		"DELETE FROM passage WHERE rowid IN (SELECT passage.rowid FROM"
		" passage JOIN document ON passage.rowid >= first AND"
		" passage.rowid < past WHERE document.source = ?1 AND"
		" title = ?2)",
		"DELETE FROM document WHERE source = ?1 AND title = ?2",
	};
	const char *const texts[] = {source, title, NULL};

	for (size_t i = 0; i < ARRAY_SIZE(sql); i++) {
		cleanup_statement struct statement s = {0};

		TRY(statement_prepare(&s, k->db, sql[i], texts));
		TRY(statement_finish(&s));
	}
	return NULL;
}

static char *clean(const char *s, size_t limit)
{
	cleanup_buf struct buf b = BUF_INIT(limit);

	document_clean(&b, s, strlen(s));
	return buf_take(&b);
}

struct error *knowledge_add(struct knowledge *k, const char *source,
			    const char *title, const char *text)
{
	cleanup_free char *from = clean(source, PASSAGE_MAX_HEADING);
	cleanup_free char *about = clean(title, PASSAGE_MAX_HEADING);
	cleanup_free char *body = clean(text, DOCUMENT_MAX_TEXT);
	cleanup_passages struct passages passages = {0};

	if (is_full(k))
		return error_new(ERROR_TOO_BIG,
				 "the knowledge base is full: it holds %d "
				 "passages",
				 KNOWLEDGE_MAX_PASSAGES);
	passages_cut(&passages, DOCUMENT_ROW, body);
	TRY(forget(k, from, about));
	return insert(k, from, about, DOCUMENT_ROW, &passages, NULL);
}

/* ---- searching ---------------------------------------------------------- */

static bool has_hit(const struct knowledge_hits *h, const char *source,
		    const char *text)
{
	for (size_t i = 0; i < h->n; i++)
		if (str_eq(h->hit[i].source, source) &&
		    str_eq(h->hit[i].text, text))
			return true;
	return false;
}

static struct error *add_hits(struct knowledge_hits *out,
			      const struct knowledge *k, const char *match,
			      size_t limit, bool all)
{
	const char *const texts[] = {match, NULL};
	cleanup_statement struct statement s = {0};
	bool row = false;

	TRY(statement_prepare(
		&s, k->db,
		"SELECT source, heading, body, " RANK " FROM passage"
		" WHERE passage MATCH ?1 ORDER BY " RANK ", rowid LIMIT ?2",
		texts));
	statement_set_int(&s, 2, (int64_t)limit);
	TRY(statement_step(&row, &s));
	while (row && out->n < limit) {
		if (!has_hit(out, statement_text(&s, 0),
			     statement_text(&s, 2))) {
			GROW(out->hit, out->n, out->cap);
			out->hit[out->n++] = (struct knowledge_hit){
				.source = xstrdup(statement_text(&s, 0)),
				.heading = xstrdup(statement_text(&s, 1)),
				.text = xstrdup(statement_text(&s, 2)),
				.score = -statement_double(&s, 3),
				.all = all,
			};
		}
		TRY(statement_step(&row, &s));
	}
	return NULL;
}

struct error *knowledge_search(struct knowledge_hits *out, struct knowledge *k,
			       const char *query, size_t limit)
{
	cleanup_knowledge_hits struct knowledge_hits h = {0};
	cleanup_free char *text = clean(query, KNOWLEDGE_MAX_QUERY);
	cleanup_knowledge_query struct knowledge_query q;

	limit = MIN(limit, (size_t)KNOWLEDGE_MAX_HITS);
	knowledge_query_init(&q, text);
	if (q.all.len && limit) {
		TRY(add_hits(&h, k, q.all.data, limit, true));
		/* Those with every word are found once more here. */
		TRY(add_hits(&h, k, q.any.data, limit, false));
	}
	*out = h;
	h = (struct knowledge_hits){0};
	return NULL;
}

/* ---- what is in it ------------------------------------------------------ */

struct error *knowledge_list(struct knowledge_list *out, struct knowledge *k)
{
	cleanup_knowledge_list struct knowledge_list l = {0};
	cleanup_statement struct statement s = {0};
	bool row = false;

	TRY(statement_prepare(
		&s, k->db,
		"SELECT source, title, kind, past - first, problem FROM"
		" document ORDER BY kind = 'row', source, first",
		NULL));
	TRY(statement_step(&row, &s));
	while (row) {
		const char *problem = statement_text(&s, 4);

		GROW(l.item, l.n, l.cap);
		l.item[l.n++] = (struct knowledge_item){
			.source = xstrdup(statement_text(&s, 0)),
			.title = xstrdup(statement_text(&s, 1)),
			.kind = xstrdup(statement_text(&s, 2)),
			.passages = (size_t)statement_int(&s, 3),
			.problem = *problem ? xstrdup(problem) : NULL,
		};
		TRY(statement_step(&row, &s));
	}
	*out = l;
	l = (struct knowledge_list){0};
	return NULL;
}

struct error *knowledge_read(struct buf *out, struct knowledge *k,
			     const char *source)
{
	const char *const texts[] = {source, NULL};
	cleanup_statement struct statement s = {0};
	cleanup_free char *heading = xstrdup("");
	bool row = false;

	TRY(statement_prepare(
		&s, k->db,
		"SELECT heading, body FROM document JOIN passage ON"
		" passage.rowid >= first AND passage.rowid < past WHERE"
		" document.source = ?1 ORDER BY passage.rowid",
		texts));
	TRY(statement_step(&row, &s));
	if (!row)
		return error_new(ERROR_NOT_FOUND,
				 "the knowledge base has no '%s': "
				 "`avogit knowledge --list` names what it has",
				 source);
	while (row) {
		if (!str_eq(heading, statement_text(&s, 0))) {
			free(heading);
			heading = xstrdup(statement_text(&s, 0));
			buf_addf(out, "%s[%s]\n", out->len ? "\n" : "",
				 heading);
		}
		buf_addf(out, "\n%s\n", statement_text(&s, 1));
		TRY(statement_step(&row, &s));
	}
	return NULL;
}
