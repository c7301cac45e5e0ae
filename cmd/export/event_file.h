/*
 * An event file of TensorBoard: records in the framing of TFRecord, each a
 * message Event of tensorboard/compat/proto/event.proto. Only the fields that a
 * scalar needs are written.
 */
#ifndef CMD_EXPORT_EVENT_FILE_H
#define CMD_EXPORT_EVENT_FILE_H

#include "core/base/buf.h"

/* The first record, which says of which version the file is. */
void event_file_begin(struct buf *out, double wall_seconds);

struct event_scalar {
	const char *tag; /* any text; "a/b" is b in the group a */
	double value;
};
/* A record with these scalars at a step. */
void event_file_add(struct buf *out, double wall_seconds, int64_t step,
		    const struct event_scalar *scalars, size_t n);

#endif
