/* avogit runs: one line per run, the last active first. */
#include <math.h>
#include <sys/types.h>

#include "cmd/cmd.h"
#include "cmd/ui/out.h"
#include "cmd/ui/pager.h"
#include "cmd/ui/report.h"
#include "cmd/session/session.h"
#include "cmd/session/which_run.h"
#include "core/base/clock.h"
#include "core/run/outcome.h"

struct runs_options {
	bool json;
	const char *color;
};

static const struct opt options[] = {
	OPT(struct runs_options, json, "json", 0, NULL, "as JSON"),
	OPT(struct runs_options, color, "color", 0, "WHEN",
	    "always, never or auto"),
	OPT_END,
};

/* A run's data; `trouble` if its journal cannot be read. */
struct overview {
	char *name, *trouble;
	struct population p;
	long pid; /* of the process that extends it here: gitstore_run_holder */
	bool elsewhere;
};

struct overviews {
	struct overview *at;
	size_t n;
};

static void overviews_release(struct overviews *o)
{
	for (size_t i = 0; i < o->n; i++) {
		struct overview *run = &o->at[i];

		free(run->name);
		free(run->trouble);
		population_release(&run->p);
	}
	free(o->at);
}
DEFINE_RELEASE(overviews, struct overviews, overviews_release)

/* ---- reading ------------------------------------------------------------- */

static void read_run(struct overview *o, struct gitstore *g, const char *name)
{
	cleanup_error struct error *err = NULL;

	o->name = xstrdup(name);
	population_init(&o->p);
	err = gitstore_population(&o->p, g, name);
	if (err)
		o->trouble = xstrdup(error_message(err));
	o->pid = gitstore_run_holder(g, name);
	o->elsewhere = !gitstore_is_writer(g, o->p.writer);
}

static int newest_first(const void *a, const void *b)
{
	const struct overview *x = a, *y = b;

	if (x->p.time_us != y->p.time_us)
		return x->p.time_us > y->p.time_us ? -1 : 1;
	return strcmp(x->name, y->name);
}

static struct error *read_all(struct overviews *out, struct gitstore *g)
{
	cleanup_strvec struct strvec names = STRVEC_INIT;

	TRY(gitstore_runs(&names, g));
	out->at = xcalloc(names.n + 1, sizeof *out->at);
	for (; out->n < names.n; out->n++)
		read_run(&out->at[out->n], g, names.v[out->n]);
	qsort(out->at, out->n, sizeof *out->at, newest_first);
	return NULL;
}

/* ---- printing ------------------------------------------------------------ */

/* The number of attempts; the base does not count. */
static size_t attempts(const struct overview *o)
{
	return o->p.n ? o->p.n - 1 : 0;
}

static const struct attempt *champion(const struct overview *o)
{
	return o->p.champion ? &o->p.attempt[o->p.champion] : NULL;
}

/* One word for programs. "unfinished": another clone wrote the last entry, so
 * it is unknown here whether that clone is still working. */
static const char *state(const struct overview *o)
{
	if (o->trouble)
		return "unreadable";
	if (o->pid)
		return "running";
	if (o->p.stop_reason)
		return "stopped";
	return o->elsewhere ? "unfinished" : "interrupted";
}

static void format_state(struct buf *out, const struct overview *o)
{
	buf_adds(out, state(o));
	if (!o->trouble && o->pid > 0)
		buf_addf(out, " (process %ld)", o->pid);
	else if (!o->trouble && !o->pid && o->p.stop_reason)
		buf_addf(out, ": %s", o->p.stop_reason);
}

static enum color state_color(const struct overview *o)
{
	if (o->trouble)
		return COLOR_BAD;
	if (o->pid)
		return COLOR_GOOD;
	return o->p.stop_reason ? COLOR_NONE : COLOR_WARN;
}

/* Of a run without a champion. */
static void add_nearest(struct table *t, const struct overview *o)
{
	const struct attempt *a = attempt_nearest(&o->p);

	if (a)
		table_add(t, COLOR_FAINT, "none yet (#%lld: %s)",
			  (long long)a->number, outcome_name(attempt_doubt(a)));
	else
		table_add(t, COLOR_FAINT, "none yet");
	table_add(t, COLOR_NONE, "-");
}

static void add_champion(struct table *t, const struct session *s,
			 const struct overview *o)
{
	const struct attempt *a = champion(o);
	char id[COMMIT_ID_LEN + 1], ratio[32];

	if (!a) {
		add_nearest(t, o);
		return;
	}
	gitstore_abbreviate(id, s->git, a->id.hex);
	report_format_ratio(ratio, sizeof ratio, attempt_speedup(a));
	table_add(t, COLOR_ID, "%s #%lld", id, (long long)a->number);
	table_add(t, COLOR_GOOD, "%s", ratio);
}

static void add_row(struct table *t, const struct session *s,
		    const struct overview *o)
{
	cleanup_buf struct buf machines = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf how = BUF_INIT(BUF_LIMIT_TEXT);
	char base[COMMIT_ID_LEN + 1], time[21];

	for (size_t i = 0; i < o->p.n_machines; i++)
		buf_addf(&machines, "%s%s", i ? ", " : "",
			 o->p.machine[i].name);
	format_state(&how, o);
	gitstore_abbreviate(base, s->git, o->p.record.base.hex);
	clock_format(time, o->p.time_us);
	table_add(t, COLOR_BOLD, "%s", o->name);
	table_add(t, COLOR_ID, "%s", base);
	table_add(t, COLOR_NONE, "%s",
		  o->p.record.task_path ? o->p.record.task_path : "-");
	table_add(t, COLOR_NONE, "%s", machines.data);
	table_add(t, COLOR_NONE, "%s",
		  o->p.operator_name ? o->p.operator_name : "-");
	table_add(t, COLOR_NONE, "%zu", attempts(o));
	add_champion(t, s, o);
	table_add(t, COLOR_NONE, "%s", o->p.time_us ? time : "-");
	table_add(t, state_color(o), "%s", how.data);
}

static void print_all(const struct session *s, const struct overviews *all)
{
	static const char *const title[] = {
		"run",	    "base",	"task",	   "machine",	    "operator",
		"attempts", "champion", "speedup", "last activity", "state"};
	cleanup_table struct table t;

	table_init(&t, "lllllrlrll");
	for (size_t i = 0; i < ARRAY_SIZE(title); i++)
		table_add(&t, COLOR_FAINT, "%s", title[i]);
	for (size_t i = 0; i < all->n; i++)
		add_row(&t, s, &all->at[i]);
	table_print(&t, &s->color);
	for (size_t i = 0; i < all->n; i++)
		if (all->at[i].trouble)
			out_error(all->at[i].trouble);
}

static struct json *champion_json(const struct attempt *a)
{
	struct json *j = json_object();

	json_set_string(j, "commit", a->id.hex);
	json_set_int(j, "attempt", a->number);
	if (isfinite(attempt_speedup(a)))
		json_set_double(j, "speedup", attempt_speedup(a));
	json_set_string(j, "subject", a->subject);
	return j;
}

static struct json *overview_json(const struct overview *o)
{
	struct json *j = json_object(), *machines = json_array();
	char time[21];

	clock_format(time, o->p.time_us);
	for (size_t i = 0; i < o->p.n_machines; i++)
		json_push_string(machines, o->p.machine[i].name);
	json_set_string(j, "run", o->name);
	json_set_string(j, "base",
			*o->p.record.base.hex ? o->p.record.base.hex : NULL);
	json_set_string(j, "task", o->p.record.task_path);
	json_set(j, "machines", machines);
	json_set_string(j, "operator", o->p.operator_name);
	json_set_int(j, "attempts", (int64_t)attempts(o));
	if (champion(o))
		json_set(j, "champion", champion_json(champion(o)));
	if (o->p.time_us)
		json_set_string(j, "time", time);
	json_set_string(j, "state", state(o));
	if (o->pid > 0)
		json_set_int(j, "pid", o->pid);
	json_set_string(j, "stopped", o->p.stop_reason);
	json_set_string(j, "trouble", o->trouble);
	return j;
}

static void print_json(const struct overviews *all)
{
	cleanup_json struct json *j = out_json_new();
	struct json *list = json_array();

	for (size_t i = 0; i < all->n; i++)
		json_push(list, overview_json(&all->at[i]));
	json_set(j, "runs", list);
	out_json(j);
}

static void say_none(struct session *s)
{
	cleanup_error struct error *err = which_run_none(s);

	puts(error_message(err));
}

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	cleanup_session struct session s = {0};
	cleanup_strvec struct strvec operands = STRVEC_INIT;
	CLEANUP(overviews) struct overviews all = {0};
	cleanup_pager struct pager pager = {.pid = 0};
	struct runs_options o = {0};

	TRY(command_parse(self, &o, &operands, argv));
	TRY(session_open(&s, o.color));
	TRY(read_all(&all, s.git));
	for (size_t i = 0; i < all.n; i++)
		if (all.at[i].trouble)
			*code = CODE_NO;
	if (!o.json && all.n)
		pager_begin(&pager);
	if (o.json)
		print_json(&all);
	else if (all.n)
		print_all(&s, &all);
	else
		say_none(&s);
	return NULL;
}

static const struct exit_meaning exits[] = {
	{CODE_NO, "A run cannot be read."},
	{CODE_YES, NULL},
};

const struct command command_runs = {
	.name = "runs",
	.operands = "",
	.summary = "lists the runs of this repository",
	.about =
		"Lists the runs, the one that was busy last first: where each "
		"began, what it made\nfaster and by how much, and whether it "
		"is running (here), stopped (and why),\ninterrupted (its "
		"process is gone; `avogit evolve --run NAME` goes on) or\n"
		"unfinished (another clone's, which may be at work). Exit code "
		"1 where a run\ncannot be read.",
	.options = options,
	.exits = exits,
	.run = run,
};
