#include "agent/provider/draft.h"
#include "core/base/random.h"

#define PIECES (SIZE_MAX / 2) /* no limit here: the body has one */

static void draft_failure_release(struct draft_failure *f)
{
	free(f->message);
	free(f->parameter);
}

void draft_init(struct draft *d)
{
	*d = (struct draft){0};
	buf_init(&d->content, PIECES);
	buf_init(&d->refusal, PIECES);
	buf_init(&d->reasoning, PIECES);
	buf_init(&d->reasoning_content, PIECES);
	buf_init(&d->details, PIECES);
	buf_init(&d->more, PIECES);
}

static void block_release(struct draft_block *b)
{
	buf_release(&b->start);
	buf_release(&b->text);
	buf_release(&b->thinking);
	buf_release(&b->signature);
	buf_release(&b->arguments);
	buf_release(&b->id);
	buf_release(&b->name);
	buf_release(&b->more);
	buf_release(&b->function_more);
}

void draft_release(struct draft *d)
{
	for (size_t i = 0; i < d->n; i++)
		block_release(&d->blocks[i]);
	free(d->blocks);
	buf_release(&d->content);
	buf_release(&d->refusal);
	buf_release(&d->reasoning);
	buf_release(&d->reasoning_content);
	buf_release(&d->details);
	buf_release(&d->more);
	free(d->model);
	free(d->explanation);
	draft_failure_release(&d->failure);
}

struct draft_block *draft_find(const struct draft *d, int64_t index)
{
	for (size_t i = d->n; i-- > 0;)
		if (d->blocks[i].index == index)
			return &d->blocks[i];
	return NULL;
}

struct error *draft_add(struct draft_block **out, struct draft *d,
			int64_t index)
{
	struct draft_block *b;

	if (d->n == DRAFT_MAX_BLOCKS)
		return error_new(ERROR_TOO_BIG, "the reply has over %d blocks",
				 DRAFT_MAX_BLOCKS);
	GROW(d->blocks, d->n, d->cap);
	b = &d->blocks[d->n++];
	*b = (struct draft_block){.index = index};
	buf_init(&b->start, PIECES);
	buf_init(&b->text, PIECES);
	buf_init(&b->thinking, PIECES);
	buf_init(&b->signature, PIECES);
	buf_init(&b->arguments, PIECES);
	buf_init(&b->id, PIECES);
	buf_init(&b->name, PIECES);
	buf_init(&b->more, PIECES);
	buf_init(&b->function_more, PIECES);
	*out = b;
	return NULL;
}

void draft_append(struct buf *b, struct json_text string)
{
	struct json_text inner = json_text_inner(string);

	if (inner.p)
		buf_add(b, inner.p, inner.len);
}

void draft_append_member(struct buf *more, struct json_text key,
			 struct json_text value)
{
	struct json_text there = {more->data, more->len}, k, v;
	size_t at = 0;
	cleanup_buf struct buf object = BUF_INIT(PIECES);

	buf_addf(&object, "{");
	buf_add(&object, there.p, there.len);
	buf_addc(&object, '}');
	there = (struct json_text){object.data, object.len};
	while (json_text_next(there, &at, &k, &v))
		if (k.len == key.len && memcmp(k.p, key.p, k.len) == 0)
			return;
	buf_adds(more, more->len ? "," : "");
	buf_add(more, key.p, key.len);
	buf_addc(more, ':');
	buf_add(more, value.p, value.len);
}

char *draft_text(const struct buf *pieces)
{
	cleanup_buf struct buf quoted = BUF_INIT(PIECES);

	buf_addc(&quoted, '"');
	buf_add(&quoted, pieces->data, pieces->len);
	buf_addc(&quoted, '"');
	return json_text_string((struct json_text){quoted.data, quoted.len});
}

/* The four digits after "\u", or -1. */
static long escape_at(const char *s)
{
	char digits[5] = "";

	if (s[0] != '\\' || s[1] != 'u' ||
	    strspn(s + 2, "0123456789abcdefABCDEF") < 4)
		return -1;
	memcpy(digits, s + 2, 4);
	return strtol(digits, NULL, 16);
}

void draft_mend_escapes(char *json)
{
	static const char replacement[] = {'\\', 'u', 'f', 'f', 'f', 'd'};

	for (char *s = json; s && (s = strchr(s, '\\')) && s[1];) {
		long first = escape_at(s), second = -1;

		if (first >= 0xd800 && first < 0xdc00)
			second = escape_at(s + 6);
		if (second >= 0xdc00 && second < 0xe000) {
			s += 12;
		} else if (first >= 0xd800 && first < 0xe000) {
			memcpy(s, replacement, sizeof replacement);
			s += 6;
		} else {
			s += 2;
		}
	}
}

static bool is_blank(const char *s)
{
	return !s[strspn(s, " \t\r\n")];
}

static void give_arguments(struct tool_call *call, const char *text)
{
	cleanup_error struct error *err = NULL;
	struct json_text checked = {0};

	if (is_blank(text)) {
		call->arguments = xstrdup("{}");
		return;
	}
	err = json_text_check(&checked, text, strlen(text));
	if (!err && json_text_is(checked, '{')) {
		call->arguments = xstrndup(checked.p, checked.len);
		return;
	}
	call->arguments = xstrdup("{}");
	call->invalid = xasprintf("the arguments are no JSON object%s%s",
				  err ? ": " : "",
				  err ? error_message(err) : "");
}

static bool id_is_taken(const struct reply *r, const char *id)
{
	for (size_t i = 0; i < r->n_calls; i++)
		if (str_eq(r->calls[i].id, id))
			return true;
	return false;
}

void draft_give_call(struct reply *out, size_t *cap,
		     const struct draft_block *b)
{
	struct tool_call call = {.id = draft_text(&b->id),
				 .name = draft_text(&b->name)};
	cleanup_free char *arguments = b->arguments_are_json
					       ? xstrdup(b->arguments.data)
					       : draft_text(&b->arguments);
	char made[25];

	draft_mend_escapes(arguments);
	if (!*call.id || id_is_taken(out, call.id)) {
		random_hex(made, sizeof made - 1);
		free(call.id);
		call.id = xasprintf("call_%s", made);
	}
	give_arguments(&call, arguments);
	GROW(out->calls, out->n_calls, *cap);
	out->calls[out->n_calls++] = call;
}
