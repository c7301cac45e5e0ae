#include "scorer/inspect/replay_folder.h"

#include <unistd.h>

#include "core/base/file.h"
#include "scorer/wire/fence.h"
#include "scorer/host/gpu_setup.h"

#define WARM_UP_SECONDS 60 /* besides its kernels three times */

void launch_capture_release(struct launch_capture *c)
{
	free(c->order);
	cleanup_fd_fn(&c->plan);
	cleanup_fd_fn(&c->inputs);
	*c = (struct launch_capture)LAUNCH_CAPTURE_INIT;
}

/* ---- the capture --------------------------------------------------------- */

static bool has_generators(const struct task *t)
{
	for (size_t i = 0; i < t->n_arguments; i++)
		if (t->argument[i].kind == ARGUMENT_TENSOR &&
		    t->argument[i].fill == FILL_GENERATOR)
			return true;
	return false;
}

/* Their code runs in a sandbox, and the launch is played outside of one. */
static struct error *generate(int *fd, struct scorer *s, struct input_set *set)
{
	cleanup_judge struct judge *j = NULL;

	if (!has_generators(s->task))
		return NULL;
	TRY(scorer_start_filler(&j, s));
	TRY(judge_fill(j, set));
	*fd = steal_fd(&set->fd);
	return NULL;
}

static struct error *make_order(struct launch_capture *l, struct scorer *whole,
				const struct task_case *c,
				enum replay_for what_for, uint32_t seconds)
{
	cleanup_input_set struct input_set s = INPUT_SET_INIT;
	struct replay_order *order = l->order;
	struct scoring *sc = &whole->scoring;

	TRY(gpu_set(&s, sc, c, FILL_NORMAL, 1));
	order->checked = what_for == REPLAY_FOR_SANITIZER;
	if (order->checked)
		TRY(fence_layout(&s.call.layout, sc->task));
	gpu_addresses_draw(&order->addresses, &sc->layout);
	gpu_addresses_size(&order->addresses, &s.call);
	order->call = s.call;
	order->recipe = s.recipe;
	order->prepares = sc->task->prepare != NULL;
	order->plan_bytes =
		(order->prepares ? 2 : 1) * sizeof(struct plan_launch);
	order->warm_up_seconds =
		WARM_UP_SECONDS +
		(uint32_t)MIN(3 * sc->task->timeout_seconds, 3600.0);
	order->seconds = seconds;
	return generate(&l->inputs, whole, &s);
}

static struct error *capture(struct score_outcome *o, struct launch_capture *l,
			     struct scoring *sc, const struct build *build)
{
	cleanup_runner struct runner *capturer = NULL;

	TRY(launchers_take_capturer(&capturer, sc, scoring_points(sc->task),
				    build));
	TRY(gpu_host_started(o, capturer, sc->task));
	for (unsigned i = 0; o->verdict == VERDICT_PASS && l->plan < 0; i++) {
		struct readiness how = {0};

		TRY(gpu_capture(o, &how, &l->plan, capturer, sc->task,
				&l->order->call, &l->order->addresses));
		if (o->verdict != VERDICT_PASS || how.state == GPU_READY)
			break;
		if (how.state == GPU_UNREPLAYABLE || i == GPU_MOVES)
			return error_new(ERROR_REFUSED,
					 "it cannot be captured and replayed: "
					 "%s",
					 how.why);
		gpu_addresses_draw(&l->order->addresses, &sc->layout);
	}
	return NULL;
}

struct error *launch_capture_make(struct score_outcome *o,
				  struct launch_capture *out, struct scorer *s,
				  const struct build *build,
				  const struct task_case *c,
				  enum replay_for what_for, uint32_t seconds)
{
	cleanup_launch_capture struct launch_capture l = LAUNCH_CAPTURE_INIT;

	l.order = xcalloc(1, sizeof *l.order);
	TRY(make_order(&l, s, c, what_for, seconds));
	TRY(capture(o, &l, &s->scoring, build));
	*out = l;
	l = (struct launch_capture)LAUNCH_CAPTURE_INIT;
	return NULL;
}

/* ---- the folder ---------------------------------------------------------- */

void replay_folder_remove(char *folder)
{
	if (folder)
		error_free(dir_remove(folder));
	free(folder);
}

static struct error *write_file(const char *folder, const char *name,
				const void *data, size_t len, bool executable)
{
	cleanup_free char *path = xasprintf("%s/%s", folder, name);

	return file_write(path, data, len, executable);
}

/* Writes the contents of a memfd whose maker has ended, so that no process can
 * still change it. */
static struct error *write_memory_file(const char *folder, const char *name,
				       int fd, bool executable)
{
	off_t bytes = lseek(fd, 0, SEEK_END);
	cleanup_free char *data = NULL;

	if (bytes < 0)
		return error_errno("cannot read what is to be replayed");
	data = xcalloc((size_t)bytes + 1, 1);
	if (pread(fd, data, (size_t)bytes, 0) != bytes)
		return error_errno("cannot read what is to be replayed");
	return write_file(folder, name, data, (size_t)bytes, executable);
}

struct error *replay_folder_make(char **out, const char *prefix,
				 const struct launch_capture *c,
				 const struct scoring *sc,
				 const struct build *build)
{
	cleanup_replay_folder char *folder = NULL;
	cleanup_fd int cubins = -1;

	TRY(dir_make_temp(&folder, "/tmp", prefix));
	TRY(gpu_cubins(&cubins, build));
	TRY(write_file(folder, REPLAY_ORDER, c->order, sizeof *c->order,
		       false));
	TRY(write_memory_file(folder, REPLAY_PLAN, c->plan, false));
	TRY(write_memory_file(folder, REPLAY_CUBINS, cubins, false));
	if (c->inputs >= 0)
		TRY(write_memory_file(folder, REPLAY_INPUTS, c->inputs, false));
	TRY(write_memory_file(folder, "replay", sc->program_fd, true));
	*out = steal(&folder);
	return NULL;
}

char *replay_folder_word(const char *folder, const char *name)
{
	cleanup_free char *path = xasprintf("%s/%s", folder, name);
	cleanup_buf struct buf text = BUF_INIT(PROTOCOL_TEXT);
	cleanup_error struct error *err = file_read(&text, path);

	return err || !text.len ? NULL : buf_take(&text);
}
