/*
 * Records the speed of every allowed point of a kernel's tunables, once, as
 * test data for the tuner: compiles each with the task's compiler and flags,
 * then times all of them in rounds, so that a bad minute of the machine is
 * spread over the points and not over one corner of the space.
 *
 *     record_space TASK.yaml KERNEL.c FOLDER > space.csv
 *
 * FOLDER keeps the objects; a second run goes on where the first ended. The
 * entry must be matmul's. A line a point: the index of each tunable's value,
 * then the seconds of one launch in each round (the median of LAUNCHES).
 */
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/tuner/tunables.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/sandbox/process.h"
#include "core/base/random.h"
#include "core/score/stats.h"
#include "tests/draws.h"

#define ROUNDS	 3
#define LAUNCHES 7
#define N	 512

typedef void kernel(const float *, const float *, float *, int, int, int);

struct recording {
	struct task *task;
	struct fileset sources;
	struct tunables space;
	const char *folder;
	size_t **point;
	size_t n, cap;
	double (*seconds)[ROUNDS];
	float *a, *b, *c;
};

static void enumerate(struct recording *r, size_t *point, size_t d)
{
	if (d == r->space.n) {
		if (!tunables_allowed(&r->space, point))
			return;
		GROW(r->point, r->n, r->cap);
		r->point[r->n++] = xmemdup(point, d * sizeof *point);
		return;
	}
	for (point[d] = 0; point[d] < r->space.tunable[d].n_values; point[d]++)
		enumerate(r, point, d + 1);
}

static const char *flags_at(const struct recording *r, const size_t *point)
{
	for (size_t i = 0; i < r->space.n; i++)
		if (r->space.tunable[i].is_flags)
			return r->space.tunable[i].value[point[i]];
	return "";
}

static struct error *compile(const struct recording *r, size_t i)
{
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_process_result struct process_result result = {0};
	cleanup_strvec struct strvec argv = STRVEC_INIT;
	cleanup_free char *object = xasprintf("%s/%zu.so", r->folder, i);
	cleanup_free char *source = xasprintf("%s/%zu.c", r->folder, i);
	cleanup_free char *flags = xstrdup(flags_at(r, r->point[i]));
	struct process_spec spec = {.limits = {.wall_seconds = 60}};

	if (file_exists(object))
		return NULL;
	TRY(fileset_copy(&files, &r->sources));
	TRY(tunables_apply(&files, &r->space, r->point[i]));
	TRY(file_write(source, files.file[0].data, files.file[0].len, false));
	strvec_push(&argv, r->task->compiler);
	strvec_extend(&argv, &r->task->flags);
	for (char *save, *f = strtok_r(flags, " ", &save); f;
	     f = strtok_r(NULL, " ", &save))
		strvec_push(&argv, f);
	strvec_pushl(&argv, "-shared", "-fPIC", "-o", object, source, NULL);
	spec.argv = (const char *const *)argv.v;
	TRY(process_run(&result, &spec, 4096));
	if (result.exit_code != 0)
		return error_new(ERROR_SYSTEM, "point %zu: %s", i,
				 result.output.data);
	return NULL;
}

/* In a child: a kernel that crashes must not end the recording. */
static double time_point(const struct recording *r, size_t i)
{
	cleanup_free char *object = xasprintf("%s/%zu.so", r->folder, i);
	double seconds = 0, t[LAUNCHES];
	int fd[2];
	pid_t pid;

	if (pipe(fd) < 0)
		return 0;
	pid = fork();
	if (pid == 0) {
		void *so = dlopen(object, RTLD_NOW);
		void *entry = so ? dlsym(so, r->task->entry) : NULL;
		kernel *f;

		if (!entry)
			_exit(1);
		memcpy(&f, &entry, sizeof f);
		f(r->a, r->b, r->c, N, N, N);
		for (size_t j = 0; j < LAUNCHES; j++) {
			t[j] = clock_seconds();
			f(r->a, r->b, r->c, N, N, N);
			t[j] = clock_seconds() - t[j];
		}
		seconds = stats_median(t, LAUNCHES);
		_exit(write(fd[1], &seconds, sizeof seconds) < 0);
	}
	close(fd[1]);
	if (read(fd[0], &seconds, sizeof seconds) != sizeof seconds)
		seconds = 0;
	close(fd[0]);
	waitpid(pid, NULL, 0);
	return seconds;
}

static void time_all(struct recording *r)
{
	cleanup_free size_t *order = xcalloc(r->n, sizeof *order);
	struct random random;

	random_init(&random, 1);
	for (size_t i = 0; i < r->n; i++)
		order[i] = i;
	for (size_t round = 0; round < ROUNDS; round++) {
		random_shuffle(&random, order, r->n);
		for (size_t i = 0; i < r->n; i++)
			r->seconds[order[i]][round] = time_point(r, order[i]);
		fprintf(stderr, "round %zu of %d\n", round + 1, ROUNDS);
	}
}

static void print_all(const struct recording *r)
{
	printf("# Seconds of one %d^3 product, three rounds, for every point "
	       "of the tunables.\n"
	       "# Made by: record_space avogit.yaml kernel.c FOLDER\n"
	       "# values",
	       N);
	for (size_t d = 0; d < r->space.n; d++)
		printf(" %zu%s", r->space.tunable[d].n_values,
		       r->space.tunable[d].ordered ? "+" : "");
	printf("\n# ");
	for (size_t d = 0; d < r->space.n; d++)
		printf("%s,", r->space.tunable[d].name);
	printf("round1,round2,round3\n");
	for (size_t i = 0; i < r->n; i++) {
		for (size_t d = 0; d < r->space.n; d++)
			printf("%zu,", r->point[i][d]);
		printf("%.4g,%.4g,%.4g\n", r->seconds[i][0], r->seconds[i][1],
		       r->seconds[i][2]);
	}
}

static float *random_matrix(struct random *random)
{
	float *m = xcalloc((size_t)N * N, sizeof *m);

	for (size_t i = 0; i < (size_t)N * N; i++)
		m[i] = (float)random_normal(random);
	return m;
}

static struct error *record(struct recording *r, const char *task,
			    const char *kernel_path)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	size_t point[64];
	struct random random;

	TRY(file_read(&text, task));
	TRY(task_parse(&r->task, "avogit.yaml", text.data, text.len));
	TRY(file_read(&text, kernel_path));
	TRY(fileset_put(&r->sources, "kernel.c", text.data, text.len, false));
	TRY(tunables_read(&r->space, &r->sources, r->task));
	TRY(dir_make(r->folder));
	enumerate(r, point, 0);
	fprintf(stderr, "%zu points\n", r->n);
	for (size_t i = 0; i < r->n; i++)
		TRY(compile(r, i));
	random_init(&random, 2);
	r->a = random_matrix(&random);
	r->b = random_matrix(&random);
	r->c = random_matrix(&random);
	r->seconds = xcalloc(r->n, sizeof *r->seconds);
	time_all(r);
	print_all(r);
	return NULL;
}

int main(int argc, char **argv)
{
	struct recording r = {.folder = argc == 4 ? argv[3] : NULL};
	struct error *err;

	if (argc != 4)
		return 2;
	err = record(&r, argv[1], argv[2]);
	if (err)
		fprintf(stderr, "record_space: %s\n", error_message(err));
	return err != NULL;
}
