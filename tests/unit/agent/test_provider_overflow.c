#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/provider/overflow.h"

/* Bodies of refusals, by server. */
static const struct {
	int status;
	const char *body, *message;
} full[] = {
	/* Anthropic */
	{400,
	 "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\"}}",
	 "prompt is too long: 213462 tokens > 200000 maximum"},
	{400, "{}",
	 "input length and `max_tokens` exceed context limit: 188240 + 21333 > "
	 "200000, decrease input length or `max_tokens` and try again"},
	{413, "{\"error\":{\"type\":\"request_too_large\"}}",
	 "Request exceeds the maximum size"},
	/* Bedrock */
	{400, "{}", "Input is too long for requested model."},
	{400, "{}",
	 "Too many input tokens. Max input tokens: 128000, request "
	 "input token count: 150000"},
	/* OpenAI: Responses, Chat Completions, Azure */
	{400, "{\"error\":{\"code\":\"context_length_exceeded\"}}",
	 "Your input exceeds the context window of this model. Please adjust "
	 "your input and try again."},
	{400, "{}",
	 "This model's maximum context length is 128000 tokens. However, your "
	 "messages resulted in 140000 tokens. Please reduce the length of the "
	 "messages."},
	{400, "{\"error\":{\"code\":\"context_length_exceeded\"}}", "too long"},
	{400, "{\"error\":{\"code\":\"string_above_max_length\"}}",
	 "Invalid 'messages[3].content': string too long."},
	/* vLLM, old and new */
	{400,
	 "{\"object\":\"error\",\"type\":\"BadRequestError\",\"code\":400}",
	 "This model's maximum context length is 32768 tokens. However, you "
	 "requested 40000 tokens in the messages, Please reduce the length of "
	 "the messages."},
	{400, "{}",
	 "The decoder prompt (length 40000) is longer than the maximum model "
	 "length of 32768. Make sure that `max_model_len` is no smaller than "
	 "the number of text tokens."},
	{400, "{}",
	 "You passed 32769 input tokens and requested 1 output tokens. "
	 "However, the model's context length is only 32768 tokens, resulting "
	 "in a maximum input length of 32767 tokens."},
	{400, "{}", "max_tokens must be at least 1, got -7233."},
	/* SGLang, Together */
	{400, "{}",
	 "The input (40000 tokens) is longer than the model's context length "
	 "(32768 tokens)."},
	{400, "{}",
	 "Requested token count exceeds the model's maximum context length of "
	 "32768 tokens."},
	{400, "{}",
	 "Input length (40000 tokens) exceeds the maximum allowed length "
	 "(32762 tokens). Use a shorter input or enable "
	 "--allow-auto-truncate."},
	/* llama.cpp */
	{400, "{\"error\":{\"type\":\"exceed_context_size_error\"}}", "no"},
	{500, "{}",
	 "the request exceeds the available context size, try increasing it"},
	{400, "{}",
	 "request (18309 tokens) exceeds the available context size (12000 "
	 "tokens), try increasing it"},
	{500, "{}", "input is larger than the max context size. skipping"},
	/* LM Studio, Ollama, DS4 */
	{400, "{}",
	 "The number of tokens to keep from the initial prompt is greater "
	 "than the context length."},
	{400, "{}",
	 "prompt too long; exceeded max context length by 5000 tokens"},
	{400, "{}",
	 "Prompt has 70000 tokens, but the configured context size is 65536 "
	 "tokens"},
	/* Gemini */
	{400, "{\"error\":{\"status\":\"INVALID_ARGUMENT\"}}",
	 "The input token count (1196265) exceeds the maximum number of tokens "
	 "allowed (1048575)."},
	/* xAI, Groq, OpenRouter, DeepSeek */
	{400, "{}",
	 "This model's maximum prompt length is 131072 but the request "
	 "contains 537812 tokens."},
	{400, "{}", "Please reduce the length of the messages or completion."},
	{400, "{}",
	 "This endpoint's maximum context length is 131072 tokens. However, "
	 "you requested about 150000 tokens."},
	{400, "{}",
	 "Input length 300000 exceeds the maximum allowed input length of "
	 "262144 tokens."},
	/* Copilot */
	{400, "{\"error\":{\"code\":\"model_max_prompt_tokens_exceeded\"}}",
	 "no"},
	{400, "{}", "prompt token count of 130000 exceeds the limit of 128000"},
	/* Moonshot, MiniMax, GLM, Qwen, Mistral, Cohere */
	{400, "{}",
	 "Invalid request: Your request exceeded model token limit: 262144 "
	 "(requested: 300000)"},
	{400, "{}", "invalid params, context window exceeds limit"},
	{400, "{\"error\":{\"code\":\"1261\"}}", "Prompt exceeds max length"},
	{400, "{\"code\":\"InvalidParameter\"}",
	 "Range of input length should be [1, 129024]"},
	{400, "{}",
	 "Prompt contains 140000 tokens and 0 draft tokens, too large for "
	 "model with 131072 maximum context length"},
	{400, "{}",
	 "too many tokens: total number of tokens in the prompt cannot exceed "
	 "4081 - received 5123. Try using a shorter prompt."},
	/* Fireworks, Databricks, TGI, TensorRT-LLM, gateways */
	{400, "{}",
	 "The prompt is too long: 40000, model maximum context length: 32767"},
	{400, "{}",
	 "Input length 40000 exceeds the maximum allowed token length 32768"},
	{422, "{}",
	 "Input validation error: `inputs` tokens + `max_new_tokens` must be "
	 "<= 8193. Given: 9000 `inputs` tokens and 512 `max_new_tokens`"},
	{422, "{}",
	 "Input validation error: `inputs` must have less than 4096 tokens. "
	 "Given: 5000"},
	{400, "{}",
	 "prompt length (9000) exceeds max_input_len (8192). Set truncate."},
	{400, "{}", "token limit exceeded for this model"},
	{400, "{\"type\":\"error\"}", "context_length_exceeded: no more"},
};

/* What is not about the length of a conversation. */
static const struct {
	int status;
	const char *body, *message;
} other[] = {
	{400, "{}", "Unsupported parameter: 'temperature'"},
	{400, "{}",
	 "max_tokens: 64000 > 8192, which is the maximum allowed "
	 "number of output tokens"},
	{400, "{}",
	 "Invalid max_tokens value, the valid range of max_tokens is "
	 "[1, 8192]"},
	{400, "{}", "messages.3: tool_use ids were found without tool_result"},
	{429, "{\"error\":{\"type\":\"rate_limit_error\"}}",
	 "Number of request tokens has exceeded your per-minute rate limit"},
	{401, "{}", "prompt is too long"},
	{400, "{\"error\":{\"type\":7,\"code\":null}}", ""},
	{400, "[]", ""},
};

static bool says(int status, const char *body, const char *message)
{
	struct json_text text;
	cleanup_free char *kind = NULL;

	assert_null(json_text_check(&text, body, strlen(body)));
	kind = overflow_kind(text);
	return overflow_is_full(status, kind, message);
}

static void a_full_context_is_known_by_each_servers_words(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(full); i++)
		if (!says(full[i].status, full[i].body, full[i].message))
			fail_msg("%s", full[i].message);
}

static void other_refusals_are_none(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(other); i++)
		if (says(other[i].status, other[i].body, other[i].message))
			fail_msg("%s", other[i].message);
	assert_false(overflow_is_full(400, NULL, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_context_is_known_by_each_servers_words),
		cmocka_unit_test(other_refusals_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
