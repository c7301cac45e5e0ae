/*
 * Figures of the history: what a candidate costs (tree, commit, journal, note,
 * branches) when there are few and when there are many, by turns, so that other
 * programs disturb both alike; through the store's own interface, beside
 * `git fast-import` of the same. Then how long the everyday commands take on that
 * repository, with the cache and without, and plain git beside the same
 * repository without avogit's refs.
 *
 * With WRITERS, so many clones wrote the run by turns: each has its journal, as
 * they have after a sync. Then the figures are called history.WRITERS_writers_...
 *
 *     history_bench AVOGIT FOLDER N [WRITERS]
 */
#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/sandbox/process.h"
#include "core/score/stats.h"
#include "gitstore/gitstore.h"

#define TASK                                                                  \
	"name: gemm\nlanguage: c\nsources: [k.c]\nentry: f\n"                 \
	"arguments:\n  - {name: c, dtype: f32, shape: [m], direction: out}\n" \
	"cases: [{m: 4}]\nflops: m\n"                                         \
	"reference: {source: r.c, entry: r, plain: p}\n"
/* As the first argument: see print_peak, only_resume. */
#define PEAK   "--peak"
#define RESUME "--resume"
#define WINDOW 1000
#define REPEAT 7

#define WRITERS_MAX 64

struct bench {
	const char *avogit, *dir;
	char self[PATH_MAX];
	size_t n;
	char *repo;
	struct gitstore *g;
	struct task *task;
	struct archive *archive;
	/* Of the writers but the first, which is `g`. */
	struct gitstore *other_g[WRITERS_MAX];
	struct archive *other[WRITERS_MAX];
	size_t writers;
	struct population p;
	struct workspace ws;
	struct commit_id base;
	double *cost; /* seconds, one a candidate */
	double *work; /* of these, on a CPU */
};

static void bench_release(struct bench *b)
{
	if (b->archive && b->ws.dir)
		b->archive->close_workspace(b->archive, &b->ws);
	for (size_t i = 0; i < WRITERS_MAX; i++) {
		gitstore_archive_free(b->other[i]);
		gitstore_close(b->other_g[i]);
	}
	gitstore_archive_free(b->archive);
	gitstore_close(b->g);
	task_free(b->task);
	population_release(&b->p);
	free(b->cost);
	free(b->work);
	free(b->repo);
}
DEFINE_RELEASE(bench, struct bench, bench_release)

static size_t writers = 1; /* for the names of figures */

static void figure(const char *name, double value, const char *unit,
		   const char *goal, bool ok)
{
	if (writers > 1)
		printf("history.%zu_writers_%s", writers,
		       name + strlen("history."));
	else
		printf("%s", name);
	printf(" %.4g %s %s %s\n", value, unit, goal, ok ? "ok" : "SHORT");
	fflush(stdout);
}

/* A figure that has no goal: for comparison. */
static void said(const char *name, double value, const char *unit)
{
	figure(name, value, unit, "-", true);
}

/* ---- running things ------------------------------------------------------ */

/* Seconds that a shell command takes in `dir`; its failure ends the bench. */
static struct error *shell(double *seconds, struct buf *out, const char *dir,
			   const char *command)
{
	const char *argv[] = {"sh", "-c", command, NULL};
	const struct process_spec spec = {.argv = argv, .dir = dir};
	cleanup_process_result struct process_result r = {0};
	double began = clock_seconds();

	TRY(process_run(&r, &spec, BUF_LIMIT_TEXT));
	if (seconds)
		*seconds = clock_seconds() - began;
	if (r.exit_code != 0)
		return error_new(ERROR_SYSTEM, "%s: %s", command,
				 r.output.data);
	if (out)
		buf_add(out, r.output.data, r.output.len);
	return NULL;
}

/* The median of several. */
static struct error *shell_median(double *seconds, const char *dir,
				  const char *command)
{
	double took[REPEAT];

	for (size_t i = 0; i < REPEAT; i++)
		TRY(shell(&took[i], NULL, dir, command));
	*seconds = stats_median(took, REPEAT);
	return NULL;
}

/* ---- making candidates --------------------------------------------------- */

static struct error *write_file(const struct bench *b, const char *name,
				const char *text)
{
	cleanup_free char *path = xasprintf("%s/%s", b->repo, name);

	return file_write(path, text, strlen(text), false);
}

static struct error *make_repository(struct bench *b)
{
	TRY(dir_make(b->repo));
	TRY(shell(
		NULL, NULL, b->repo,
		"git init -q -b main . && git config user.name T && "
		"git config user.email t@example.org && git config gc.auto 0"));
	TRY(write_file(b, "avogit.yaml", TASK));
	TRY(write_file(b, "k.c", "int k;\n"));
	TRY(write_file(b, "r.c", "int r;\n"));
	return shell(NULL, NULL, b->repo, "git add . && git commit -qm start");
}

static struct error *open_store(struct bench *b)
{
	cleanup_buf struct buf id = BUF_INIT(BUF_LIMIT_TEXT);

	TRY(shell(NULL, &id, b->repo, "git rev-parse HEAD"));
	snprintf(b->base.hex, sizeof b->base, "%.40s", id.data);
	TRY(task_parse(&b->task, "avogit.yaml", TASK, strlen(TASK)));
	TRY(gitstore_open(&b->g, b->repo));
	return gitstore_archive(&b->archive, b->g, b->task, b->base.hex);
}

/* Opens the store once more, as another clone would be known. */
static struct error *add_writer(struct bench *b, size_t k)
{
	cleanup_free char *folder = xasprintf("%s/.git/avogit", b->repo);
	cleanup_free char *path = xasprintf("%s/writer", folder);
	cleanup_free char *text = NULL;
	char id[WRITER_LEN + 1];
	struct stat st;

	if (stat(folder, &st) < 0)
		return error_errno("%s", folder);
	text = xasprintf("%016zx %ju\n", k, (uintmax_t)st.st_ino);
	TRY(file_write_atomic(path, text, strlen(text)));
	TRY(gitstore_open(&b->other_g[k], b->repo));
	TRY(gitstore_writer(id, b->other_g[k]));
	return gitstore_archive(&b->other[k], b->other_g[k], b->task,
				b->base.hex);
}

/* Of the writer whose turn this attempt is. */
static struct archive *archive_of(const struct bench *b, size_t attempt)
{
	size_t k = attempt % b->writers;

	return k ? b->other[k] : b->archive;
}

static struct error *record(struct bench *b, struct entry *e)
{
	struct archive *a = archive_of(b, (size_t)e->number);

	e->time_us = MAX(clock_wall_us(), b->p.time_us + 1);
	population_apply(&b->p, e);
	return a->append(a, e, &b->p);
}

/* About what a real one has: the note is 1.3 KB. */
static struct measurement *make_measurement(const struct bench *b, size_t i)
{
	struct measurement *m = measurement_new();
	const struct attempt *champion = &b->p.attempt[b->p.champion];

	snprintf(m->identity.task, sizeof m->identity.task, "%016x", 1u);
	snprintf(m->identity.sources, sizeof m->identity.sources, "%016zx",
		 i * 0x9e3779b97f4a7c15u);
	snprintf(m->identity.machine, sizeof m->identity.machine, "%016x", 7u);
	snprintf(m->identity.scorer, sizeof m->identity.scorer, "1");
	m->trust = TRUST_ISOLATED;
	m->score = 1e9 * (1 + (double)i);
	if (i % 5 == 4)
		measurement_fail(m, VERDICT_WRONG, "c[%zu] is off", i);
	for (size_t j = 0; j < 3; j++) {
		char name[64];
		struct case_result *c;

		snprintf(name, sizeof name, "m=%zu n=512 k=512",
			 (size_t)256 << j);
		c = measurement_add_case(m, name);
		*c = (struct case_result){
			.name = c->name,
			.weight = 1,
			.seconds = 1e-3,
			.rate = 1e9,
			.error = .1,
			.launches = 1000,
		};
	}
	if (m->verdict == VERDICT_PASS && i > 0) {
		struct comparison *c = measurement_add_comparison(
			m, RIVAL_INCUMBENT, champion->id.hex);

		c->ratio = i % 100 == 0 ? 1.01 : 0.99;
		c->ratio95 =
			(struct interval){c->ratio - .005, c->ratio + .005};
		c->decision = i % 100 == 0 ? DECISION_FASTER : DECISION_SLOWER;
		c->confirmed = i % 100 == 0;
		c->blocks = 40;
	}
	measurement_set(m, "machine", "A Processor With Eight Cores");
	measurement_set(m, "compiler", "cc (Debian 12.2.0-14) 12.2.0");
	measurement_set(m, "kernel", "Linux 6.1.0-18-amd64 x86_64");
	measurement_set(m, "sandbox", "bubblewrap 0.8.0, seccomp, uid 61234");
	measurement_set(m, "flags", "-O3 -march=native -ffast-math");
	return m;
}

static struct error *measured(struct bench *b, const char *id, size_t i)
{
	cleanup_entry struct entry e;
	bool win = i % 100 == 0;

	entry_init(&e, ENTRY_MEASUREMENT, "gemm");
	e.candidate = commit_id(id);
	e.number = (int64_t)i;
	e.measurement = make_measurement(b, i);
	e.accepted = i == 0 || win;
	TRY(record(b, &e));
	if (i == 0 || !win)
		return NULL;
	entry_release(&e);
	entry_init(&e, ENTRY_CROWN, "gemm");
	e.candidate = commit_id(id);
	e.number = (int64_t)i;
	return record(b, &e);
}

static struct error *begin_run(struct bench *b)
{
	cleanup_entry struct entry e;

	entry_init(&e, ENTRY_RUN, "gemm");
	e.base = b->base;
	e.candidate = b->base;
	e.task_path = xstrdup("avogit.yaml");
	e.machine_name = xstrdup("A Processor With Eight Cores");
	e.operator_name = xstrdup("tuner");
	e.seed = 1;
	TRY(record(b, &e));
	return measured(b, b->base.hex, 0);
}

/* Of this process. */
static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct error *make_candidate(struct bench *b, size_t i)
{
	const struct attempt *champion = &b->p.attempt[b->p.champion];
	cleanup_free char *path = xasprintf("%s/k.c", b->ws.dir);
	cleanup_free char *text = xasprintf("int k = %zu;\n", i);
	cleanup_entry struct entry e;
	struct proposal proposal = {
		.subject = "unroll the inner loop",
		.hypothesis = "the loop carries a dependence that hides the "
			      "latency of the loads",
		.operator_name = "tuner",
		.run = "gemm",
		.number = population_next_number(&b->p),
	};
	struct archive *archive = archive_of(b, i);
	double began, worked;
	bool same;

	TRY(file_write(path, text, strlen(text), false));
	entry_init(&e, ENTRY_ATTEMPT, "gemm");
	began = clock_seconds();
	worked = cpu_seconds();
	e.parent = champion->id;
	TRY(archive->seal(archive, &e.candidate, &same, &b->ws,
			  champion->id.hex, &proposal));
	e.number = proposal.number;
	e.lineage = 1;
	e.subject = xstrdup(proposal.subject);
	e.hypothesis = xstrdup(proposal.hypothesis);
	e.operator_state = xstrdup("{\"tunables\":{\"TILE_M\":\"32\"}}");
	TRY(record(b, &e));
	TRY(measured(b, e.candidate.hex, i));
	b->cost[i - 1] = clock_seconds() - began;
	b->work[i - 1] = cpu_seconds() - worked;
	return NULL;
}

/* Of the programs that it ran. */
static double cpu_seconds_of_children(void)
{
	struct rusage all;

	getrusage(RUSAGE_CHILDREN, &all);
	return (double)(all.ru_utime.tv_sec + all.ru_stime.tv_sec) +
	       1e-6 * (double)(all.ru_utime.tv_usec + all.ru_stime.tv_usec);
}

static double window(const struct bench *b, const double *cost, size_t from)
{
	return stats_median(cost + from, MIN(b->n, WINDOW));
}

static void say_progress(const struct bench *b, size_t i)
{
	fprintf(stderr, "history: %zu made, %.3g ms of a CPU each\n", i,
		1e3 * window(b, b->work, i > WINDOW ? i - WINDOW : 0));
}

static struct error *begin(struct bench *b)
{
	b->cost = xcalloc(b->n, sizeof *b->cost);
	b->work = xcalloc(b->n, sizeof *b->work);
	TRY(make_repository(b));
	TRY(open_store(b));
	TRY(begin_run(b));
	for (size_t k = 1; k < b->writers; k++)
		TRY(add_writer(b, k));
	return b->archive->open_workspace(b->archive, &b->ws, b->base.hex);
}

/* One of each, in an order that changes, so that both have the same machine. */
static struct error *make_beside(struct bench *b, size_t i, struct bench *young,
				 size_t k)
{
	if (k % 2)
		TRY(make_candidate(young, k));
	TRY(make_candidate(b, i));
	return k % 2 ? NULL : make_candidate(young, k);
}

/* Packs as it goes, as a long run does. The last ones are made by turns with the
 * first ones of a young run: what else the machine does changes from minute to
 * minute, and both meet the same of it. */
static struct error *make_all(struct bench *b)
{
	CLEANUP(bench) struct bench young = {.writers = b->writers};
	size_t last = b->n - MIN(b->n, WINDOW);
	double start, end;

	young.repo = xasprintf("%s/young", b->dir);
	young.n = b->n - last;
	TRY(begin(b));
	TRY(begin(&young));
	for (size_t i = 1; i <= b->n; i++) {
		if (i <= last)
			TRY(make_candidate(b, i));
		else
			TRY(make_beside(b, i, &young, i - last));
		if (i % 5000 == 0)
			TRY(shell(NULL, NULL, b->repo, "git repack -q -d"));
		if (b->n >= 10 && i % (b->n / 10) == 0)
			say_progress(b, i);
	}
	start = window(&young, young.cost, 0);
	end = window(b, b->cost, last);
	said("history.candidate_at_start", 1e3 * start, "ms");
	said("history.candidate_at_end", 1e3 * end, "ms");
	figure("history.end_to_start", end / start, "ratio", "<=1.5",
	       end / start <= 1.5);
	/* Beside other programs a time is theirs, too. */
	start = window(&young, young.work, 0);
	end = window(b, b->work, last);
	said("history.candidate_cpu_at_start", 1e3 * start, "ms");
	said("history.candidate_cpu_at_end", 1e3 * end, "ms");
	figure("history.cpu_end_to_start", end / start, "ratio", "<=1.5",
	       end / start <= 1.5);
	return NULL;
}

/* ---- beside fast-import -------------------------------------------------- */

static struct error *beside_fast_import(const struct bench *b)
{
	double seconds, each, limit;
	double median = stats_median(b->cost, b->n);

	TRY(shell(NULL, NULL, b->dir,
		  "git -C history fast-export --all >stream && "
		  "git init -q --bare imported"));
	TRY(shell(&seconds, NULL, b->dir,
		  "git -C imported fast-import --quiet <stream"));
	TRY(shell(NULL, NULL, b->dir, "rm -rf stream imported"));
	each = seconds / (double)b->n;
	limit = MAX(3 * each, 5e-3);
	said("history.fast_import_each", 1e3 * each, "ms");
	said("history.candidate_mean", 1e3 * stats_mean(b->cost, b->n), "ms");
	figure("history.candidate", 1e3 * median, "ms",
	       limit > 5e-3 ? "<=3*fast-import" : "<=5", median <= limit);
	return NULL;
}

/* ---- reading ------------------------------------------------------------- */

static struct error *timed(const struct bench *b, const char *name,
			   const char *arguments, const char *goal, double most)
{
	cleanup_free char *command =
		xasprintf("%s %s >/dev/null", b->avogit, arguments);
	cleanup_free char *figure_name = xasprintf("history.%s", name);
	double seconds;

	TRY(shell_median(&seconds, b->repo, command));
	figure(figure_name, 1e3 * seconds, "ms", goal, seconds < most);
	return NULL;
}

/* Without a cache. Beside other programs a time is theirs, too. */
static void cold_figure(const char *name, double seconds, double cpu)
{
	cleanup_free char *time_name =
		xasprintf("history.%s_without_cache", name);
	cleanup_free char *cpu_name =
		xasprintf("history.%s_without_cache_cpu", name);

	figure(time_name, 1e3 * seconds, "ms", "<5000", seconds < 5);
	said(cpu_name, 1e3 * cpu, "ms");
}

/* Of a program of its own, as a user has it: the process that made everything has
 * every writer's store open, and reads for three times as long. */
static struct error *timed_cold(const struct bench *b, const char *name,
				const char *words)
{
	cleanup_free char *command = xasprintf(
		"rm -rf .git/avogit/cache; exec %s >/dev/null", words);
	double seconds, before = cpu_seconds_of_children();

	TRY(shell(&seconds, NULL, b->repo, command));
	cold_figure(name, seconds, cpu_seconds_of_children() - before);
	return NULL;
}

static struct error *avogit_cold(const struct bench *b, const char *name,
				 const char *arguments)
{
	cleanup_free char *words = xasprintf("'%s' %s", b->avogit, arguments);

	return timed_cold(b, name, words);
}

/* The program that does nothing but resume. */
static char *resume_words(const struct bench *b)
{
	return xasprintf("'%s' " RESUME " '%s' %zu", b->self, b->dir, b->n);
}

static struct error *resume_cold(const struct bench *b)
{
	cleanup_free char *words = resume_words(b);

	return timed_cold(b, "resume", words);
}

/* With the cache; in a process of its own, too. */
static struct error *resume_warm(const struct bench *b)
{
	cleanup_free char *words = resume_words(b);
	double seconds;

	TRY(shell_median(&seconds, b->repo, words));
	figure("history.resume", 1e3 * seconds, "ms", "<500", seconds < .5);
	return NULL;
}

/* What a resumed `evolve` does before its first attempt. */
static struct error *resume(const struct bench *b)
{
	cleanup_gitstore struct gitstore *g = NULL;
	cleanup_archive struct archive *archive = NULL;
	cleanup_population struct population p = {0};
	cleanup_measurement struct measurement *m = NULL;
	struct identity nobody = {.task = "none"};
	cleanup_strvec struct strvec unread = STRVEC_INIT;
	size_t restored;

	TRY(gitstore_open(&g, b->repo));
	TRY(gitstore_archive(&archive, g, b->task, b->base.hex));
	TRY(gitstore_lock_run(g, "gemm"));
	TRY(gitstore_mend_notes(&restored, &unread, g));
	TRY(archive->read(archive, &p, "gemm"));
	TRY(archive->find(archive, &m, &nobody));
	return p.n == b->n + 1
		       ? NULL
		       : error_new(ERROR_INTERNAL, "%zu attempts of %zu", p.n,
				   b->n + 1);
}

static struct error *reading(const struct bench *b)
{
	TRY(avogit_cold(b, "best", "best"));
	TRY(avogit_cold(b, "log_50", "log -n 50"));
	TRY(avogit_cold(b, "show", "show main"));
	TRY(resume_cold(b));
	TRY(timed(b, "best", "best", "<50", .05));
	TRY(timed(b, "log_50", "log -n 50", "<100", .1));
	TRY(timed(b, "show", "show avo/gemm/best", "<50", .05));
	return resume_warm(b);
}

/* Of this process, which is every writer at once and has the whole run. */
static void say_own_memory(void)
{
	struct rusage self;

	getrusage(RUSAGE_SELF, &self);
	said("history.peak_memory_all_writers", (double)self.ru_maxrss / 1024,
	     "MiB");
}

/* Runs a command and prints its peak memory in KiB. A process starts with the
 * peak of the one that was copied to make it, and keeps that when it becomes
 * another program: so the process that asks is small and new. */
static int print_peak(char **argv)
{
	struct rusage usage;
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		if (null >= 0 && dup2(null, STDOUT_FILENO) >= 0)
			execv(argv[0], argv);
		_exit(127);
	}
	if (wait4(pid, &status, 0, &usage) < 0 || status != 0)
		return 1;
	printf("%ld\n", usage.ru_maxrss);
	return 0;
}

/* Of a program that reads without a cache, as in a fresh clone. */
static struct error *child_memory(const struct bench *b, const char *name,
				  const char *words)
{
	cleanup_free char *cache = xasprintf("%s/.git/avogit/cache", b->repo);
	cleanup_free char *checked =
		xasprintf("%s/.git/avogit/checked", b->repo);
	cleanup_free char *command =
		xasprintf("'%s' " PEAK " %s", b->self, words);
	cleanup_buf struct buf out = BUF_INIT(64);
	double mib;

	TRY(dir_remove(cache));
	unlink(checked);
	TRY(shell(NULL, &out, b->repo, command));
	mib = strtod(out.data, NULL) / 1024;
	figure(name, mib, "MiB", "<256", mib < 256);
	return NULL;
}

static struct error *memory(const struct bench *b)
{
	cleanup_free char *log = xasprintf("'%s' log -n 50", b->avogit);
	cleanup_free char *again = resume_words(b);

	TRY(child_memory(b, "history.peak_memory_log", log));
	return child_memory(b, "history.peak_memory_resume", again);
}

/* A process that does nothing else, so that its memory is what this takes. */
static struct error *only_resume(struct bench *b)
{
	TRY(open_store(b));
	return resume(b);
}

/* ---- plain git ----------------------------------------------------------- */

static struct error *both(const struct bench *b, const char *name,
			  const char *command)
{
	cleanup_free char *with = xasprintf("history.git_%s", name);
	cleanup_free char *without = xasprintf("history.git_%s_without", name);
	cleanup_free char *plain = xasprintf("%s/plain", b->dir);
	double seconds;

	TRY(shell(&seconds, NULL, b->repo, command));
	said(with, 1e3 * seconds, "ms");
	TRY(shell(&seconds, NULL, plain, command));
	said(without, 1e3 * seconds, "ms");
	return NULL;
}

static struct error *plain_git(const struct bench *b)
{
	double seconds;

	TRY(shell(NULL, NULL, b->dir,
		  "git clone -q --bare history bare && "
		  "git -C bare for-each-ref --format='delete %(refname)' "
		  "refs/heads/avo | git -C bare update-ref --stdin && "
		  "git clone -q bare plain && rm -rf bare"));
	TRY(shell(&seconds, NULL, b->repo,
		  "git notes --ref=avogit show avo/gemm/best >/dev/null"));
	said("history.git_notes_show", 1e3 * seconds, "ms");
	TRY(shell(&seconds, NULL, b->repo,
		  "git log --notes=avogit -n 20 avo/gemm/best >/dev/null"));
	said("history.git_log_notes_20", 1e3 * seconds, "ms");
	TRY(both(b, "log_20", "git log --notes=avogit -n 20 >/dev/null"));
	TRY(both(b, "status", "git status >/dev/null"));
	TRY(both(b, "gc", "git gc -q"));
	TRY(both(b, "clone",
		 "git clone -q --no-local . ../cloned && rm -rf ../cloned"));
	TRY(both(b, "push",
		 "git init -q --bare ../pushed && git push -q ../pushed main "
		 "&& rm -rf ../pushed"));
	TRY(shell(&seconds, NULL, b->repo,
		  "git init -q --bare ../pushed && git push -q ../pushed main "
		  "'refs/avogit/*:refs/avogit/*' refs/notes/avogit && "
		  "rm -rf ../pushed"));
	said("history.git_push_everything", 1e3 * seconds, "ms");
	return NULL;
}

static struct error *run(struct bench *b)
{
	double seconds;

	TRY(make_all(b));
	say_own_memory();
	TRY(shell(&seconds, NULL, b->repo, "git gc -q"));
	said("history.git_gc_first", seconds, "s");
	/* Another process would, too. */
	b->archive->close_workspace(b->archive, &b->ws);
	TRY(reading(b));
	TRY(memory(b));
	TRY(beside_fast_import(b));
	return plain_git(b);
}

int main(int argc, char **argv)
{
	CLEANUP(bench) struct bench b = {0};
	cleanup_error struct error *err = NULL;
	bool again = argc == 4 && str_eq(argv[1], RESUME);
	long n = argc >= 4 ? strtol(argv[3], NULL, 10) : 0;
	long k = argc == 5 ? strtol(argv[4], NULL, 10) : 1;

	if (argc > 2 && str_eq(argv[1], PEAK))
		return print_peak(argv + 2);
	if (n < 1 || k < 1 || k > WRITERS_MAX || argc > 5 ||
	    readlink("/proc/self/exe", b.self, sizeof b.self - 1) < 0)
		return 2;
	b.avogit = argv[1];
	b.dir = argv[2];
	b.repo = xasprintf("%s/history", b.dir);
	b.n = (size_t)n;
	b.writers = writers = (size_t)k;
	err = again ? only_resume(&b) : run(&b);
	if (err)
		fprintf(stderr, "history_bench: %s\n", error_message(err));
	return err != NULL;
}
