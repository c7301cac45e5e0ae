#include "scorer/runner/mapping.h"

#include <sys/mman.h>

#define ADDRESS_TRIES 8
#define ADDRESS_STEP  ((uint64_t)1 << 36)

/* Reserves an unmapped range at the address, or a little after it. */
static const char *reserve(struct mapping *m, size_t bytes, uint64_t address)
{
	for (unsigned i = 0; i < ADDRESS_TRIES; i++) {
		uint64_t at = address + i * ADDRESS_STEP;
		void *p = mmap((void *)(uintptr_t)at, bytes, PROT_NONE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
				       MAP_FIXED_NOREPLACE,
			       -1, 0);

		if (p == MAP_FAILED)
			continue;
		m->base = p;
		m->bytes = bytes;
		return NULL;
	}
	return "no room in the address space for the buffers";
}

/* Makes the pages of a shared file present. MAP_POPULATE would map each page
 * alone; when one page is read, the kernel maps sixteen pages of the file,
 * which can then also be written. */
static void touch(const unsigned char *begin, size_t bytes)
{
	const size_t step = 16 * (size_t)LAYOUT_PAGE;
	const unsigned char *end = begin + bytes, *at = begin;

	while (at < end) {
		(void)*(const volatile unsigned char *)at;
		at += step - (uintptr_t)at % step;
	}
}

/* Of pages that will be written: the first write to one sets its dirty bit in the
 * page table, which takes a virtual machine a third of a microsecond. So every page
 * is written here, with what is in it. */
static void touch_to_write(unsigned char *begin, size_t bytes)
{
	touch(begin, bytes);
	for (size_t at = 0; at < bytes; at += LAYOUT_PAGE) {
		volatile unsigned char *p = begin + at;
		unsigned char was = *p;

		*p = was;
	}
}

static const char *map_slot(unsigned char *at, int fd,
			    const struct tensor_layout *t, size_t file_image,
			    enum mapping_access access)
{
	int protection = PROT_READ | (access == MAPPING_READ ? 0 : PROT_WRITE);
	size_t file_region = file_image + t->begin;
	void *p = mmap(at, t->end - t->begin, protection,
		       MAP_SHARED | MAP_FIXED, fd, (off_t)file_region);

	if (p == MAP_FAILED)
		return "a buffer cannot be mapped";
	if (access == MAPPING_READ)
		touch(p, t->end - t->begin);
	else
		touch_to_write(p, t->end - t->begin);
	return NULL;
}

const char *mapping_guarded(struct mapping *m, int fd,
			    const struct entry_call *c, unsigned mask,
			    size_t image_bytes, enum mapping_access access,
			    uint64_t address)
{
	struct image_map map = entry_call_image_map(c, mask);
	size_t in_file[REGION_COUNT] = {0}, in_image = 0;
	const char *why;

	mapping_release(m);
	memcpy(m->slot, map.slot, sizeof m->slot);
	m->stride = map.stride;
	for (unsigned r = 0; r < REGION_COUNT; r++) {
		in_file[r] = in_image;
		if (mask & (1U << r))
			in_image += c->layout.region_bytes[r];
	}
	why = reserve(m, c->batch * m->stride + LAYOUT_PAGE, address);
	for (uint32_t k = 0; !why && k < c->batch; k++)
		for (size_t i = 0; !why && i < c->layout.n; i++) {
			const struct tensor_layout *t =
				&c->layout.arg[i].tensor;

			if (!c->layout.arg[i].is_tensor ||
			    !(mask & (1U << t->region)))
				continue;
			why = map_slot(m->base + k * m->stride + m->slot[i], fd,
				       t, k * image_bytes + in_file[t->region],
				       access);
		}
	return why;
}

const char *mapping_part(struct mapping *m, int fd, size_t at, size_t bytes,
			 int protection)
{
	void *p;

	mapping_release(m);
	if (!bytes)
		return NULL;
	p = mmap(NULL, bytes, protection, MAP_SHARED | MAP_POPULATE, fd,
		 (off_t)at);
	if (p == MAP_FAILED)
		return "a buffer cannot be mapped";
	m->base = p;
	m->bytes = bytes;
	return NULL;
}

const char *mapping_plain(struct mapping *m, int fd, size_t bytes,
			  int protection)
{
	return mapping_part(m, fd, 0, bytes, protection);
}

const char *mapping_anonymous(struct mapping *m, size_t bytes)
{
	void *p;

	mapping_release(m);
	if (!bytes)
		return NULL;
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return "out of memory";
	m->base = p;
	m->bytes = bytes;
	return NULL;
}

void mapping_writable(struct mapping *m, bool writable)
{
	if (m->base)
		mprotect(m->base, m->bytes,
			 PROT_READ | (writable ? PROT_WRITE : 0));
}

/* Pages that nothing may touch: as many as the array has, since a size taken for
 * another may be as much too far, within these. */
#define FENCE_LEAST ((size_t)64 << 10)
#define FENCE_MOST  ((size_t)64 << 20)

static size_t whole_pages(size_t bytes)
{
	return (bytes + LAYOUT_PAGE - 1) / LAYOUT_PAGE * LAYOUT_PAGE;
}

static size_t fence_bytes(size_t bytes)
{
	return MIN(MAX(whole_pages(bytes), FENCE_LEAST), FENCE_MOST);
}

/* Bytes of the pages that are mapped and not of the array: of part 0 before it, of 1
 * after it. */
struct fence_part {
	unsigned char *begin, *end;
};

static struct fence_part fence_part(const struct mapping *m, unsigned which)
{
	size_t fence = fence_bytes(m->bytes);
	unsigned char *end = m->base + m->bytes;

	if (which == 0)
		return (struct fence_part){m->room + fence, m->base};
	return (struct fence_part){end, m->room + m->room_bytes - fence};
}

static size_t word_at(const unsigned char *p)
{
	return (uintptr_t)p % sizeof(uint64_t);
}

static void fence_fill(struct mapping *m, uint64_t word)
{
	for (unsigned which = 0; which < 2; which++) {
		struct fence_part part = fence_part(m, which);

		for (unsigned char *p = part.begin; p < part.end; p++)
			*p = ((const unsigned char *)&word)[word_at(p)];
	}
}

/* The first byte of a part that is not as it was; its end: none. */
static unsigned char *first_touched(const struct fence_part *part,
				    uint64_t word)
{
	unsigned char *p = part->begin;

	while (p < part->end) {
		if (word_at(p) == 0 && part->end - p >= 8 &&
		    memcmp(p, &word, sizeof word) == 0)
			p += sizeof word;
		else if (*p != ((const unsigned char *)&word)[word_at(p)])
			return p;
		else
			p++;
	}
	return p;
}

const char *mapping_fenced(struct mapping *m, size_t bytes, size_t alignment,
			   bool at_begin, uint64_t around)
{
	size_t fence = fence_bytes(bytes), mapped = whole_pages(bytes);
	size_t all = mapped + 2 * fence;
	unsigned char *p;

	mapping_release(m);
	if (!bytes)
		return NULL;
	p = mmap(NULL, all, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return "out of memory";
	m->room = p;
	m->room_bytes = all;
	m->base = p + fence;
	m->bytes = bytes;
	if (!at_begin)
		m->base += (mapped - bytes) / alignment * alignment;
	if (mprotect(p + fence, mapped, PROT_READ | PROT_WRITE) < 0) {
		mapping_release(m);
		return "out of memory";
	}
	fence_fill(m, around);
	return NULL;
}

void mapping_fence_close(struct mapping *m)
{
	size_t fence = fence_bytes(m->bytes);

	if (m->room)
		mprotect(m->room + fence, m->room_bytes - 2 * fence, PROT_READ);
}

bool mapping_fence_touched(struct mapping *m, uint64_t around, int64_t *at)
{
	for (unsigned which = 0; m->room && which < 2; which++) {
		struct fence_part part = fence_part(m, which);
		unsigned char *p = first_touched(&part, around);

		if (p == part.end)
			continue;
		*at = p - m->base;
		fence_fill(m, around);
		return true;
	}
	return false;
}

void mapping_release(struct mapping *m)
{
	if (m->room)
		munmap(m->room, m->room_bytes);
	else if (m->base)
		munmap(m->base, m->bytes);
	memset(m, 0, sizeof *m);
}

void *mapping_tensor(const struct mapping *m, const struct entry_call *c,
		     size_t i, uint32_t index)
{
	const struct tensor_layout *t = &c->layout.arg[i].tensor;

	return m->base + index * m->stride + m->slot[i] +
	       (t->offset - t->begin);
}
