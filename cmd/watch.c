/* avogit watch: a run in the terminal while it works, from any process. */
#include <signal.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/session/session.h"
#include "cmd/session/which_run.h"
#include "cmd/watch/screen.h"
#include "core/base/clock.h"
#include "gitstore/journal/follow.h"

/* So many times a second it looks for what is new. */
#define LOOKS 20
/* Seconds between two looks at what seldom changes, and between two drawings
 * where nothing is new but the time. */
#define SELDOM 1.0

struct watch_options {
	const char *run;
	const char *color;
};

static const struct opt options[] = {
	OPT(struct watch_options, run, "run", 'r', "NAME",
	    "this run (the task's), as RUN"),
	OPT(struct watch_options, color, "color", 0, "WHEN",
	    "always, never or auto"),
	OPT_END,
};

struct viewer {
	struct session session;
	const char *wanted; /* the run that was named, or NULL */
	char *run;	    /* NULL: it is not there yet */
	char *waiting, *trouble;
	struct follower *follower;
	struct doing doing;
	long pid;
	bool elsewhere;
	struct tally tally;
	double looked; /* for the last time at what seldom changes */
};

static void viewer_release(struct viewer *v)
{
	free(v->run);
	free(v->waiting);
	free(v->trouble);
	follower_free(v->follower);
	doing_release(&v->doing);
	session_release(&v->session);
}
DEFINE_RELEASE(viewer, struct viewer, viewer_release)

/* ---- signals ------------------------------------------------------------- */

/* Global, because a signal handler has no argument for it. */
static volatile sig_atomic_t asked;

static void on_signal(int signo)
{
	(void)signo;
	asked = 1;
}

static void catch_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = on_signal};

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &action, NULL);
}

/* ---- looking ------------------------------------------------------------- */

/* A run that is not there yet is waited for; that several are there and none was
 * named is an error. */
static struct error *find_run(struct viewer *v)
{
	struct error *err = which_run_there(&v->run, &v->session, v->wanted);

	if (!err) {
		v->follower = follower_new(v->session.git, v->run);
		return NULL;
	}
	if (!error_is(err, ERROR_NOT_FOUND))
		return err;
	free(v->waiting);
	v->waiting = xasprintf("waiting for a run: %s", error_message(err));
	error_free(err);
	return NULL;
}

static void look_seldom(struct viewer *v)
{
	const struct population *p = follower_population(v->follower);
	struct gitstore *g = v->session.git;

	tally_make(&v->tally, p);
	v->pid = gitstore_run_holder(g, v->run);
	v->elsewhere = *p->writer && !gitstore_is_writer(g, p->writer);
}

static bool look_at_doing(struct viewer *v)
{
	struct doing now;
	bool changed;

	doing_read(&now, v->session.git, v->run);
	changed = now.since_us != v->doing.since_us;
	doing_release(&v->doing);
	v->doing = now;
	return changed;
}

/* What cannot be read is shown, and tried again a second later: another process
 * may be mending it. */
static bool look_at_journal(struct viewer *v)
{
	bool changed = false;
	cleanup_error struct error *err = follower_read(&changed, v->follower);

	free(v->trouble);
	v->trouble = err ? xstrdup(error_message(err)) : NULL;
	return changed;
}

static struct error *look(bool *changed, struct viewer *v)
{
	double now = clock_seconds();
	bool seldom = now - v->looked >= SELDOM;

	if (seldom)
		v->looked = now;
	*changed = seldom;
	if (seldom && !v->run)
		TRY(find_run(v));
	if (!v->run)
		return NULL;
	if (!v->trouble || seldom)
		*changed |= look_at_journal(v);
	*changed |= look_at_doing(v);
	if (seldom)
		look_seldom(v);
	return NULL;
}

static void draw(const struct viewer *v, struct watch_screen *screen)
{
	const struct view view = {
		.run = v->run,
		.waiting = v->waiting,
		.trouble = v->trouble,
		.p = v->run ? follower_population(v->follower) : NULL,
		.pid = v->pid,
		.elsewhere = v->elsewhere,
		.doing = &v->doing,
		.tally = &v->tally,
		.now_us = clock_wall_us(),
	};

	view_draw(screen_begin(screen), &view);
	screen_end(screen);
}

static struct error *watch(enum exit_code *code, struct viewer *v,
			   struct watch_screen *screen)
{
	enum screen_key key = KEY_IS_NONE;

	while (key != KEY_IS_QUIT && !asked) {
		bool changed = false;

		TRY(look(&changed, v));
		if (changed || key == KEY_IS_OTHER)
			draw(v, screen);
		key = screen_wait(screen, 1000 / LOOKS);
	}
	if (asked)
		*code = CODE_INTERRUPTED;
	return NULL;
}

/* Not session_open, which mends what other commands need. */
static struct error *open_store(struct session *s, const char *color)
{
	cleanup_free char *configured = NULL;

	TRY(gitstore_open(&s->git, "."));
	configured = gitstore_config(s->git, "color.ui");
	return palette_init(&s->color, color, configured, STDOUT_FILENO);
}

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	CLEANUP(viewer) struct viewer v = {.looked = -SELDOM};
	cleanup_strvec struct strvec operands = STRVEC_INIT;
	cleanup_screen struct watch_screen *screen = NULL;
	struct watch_options o = {0};

	TRY(command_parse(self, &o, &operands, argv));
	TRY(which_run_named(&v.wanted, "watch", &operands, o.run));
	TRY(open_store(&v.session, o.color));
	TRY(find_run(&v));
	catch_signals();
	TRY(screen_open(&screen, v.session.color.on));
	return watch(code, &v, screen);
}

static const struct exit_meaning exits[] = {
	{CODE_USAGE, "The command line is wrong, or there is no terminal."},
	{CODE_YES, NULL},
};

const struct command command_watch = {
	.name = "watch",
	.operands = "[RUN]",
	.summary = "shows a run in the terminal while it works",
	.about = "Shows a run of this repository, whichever process extends "
		 "it, and what it is doing:\nthe champion and the line to it, "
		 "the speed of every attempt, the newest attempts,\nmachine "
		 "and spending. Changes nothing. A run that is not there yet "
		 "is waited for;\none whose process was killed is said to be "
		 "dead.\n"
		 "q quits; exit code 130 after Ctrl-C, 2 where there is no "
		 "terminal.",
	.options = options,
	.exits = exits,
	.max_operands = 1,
	.run = run,
};
