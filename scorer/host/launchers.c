#include "scorer/host/launchers.h"

#include "core/base/clock.h"
#include "scorer/host/gpu_process.h"
#include "scorer/host/gpu_setup.h"

#define OPEN_SECONDS 60.0
/* Card memory of an idle spare, at least, and the share of all of them. */
#define SPARE_BYTES ((uint64_t)1 << 30)
#define SHARE	    8
/* A runner that holds less of the card (1 in so many) disturbs nothing when it
 * ends. */
#define SMALL_SHARE 16

void launchers_init(struct launchers *l, uint64_t memory)
{
	*l = (struct launchers){.memory = memory};
	l->most = (size_t)MIN(memory / SHARE / SPARE_BYTES, LAUNCHERS_MOST);
}

/* ---- spare ones ---------------------------------------------------------- */

static struct error *start(struct runner **out, const struct scoring *sc,
			   bool one_queue)
{
	/* The spec must have a descriptor; there is no object yet. */
	struct runner_spec spec = gpu_spec(sc, "spare", sc->program_fd);
	struct start_request q = {.head = {MESSAGE_START, 0}};

	spec.one_queue = one_queue;
	TRY(runner_start(out, &spec));
	(*out)->spare = (*out)->gated = true;
	runner_send(*out, &q, sizeof q, -1, -1);
	return NULL;
}

struct error *launchers_expect(struct scoring *sc, size_t n)
{
	struct launchers *l = &sc->launchers;

	if (l->n >= n)
		return NULL;
	if (n + l->n_spent + l->n_kept > l->most)
		launchers_kill_spent(l);
	while (l->n < MIN(n, l->most - MIN(l->n_kept, l->most))) {
		struct runner *r = NULL;

		TRY(start(&r, sc, true));
		l->spare[l->n++] = (struct spare){.runner = r};
	}
	return NULL;
}

static struct runner *take_first(struct launchers *l, bool *open)
{
	struct runner *first = l->spare[0].runner;

	*open = l->spare[0].open;
	l->n--;
	memmove(l->spare, l->spare + 1, l->n * sizeof *l->spare);
	return first;
}

static struct error *not_open(struct runner *r, enum runner_state state,
			      const union runner_reply *reply)
{
	int code, number;

	switch (state) {
	case RUNNER_REFUSED:
		return gpu_refused(reply->refused.text);
	case RUNNER_INTERRUPTED:
		return error_new(ERROR_INTERRUPTED, "stopped");
	case RUNNER_LATE:
		return error_new(ERROR_SYSTEM,
				 "the GPU does not answer: a process did not "
				 "get it open in %.0f s; look at `nvidia-smi`",
				 OPEN_SECONDS);
	default:
		break;
	}
	runner_end(r, &code, &number);
	return error_new(
		ERROR_SYSTEM,
		number ? "the GPU's driver ended a process that opened "
			 "it, by signal %d; look at `nvidia-smi`"
		       : "the GPU's driver ended a process that opened "
			 "it, with status %d; look at `nvidia-smi`",
		number ? number : code);
}

static struct error *await_open(struct runner *r, double deadline)
{
	union runner_reply reply;
	enum runner_state state =
		runner_wait(r, &reply, MESSAGE_STARTED, deadline);

	return state == RUNNER_ANSWERED ? NULL : not_open(r, state, &reply);
}

/* A spare that does not work is not an error, but an interruption is. */
static struct error *look_at(bool *good, struct runner *r, bool open,
			     double deadline)
{
	cleanup_error struct error *err = NULL;

	if (!open)
		err = await_open(r, deadline);
	if (err && error_is(err, ERROR_INTERRUPTED))
		return steal(&err);
	*good = !err;
	return NULL;
}

/* Does a spare still work? A fault of the card may have broken it meanwhile. */
static bool answers(struct runner *r)
{
	gpu_launcher_rest(r);
	return gpu_launcher_rests(r);
}

struct error *launchers_take_fresh(struct runner **out,
				   const struct scoring *sc, bool one_queue)
{
	cleanup_runner struct runner *fresh = NULL;

	TRY(start(&fresh, sc, one_queue));
	TRY(await_open(fresh, clock_seconds() + OPEN_SECONDS));
	*out = steal(&fresh);
	return NULL;
}

struct error *launchers_take(struct runner **out, struct scoring *sc)
{
	struct launchers *l = &sc->launchers;
	double deadline = clock_seconds() + OPEN_SECONDS;

	while (l->n) {
		bool open, good = false;
		cleanup_runner struct runner *r = take_first(l, &open);

		TRY(look_at(&good, r, open, deadline));
		if (good && answers(r)) {
			*out = steal(&r);
			return NULL;
		}
	}
	return launchers_take_fresh(out, sc, true);
}

struct error *launchers_take_capturer(struct runner **out, struct scoring *sc,
				      struct entry_points points,
				      const struct build *b)
{
	cleanup_runner struct runner *r = NULL;
	struct runner_spec spec = gpu_resident_spec(sc, b);

	if (b->runner)
		return gpu_host_start(out, sc->task, points, &spec);
	TRY(launchers_take(&r, sc));
	TRY(gpu_capturer_begin(r, points, b->object_fd));
	*out = steal(&r);
	return NULL;
}

/* Of those that are neither open nor stopped nothing will come. */
static void drop_broken(struct launchers *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n; i++)
		if (l->spare[i].open || l->spare[i].stopped)
			l->spare[kept++] = l->spare[i];
		else
			runner_free(l->spare[i].runner);
	l->n = kept;
}

static struct error *await_spares(struct launchers *l)
{
	double deadline = clock_seconds() + OPEN_SECONDS;

	for (size_t i = 0; i < l->n; i++) {
		struct spare *b = &l->spare[i];

		TRY(look_at(&b->open, b->runner, b->open, deadline));
	}
	drop_broken(l);
	return NULL;
}

/* ---- quiet --------------------------------------------------------------- */

/* Is it open by now, or does it have to be stopped? */
static void begin_to_stop(struct spare *b)
{
	union runner_reply reply;
	enum runner_state state = RUNNER_ANSWERED;

	if (!b->open)
		state = runner_wait(b->runner, &reply, MESSAGE_STARTED,
				    clock_seconds());
	b->open = state == RUNNER_ANSWERED;
	b->stopped = state == RUNNER_LATE || state == RUNNER_INTERRUPTED;
	if (b->stopped)
		sandboxed_send_stop(&b->runner->process);
}

static void stop_spares(struct launchers *l)
{
	for (size_t i = 0; i < l->n; i++)
		begin_to_stop(&l->spare[i]);
	for (size_t i = 0; i < l->n; i++) {
		struct spare *b = &l->spare[i];
		struct error *err = NULL;

		if (b->stopped)
			err = sandboxed_freeze(&b->runner->process);
		/* It has ended, or the driver does not let go of it. */
		if (err)
			b->stopped = false;
		error_free(err);
	}
	drop_broken(l);
}

void launchers_go_on(struct launchers *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct spare *b = &l->spare[i];

		if (b->stopped)
			error_free(sandboxed_thaw(&b->runner->process));
		b->stopped = false;
	}
}

/* ---- spent ones ---------------------------------------------------------- */

static void kill_spent(struct spent *s)
{
	runner_send_kill(s->runner);
	s->killed = true;
}

static void await_spent(struct launchers *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n_spent; i++) {
		struct spent *s = &l->spent[i];

		if (s->asked && !s->killed && !gpu_launcher_rests(s->runner))
			kill_spent(s);
		s->asked = false;
	}
	for (size_t i = 0; i < l->n_spent; i++)
		if (l->spent[i].killed)
			runner_free(l->spent[i].runner);
		else
			l->spent[kept++] = l->spent[i];
	l->n_spent = kept;
}

/* ---- kept ones ----------------------------------------------------------- */

static void remove_kept(struct launchers *l, size_t at)
{
	free(l->kept[at].whose);
	l->n_kept--;
	memmove(l->kept + at, l->kept + at + 1,
		(l->n_kept - at) * sizeof *l->kept);
}

/* Does it rest, as it was asked to? */
static bool rests(struct kept_launcher *k)
{
	bool good = !k->asked || gpu_launcher_rests(k->runner);

	k->asked = false;
	return good;
}

static void await_kept(struct launchers *l)
{
	for (size_t i = l->n_kept; i > 0; i--) {
		struct runner *r = l->kept[i - 1].runner;

		if (rests(&l->kept[i - 1]))
			continue;
		remove_kept(l, i - 1);
		runner_free(r);
	}
}

static void end_kept(struct launchers *l)
{
	while (l->n_kept) {
		struct runner *r = l->kept[0].runner;

		remove_kept(l, 0);
		runner_free(r);
	}
}

struct error *launchers_await(struct scoring *sc)
{
	TRY(await_spares(&sc->launchers));
	await_spent(&sc->launchers);
	await_kept(&sc->launchers);
	return NULL;
}

struct error *launchers_quiet(struct scoring *sc)
{
	struct launchers *l = &sc->launchers;

	await_spent(l);
	await_kept(l);
	stop_spares(l);
	return sc->stop_now && *sc->stop_now == 2
		       ? error_new(ERROR_INTERRUPTED, "stopped")
		       : NULL;
}

static struct spent *add_spent(struct launchers *l, struct runner *r)
{
	if (l->n_spent == ARRAY_SIZE(l->spent)) {
		launchers_kill_spent(l);
		await_spent(l);
	}
	l->spent[l->n_spent] = (struct spent){.runner = r};
	return &l->spent[l->n_spent++];
}

void launchers_leave(struct scoring *sc, struct runner *launcher)
{
	struct launchers *l = &sc->launchers;
	struct spent *s;

	if (!launcher)
		return;
	s = add_spent(l, launcher);
	if (l->n + l->n_spent + l->n_kept > l->most) {
		kill_spent(s);
		return;
	}
	gpu_launcher_rest(launcher);
	s->asked = true;
}

void launchers_keep(struct scoring *sc, struct runner *launcher,
		    const char *whose, unsigned uses)
{
	struct launchers *l = &sc->launchers;

	if (!launcher || uses >= LAUNCHER_USES ||
	    l->n + l->n_spent + l->n_kept >= l->most) {
		launchers_leave(sc, launcher);
		return;
	}
	if (l->n_kept == ARRAY_SIZE(l->kept)) {
		kill_spent(add_spent(l, l->kept[0].runner));
		remove_kept(l, 0);
	}
	gpu_launcher_rest(launcher);
	l->kept[l->n_kept++] = (struct kept_launcher){.runner = launcher,
						      .whose = xstrdup(whose),
						      .uses = uses,
						      .asked = true};
}

struct runner *launchers_take_kept(unsigned *uses, struct scoring *sc,
				   const char *whose)
{
	struct launchers *l = &sc->launchers;

	for (size_t i = 0; i < l->n_kept; i++) {
		struct kept_launcher k = l->kept[i];
		bool good;

		if (!str_eq(k.whose, whose))
			continue;
		/* What it answered when it was kept may be minutes old. */
		good = rests(&k) && answers(k.runner);
		remove_kept(l, i);
		if (good) {
			*uses = k.uses;
			return k.runner;
		}
		runner_free(k.runner);
		return NULL;
	}
	return NULL;
}

void launchers_end(struct scoring *sc, struct runner *r, uint64_t bytes)
{
	if (!r)
		return;
	if (bytes > sc->launchers.memory / SMALL_SHARE)
		runner_free(r);
	else
		kill_spent(add_spent(&sc->launchers, r));
}

void launchers_kill_spent(struct launchers *l)
{
	for (size_t i = 0; i < l->n_spent; i++)
		kill_spent(&l->spent[i]);
}

void launchers_clear(struct launchers *l)
{
	for (size_t i = 0; i < l->n; i++)
		runner_send_kill(l->spare[i].runner);
	launchers_kill_spent(l);
	for (size_t i = 0; i < l->n; i++)
		runner_free(l->spare[i].runner);
	l->n = 0;
	await_spent(l);
	end_kept(l);
}
