/* A table of chains, and a hash, to be chosen. */
#include <stdlib.h>
#include <string.h>

#include "count.h"

#define BUCKETS 16 // avogit: 16 256 4096 65536
#define FACTOR 1 // avogit: 1 31 16777619

struct entry {
	struct entry *next;
	size_t len;
	unsigned long count;
	char word[WORD_MAX];
};

struct counter {
	struct entry *bucket[BUCKETS];
};

struct counter *counter_new(void)
{
	return calloc(1, sizeof(struct counter));
}

static unsigned hash(const char *word, size_t len)
{
	unsigned h = 0;

	for (size_t i = 0; i < len; i++)
		h = h * FACTOR + (unsigned char)word[i];
	return h;
}

static struct entry *find(const struct counter *c, unsigned h, const char *word,
			  size_t len)
{
	struct entry *e = c->bucket[h % BUCKETS];

	while (e && (e->len != len || memcmp(e->word, word, len) != 0))
		e = e->next;
	return e;
}

void counter_add(struct counter *c, const char *word, size_t len)
{
	unsigned h = hash(word, len);
	struct entry *e = find(c, h, word, len);

	if (!e) {
		e = calloc(1, sizeof *e);
		memcpy(e->word, word, len);
		e->len = len;
		e->next = c->bucket[h % BUCKETS];
		c->bucket[h % BUCKETS] = e;
	}
	e->count++;
}

unsigned long counter_get(const struct counter *c, const char *word, size_t len)
{
	const struct entry *e = find(c, hash(word, len), word, len);

	return e ? e->count : 0;
}

void counter_free(struct counter *c)
{
	for (size_t i = 0; i < BUCKETS; i++)
		while (c->bucket[i]) {
			struct entry *e = c->bucket[i];

			c->bucket[i] = e->next;
			free(e);
		}
	free(c);
}
