#include "cmd/export/event_file.h"

#include "core/base/crc32c.h"

/* Numbers of the fields in event.proto and summary.proto. */
enum {
	EVENT_WALL_TIME = 1,
	EVENT_STEP = 2,
	EVENT_FILE_VERSION = 3,
	EVENT_SUMMARY = 5,
	SUMMARY_VALUE = 1,
	VALUE_TAG = 1,
	VALUE_SIMPLE_VALUE = 2,
};

/* How a field is written in protobuf. */
enum wire_type { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

/* ---- bytes --------------------------------------------------------------- */

/* The lowest byte first, whatever the machine. */
static void add_fixed(struct buf *out, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		buf_addc(out, (char)(value >> 8 * i & 0xff));
}

static void add_varint(struct buf *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		buf_addc(out, (char)((value & 0x7f) | 0x80));
	buf_addc(out, (char)value);
}

static void add_key(struct buf *out, unsigned field, enum wire_type type)
{
	add_varint(out, (uint64_t)field << 3 | type);
}

static void add_bytes(struct buf *out, unsigned field, const void *data,
		      size_t len)
{
	add_key(out, field, WIRE_BYTES);
	add_varint(out, len);
	buf_add(out, data, len);
}

static void add_double(struct buf *out, unsigned field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	add_key(out, field, WIRE_64);
	add_fixed(out, bits, sizeof bits);
}

static void add_float(struct buf *out, unsigned field, double value)
{
	float single = (float)value;
	uint32_t bits;

	memcpy(&bits, &single, sizeof bits);
	add_key(out, field, WIRE_32);
	add_fixed(out, bits, sizeof bits);
}

/* ---- records ------------------------------------------------------------- */

/* TFRecord keeps it so, since the checksum of bytes that hold their own is weak. */
static uint32_t masked(uint32_t crc)
{
	return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

static void add_record(struct buf *out, const struct buf *event)
{
	cleanup_buf struct buf length = BUF_INIT(sizeof(uint64_t));

	add_fixed(&length, event->len, sizeof(uint64_t));
	buf_add(out, length.data, length.len);
	add_fixed(out, masked(crc32c(length.data, length.len)), 4);
	buf_add(out, event->data, event->len);
	add_fixed(out, masked(crc32c(event->data, event->len)), 4);
}

void event_file_begin(struct buf *out, double wall_seconds)
{
	static const char version[] = "brain.Event:2";
	cleanup_buf struct buf event = BUF_INIT(BUF_LIMIT_TEXT);

	add_double(&event, EVENT_WALL_TIME, wall_seconds);
	add_bytes(&event, EVENT_FILE_VERSION, version, strlen(version));
	add_record(out, &event);
}

static void add_scalar(struct buf *summary, const struct event_scalar *s)
{
	cleanup_buf struct buf value = BUF_INIT(summary->limit);

	add_bytes(&value, VALUE_TAG, s->tag, strlen(s->tag));
	add_float(&value, VALUE_SIMPLE_VALUE, s->value);
	add_bytes(summary, SUMMARY_VALUE, value.data, value.len);
}

void event_file_add(struct buf *out, double wall_seconds, int64_t step,
		    const struct event_scalar *scalars, size_t n)
{
	/* Whole: that it is too large shows in `out`, and the checksum is right. */
	cleanup_buf struct buf event = BUF_INIT(SIZE_MAX / 2);
	cleanup_buf struct buf summary = BUF_INIT(SIZE_MAX / 2);

	add_double(&event, EVENT_WALL_TIME, wall_seconds);
	add_key(&event, EVENT_STEP, WIRE_VARINT);
	add_varint(&event, (uint64_t)step);
	for (size_t i = 0; i < n; i++)
		add_scalar(&summary, &scalars[i]);
	add_bytes(&event, EVENT_SUMMARY, summary.data, summary.len);
	add_record(out, &event);
}
