/* The text of a note, written: lines for people that a program can read. */
#include <inttypes.h>

#include "core/score/measurement_note.h"
#include "core/base/text.h"

static bool is_plain(const char *s)
{
	return *s && !strpbrk(s, " \t\r\n\"\\");
}

static void add_word(struct buf *b, const char *key, const char *value)
{
	cleanup_buf struct buf text = BUF_INIT(NOTE_MEASUREMENT_MAX);

	text_add_lines(&text, value, strlen(value));
	buf_addf(b, " %s=", key);
	if (is_plain(text.data)) {
		buf_adds(b, text.data);
		return;
	}
	buf_addc(b, '"');
	for (const char *c = text.data; *c; c++) {
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

static void add_headline(struct buf *b, const struct measurement *m)
{
	const struct comparison *c = measurement_headline(m);
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
