#include "cmd/ui/terminal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define USUAL 80

static size_t ask(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	unsigned long n;

	if (!isatty(STDOUT_FILENO))
		return 0;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
		return size.ws_col;
	n = columns ? strtoul(columns, NULL, 10) : 0;
	return n >= 20 && n < 10000 ? n : USUAL;
}

size_t terminal_width(void)
{
	static bool paged;
	static size_t width;

	/* A pipe to a pager is as wide as the terminal was. */
	if (isatty(STDOUT_FILENO) || !paged)
		width = ask();
	paged = width > 0;
	return width;
}
