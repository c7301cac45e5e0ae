#include "scorer/build/library.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "core/base/hash.h"
#include "core/sandbox/sandbox.h"
#include "scorer/build/elf.h"

#define HASH_DIGITS 16
#define NAME_MOST   256

struct mapped {
	struct bytes bytes;
};

static void mapped_release(struct mapped *m)
{
	if (m->bytes.data)
		munmap((void *)m->bytes.data, m->bytes.len);
}
DEFINE_RELEASE(mapped, struct mapped, mapped_release)

/* A pipe or a device is not waited for. */
static struct error *map_file(struct mapped *out, const char *path)
{
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	void *data;

	if (fd < 0 && errno == ENOENT && lstat(path, &st) == 0)
		return error_new(ERROR_NOT_FOUND,
				 "%s is a link that leads to nothing", path);
	if (fd < 0 && errno == ENOENT)
		return error_new(ERROR_NOT_FOUND, "there is no file %s", path);
	if (fd < 0 || fstat(fd, &st) < 0)
		return error_new(ERROR_NOT_FOUND, "%s cannot be read: %s", path,
				 strerror(errno));
	if (S_ISDIR(st.st_mode))
		return error_new(ERROR_NOT_FOUND,
				 "%s is a folder: give the library in it",
				 path);
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return error_new(ERROR_NOT_FOUND, "%s is not a shared library",
				 path);
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return error_new(ERROR_NOT_FOUND, "%s cannot be read: %s", path,
				 strerror(errno));
	out->bytes = (struct bytes){data, (size_t)st.st_size};
	return NULL;
}

/* Of this program: what it can load has the same. */
static struct error *own_machine(unsigned *out)
{
	CLEANUP(mapped) struct mapped own = {0};
	Elf64_Ehdr elf;

	TRY(map_file(&own, "/proc/self/exe"));
	if (!elf_head(&elf, &own.bytes))
		return error_new(ERROR_SYSTEM, "cannot read this program");
	*out = elf.e_machine;
	return NULL;
}

static struct error *check_kind(const struct bytes *file, const char *path)
{
	unsigned machine = 0;
	Elf64_Ehdr elf;

	TRY(own_machine(&machine));
	if (file->len < SELFMAG || memcmp(file->data, ELFMAG, SELFMAG) != 0)
		return error_new(ERROR_NOT_FOUND, "%s is not a shared library",
				 path);
	if (!elf_head(&elf, file) || elf.e_machine != machine)
		return error_new(ERROR_NOT_FOUND,
				 "%s is for another kind of processor than "
				 "this machine's",
				 path);
	if (elf.e_type != ET_DYN)
		return error_new(ERROR_NOT_FOUND,
				 "%s is not a shared library: link it with "
				 "-shared",
				 path);
	return NULL;
}

/* The name by which a program that was linked with it looks for it; false: the
 * path at which the linker found it. */
static bool find_soname(char out[NAME_MOST], const struct bytes *file)
{
	struct bytes dynamic, names, name;
	Elf64_Dyn d;

	if (!elf_section(&dynamic, file, ".dynamic", false) ||
	    !elf_section(&names, file, ".dynstr", false))
		return false;
	for (uint64_t at = 0; bytes_take(&d, sizeof d, &dynamic, at);
	     at += sizeof d) {
		if (d.d_tag != DT_SONAME || d.d_un.d_val >= names.len)
			continue;
		if (!bytes_slice(&name, &names, d.d_un.d_val,
				 MIN(names.len - d.d_un.d_val,
				     (uint64_t)NAME_MOST - 1)))
			return false;
		snprintf(out, NAME_MOST, "%.*s", (int)name.len,
			 (const char *)name.data);
		return true;
	}
	return false;
}

static struct error *check_name(const struct bytes *file, const char *path)
{
	const char *own = strrchr(path, '/') + 1;
	char soname[NAME_MOST];

	if (!find_soname(soname, file) || str_eq(soname, own))
		return NULL;
	return error_new(ERROR_NOT_FOUND,
			 "%s is looked for as %s, its soname: give it by a "
			 "path that ends so (a link will do)",
			 path, soname);
}

/* Adds the path and what it holds to one baseline's words. */
static struct error *add_one(struct buf *said, const char *path)
{
	CLEANUP(mapped) struct mapped file = {0};
	char hex[HASH_HEX_LEN + 1];
	struct hash *h;

	TRY(map_file(&file, path));
	TRY(check_kind(&file.bytes, path));
	TRY(check_name(&file.bytes, path));
	h = hash_new();
	hash_add(h, file.bytes.data, file.bytes.len);
	hash_finish(hex, h);
	buf_addf(said, "%s%s sha256 %.*s", said->len ? ", " : "", path,
		 HASH_DIGITS, hex);
	return NULL;
}

void libraries_show(struct strvec *paths, const struct trusted_code *c)
{
	for (size_t i = 0; i < c->library.n; i++)
		if (!sandbox_shows(c->library.v[i]) &&
		    !strvec_has(paths, c->library.v[i]))
			strvec_push(paths, c->library.v[i]);
}

static struct error *add_baseline(struct libraries *l,
				  const struct trusted_code *c)
{
	cleanup_buf struct buf said = BUF_INIT(BUF_LIMIT_TEXT);

	if (c->version)
		buf_addf(&said, "version %s", c->version);
	for (size_t i = 0; i < c->library.n; i++)
		TRY(add_one(&said, c->library.v[i]));
	libraries_show(&l->paths, c);
	strvec_push(&l->said, said.data ? said.data : "");
	return NULL;
}

struct error *libraries_open(struct libraries *out, const struct task *t)
{
	cleanup_libraries struct libraries l = {0};

	for (size_t i = 0; i < t->n_baselines; i++)
		TRY(error_wrap(add_baseline(&l, &t->baselines[i]),
			       "%s: baselines.%s.library", t->path,
			       t->baselines[i].name));
	*out = l;
	l = (struct libraries){0};
	return NULL;
}

void libraries_release(struct libraries *l)
{
	strvec_release(&l->paths);
	strvec_release(&l->said);
	*l = (struct libraries){0};
}
