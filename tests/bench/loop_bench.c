/*
 * Figures of the loop: what avogit adds to an attempt, what judging costs
 * beside the timed kernels, how much memory avogit itself takes, and what a
 * run on the matrix multiply example brings. Runs the built program on the
 * repository given and reads the run's journal back.
 *
 *     loop_bench AVOGIT REPO ATTEMPTS
 */
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/run/population.h"
#include "core/score/stats.h"
#include "gitstore/gitstore.h"
#include "tests/read_journal.h"

#define MAX_ATTEMPTS 1000

struct figures {
	int64_t last_us; /* of the last measurement or start */
	double overhead[MAX_ATTEMPTS], handling[MAX_ATTEMPTS];
	double judge[MAX_ATTEMPTS], timed[MAX_ATTEMPTS];
	size_t n;
	struct population population;
};

static void print_figure(const char *name, double value, const char *unit,
			 const char *goal, bool ok)
{
	printf("%s %.4g %s %s %s\n", name, value, unit, goal,
	       ok ? "ok" : "SHORT");
}

/* What avogit added: the time from one measurement to the next, less the
 * scoring, but with the starting of its sandboxes. Handing launches over (new
 * buffers at new addresses, freezing the others) is said apart. */
static void on_entry(void *arg, const struct entry *e)
{
	struct figures *f = arg;
	const struct measurement *m = e->measurement;

	population_apply(&f->population, e);
	if (e->kind == ENTRY_START)
		f->last_us = e->time_us;
	if (e->kind != ENTRY_MEASUREMENT || !m)
		return;
	if (e->number > 0 && f->n < MAX_ATTEMPTS &&
	    m->verdict == VERDICT_PASS &&
	    !measurement_against(m, RIVAL_START, NULL)) {
		f->overhead[f->n] = (double)(e->time_us - f->last_us) * 1e-6 -
				    m->seconds_total + m->seconds_starting;
		f->handling[f->n] = m->seconds_total - m->seconds_build -
				    m->seconds_judge - m->seconds_timed -
				    m->seconds_starting;
		f->judge[f->n] = m->seconds_judge;
		f->timed[f->n++] = m->seconds_timed;
	}
	f->last_us = e->time_us;
}

static double peak_mib(pid_t pid)
{
	cleanup_buf struct buf status = BUF_INIT(1 << 16);
	char path[64];
	struct error *err;
	const char *line;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	err = file_read(&status, path);
	if (err) {
		error_free(err);
		return 0;
	}
	line = strstr(status.data, "VmHWM:");
	return line ? (double)strtol(line + 6, NULL, 10) / 1024 : 0;
}

/* Runs `avogit -C repo evolve` from the tunable version, on the naive one;
 * returns its peak memory in MiB. */
static double run_evolve(char *avogit, char *repo, char *attempts)
{
	double peak = 0;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

		dup2(null, STDOUT_FILENO);
		execl(avogit, avogit, "-C", repo, "evolve", "--run", "bench",
		      "--base", "HEAD~2", "--attempts", attempts, "--time",
		      "10m", (char *)NULL);
		_exit(127);
	}
	while (waitpid(pid, &status, WNOHANG) == 0) {
		double now = peak_mib(pid);

		peak = MAX(peak, now);
		usleep(20000);
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? peak : -1;
}

static void print_champion(const struct figures *f)
{
	const struct attempt *a =
		&f->population.attempt[f->population.champion];
	const struct comparison *start, *blas;

	if (!a->measurement)
		return;
	start = measurement_against(a->measurement, RIVAL_START, NULL);
	blas = measurement_against(a->measurement, RIVAL_BASELINE, NULL);
	if (start)
		print_figure("loop.speedup_over_start", start->ratio, "x",
			     ">=5", start->ratio >= 5);
	if (blas)
		print_figure("loop.speed_of_openblas", blas->ratio, "x",
			     ">=0.7", blas->ratio >= 0.7);
}

static struct error *report(const char *repo, double peak)
{
	cleanup_gitstore struct gitstore *g = NULL;
	struct figures *f = xcalloc(1, sizeof *f);
	double overhead, judge, timed;

	TRY(gitstore_open(&g, repo));
	TRY(read_journal(g, "bench", on_entry, f));
	overhead = stats_median(f->overhead, f->n) * 1e3;
	judge = stats_mean(f->judge, f->n);
	timed = stats_mean(f->timed, f->n);
	print_figure("loop.attempt_overhead_median", overhead, "ms", "<=50",
		     overhead <= 50);
	print_figure("loop.handling_to_timed",
		     stats_mean(f->handling, f->n) / timed, "ratio", "<=1",
		     stats_mean(f->handling, f->n) <= timed);
	print_figure("loop.judge_to_timed", judge / timed, "ratio", "<=1",
		     judge <= timed);
	print_figure("loop.peak_memory", peak, "MiB", "<=64", peak <= 64);
	print_champion(f);
	population_release(&f->population);
	free(f);
	return NULL;
}

int main(int argc, char **argv)
{
	struct error *err;
	double peak;

	if (argc != 4)
		return 2;
	peak = run_evolve(argv[1], argv[2], argv[3]);
	if (peak < 0) {
		fprintf(stderr, "loop_bench: avogit evolve failed\n");
		return 1;
	}
	err = report(argv[2], peak);
	if (err)
		fprintf(stderr, "loop_bench: %s\n", error_message(err));
	return err != NULL;
}
