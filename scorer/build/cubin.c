#include "scorer/build/cubin.h"

#include "scorer/build/elf.h"

/* NVIDIA does not document this; tools have read it for fifteen years. */
#define FATBIN_MAGIC  0xba55ed50u
#define KIND_ELF      2
#define FLAG_ZIPPED   0x2000u /* by LZ4 */
#define FLAG_ZIPPED_2 0x8000u /* by zstd */
#define SECTION	      ".nv_fatbin"

struct fatbin_header {
	uint32_t magic;
	uint16_t version, header_len;
	uint64_t len; /* without the header */
};
struct fatbin_entry {
	uint16_t kind, version;
	uint32_t header_len;
	uint64_t len;
	uint32_t zipped_len, options_at;
	uint16_t minor, major;
	uint32_t arch; /* 90 */
	uint32_t name_at, name_len;
	uint64_t flags, zero, plain_len;
};

static struct error *malformed(const char *what)
{
	return error_new(ERROR_MALFORMED,
			 "the object's device code cannot be read: %s", what);
}

/* nvcc links an empty cubin into all code that is not relocatable. */
static bool holds_something(const struct bytes *cubin)
{
	static const char *const sections[] = {".text.", ".nv.global",
					       ".nv.constant3"};
	struct bytes found;

	for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
		if (elf_section(&found, cubin, sections[i], true))
			return true;
	return false;
}

struct cubin_search {
	struct bytes object;
	uint32_t arch;
	struct cubin *out;
	size_t n;
};

static struct error *keep(struct cubin_search *s, const struct bytes *cubin)
{
	Elf64_Ehdr elf;

	if (!elf_head(&elf, cubin))
		return malformed("an entry is not an ELF file");
	if (!holds_something(cubin))
		return NULL;
	if (s->n == CUBIN_MAX)
		return error_new(ERROR_TOO_BIG,
				 "the object carries over %d pieces of device "
				 "code: build with rdc",
				 CUBIN_MAX);
	s->out[s->n++] = (struct cubin){(size_t)(cubin->data - s->object.data),
					cubin->len};
	return NULL;
}

static struct error *read_entry(size_t *next, struct cubin_search *s,
				const struct bytes *entries, size_t at)
{
	struct fatbin_entry e;
	struct bytes cubin;

	if (!bytes_take(&e, sizeof e, entries, at) || e.header_len < sizeof e ||
	    e.header_len > entries->len - at ||
	    !bytes_slice(&cubin, entries, at + e.header_len, e.len))
		return malformed("an entry is cut off");
	*next = at + e.header_len + cubin.len;
	if (e.kind != KIND_ELF || e.arch != s->arch)
		return NULL;
	if (e.zipped_len || e.flags & (FLAG_ZIPPED | FLAG_ZIPPED_2))
		return error_new(ERROR_REFUSED,
				 "the object's device code is compressed: "
				 "build it with -no-compress");
	return keep(s, &cubin);
}

static struct error *read_fatbin(struct cubin_search *s,
				 const struct bytes *entries)
{
	for (size_t at = 0; at < entries->len;)
		TRY(read_entry(&at, s, entries, at));
	return NULL;
}

/* Reads containers one after another, with zeros between for alignment. */
static struct error *read_fatbins(struct cubin_search *s,
				  const struct bytes *section)
{
	for (size_t at = 0; at < section->len;) {
		struct fatbin_header h;
		struct bytes entries;

		if (!section->data[at]) {
			at++;
			continue;
		}
		if (!bytes_take(&h, sizeof h, section, at) ||
		    h.magic != FATBIN_MAGIC || h.header_len < sizeof h ||
		    !bytes_slice(&entries, section, at + h.header_len, h.len))
			return malformed("a container is cut off");
		TRY(read_fatbin(s, &entries));
		at += h.header_len + entries.len;
	}
	return NULL;
}

struct error *cubins_find(struct cubin out[CUBIN_MAX], size_t *n,
			  const void *object, size_t len, const char *arch)
{
	struct cubin_search s = {.object = {object, len}, .out = out};
	struct bytes section;
	Elf64_Ehdr elf;

	if (!elf_head(&elf, &s.object))
		return malformed("it is not an ELF file");
	s.arch = starts_with(arch, "sm_")
			 ? (uint32_t)strtoul(arch + 3, NULL, 10)
			 : 0;
	if (elf_section(&section, &s.object, SECTION, false))
		TRY(read_fatbins(&s, &section));
	*n = s.n;
	return NULL;
}
