/*
 * The application: makes a text, counts its words with a counter of kernel.c,
 * checks every count against its own, and reports how many it counted a second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "count.h"

#define VOCABULARY 4096

struct word {
	char text[WORD_MAX];
	size_t len;
	unsigned long count;
};

static struct word vocabulary[VOCABULARY];

static unsigned next(unsigned long long *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)(*state >> 33);
}

/* Words of three letters or more, each once: the last three are its number. */
static void make_vocabulary(unsigned long long *state)
{
	for (unsigned i = 0; i < VOCABULARY; i++) {
		struct word *w = &vocabulary[i];
		size_t more = next(state) % (WORD_MAX - 4);

		for (size_t k = 0; k < more; k++)
			w->text[k] = (char)('a' + next(state) % 26);
		w->text[more] = (char)('a' + i / 256);
		w->text[more + 1] = (char)('a' + i / 16 % 16);
		w->text[more + 2] = (char)('a' + i % 16);
		w->len = more + 3;
		w->count = 0;
	}
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int wrong(const struct counter *c)
{
	for (unsigned i = 0; i < VOCABULARY; i++) {
		const struct word *w = &vocabulary[i];
		unsigned long got = counter_get(c, w->text, w->len);

		if (got == w->count)
			continue;
		printf("{\"verdict\": \"wrong\", \"why\": \"'%.*s' was counted "
		       "%lu times and occurs %lu times\"}\n",
		       (int)w->len, w->text, got, w->count);
		return 1;
	}
	return 0;
}

/* Words a second, in millions; 0: it counted wrongly, and that was said. */
static double count(unsigned long long *state, unsigned n)
{
	unsigned *text = malloc(n * sizeof *text);
	struct counter *c = counter_new();
	double begin, end;

	make_vocabulary(state);
	for (unsigned i = 0; i < n; i++) {
		text[i] = next(state) % VOCABULARY;
		vocabulary[text[i]].count++;
	}
	begin = seconds();
	for (unsigned i = 0; i < n; i++)
		counter_add(c, vocabulary[text[i]].text,
			    vocabulary[text[i]].len);
	end = seconds();
	free(text);
	begin = wrong(c) ? 0 : n / (end - begin) / 1e6;
	counter_free(c);
	return begin;
}

int main(void)
{
	unsigned long long state = (unsigned long long)time(NULL);
	double few = count(&state, 5000), many = few ? count(&state, 60000) : 0;

	if (many)
		printf("{\"verdict\": \"pass\", \"score\": %.6g, \"cases\": "
		       "[{\"name\": \"short text\", \"value\": %.6g}, "
		       "{\"name\": \"long text\", \"value\": %.6g}]}\n",
		       many, few, many);
	return 0;
}
