/* Reading the workspace's files, and writing those that are sources. */
#include <inttypes.h>
#include <regex.h>
#include <sys/stat.h>

#include "agent/tools/internal.h"

#define VIEW_LINES	400
#define VIEW_LINES_MAX	2000
#define SEARCH_FILE_MAX ((size_t)1 << 20)
#define SEARCH_HITS	200
#define SEARCH_PATTERN	1000
#define SEARCH_BYTES	((size_t)64 << 20)
#define REPEATS_MAX	1000
#define FILE_MAX	((size_t)2 << 20)

bool tool_is_source(const struct toolbox *b, const char *path)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;

	task_source_patterns(&patterns, b->v->task);
	return path_matches(path, &patterns);
}

bool tool_may_write(struct tool_reply *out, const struct toolbox *b,
		    const char *path)
{
	cleanup_buf struct buf sources = BUF_INIT(1024);

	if (path_is_safe(path) && tool_is_source(b, path))
		return true;
	task_brief_sources(&sources, b->v->task);
	tool_fail(out,
		  "'%.200s' is none of the task's sources: what may be changed "
		  "is %s",
		  path, sources.data);
	return false;
}

/* ---- view ---------------------------------------------------------------- */

static void add_item(struct buf *out, const struct toolbox *b,
		     const struct folder_item *item)
{
	if (S_ISREG(item->mode))
		buf_addf(out, "%10jd  %s%s\n", (intmax_t)item->size, item->path,
			 tool_is_source(b, item->path) ? "  (source)" : "");
	else
		buf_addf(out, "%10s  %s\n",
			 S_ISLNK(item->mode) ? "link" : "special", item->path);
}

static struct error *view_folder(struct tool_reply *out, struct toolbox *b,
				 const char *path)
{
	cleanup_folder_list struct folder_list l = {0};

	TRY(folder_list(&l, b->dir, path));
	for (size_t i = 0; i < l.n; i++)
		add_item(&out->text, b, &l.item[i]);
	if (!l.n)
		buf_adds(&out->text, "it is empty\n");
	if (l.truncated)
		buf_addf(&out->text, "... and more than %d files\n",
			 FOLDER_LIST_MAX);
	return NULL;
}

static void add_numbered(struct buf *out, const struct buf *text, int64_t from,
			 int64_t to)
{
	const char *p = text->data, *end = p + text->len;
	int64_t line = 1, last = 0;

	for (; p < end; line++) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((stop ? stop : end) - p);

		if (line >= from && line <= to) {
			buf_addf(out, "%6" PRId64 "\t", line);
			buf_add(out, p, len);
			buf_addc(out, '\n');
			last = line;
		}
		p = stop ? stop + 1 : end;
	}
	line--;
	if (!last)
		buf_addf(out, "it has %" PRId64 " lines\n", line);
	else if (from > 1 || last < line)
		buf_addf(out,
			 "(lines %" PRId64 " to %" PRId64 " of %" PRId64 ")\n",
			 from, last, line);
}

TOOL_FUNCTION(tool_view)
{
	const char *path = tool_string(arguments, "path");
	cleanup_buf struct buf text = BUF_INIT(TOOL_WHOLE_MAX);
	int64_t from = tool_int(arguments, "from", 1, 1, INT32_MAX);
	int64_t to = tool_int(arguments, "to", from + VIEW_LINES - 1, from,
			      from + VIEW_LINES_MAX);
	struct error *err;

	if (str_eq(path, "."))
		path = "";
	if (!*path || folder_is_folder(b->dir, path))
		return tool_mend(out, view_folder(out, b, path));
	err = folder_read(&text, b->dir, path);
	if (!err)
		add_numbered(&out->text, &text, from, to);
	return tool_mend(out, err);
}

/* ---- search -------------------------------------------------------------- */

struct file_search {
	regex_t regex;
	struct buf *out;
	size_t hits;
	size_t bytes; /* bytes searched so far */
};

/* glibc could use all memory or run without end on these patterns: nested large
 * repetitions, and back references. */
static bool is_costly(const char *pattern)
{
	unsigned long product = 1;

	for (const char *p = pattern; *p; p++) {
		char *end;

		if (*p == '\\' && p[1] >= '1' && p[1] <= '9')
			return true;
		if (*p == '\\' && p[1])
			p++;
		else if (*p == '{' || *p == ',') {
			unsigned long n = strtoul(p + 1, &end, 10);

			product *= n > 1 ? MIN(n, 100000ul) : 1;
		}
		if (product > REPEATS_MAX)
			return true;
	}
	return false;
}

static void search_text(struct file_search *s, const char *path, char *text)
{
	char *line = text, *stop;

	for (size_t n = 1; line && *line; n++, line = stop ? stop + 1 : NULL) {
		stop = strchr(line, '\n');
		if (stop)
			*stop = '\0';
		if (regexec(&s->regex, line, 0, NULL, 0) != 0)
			continue;
		if (++s->hits <= SEARCH_HITS)
			buf_addf(s->out, "%s:%zu: %.400s\n", path, n, line);
	}
}

/* Skips a file that cannot be read or is not text. */
static void search_file(struct file_search *s, const char *dir,
			const char *path)
{
	cleanup_buf struct buf text = BUF_INIT(SEARCH_FILE_MAX);
	cleanup_error struct error *err = folder_read(&text, dir, path);

	s->bytes += text.len;
	if (!err && !memchr(text.data, '\0', text.len))
		search_text(s, path, text.data);
}

static struct error *search_below(struct file_search *s, const char *dir,
				  const char *path)
{
	cleanup_folder_list struct folder_list l = {0};

	if (*path && !folder_is_folder(dir, path)) {
		search_file(s, dir, path);
		return NULL;
	}
	TRY(folder_list(&l, dir, path));
	for (size_t i = 0; i < l.n && s->bytes < SEARCH_BYTES; i++)
		if (S_ISREG(l.item[i].mode) &&
		    !starts_with(l.item[i].path, TOOL_FOLDER "/"))
			search_file(s, dir, l.item[i].path);
	return NULL;
}

TOOL_FUNCTION(tool_search)
{
	const char *pattern = tool_string(arguments, "pattern");
	struct file_search s = {.out = &out->text};
	bool ignore_case = false;
	char why[200];
	struct error *err;
	int rc;

	json_get_bool(arguments, "ignore_case", &ignore_case);
	if (strlen(pattern) > SEARCH_PATTERN) {
		tool_fail(out, "the pattern is longer than %d bytes",
			  SEARCH_PATTERN);
		return NULL;
	}
	if (is_costly(pattern)) {
		tool_fail(out,
			  "no references back (\\1) and no more than %d "
			  "repetitions in all ({n}): search for less",
			  REPEATS_MAX);
		return NULL;
	}
	rc = regcomp(&s.regex, pattern,
		     REG_EXTENDED | REG_NOSUB | (ignore_case ? REG_ICASE : 0));
	if (rc) {
		regerror(rc, &s.regex, why, sizeof why);
		tool_fail(out, "the pattern is not a regular expression: %s",
			  why);
		return NULL;
	}
	err = search_below(&s, b->dir, tool_string(arguments, "path"));
	regfree(&s.regex);
	if (s.bytes >= SEARCH_BYTES)
		buf_addf(&out->text,
			 "... only the first %zu MiB were looked at\n",
			 SEARCH_BYTES >> 20);
	if (s.hits > SEARCH_HITS)
		buf_addf(&out->text, "... %zu more lines match\n",
			 s.hits - SEARCH_HITS);
	else if (!s.hits)
		buf_adds(&out->text, "nothing matches\n");
	return tool_mend(out, err);
}

/* ---- write --------------------------------------------------------------- */

TOOL_FUNCTION(tool_write)
{
	const char *path = tool_string(arguments, "path");
	const char *text = tool_string(arguments, "text");
	size_t len = strlen(text);

	if (!tool_may_write(out, b, path))
		return NULL;
	if (len > FILE_MAX) {
		tool_fail(out, "a source is at most %zu MiB", FILE_MAX >> 20);
		return NULL;
	}
	buf_addf(&out->text, "wrote %zu bytes to %s\n", len, path);
	return tool_mend(out, folder_write(b->dir, path, text, len, false));
}
