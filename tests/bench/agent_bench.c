/*
 * Figures of the agent: many at a time on one repository, each a run of its
 * own, against the scripted model server. What avogit itself takes for a tool
 * call (the request that it belongs to, sending and parsing included; not what
 * a compiler or a kernel takes), and its memory with a transcript of 1 MiB: its
 * share, and all that is mapped, of which more than half is libraries' code.
 *
 *     agent_bench AVOGIT MODEL-SERVER REPO AGENTS
 *
 * The kernel of REPO has 6000 lines of comment, for a transcript to be long.
 */
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/sandbox/process.h"
#include "core/score/stats.h"
#include "gitstore/gitstore.h"
#include "gitstore/run/logs.h"

#define TURNS	   80
#define MAX_CALLS  100000
#define MAX_AGENTS 64

extern char **environ;

static void print_figure(const char *name, double value, const char *unit,
			 const char *goal, bool ok)
{
	printf("%s %.4g %s %s %s\n", name, value, unit, goal,
	       ok ? "ok" : "SHORT");
}

/* ---- what they work on --------------------------------------------------- */

/* Mostly views, which fill the transcript; the rest of the tools between. */
static void add_turn(struct buf *out, int turn)
{
	static const char *const others[] = {
		"call search {\"pattern\":\"line that\"}",
		"call edit {\"path\":\"kernel.c\",\"old\":\"// 00100: a\","
		"\"new\":\"// 00100: the\"}",
		"call notes {\"add\":\"a line\"}",
		"call lineage {}",
		"call edit {\"path\":\"kernel.c\",\"old\":\"// 00100: the\","
		"\"new\":\"// 00100: a\"}",
		"call show {\"attempt\":\"best\"}",
		"call knowledge {\"query\":\"cache lines\"}",
	};

	buf_addf(out, "exchange\ntimes -1\nusage 100 1000 100 50\n");
	if (turn % 8 == 7)
		buf_addf(out, "%s\n", others[turn / 8 % 7]);
	else
		buf_addf(out, "call view {\"path\":\"kernel.c\",\"from\":%d}\n",
			 30 + 70 * turn);
}

static struct error *write_script(const char *path)
{
	cleanup_buf struct buf script = BUF_INIT(BUF_LIMIT_TEXT);

	buf_adds(&script, "order turns\n");
	for (int i = 0; i < TURNS; i++)
		add_turn(&script, i);
	return file_write(path, script.data, script.len, false);
}

/* ---- the processes ------------------------------------------------------- */

struct server {
	pid_t pid;
	int hold; /* it serves until this closes */
	char url[64];
};

static struct error *start_server(struct server *s, char *program, char *script)
{
	char *argv[] = {program, script, NULL}, port[16] = "";
	posix_spawn_file_actions_t actions;
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		return error_errno("pipe");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], 0);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	if (posix_spawn(&s->pid, program, &actions, NULL, argv, environ) != 0)
		return error_new(ERROR_SYSTEM, "cannot start %s", program);
	posix_spawn_file_actions_destroy(&actions);
	close(in[0]);
	close(out[1]);
	if (read(out[0], port, sizeof port - 1) <= 0)
		return error_new(ERROR_SYSTEM, "%s says no port", program);
	close(out[0]);
	s->hold = in[1];
	snprintf(s->url, sizeof s->url, "http://127.0.0.1:%d",
		 (int)strtol(port, NULL, 10));
	return NULL;
}

static pid_t start_agent(char *avogit, char *repo, int number)
{
	char run[32], turns[16];
	pid_t pid;

	snprintf(run, sizeof run, "agent-%d", number);
	snprintf(turns, sizeof turns, "%d", TURNS);
	pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

		dup2(null, STDOUT_FILENO);
		execl(avogit, avogit, "-C", repo, "evolve", "--run", run,
		      "--steps", turns, "--time", "10m", (char *)NULL);
		_exit(127);
	}
	return pid;
}

/* What one takes, in MiB. */
struct memory {
	double share;	 /* what libraries take is divided among their users */
	double resident; /* every page it has mapped, shared ones too */
};

static double kib_after(const char *text, const char *label)
{
	const char *line = strstr(text, label);

	return line ? (double)strtol(line + strlen(label), NULL, 10) : 0;
}

static void note_memory(struct memory *peak, pid_t pid)
{
	cleanup_buf struct buf rollup = BUF_INIT(1 << 16);
	cleanup_error struct error *err = NULL;
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
	err = file_read(&rollup, path);
	if (err || !rollup.len)
		return;
	peak->share = MAX(peak->share, kib_after(rollup.data, "Pss:") / 1024);
	peak->resident =
		MAX(peak->resident, kib_after(rollup.data, "Rss:") / 1024);
}

/* Returns how many did not end well; *peak is of each. */
static size_t run_agents(struct memory *peak, char *avogit, char *repo,
			 size_t n)
{
	pid_t pid[MAX_AGENTS];
	size_t left = n, failed = 0;

	for (size_t i = 0; i < n; i++)
		pid[i] = start_agent(avogit, repo, (int)i);
	while (left > 0) {
		for (size_t i = 0; i < n; i++) {
			int status = 0;

			if (!pid[i])
				continue;
			note_memory(&peak[i], pid[i]);
			if (waitpid(pid[i], &status, WNOHANG) == 0)
				continue;
			failed += !WIFEXITED(status) || WEXITSTATUS(status);
			pid[i] = 0;
			left--;
		}
		usleep(50000);
	}
	return failed;
}

/* ---- figures ------------------------------------------------------------- */

struct calls {
	double *ms;
	size_t n;
	double bytes; /* of results, the largest of a run */
};

/* From one result of a transcript to the next. */
static void read_transcript(struct calls *c, const char *text)
{
	double before = -1, now, bytes = 0;

	for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
		cleanup_json struct json *j = NULL;
		cleanup_error struct error *err =
			json_parse(&j, line, strcspn(line, "\n"));
		const char *result;

		if (err || !json_get_double(j, "cpu_so_far", &now))
			continue;
		if (before >= 0 && c->n < MAX_CALLS)
			c->ms[c->n++] = (now - before) * 1e3;
		before = now;
		if (json_get_string(j, "text", &result))
			bytes += (double)strlen(result);
	}
	c->bytes = MAX(c->bytes, bytes);
}

static struct error *log_read(struct buf *out, struct gitstore *g,
			      const struct log_info *log)
{
	cleanup_process_result struct process_result r = {0};
	cleanup_free char *blob = xasprintf("%s:%s", log->id.hex, log->name);
	const char *argv[] = {"git", "cat-file", "blob", blob, NULL};
	const struct process_spec spec = {.argv = argv,
					  .dir = gitstore_work_dir(g)};

	TRY(process_run(&r, &spec, out->limit));
	buf_add(out, r.output.data, r.output.len);
	return NULL;
}

static struct error *read_run(struct calls *c, struct gitstore *g, size_t run)
{
	cleanup_free char *name = xasprintf("agent-%zu", run);
	cleanup_log_list struct log_list logs = {0};

	TRY(gitstore_log_list(&logs, g, name, INT64_MAX));
	for (size_t i = 0; i < logs.n; i++) {
		cleanup_buf struct buf text = BUF_INIT((size_t)64 << 20);

		TRY(log_read(&text, g, &logs.log[i]));
		read_transcript(c, text.data);
	}
	return NULL;
}

static struct error *report(const char *repo, size_t n,
			    const struct memory *peak)
{
	cleanup_gitstore struct gitstore *g = NULL;
	cleanup_free double *ms = xcalloc(MAX_CALLS, sizeof *ms);
	struct calls calls = {.ms = ms};
	struct memory most = {0, 0};
	double median;

	TRY(gitstore_open(&g, repo));
	for (size_t i = 0; i < n; i++) {
		TRY(read_run(&calls, g, i));
		most.share = MAX(most.share, peak[i].share);
		most.resident = MAX(most.resident, peak[i].resident);
	}
	if (!calls.n)
		return error_new(ERROR_SYSTEM, "no transcript has any call");
	median = stats_median(calls.ms, calls.n);
	print_figure("agent.cpu_per_call_median", median, "ms", "<=5",
		     median <= 5);
	print_figure("agent.transcript", calls.bytes / 1048576, "MiB", ">=1",
		     calls.bytes >= 1048576);
	print_figure("agent.memory_share", most.share, "MiB", "<20",
		     most.share < 20);
	print_figure("agent.memory_resident", most.resident, "MiB", "<20",
		     most.resident < 20);
	return NULL;
}

static struct error *bench(char **argv, size_t n)
{
	cleanup_free char *script = xasprintf("%s.script", argv[3]);
	struct memory peak[MAX_AGENTS] = {0};
	struct server server;
	size_t failed;

	TRY(write_script(script));
	TRY(start_server(&server, argv[2], script));
	setenv("AVOGIT_PROVIDER", "anthropic", 1);
	setenv("AVOGIT_MODEL", "claude-sonnet-5", 1);
	setenv("AVOGIT_BASE_URL", server.url, 1);
	failed = run_agents(peak, argv[1], argv[3], n);
	close(server.hold);
	waitpid(server.pid, NULL, 0);
	if (failed)
		return error_new(ERROR_SYSTEM, "%zu of %zu agents failed",
				 failed, n);
	return report(argv[3], n, peak);
}

int main(int argc, char **argv)
{
	size_t n = argc == 5 ? (size_t)strtol(argv[4], NULL, 10) : 0;
	struct error *err;

	if (n < 1 || n > MAX_AGENTS)
		return 2;
	err = bench(argv, n);
	if (err)
		fprintf(stderr, "agent_bench: %s\n", error_message(err));
	return err != NULL;
}
