/* A new root: memory with read-only parts of the machine in it. Built in a
 * folder of the old root, by relative names; then the old root is unmounted. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/sandbox/process_confine.h"
#include "core/sandbox/sandbox.h"

/* For headers that are older than the kernel. */
#ifndef MOUNT_ATTR_RDONLY
#define MOUNT_ATTR_RDONLY 0x1
#define MOUNT_ATTR_NOSUID 0x2
#define MOUNT_ATTR_NODEV  0x4
#define MOUNT_ATTR_NOEXEC 0x8
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif

struct attributes {
	uint64_t set, clear, propagation, userns_fd;
};

/* Any folder will do: its contents are not visible inside. */
#define CORNER "/tmp"
/* Has only folders and empty files to mount on. */
#define ROOT_OPTIONS "mode=755,size=1048576,nr_inodes=1024"

/* Also for mounts below it. Unlike a remount, this leaves alone the attributes
 * that a user namespace may not change. */
static bool set_attributes(const char *path, uint64_t attributes)
{
	struct attributes a = {.set = attributes};

	return syscall(SYS_mount_setattr, AT_FDCWD, path, AT_RECURSIVE, &a,
		       sizeof a) == 0;
}

static bool protect(const char *path, uint64_t attributes)
{
	return set_attributes(path, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
					    attributes);
}

/* Makes the folders above `path`, from the current one. */
static bool make_parents(const char *path)
{
	char part[PATH_MAX];

	for (const char *end = path; (end = strchr(end, '/')); end++) {
		size_t len = (size_t)(end - path);

		if (len >= sizeof part) {
			errno = ENAMETOOLONG;
			return false;
		}
		memcpy(part, path, len);
		part[len] = '\0';
		if (mkdir(part, 0755) < 0 && errno != EEXIST)
			return false;
	}
	return true;
}

static bool make_folder(const char *path)
{
	return make_parents(path) &&
	       (mkdir(path, 0755) == 0 || errno == EEXIST);
}

static bool make_empty(const char *path)
{
	cleanup_fd int fd = -1;

	if (!make_parents(path))
		return false;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	return fd >= 0;
}

static bool bind(const char *path, uint64_t attributes)
{
	const char *inside = path + 1;
	struct stat st;

	if (stat(path, &st) < 0)
		return errno == ENOENT;
	if (!(S_ISDIR(st.st_mode) ? make_folder(inside) : make_empty(inside)))
		return false;
	return mount(path, inside, NULL, MS_BIND | MS_REC, NULL) == 0 &&
	       protect(inside, attributes);
}

static bool copy_link(const char *path)
{
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof target - 1);

	if (n < 0)
		return false;
	target[n] = '\0';
	return symlink(target, path + 1) == 0;
}

static bool show(const struct root_path *p)
{
	struct stat st;

	if (p->maybe_link && lstat(p->path, &st) == 0 && S_ISLNK(st.st_mode))
		return copy_link(p->path);
	return bind(p->path, MOUNT_ATTR_NODEV);
}

/* Compilers and shells use descriptors by these names. */
static bool make_dev_links(void)
{
	return symlink("/proc/self/fd", "dev/fd") == 0 &&
	       symlink("/proc/self/fd/0", "dev/stdin") == 0 &&
	       symlink("/proc/self/fd/1", "dev/stdout") == 0 &&
	       symlink("/proc/self/fd/2", "dev/stderr") == 0;
}

static const char *add_system(const struct root *root)
{
	for (size_t i = 0; i < root->n_system; i++)
		if (!show(&root->system[i]))
			return root->system[i].path;
	if (!make_folder("dev") || !make_dev_links())
		return "/dev";
	for (size_t i = 0; i < root->n_devices; i++)
		if (!bind(root->device[i], MOUNT_ATTR_NOEXEC))
			return root->device[i];
	/* While the machine's own /proc is still mounted: the kernel lets a
	 * user namespace mount one only as open as one that it sees. */
	if (!make_folder("proc") ||
	    mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
		  NULL) < 0)
		return "/proc";
	return NULL;
}

static const char *add_memory(const struct root *root)
{
	for (size_t i = 0; i < root->n_memory; i++) {
		const struct root_memory *m = &root->memory[i];

		if (!make_folder(m->path + 1) ||
		    mount("tmpfs", m->path + 1, "tmpfs", MS_NOSUID | MS_NODEV,
			  m->options) < 0)
			return m->path;
	}
	return NULL;
}

/* After the memory folders, which would hide folders in the same place. */
static const char *add_folders(const struct root *root)
{
	for (size_t i = 0; root->folder && root->folder[i]; i++) {
		struct stat st;

		if (stat(root->folder[i], &st) < 0 ||
		    !bind(root->folder[i], MOUNT_ATTR_NODEV))
			return root->folder[i];
	}
	return NULL;
}

/* Folders under other names; some of them are writable. */
static const char *add_binds(const struct root *root)
{
	for (size_t i = 0; i < root->n_binds; i++) {
		const struct sandbox_bind *b = &root->bind[i];
		uint64_t only_read = b->writable ? 0 : MOUNT_ATTR_RDONLY;

		if (!make_folder(b->to + 1) ||
		    mount(b->from, b->to + 1, NULL, MS_BIND | MS_REC, NULL) <
			    0 ||
		    !set_attributes(b->to + 1, only_read | MOUNT_ATTR_NOSUID |
						       MOUNT_ATTR_NODEV))
			return b->from;
	}
	return NULL;
}

static bool write_file(const struct file_entry *f)
{
	cleanup_fd int fd = -1;
	size_t done = 0;
	ssize_t n;

	if (!make_parents(f->path))
		return false;
	fd = open(f->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		  f->executable ? 0755 : 0644);
	if (fd < 0)
		return false;
	for (; done < f->len; done += (size_t)n) {
		n = write(fd, f->data + done, f->len - done);
		if (n <= 0)
			return false;
	}
	return true;
}

static const char *write_files(const struct root *root)
{
	if (chdir(root->box + 1) < 0)
		return root->box;
	for (size_t i = 0; root->files && i < root->files->n; i++)
		if (!write_file(&root->files->file[i]))
			return root->box;
	return chdir("/") < 0 ? "/" : NULL;
}

/* Stacks the old root on the new one, where "." finds it. */
static bool leave_old_root(void)
{
	return syscall(SYS_pivot_root, ".", ".") == 0 &&
	       umount2(".", MNT_DETACH) == 0 && chdir("/") == 0;
}

/* The root alone, not the mounts below it. */
static bool protect_top(void)
{
	struct attributes a = {.set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV};

	return syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, &a, sizeof a) == 0;
}

const char *confine_root(const struct root *root)
{
	const char *what;

	umask(022);
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", CORNER, "tmpfs", MS_NOSUID, ROOT_OPTIONS) < 0 ||
	    chdir(CORNER) < 0)
		return "cannot mount a root of its own";
	what = add_system(root);
	if (!what)
		what = add_memory(root);
	if (!what)
		what = add_folders(root);
	if (!what)
		what = add_binds(root);
	if (what)
		return what;
	if (!leave_old_root())
		return "cannot leave the old root";
	what = write_files(root);
	if (what)
		return what;
	return protect_top() ? NULL : "cannot protect its root";
}
