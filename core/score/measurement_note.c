/* The text of a note: lines for people that a program can read. A note that is
 * read may have been written by others. */
#include <time.h>

#include "core/score/measurement_fields.h"
#include "core/score/note_lines.h"

static void begin_line(struct buf *b, const struct measurement *m, size_t rank)
{
	buf_addf(b, "%s %03zu", m->id, rank);
}

static void add_headline(struct buf *b, const struct measurement *m)
{
	begin_line(b, m, RANK_HEADLINE);
	fields_to_words(b, &headline_fields, m, m);
	buf_addc(b, '\n');
}

static void add_records(struct buf *b, const struct record_kind *k,
			const struct measurement *m)
{
	size_t n = MIN(record_count(k, m), (size_t)(k->end_rank - k->rank));

	for (size_t i = 0; i < n; i++) {
		begin_line(b, m, k->rank + i);
		fields_to_words(b, &k->fields, record_at(k, m, i), m);
		buf_addc(b, '\n');
	}
}

static void add_environment(struct buf *b, const struct measurement *m)
{
	if (!m->n_environment)
		return;
	begin_line(b, m, RANK_ENVIRONMENT);
	for (size_t i = 0; i < m->n_environment; i++)
		if (note_word_is_plain(m->environment[i].key))
			note_word_add(b, m->environment[i].key,
				      m->environment[i].value);
	buf_addc(b, '\n');
}

static void add_lines(struct buf *b, const struct measurement *m)
{
	add_headline(b, m);
	for (size_t i = 0; i < RECORD_COUNT; i++)
		add_records(b, &record_kinds[i], m);
	add_environment(b, m);
}

void measurement_note_add(struct buf *text, const struct measurement *m)
{
	cleanup_buf struct buf own = BUF_INIT(text->limit);
	cleanup_buf struct buf old = BUF_INIT(text->limit);
	cleanup_note_lines struct note_lines lines = {.n = 0};

	add_lines(&own, m);
	buf_add_text(&old, text->data, text->len);
	note_lines_add(&lines, own.data, own.len, false);
	note_lines_add(&lines, old.data, old.len, false);
	note_lines_sort(&lines);
	note_lines_fit(&lines, text->limit, m->id);
	buf_clear(text);
	note_lines_write(text, &lines);
}

void measurement_note_keep(struct buf *out, const char *note, size_t len)
{
	cleanup_note_lines struct note_lines lines = {.n = 0};

	note_lines_add(&lines, note, len, false);
	note_lines_sort(&lines);
	note_lines_fit(&lines, out->limit, NULL);
	buf_clear(out);
	note_lines_write(out, &lines);
}

/* ---- reading ------------------------------------------------------------- */

/* Reads the words of a line. `of`: the kind of record on the line; NULL: the
 * headline, or the environment. */
struct line_reader {
	struct measurement *m;
	const struct record_kind *of;
	void *one; /* NULL: not made yet, or the limit is reached */
	bool is_environment, is_unknown;
};

static void read_word(struct line_reader *r, const char *key, const char *value)
{
	const struct record_kind *k = r->of;

	/* As it is written: another key would be lost at the next writing. */
	if (r->is_environment && note_word_is_plain(key))
		measurement_set(r->m, key, value);
	else if (r->is_environment)
		return;
	else if (!k)
		fields_from_word(r->m, &headline_fields, key, value);
	else if (!r->one && k->by_name && str_eq(key, k->fields.v[0].note))
		r->one = k->add(r->m, value);
	else if (r->one && !fields_from_word(r->one, &k->fields, key, value))
		r->is_unknown = true;
}

static const struct record_kind *kind_of_rank(unsigned long rank)
{
	for (size_t i = 0; i < RECORD_COUNT; i++)
		if (rank >= record_kinds[i].rank &&
		    rank < record_kinds[i].end_rank)
			return &record_kinds[i];
	return NULL;
}

static void read_line(struct measurement *m, unsigned long rank,
		      const char *words)
{
	cleanup_buf struct buf key = BUF_INIT(256);
	cleanup_buf struct buf value = BUF_INIT(1 << 16);
	struct line_reader r = {.m = m,
				.of = kind_of_rank(rank),
				.is_environment = rank >= RANK_ENVIRONMENT};

	if (r.of && !r.of->by_name)
		r.one = r.of->add(m, "");
	while (note_word_take(&words, &key, &value))
		read_word(&r, key.data, value.data);
	if (r.is_unknown)
		r.of->drop_last(m);
}

/* The time at the start of an id. */
static int64_t time_of(const char *id)
{
	struct tm t = {0};

	return strptime(id, "%Y%m%dT%H%M%SZ", &t) ? 1000000 * timegm(&t) : 0;
}

/* Without a headline, or with that of a later version, there is no verdict. */
static void complete_verdict(struct measurement *m)
{
	if (m->verdict == VERDICT_COUNT)
		measurement_fail(m, VERDICT_UNUSABLE,
				 "no verdict that is known here");
	measurement_check(m);
}

/* Another version of avogit may have written the same comparison again in its
 * own words ("told"). */
static bool same_comparison(const struct note_lines *l, size_t a, size_t b)
{
	const char *rank = l->v[a].text + MEASUREMENT_ID_LEN + 1;
	unsigned long r = strtoul(rank, NULL, 10);

	return r >= RANK_COMPARISONS && r < RANK_KERNELS &&
	       memcmp(rank, l->v[b].text + MEASUREMENT_ID_LEN + 1, 3) == 0;
}

static struct measurement *read_one(const struct note_lines *lines, size_t from,
				    size_t to)
{
	struct measurement *m = xcalloc(1, sizeof *m);

	memcpy(m->id, lines->v[from].text, MEASUREMENT_ID_LEN);
	m->time_us = time_of(m->id);
	m->verdict = VERDICT_COUNT;
	for (size_t i = from; i < to; i++) {
		cleanup_free char *line =
			xstrndup(lines->v[i].text, lines->v[i].len);
		const char *words = line + MEASUREMENT_ID_LEN + 1;

		if (i + 1 < to && same_comparison(lines, i, i + 1))
			continue;
		read_line(m, strtoul(words, NULL, 10), words + 3);
	}
	complete_verdict(m);
	return m;
}

static bool same_id(const struct note_lines *l, size_t a, size_t b)
{
	return memcmp(l->v[a].text, l->v[b].text, MEASUREMENT_ID_LEN) == 0;
}

static void keep_first(struct measurement **kept, struct measurement **m)
{
	if (!*kept)
		*kept = steal(m);
}

struct measurement *measurement_note_find(
	const char *note,
	bool (*wanted)(const struct measurement *m, void *arg), void *arg)
{
	cleanup_measurement struct measurement *unusable = NULL, *ahead = NULL;
	cleanup_note_lines struct note_lines lines = {.n = 0};

	note_lines_add(&lines, note, strlen(note), true);
	note_lines_sort(&lines);
	/* Lines of one measurement are adjacent, the newest last. */
	for (size_t to = lines.n, from; to > 0; to = from) {
		cleanup_measurement struct measurement *m = NULL;
		size_t bytes = 0;

		for (from = to; from > 0 && same_id(&lines, from - 1, to - 1);)
			bytes += lines.v[--from].len + 1;
		if (bytes > NOTE_MEASUREMENT_MAX)
			continue;
		m = read_one(&lines, from, to);
		if (!wanted(m, arg))
			continue;
		if (m->verdict == VERDICT_UNUSABLE)
			keep_first(&unusable, &m);
		else if (measurement_is_ahead(m))
			keep_first(&ahead, &m);
		else
			return steal(&m);
	}
	return ahead ? steal(&ahead) : steal(&unusable);
}

static bool is_comparable(const struct measurement *m, void *arg)
{
	const struct identity *want = arg;

	return !want || identity_comparable(&m->identity, want);
}

struct measurement *measurement_note_latest(const char *note,
					    const struct identity *want)
{
	return measurement_note_find(note, is_comparable,
				     (struct identity *)(uintptr_t)want);
}
