/* An answer of a runner of another language, which shares its process with a
 * candidate: what is read of it is one line and bounded, whatever it is. */
#include <ctype.h>

#include "scorer/host/runner_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const union runner_reply *reply, const struct runner *r)
{
	const char *why = reply->refused.text;

	if (reply->head.sequence != r->sequence)
		abort();
	if (r->said.len > RUNNER_OUTPUT_LIMIT)
		abort();
	if (reply->head.kind != MESSAGE_REFUSED)
		return;
	if (strlen(why) >= sizeof reply->refused.text)
		abort();
	for (; *why; why++)
		if (iscntrl((unsigned char)*why))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct runner r = {.sequence = 2};
	union runner_reply reply;

	buf_init(&r.said, RUNNER_OUTPUT_LIMIT);
	for (int i = 0; i < 2; i++)
		if (size <= RUNNER_PACKET &&
		    runner_json_read(&reply, &r, (const char *)data, size))
			check(&reply, &r);
	free(r.versions);
	buf_release(&r.said);
	return 0;
}
