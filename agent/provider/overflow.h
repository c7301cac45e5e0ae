/*
 * Recognizes a refusal that says: the conversation is longer than the model's
 * context. Each server says it in its own words; the table of them is in
 * overflow.c.
 */
#ifndef AGENT_PROVIDER_OVERFLOW_H
#define AGENT_PROVIDER_OVERFLOW_H

#include "core/base/json_text.h"

/* `status` as in HTTP. `message` may be NULL, and so may `kind`, the words of
 * the server's own for the error (overflow_kind). */
bool overflow_is_full(int status, const char *kind, const char *message);
/* The members `type`, `code` and `status` of an error's body, or of its member
 * `error`, one after the other: "invalid_request_error
 * context_length_exceeded". free() disposes. */
char *overflow_kind(struct json_text body) MUST_CHECK;

#endif
