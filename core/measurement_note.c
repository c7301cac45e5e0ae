/* The text of a note: lines for people that a program can read. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <time.h>

#include "core/measurement.h"
#include "core/strvec.h"

#define RANK_HEADLINE	 0
#define RANK_CASES	 1
#define RANK_COMPARISONS 500
#define RANK_KERNELS	 700
#define RANK_ENVIRONMENT 900
#define NOTE_LIMIT	 ((size_t)4 << 20)
#define MAX_LINES	 100000

/* ---- writing ----------------------------------------------------------- */

static bool is_plain(const char *s)
{
	return *s && !strpbrk(s, " \t\r\n\"\\");
}

/* Takes out what a terminal would act on. */
static void make_printable(char *s)
{
	char *to = s;

	for (; *s; s++)
		if ((unsigned char)*s >= ' ' || *s == '\n')
			*to++ = *s;
	*to = '\0';
}

static void add_word(struct buf *b, const char *key, const char *value)
{
	cleanup_free char *text = xstrdup(value);

	make_printable(text);
	buf_addf(b, " %s=", key);
	if (is_plain(text)) {
		buf_adds(b, text);
		return;
	}
	buf_addc(b, '"');
	for (const char *c = text; *c; c++) {
		if (*c == '\n')
			buf_adds(b, "\\n");
		else if (*c == '"' || *c == '\\')
			buf_addf(b, "\\%c", *c);
		else
			buf_addc(b, *c);
	}
	buf_addc(b, '"');
}

static void add_number(struct buf *b, const char *key, const char *format,
		       double value)
{
	char text[512]; /* DBL_MAX has 309 digits before the point */

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, sizeof text, format, value);
#pragma GCC diagnostic pop
	add_word(b, key, text);
}

static void begin_line(struct buf *b, const struct measurement *m, size_t rank)
{
	buf_addf(b, "%s %03zu", m->id, rank);
}

static void add_ratio(struct buf *b, const struct comparison *c)
{
	add_number(b, "ratio", "%.4f", c->ratio);
	add_number(b, "low", "%.4f", c->ratio95.lo);
	add_number(b, "high", "%.4f", c->ratio95.hi);
	add_word(b, "told", told_name(c->told, c->ratio95));
}

static const struct comparison *headline_of(const struct measurement *m)
{
	static const enum rival order[] = {RIVAL_START, RIVAL_CHAMPION,
					   RIVAL_INCUMBENT, RIVAL_BASELINE};

	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		const struct comparison *c =
			measurement_against(m, order[i], NULL);

		if (c)
			return c;
	}
	return NULL;
}

static void add_headline(struct buf *b, const struct measurement *m)
{
	const struct comparison *c = headline_of(m);
	const char *machine = measurement_get(m, "machine");
	char rate[32];

	begin_line(b, m, RANK_HEADLINE);
	add_word(b, "verdict", verdict_name(m->verdict));
	if (m->verdict == VERDICT_PASS) {
		measurement_format_rate(rate, sizeof rate, m->score,
					m->rate_is_bytes);
		add_word(b, "score", rate);
	}
	if (c) {
		add_word(b, "vs", rival_name(c->rival));
		add_ratio(b, c);
	}
	if (m->why)
		add_word(b, "why", m->why);
	if (machine)
		add_word(b, "machine", machine);
	add_word(b, "trust", trust_class_name(m->trust));
	if (m->noise > 0)
		add_number(b, "noise", "%.4f", m->noise);
	add_number(b, m->rate_is_bytes ? "bytes_per_s" : "flop_per_s", "%.6g",
		   m->score);
	add_word(b, "format", "1");
	add_word(b, "task", m->identity.task);
	add_word(b, "sources", m->identity.sources);
	add_word(b, "kind", m->identity.machine);
	add_word(b, "scorer", m->identity.scorer);
	buf_addc(b, '\n');
}

static void add_case(struct buf *b, const struct measurement *m, size_t i)
{
	const struct case_result *c = &m->cases[i];
	char rate[32];

	begin_line(b, m, RANK_CASES + i);
	add_word(b, "case", c->name);
	if (c->seconds > 0) {
		measurement_format_rate(rate, sizeof rate, c->rate,
					m->rate_is_bytes);
		add_word(b, "score", rate);
		add_number(b, "seconds", "%.6g", c->seconds);
		add_number(b, "rate", "%.6g", c->rate);
	}
	if (c->overhead > 0)
		add_number(b, "overhead", "%.3g", c->overhead);
	if (c->ceiling > 0)
		add_number(b, "ceiling", "%.3f", c->ceiling);
	add_number(b, "error", "%.3g", c->error);
	add_number(b, "launches", "%.0f", (double)c->launches);
	if (c->weight != 1)
		add_number(b, "weight", "%.6g", c->weight);
	buf_addc(b, '\n');
}

static void add_comparison(struct buf *b, const struct measurement *m, size_t i)
{
	const struct comparison *c = &m->comparisons[i];

	begin_line(b, m, RANK_COMPARISONS + i);
	add_word(b, "against", rival_name(c->rival));
	add_word(b, "of", c->name);
	add_ratio(b, c);
	add_number(b, "blocks", "%.0f", (double)c->blocks);
	add_word(b, "confirmed", c->confirmed ? "yes" : "no");
	add_number(b, "worst", "%.4f", c->worst_case);
	buf_addc(b, '\n');
}

/* Spills as "stores/loads", bytes; what the compiler remarked is a word a
 * remark. */
static void add_kernel(struct buf *b, const struct measurement *m, size_t i)
{
	const struct kernel_resources *k = &m->resources.kernel[i];

	begin_line(b, m, RANK_KERNELS + i);
	add_word(b, "kernel", k->name);
	buf_addf(b,
		 " registers=%" PRId64 " spills=%" PRId64 "/%" PRId64
		 " stack=%" PRId64 " shared=%" PRId64 " barriers=%" PRId64
		 " constant=%" PRId64,
		 k->registers, k->spill_stores, k->spill_loads, k->stack,
		 k->shared, k->barriers, k->constant);
	for (size_t w = 0; w < k->warnings.n; w++)
		add_word(b, "warning", k->warnings.v[w]);
	buf_addc(b, '\n');
}

static void add_environment(struct buf *b, const struct measurement *m)
{
	if (!m->n_environment)
		return;
	begin_line(b, m, RANK_ENVIRONMENT);
	for (size_t i = 0; i < m->n_environment; i++)
		if (is_plain(m->environment[i].key))
			add_word(b, m->environment[i].key,
				 m->environment[i].value);
	buf_addc(b, '\n');
}

static void add_lines(struct buf *b, const struct measurement *m)
{
	add_headline(b, m);
	for (size_t i = 0; i < m->n_cases && i < RANK_COMPARISONS - 1; i++)
		add_case(b, m, i);
	for (size_t i = 0;
	     i < m->n_comparisons && i < RANK_KERNELS - RANK_COMPARISONS; i++)
		add_comparison(b, m, i);
	for (size_t i = 0;
	     i < m->resources.n && i < RANK_ENVIRONMENT - RANK_KERNELS; i++)
		add_kernel(b, m, i);
	add_environment(b, m);
}

static void split_lines(struct strvec *out, const char *text)
{
	while (*text && out->n < MAX_LINES) {
		size_t len = strcspn(text, "\n");

		if (len)
			strvec_pushf(out, "%.*s", (int)MIN(len, 1u << 20),
				     text);
		text += len + (text[len] == '\n');
	}
}

void measurement_note_add(struct buf *text, const struct measurement *m)
{
	cleanup_buf struct buf all = BUF_INIT(NOTE_LIMIT);
	cleanup_strvec struct strvec lines = STRVEC_INIT;

	/* Its own first: too long a note loses none of them. */
	add_lines(&all, m);
	buf_add_text(&all, text->data, text->len);
	split_lines(&lines, all.data);
	strvec_sort(&lines);
	buf_clear(text);
	text->truncated = all.truncated || lines.n == MAX_LINES;
	for (size_t i = 0; i < lines.n; i++) {
		if (i && str_eq(lines.v[i], lines.v[i - 1]))
			continue;
		buf_adds(text, lines.v[i]);
		buf_addc(text, '\n');
	}
}

/* ---- reading ----------------------------------------------------------- */

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

/* What was written is read back; what others wrote, as it would be written. */
static bool next_word(const char **p, struct buf *key, struct buf *value)
{
	if (!take_word(p, key, value))
		return false;
	make_printable(key->data);
	make_printable(value->data);
	return *key->data;
}

static double number(const char *text)
{
	char *end;
	double v = strtod(text, &end);

	return *end || end == text ? NAN : v;
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
		c->launches = strtoul(value, NULL, 10);
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
		c->blocks = strtoul(value, NULL, 10);
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
	char *end;

	for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
		if (str_eq(key, figures[i].key))
			*figures[i].to = strtoll(value, NULL, 10);
	if (str_eq(key, "spills")) {
		k->spill_stores = strtoll(value, &end, 10);
		k->spill_loads = *end == '/' ? strtoll(end + 1, NULL, 10) : 0;
	} else if (str_eq(key, "warning")) {
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
			kernel = resources_of(&m->resources, value.data);
		else if (rank >= RANK_ENVIRONMENT)
			measurement_set(m, key.data, value.data);
		else
			read_headline(m, key.data, value.data);
	}
}

static bool begins_with_id(const char *line)
{
	static const char form[] = "00000000T000000Z-xxxxxxxx ";

	for (size_t i = 0; form[i]; i++) {
		unsigned char c = (unsigned char)line[i];

		if (form[i] == '0'   ? !isdigit(c)
		    : form[i] == 'x' ? !isxdigit(c)
				     : c != (unsigned char)form[i])
			return false;
	}
	return true;
}

/* "ID RANK ..." with a well-formed id; *words is what follows. */
static bool is_measurement_line(const char *line, unsigned long *rank,
				const char **words)
{
	char *end;

	if (!begins_with_id(line))
		return false;
	*rank = strtoul(line + MEASUREMENT_ID_LEN + 1, &end, 10);
	*words = end;
	return end == line + MEASUREMENT_ID_LEN + 4;
}

/* The time that an id begins with. */
static int64_t time_of(const char *id)
{
	struct tm t = {0};

	return strptime(id, "%Y%m%dT%H%M%SZ", &t) ? 1000000 * timegm(&t) : 0;
}

static struct measurement *read_one(const struct strvec *lines, size_t from,
				    size_t to)
{
	struct measurement *m = xcalloc(1, sizeof *m);

	copy(m->id, sizeof m->id, lines->v[from]);
	m->time_us = time_of(m->id);
	for (size_t i = from; i < to; i++) {
		unsigned long rank;
		const char *words;

		if (is_measurement_line(lines->v[i], &rank, &words))
			read_line(m, rank, words);
	}
	return m;
}

struct measurement *measurement_note_find(
	const char *note,
	bool (*wanted)(const struct measurement *m, void *arg), void *arg)
{
	cleanup_strvec struct strvec lines = STRVEC_INIT;

	split_lines(&lines, note);
	strvec_sort(&lines);
	/* Lines of one measurement stand together, the newest last. */
	for (size_t to = lines.n; to > 0;) {
		cleanup_measurement struct measurement *m = NULL;
		size_t from = to - 1;
		unsigned long rank;
		const char *words;

		if (!is_measurement_line(lines.v[from], &rank, &words)) {
			to = from;
			continue;
		}
		while (from && strncmp(lines.v[from - 1], lines.v[to - 1],
				       MEASUREMENT_ID_LEN + 1) == 0)
			from--;
		m = read_one(&lines, from, to);
		if (wanted(m, arg))
			return steal(&m);
		to = from;
	}
	return NULL;
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
