/* Shortens a long answer for the agent: whole lines of its head and tail, with
 * a count of the lines in between. The full text goes to a file. */
#include <unistd.h>

#include "agent/tools/internal.h"
#include "core/base/text.h"

/* The tail gets more bytes: a program's last lines say why it failed. */
#define HEAD_PART 0.4

/* ---- text that is unsafe for a terminal or JSON -------------------------- */

/* Length of the escape sequence at s; 1 if s begins none. */
static size_t escape_length(const char *s, const char *end)
{
	const char *p = s + 1;

	if (p < end && *p == '[') {
		for (p++; p < end && ((unsigned char)*p < 0x40); p++)
			;
		return (size_t)(MIN(p + 1, end) - s);
	}
	return 1;
}

static void clean(struct buf *text)
{
	cleanup_buf struct buf plain = BUF_INIT(text->limit);
	const char *end = text->data + text->len;

	if (!text->len)
		return;
	for (const char *p = text->data; p < end; p++) {
		if (*p == '\033')
			p += escape_length(p, end) - 1;
		else
			buf_addc(&plain, *p);
	}
	buf_clear(text);
	text_add_lines(text, plain.data, plain.len);
}

/* ---- cutting ------------------------------------------------------------- */

static size_t count_lines(const char *from, const char *to)
{
	size_t n = 0;

	for (const char *p = from; p < to; n++) {
		const char *end = memchr(p, '\n', (size_t)(to - p));

		p = end ? end + 1 : to;
	}
	return n;
}

static size_t cost(size_t len)
{
	return MIN(len, (size_t)TOOL_LINE_MAX + 40);
}

/* The end of the lines from `p` that fit into `room` bytes. */
static const char *head_end(const char *p, const char *end, size_t room)
{
	while (p < end) {
		const char *next = memchr(p, '\n', (size_t)(end - p));

		next = next ? next + 1 : end;
		if (cost((size_t)(next - p)) > room)
			break;
		room -= cost((size_t)(next - p));
		p = next;
	}
	return p;
}

/* The start of the last lines before `end` that fit, at `from` or later. */
static const char *tail_begin(const char *from, const char *end, size_t room)
{
	const char *p = end;

	while (p > from) {
		const char *before =
			memrchr(from, '\n', (size_t)(p - 1 - from));
		const char *line = before ? before + 1 : from;

		if (cost((size_t)(p - line)) > room)
			break;
		room -= cost((size_t)(p - line));
		p = line;
	}
	return p;
}

/* Shortens len so that a cut does not split a character. */
static size_t whole_characters(const char *s, size_t len)
{
	while (len > 0 && ((unsigned char)s[len] & 0xc0) == 0x80)
		len--;
	return len;
}

static void add_lines(struct buf *out, const char *p, const char *end)
{
	while (p < end) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((stop ? stop : end) - p);

		if (len > TOOL_LINE_MAX) {
			size_t kept = whole_characters(p, TOOL_LINE_MAX);

			buf_add(out, p, kept);
			buf_addf(out, " [%zu more bytes in this line]",
				 len - kept);
		} else {
			buf_add(out, p, len);
		}
		if (stop)
			buf_addc(out, '\n');
		p = stop ? stop + 1 : end;
	}
}

static bool has_long_line(const struct buf *text)
{
	const char *end = text->data + text->len;

	for (const char *p = text->data; p < end;) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));

		if (!stop)
			stop = end;
		if (stop - p > TOOL_LINE_MAX)
			return true;
		p = stop + 1;
	}
	return false;
}

/* 1204 as "1,204". */
static void format_count(char out[32], size_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof digits, "%zu", n);
	char *p = out;

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*p++ = ',';
		*p++ = digits[i];
	}
	*p = '\0';
}

static void add_gap(struct buf *out, const struct tool_reply *r, size_t missing,
		    size_t all)
{
	char left_out[32], whole[32];

	format_count(left_out, missing);
	format_count(whole, all);
	if (missing)
		buf_addf(out, "... %s of %s lines left out", left_out, whole);
	else
		buf_adds(out, "... long lines were cut");
	if (r->text.truncated)
		buf_addf(out, ", and all beyond the first %zu MiB is lost",
			 TOOL_WHOLE_MAX >> 20);
	if (r->file)
		buf_addf(out, "; the whole is in %s", r->file);
	buf_adds(out, " ...\n");
}

/* ---- the full text ------------------------------------------------------- */

/* Writes no file if the path would be a source or the disk is full. */
static void keep_whole(struct tool_reply *out, struct toolbox *b)
{
	cleanup_free char *path =
		xasprintf(TOOL_FOLDER "/%s%u.txt",
			  b->file_prefix ? b->file_prefix : "", b->n_files + 1);
	cleanup_error struct error *err = NULL;

	if (tool_is_source(b, path))
		return;
	err = folder_write(b->dir, path, out->text.data, out->text.len, false);
	if (err)
		return;
	b->n_files++;
	out->file = steal(&path);
}

void tool_bound(struct tool_reply *out, struct toolbox *b)
{
	const char *begin, *end, *head, *tail;
	struct buf cut;

	clean(&out->text);
	if (out->text.len <= TOOL_REPLY_MAX && !has_long_line(&out->text))
		return;
	keep_whole(out, b);
	begin = out->text.data;
	end = begin + out->text.len;
	head = end;
	tail = end;
	if (out->text.len > TOOL_REPLY_MAX) {
		size_t room = (size_t)(HEAD_PART * TOOL_REPLY_MAX);

		head = head_end(begin, end, room);
		tail = tail_begin(head, end, TOOL_REPLY_MAX - room);
	}
	buf_init(&cut, 2 * TOOL_REPLY_MAX);
	add_lines(&cut, begin, head);
	add_gap(&cut, out, count_lines(head, tail), count_lines(begin, end));
	add_lines(&cut, tail, end);
	buf_release(&out->text);
	out->text = cut;
}
