/*
 * What the tables of keys (keys.h) say, for editors and readers.
 */
#ifndef CORE_TASK_SCHEMA_H
#define CORE_TASK_SCHEMA_H

#include "core/base/buf.h"
#include "core/base/json.h"

/* The JSON Schema (draft 7) of a task file. json_free disposes. */
struct json *task_schema(void) MUST_CHECK;
/* Adds the list of all keys, a table of Markdown for each mapping. */
void task_keys_page(struct buf *out);

#endif
