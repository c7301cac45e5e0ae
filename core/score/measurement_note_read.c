/* The text of a note, read: others may have written it. */
#include <math.h>
#include <time.h>

#include "core/score/measurement_note.h"
#include "core/base/text.h"

/* Takes "key=value" or key="va\"lue" off *p; false at the end of the line or
 * where it is neither. */
static bool take_word(const char **p, struct buf *key, struct buf *value)
{
	const char *s = *p + strspn(*p, " \t");
	size_t len = strcspn(s, "= \t\r\"\\");

	buf_clear(key);
	buf_clear(value);
	if (!len || s[len] != '=')
		return false;
	buf_add(key, s, len);
	s += len + 1;
	if (*s != '"') {
		len = strcspn(s, " \t");
		buf_add(value, s, len);
		*p = s + len;
		return true;
	}
	for (s++; *s && *s != '"'; s++) {
		bool escaped = *s == '\\' && s[1];

		s += escaped;
		buf_addc(value, escaped && *s == 'n' ? '\n' : *s);
	}
	*p = *s ? s + 1 : s;
	return true;
}

static void make_clean(struct buf *b)
{
	cleanup_buf struct buf clean = BUF_INIT(b->limit);

	text_add_lines(&clean, b->data, b->len);
	buf_clear(b);
	buf_add(b, clean.data, clean.len);
}

/* What was written is read back; what others wrote, as it would be written. */
static bool next_word(const char **p, struct buf *key, struct buf *value)
{
	if (!take_word(p, key, value))
		return false;
	make_clean(key);
	make_clean(value);
	return *key->data;
}

static double number(const char *text)
{
	char *end;
	double v = strtod(text, &end);

	return *end || end == text ? NAN : v;
}

static int64_t count(const char *text)
{
	return measurement_count(strtoll(text, NULL, 10));
}

static void copy(char *out, size_t size, const char *value)
{
	snprintf(out, size, "%s", value);
}

static void read_headline(struct measurement *m, const char *key,
			  const char *value)
{
	if (str_eq(key, "verdict")) {
		verdict_parse(&m->verdict, value);
	} else if (str_eq(key, "why")) {
		free(m->why);
		m->why = xstrdup(value);
	} else if (str_eq(key, "flop_per_s") || str_eq(key, "bytes_per_s")) {
		m->score = number(value);
		m->rate_is_bytes = *key == 'b';
	} else if (str_eq(key, "noise")) {
		m->noise = number(value);
	} else if (str_eq(key, "task")) {
		copy(m->identity.task, sizeof m->identity.task, value);
	} else if (str_eq(key, "sources")) {
		copy(m->identity.sources, sizeof m->identity.sources, value);
	} else if (str_eq(key, "kind")) {
		copy(m->identity.machine, sizeof m->identity.machine, value);
	} else if (str_eq(key, "scorer")) {
		copy(m->identity.scorer, sizeof m->identity.scorer, value);
	} else if (str_eq(key, "trust")) {
		for (int t = TRUST_NONE; t <= TRUST_REPLAYED; t++)
			if (str_eq(trust_class_name((enum trust_class)t),
				   value))
				m->trust = (enum trust_class)t;
	}
}

static void read_case(struct case_result *c, const char *key, const char *value)
{
	if (str_eq(key, "case")) {
		free(c->name);
		c->name = xstrdup(value);
	} else if (str_eq(key, "seconds")) {
		c->seconds = number(value);
	} else if (str_eq(key, "rate")) {
		c->rate = number(value);
	} else if (str_eq(key, "error")) {
		c->error = number(value);
	} else if (str_eq(key, "overhead")) {
		c->overhead = number(value);
	} else if (str_eq(key, "ceiling")) {
		c->ceiling = number(value);
	} else if (str_eq(key, "weight")) {
		c->weight = number(value);
	} else if (str_eq(key, "launches")) {
		c->launches = (size_t)count(value);
	}
}

static void read_comparison(struct comparison *c, const char *key,
			    const char *value)
{
	if (str_eq(key, "against")) {
		for (int r = RIVAL_INCUMBENT; r <= RIVAL_START; r++)
			if (str_eq(rival_name((enum rival)r), value))
				c->rival = (enum rival)r;
	} else if (str_eq(key, "of")) {
		free(c->name);
		c->name = xstrdup(value);
	} else if (str_eq(key, "ratio")) {
		c->ratio = number(value);
	} else if (str_eq(key, "low")) {
		c->ratio95.lo = number(value);
	} else if (str_eq(key, "high")) {
		c->ratio95.hi = number(value);
	} else if (str_eq(key, "told")) {
		told_parse(&c->told, value);
	} else if (str_eq(key, "blocks")) {
		c->blocks = (size_t)count(value);
	} else if (str_eq(key, "confirmed")) {
		c->confirmed = str_eq(value, "yes");
	} else if (str_eq(key, "worst")) {
		c->worst_case = number(value);
	}
}

static void read_kernel(struct kernel_resources *k, const char *key,
			const char *value)
{
	const struct {
		const char *key;
		int64_t *to;
	} figures[] = {
		{"registers", &k->registers}, {"stack", &k->stack},
		{"shared", &k->shared},	      {"barriers", &k->barriers},
		{"constant", &k->constant},
	};
	const char *loads;

	for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
		if (str_eq(key, figures[i].key))
			*figures[i].to = count(value);
	if (str_eq(key, "spills")) {
		loads = strchr(value, '/');
		k->spill_stores = count(value);
		k->spill_loads = loads ? count(loads + 1) : 0;
	} else if (str_eq(key, "warning") &&
		   k->warnings.n < MEASUREMENT_MAX_WARNINGS) {
		strvec_push(&k->warnings, value);
	}
}

static void read_line(struct measurement *m, unsigned long rank,
		      const char *words)
{
	cleanup_buf struct buf key = BUF_INIT(256);
	cleanup_buf struct buf value = BUF_INIT(1 << 16);
	struct case_result *c = NULL;
	struct comparison *against = NULL;
	struct kernel_resources *kernel = NULL;

	if (rank >= RANK_CASES && rank < RANK_COMPARISONS)
		c = measurement_add_case(m, "");
	else if (rank >= RANK_COMPARISONS && rank < RANK_KERNELS)
		against = measurement_add_comparison(m, RIVAL_INCUMBENT, "");
	while (next_word(&words, &key, &value)) {
		if (c)
			read_case(c, key.data, value.data);
		else if (against)
			read_comparison(against, key.data, value.data);
		else if (kernel)
			read_kernel(kernel, key.data, value.data);
		else if (rank >= RANK_KERNELS && rank < RANK_ENVIRONMENT &&
			 str_eq(key.data, "kernel"))
			kernel = measurement_add_kernel(m, value.data);
		else if (rank >= RANK_ENVIRONMENT)
			measurement_set(m, key.data, value.data);
		else
			read_headline(m, key.data, value.data);
	}
}

/* The time that an id begins with. */
static int64_t time_of(const char *id)
{
	struct tm t = {0};

	return strptime(id, "%Y%m%dT%H%M%SZ", &t) ? 1000000 * timegm(&t) : 0;
}

/* Without a headline, or with one of a later version, there is no verdict. */
static void settle_verdict(struct measurement *m)
{
	if (m->verdict == VERDICT_COUNT)
		measurement_fail(m, VERDICT_UNUSABLE,
				 "no verdict that is known here");
	measurement_check(m);
}

/* Another version of avogit may have put back a comparison in words of its own
 * ("told"): it is the same one. */
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
	settle_verdict(m);
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
	/* Lines of one measurement stand together, the newest last. */
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
