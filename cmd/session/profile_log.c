#include "cmd/session/profile_log.h"

#include <math.h>

#include "core/base/file.h"

/* A profile has some fifty figures, and is a few KiB of text. */
#define MAX_PROFILE ((size_t)64 << 10)
#define MAX_FACTS   128
#define MAX_WORDS   500

static char *log_name(const char *commit, size_t number)
{
	return xasprintf("profile-%s-%zu.json", commit, number);
}

/* ---- keeping it ---------------------------------------------------------- */

static struct error *keep_in(struct gitstore *g, const char *run,
			     const char *name, const char *dir,
			     const struct json *profile)
{
	cleanup_free char *text = json_print_ascii(profile);
	cleanup_free char *path = xasprintf("%s/%s", dir, name);

	TRY(file_write_private(path, text, strlen(text)));
	return gitstore_log_add_file(g, run, name, path);
}

struct error *profile_log_keep(struct gitstore *g, const char *run,
			       const char *commit, size_t number,
			       const struct json *profile)
{
	const char *under = env_get("TMPDIR");
	cleanup_free char *name = log_name(commit, number);
	cleanup_free char *dir = NULL;
	struct error *err;

	TRY(dir_make_temp(&dir, under ? under : "/tmp", "avogit-profile."));
	err = keep_in(g, run, name, dir, profile);
	error_free(dir_remove(dir));
	return err;
}

/* ---- reading it ---------------------------------------------------------- */

static void take_text(struct json *out, const struct json *from,
		      const char *key)
{
	char text[MAX_WORDS];

	*text = '\0';
	json_copy_string(text, sizeof text, from, key);
	if (*text)
		json_set_string(out, key, text);
}

static struct json *take_facts(const struct json *from)
{
	struct json *facts = json_object();
	size_t n = 0;

	for (const struct json *f = json_first(from); f && n < MAX_FACTS;
	     f = json_next(f), n++) {
		double v;

		if (json_key(f) && json_number(f, &v) && isfinite(v))
			json_set_double(facts, json_key(f), v);
	}
	return facts;
}

static struct json *take_bottlenecks(const struct json *from)
{
	struct json *list = json_array();
	size_t n = 0;

	for (const struct json *b = json_first(from); b && n < 3;
	     b = json_next(b), n++) {
		struct json *one = json_object();

		take_text(one, b, "name");
		take_text(one, b, "figures");
		json_push(list, one);
	}
	return list;
}

static struct json *take(const struct json *from)
{
	struct json *j = json_object();

	take_text(j, from, "case");
	take_text(j, from, "gpu");
	take_text(j, from, "kernel");
	json_set(j, "facts", take_facts(json_get(from, "facts")));
	json_set(j, "bottlenecks",
		 take_bottlenecks(json_get(from, "bottlenecks")));
	return j;
}

static const struct log_info *newest(const struct log_list *logs,
				     const char *name)
{
	const struct log_info *found = NULL;

	for (size_t i = 0; i < logs->n; i++)
		if (str_eq(logs->log[i].name, name) &&
		    (!found || logs->log[i].time > found->time))
			found = &logs->log[i];
	return found;
}

static struct error *read_log(struct json **out, struct gitstore *g,
			      const struct log_info *log)
{
	cleanup_buf struct buf text = BUF_INIT(MAX_PROFILE);
	cleanup_json struct json *j = NULL, *taken = NULL;

	TRY(gitstore_file(&text, g, log->id.hex, log->name));
	TRY(json_parse(&j, text.data, text.len));
	taken = take(j);
	if (!json_len(json_get(taken, "facts")))
		return error_new(ERROR_MALFORMED, "%s has no figure",
				 log->name);
	*out = steal(&taken);
	return NULL;
}

void profile_log_read(struct json **out, struct gitstore *g,
		      const struct log_list *logs, const char *commit,
		      size_t number)
{
	cleanup_free char *name = log_name(commit, number);
	const struct log_info *log = newest(logs, name);

	*out = NULL;
	/* One that is larger would be read whole to find that out. */
	if (log && log->bytes <= MAX_PROFILE)
		error_free(read_log(out, g, log));
}
