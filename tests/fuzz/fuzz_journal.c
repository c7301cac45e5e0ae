/* An entry of a journal as another clone may have written it: what is read
 * and written again reads the same. */
#include "core/run/journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *read_and_print(const struct json *j)
{
	cleanup_entry struct entry e;
	cleanup_json struct json *again = NULL;
	cleanup_free char *subject = NULL;
	struct error *err;

	entry_init(&e, ENTRY_STOP, "");
	err = journal_from_json(&e, j);
	if (err) {
		error_free(err);
		return NULL;
	}
	subject = journal_subject(&e);
	again = journal_to_json(&e);
	return json_print(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_free char *text = xstrndup((const char *)data, size);
	cleanup_json struct json *j = NULL, *k = NULL;
	cleanup_error struct error *err = json_parse(&j, text, strlen(text));
	cleanup_error struct error *second = NULL;
	cleanup_free char *once = err ? NULL : read_and_print(j);
	cleanup_free char *twice = NULL;

	if (!once)
		return 0;
	second = json_parse(&k, once, strlen(once));
	twice = second ? NULL : read_and_print(k);
	if (!twice || !str_eq(once, twice))
		abort();
	return 0;
}
