#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/file.h"
#include "scorer/device/lock.h"

#define UUID "GPU-12/../ab"

static char *folder;

static int make_folder(void **state)
{
	(void)state;
	return dir_make_temp(&folder, "/tmp", "avogit-lock-") != NULL;
}

static int remove_folder(void **state)
{
	(void)state;
	error_free(dir_remove(folder));
	free(folder);
	return 0;
}

static int look(void)
{
	cleanup_free char *path =
		xasprintf("%s/avogit-GPU-12____ab.lock", folder);

	return open(path, O_RDONLY | O_CLOEXEC);
}

static void nobody_else_has_it_until_it_is_closed(void **state)
{
	cleanup_fd int held = -1;
	cleanup_fd int other = -1;

	(void)state;
	assert_null(gpu_lock_take(&held, folder, UUID, NULL));
	other = look();
	assert_true(other >= 0);
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), -1);
	close(held);
	held = -1;
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), 0);
}

static void another_card_is_another_lock(void **state)
{
	cleanup_fd int one = -1;
	cleanup_fd int two = -1;

	(void)state;
	assert_null(gpu_lock_take(&one, folder, "GPU-1", NULL));
	assert_null(gpu_lock_take(&two, folder, "GPU-2", NULL));
}

static void follows_no_link(void **state)
{
	cleanup_free char *path = xasprintf("%s/avogit-GPU-3.lock", folder);
	cleanup_fd int fd = -1;
	struct error *err;

	(void)state;
	assert_int_equal(symlink("/etc/passwd", path), 0);
	err = gpu_lock_take(&fd, folder, "GPU-3", NULL);
	assert_non_null(err);
	error_free(err);
}

static void takes_no_pipe_for_a_lock(void **state)
{
	cleanup_free char *path = xasprintf("%s/avogit-GPU-4.lock", folder);
	cleanup_fd int fd = -1;
	struct error *err;

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	err = gpu_lock_take(&fd, folder, "GPU-4", NULL);
	assert_non_null(err);
	assert_true(error_is(err, ERROR_REFUSED));
	error_free(err);
}

/* ---- CPUs ---------------------------------------------------------------- */

static cpu_set_t first_cpus(size_t n)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (size_t i = 0; i < n; i++)
		CPU_SET(i, &set);
	return set;
}

static void count(void *arg)
{
	++*(int *)arg;
}

static void lease(struct cpu_lease *l, size_t cpus, unsigned threads)
{
	const cpu_set_t ours = first_cpus(cpus);
	int said = 0;
	const struct lock_wait wait = {.say = count, .arg = &said};

	assert_null(cpu_lease_take(l, folder, &ours, threads, &wait));
	assert_int_equal(said, 0);
}

static void two_programs_have_arms_on_different_cpus(void **state)
{
	cleanup_cpu_lease struct cpu_lease a = {0}, b = {0};

	(void)state;
	lease(&a, 4, 1);
	lease(&b, 4, 1);
	assert_int_equal(CPU_COUNT(&a.arms), 1);
	assert_int_equal(CPU_COUNT(&b.arms), 1);
	assert_true(CPU_ISSET(3, &a.arms));
	assert_true(CPU_ISSET(1, &b.arms));
}

static void a_lease_that_ends_is_given_again(void **state)
{
	cleanup_cpu_lease struct cpu_lease a = {0}, b = {0};

	(void)state;
	lease(&a, 2, 1);
	assert_true(CPU_ISSET(1, &a.arms));
	cpu_lease_release(&a);
	lease(&b, 2, 1);
	assert_true(CPU_ISSET(1, &b.arms));
}

/* With other numbers of threads the groups are others. */
static void groups_that_overlap_exclude_each_other(void **state)
{
	cleanup_cpu_lease struct cpu_lease a = {0}, b = {0};

	(void)state;
	lease(&a, 6, 1);
	lease(&b, 6, 2);
	assert_int_equal(CPU_COUNT(&b.arms), 2);
	assert_true(CPU_ISSET(2, &b.arms));
	assert_true(CPU_ISSET(1, &b.arms));
}

static void all_cpus_are_a_group_where_there_are_few(void **state)
{
	cleanup_cpu_lease struct cpu_lease a = {0}, b = {0};

	(void)state;
	lease(&a, 1, 1);
	assert_int_equal(CPU_COUNT(&a.arms), 1);
	cpu_lease_release(&a);
	lease(&b, 2, 4);
	assert_int_equal(CPU_COUNT(&b.arms), 2);
	assert_int_equal(b.n, 2);
}

static void *release_when_said(void *arg)
{
	int *pipe_end = arg;
	char c;

	assert_int_equal(read(pipe_end[0], &c, 1), 1);
	close(pipe_end[1]);
	return NULL;
}

/* The lock that is waited for is closed by another thread, once it was said. */
static int said_pipe[2];
static void tell(void *arg)
{
	(void)arg;
	assert_int_equal(write(said_pipe[1], "x", 1), 1);
}

static void who_finds_none_says_so_and_waits(void **state)
{
	const cpu_set_t ours = first_cpus(2);
	cleanup_cpu_lease struct cpu_lease a = {0}, b = {0};
	const struct lock_wait wait = {.say = tell};
	pthread_t thread;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(said_pipe), 0);
	lease(&a, 2, 1);
	/* The first CPU's lock is all that stays held. */
	close(a.fd[1]);
	ends[0] = said_pipe[0];
	ends[1] = a.fd[0];
	assert_int_equal(pthread_create(&thread, NULL, release_when_said, ends),
			 0);
	assert_null(cpu_lease_take(&b, folder, &ours, 1, &wait));
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(b.n, 2);
	a.n = 0;
	close(said_pipe[0]);
	close(said_pipe[1]);
}

/* As a signal does: `stop` is of one that finishes its attempt first. */
static void ask_to_stop(void *arg)
{
	*(volatile int *)arg = 1;
}

static void who_waits_stops_at_once(void **state)
{
	const cpu_set_t ours = first_cpus(2);
	cleanup_cpu_lease struct cpu_lease a = {0}, b = {0};
	volatile int stop = 0, stop_now = 0;
	const struct lock_wait wait = {.stop_now = &stop_now,
				       .stop = &stop,
				       .say = ask_to_stop,
				       .arg = (void *)(uintptr_t)&stop};
	struct error *err;

	(void)state;
	lease(&a, 2, 1);
	err = cpu_lease_take(&b, folder, &ours, 1, &wait);
	assert_true(error_is(err, ERROR_INTERRUPTED));
	error_free(err);
	assert_int_equal(b.n, 0);
}

static void *set_when_said(void *arg)
{
	const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
	char c;

	assert_int_equal(read(said_pipe[0], &c, 1), 1);
	nanosleep(&pause, NULL);
	*(volatile int *)arg = 2;
	return NULL;
}

/* The lock stays held; the thread that waits takes no signal. */
static void a_flag_ends_a_wait_without_a_signal(void **state)
{
	const cpu_set_t ours = first_cpus(2);
	cleanup_cpu_lease struct cpu_lease a = {0}, b = {0};
	volatile int stop_now = 0;
	const struct lock_wait wait = {.stop_now = &stop_now, .say = tell};
	sigset_t all, before, after;
	struct error *err;
	pthread_t thread;

	(void)state;
	assert_int_equal(pipe(said_pipe), 0);
	lease(&a, 2, 1);
	assert_int_equal(pthread_create(&thread, NULL, set_when_said,
					(void *)(uintptr_t)&stop_now),
			 0);
	sigfillset(&all);
	sigdelset(&all, SIGTERM);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = cpu_lease_take(&b, folder, &ours, 1, &wait);
	pthread_sigmask(SIG_SETMASK, &before, &after);
	assert_int_equal(sigismember(&after, SIGURG), 1);
	assert_true(error_is(err, ERROR_INTERRUPTED));
	error_free(err);
	assert_int_equal(b.n, 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	close(said_pipe[0]);
	close(said_pipe[1]);
}

static void where_nothing_can_be_locked_it_is_timed_all_the_same(void **state)
{
	const cpu_set_t ours = first_cpus(2);
	cleanup_cpu_lease struct cpu_lease a = {0};
	const struct lock_wait wait = {0};

	(void)state;

	assert_null(cpu_lease_take(&a, "/proc/nowhere", &ours, 1, &wait));
	assert_int_equal(a.n, 0);
	assert_true(CPU_ISSET(1, &a.arms));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_else_has_it_until_it_is_closed),
		cmocka_unit_test(another_card_is_another_lock),
		cmocka_unit_test(follows_no_link),
		cmocka_unit_test(takes_no_pipe_for_a_lock),
		cmocka_unit_test(two_programs_have_arms_on_different_cpus),
		cmocka_unit_test(a_lease_that_ends_is_given_again),
		cmocka_unit_test(groups_that_overlap_exclude_each_other),
		cmocka_unit_test(all_cpus_are_a_group_where_there_are_few),
		cmocka_unit_test(who_finds_none_says_so_and_waits),
		cmocka_unit_test(who_waits_stops_at_once),
		cmocka_unit_test(a_flag_ends_a_wait_without_a_signal),
		cmocka_unit_test(
			where_nothing_can_be_locked_it_is_timed_all_the_same),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
