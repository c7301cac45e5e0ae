#include "core/score/columns.h"

#include "core/score/measurement_fields.h"

static const struct field *column_at(enum record r, unsigned place)
{
	const struct fields *t = &record_kinds[r].fields;

	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].column == place)
			return &t->v[i];
	return NULL;
}

static bool is_empty(const struct field *column, const struct measurement *m,
		     enum record r)
{
	const struct record_kind *k = &record_kinds[r];

	for (size_t i = 0; i < record_count(k, m); i++)
		if (field_is_noted(column, record_at(k, m, i)))
			return false;
	return true;
}

size_t columns_of(const struct field *out[COLUMNS_MAX],
		  const struct measurement *m, enum record r)
{
	/* A command of a task reports no time and no error. */
	bool reported = m->trust == TRUST_REPORTED;
	const struct field *column;
	size_t n = 0;

	for (unsigned at = 1; (column = column_at(r, at)) != NULL; at++)
		if (n < COLUMNS_MAX &&
		    !((column->optional || reported) && is_empty(column, m, r)))
			out[n++] = column;
	return n;
}

enum emphasis column_cell(struct buf *out, const struct field *column,
			  const struct measurement *m, enum record r, size_t i)
{
	const void *one = record_at(&record_kinds[r], m, i);

	field_show(out, column, one, m);
	return column->emphasis ? column->emphasis(one) : EMPHASIS_NONE;
}

void columns_add_phrases(struct buf *out, const struct measurement *m,
			 enum record r, size_t i)
{
	const void *one = record_at(&record_kinds[r], m, i);
	const struct field *column;
	const char *between = "";

	for (unsigned at = 1; (column = column_at(r, at)) != NULL; at++) {
		const char *figure;

		if (!column->phrase || !field_is_noted(column, one))
			continue;
		figure = strchr(column->phrase, '*');
		buf_adds(out, between);
		buf_add(out, column->phrase, (size_t)(figure - column->phrase));
		field_show(out, column, one, m);
		buf_adds(out, figure + 1);
		between = ", ";
	}
}
