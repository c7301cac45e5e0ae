#include "scorer/host/prepared.h"

#include <sys/mman.h>
#include <unistd.h>

#include "scorer/wire/set.h"

/* A NaN of every floating type, as all poison (runner/poison.c). */
#define GUARD_BITS 0x7ff07ff07ff07ff0u
#define GUARD_FREE 0x800e800e800e800eu

static bool is_prepared(const struct layout *l, size_t i)
{
	return l->arg[i].is_tensor &&
	       l->arg[i].tensor.region == REGION_PREPARED;
}

static void draw_page(struct prepared *p)
{
	struct secret_random random;

	secret_random_init(&random);
	for (size_t i = 0; i < ARRAY_SIZE(p->page); i++)
		p->page[i] = GUARD_BITS ^ (secret_u64(&random) & GUARD_FREE);
}

/* The slots are whole pages, so each begins with the page. */
static void guard(const struct prepared *p, size_t begin, size_t end)
{
	const unsigned char *page = (const unsigned char *)p->page;

	for (size_t n; begin < end; begin += n) {
		n = MIN(end - begin, LAYOUT_PAGE - begin % LAYOUT_PAGE);
		memcpy(p->memory + begin, page + begin % LAYOUT_PAGE, n);
	}
}

static bool intact(const struct prepared *p, size_t begin, size_t end)
{
	const unsigned char *page = (const unsigned char *)p->page;

	for (size_t n; begin < end; begin += n) {
		n = MIN(end - begin, LAYOUT_PAGE - begin % LAYOUT_PAGE);
		if (memcmp(p->memory + begin, page + begin % LAYOUT_PAGE, n) !=
		    0)
			return false;
	}
	return true;
}

struct error *prepared_open(struct prepared *p, const struct layout *layout)
{
	size_t bytes = layout->region_bytes[REGION_PREPARED];
	void *memory;

	prepared_release(p);
	p->layout = *layout;
	TRY(sized_memfd(&p->fd, "prepared", bytes));
	if (!bytes)
		return NULL;
	memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd, 0);
	if (memory == MAP_FAILED)
		return error_errno("cannot map the prepared buffers");
	p->memory = memory;
	draw_page(p);
	for (size_t i = 0; i < layout->n; i++) {
		const struct tensor_layout *t = &layout->arg[i].tensor;

		if (!is_prepared(layout, i))
			continue;
		guard(p, t->begin, t->offset);
		guard(p, t->offset + t->bytes, t->end);
	}
	return NULL;
}

void prepared_take(struct prepared *p, const struct prepared *from)
{
	for (size_t i = 0; p->memory && i < p->layout.n; i++) {
		const struct tensor_layout *t = &p->layout.arg[i].tensor;

		if (is_prepared(&p->layout, i))
			memcpy(p->memory + t->offset, from->memory + t->offset,
			       t->bytes);
	}
}

int prepared_overrun(const struct prepared *p)
{
	for (size_t i = 0; p->memory && i < p->layout.n; i++) {
		const struct tensor_layout *t = &p->layout.arg[i].tensor;

		if (is_prepared(&p->layout, i) &&
		    (!intact(p, t->begin, t->offset) ||
		     !intact(p, t->offset + t->bytes, t->end)))
			return (int)i;
	}
	return -1;
}

void prepared_release(struct prepared *p)
{
	if (p->memory)
		munmap(p->memory, p->layout.region_bytes[REGION_PREPARED]);
	if (p->fd >= 0)
		close(p->fd);
	p->memory = NULL;
	p->fd = -1;
}
