/* Puts a function in place of one that the program around us calls. */
#ifndef HOOK_H
#define HOOK_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct hook {
	const char *name;
	void *with;
	int done;
};

static inline void hook_in(struct hook *h, unsigned long base,
			   const ElfW(Rela) * r, unsigned long bytes,
			   const ElfW(Sym) * symbols, const char *names)
{
	for (unsigned long i = 0; i < bytes / sizeof *r; i++) {
		void **slot = (void **)(base + r[i].r_offset);
		unsigned long page = (unsigned long)slot & ~4095ul;

		if (strcmp(names + symbols[ELF64_R_SYM(r[i].r_info)].st_name,
			   h->name) != 0)
			continue;
		if (mprotect((void *)page, 8192, PROT_READ | PROT_WRITE) != 0 &&
		    mprotect((void *)page, 4096, PROT_READ | PROT_WRITE) != 0)
			continue;
		*slot = h->with;
		h->done++;
	}
}

static inline int hook_program(struct dl_phdr_info *info, size_t size,
			       void *hook)
{
	unsigned long plt = 0, plt_bytes = 0, rela = 0, rela_bytes = 0,
		      symbols = 0, names = 0;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Dyn) *d = (const void *)(info->dlpi_addr +
						    info->dlpi_phdr[i].p_vaddr);

		if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
			continue;
		for (; d->d_tag != DT_NULL; d++) {
			unsigned long v = d->d_un.d_ptr;

			plt = d->d_tag == DT_JMPREL ? v : plt;
			plt_bytes = d->d_tag == DT_PLTRELSZ ? v : plt_bytes;
			rela = d->d_tag == DT_RELA ? v : rela;
			rela_bytes = d->d_tag == DT_RELASZ ? v : rela_bytes;
			symbols = d->d_tag == DT_SYMTAB ? v : symbols;
			names = d->d_tag == DT_STRTAB ? v : names;
		}
	}
	hook_in(hook, info->dlpi_addr, (void *)plt, plt_bytes, (void *)symbols,
		(void *)names);
	hook_in(hook, info->dlpi_addr, (void *)rela, rela_bytes,
		(void *)symbols, (void *)names);
	return 1; /* the program comes first, and is enough */
}

static inline int hook(const char *name, void *with)
{
	struct hook h = {name, with, 0};

	dl_iterate_phdr(hook_program, &h);
	return h.done;
}

#endif
