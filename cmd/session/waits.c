#include "cmd/session/waits.h"

#include "cmd/ui/bars.h"
#include "cmd/ui/live.h"

static void draw(void *arg, struct buf *out, size_t width)
{
	const struct waits *w = arg;
	const struct session *s = w->session;

	bars_add_text(out, w->title, &s->color, COLOR_NONE, width);
	for (size_t i = 0; s->stage && i <= s->n_other; i++) {
		const struct stage_view v = stage_look(&s->stage[i]);

		bars_add(out, &v, &s->color, width);
	}
}

void waits_begin(struct waits *w, const struct session *s, char *title)
{
	*w = (struct waits){.session = s, .title = title};
	w->shown = live_begin(draw, w);
}

void waits_say(struct waits *w, char *title)
{
	live_hold();
	free(w->title);
	w->title = title;
	live_go_on();
}

void waits_release(struct waits *w)
{
	if (w->shown)
		live_end();
	free(w->title);
	*w = (struct waits){.shown = false};
}
