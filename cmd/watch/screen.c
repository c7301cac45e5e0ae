#include <ncurses.h>

#include "cmd/watch/screen.h"

#include <unistd.h>

/* What is put on a row: pieces, each with its text after it. */
struct piece {
	size_t col, len, color;
};

/* Most rows of most drawings are as before, and curses would compare them cell by
 * cell, so only another row is handed to it. */
struct screen_row {
	struct buf now, shown;
};

struct watch_screen {
	struct canvas canvas; /* first: the callback casts back */
	SCREEN *term;
	bool color;
	struct screen_row *row;
};

/* ---- colours ------------------------------------------------------------- */

static void make_colors(struct watch_screen *s)
{
	static const short fg[COLOR_COUNT] = {
		[COLOR_NONE] = -1,	   [COLOR_GOOD] = COLOR_GREEN,
		[COLOR_BAD] = COLOR_RED,   [COLOR_WARN] = COLOR_YELLOW,
		[COLOR_ID] = COLOR_YELLOW, [COLOR_FAINT] = -1,
		[COLOR_BOLD] = -1,	   [COLOR_HUNK] = COLOR_CYAN,
	};

	s->color = s->color && has_colors() && start_color() == OK &&
		   use_default_colors() == OK;
	for (short i = 1; s->color && i < COLOR_COUNT; i++)
		init_pair(i, fg[i], -1);
}

static attr_t look_of(const struct watch_screen *s, enum color color)
{
	attr_t look = color == COLOR_FAINT  ? A_DIM
		      : color == COLOR_BOLD ? A_BOLD
					    : A_NORMAL;

	if (s->color && color != COLOR_NONE)
		look |= (attr_t)COLOR_PAIR((int)color);
	return look;
}

/* ---- drawing ------------------------------------------------------------- */

static void put(struct canvas *self, size_t row, size_t col, enum color color,
		const char *text)
{
	const struct watch_screen *s = (const struct watch_screen *)self;
	const struct piece p = {col, strlen(text), (size_t)color};

	buf_add(&s->row[row].now, &p, sizeof p);
	buf_add(&s->row[row].now, text, p.len);
}

static void release_rows(struct watch_screen *s)
{
	for (size_t i = 0; i < s->canvas.rows; i++) {
		buf_release(&s->row[i].now);
		buf_release(&s->row[i].shown);
	}
	free(s->row);
	s->row = NULL;
	s->canvas.rows = 0;
}

static void resize(struct watch_screen *s, size_t rows, size_t cols)
{
	const struct screen_row empty = {BUF_INIT(BUF_LIMIT_TEXT),
					 BUF_INIT(BUF_LIMIT_TEXT)};

	release_rows(s);
	s->row = xcalloc(rows + 1, sizeof *s->row);
	for (size_t i = 0; i < rows; i++)
		s->row[i] = empty;
	s->canvas.rows = rows;
	s->canvas.cols = cols;
	clear();
}

struct canvas *screen_begin(struct watch_screen *s)
{
	int rows, cols;

	getmaxyx(stdscr, rows, cols);
	rows = MAX(rows, 0);
	cols = MAX(cols, 0);
	if (s->canvas.rows != (size_t)rows || s->canvas.cols != (size_t)cols)
		resize(s, (size_t)rows, (size_t)cols);
	for (size_t i = 0; i < s->canvas.rows; i++)
		buf_clear(&s->row[i].now);
	return &s->canvas;
}

static void draw_row(struct watch_screen *s, size_t row)
{
	const struct buf *b = &s->row[row].now;

	move((int)row, 0);
	clrtoeol();
	for (size_t at = 0; at + sizeof(struct piece) <= b->len;) {
		struct piece p;
		attr_t look;

		memcpy(&p, b->data + at, sizeof p);
		at += sizeof p;
		look = look_of(s, (enum color)p.color);
		attron(look);
		/* The last cell of the screen cannot be passed, which is no
		 * fault. */
		(void)mvaddnstr((int)row, (int)p.col, b->data + at, (int)p.len);
		attroff(look);
		at += p.len;
	}
}

void screen_end(struct watch_screen *s)
{
	for (size_t i = 0; i < s->canvas.rows; i++) {
		struct screen_row *r = &s->row[i];
		struct buf old = r->shown;

		if (r->now.len == old.len &&
		    memcmp(r->now.data, old.data, old.len) == 0)
			continue;
		draw_row(s, i);
		r->shown = r->now;
		r->now = old;
	}
	refresh();
}

enum screen_key screen_wait(struct watch_screen *s, int milliseconds)
{
	int key;

	(void)s;
	timeout(milliseconds);
	key = getch();
	if (key == ERR)
		return KEY_IS_NONE;
	return key == 'q' || key == 'Q' ? KEY_IS_QUIT : KEY_IS_OTHER;
}

/* ---- opening ------------------------------------------------------------- */

void screen_close(struct watch_screen *s)
{
	if (!s)
		return;
	if (s->term) {
		endwin();
		delscreen(s->term);
	}
	release_rows(s);
	free(s);
}

struct error *screen_open(struct watch_screen **out, bool color)
{
	cleanup_screen struct watch_screen *s = NULL;
	const char *kind = getenv("TERM");

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return error_new(ERROR_USAGE,
				 "watch: this is not a terminal: `avogit log` "
				 "and `avogit runs` print what a run came to");
	s = xcalloc(1, sizeof *s);
	s->canvas.put = put;
	s->color = color;
	s->term = newterm(NULL, stdout, stdin);
	if (!s->term)
		return error_new(ERROR_USAGE,
				 "watch: what a terminal of the kind '%.40s' "
				 "can do is not known here: set TERM, or use "
				 "`avogit log`",
				 kind ? kind : "");
	make_colors(s);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	curs_set(0);
	*out = steal(&s);
	return NULL;
}
