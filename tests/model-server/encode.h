/* An exchange of the script as the bytes of one protocol's reply. */
#ifndef MODEL_SERVER_ENCODE_H
#define MODEL_SERVER_ENCODE_H

#include "tests/model-server/script.h"

enum dialect {
	DIALECT_ANTHROPIC,
	DIALECT_OPENAI,
	DIALECT_RESPONSES,
	DIALECT_GEMINI, /* OpenAI's, with signed calls */
	DIALECT_GOOGLE, /* Gemini's own, generateContent */
};

/* The body only; `n` numbers replies, for ids. */
void encode_stream(struct buf *out, const struct exchange *e,
		   enum dialect dialect, const char *model, size_t n);
void encode_whole(struct buf *out, const struct exchange *e,
		  enum dialect dialect, const char *model, size_t n);
void encode_error(struct buf *out, enum dialect dialect, const char *type,
		  const char *message);

#endif
