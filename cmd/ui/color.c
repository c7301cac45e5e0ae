#include "cmd/ui/color.h"

#include <unistd.h>

static bool is_plain_terminal(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && term && *term && !str_eq(term, "dumb");
}

static bool is_word(const char *s, const char *const *words)
{
	for (; s && *words; words++)
		if (str_eq(s, *words))
			return true;
	return false;
}

struct error *palette_init(struct palette *out, const char *wanted,
			   const char *configured, int fd)
{
	static const char *const never[] = {"never", "false", "no",
					    "off",   "0",     NULL};
	const char *no_color = getenv("NO_COLOR");

	if (wanted && str_eq(wanted, "always"))
		out->on = true;
	else if (wanted && str_eq(wanted, "never"))
		out->on = false;
	else if (wanted && !str_eq(wanted, "auto"))
		return error_new(ERROR_USAGE,
				 "--color takes always, never or auto, "
				 "not '%s'",
				 wanted);
	else if ((no_color && *no_color) || is_word(configured, never))
		out->on = false;
	else if (configured && str_eq(configured, "always"))
		out->on = true;
	else
		out->on = is_plain_terminal(fd);
	return NULL;
}

const char *color_begin(const struct palette *p, enum color c)
{
	static const char *const sequence[COLOR_COUNT] = {
		[COLOR_NONE] = "",	  [COLOR_GOOD] = "\033[32m",
		[COLOR_BAD] = "\033[31m", [COLOR_WARN] = "\033[33m",
		[COLOR_ID] = "\033[33m",  [COLOR_FAINT] = "\033[2m",
		[COLOR_BOLD] = "\033[1m", [COLOR_HUNK] = "\033[36m",
	};

	return p->on ? sequence[c] : "";
}

const char *color_end(const struct palette *p, enum color c)
{
	return p->on && c != COLOR_NONE ? "\033[m" : "";
}
