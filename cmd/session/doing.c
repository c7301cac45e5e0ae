/* The lines: since when in microseconds since 1970, what, and what was spent. */
#include "cmd/session/doing.h"

#include "core/base/clock.h"
#include "core/base/text.h"

/* ---- saying it ----------------------------------------------------------- */

static void say(struct doing_teller *t, const char *what)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	buf_addf(&b, "%lld\n", (long long)clock_wall_us());
	text_add_line(&b, what, strlen(what));
	buf_addf(&b, "\n%s\n", t->spent ? t->spent : "");
	gitstore_say_doing(t->git, t->run, b.data);
}

static void say_scoring(struct doing_teller *t, const struct attempt *a)
{
	cleanup_free char *what = xasprintf("scoring #%lld: %s",
					    (long long)a->number,
					    a->subject ? a->subject : "");

	say(t, what);
}

static void on_event(struct evolve_listener *self, enum evolve_event event,
		     const struct population *p, const struct attempt *a,
		     const char *text)
{
	struct doing_teller *t = (struct doing_teller *)self;

	switch (event) {
	case EVOLVE_SCORING:
		say_scoring(t, a);
		break;
	case EVOLVE_SPENT:
		free(t->spent);
		t->spent = text && *text ? xstrdup(text) : NULL;
		break;
	case EVOLVE_WORKING:
	case EVOLVE_WAITING:
		say(t, text ? text : "");
		break;
	case EVOLVE_MEASURED:
		say(t, "choosing what to try next");
		break;
	default:
		break;
	}
	t->next->on_event(t->next, event, p, a, text);
}

void doing_teller_init(struct doing_teller *t, struct evolve_listener *next,
		       struct gitstore *g, const char *run)
{
	*t = (struct doing_teller){
		.listener = {.on_event = on_event},
		.next = next,
		.git = g,
		.run = run,
	};
}

void doing_teller_release(struct doing_teller *t)
{
	free(t->spent);
}

/* ---- reading it ---------------------------------------------------------- */

void doing_release(struct doing *d)
{
	free(d->text);
	free(d->spent);
	*d = (struct doing){0};
}

static char *take_line(const char **at)
{
	size_t len = strcspn(*at, "\n");
	char *line = len ? xstrndup(*at, len) : NULL;

	*at += len + ((*at)[len] == '\n');
	return line;
}

void doing_read(struct doing *out, const struct gitstore *g, const char *run)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *since = NULL;
	const char *at;

	*out = (struct doing){0};
	gitstore_run_doing(&b, g, run);
	at = b.data;
	since = take_line(&at);
	if (!since)
		return;
	out->since_us = clock_bounded(strtoll(since, NULL, 10));
	out->text = take_line(&at);
	out->spent = take_line(&at);
}
