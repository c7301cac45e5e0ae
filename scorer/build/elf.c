#include "scorer/build/elf.h"

#define SECTIONS_MAX 4096

bool bytes_take(void *out, size_t size, const struct bytes *b, uint64_t at)
{
	if (at > b->len || b->len - at < size)
		return false;
	memcpy(out, b->data + at, size);
	return true;
}

bool bytes_slice(struct bytes *out, const struct bytes *b, uint64_t at,
		 uint64_t len)
{
	if (at > b->len || b->len - at < len)
		return false;
	*out = (struct bytes){b->data + at, (size_t)len};
	return true;
}

bool elf_head(Elf64_Ehdr *out, const struct bytes *file)
{
	return bytes_take(out, sizeof *out, file, 0) &&
	       memcmp(out->e_ident, ELFMAG, SELFMAG) == 0 &&
	       out->e_ident[EI_CLASS] == ELFCLASS64 &&
	       out->e_shentsize == sizeof(Elf64_Shdr) &&
	       out->e_shnum <= SECTIONS_MAX;
}

static bool read_section(Elf64_Shdr *out, const struct bytes *file,
			 const Elf64_Ehdr *elf, size_t i)
{
	return i < elf->e_shnum && bytes_take(out, sizeof *out, file,
					      elf->e_shoff + i * sizeof *out);
}

/* Is the section's name `name`, or, with `prefix`, does it begin with it? */
static bool is_named(const struct bytes *names, const Elf64_Shdr *s,
		     const char *name, bool prefix)
{
	size_t len = strlen(name) + !prefix;
	struct bytes found;

	return bytes_slice(&found, names, s->sh_name, len) &&
	       memcmp(found.data, name, len) == 0;
}

bool elf_section(struct bytes *out, const struct bytes *file, const char *name,
		 bool prefix)
{
	struct bytes names;
	Elf64_Ehdr elf;
	Elf64_Shdr s;

	if (!elf_head(&elf, file) ||
	    !read_section(&s, file, &elf, elf.e_shstrndx) ||
	    !bytes_slice(&names, file, s.sh_offset, s.sh_size))
		return false;
	for (size_t i = 0; i < elf.e_shnum; i++)
		if (read_section(&s, file, &elf, i) && s.sh_size &&
		    is_named(&names, &s, name, prefix))
			return bytes_slice(out, file, s.sh_offset, s.sh_size);
	return false;
}
