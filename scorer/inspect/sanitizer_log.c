#include "scorer/inspect/sanitizer.h"

#include <errno.h>

#include "core/base/buf.h"
#include "core/base/text.h"

#define PREFIX	 "========="
#define MOST	 INT64_C(1000000000000)
#define DETAILS	 5		/* of a finding: lines in the sentence */
#define MAX_LINE ((size_t)4096) /* a longer line is cut */

/* The kind of record that a title begins. */
enum sanitizer_log_record {
	RECORD_NONE,
	RECORD_FINDING,
	RECORD_UNKNOWN, /* a finding, if it names a place */
	RECORD_OTHER,
};

struct sanitizer_log_reader {
	struct findings *out;
	struct buf sentence; /* of the finding that is being read */
	enum sanitizer_log_record record;
	size_t details;
	int64_t seen;	 /* findings */
	int64_t counted; /* by a summary */
};

void findings_release(struct findings *f)
{
	free(f->first);
	free(f->trouble);
	*f = (struct findings){0};
}

/* ---- words --------------------------------------------------------------- */

static char *printable(const char *line, size_t len)
{
	struct buf b = BUF_INIT(FINDINGS_SENTENCE);

	text_add_line(&b, line, len);
	return buf_take(&b);
}

/* The number after a word, if there is one: "ERROR SUMMARY: 12 errors". */
static bool number_behind(int64_t *out, const char *line, const char *word)
{
	const char *at = strstr(line, word);
	char *end;
	long long n;

	if (!at)
		return false;
	at += strlen(word);
	at += strspn(at, " ");
	if (*at < '0' || *at > '9')
		return false;
	errno = 0;
	n = strtoll(at, &end, 10);
	*out = errno || n > MOST ? MOST : n;
	return true;
}

/* ---- titles -------------------------------------------------------------- */

static bool begins_with_any(const char *line, const char *const *words)
{
	for (; *words; words++)
		if (starts_with(line, *words))
			return true;
	return false;
}

static bool is_finding(const char *title)
{
	static const char *const words[] = {"Invalid ",
					    "Uninitialized ",
					    "Barrier error",
					    "Error: Race",
					    "ERROR: Race",
					    "ERROR: Potential",
					    "Race ",
					    "Misaligned ",
					    "Malloc/Free ",
					    "Stack ",
					    "Host API ",
					    "Out-of-range ",
					    "Error: Potential",
					    NULL};

	return begins_with_any(title, words);
}

/* A warning, or an error that a call of the program returned. */
static bool is_aside(const char *title)
{
	static const char *const words[] = {"COMPUTE-SANITIZER",
					    "Warning: ",
					    "WARN",
					    "Info",
					    "INFO",
					    "LEAK ",
					    "Unused ",
					    "Program hit ",
					    "CUDA API Warning",
					    "Saved ",
					    "Host Frame",
					    NULL};

	return begins_with_any(title, words);
}

static bool is_trouble(const char *title)
{
	static const char *const words[] = {"Internal ",
					    "Error: ",
					    "Error ",
					    "ERROR: ",
					    "Fatal",
					    "FATAL",
					    "Target application",
					    "No attachable",
					    NULL};

	return begins_with_any(title, words);
}

static bool take_summary(struct sanitizer_log_reader *r, const char *title)
{
	int64_t n = 0;

	if (starts_with(title, "RACECHECK SUMMARY:")) {
		r->out->complete = true;
		if (number_behind(&n, title, "("))
			r->counted = MAX(r->counted, n);
		if (number_behind(&n, title, ","))
			r->out->warnings = MAX(r->out->warnings, n);
		return true;
	}
	if (!starts_with(title, "ERROR SUMMARY:"))
		return false;
	r->out->complete = true;
	if (number_behind(&n, title, "SUMMARY:"))
		r->counted = MAX(r->counted, n);
	return true;
}

static void end_record(struct sanitizer_log_reader *r)
{
	if (r->record == RECORD_FINDING) {
		r->seen++;
		buf_trim_end(&r->sentence);
		if (!r->out->first)
			r->out->first = xstrdup(r->sentence.data);
	}
	buf_clear(&r->sentence);
	r->record = RECORD_NONE;
	r->details = 0;
}

static void take_title(struct sanitizer_log_reader *r, const char *title)
{
	static const char error[] = "Error: ";
	size_t len;

	end_record(r);
	if (!*title || take_summary(r, title))
		return;
	if (is_aside(title)) {
		r->record = RECORD_OTHER;
		return;
	}
	if (!is_finding(title) && is_trouble(title)) {
		r->record = RECORD_OTHER;
		if (!r->out->trouble)
			r->out->trouble = printable(title, strlen(title));
		return;
	}
	r->record = is_finding(title) ? RECORD_FINDING : RECORD_UNKNOWN;
	if (strncasecmp(title, error, strlen(error)) == 0)
		title += strlen(error);
	len = strlen(title);
	while (len && strchr(" :.", title[len - 1]))
		len--;
	text_add_line(&r->sentence, title, len);
}

/* ---- details ------------------------------------------------------------- */

static void take_detail(struct sanitizer_log_reader *r, const char *detail)
{
	static const char *const host[] = {"Saved host", "Host Frame", NULL};
	bool where = starts_with(detail, "at ");

	if (r->record == RECORD_UNKNOWN && where)
		r->record = RECORD_FINDING;
	if (r->record != RECORD_FINDING || r->details >= DETAILS)
		return;
	/* The following details are about the program that launched. */
	if (begins_with_any(detail, host)) {
		r->details = DETAILS;
		return;
	}
	buf_adds(&r->sentence,
		 where || starts_with(detail, "and ") ? " " : ", ");
	text_add_line(&r->sentence, detail, strlen(detail));
	r->details++;
}

/* ---- lines --------------------------------------------------------------- */

static void take_line(struct sanitizer_log_reader *r, const char *line)
{
	size_t spaces;

	if (!starts_with(line, PREFIX))
		return;
	line += strlen(PREFIX);
	spaces = strspn(line, " \t");
	line += spaces;
	if (spaces > 1 && *line)
		take_detail(r, line);
	else
		take_title(r, line);
}

void findings_parse(struct findings *out, const char *text, size_t len)
{
	struct findings found = {0};
	struct sanitizer_log_reader r = {
		.out = &found, .sentence = BUF_INIT(FINDINGS_SENTENCE)};
	cleanup_buf struct buf line = BUF_INIT(MAX_LINE);

	for (size_t at = 0; at < len;) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t n = end ? (size_t)(end - text) - at : len - at;

		buf_clear(&line);
		buf_add(&line, text + at, n);
		buf_trim_end(&line);
		take_line(&r, line.data);
		at += n + 1;
	}
	end_record(&r);
	buf_release(&r.sentence);
	found.errors = r.seen ? MAX(r.seen, r.counted) : 0;
	if (!r.seen && r.counted && !found.trouble)
		found.trouble = xstrdup("it counts errors and names none");
	*out = found;
}
