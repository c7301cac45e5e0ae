#include "agent/command/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "agent/mcp/mcp.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/text.h"

#define TAIL_SHOWN   600
#define LINE_SHOWN   80 /* in a remark, which each step has */
#define LOOK_SECONDS 0.25
/* For notes, after the last attempt: a turn or two of a model. */
#define GRACE_SECONDS 60.0

struct command_operator {
	struct variation_operator operator_; /* first: cast back */
	struct command_settings settings;
	struct tool_knowledge *knowledge;
	struct notes notes;
	bool restored;
};

/* One run of the program. */
struct command_session {
	struct variation *v;
	const struct command_settings *settings;
	struct mcp_server *server;
	struct sandboxed process;
	int output_fd;
	struct command_output output;
	struct command_usage usage;
	double began, heard;
	double over;	/* when the budget was found spent; 0: it is not */
	char *end;	/* why it ended, in words; NULL: still running */
	bool failed;	/* stopped at its limits, or it failed */
	bool unstarted; /* the sandbox has no such program */
};

static void command_session_release(struct command_session *s)
{
	sandboxed_kill(&s->process);
	mcp_stop(s->server);
	cleanup_fd_fn(&s->output_fd);
	command_output_release(&s->output);
	command_usage_release(&s->usage);
	free(s->end);
}
DEFINE_RELEASE(command_session, struct command_session, command_session_release)

/* ---- watching the program ------------------------------------------------ */

/* Tells the run what the program says that it used. */
static void count_usage(struct command_session *s)
{
	struct allowance *a = s->v->allowance;
	struct spend more;

	if (command_usage_take(&more, &s->usage) && a)
		a->spent(a, &more);
}

static struct error *listen_to_it(struct command_session *s)
{
	char chunk[4096];
	ssize_t n;

	/* Bounded, so that a flood of output cannot starve the rest. */
	for (int i = 0; i < 64; i++) {
		n = read(s->output_fd, chunk, sizeof chunk);
		if (n <= 0)
			return NULL;
		TRY(command_output_add(&s->output, chunk, (size_t)n));
		command_usage_add(&s->usage, chunk, (size_t)n);
		count_usage(s);
		s->heard = clock_seconds();
	}
	return NULL;
}

static char *how_it_ended(int exit_code, int signal, double seconds)
{
	if (signal)
		return xasprintf("it was ended by signal %d after %.0f s",
				 signal, seconds);
	if (exit_code)
		return xasprintf("it ended with exit code %d after %.0f s",
				 exit_code, seconds);
	return xasprintf("it finished after %.0f s", seconds);
}

/* With the attempts up, a program may still write its notes. */
static const char *why_end(struct command_session *s, double now)
{
	const char *why = s->v->allowance->why_stop(s->v->allowance);

	if (!why || !str_eq(why, "attempts"))
		return why;
	if (s->over <= 0)
		s->over = now;
	return now - s->over > GRACE_SECONDS ? why : NULL;
}

static void look(struct command_session *s)
{
	const struct command_settings *limits = s->settings;
	double now = clock_seconds(), last = s->heard;
	const char *why = why_end(s, now);
	int exit_code = 0, signal = 0;

	last = MAX(last, now - mcp_silence(s->server));
	s->failed = !why;
	if (sandboxed_ended(&s->process, &exit_code, &signal)) {
		s->end = how_it_ended(exit_code, signal, now - s->began);
		s->failed = exit_code || signal;
		/* How a shell or prlimit(1) ends if it cannot start it. */
		s->unstarted = exit_code == 126 || exit_code == 127;
	} else if (why)
		s->end = xasprintf("%s, so it was ended", stop_words(why));
	else if (limits->silence > 0 && now - last > limits->silence)
		s->end = xasprintf("it said and asked nothing for %.0f s, so "
				   "it was ended",
				   limits->silence);
	else if (limits->seconds > 0 && now - s->began > limits->seconds)
		s->end = xasprintf("it took longer than %.0f s, so it was "
				   "ended",
				   limits->seconds);
}

static struct error *wait_for_news(struct command_session *s, struct pollfd *p,
				   nfds_t n)
{
	int rc, why;

	allowance_away(s->v->allowance, true);
	rc = poll(p, n, (int)(LOOK_SECONDS * 1e3));
	why = errno;
	allowance_away(s->v->allowance, false);
	errno = why;
	return rc < 0 && why != EINTR ? error_errno("poll") : NULL;
}

static struct error *watch(struct command_session *s)
{
	bool did = false;

	for (;;) {
		struct pollfd p[3] = {{mcp_work_fd(s->server), POLLIN, 0},
				      {s->output_fd, POLLIN, 0},
				      {s->process.inner_fd, POLLIN, 0}};

		if (!did)
			TRY(wait_for_news(s, p, ARRAY_SIZE(p)));
		TRY(listen_to_it(s));
		look(s);
		if (s->end)
			return NULL;
		TRY(mcp_work(&did, s->server));
	}
}

/* ---- starting the program ------------------------------------------------ */

static struct error *start(struct command_session *s,
			   const struct command_box *box)
{
	const struct sandbox_spec spec = {
		.profile = SANDBOX_BUILD,
		.argv = (const char *const *)box->argv.v,
		.env = (const char *const *)box->env.v,
		.folders = (const char *const *)s->settings->folders.v,
		.network = true,
		.binds = box->bind,
		.n_binds = box->n_binds,
		.limits = {.file_bytes = (uint64_t)4 << 30, .processes = 4096},
	};
	cleanup_fd int write_fd = -1;
	int fd[2];

	if (pipe2(fd, O_CLOEXEC) < 0)
		return error_errno("pipe");
	s->output_fd = fd[0];
	write_fd = fd[1];
	if (fcntl(fd[0], F_SETFL, O_NONBLOCK) < 0)
		return error_errno("pipe");
	s->began = s->heard = clock_seconds();
	return sandbox_start(&s->process, s->v->sandbox, &spec, write_fd);
}

static void add_prompt(struct buf *out, const struct toolbox *box)
{
	const struct variation *v = box->v;

	buf_adds(out,
		 "Make the kernel of this task faster and keep it right. The "
		 "folder you are in holds its sources. Use the tools of the "
		 "MCP server `avogit`: look at `lineage` and `knowledge`, form "
		 "one hypothesis, change the sources, `build`, then `score` "
		 "with what you changed and why. Only what is scored counts, "
		 "and only the sources below are read back. Go on until you "
		 "have no better idea, and put into `notes` what a later "
		 "step should know; after the last attempt there is a minute "
		 "for that.\n\n");
	toolbox_brief(out, box);
	if (v->direction)
		buf_addf(out, "\ndirection for this step: %s\n", v->direction);
	if (box->notes->text.len)
		buf_addf(out, "\nyour notes from before:\n%s\n",
			 box->notes->text.data);
}

/* ---- judging the result -------------------------------------------------- */

/* The end of the program's output as one paragraph for people. */
static char *last_words(const struct buf *tail)
{
	cleanup_buf struct buf words = BUF_INIT(TAIL_SHOWN + 1);
	size_t from = tail->len > TAIL_SHOWN ? tail->len - TAIL_SHOWN : 0;

	for (size_t i = from; i < tail->len; i++) {
		unsigned char c = (unsigned char)tail->data[i];

		if (c > ' ')
			buf_addc(&words, (char)c);
		else if (words.len && words.data[words.len - 1] != ' ')
			buf_addc(&words, ' ');
	}
	buf_trim_end(&words);
	return buf_take(&words);
}

/* The last line that is not empty, cut: a script may print all day. */
static char *last_line(const char *text, size_t end)
{
	cleanup_buf struct buf line = BUF_INIT(LINE_SHOWN + sizeof "...");
	cleanup_buf struct buf cut = BUF_INIT(LINE_SHOWN);
	size_t from;

	while (end && (unsigned char)text[end - 1] <= ' ')
		end--;
	for (from = end; from && text[from - 1] != '\n';)
		from--;
	text_add_line(&cut, text + from, end - from);
	buf_adds(&line, cut.data);
	if (cut.truncated)
		buf_adds(&line, "...");
	return buf_take(&line);
}

/* Scores changed sources that have no score; adds the result to the remark. */
static struct error *judge(struct buf *remark, struct toolbox *box,
			   const char *words)
{
	cleanup_tool_reply struct tool_reply reply;
	struct error *err;
	bool dirty = false;

	tool_reply_init(&reply);
	err = toolbox_is_dirty(&dirty, box);
	if (error_is(err, ERROR_SYSTEM) || error_is(err, ERROR_NOT_FOUND) ||
	    error_is(err, ERROR_REFUSED) || error_is(err, ERROR_TOO_BIG)) {
		buf_addf(remark, "; what it left cannot be read: %s",
			 error_message(err));
		error_free(err);
		return NULL;
	}
	TRY(err);
	if (!dirty || !box->v->may_go_on(box->v))
		return NULL;
	TRY(toolbox_score(&reply, box, "What the agent left in its workspace",
			  words));
	if (reply.failed)
		buf_addf(remark, "; what it left was not scored: %.300s",
			 reply.text.data);
	else
		buf_adds(remark, "; what it left unscored was scored");
	return NULL;
}

static void add_last_line(struct buf *remark, const struct command_session *s)
{
	cleanup_free char *line =
		last_line(s->output.tail.data, s->output.tail.len);

	if (*line)
		buf_addf(remark, "; its last words: %s", line);
}

static struct error *conclude(struct command_session *s, struct toolbox *box)
{
	cleanup_buf struct buf remark = BUF_INIT(4096);
	cleanup_free char *words = last_words(&s->output.tail);
	struct error *err;

	buf_addf(&remark, "%s: %s", s->settings->words.v[0], s->end);
	err = judge(&remark, box, words);
	if (err)
		return err;
	buf_addf(&remark, "; %zu attempt%s", box->attempts,
		 box->attempts == 1 ? "" : "s");
	TRY(command_output_keep(&s->output, remark.data));
	add_last_line(&remark, s);
	TRY(s->v->remark(s->v, remark.data));
	s->v->because = xstrdup(remark.data);
	if (!s->unstarted || box->attempts)
		return NULL;
	/* The next step would fail in the same way. */
	return error_new(ERROR_TASK,
			 "%s: operator.command: it could not be started in "
			 "the sandbox, which has /usr and what "
			 "operator.folders names: %s",
			 s->v->task->path, words);
}

/* ---- the operator -------------------------------------------------------- */

static struct error *run(struct command_session *s, struct toolbox *box,
			 struct command_box *folders)
{
	cleanup_buf struct buf prompt = BUF_INIT((size_t)64 << 10);
	const struct mcp_options options = {-1, -1, folders->listen_fd, NULL};
	struct error *err;

	add_prompt(&prompt, box);
	TRY(command_output_open(&s->output, s->v, prompt.data));
	TRY(command_box_brief(folders, s->v, s->settings, prompt.data));
	TRY(mcp_start(&s->server, &options));
	mcp_attach(s->server, box);
	err = start(s, folders);
	if (!err)
		err = watch(s);
	if (!err)
		err = listen_to_it(s);
	command_usage_end(&s->usage);
	count_usage(s);
	sandboxed_kill(&s->process);
	mcp_detach(s->server);
	return err ? err : command_output_close(&s->output);
}

static struct error *vary(struct variation_operator *self, enum varied *out,
			  struct variation *v)
{
	struct command_operator *c = (struct command_operator *)self;
	cleanup_command_box struct command_box folders = COMMAND_BOX_INIT;
	CLEANUP(command_session)
	struct command_session s = {
		.v = v, .settings = &c->settings, .output_fd = -1};
	struct toolbox box;

	command_output_init(&s.output, &c->settings);
	command_usage_init(&s.usage);
	if (!v->sandbox)
		return error_new(ERROR_REFUSED,
				 "a command operator needs a sandbox");
	if (!c->restored)
		notes_restore(&c->notes, v->population);
	c->restored = true;
	TRY(command_box_make(&folders, v, &c->settings));
	toolbox_init(&box, v);
	box.dir = folders.workspace;
	box.shown = SANDBOX_BOX;
	box.notes = &c->notes;
	box.knowledge = c->knowledge;
	TRY(run(&s, &box, &folders));
	TRY(conclude(&s, &box));
	*out = box.attempts ? VARIED
	       : s.failed   ? VARIED_FAILED
			    : VARIED_NOTHING;
	return NULL;
}

static void command_free(struct variation_operator *self)
{
	struct command_operator *c = (struct command_operator *)self;

	command_settings_release(&c->settings);
	notes_release(&c->notes);
	free(c);
}

struct error *command_new(struct variation_operator **out,
			  const struct task *task,
			  struct tool_knowledge *knowledge)
{
	cleanup_command_settings struct command_settings settings = {0};
	struct command_operator *c;

	TRY(command_settings_read(&settings, task));
	c = xcalloc(1, sizeof *c);
	c->operator_ = (struct variation_operator){
		.name = "command", .vary = vary, .free = command_free};
	c->settings = settings;
	settings = (struct command_settings){0};
	c->knowledge = knowledge;
	notes_init(&c->notes);
	*out = &c->operator_;
	return NULL;
}
