/* Tables of Nsight Compute and Nsight Systems: comma-separated, with messages of
 * the tools before and between. */
#include "cmd/scan/hot.h"

#include <math.h>

#include "core/base/strvec.h"

/* Takes a line's fields; a field in quotes may hold commas, and a quote as two. A
 * line end ends a field in any case, so that damage stays in its line. */
static void take_fields(struct strvec *out, const char **at)
{
	bool last = false;

	while (!last) {
		cleanup_buf struct buf field = BUF_INIT(4096);
		bool quoted = **at == '"';

		*at += quoted;
		for (; **at && **at != '\n'; (*at)++) {
			if (quoted && **at == '"' && (*at)[1] == '"')
				(*at)++;
			else if (**at == '"' && quoted)
				quoted = false;
			else if (**at == ',' && !quoted)
				break;
			if (**at != '\r' && !(**at == '"' && !quoted))
				buf_addc(&field, **at);
		}
		last = **at != ',';
		*at += **at != '\0';
		strvec_push(out, field.data);
	}
}

static size_t column_of(const struct strvec *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (str_eq(names->v[i], name))
			return i;
	return SIZE_MAX;
}

/* "1,234.5"; NAN if it is none. */
static double number_in(const struct strvec *fields, size_t column)
{
	cleanup_buf struct buf digits = BUF_INIT(64);
	char *end;
	double v;

	if (column >= fields->n)
		return NAN;
	for (const char *c = fields->v[column]; *c; c++)
		if (*c != ',')
			buf_addc(&digits, *c);
	v = strtod(digits.data, &end);
	return digits.len && !*end && isfinite(v) ? v : NAN;
}

/* In nanoseconds; ncu has a line of units below its header. */
static double unit_of(const struct strvec *units, size_t column)
{
	const char *unit = column < units->n ? units->v[column] : "";

	if (starts_with(unit, "us"))
		return 1e3;
	if (starts_with(unit, "ms"))
		return 1e6;
	return str_eq(unit, "s") || str_eq(unit, "second") ? 1e9 : 1;
}

struct kernel_table {
	size_t name, time, arithmetic, memory; /* columns */
	double unit;
};

static bool find_columns(struct kernel_table *t, const struct strvec *names)
{
	*t = (struct kernel_table){
		.name = column_of(names, "Kernel Name"),
		.time = column_of(names, "gpu__time_duration.sum"),
		.arithmetic = column_of(names, "sm__throughput.avg.pct_of_peak_"
					       "sustained_elapsed"),
		.memory = column_of(names,
				    "gpu__compute_memory_throughput.avg.pct_of_"
				    "peak_sustained_elapsed"),
		.unit = 1,
	};
	if (t->name == SIZE_MAX)
		t->name = column_of(names, "Name");
	if (t->time == SIZE_MAX)
		t->time = column_of(names, "Total Time (ns)");
	return t->name != SIZE_MAX && t->time != SIZE_MAX;
}

static void add_kernel(struct hot_list *out, const struct kernel_table *t,
		       const struct strvec *fields)
{
	double most = fmax(number_in(fields, t->arithmetic),
			   number_in(fields, t->memory));

	if (t->name < fields->n)
		hot_add(out, fields->v[t->name], NULL,
			number_in(fields, t->time) * t->unit, most / 100);
}

void parse_kernels(struct hot_list *out, const char *text)
{
	struct kernel_table table = {0};
	bool has_header = false, has_units = true;

	out->is_time = true;
	for (const char *at = text; *at;) {
		cleanup_strvec struct strvec fields = STRVEC_INIT;

		take_fields(&fields, &at);
		if (!has_header) {
			has_header = find_columns(&table, &fields);
			has_units = table.arithmetic == SIZE_MAX &&
				    table.memory == SIZE_MAX;
			continue;
		}
		if (isnan(number_in(&fields, table.time)) && !has_units)
			table.unit = unit_of(&fields, table.time);
		has_units = true;
		add_kernel(out, &table, &fields);
	}
}
