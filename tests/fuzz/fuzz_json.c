/* JSON as the wrapper of cJSON and the text cutter take it: what one prints
 * the other takes, and every value that is walked lies inside the text. */
#include "core/base/json_text.h"
#include "core/base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(struct json_text v)
{
	struct json_text key, value;
	cleanup_free char *text = json_text_string(v);
	size_t at = 0;
	int64_t n;

	json_text_int(v, &n);
	while (json_text_next(v, &at, &key, &value)) {
		struct json_text none = {0};

		if (value.p < v.p || value.p + value.len > v.p + v.len)
			abort();
		if (json_text_check(&none, value.p, value.len))
			abort();
		walk(value);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Exactly as long: a byte read beyond is a fault. */
	cleanup_free char *text =
		xmemdup(size ? (const void *)data : "", MAX(size, 1));
	struct json_text v = {0}, again = {0};
	cleanup_json struct json *parsed = NULL;
	cleanup_error struct error *strict = json_parse(&parsed, text, size);
	cleanup_error struct error *err = json_text_check(&v, text, size);

	if (!err && size < 2000)
		walk(v);
	if (!strict) {
		cleanup_free char *printed = json_print(parsed);

		if (json_text_check(&again, printed, strlen(printed)))
			abort();
	}
	return 0;
}
