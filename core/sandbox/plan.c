#include "core/sandbox/plan.h"

#include <fcntl.h>
#include <unistd.h>

#include "core/base/file.h"

/* Above every number promised to a program, and above process.c's own. */
#define KEEP_MIN 64

/* Read by the loader, the linker and Debian's choice of a BLAS. Of /sys only
 * what OpenBLAS and libgomp look for. The first ones are links into /usr if the
 * distribution has merged it. */
#define SYSTEM_PATHS                                                       \
	{"/usr", false}, {"/bin", true}, {"/lib", true}, {"/lib32", true}, \
		{"/lib64", true}, {"/libx32", true}, {"/sbin", true},      \
		{"/etc/ld.so.cache", false}, {"/etc/ld.so.conf", false},   \
		{"/etc/ld.so.conf.d", false},                              \
	{                                                                  \
		"/etc/alternatives", false                                 \
	}
const struct root_path system_paths[] = {SYSTEM_PATHS,
					 {"/sys/devices/system/cpu", false}};
const size_t n_system_paths = ARRAY_SIZE(system_paths);
/* Without /sys/devices/system/cpu, which also shows how often a CPU slept and
 * how fast it runs. */
const struct root_path run_paths[] = {
	SYSTEM_PATHS,
	{"/sys/devices/system/cpu/online", false},
	{"/sys/devices/system/cpu/possible", false},
	{"/sys/devices/system/cpu/present", false}};
const size_t n_run_paths = ARRAY_SIZE(run_paths);

/* For the network: names and certificates, besides what there is without it. */
const struct root_path network_paths[] = {SYSTEM_PATHS,
					  {"/sys/devices/system/cpu", false},
					  {"/etc/resolv.conf", false},
					  {"/etc/hosts", false},
					  {"/etc/nsswitch.conf", false},
					  {"/etc/gai.conf", false},
					  {"/etc/services", false},
					  {"/etc/ssl", false},
					  {"/etc/pki", false},
					  {"/etc/ca-certificates", false}};
const size_t n_network_paths = ARRAY_SIZE(network_paths);

/* NVIDIA's driver reads files all over /sys. */
const struct root_path gpu_paths[] = {SYSTEM_PATHS, {"/sys", false}};
const size_t n_gpu_paths = ARRAY_SIZE(gpu_paths);
const char *const gpu_devices[] = {"/dev/nvidiactl", "/dev/nvidia-uvm",
				   "/dev/nvidia-uvm-tools", "/dev/nvidia-caps"};
const size_t n_gpu_devices = ARRAY_SIZE(gpu_devices);

struct error *plan_high(int *number, int fd)
{
	int high = fcntl(fd, F_DUPFD_CLOEXEC, KEEP_MIN);

	close(fd);
	if (high < 0)
		return error_errno("too many files for one sandbox");
	*number = high;
	return NULL;
}

struct error *plan_keep(int *number, struct sandbox_plan *p, int fd)
{
	int high = -1;

	TRY(plan_high(&high, fd));
	/* held: process.keep is set when all descriptors are there */
	GROW(p->fd, p->n_fds, p->cap_fds);
	p->fd[p->n_fds++] = high;
	*number = high;
	return NULL;
}

static void inherit(struct process_spec *process, int fd, int child_fd)
{
	process->inherit[process->n_inherit].fd = fd;
	process->inherit[process->n_inherit].child_fd = child_fd;
	process->n_inherit++;
}

static struct error *inherit_all(struct sandbox_plan *p,
				 const struct sandbox_spec *spec)
{
	for (size_t i = 0; i < spec->n_inherit; i++) {
		int child_fd = spec->inherit[i].child_fd;

		if (child_fd < 3 || child_fd >= SANDBOX_FILTER_FD)
			return error_new(ERROR_INTERNAL,
					 "a sandbox hands over descriptors 3 "
					 "to %d, not %d",
					 SANDBOX_FILTER_FD - 1, child_fd);
		inherit(&p->process, spec->inherit[i].fd, child_fd);
	}
	return NULL;
}

/* Refuses what is only for programs that a person has agreed to. */
static struct error *check_reach(const struct sandbox *s,
				 const struct sandbox_spec *spec)
{
	if (!spec->network && !spec->n_binds && (!spec->env || spec->gpu))
		return NULL;
	if (spec->profile != SANDBOX_BUILD || spec->gpu)
		return error_new(ERROR_INTERNAL, "a sandbox with a network is "
						 "for a program of its own");
	if (s->level == SANDBOX_BWRAP)
		return NULL;
	return error_new(ERROR_REFUSED,
			 "a program that may use the network needs the sandbox "
			 "of bubblewrap, and here is %s%s%s",
			 s->description, s->mend ? ": " : "",
			 s->mend ? s->mend : "");
}

static struct error *strict_filter(struct sandbox_plan *p,
				   const struct sandbox *s, unsigned threads)
{
	const struct filter *f = &s->filter[threads > 1 ? FILTER_RUN_THREADS
							: FILTER_RUN_SINGLE];
	TRY(memfd_with(&p->strict_fd, "filter", f->code, f->n * sizeof *f->code,
		       true));
	inherit(&p->process, p->strict_fd, SANDBOX_FILTER_FD);
	return NULL;
}

struct error *plan_folder(struct sandbox_plan *p, const struct fileset *files,
			  uid_t uid)
{
	cleanup_free char *tmp = NULL;

	/* Not $TMPDIR: another user must be able to reach it. */
	TRY(dir_make_temp(&p->folder, "/tmp", "avogit-"));
	p->work = xasprintf("%s/box", p->folder);
	tmp = xasprintf("%s/tmp", p->folder);
	TRY(dir_make(p->work));
	TRY(dir_make(tmp));
	if (files)
		TRY(fileset_write(files, p->work));
	return dir_hand_over(p->folder, uid);
}

/* Of two variables of one name, programs differ in which they take. */
static bool has_path(const struct strvec *env)
{
	for (size_t i = 0; i < env->n; i++)
		if (starts_with(env->v[i], "PATH="))
			return true;
	return false;
}

void plan_environment(struct strvec *env)
{
	if (!has_path(env))
		strvec_push(env, "PATH=/usr/bin:/bin");
	strvec_push(env, "LC_ALL=C");
}

struct error *sandbox_last_cpus(cpu_set_t *out, unsigned n)
{
	cpu_set_t ours;
	unsigned chosen = 0;

	if (sched_getaffinity(0, sizeof ours, &ours) < 0)
		return error_errno("sched_getaffinity");
	CPU_ZERO(out);
	for (size_t cpu = CPU_SETSIZE; cpu-- > 0 && chosen < n;)
		if (CPU_ISSET(cpu, &ours)) {
			CPU_SET(cpu, out);
			chosen++;
		}
	return NULL;
}

static struct error *choose_cpus(struct sandbox_plan *p, unsigned threads,
				 const cpu_set_t *these)
{
	p->process.cpus = &p->cpus;
	if (!these)
		return sandbox_last_cpus(&p->cpus, threads);
	p->cpus = *these;
	return NULL;
}

/* With one thread allowed the strict filter forbids starting one; with several,
 * their number is limited, and it includes the first thread. */
static void limit_threads(struct process_limits *l, const struct sandbox *s,
			  unsigned threads)
{
	if (threads > 1 && !l->processes && s->counts_namespaces &&
	    s->level == SANDBOX_BWRAP)
		l->processes = threads + 1;
}

struct error *plan_make(struct sandbox_plan *out, const struct sandbox *s,
			const struct sandbox_spec *spec)
{
	static struct error *(*const mechanism[])(
		struct sandbox_plan *, const struct sandbox *,
		const struct sandbox_spec *) = {
		[SANDBOX_NONE] = plan_none,
		[SANDBOX_LANDLOCK] = plan_landlock,
		[SANDBOX_BWRAP] = plan_bwrap,
	};
	unsigned threads = MAX(spec->threads, 1);
	struct process_spec *process = &out->process;

	*out = (struct sandbox_plan)PLAN_INIT;
	process->limits = spec->limits;
	process->step_down_uid = s->uid;
	process->die_with_parent = true;
	TRY(check_reach(s, spec));
	TRY(inherit_all(out, spec));
	/* Before our own: of two with the same name the first counts. */
	for (size_t i = 0; spec->env && spec->env[i]; i++)
		strvec_push(&out->env, spec->env[i]);
	if (spec->profile == SANDBOX_RUN) {
		TRY(choose_cpus(out, threads, spec->cpus));
		limit_threads(&process->limits, s, threads);
		if (s->has_seccomp)
			TRY(strict_filter(out, s, threads));
	}
	plan_environment(&out->env);
	/* Thread pools that spin between parallel regions would count as work
	 * that goes on after the return. */
	if (spec->profile == SANDBOX_RUN && threads > 1)
		strvec_push(&out->env, "OMP_WAIT_POLICY=passive");
	TRY(mechanism[s->level](out, s, spec));
	process->argv = (const char *const *)out->argv.v;
	process->env = (const char *const *)out->env.v;
	process->keep = out->fd;
	process->n_keep = out->n_fds;
	return NULL;
}

void plan_release(struct sandbox_plan *p)
{
	for (size_t i = 0; i < p->n_fds; i++)
		close(p->fd[i]);
	free(p->fd);
	cleanup_fd_fn(&p->strict_fd);
	cleanup_fd_fn(&p->status_fd);
	cleanup_fd_fn(&p->landlock_fd);
	cleanup_fd_fn(&p->bwrap_fd);
	if (p->folder)
		error_free(dir_remove(p->folder));
	free(p->folder);
	free(p->work);
	strvec_release(&p->argv);
	strvec_release(&p->env);
	*p = (struct sandbox_plan)PLAN_INIT;
}
