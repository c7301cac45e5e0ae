#include "core/run/saved_step.h"

#include <inttypes.h>

#define FORMAT 1

void saved_step_release(struct saved_step *s)
{
	fileset_release(&s->sources);
	free(s->operator_name);
	free(s->state);
	*s = (struct saved_step){0};
}

/* ---- writing ------------------------------------------------------------- */

static char *hex_of(const char *data, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	char *out = xcalloc(2 * len + 1, 1);

	for (size_t i = 0; i < len; i++) {
		out[2 * i] = digits[(unsigned char)data[i] >> 4];
		out[2 * i + 1] = digits[(unsigned char)data[i] & 15];
	}
	return out;
}

static struct json *sources_to_json(const struct fileset *sources)
{
	struct json *all = json_array();

	for (size_t i = 0; i < sources->n; i++) {
		const struct file_entry *f = &sources->file[i];
		struct json *j = json_object();
		cleanup_free char *hex = hex_of(f->data, f->len);

		json_set_string(j, "path", f->path);
		json_set_bool(j, "executable", f->executable);
		json_set_string(j, "data", hex);
		json_push(all, j);
	}
	return all;
}

char *saved_step_print(const struct saved_step *s)
{
	cleanup_json struct json *j = json_object();
	cleanup_free char *seed = xasprintf("%" PRIu64, s->seed);

	json_set_int(j, "format", FORMAT);
	json_set_int(j, "lineage", s->lineage);
	json_set_string(j, "after", s->after.hex);
	json_set_string(j, "seed", seed);
	json_set_int(j, "attempts", (int64_t)s->attempts);
	json_set_int(j, "time_us", s->time_us);
	json_set_double(j, "seconds", s->seconds);
	if (!spend_is_zero(&s->spend))
		json_set(j, "spend", spend_to_json(&s->spend));
	json_set_string(j, "operator", s->operator_name);
	json_set(j, "sources", sources_to_json(&s->sources));
	json_set_string(j, "state", s->state);
	return json_print(j);
}

/* ---- reading ------------------------------------------------------------- */

static int digit_of(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
				      : -1;
}

static bool from_hex(struct buf *out, const char *hex)
{
	for (; *hex; hex += 2) {
		int high = digit_of(hex[0]);
		int low = high < 0 ? -1 : digit_of(hex[1]);

		if (low < 0)
			return false;
		buf_addc(out, (char)(high << 4 | low));
	}
	return !out->truncated;
}

static struct error *malformed(void)
{
	return error_new(ERROR_MALFORMED, "a saved step cannot be read");
}

static struct error *read_sources(struct fileset *out, const struct json *all)
{
	for (size_t i = 0; i < json_len(all); i++) {
		const struct json *j = json_at(all, i);
		cleanup_buf struct buf data = BUF_INIT(FILESET_MAX_BYTES);
		const char *path, *hex;
		bool executable = false;

		if (!json_get_string(j, "path", &path) ||
		    !json_get_string(j, "data", &hex) ||
		    !json_get_bool(j, "executable", &executable) ||
		    !from_hex(&data, hex))
			return malformed();
		TRY(fileset_put(out, path, data.data, data.len, executable));
	}
	return NULL;
}

static bool read_numbers(struct saved_step *s, const struct json *j)
{
	int64_t format = 0, attempts = 0;
	const char *seed = NULL, *after = NULL;

	if (!json_get_int(j, "format", &format) || format != FORMAT ||
	    !json_get_int(j, "lineage", &s->lineage) ||
	    !json_get_int(j, "attempts", &attempts) || attempts < 1 ||
	    !json_get_int(j, "time_us", &s->time_us) ||
	    !json_get_double(j, "seconds", &s->seconds) || !(s->seconds >= 0) ||
	    !json_get_string(j, "seed", &seed) ||
	    !json_get_string(j, "after", &after))
		return false;
	s->attempts = (size_t)attempts;
	s->seed = strtoull(seed, NULL, 10);
	s->after = commit_id(after);
	return true;
}

struct error *saved_step_parse(struct saved_step *out, const char *text,
			       size_t len)
{
	cleanup_saved_step struct saved_step s = {.there = true};
	cleanup_json struct json *j = NULL;

	TRY(json_parse(&j, text, len));
	if (!read_numbers(&s, j))
		return malformed();
	spend_from_json(&s.spend, json_get(j, "spend"));
	s.operator_name = json_dup_string(j, "operator");
	s.state = json_dup_string(j, "state");
	if (!s.operator_name || !s.state)
		return malformed();
	TRY(read_sources(&s.sources, json_get(j, "sources")));
	*out = s;
	s = (struct saved_step){0};
	return NULL;
}
