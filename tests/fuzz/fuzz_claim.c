/* A claim out of one note held against the measurement in another: the two
 * notes stand in the input, an empty line between them. */
#include "cmd/session/claim.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_claim(const struct measurement *m, void *arg)
{
	(void)arg;
	return claim_is(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_free char *note = xstrndup((const char *)data, size);
	char *second = strstr(note, "\n\n");
	cleanup_measurement struct measurement *claim = NULL, *today = NULL;
	cleanup_strvec struct strvec points = STRVEC_INIT;
	bool holds = true;

	if (second)
		*second = '\0';
	claim = measurement_note_find(note, is_claim, NULL);
	today = measurement_note_latest(second ? second + 2 : note, NULL);
	if (!claim || !today)
		return 0;
	if (measurement_get(claim, CLAIM_KEY))
		abort();
	holds = claim_holds(&points, claim, today, NULL);
	for (size_t i = 0; i < points.n; i++) {
		if (starts_with(points.v[i], "fails: ") && holds)
			abort();
	}
	return 0;
}
