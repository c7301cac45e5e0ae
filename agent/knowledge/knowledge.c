#include "agent/knowledge/knowledge.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/knowledge/database.h"
#include "agent/knowledge/documents.h"
#include "agent/knowledge/passages.h"
#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/strvec.h"

/* Name in error messages. */
#define NAME "the knowledge base"

/* A word counts twice as much in a heading as in the text. */
#define RANK "bm25(passage, 2.0, 1.0)"

/* ---- copies on disk ------------------------------------------------------
 *
 * A copy of an index is the file "<dir>/knowledge-<key>": a header with the key
 * and the hash of the rest, then SQLite's own bytes. The newest KEPT are kept.
 */

/* Changed whenever the same documents would give a different index. */
#define FORMAT	    "avogit knowledge 1\n"
#define PREFIX	    "knowledge-"
#define NAMED	    16 /* digits of the key in a file's name */
#define KEPT	    6
#define HEADER_LEN  (sizeof FORMAT - 1 + 2 * (HASH_HEX_LEN + 1))
#define CACHE_LIMIT ((size_t)1 << 30)

/* Hashes the names and contents of the documents, the format of the index, and
 * whether PDFs can be read here. */
static void knowledge_key(char out[HASH_HEX_LEN + 1], const struct documents *d,
			  bool pdf)
{
	struct hash *h = hash_new();

	hash_adds(h, FORMAT);
	hash_adds(h, pdf ? "pdf" : "");
	for (size_t i = 0; i < d->n; i++) {
		uint64_t len = d->doc[i].len;

		hash_adds(h, d->doc[i].source);
		hash_add(h, &len, sizeof len);
		hash_add(h, d->doc[i].data, d->doc[i].len);
	}
	hash_finish(out, h);
}

/* The header that a valid file for this key and these bytes has. */
static char *header(const char *key, const void *data, size_t len)
{
	struct hash *h = hash_new();
	char digest[HASH_HEX_LEN + 1];

	hash_adds(h, key);
	hash_add(h, data, len);
	hash_finish(digest, h);
	return xasprintf(FORMAT "%s\n%s\n", key, digest);
}

static char *path_of(const char *dir, const char *key)
{
	return xasprintf("%s/" PREFIX "%.*s", dir, NAMED, key);
}

/* Reads the copy stored under this key into b; false if it is missing or
 * damaged. Clears b. */
static bool knowledge_cache_get(struct buf *b, const char *dir, const char *key)
{
	cleanup_free char *path = path_of(dir, key);
	cleanup_free char *expected = NULL;
	struct error *err;

	buf_release(b);
	buf_init(b, CACHE_LIMIT);
	err = file_read(b, path);
	if (err || b->len <= HEADER_LEN) {
		error_free(err);
		return false;
	}
	expected = header(key, b->data + HEADER_LEN, b->len - HEADER_LEN);
	if (memcmp(b->data, expected, HEADER_LEN) != 0)
		return false;
	b->len -= HEADER_LEN;
	memmove(b->data, b->data + HEADER_LEN, b->len + 1);
	/* Marks the copy as used now, because only the newest are kept. */
	utimensat(AT_FDCWD, path, NULL, 0);
	return true;
}

struct cached_document {
	char *name;
	struct timespec used;
};

static int newest_first(const void *a, const void *b)
{
	const struct timespec *x = &((const struct cached_document *)a)->used;
	const struct timespec *y = &((const struct cached_document *)b)->used;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? 1 : -1;
	return x->tv_nsec < y->tv_nsec ? 1 : x->tv_nsec > y->tv_nsec ? -1 : 0;
}

static void remove_oldest(const char *dir)
{
	DIR *d = opendir(dir);
	struct cached_document *kept = NULL;
	size_t n = 0, cap = 0;
	const struct dirent *e;
	struct stat st;

	while (d && (e = readdir(d))) {
		if (!starts_with(e->d_name, PREFIX) ||
		    fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		GROW(kept, n, cap);
		kept[n++] = (struct cached_document){xstrdup(e->d_name),
						     st.st_mtim};
	}
	if (n)
		qsort(kept, n, sizeof *kept, newest_first);
	for (size_t i = 0; i < n; i++) {
		if (i >= KEPT)
			unlinkat(dirfd(d), kept[i].name, 0);
		free(kept[i].name);
	}
	free(kept);
	if (d)
		closedir(d);
}

/* A failure to store is ignored: the next process builds the index again. */
static void knowledge_cache_put(const char *dir, const char *key,
				const void *data, size_t len)
{
	cleanup_free char *path = path_of(dir, key);
	cleanup_free char *head = NULL;
	cleanup_buf struct buf file = BUF_INIT(CACHE_LIMIT);

	if (len > CACHE_LIMIT - HEADER_LEN)
		return;
	head = header(key, data, len);
	buf_adds(&file, head);
	buf_add(&file, data, len);
	error_free(file_write_private(path, file.data, file.len));
	remove_oldest(dir);
}

/* ---- a query -------------------------------------------------------------
 *
 * Turns any text into an expression of FTS5. Only words are kept, and nothing
 * that FTS5 could read as syntax, so that no text is malformed.
 */

struct knowledge_query {
	struct buf all; /* matches every word; empty: no words */
	struct buf any; /* matches one word, or a part of an identifier */
};

#define MAX_WORDS  24
#define MAX_WORD   100
#define MIN_PREFIX 3

static const char *const common[] = {
	"a",	  "an",	   "and",   "are", "as",   "at",  "be",	  "by",
	"can",	  "do",	   "does",  "for", "from", "how", "i",	  "if",
	"in",	  "is",	   "it",    "me",  "my",   "of",  "on",	  "or",
	"should", "so",	   "that",  "the", "this", "to",  "use",  "what",
	"when",	  "where", "which", "why", "with", "you", "your",
};

/* Letters and digits; each byte of a non-ASCII character is a letter. */
static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || (c & 0x80);
}

static bool is_part_of_word(char c)
{
	return is_letter(c) || (c && strchr("_.:/+-%#", c));
}

static bool is_common(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(common); i++)
		if (strcasecmp(word, common[i]) == 0)
			return true;
	return false;
}

static void split(struct strvec *out, const char *text, bool (*belongs)(char),
		  bool with_common)
{
	for (const char *s = text; *s && out->n < MAX_WORDS;) {
		size_t len = 0, skip = 0;

		while (*s && !belongs(*s))
			s++;
		while (s[len] && belongs(s[len]))
			len++;
		while (skip < len && !is_letter(s[skip]))
			skip++;
		if (skip < len) {
			cleanup_free char *word = NULL;
			size_t end = len;

			while (!is_letter(s[end - 1]))
				end--;
			word = xstrndup(s + skip, MIN(end - skip, MAX_WORD));
			if (with_common || !is_common(word))
				strvec_push(out, word);
		}
		s += len;
	}
}

/* A word contains no quotes, so it cannot end the quoted term. */
static void add_term(struct buf *out, const char *between, const char *word,
		     bool prefix)
{
	buf_addf(out, "%s\"%s\"%s", out->len ? between : "", word,
		 prefix && strlen(word) >= MIN_PREFIX ? " *" : "");
}

/* ---- spellings: "AVX-512" is "avx512", "RMS norm" is "RMSNorm" ------------ */

#define LEAST_PART   2	/* letters of each half of a word that is split */
#define LEAST_SPLIT  5	/* letters of such a word */
#define MOST_SPLIT   20 /* longer ones are identifiers, or no words */
#define MOST_FOR_TWO 6	/* words of a query in which two may be one */

/* The letters and digits of the word alone: "micro-kernel" as "microkernel". */
static char *joined(const char *word, const char *next)
{
	cleanup_buf struct buf b = BUF_INIT(2 * MAX_WORD);

	for (const char *part = word; part; part = part == word ? next : NULL)
		for (const char *c = part; *c; c++)
			if (is_letter(*c))
				buf_addc(&b, *c);
	return buf_take(&b);
}

/* Each way to cut the word in two: one of them is how others write it. */
static void add_splits(struct buf *out, const char *word)
{
	size_t len = strlen(word);

	if (len < LEAST_SPLIT || len > MOST_SPLIT)
		return;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)word[i]))
			return;
	for (size_t i = LEAST_PART; i + LEAST_PART <= len; i++)
		buf_addf(out, " OR \"%.*s %s\"", (int)i, word, word + i);
}

/* The word in all its spellings, in brackets. */
static void add_spellings(struct buf *out, const char *word, bool last)
{
	cleanup_free char *plain = joined(word, NULL);
	cleanup_buf struct buf term = BUF_INIT(BUF_LIMIT_TEXT);

	add_term(&term, "", word, last);
	if (!str_eq(plain, word) && *plain)
		buf_addf(&term, " OR \"%s\"", plain);
	add_splits(&term, word);
	buf_addf(out, "(%s)", term.data);
}

/* All words of a query, of which the two from `pair` on are one word; SIZE_MAX:
 * each is a word. */
static void add_every(struct buf *out, const struct strvec *words, size_t pair)
{
	buf_addf(out, "%s(", out->len ? " OR " : "");
	for (size_t i = 0; i < words->n; i++) {
		buf_adds(out, i ? " AND " : "");
		if (i == pair) {
			cleanup_free char *one =
				joined(words->v[i], words->v[i + 1]);

			buf_addf(out, "\"%s\"", one);
			i++;
			continue;
		}
		add_spellings(out, words->v[i], i + 1 == words->n);
	}
	buf_addc(out, ')');
}

static void add_parts(struct buf *out, const char *word)
{
	cleanup_strvec struct strvec parts = STRVEC_INIT;

	split(&parts, word, is_letter, false);
	for (size_t j = 0; parts.n > 1 && j < parts.n; j++)
		add_term(out, " OR ", parts.v[j], false);
}

/* An identifier ("cp.async.bulk", "__syncthreads") is a phrase of its parts,
 * cut as in the index. Common English words are ignored if there are other
 * words. The last word matches every word that begins with it. */
static void knowledge_query_init(struct knowledge_query *q, const char *text)
{
	cleanup_strvec struct strvec words = STRVEC_INIT;

	buf_init(&q->all, BUF_LIMIT_TEXT);
	buf_init(&q->any, BUF_LIMIT_TEXT);
	split(&words, text, is_part_of_word, false);
	if (!words.n)
		split(&words, text, is_part_of_word, true);
	if (!words.n)
		return;
	add_every(&q->all, &words, SIZE_MAX);
	for (size_t i = 0; words.n <= MOST_FOR_TWO && i + 1 < words.n; i++)
		add_every(&q->all, &words, i);
	for (size_t i = 0; i < words.n; i++) {
		buf_adds(&q->any, i ? " OR " : "");
		add_spellings(&q->any, words.v[i], i + 1 == words.n);
		add_parts(&q->any, words.v[i]);
	}
}

static void knowledge_query_release(struct knowledge_query *q)
{
	buf_release(&q->all);
	buf_release(&q->any);
}
DEFINE_RELEASE(knowledge_query, struct knowledge_query, knowledge_query_release)
#define cleanup_knowledge_query CLEANUP(knowledge_query)

/* ---- results ------------------------------------------------------------- */

void knowledge_hits_release(struct knowledge_hits *h)
{
	for (size_t i = 0; i < h->n; i++) {
		free(h->hit[i].source);
		free(h->hit[i].heading);
		free(h->hit[i].text);
	}
	free(h->hit);
	*h = (struct knowledge_hits){0};
}

void knowledge_list_release(struct knowledge_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->item[i].source);
		free(l->item[i].title);
		free(l->item[i].kind);
		free(l->item[i].problem);
	}
	free(l->item);
	*l = (struct knowledge_list){0};
}

/* ---- the knowledge base -------------------------------------------------- */

/* A document's passages are the rows from `first` to before `past`. */
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

/* Sets *whole to false if the document could not be read. */
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
		/* Not stored if incomplete: reading may succeed next time. */
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
		/* Passages with every word match again; add_hits skips them. */
		TRY(add_hits(&h, k, q.any.data, limit, false));
	}
	*out = h;
	h = (struct knowledge_hits){0};
	return NULL;
}

/* ---- contents ------------------------------------------------------------ */

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
