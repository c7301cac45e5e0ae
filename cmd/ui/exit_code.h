#ifndef CMD_UI_EXIT_CODE_H
#define CMD_UI_EXIT_CODE_H

/* Exit codes, documented in `avogit --help`. */
enum exit_code {
	CODE_YES = 0,
	CODE_NO = 1, /* negative answer: a failed candidate, no champion yet */
	CODE_USAGE = 2,
	CODE_OPEN = 2,	     /* gate: neither yes nor no */
	CODE_UNTESTED = 125, /* gate --bisect: what git bisect passes over */
	CODE_FATAL = 128,
	CODE_INTERRUPTED = 130,
};

/* What a code of one command means, where it has a meaning of its own. */
struct exit_meaning {
	enum exit_code code;
	const char *means; /* NULL ends a table */
};

#endif
