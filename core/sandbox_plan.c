#include "core/sandbox_plan.h"

#include <fcntl.h>
#include <fts.h>
#include <unistd.h>

#include "core/file.h"

/* Above every number a program is promised, and above process.c's own. */
#define KEEP_MIN 64

struct error *plan_keep(int *number, struct plan *p, int fd)
{
	int high = fcntl(fd, F_DUPFD_CLOEXEC, KEEP_MIN);

	close(fd);
	if (high < 0)
		return error_errno("too many files for one sandbox");
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

static struct error *inherit_all(struct plan *p,
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

static struct error *strict_filter(struct plan *p, const struct sandbox *s,
				   unsigned threads)
{
	const struct filter *f = &s->filter[threads > 1 ? FILTER_RUN_THREADS
							: FILTER_RUN_SINGLE];
	TRY(memfd_with(&p->strict_fd, "filter", f->code, f->n * sizeof *f->code,
		       true));
	inherit(&p->process, p->strict_fd, SANDBOX_FILTER_FD);
	return NULL;
}

/* Everything below `path` becomes the other user's. */
static struct error *hand_over(const char *path, uid_t uid)
{
	char *const roots[] = {(char *)(uintptr_t)path, NULL};
	struct error *err = NULL;
	FTSENT *entry;
	FTS *walk;

	if (!uid)
		return NULL;
	walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	if (!walk)
		return error_errno("%s", path);
	while (!err && (entry = fts_read(walk)))
		if (entry->fts_info != FTS_DP &&
		    lchown(entry->fts_accpath, uid, uid) < 0)
			err = error_errno("%s", entry->fts_accpath);
	fts_close(walk);
	return err;
}

struct error *plan_folder(struct plan *p, const struct fileset *files,
			  uid_t uid)
{
	cleanup_free char *tmp = NULL;

	/* Not $TMPDIR: another user has to get there. */
	TRY(dir_make_temp(&p->folder, "/tmp", "avogit-"));
	p->work = xasprintf("%s/work", p->folder);
	tmp = xasprintf("%s/tmp", p->folder);
	TRY(dir_make(p->work));
	TRY(dir_make(tmp));
	if (files)
		TRY(fileset_write(files, p->work));
	return hand_over(p->folder, uid);
}

void plan_environment(struct strvec *env)
{
	strvec_pushl(env, "PATH=/usr/bin:/bin", "LC_ALL=C", NULL);
}

/* The last CPUs: the first ones are where the parent and the interrupts are. */
static struct error *choose_cpus(struct plan *p, unsigned threads)
{
	cpu_set_t ours;
	unsigned chosen = 0;

	if (sched_getaffinity(0, sizeof ours, &ours) < 0)
		return error_errno("sched_getaffinity");
	CPU_ZERO(&p->cpus);
	for (size_t cpu = CPU_SETSIZE; cpu-- > 0 && chosen < threads;)
		if (CPU_ISSET(cpu, &ours)) {
			CPU_SET(cpu, &p->cpus);
			chosen++;
		}
	p->process.cpus = &p->cpus;
	return NULL;
}

struct error *plan_make(struct plan *out, const struct sandbox *s,
			const struct sandbox_spec *spec)
{
	unsigned threads = MAX(spec->threads, 1);
	struct process_spec *process = &out->process;

	*out = (struct plan)PLAN_INIT;
	process->limits = spec->limits;
	process->step_down_uid = s->uid;
	process->die_with_parent = true;
	TRY(inherit_all(out, spec));
	if (spec->profile == SANDBOX_RUN) {
		TRY(choose_cpus(out, threads));
		if (s->has_seccomp)
			TRY(strict_filter(out, s, threads));
	}
	plan_environment(&out->env);
	if (s->level == SANDBOX_BWRAP)
		TRY(plan_bwrap(out, s, spec));
	else
		TRY(plan_none(out, s, spec));
	process->argv = (const char *const *)out->argv.v;
	process->env = (const char *const *)out->env.v;
	process->keep = out->fd;
	process->n_keep = out->n_fds;
	return NULL;
}

void plan_release(struct plan *p)
{
	for (size_t i = 0; i < p->n_fds; i++)
		close(p->fd[i]);
	free(p->fd);
	cleanup_fd_fn(&p->strict_fd);
	cleanup_fd_fn(&p->status_fd);
	if (p->folder)
		error_free(dir_remove(p->folder));
	free(p->folder);
	free(p->work);
	strvec_release(&p->argv);
	strvec_release(&p->env);
	*p = (struct plan)PLAN_INIT;
}
