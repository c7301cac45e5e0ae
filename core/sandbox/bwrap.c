/*
 * Bubblewrap: namespaces of every kind, an empty root with /usr and little
 * else, and a filter of system calls. Its own options come in a memfd, because
 * the program inside can see a command line; so do the files. Limits that could
 * stop bubblewrap itself (files, their number, processes) are set inside, by
 * prlimit(1).
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/sandbox/plan.h"

/* Bubblewrap takes 9000 arguments, from a descriptor too, and up to five of
 * them for each file. More files than this are bound as a folder. */
#define FILES_MAX 256

/* The program is process 1. So no process of bubblewrap is in its namespace,
 * all processes that it starts end with it, and bubblewrap outlives it to
 * report how it ended (bubblewrap's own init would become a child of process
 * 1). */
static void isolate(struct strvec *args, bool network)
{
	strvec_pushl(args, "--unshare-all", "--unshare-user",
		     "--disable-userns", "--die-with-parent", "--new-session",
		     "--cap-drop", "ALL", "--as-pid-1", "--hostname", "box",
		     NULL);
	if (network)
		strvec_push(args, "--share-net");
}

static void bind_system(struct strvec *args, const struct root_path *p)
{
	char target[PATH_MAX];
	ssize_t n = p->maybe_link ? readlink(p->path, target, sizeof target - 1)
				  : -1;

	if (n <= 0) {
		strvec_pushl(args, "--ro-bind-try", p->path, p->path, NULL);
		return;
	}
	target[n] = '\0';
	strvec_pushl(args, "--symlink", target, p->path, NULL);
}

/* A missing device is left out: drivers differ. */
static void bind_device(struct strvec *args, const char *device)
{
	strvec_pushl(args, "--dev-bind-try", device, device, NULL);
}

/* /proc/cpuinfo without the lines that change: programs of other languages
 * choose by it which instructions they use. */
static struct error *show_cpus(struct strvec *args, struct sandbox_plan *p)
{
	static const char path[] = "/proc/cpuinfo";
	cleanup_buf struct buf all = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf kept = BUF_INIT(BUF_LIMIT_TEXT);
	int fd, number;

	TRY(file_read(&all, path));
	for (const char *line = all.data; *line;) {
		size_t n = strcspn(line, "\n") + (strchr(line, '\n') != NULL);

		if (!starts_with(line, "cpu MHz"))
			buf_add(&kept, line, n);
		line += n;
	}
	TRY(memfd_with(&fd, "cpuinfo", kept.data, kept.len, true));
	TRY(plan_keep(&number, p, fd));
	strvec_push(args, "--ro-bind-data");
	strvec_pushf(args, "%d", number);
	strvec_push(args, path);
	return NULL;
}

/* /proc is a folder with the one process that there is. Bubblewrap reads the list
 * of all mounts for every one that it makes, so hiding the machine's files one by
 * one took a fifth of the CPU time of a small scoring. The whole /proc is mounted
 * where /tmp will cover it (bound_memory), and what it says of process 1 is mounted
 * from there. Bubblewrap looks for a source below a folder where it has put the
 * root of the machine, and "/.." leaves that. A source that the machine itself has
 * would be taken instead: probe.c sees to it that it has none. --bind-try, because
 * --bind ends when the machine has none. */
static void show_one_process(struct strvec *args)
{
	static const char whole[] = "/tmp/proc", one[] = "/proc/1";

	strvec_pushl(args, "--perms", "0555", "--size", "4096", "--tmpfs",
		     "/proc", "--proc", whole, "--bind-try", NULL);
	strvec_pushf(args, "/.." BWRAP_ROOT "%s/1", whole);
	strvec_pushl(args, one, "--symlink", "1", "/proc/self", "--symlink",
		     "self/mounts", "/proc/mounts", "--symlink", "self/net",
		     "/proc/net", "--remount-ro", "/proc", NULL);
}

/* The machine's own files in /proc are beside the folders of processes. Such a
 * file becomes a device that cannot be opened, a folder an empty one. */
static struct error *hide_machine(struct strvec *args)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	if (!dir)
		return error_errno("/proc");
	while ((entry = readdir(dir))) {
		const char *name = entry->d_name;

		if (name[0] == '.' || isdigit((unsigned char)name[0]))
			continue;
		if (entry->d_type == DT_DIR) {
			strvec_pushl(args, "--perms", "0555", "--size", "4096",
				     "--tmpfs", NULL);
			strvec_pushf(args, "/proc/%s", name);
			strvec_push(args, "--remount-ro");
			strvec_pushf(args, "/proc/%s", name);
		} else if (entry->d_type == DT_REG) {
			strvec_pushl(args, "--ro-bind", "/dev/null", NULL);
			strvec_pushf(args, "/proc/%s", name);
		}
	}
	closedir(dir);
	return NULL;
}

static struct error *add_system(struct strvec *args, struct sandbox_plan *p,
				const struct sandbox *s,
				const struct sandbox_spec *spec)
{
	bool run = spec->profile == SANDBOX_RUN;
	bool one = spec->alone && s->shows_one_process;
	const struct root_path *path = spec->gpu       ? gpu_paths
				       : spec->network ? network_paths
				       : run	       ? run_paths
						       : system_paths;
	size_t n = spec->gpu	   ? n_gpu_paths
		   : spec->network ? n_network_paths
		   : run	   ? n_run_paths
				   : n_system_paths;

	for (size_t i = 0; i < n; i++)
		bind_system(args, &path[i]);
	if (one)
		show_one_process(args);
	else
		strvec_pushl(args, "--proc", "/proc", NULL);
	strvec_pushl(args, "--dev", "/dev", NULL);
	/* Another device that reads as zeros: mapping the usual one gives
	 * memory that can be held and is not counted (seccomp.c). */
	if (run)
		strvec_pushl(args, "--dev-bind", "/dev/full", "/dev/zero",
			     NULL);
	for (size_t i = 0; spec->gpu && i < n_gpu_devices; i++)
		bind_device(args, gpu_devices[i]);
	for (size_t i = 0; spec->gpu && spec->gpu[i]; i++)
		bind_device(args, spec->gpu[i]);
	if (run && !one)
		TRY(hide_machine(args));
	return run && spec->shows_cpus ? show_cpus(args, p) : NULL;
}

/* Every writable place is memory of bounded size. */
static void bound_memory(struct strvec *args)
{
	strvec_pushl(args, "--size", PLAN_SHM_BYTES, "--tmpfs", "/dev/shm",
		     "--remount-ro", "/dev", NULL);
	strvec_pushl(args, "--size", PLAN_TMP_BYTES, "--tmpfs", "/tmp", NULL);
}

static struct error *copy_files(struct strvec *args, struct sandbox_plan *p,
				const struct fileset *files)
{
	for (size_t i = 0; files && i < files->n; i++) {
		const struct file_entry *f = &files->file[i];
		int fd, number;

		TRY(memfd_with(&fd, "file", f->data, f->len, true));
		TRY(plan_keep(&number, p, fd));
		if (f->executable)
			strvec_pushl(args, "--perms", "0755", NULL);
		strvec_push(args, "--file");
		strvec_pushf(args, "%d", number);
		strvec_pushf(args, PLAN_BOX "/%s", f->path);
	}
	return NULL;
}

static struct error *add_files(struct strvec *args, struct sandbox_plan *p,
			       const struct fileset *files, uid_t uid)
{
	if (!files || files->n <= FILES_MAX) {
		strvec_pushl(args, "--size", PLAN_BOX_BYTES, "--tmpfs",
			     PLAN_BOX, NULL);
		return copy_files(args, p, files);
	}
	TRY(plan_folder(p, files, uid));
	strvec_pushl(args, "--ro-bind", p->work, PLAN_BOX, NULL);
	return NULL;
}

static struct error *add_filter(struct strvec *args, struct sandbox_plan *p,
				const struct filter *f)
{
	int fd, number;

	TRY(memfd_with(&fd, "filter", f->code, f->n * sizeof *f->code, true));
	TRY(plan_keep(&number, p, fd));
	strvec_push(args, "--seccomp");
	strvec_pushf(args, "%d", number);
	return NULL;
}

static struct error *add_status(struct strvec *args, struct sandbox_plan *p)
{
	int fd[2], number;

	if (pipe2(fd, O_CLOEXEC) < 0)
		return error_errno("pipe");
	p->status_fd = fd[0];
	TRY(plan_keep(&number, p, fd[1]));
	if (fcntl(fd[0], F_SETFL, O_NONBLOCK) < 0)
		return error_errno("pipe");
	strvec_push(args, "--json-status-fd");
	strvec_pushf(args, "%d", number);
	return NULL;
}

/* Opened here, because the child is another user by the time it is executed, who
 * may not enter the folder, such as one below /root. */
static struct error *name_program(struct sandbox_plan *p, const char *bwrap)
{
	int fd;

	if (!strchr(bwrap, '/')) {
		strvec_push(&p->argv, bwrap);
		return NULL;
	}
	fd = open(bwrap, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return error_errno("%s", bwrap);
	TRY(plan_high(&p->bwrap_fd, fd));
	strvec_pushf(&p->argv, "/proc/self/fd/%d", p->bwrap_fd);
	return NULL;
}

/* Passes the arguments in a memfd, each with its NUL. */
static struct error *pass_arguments(struct sandbox_plan *p, const char *bwrap,
				    const struct strvec *args)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	int fd, number;

	for (size_t i = 0; i < args->n; i++)
		buf_add(&text, args->v[i], strlen(args->v[i]) + 1);
	if (text.truncated)
		return error_new(ERROR_TOO_BIG,
				 "the paths of the files are too long");
	TRY(memfd_with(&fd, "arguments", text.data, text.len, true));
	TRY(plan_keep(&number, p, fd));
	TRY(name_program(p, bwrap));
	strvec_push(&p->argv, "--args");
	strvec_pushf(&p->argv, "%d", number);
	return NULL;
}

static void limit_inside(struct strvec *argv, struct process_limits *l)
{
	strvec_pushl(argv, "--", "prlimit", NULL);
	if (l->processes)
		strvec_pushf(argv, "--nproc=%ju", (uintmax_t)l->processes);
	if (l->open_files)
		strvec_pushf(argv, "--nofile=%ju", (uintmax_t)l->open_files);
	if (l->file_bytes)
		strvec_pushf(argv, "--fsize=%ju", (uintmax_t)l->file_bytes);
	strvec_pushl(argv, "--core=0", "--", NULL);
	l->processes = 0;
	l->open_files = 0;
	l->file_bytes = 0;
}

struct error *plan_bwrap(struct sandbox_plan *p, const struct sandbox *s,
			 const struct sandbox_spec *spec)
{
	cleanup_strvec struct strvec args = STRVEC_INIT;

	isolate(&args, spec->network);
	TRY(add_system(&args, p, s, spec));
	bound_memory(&args);
	for (size_t i = 0; spec->folders && spec->folders[i]; i++)
		strvec_pushl(&args, "--ro-bind", spec->folders[i],
			     spec->folders[i], NULL);
	TRY(add_files(&args, p, spec->files, s->uid));
	for (size_t i = 0; i < spec->n_binds; i++)
		strvec_pushl(&args,
			     spec->binds[i].writable ? "--bind" : "--ro-bind",
			     spec->binds[i].from, spec->binds[i].to, NULL);
	strvec_pushl(&args, "--remount-ro", "/", "--chdir", PLAN_BOX, NULL);
	if (s->has_seccomp)
		TRY(add_filter(&args, p,
			       &s->filter[spec->network ? FILTER_NETWORK
							: FILTER_BUILD]));
	TRY(add_status(&args, p));
	TRY(pass_arguments(p, s->bwrap, &args));
	limit_inside(&p->argv, &p->process.limits);
	for (size_t i = 0; spec->argv[i]; i++)
		strvec_push(&p->argv, spec->argv[i]);
	strvec_pushl(&p->env, "HOME=/tmp", "TMPDIR=/tmp", NULL);
	/* Bubblewrap, as another user, may not enter our working directory. */
	p->process.dir = "/";
	return NULL;
}

static bool line_status(const char *line, size_t len, const char *key,
			int *value)
{
	cleanup_json struct json *j = NULL;
	cleanup_error struct error *err = json_parse(&j, line, len);
	int64_t v;

	if (err || !json_get_int(j, key, &v) || v < 0 || v > INT32_MAX)
		return false;
	*value = (int)v;
	return true;
}

bool bwrap_status(const char *text, const char *key, int *value)
{
	for (const char *end; (end = strchr(text, '\n')); text = end + 1)
		if (line_status(text, (size_t)(end - text), key, value))
			return true;
	return false;
}
