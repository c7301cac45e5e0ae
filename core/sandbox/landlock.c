/*
 * Landlock, for machines without user namespaces: a program can open only what
 * the rules name, even if every user may read it. The filter that SANDBOX_NONE
 * has too does what the rules cannot (no socket, no signal to others, no change
 * of modes, no way out of the process group, which is ended as a whole). Names,
 * sizes and owners of files stay visible; the private folder lies on the disk,
 * and only each file in it is bounded.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/sandbox/plan.h"
#include "core/sandbox/process_child.h"

/* The kernel's interface, defined here because headers are often older than the
 * kernel. Each ABI includes the earlier ones. */
#define FS_EXECUTE     (UINT64_C(1) << 0)
#define FS_WRITE_FILE  (UINT64_C(1) << 1)
#define FS_READ_FILE   (UINT64_C(1) << 2)
#define FS_READ_DIR    (UINT64_C(1) << 3)
#define FS_REMOVE_DIR  (UINT64_C(1) << 4)
#define FS_REMOVE_FILE (UINT64_C(1) << 5)
#define FS_MAKE_CHAR   (UINT64_C(1) << 6)
#define FS_MAKE_DIR    (UINT64_C(1) << 7)
#define FS_MAKE_REG    (UINT64_C(1) << 8)
#define FS_MAKE_SOCK   (UINT64_C(1) << 9)
#define FS_MAKE_FIFO   (UINT64_C(1) << 10)
#define FS_MAKE_BLOCK  (UINT64_C(1) << 11)
#define FS_MAKE_SYM    (UINT64_C(1) << 12)
#define FS_REFER       (UINT64_C(1) << 13)
#define FS_TRUNCATE    (UINT64_C(1) << 14)
#define FS_IOCTL_DEV   (UINT64_C(1) << 15)
#define FS_ABI_1       ((UINT64_C(1) << 13) - 1)

#define NET_BIND_TCP	   (UINT64_C(1) << 0)
#define NET_CONNECT_TCP	   (UINT64_C(1) << 1)
#define SCOPE_UNIX_SOCKETS (UINT64_C(1) << 0)
#define SCOPE_SIGNALS	   (UINT64_C(1) << 1)

#define CREATE_VERSION	  1U
#define RULE_PATH_BENEATH 1

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule	    445
#endif

struct handled {
	uint64_t fs, net, scoped;
};
struct beneath {
	uint64_t allowed;
	int32_t fd;
} __attribute__((packed));

static const struct {
	int abi;
	struct handled adds;
} history[] = {
	{1, {.fs = FS_ABI_1}},
	{2, {.fs = FS_REFER}},
	{3, {.fs = FS_TRUNCATE}},
	{4, {.net = NET_BIND_TCP | NET_CONNECT_TCP}},
	{5, {.fs = FS_IOCTL_DEV}},
	{6, {.scoped = SCOPE_UNIX_SOCKETS | SCOPE_SIGNALS}},
};

#define READ	(FS_READ_FILE | FS_READ_DIR)
#define PROGRAM (READ | FS_EXECUTE)
#define DEVICE	(FS_READ_FILE | FS_WRITE_FILE)
#define OWN                                                                  \
	(PROGRAM | FS_WRITE_FILE | FS_REMOVE_DIR | FS_REMOVE_FILE |          \
	 FS_MAKE_DIR | FS_MAKE_REG | FS_MAKE_FIFO | FS_MAKE_SYM | FS_REFER | \
	 FS_TRUNCATE)
/* The rights that apply to a file that is not a folder. */
#define OF_FILES (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE)

/* Not the folder of any process: its own differs for each process that it
 * starts, and another program's is hidden. A file under /proc/self/fd is
 * checked at the place where it really lies, so a memfd can be executed. */
static const char *const machine_facts[] = {"/proc/cpuinfo", "/proc/meminfo",
					    "/proc/stat",
					    "/proc/sys/vm/overcommit_memory"};

/* What the driver of a GPU reads besides, as libcuda of 580 was seen to, and
 * what others report of 570. It also reads of its process, the map first of all,
 * and names its threads by their comm: without that it does not start
 * (CUDA_ERROR_OPERATING_SYSTEM). */
static const char *const driver_facts[] = {"/proc/sys/vm/mmap_min_addr",
					   "/proc/devices", "/proc/modules",
					   "/proc/driver/nvidia",
					   "/proc/driver/nvidia-uvm"};

/* All that the kernel can restrict; without a rule, nothing is allowed. */
static struct handled handled_by(int abi)
{
	struct handled h = {0};

	for (size_t i = 0; i < ARRAY_SIZE(history) && history[i].abi <= abi;
	     i++) {
		h.fs |= history[i].adds.fs;
		h.net |= history[i].adds.net;
		h.scoped |= history[i].adds.scoped;
	}
	return h;
}

/* The kernel would refuse a rule with rights that it does not know, or on a file
 * with one that is of folders. False, with errno: it cannot be looked at. */
static bool limit_rights(uint64_t *rights, const struct landlock *l, int fd)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return false;
	*rights &= handled_by(l->abi).fs;
	if (!S_ISDIR(st.st_mode))
		*rights &= OF_FILES | FS_IOCTL_DEV;
	return true;
}

static struct error *hold(struct landlock *l, const char *path,
			  uint64_t allowed)
{
	cleanup_fd int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT)
		return NULL;
	if (!limit_rights(&allowed, l, fd))
		return error_errno("%s", path);
	GROW(l->path, l->n, l->cap);
	l->path[l->n++] = (struct landlock_path){steal_fd(&fd), allowed};
	return NULL;
}

static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full",
				      "/dev/random", "/dev/urandom"};

static struct error *hold_all(struct landlock *l)
{
	for (size_t i = 0; i < n_system_paths; i++)
		TRY(hold(l, system_paths[i].path, PROGRAM));
	for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
		TRY(hold(l, devices[i], DEVICE));
	for (size_t i = 0; i < ARRAY_SIZE(machine_facts); i++)
		TRY(hold(l, machine_facts[i], READ));
	return NULL;
}

struct error *landlock_open(struct landlock *out)
{
	struct landlock l = {0};
	struct error *err;

	l.abi = (int)syscall(SYS_landlock_create_ruleset, NULL, 0,
			     CREATE_VERSION);
	if (l.abi <= 0)
		return error_new(ERROR_NOT_FOUND, "the kernel has no Landlock");
	err = hold_all(&l);
	if (err) {
		landlock_release(&l);
		return err;
	}
	*out = l;
	return NULL;
}

void landlock_release(struct landlock *l)
{
	for (size_t i = 0; i < l->n; i++)
		close(l->path[i].fd);
	free(l->path);
	*l = (struct landlock){0};
}

static struct error *add_rule(int rule_set, const struct landlock_path *p)
{
	const struct beneath rule = {p->allowed, p->fd};

	if (syscall(SYS_landlock_add_rule, rule_set, RULE_PATH_BENEATH, &rule,
		    0) < 0)
		return error_errno("cannot add a Landlock rule");
	return NULL;
}

static struct error *add_rules(int rule_set, const struct landlock *l,
			       const char *folder)
{
	cleanup_fd int fd = open(folder, O_PATH | O_CLOEXEC | O_NOFOLLOW);
	struct landlock_path own = {fd, OWN & handled_by(l->abi).fs};

	if (fd < 0)
		return error_errno("%s", folder);
	for (size_t i = 0; i < l->n; i++)
		TRY(add_rule(rule_set, &l->path[i]));
	return add_rule(rule_set, &own);
}

static struct error *add_folders(int rule_set, const struct landlock *l,
				 const char *const *folders)
{
	for (size_t i = 0; folders && folders[i]; i++) {
		cleanup_fd int fd = open(folders[i], O_PATH | O_CLOEXEC);
		struct landlock_path p = {fd, PROGRAM};

		if (!limit_rights(&p.allowed, l, fd))
			return error_errno("%s", folders[i]);
		TRY(add_rule(rule_set, &p));
	}
	return NULL;
}

/* A driver differs from the next in what it has: what is missing is left out. */
static struct error *add_if_there(int rule_set, const struct landlock *l,
				  const char *path, uint64_t allowed)
{
	cleanup_fd int fd = open(path, O_PATH | O_CLOEXEC);
	struct landlock_path p = {fd, allowed};

	if (!limit_rights(&p.allowed, l, fd))
		return NULL;
	return add_rule(rule_set, &p);
}

static struct error *add_gpu(int rule_set, const struct landlock *l,
			     const char *const *cards)
{
	const uint64_t card = DEVICE | FS_IOCTL_DEV;

	for (size_t i = 0; i < n_gpu_paths; i++)
		TRY(add_if_there(rule_set, l, gpu_paths[i].path, PROGRAM));
	for (size_t i = 0; i < ARRAY_SIZE(driver_facts); i++)
		TRY(add_if_there(rule_set, l, driver_facts[i], READ));
	for (size_t i = 0; i < n_gpu_devices; i++)
		TRY(add_if_there(rule_set, l, gpu_devices[i], card));
	for (; *cards; cards++)
		TRY(add_if_there(rule_set, l, *cards, card));
	return NULL;
}

/* The kernel refuses a right that it does not know, or that a rule set does not
 * handle: then without it. */
static bool add_own(int rule_set, const char *path, uint64_t rights,
		    uint64_t maybe)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	const struct beneath all = {rights | maybe, fd};
	const struct beneath less = {rights, fd};
	bool added = fd >= 0 && (syscall(SYS_landlock_add_rule, rule_set,
					 RULE_PATH_BENEATH, &all, 0) == 0 ||
				 syscall(SYS_landlock_add_rule, rule_set,
					 RULE_PATH_BENEATH, &less, 0) == 0);

	if (fd >= 0)
		close(fd);
	return added;
}

bool landlock_add_own_process(int rule_set)
{
	return add_own(rule_set, "/proc/self", READ, 0) &&
	       add_own(rule_set, "/proc/self/task",
		       FS_READ_FILE | FS_WRITE_FILE, FS_TRUNCATE);
}

struct error *plan_landlock(struct sandbox_plan *p, const struct sandbox *s,
			    const struct sandbox_spec *spec)
{
	const struct handled handled = handled_by(s->landlock.abi);
	int fd;

	TRY(plan_none(p, s, spec));
	/* Older kernels accept the longer struct if its end is zero. */
	fd = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled,
			  0);
	if (fd < 0)
		return error_errno("cannot make a Landlock rule set");
	TRY(plan_high(&p->landlock_fd, fd));
	TRY(add_rules(p->landlock_fd, &s->landlock, p->folder));
	TRY(add_folders(p->landlock_fd, &s->landlock, spec->folders));
	if (spec->gpu)
		TRY(add_gpu(p->landlock_fd, &s->landlock, spec->gpu));
	p->process.opens_own_process = spec->gpu != NULL;
	p->process.landlock_fd = p->landlock_fd;
	return NULL;
}
