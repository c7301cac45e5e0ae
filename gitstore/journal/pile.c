#include "gitstore/journal/pile.h"

#define BLOCK_BYTES ((size_t)256 << 10)

/* In a block, each text is followed by its item. */
struct item {
	git_oid id;
	size_t len;
};

struct pile_block {
	struct pile_block *below;
	size_t used, cap;
	char data[];
};

static void add_block(struct pile *p, size_t least)
{
	size_t cap = MAX(BLOCK_BYTES, least);
	struct pile_block *b = xrealloc(NULL, sizeof *b + cap, 1);

	*b = (struct pile_block){.below = p->top, .cap = cap};
	p->top = b;
}

static void drop_block(struct pile *p)
{
	struct pile_block *b = p->top;

	p->top = b->below;
	free(b);
}

void pile_put(struct pile *p, const git_oid *id, const char *text, size_t len)
{
	const struct item item = {*id, len};
	struct pile_block *b;

	if (!p->top || p->top->cap - p->top->used < len + sizeof item)
		add_block(p, len + sizeof item);
	b = p->top;
	if (len)
		memcpy(b->data + b->used, text, len);
	memcpy(b->data + b->used + len, &item, sizeof item);
	b->used += len + sizeof item;
	p->n++;
}

bool pile_take(git_oid *id, const char **text, size_t *len, struct pile *p)
{
	struct item item;
	struct pile_block *b;

	while (p->top && !p->top->used)
		drop_block(p);
	b = p->top;
	if (!b)
		return false;
	memcpy(&item, b->data + b->used - sizeof item, sizeof item);
	b->used -= item.len + sizeof item;
	p->n--;
	*id = item.id;
	*len = item.len;
	*text = item.len ? b->data + b->used : NULL;
	return true;
}

void pile_release(struct pile *p)
{
	while (p->top)
		drop_block(p);
	p->n = 0;
}
