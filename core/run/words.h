/*
 * What a set of short texts is about: groups of texts that share a word. The
 * word that most texts have in common makes the first group, of what is left
 * the next word the second, and so on.
 */
#ifndef CORE_RUN_WORDS_H
#define CORE_RUN_WORDS_H

#include "core/base/base.h"

#define WORDS_NO_GROUP SIZE_MAX

struct words {
	struct mention *mention;
	size_t n, cap;
};

/* Adds the words of a text: of three letters or more, or two in capitals, in
 * lower case, none of those that say nothing ("with", "more"). NULL adds
 * nothing. */
void words_add(struct words *w, size_t text, const char *s);
/* Names groups among the texts whose group[] is WORDS_NO_GROUP, at least
 * two texts each, and sets it, counting from `first`. name[] gets the words,
 * borrowed until the release. Returns how many, at most `max`. */
size_t words_group(const struct words *w, size_t *group, size_t first,
		   const char **name, size_t max);
void words_release(struct words *w);

DEFINE_RELEASE(words, struct words, words_release)
#define cleanup_words CLEANUP(words)

#endif
