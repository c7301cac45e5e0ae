#include "agent/provider/overflow.h"

#include "core/base/buf.h"

#include <ctype.h>

/* ---- the words ------------------------------------------------------------
 *
 * Parts of messages, in small letters. '*' stands for anything, so that the
 * part before it and the part after it must both be there, in this order. Each
 * line names servers that say so; tests/unit/agent/test_provider_overflow.c has
 * the whole messages.
 */
static const char *const messages[] = {
	"prompt is too long", /* Anthropic, Vertex, Fireworks */
	"input length and `max_tokens` exceed context limit", /* Anthropic */
	"request exceeds the maximum size",		      /* Anthropic */
	"input is too long for requested model",	      /* Bedrock */
	"too many input tokens",			      /* Bedrock */
	"maximum context length", /* OpenAI, Azure, DeepSeek, vLLM, OpenRouter,
				     Mistral, SGLang */
	"exceeds the context",	  /* OpenAI (Responses) */
	"context window",	  /* OpenAI, MiniMax, Cerebras */
	"context length is only", /* vLLM */
	"longer than the maximum model length",	     /* vLLM */
	"max_tokens must be at least 1, got -",	     /* vLLM: nothing is left */
	"longer than the model's context length",    /* SGLang, Together */
	"exceeds the maximum allowed length",	     /* SGLang */
	"maximum allowed input length",		     /* OpenRouter */
	"maximum allowed token length",		     /* Databricks */
	"exceeds the available context size",	     /* llama.cpp */
	"input is larger than the max context size", /* llama.cpp */
	"greater than the context length",	     /* LM Studio */
	"exceeded max context length",		     /* Ollama */
	"exceeded context length",		     /* Ollama */
	"configured context size",		     /* DS4 */
	"input token count*exceeds the maximum",     /* Gemini */
	"maximum prompt length is",		     /* xAI */
	"reduce the length of the messages",	     /* Groq */
	"prompt token count of*exceeds the limit",   /* Copilot */
	"exceeded model token limit",		     /* Moonshot */
	"prompt exceeds max length",		     /* GLM */
	"range of input length should be",	     /* Qwen */
	"too many tokens*total number of tokens",    /* Cohere */
	"`inputs` tokens + `max_new_tokens` must be", /* TGI */
	"`inputs` must have less than",		      /* TGI */
	"exceeds max_input_len",		      /* TensorRT-LLM */
	"should not exceed max_num_tokens",	      /* TensorRT-LLM */
	"token limit exceeded",			      /* several gateways */
	"context length exceeded",		      /* several gateways */
};

/* Parts of the words of `type` and `code`. */
static const char *const kinds[] = {
	"context_length_exceeded",	    /* OpenAI and most others */
	"exceed_context_size",		    /* llama.cpp */
	"model_context_window_exceeded",    /* GLM, Anthropic */
	"model_max_prompt_tokens_exceeded", /* Copilot */
	"request_too_large",		    /* Anthropic */
	"string_above_max_length",	    /* OpenAI */
};

/* ---- recognizing --------------------------------------------------------- */

/* The first occurrence of text[0..len) in `in`, letters of either case. */
static const char *find(const char *in, const char *text, size_t len)
{
	for (; *in; in++) {
		size_t i = 0;

		while (i < len && in[i] &&
		       tolower((unsigned char)in[i]) == text[i])
			i++;
		if (i == len)
			return in;
	}
	return NULL;
}

static bool says(const char *in, const char *pattern)
{
	while (in && *pattern) {
		size_t len = strcspn(pattern, "*");

		in = find(in, pattern, len);
		in = in ? in + len : NULL;
		pattern += len + (pattern[len] == '*');
	}
	return in != NULL;
}

static bool says_any(const char *text, const char *const *patterns, size_t n)
{
	for (size_t i = 0; text && i < n; i++)
		if (says(text, patterns[i]))
			return true;
	return false;
}

bool overflow_is_full(int status, const char *kind, const char *message)
{
	if (status == 413)
		return true;
	/* Some gateways report a refusal as an error of their own. */
	if (status != 400 && status != 422 && status != 500)
		return false;
	return says_any(kind, kinds, ARRAY_SIZE(kinds)) ||
	       says_any(message, kinds, ARRAY_SIZE(kinds)) ||
	       says_any(message, messages, ARRAY_SIZE(messages));
}

static void add_words(struct buf *out, struct json_text object)
{
	static const char *const members[] = {"type", "code", "status"};

	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		cleanup_free char *word =
			json_text_string(json_text_get(object, members[i]));

		if (word && *word)
			buf_addf(out, "%s%s", out->len ? " " : "", word);
	}
}

char *overflow_kind(struct json_text body)
{
	cleanup_buf struct buf out = BUF_INIT(1000);

	if (json_text_is(body, '{')) {
		add_words(&out, body);
		if (json_text_is(json_text_get(body, "error"), '{'))
			add_words(&out, json_text_get(body, "error"));
	}
	return buf_take(&out);
}
