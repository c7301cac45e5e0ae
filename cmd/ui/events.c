#include "cmd/ui/events.h"

#include "cmd/ui/attempt_json.h"
#include "cmd/ui/out.h"
#include "cmd/ui/stop.h"
#include "core/base/clock.h"

static const char *const names[] = {
	[EVOLVE_STARTED] = "started",	[EVOLVE_SCORING] = "scoring",
	[EVOLVE_MEASURED] = "measured", [EVOLVE_PROPOSED] = "proposed",
	[EVOLVE_CROWNED] = "crowned",	[EVOLVE_INTERVENED] = "intervened",
	[EVOLVE_MIGRATED] = "migrated", [EVOLVE_REMARKED] = "remarked",
	[EVOLVE_WORKING] = "working",	[EVOLVE_WAITING] = "waiting",
	[EVOLVE_NOTICED] = "noticed",	[EVOLVE_SPENT] = "spent",
	[EVOLVE_STOPPED] = "stopped",
};

/* Of the run as a whole, where it begins and ends. */
static void add_run(struct json *j, const struct population *p)
{
	json_set_string(j, "base", p->record.base.hex);
	json_set_int(j, "attempts", p->n ? (int64_t)p->n - 1 : 0);
	spend_json_add(j, p);
	if (p->champion) {
		struct json *champion = json_object();

		attempt_json_add(champion, p, &p->attempt[p->champion]);
		json_set(j, "champion", champion);
	}
}

static void print(struct events *e, const struct json *j)
{
	cleanup_free char *text = json_print_ascii(j);

	puts(text);
	if (fflush(stdout) && !e->closed) {
		e->closed = true;
		stop_request();
	}
}

static void on_event(struct evolve_listener *self, enum evolve_event event,
		     const struct population *p, const struct attempt *a,
		     const char *text)
{
	struct events *e = (struct events *)self;
	cleanup_json struct json *j = out_json_new();
	char now[21];

	clock_format(now, clock_wall_us());
	json_set_string(j, "event", names[event]);
	json_set_string(j, "at", now);
	json_set_string(j, "run", p->record.run);
	if (event == EVOLVE_STARTED || event == EVOLVE_STOPPED)
		add_run(j, p);
	else if (a)
		attempt_json_add(j, p, a);
	if (text)
		json_set_string(j, event == EVOLVE_STOPPED ? "reason" : "text",
				text);
	print(e, j);
}

void events_init(struct events *e)
{
	*e = (struct events){.listener = {.on_event = on_event}};
}
