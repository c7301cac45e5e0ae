#include "cmd/ui/mdoc.h"

#include <ctype.h>

static void add_plain(struct buf *out, const char *text, size_t len)
{
	if (len && (text[0] == '.' || text[0] == '\''))
		buf_adds(out, "\\&");
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\\')
			buf_adds(out, "\\e");
		else if (text[i] == '-')
			buf_adds(out, "\\-");
		else
			buf_addc(out, text[i]);
	}
}

static void add_words(struct buf *out, const char *text)
{
	add_plain(out, text, strlen(text));
}

/* mdoc wants each sentence to begin a line. */
static size_t sentence(const char *line, size_t len)
{
	for (size_t i = 0; i + 2 < len; i++)
		if (strchr(".!?", line[i]) && line[i + 1] == ' ')
			return i + 1;
	return len;
}

#define COLUMNS 80

/* In lines that mandoc does not call long; the page fills them itself. */
static void add_filled(struct buf *out, const char *text, size_t len)
{
	size_t column = 0;

	while (len) {
		size_t n = 0;
		cleanup_buf struct buf word = BUF_INIT(BUF_LIMIT_TEXT);

		while (n < len && (!n || text[n] != ' '))
			n++;
		add_plain(&word, text, n);
		if (column && column + word.len > COLUMNS && text[0] == ' ' &&
		    n > 1) {
			buf_addc(out, '\n');
			buf_clear(&word);
			add_plain(&word, text + 1, n - 1);
			column = 0;
		}
		buf_add(out, word.data, word.len);
		column += word.len;
		text += n;
		len -= n;
	}
}

static void add_line(struct buf *out, const char *line, size_t len)
{
	while (len) {
		size_t n = sentence(line, len);

		add_filled(out, line, n);
		buf_addc(out, '\n');
		for (; n < len && line[n] == ' '; n++)
			;
		line += n;
		len -= n;
	}
}

void mdoc_text(struct buf *out, const char *text)
{
	bool display = false, gap = false;

	while (*text) {
		size_t len = strcspn(text, "\n");
		bool indented = text[0] == ' ';

		if (display && !indented)
			buf_adds(out, ".Ed\n");
		if (gap && len && !indented)
			buf_adds(out, ".Pp\n");
		if (!display && indented)
			buf_adds(out, ".Bd -literal\n");
		display = indented;
		gap = !len;
		if (indented) {
			add_plain(out, text, len);
			buf_addc(out, '\n');
		} else {
			add_line(out, text, len);
		}
		text += len + (text[len] == '\n');
	}
	if (display)
		buf_adds(out, ".Ed\n");
}

/* Words after a mark at the end are not a delimiter of mdoc's. */
static void end_words(struct buf *out)
{
	if (strchr("?!])", out->data[out->len - 1]))
		buf_adds(out, "\\&");
	buf_addc(out, '\n');
}

void mdoc_begin(struct buf *out, const char *title, const char *summary)
{
	buf_adds(out, ".Dd " AVOGIT_DATE "\n.Dt ");
	for (const char *c = title; *c; c++)
		buf_addc(out, (char)toupper((unsigned char)*c));
	buf_addf(out, " 1\n.Os\n.Sh NAME\n.Nm %s\n.Nd ", title);
	add_words(out, summary);
	end_words(out);
}

static void add_option(struct buf *out, const struct opt *o)
{
	buf_adds(out, ".It ");
	if (o->letter)
		buf_addf(out, "Fl %c , ", o->letter);
	buf_adds(out, "Fl \\-");
	add_words(out, o->name);
	if (o->value) {
		buf_adds(out, " Ar ");
		add_words(out, o->value);
	}
	buf_addc(out, '\n');
	mdoc_text(out, o->help);
}

/* By the commands that have nothing to add. */
static const struct exit_meaning usual_exits[] = {
	{CODE_YES, "It is done."},
	{CODE_USAGE, "The command line is wrong; nothing was done."},
	{CODE_FATAL, "An error, which standard error says."},
	{CODE_INTERRUPTED, "Interrupted by a signal."},
};

static const char *own_meaning(const struct exit_meaning *own, int code)
{
	for (; own && own->means; own++)
		if ((int)own->code == code)
			return own->means;
	return NULL;
}

static const char *usual_meaning(int code)
{
	for (size_t i = 0; i < ARRAY_SIZE(usual_exits); i++)
		if ((int)usual_exits[i].code == code)
			return usual_exits[i].means;
	return NULL;
}

static void add_exits(struct buf *out, const struct exit_meaning *own)
{
	buf_adds(out, ".Sh EXIT STATUS\n.Bl -tag -width Ds\n");
	for (int code = CODE_YES; code <= CODE_INTERRUPTED; code++) {
		const char *means = own_meaning(own, code);

		if (!means)
			means = usual_meaning(code);
		if (!means)
			continue;
		buf_addf(out, ".It %d\n", code);
		mdoc_text(out, means);
	}
	buf_adds(out, ".El\n");
}

void mdoc_page(struct buf *out, const struct mdoc_page *page)
{
	cleanup_free char *title = xasprintf("avogit-%s", page->name);

	mdoc_begin(out, title, page->summary);
	buf_addf(out, ".Sh SYNOPSIS\n.Nm avogit %s\n.Op Ar OPTION ...\n",
		 page->name);
	if (*page->operands) {
		buf_adds(out, ".Ar ");
		add_words(out, page->operands);
		end_words(out);
	}
	buf_adds(out, ".Sh DESCRIPTION\n");
	mdoc_text(out, page->about);
	buf_adds(out, ".Sh OPTIONS\n.Bl -tag -width Ds\n");
	for (const struct opt *o = page->options; o->name; o++)
		add_option(out, o);
	buf_adds(out, ".It Fl h , Fl \\-help\nsays this in short\n.El\n");
	add_exits(out, page->exits);
	buf_adds(out, ".Sh SEE ALSO\n.Xr avogit 1\n");
}
