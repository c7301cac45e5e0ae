#include "cmd/import/values.h"

#include <inttypes.h>
#include <math.h>

#include "cmd/import/definition.h"
#include "core/base/strvec.h"

#define LARGEST (INT64_C(1) << 40)

static struct error *wrong(const char *name, const char *what)
{
	return error_new(ERROR_USAGE, "import: --values: %.60s %s", name, what);
}

/* The pieces between separators, without empty ones. */
static void split(struct strvec *out, const char *text, char separator)
{
	while (*text) {
		const char *end = strchr(text, separator);
		size_t len = end ? (size_t)(end - text) : strlen(text);

		if (len)
			strvec_pushf(out, "%.*s", (int)len, text);
		text += len + (end != NULL);
	}
}

static bool read_size(int64_t *out, const char *text)
{
	char *end;

	if (*text < '1' || *text > '9')
		return false;
	*out = strtoll(text, &end, 10);
	return *end == '\0' && *out <= LARGEST;
}

static bool is_varying(const struct json *axis)
{
	const char *type;

	return json_get_string(axis, "type", &type) && str_eq(type, "var");
}

/* The sizes of an axis, into that member of every case. */
static struct error *set_sizes(struct json *lists, const char *name,
			       const char *text)
{
	cleanup_strvec struct strvec all = STRVEC_INIT;
	cleanup_json struct json *sizes = json_array();

	split(&all, text, ',');
	if (!all.n || all.n > DEFINITION_CASES)
		return wrong(name, "takes one to eight sizes, with commas "
				   "between them");
	for (size_t i = 0; i < all.n; i++) {
		int64_t size;

		if (!read_size(&size, all.v[i]))
			return wrong(name, "takes sizes that are whole numbers "
					   "above 0");
		json_push_double(sizes, (double)size);
	}
	json_set(lists, name, sizes);
	sizes = NULL;
	return NULL;
}

static struct error *set_number(struct json *numbers, const char *name,
				const char *text)
{
	struct json *one = json_object();
	char *end;
	double value = strtod(text, &end);

	json_set(numbers, name, one);
	json_set_string(one, "type", "scalar");
	if (str_eq(text, "True") || str_eq(text, "False"))
		json_set_bool(one, "value", str_eq(text, "True"));
	else if (end != text && *end == '\0' && isfinite(value))
		json_set_double(one, "value", value);
	else
		return wrong(name, "is a number among the inputs, and takes "
				   "one");
	return NULL;
}

/* "0..63" of an input of integers. */
static bool read_range(int64_t *low, int64_t *high, const char *text)
{
	char *end;

	*low = strtoll(text, &end, 10);
	if (end == text || !starts_with(end, "..") || *low < -LARGEST)
		return false;
	text = end + 2;
	*high = strtoll(text, &end, 10);
	return end != text && *end == '\0' && *low <= *high && *high <= LARGEST;
}

static struct error *set_range(struct json *numbers, const char *name,
			       const char *text, const struct json *input)
{
	struct json *one;
	int64_t low, high;
	const char *type = "";

	json_get_string(input, "dtype", &type);
	if (!starts_with(type, "int") || !read_range(&low, &high, text))
		return wrong(name, "is a tensor, which import fills itself: of "
				   "integers it takes a range LOW..HIGH");
	one = json_object();
	json_set(numbers, name, one);
	json_set_string(one, "type", "random");
	json_set_int(one, "low", low);
	json_set_int(one, "high", high);
	return NULL;
}

static struct error *take_word(struct json *lists, struct json *numbers,
			       const char *word, const struct json *axes,
			       const struct json *inputs)
{
	size_t len = strcspn(word, "=");
	cleanup_free char *name = xstrndup(word, len);
	const struct json *axis = json_get(axes, name),
			  *input = json_get(inputs, name);
	const char *text = word + len + 1;

	if (!word[len])
		return wrong(word, "is not of the form NAME=VALUE");
	if (is_varying(axis))
		return set_sizes(lists, name, text);
	if (axis)
		return wrong(name, "is a constant of the Definition");
	if (!input)
		return wrong(name, "is neither an axis nor an input of the "
				   "Definition");
	if (!json_is_null(json_get(input, "shape")))
		return set_range(numbers, name, text, input);
	return set_number(numbers, name, text);
}

static struct error *count_cases(size_t *out, const struct json *lists)
{
	*out = 1;
	for (size_t i = 0; i < json_len(lists); i++) {
		size_t n = json_len(json_at(lists, i));

		if (n != 1 && *out != 1 && n != *out)
			return wrong(json_key(json_at(lists, i)),
				     "has another number of sizes than an axis "
				     "before it");
		*out = n == 1 ? *out : n;
	}
	return NULL;
}

static struct json *workload(const struct json *lists,
			     const struct json *numbers, size_t at)
{
	struct json *one = json_object(), *axes = json_object();

	json_set(one, "axes", axes);
	json_set(one, "inputs", json_dup(numbers));
	for (size_t i = 0; i < json_len(lists); i++) {
		const struct json *sizes = json_at(lists, i);
		double size = 0;

		json_number(json_at(sizes, json_len(sizes) == 1 ? 0 : at),
			    &size);
		json_set_int(axes, json_key(sizes), (int64_t)size);
	}
	return one;
}

struct error *values_read(struct json **out, const char *text,
			  const struct json *axes, const struct json *inputs)
{
	cleanup_strvec struct strvec words = STRVEC_INIT;
	cleanup_json struct json *lists = json_object(),
				 *numbers = json_object();
	size_t n;

	split(&words, text, ' ');
	for (size_t i = 0; i < words.n; i++)
		TRY(take_word(lists, numbers, words.v[i], axes, inputs));
	TRY(count_cases(&n, lists));
	*out = json_array();
	for (size_t c = 0; c < n; c++)
		json_push(*out, workload(lists, numbers, c));
	return NULL;
}
