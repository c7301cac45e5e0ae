/*
 * One pass over JSON before cJSON sees it: bounds the depth, refuses NUL and
 * invalid UTF-8, and finds each number, which is handed over as a string that
 * begins with a control character, as no JSON string can. For json.c alone.
 */
#ifndef CORE_BASE_JSON_SCAN_H
#define CORE_BASE_JSON_SCAN_H

#include "core/base/buf.h"

#define JSON_NUMBER_MARK '\1'

/* Adds the text with its numbers marked. */
struct error *json_scan(struct buf *out, const char *text,
			size_t len) MUST_CHECK;
/* RFC 8259's grammar of numbers, which is narrower than strtod's. */
bool json_is_number(const char *s);

#endif
