#include "agent/provider/key.h"
#include "agent/provider/wire.h"
#include "core/sandbox/process.h"

#include <strings.h>

#define KEY_LIMIT 4096

static void wipe(char *s)
{
	if (s)
		explicit_bzero(s, strlen(s));
	free(s);
}

void key_release(struct api_key *k)
{
	wipe(k->secret);
	wipe(k->aws_token);
	free(k->aws_id);
	free(k->aws_region);
	free(k->from);
	*k = (struct api_key){0};
}

/* The key must fit into a header and be recognisable in any log. */
static bool is_key(const char *s)
{
	for (const char *p = s; *p; p++)
		if (*p <= ' ' || *p > '~' || *p == '"' || *p == '\\')
			return false;
	return *s && strlen(s) <= KEY_LIMIT;
}

static struct error *take(struct api_key *out, const char *secret, bool bearer,
			  const char *from)
{
	if (!is_key(secret))
		return error_new(ERROR_USAGE,
				 "what %s gives is not a key: one line of "
				 "printable characters is",
				 from);
	*out = (struct api_key){.secret = xstrdup(secret),
				.bearer = bearer,
				.from = xstrdup(from)};
	return NULL;
}

static struct error *from_env(struct api_key *out, const char *name,
			      bool bearer)
{
	const char *value = getenv(name);

	return value && *value ? take(out, value, bearer, name) : NULL;
}

static struct error *run_command(struct api_key *out, const char *command,
				 bool bearer, struct buf *output)
{
	char *end;

	buf_trim_end(output);
	end = strchr(output->data, '\n');
	if (end)
		return error_new(ERROR_USAGE,
				 "the key command (avogit.keyCommand) printed "
				 "more than a line: %s",
				 command);
	return take(out, output->data, bearer, "the key command");
}

/* Discards stderr: it could be taken for the key, and may contain one. */
static struct error *from_command(struct api_key *out, const char *command,
				  bool bearer)
{
	const char *const argv[] = {"sh", "-c",	   "eval \"$1\" 2>/dev/null",
				    "sh", command, NULL};
	struct process_spec spec = {.argv = argv,
				    .limits = {.wall_seconds = 60},
				    .die_with_parent = true};
	cleanup_process_result struct process_result result = {0};
	struct error *err;

	TRY(process_run(&result, &spec, KEY_LIMIT + 2));
	if (result.timed_out || result.exit_code)
		err = error_new(ERROR_USAGE,
				"the key command (avogit.keyCommand) failed; "
				"run it by hand to see why: %s",
				command);
	else
		err = run_command(out, command, bearer, &result.output);
	explicit_bzero(result.output.data, result.output.len);
	return err;
}

struct error *key_find(struct api_key *out, enum protocol protocol,
		       const char *key_env, const char *command)
{
	bool bearer = protocol_is_openai(protocol);

	if (key_env) {
		const char *value = getenv(key_env);

		if (!value || !*value)
			return error_new(ERROR_USAGE,
					 "the environment has no %s, which is "
					 "to hold the provider's key",
					 key_env);
		return take(out, value,
			    bearer || ends_with(key_env, "AUTH_TOKEN"),
			    key_env);
	}
	if (command)
		return from_command(out, command, bearer);
	if (bearer)
		return from_env(out, "OPENAI_API_KEY", true);
	TRY(from_env(out, "ANTHROPIC_API_KEY", false));
	return out->secret ? NULL : from_env(out, "ANTHROPIC_AUTH_TOKEN", true);
}

/* ".../bedrock-runtime.REGION.amazonaws.com/model" */
static char *region_of(const char *base_url)
{
	static const char host[] = "://bedrock-runtime.";
	const char *at = strstr(base_url, host);
	const char *set = getenv("AWS_REGION");

	if (at) {
		at += strlen(host);
		return xstrndup(at, strcspn(at, "./"));
	}
	if (!set || !*set)
		set = getenv("AWS_DEFAULT_REGION");
	return set && *set ? xstrdup(set) : NULL;
}

struct error *key_find_aws(struct api_key *out, const char *base_url)
{
	const char *id = getenv("AWS_ACCESS_KEY_ID");
	const char *token = getenv("AWS_SESSION_TOKEN");
	cleanup_key struct api_key key = {0};

	if (!base_url || !anthropic_is_bedrock(base_url) || !id || !*id)
		return NULL;
	TRY(from_env(&key, "AWS_SECRET_ACCESS_KEY", false));
	if (!key.secret)
		return NULL;
	key.aws_region = region_of(base_url);
	if (!key.aws_region)
		return error_new(ERROR_USAGE,
				 "requests to %s cannot be signed without a "
				 "region: set AWS_REGION",
				 base_url);
	key.aws_id = xstrdup(id);
	key.aws_token = token && *token ? xstrdup(token) : NULL;
	*out = key;
	key = (struct api_key){0};
	return NULL;
}

static struct error *add_header(struct strvec *out, const char *variable,
				const char *line, size_t len)
{
	while (len && (line[len - 1] == '\r' || line[len - 1] == ' '))
		len--;
	if (!len)
		return NULL;
	if (!memchr(line, ':', len) || *line == ':')
		return error_new(ERROR_USAGE,
				 "%s has a line that is no 'Name: value'",
				 variable);
	strvec_pushf(out, "%.*s", (int)len, line);
	return NULL;
}

struct error *key_headers(struct strvec *out, enum protocol protocol)
{
	const char *variable = protocol_is_openai(protocol)
				       ? "OPENAI_CUSTOM_HEADERS"
				       : "ANTHROPIC_CUSTOM_HEADERS";
	const char *line = getenv(variable);

	while (line && *line) {
		size_t len = strcspn(line, "\n");

		TRY(add_header(out, variable, line, len));
		line += len + (line[len] == '\n');
	}
	return NULL;
}

/* ---- redaction --------------------------------------------------------- */

static bool is_key_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

static size_t letters(const char *s)
{
	size_t n = 0;

	while (is_key_letter(s[n]))
		n++;
	return n;
}

/* Length of the secret at s, 0 if there is none. *keep bytes at its start (the
 * header's name) stay. `word`: s is at the start of a word. */
static size_t secret_at(const char *s, const struct api_key *k, bool word,
			size_t *keep)
{
	static const char *const prefixes[] = {"authorization: bearer ",
					       "x-api-key: "};

	*keep = 0;
	if (k && k->secret && starts_with(s, k->secret))
		return strlen(k->secret);
	/* Must not match in "task-parallel-reduction". */
	if (word && starts_with(s, "sk-") && letters(s) >= 20)
		return letters(s);
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		size_t n = strlen(prefixes[i]);

		if (strncasecmp(s, prefixes[i], n) == 0) {
			*keep = n;
			return n + strcspn(s + n, " \t\r\n\"',");
		}
	}
	return 0;
}

char *redact(const char *text, const struct api_key *k)
{
	cleanup_buf struct buf out = BUF_INIT(SIZE_MAX / 2);
	const char *begin = text;

	while (*text) {
		bool word = text == begin || !is_key_letter(text[-1]);
		size_t keep, n = secret_at(text, k, word, &keep);

		if (n) {
			buf_add(&out, text, keep);
			buf_adds(&out, "[key]");
			text += n;
		} else {
			buf_addc(&out, *text++);
		}
	}
	return buf_take(&out);
}
