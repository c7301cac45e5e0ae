/* Counts how often each word occurs. A word is up to WORD_MAX letters. */
#ifndef COUNT_H
#define COUNT_H

#include <stddef.h>

#define WORD_MAX 16

struct counter;

struct counter *counter_new(void);
void counter_add(struct counter *c, const char *word, size_t len);
unsigned long counter_get(const struct counter *c, const char *word,
			  size_t len);
void counter_free(struct counter *c);

#endif
