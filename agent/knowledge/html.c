#include "agent/knowledge/html.h"

#include <ctype.h>

#define MAX_NAME 16 /* longest name of a known tag or entity */

enum effect {
	EFFECT_NONE,
	EFFECT_BLOCK,	/* a new line */
	EFFECT_SECTION, /* an empty line */
	EFFECT_HEADING, /* h1 to h6 */
	EFFECT_ITEM,
	EFFECT_CELL,
	EFFECT_CODE, /* pre: keeps line ends */
	EFFECT_DROP, /* drops everything up to the end tag */
};

static const struct {
	const char *name;
	enum effect effect;
} tags[] = {
	{"script", EFFECT_DROP},     {"style", EFFECT_DROP},
	{"noscript", EFFECT_DROP},   {"template", EFFECT_DROP},
	{"svg", EFFECT_DROP},	     {"nav", EFFECT_DROP},
	{"title", EFFECT_DROP},	     {"pre", EFFECT_CODE},
	{"h1", EFFECT_HEADING},	     {"h2", EFFECT_HEADING},
	{"h3", EFFECT_HEADING},	     {"h4", EFFECT_HEADING},
	{"h5", EFFECT_HEADING},	     {"h6", EFFECT_HEADING},
	{"p", EFFECT_SECTION},	     {"section", EFFECT_SECTION},
	{"article", EFFECT_SECTION}, {"table", EFFECT_SECTION},
	{"ul", EFFECT_SECTION},	     {"ol", EFFECT_SECTION},
	{"dl", EFFECT_SECTION},	     {"br", EFFECT_BLOCK},
	{"div", EFFECT_BLOCK},	     {"tr", EFFECT_BLOCK},
	{"dt", EFFECT_BLOCK},	     {"dd", EFFECT_BLOCK},
	{"hr", EFFECT_BLOCK},	     {"li", EFFECT_ITEM},
	{"td", EFFECT_CELL},	     {"th", EFFECT_CELL},
};

static const struct {
	const char *name, *text;
} entities[] = {
	{"amp", "&"},	    {"lt", "<"},	  {"gt", ">"},
	{"quot", "\""},	    {"apos", "'"},	  {"nbsp", " "},
	{"ndash", "-"},	    {"mdash", "-"},	  {"hellip", "..."},
	{"lsquo", "'"},	    {"rsquo", "'"},	  {"ldquo", "\""},
	{"rdquo", "\""},    {"times", "x"},	  {"le", "<="},
	{"ge", ">="},	    {"ne", "!="},	  {"rarr", "->"},
	{"larr", "<-"},	    {"micro", "\u00b5"},  {"deg", "\u00b0"},
	{"plusmn", "+-"},   {"middot", "\u00b7"}, {"bull", "-"},
	{"sup2", "\u00b2"}, {"reg", ""},	  {"trade", ""},
	{"copy", ""},	    {"para", ""},
};

struct page {
	struct buf *out;
	const char *p, *end;
	bool code;	/* inside pre */
	bool blank;	/* a blank is due before the next word */
	unsigned ended; /* newlines at the end of the output */
	/* Set when a quote was not closed: quotes are ignored from then on, so
	 * that the page is searched to its end only once. */
	bool unquoted;
};

/* ---- writing ------------------------------------------------------------ */

static void newlines(struct page *pg, unsigned n)
{
	pg->blank = false;
	if (!pg->out->len)
		return;
	for (; pg->ended < n; pg->ended++)
		buf_addc(pg->out, '\n');
}

static void add(struct page *pg, const char *s, size_t len)
{
	if (!len)
		return;
	if (pg->blank && !pg->ended && pg->out->len)
		buf_addc(pg->out, ' ');
	buf_add(pg->out, s, len);
	pg->blank = false;
	pg->ended = 0;
}

static void add_char(struct page *pg, char c)
{
	if (pg->code && c == '\n') {
		buf_addc(pg->out, '\n');
		pg->ended = MIN(pg->ended + 1, 2u);
	} else if (pg->code && (c == ' ' || c == '\t')) {
		buf_addc(pg->out, c);
	} else if (isspace((unsigned char)c)) {
		pg->blank = true;
	} else {
		add(pg, &c, 1);
	}
}

/* ---- entities ----------------------------------------------------------- */

static void add_code_point(struct page *pg, uint32_t c)
{
	char s[4];
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	if (c < 0x20 || c == 0xa0) {
		add_char(pg, c == '\n' ? '\n' : ' ');
		return;
	}
	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return;
	for (size_t i = n - 1; i > 0; i--, c >>= 6)
		s[i] = (char)(0x80 | (c & 0x3f));
	s[0] = (char)(n == 1 ? c : (0xf00u >> n & 0xff) | c);
	add(pg, s, n);
}

/* Decodes "&#65;" or "&#x41;": pg->p is at the digit or the x. */
static void numeric_entity(struct page *pg)
{
	bool hex = pg->p < pg->end && (*pg->p | 0x20) == 'x';
	uint32_t c = 0;

	for (pg->p += hex; pg->p < pg->end; pg->p++) {
		unsigned char d = (unsigned char)*pg->p;

		if (!(hex ? isxdigit(d) : isdigit(d)))
			break;
		if (c <= 0x10ffff)
			c = c * (hex ? 16 : 10) +
			    (uint32_t)(isdigit(d) ? d - '0'
						  : (d | 0x20) - 'a' + 10);
	}
	pg->p += pg->p < pg->end && *pg->p == ';';
	add_code_point(pg, c);
}

static void entity(struct page *pg)
{
	const char *name = ++pg->p;
	size_t n = 0;

	if (pg->p < pg->end && *pg->p == '#') {
		pg->p++;
		numeric_entity(pg);
		return;
	}
	while (n < MAX_NAME && name + n < pg->end &&
	       isalnum((unsigned char)name[n]))
		n++;
	for (size_t i = 0; i < ARRAY_SIZE(entities); i++) {
		const char *text = entities[i].text;

		if (strlen(entities[i].name) != n ||
		    strncmp(entities[i].name, name, n) != 0)
			continue;
		pg->p += n;
		pg->p += pg->p < pg->end && *pg->p == ';';
		if (*text == ' ')
			add_char(pg, ' ');
		else
			add(pg, text, strlen(text));
		return;
	}
	add(pg, "&", 1);
}

/* ---- tags --------------------------------------------------------------- */

/* Moves past the '>' that ends the tag at pg->p; a '>' in quotes does not. */
static void leave_tag(struct page *pg)
{
	const char *close = memchr(pg->p, '>', (size_t)(pg->end - pg->p));
	char quote = '\0';

	for (const char *p = pg->p; p < pg->end && !pg->unquoted; p++) {
		if (quote) {
			quote = *p == quote ? '\0' : quote;
		} else if (*p == '"' || *p == '\'') {
			quote = *p;
		} else if (*p == '>') {
			pg->p = p + 1;
			return;
		}
	}
	pg->unquoted = true;
	pg->p = close ? close + 1 : pg->end;
}

/* Moves past the end tag of `name`, or to the end of the page. */
static void drop_element(struct page *pg, const char *name, size_t n)
{
	while (pg->p < pg->end) {
		const char *lt = memchr(pg->p, '<', (size_t)(pg->end - pg->p));

		if (!lt) {
			pg->p = pg->end;
			return;
		}
		pg->p = lt + 1;
		if ((size_t)(pg->end - lt) > n + 2 && lt[1] == '/' &&
		    strncasecmp(lt + 2, name, n) == 0 &&
		    !isalnum((unsigned char)lt[2 + n])) {
			leave_tag(pg);
			return;
		}
	}
}

static void heading(struct page *pg, unsigned level, bool closing)
{
	newlines(pg, 2);
	if (closing)
		return;
	for (unsigned i = 0; i < level; i++)
		buf_addc(pg->out, '#');
	buf_addc(pg->out, ' ');
	pg->ended = 2; /* suppresses blanks and newlines before the words */
}

static void code(struct page *pg, bool closing)
{
	if (pg->code != closing)
		return;
	newlines(pg, closing ? 1 : 2);
	pg->ended = 0;
	buf_adds(pg->out, "```\n");
	pg->ended = 1;
	pg->code = !closing;
}

static void apply(struct page *pg, enum effect effect, const char *name,
		  size_t n, bool closing)
{
	if (effect == EFFECT_CODE)
		code(pg, closing);
	else if (effect == EFFECT_DROP && !closing)
		drop_element(pg, name, n);
	if (pg->code)
		return;
	if (effect == EFFECT_HEADING)
		heading(pg, (unsigned)(name[1] - '0'), closing);
	else if (effect == EFFECT_SECTION)
		newlines(pg, 2);
	else if (effect == EFFECT_BLOCK || effect == EFFECT_ITEM)
		newlines(pg, 1);
	else if (effect == EFFECT_CELL && !closing && !pg->ended &&
		 pg->out->len)
		add(pg, " | ", 3);
	if (effect == EFFECT_ITEM && !closing)
		add(pg, "- ", 2);
}

static void comment(struct page *pg)
{
	const char *close = pg->p;

	do
		close = memchr(close, '>', (size_t)(pg->end - close));
	while (close &&
	       (close < pg->p + 6 || close[-1] != '-' || close[-2] != '-') &&
	       ++close);
	pg->p = close ? close + 1 : pg->end;
}

/* Handles the tag at pg->p, which is at a '<'. */
static void tag(struct page *pg)
{
	const char *name = pg->p + 1;
	size_t left = (size_t)(pg->end - name), n = 0;
	bool closing = left && *name == '/';

	if (left >= 3 && memcmp(name, "!--", 3) == 0) {
		comment(pg);
		return;
	}
	name += closing;
	left -= closing;
	if (!left ||
	    !(isalpha((unsigned char)*name) || *name == '!' || *name == '?')) {
		pg->p++;
		add(pg, "<", 1);
		return;
	}
	while (n < left && n < MAX_NAME && isalnum((unsigned char)name[n]))
		n++;
	pg->p = name;
	leave_tag(pg);
	for (size_t i = 0; i < ARRAY_SIZE(tags); i++)
		if (strlen(tags[i].name) == n &&
		    strncasecmp(tags[i].name, name, n) == 0)
			apply(pg, tags[i].effect, name, n, closing);
}

void html_text(struct buf *out, const char *html, size_t len)
{
	struct page pg = {.out = out, .p = html, .end = html + len};

	while (pg.p < pg.end && !out->truncated) {
		if (*pg.p == '<')
			tag(&pg);
		else if (*pg.p == '&')
			entity(&pg);
		else
			add_char(&pg, *pg.p++);
	}
	if (pg.code)
		code(&pg, true);
	buf_trim_end(out);
	if (out->len)
		buf_addc(out, '\n');
}
