#include "agent/tuner/known.h"

#include <math.h>

#include "core/base/json.h"

/* ---- one measurement ------------------------------------------------------- */

static struct error *no_results(void)
{
	return error_new(ERROR_MALFORMED,
			 "it has neither 'results', as T4 has, nor 'cache', as "
			 "a cache file of Kernel Tuner has");
}

static bool has_number(const struct json *v, const char *word)
{
	double n, wanted;
	char *end;

	wanted = strtod(word, &end);
	return json_number(v, &n) && !*end && n == wanted;
}

/* Is the value that of the word? Files have numbers for 16, and true for 1. */
static bool is_value(const struct json *values, const struct tunable *t,
		     size_t index)
{
	const struct json *v = json_get(values, t->name);
	const char *word = t->value[index], *text = json_string(v);
	bool yes = false;

	if (text && !has_number(v, word))
		return str_eq(text, word);
	if (json_get_bool(values, t->name, &yes))
		return str_eq(word, yes ? "1" : "0");
	return has_number(v, word);
}

static bool locate(size_t *point, const struct tunables *space,
		   const struct json *values)
{
	for (size_t i = 0; i < space->n; i++) {
		const struct tunable *t = &space->tunable[i];

		for (point[i] = 0; point[i] < t->n_values; point[i]++)
			if (is_value(values, t, point[i]))
				break;
		if (point[i] == t->n_values)
			return false;
	}
	return tunables_allowed(space, point);
}

static void add(struct known_gains *k, const size_t *point, double gain)
{
	size_t bytes = k->dims * sizeof *point;

	if (k->n == k->cap) {
		k->cap = k->cap ? 2 * k->cap : 64;
		k->point =
			xrealloc(k->point, k->cap * k->dims, sizeof *k->point);
		k->gain = xrealloc(k->gain, k->cap, sizeof *k->gain);
	}
	memcpy(k->point + k->n * k->dims, point, bytes);
	k->gain[k->n++] = gain;
}

/* A time, in whatever unit: only ratios count. NAN: text, or not above 0. */
static double gain_of_time(double time)
{
	/* 1e20 is a failure in older files of Kernel Tuner. */
	return isfinite(time) && time > 0 && time < 1e19 ? -log(time)
							 : (double)NAN;
}

static void add_measured(struct known_gains *k, const struct tunables *space,
			 const struct json *values, double gain)
{
	size_t point[TUNABLES_MAX];

	if (locate(point, space, values))
		add(k, point, gain);
	else
		k->other++;
}

/* ---- T4 ---------------------------------------------------------------------- */

/* NAN: it failed. False: it passed, and has no time. */
static bool gain_of_result(double *gain, const struct json *result)
{
	const struct json *list = json_get(result, "measurements");
	const char *invalidity = "correct", *name;
	double value;

	*gain = (double)NAN;
	json_get_string(result, "invalidity", &invalidity);
	if (!str_eq(invalidity, "correct"))
		return true;
	for (const struct json *m = json_first(list); m; m = json_next(m))
		if (json_get_string(m, "name", &name) && str_eq(name, "time") &&
		    json_get_double(m, "value", &value)) {
			*gain = gain_of_time(value);
			return true;
		}
	return false;
}

static struct error *read_results(struct known_gains *k,
				  const struct tunables *space,
				  const struct json *results)
{
	size_t number = 1;
	double gain;

	for (const struct json *r = json_first(results); r;
	     r = json_next(r), number++) {
		const struct json *values = json_get(r, "configuration");

		if (!values)
			return error_new(ERROR_MALFORMED,
					 "result %zu has no 'configuration'",
					 number);
		if (gain_of_result(&gain, r))
			add_measured(k, space, values, gain);
		else
			k->other++;
	}
	return NULL;
}

/* ---- a cache of Kernel Tuner --------------------------------------------------- */

static void read_cache(struct known_gains *k, const struct tunables *space,
		       const struct json *cache)
{
	for (const struct json *entry = json_first(cache); entry;
	     entry = json_next(entry)) {
		double time = (double)NAN;

		json_get_double(entry, "time", &time);
		add_measured(k, space, entry, gain_of_time(time));
	}
}

/* A cache that Kernel Tuner has not closed ends after a comma. */
static struct error *parse(struct json **out, const char *text, size_t len)
{
	cleanup_buf struct buf closed = BUF_INIT(KNOWN_MAX_BYTES + 8);
	cleanup_error struct error *err = json_parse(out, text, len);
	cleanup_error struct error *again = NULL;

	if (!err)
		return NULL;
	buf_add(&closed, text, len);
	buf_trim_end(&closed);
	if (!closed.len || !strchr(",{}", closed.data[closed.len - 1]))
		return steal(&err);
	if (closed.data[closed.len - 1] == ',')
		closed.data[closed.len - 1] = ' ';
	buf_adds(&closed, "}}");
	again = json_parse(out, closed.data, closed.len);
	/* What is said of the text as it came is clearer. */
	return again ? steal(&err) : NULL;
}

struct error *known_read(struct known_gains *out, const struct tunables *space,
			 const char *text, size_t len)
{
	cleanup_known struct known_gains k = {.dims = space->n};
	cleanup_json struct json *file = NULL;
	const struct json *results, *cache;

	TRY(parse(&file, text, len));
	results = json_get(file, "results");
	cache = json_get(file, "cache");
	if (json_is_array(results))
		TRY(read_results(&k, space, results));
	else if (cache && !json_is_array(cache))
		read_cache(&k, space, cache);
	else
		return no_results();
	*out = k;
	k = (struct known_gains){0};
	return NULL;
}

void known_release(struct known_gains *k)
{
	free(k->point);
	free(k->gain);
	*k = (struct known_gains){0};
}
