/* A note as another clone may have written it: what is read out of it and
 * written again reads the same, and a measurement that is added to it is the
 * only thing that changes. */
#include "core/score/measurement.h"
#include "core/base/strvec.h"

#define LOOKED_AT 16 /* measurements of one note */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *written(const struct measurement *m)
{
	cleanup_buf struct buf text = BUF_INIT((size_t)4 << 20);

	measurement_note_add(&text, m);
	return buf_take(&text);
}

static bool same(const struct measurement *a, const struct measurement *b)
{
	cleanup_json struct json *x = measurement_to_json(a);
	cleanup_json struct json *y = measurement_to_json(b);
	cleanup_free char *p = json_print(x);
	cleanup_free char *q = json_print(y);

	return str_eq(p, q);
}

static struct measurement *reread(const struct measurement *m)
{
	cleanup_free char *text = written(m);

	return measurement_note_latest(text, NULL);
}

/* Figures are rounded as they are written: so from then on. */
static bool goes_round(const struct measurement *m, void *left)
{
	cleanup_measurement struct measurement *a = reread(m);
	cleanup_measurement struct measurement *b = a ? reread(a) : NULL;
	cleanup_free char *twice = b ? written(a) : NULL;
	cleanup_free char *thrice = b ? written(b) : NULL;

	if (!b || !str_eq(twice, thrice) || !same(a, b) ||
	    !str_eq(a->id, m->id) || a->verdict != m->verdict ||
	    a->n_cases != m->n_cases || a->n_comparisons != m->n_comparisons ||
	    a->n_environment != m->n_environment ||
	    !identity_equal(&a->identity, &m->identity))
		abort();
	return --*(int *)left == 0;
}

/* Every line of `old` is in `text`. */
static bool keeps(const char *text, const char *old, size_t len)
{
	cleanup_free char *all = xasprintf("\n%s", text);

	for (size_t at = 0; at < len;) {
		const char *end = memchr(old + at, '\n', len - at);
		size_t n = (end ? (size_t)(end - old) : len) - at;
		cleanup_free char *line =
			xasprintf("\n%.*s\n", (int)n, old + at);

		if (n && !strstr(all, line))
			return false;
		at += n + 1;
	}
	return true;
}

static void add_one(const char *note, size_t len)
{
	cleanup_buf struct buf text = BUF_INIT((size_t)4 << 20);
	cleanup_buf struct buf again = BUF_INIT((size_t)4 << 20);
	cleanup_measurement struct measurement *m = measurement_new();
	cleanup_free char *own = NULL;

	measurement_set(m, "compiler", "cc \"1\"\\");
	own = written(m);
	buf_add(&text, note, len);
	measurement_note_add(&text, m);
	if (!keeps(text.data, own, strlen(own)) ||
	    (!memchr(note, 0, len) && !keeps(text.data, note, len)))
		abort();
	buf_add(&again, text.data, text.len);
	measurement_note_add(&again, m);
	if (!str_eq(text.data, again.data))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_free char *note = xstrndup((const char *)data, size);
	cleanup_measurement struct measurement *latest =
		measurement_note_latest(note, NULL);
	cleanup_measurement struct measurement *found = NULL;
	int left = LOOKED_AT;

	found = measurement_note_find(note, goes_round, &left);
	add_one((const char *)data, size);
	return 0;
}
