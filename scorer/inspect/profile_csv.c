#include "scorer/inspect/ncu.h"

#include <errno.h>
#include <math.h>

#include "core/base/buf.h"

struct csv_reader {
	const char *at, *end;
};

/* Reads one field into `out`; `*last`: a line ends after it. A field in quotes
 * may hold any byte, and a quote as two. */
static struct error *read_field(struct buf *out, bool *last,
				struct csv_reader *r)
{
	bool quoted = r->at < r->end && *r->at == '"';

	buf_clear(out);
	r->at += quoted;
	for (;; r->at++) {
		if (r->at == r->end && quoted)
			return error_new(ERROR_MALFORMED,
					 "the profiler's table ends inside a "
					 "quoted field");
		if (r->at == r->end)
			break;
		if (quoted && *r->at == '"') {
			r->at++;
			quoted = r->at < r->end && *r->at == '"';
			if (!quoted)
				break;
		} else if (!quoted && (*r->at == ',' || *r->at == '\n')) {
			break;
		}
		buf_addc(out, *r->at);
	}
	if (r->at < r->end && *r->at == '\r')
		r->at++;
	*last = r->at == r->end || *r->at == '\n';
	if (r->at < r->end && *r->at != ',' && *r->at != '\n')
		return error_new(ERROR_MALFORMED,
				 "the profiler's table has text after a "
				 "quoted field");
	r->at += r->at < r->end;
	if (!out->truncated)
		return NULL;
	return error_new(ERROR_TOO_BIG,
			 "the profiler's table has a field over %d bytes",
			 CAPTURE_MAX_FIELD);
}

static void skip_line(struct csv_reader *r)
{
	const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));

	r->at = end ? end + 1 : r->end;
}

static bool looking_at(const struct csv_reader *r, const char *word)
{
	size_t len = strlen(word);

	return (size_t)(r->end - r->at) >= len && memcmp(r->at, word, len) == 0;
}

/* ---- numbers ------------------------------------------------------------- */

/* The factor of a unit's prefix: of "Kbyte/second", "us", "Ghz". */
static double unit_scale(const char *unit)
{
	static const struct {
		const char *unit;
		double scale;
	} scales[] = {
		{"ns", 1e-9},	   {"us", 1e-6},      {"ms", 1e-3},
		{"nsecond", 1e-9}, {"usecond", 1e-6}, {"msecond", 1e-3},
		{"Kbyte", 1e3},	   {"Mbyte", 1e6},    {"Gbyte", 1e9},
		{"Tbyte", 1e12},   {"Khz", 1e3},      {"Mhz", 1e6},
		{"Ghz", 1e9},	   {"KB", 1e3},	      {"MB", 1e6},
		{"GB", 1e9},	   {"TB", 1e12},
	};
	size_t len = strcspn(unit, "/");

	for (size_t i = 0; i < ARRAY_SIZE(scales); i++)
		if (strlen(scales[i].unit) == len &&
		    strncmp(scales[i].unit, unit, len) == 0)
			return scales[i].scale;
	return 1;
}

/* "1,234.5" without the commas; false if a comma is not a separator. */
static bool drop_separators(char *out, size_t size, const char *text)
{
	size_t n = 0, run = 0;
	bool grouped = false;

	for (; *text && *text != '.' && n + 1 < size; text++) {
		if (*text != ',') {
			run++;
			out[n++] = *text;
			continue;
		}
		if (run == 0 || run > 3 + (size_t)(*out == '-') ||
		    (grouped && run != 3))
			return false;
		grouped = true;
		run = 0;
	}
	if (grouped && run != 3)
		return false;
	while (*text && n + 1 < size)
		out[n++] = *text++;
	out[n] = '\0';
	return !*text;
}

/* A metric with instances reads "5.2 (1; 2; 3)": the first is the whole. */
static double number(const char *field)
{
	cleanup_free char *text = xstrndup(field, strcspn(field, " ("));
	char digits[64], *end;
	double v;

	if (!*text || text[strspn(text, "-+.,0123456789eE")] ||
	    !drop_separators(digits, sizeof digits, text))
		return NAN;
	errno = 0;
	v = strtod(digits, &end);
	return end == digits || *end || errno == ERANGE || !isfinite(v) ? NAN
									: v;
}

/* ---- lines --------------------------------------------------------------- */

static struct error *read_names(struct profile_capture *c, struct csv_reader *r)
{
	cleanup_buf struct buf field = BUF_INIT(CAPTURE_MAX_FIELD);
	size_t cap = 0;
	bool last = false;

	while (!last) {
		TRY(read_field(&field, &last, r));
		if (c->n_columns == CAPTURE_MAX_COLUMNS)
			return error_new(ERROR_TOO_BIG,
					 "the profiler's table has over %d "
					 "columns",
					 CAPTURE_MAX_COLUMNS);
		GROW(c->column, c->n_columns, cap);
		c->column[c->n_columns++] = xstrdup(field.data);
	}
	return NULL;
}

static struct error *read_scales(double *scale, const struct profile_capture *c,
				 struct csv_reader *r)
{
	cleanup_buf struct buf field = BUF_INIT(CAPTURE_MAX_FIELD);
	bool last = false;
	size_t i = 0;

	for (; !last; i++) {
		TRY(read_field(&field, &last, r));
		if (i < c->n_columns)
			scale[i] = unit_scale(field.data);
	}
	if (i == c->n_columns)
		return NULL;
	return error_new(ERROR_MALFORMED,
			 "the profiler's table has %zu names and %zu units",
			 c->n_columns, i);
}

static struct error *read_kernel(struct profile_capture *c, const double *scale,
				 struct csv_reader *r)
{
	cleanup_buf struct buf field = BUF_INIT(CAPTURE_MAX_FIELD);
	struct captured_kernel *k = &c->kernel[c->n_kernels];
	bool last = false;
	size_t i = 0;

	if (c->n_kernels == CAPTURE_MAX_KERNELS)
		return error_new(ERROR_TOO_BIG,
				 "the profiler's table has over %d kernels",
				 CAPTURE_MAX_KERNELS);
	c->n_kernels++;
	k->value = xcalloc(c->n_columns, sizeof *k->value);
	for (; !last; i++) {
		TRY(read_field(&field, &last, r));
		if (i >= c->n_columns)
			continue;
		k->value[i] = scale[i] * number(field.data);
		if (!k->name && str_eq(c->column[i], "Kernel Name"))
			k->name = xstrdup(field.data);
	}
	if (i != c->n_columns || !k->name)
		return error_new(ERROR_MALFORMED,
				 "line %zu of the profiler's table has %zu "
				 "fields, its header %zu",
				 c->n_kernels, i, c->n_columns);
	return NULL;
}

/* A metric has "__" in its name: gpu__time_duration.sum. */
static bool has_numbers(const struct profile_capture *c)
{
	for (size_t k = 0; k < c->n_kernels; k++)
		for (size_t i = 0; i < c->n_columns; i++)
			if (strstr(c->column[i], "__") &&
			    !isnan(c->kernel[k].value[i]))
				return true;
	return false;
}

static struct error *parse(struct profile_capture *c, struct csv_reader *r)
{
	cleanup_free double *scale = NULL;

	while (r->at < r->end && !looking_at(r, "\"ID\","))
		skip_line(r);
	if (r->at == r->end)
		return error_new(ERROR_NOT_FOUND,
				 "the profiler printed no table");
	TRY(read_names(c, r));
	scale = xcalloc(c->n_columns, sizeof *scale);
	TRY(read_scales(scale, c, r));
	while (r->at < r->end) {
		if (*r->at == '"')
			TRY(read_kernel(c, scale, r));
		else
			skip_line(r);
	}
	if (!has_numbers(c))
		return error_new(ERROR_NOT_FOUND,
				 "the profiler captured nothing: %zu kernels, "
				 "and no metric of any has a value",
				 c->n_kernels);
	return NULL;
}

struct error *capture_parse(struct profile_capture *out, const char *text,
			    size_t len)
{
	cleanup_capture struct profile_capture c = {0};
	struct csv_reader r = {text, text + len};

	TRY(parse(&c, &r));
	*out = c;
	c = (struct profile_capture){0};
	return NULL;
}

double capture_value(const struct profile_capture *c, size_t kernel,
		     const char *metric)
{
	if (kernel >= c->n_kernels)
		return NAN;
	for (size_t i = 0; i < c->n_columns; i++)
		if (str_eq(c->column[i], metric))
			return c->kernel[kernel].value[i];
	return NAN;
}

void capture_release(struct profile_capture *c)
{
	for (size_t i = 0; i < c->n_columns; i++)
		free(c->column[i]);
	free(c->column);
	for (size_t i = 0; i < c->n_kernels; i++) {
		free(c->kernel[i].name);
		free(c->kernel[i].value);
	}
	*c = (struct profile_capture){0};
}
