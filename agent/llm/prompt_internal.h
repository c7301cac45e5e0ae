/* The words that prompt texts can contain. Only prompt*.c includes it. */
#ifndef AGENT_LLM_PROMPT_INTERNAL_H
#define AGENT_LLM_PROMPT_INTERNAL_H

#include "agent/llm/prompt.h"

enum prompt_word {
	WORD_TASK,
	WORD_MACHINE,
	WORD_STANDING,
	WORD_STORY,
	WORD_TRIED,
	WORD_DIRECTION,
	WORD_NOTES,
	WORD_TURNS,
	WORD_LEFT,
	WORD_EVIDENCE,
	WORD_TROUBLE,
	WORD_REVIEW,
	WORD_CANDIDATES,
	WORD_COUNT
};

/* Adds the text for a word; text past the limit of *out is cut. */
typedef void prompt_section(struct buf *out, enum prompt_word word,
			    const void *of);
/* Adds the text with each known {{word}} replaced by what `section` adds for
 * it; unknown words are dropped. `of` is passed to `section`. */
void prompt_expand(struct buf *out, const char *text, prompt_section *section,
		   const void *of);

#endif
