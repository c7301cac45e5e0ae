/* The message of a candidate's commit: for a person who reads `git log` a year
 * later, with trailers for tools (docs/history.md lists them). */
#include "core/base/text.h"
#include "gitstore/candidate/candidate.h"
#include "gitstore/git/internal.h"

#define SUBJECT_MAX 72
#define COLUMNS	    72

void message_subject(struct buf *out, const char *subject)
{
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);
	size_t len;

	subject += strspn(subject, " \t\r\n");
	if (!*subject) {
		buf_adds(out, "an attempt without a name");
		return;
	}
	text_add_line(&line, subject, strlen(subject));
	buf_trim_end(&line);
	len = line.len > SUBJECT_MAX ? text_cut(line.data, SUBJECT_MAX - 3)
				     : line.len;
	buf_add(out, line.data, len);
	if (len < line.len) {
		buf_trim_end(out);
		buf_adds(out, "...");
	}
}

/* Adds the line up to its end or newline, broken at blanks. */
static void add_wrapped(struct buf *out, const char *line)
{
	size_t column = 0;

	while (*line && *line != '\n') {
		size_t blanks = strspn(line, " \t\r");
		size_t word = strcspn(line + blanks, " \t\r\n");

		if (word && column && column + blanks + word > COLUMNS) {
			buf_addc(out, '\n');
			line += blanks;
			column = blanks = 0;
		}
		if (word)
			buf_add(out, line, blanks + word);
		column += blanks + word;
		line += blanks + word;
	}
	buf_addc(out, '\n');
}

void message_body(struct buf *out, const char *text)
{
	cleanup_buf struct buf clean = BUF_INIT(BUF_LIMIT_TEXT);

	text += strspn(text, "\r\n");
	text_add_lines(&clean, text, strlen(text));
	text = clean.data;
	while (*text) {
		size_t len = strcspn(text, "\n");

		add_wrapped(out, text);
		text += len + (text[len] == '\n');
	}
}

/* Where the line begins that ends before `end`. */
static size_t line_at(const char *message, size_t end)
{
	while (end && message[end - 1] != '\n')
		end--;
	return end;
}

static bool is_blank(const char *message, size_t at, size_t end)
{
	while (at < end && strchr(" \t\r\n", message[at]))
		at++;
	return at == end;
}

size_t message_trailers_at(const char *message)
{
	git_message_trailer_array t = {0};
	size_t end = strlen(message), at, before;
	bool any;

	if (git_message_trailers(&t, message) < 0)
		return end;
	any = t.count > 0;
	git_message_trailer_array_free(&t);
	while (end && strchr(" \t\r\n", message[end - 1]))
		end--;
	/* git takes a line of blanks for an empty one. */
	for (at = line_at(message, end); any && at; at = before) {
		before = line_at(message, at - 1);
		if (is_blank(message, before, at))
			return at;
	}
	return end;
}

void message_own_body(struct buf *out, const char *message)
{
	size_t from = strcspn(message, "\n"), to = message_trailers_at(message);
	cleanup_free char *body = NULL;

	if (to <= from)
		return;
	body = xstrndup(message + from, to - from);
	for (size_t n = strlen(body); n && strchr(" \t\r\n", body[n - 1]);)
		body[--n] = '\0';
	if (body[strspn(body, " \t\r\n")])
		message_body(out, body);
}

void message_trailer(struct buf *out, const char *key, const char *value)
{
	if (!value || !*value)
		return;
	buf_addf(out, "%s: ", key);
	text_add_line(out, value, strlen(value));
	buf_addc(out, '\n');
}

void message_of_proposal(struct buf *out, const struct proposal *p)
{
	cleanup_free char *number = xasprintf("%lld", (long long)p->number);
	cleanup_free char *island = p->island ? xasprintf("%zu", p->island)
					      : NULL;

	message_subject(out, p->subject ? p->subject : "");
	buf_adds(out, "\n\n");
	if (p->hypothesis && *p->hypothesis) {
		message_body(out, p->hypothesis);
		buf_addc(out, '\n');
	}
	message_trailer(out, "Avogit-Run", p->run);
	message_trailer(out, "Avogit-Attempt", number);
	message_trailer(out, "Avogit-Operator", p->operator_name);
	message_trailer(out, "Avogit-After", p->after);
	message_trailer(out, "Avogit-Island", island);
	message_trailer(out, "Assisted-by", p->assisted_by);
}

struct error *commit_trailer(char **out, const git_commit *c, const char *key)
{
	git_message_trailer_array t = {0};

	*out = NULL;
	/* Most messages have no trailer. */
	if (!strstr(git_commit_message(c), key))
		return NULL;
	TRY(git_check(git_message_trailers(&t, git_commit_message(c)),
		      "cannot read the message of a commit"));
	for (size_t i = 0; i < t.count; i++)
		if (str_eq(t.trailers[i].key, key)) {
			free(*out);
			*out = xstrdup(t.trailers[i].value);
		}
	git_message_trailer_array_free(&t);
	return NULL;
}
