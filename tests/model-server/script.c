#include "tests/model-server/script.h"
#include "core/base/file.h"

static char *word(char **line)
{
	char *start = *line + strspn(*line, " \t"), *end;

	end = start + strcspn(start, " \t");
	*line = end + (*end != '\0');
	*end = '\0';
	return start;
}

/* The rest of a line: a JSON string, or what is there. */
static struct error *take_text(char **out, char *rest)
{
	cleanup_json struct json *v = NULL;

	rest += strspn(rest, " \t");
	if (*rest == '"') {
		TRY(json_parse(&v, rest, strlen(rest)));
		*out = xstrdup(json_string(v) ? json_string(v) : "");
	} else {
		*out = xstrdup(rest);
	}
	return NULL;
}

static int64_t number(char **line)
{
	return strtoll(word(line), NULL, 10);
}

static struct error *take_part(struct exchange *e, enum part_kind kind,
			       char *rest)
{
	struct part *p = &e->parts[e->n_parts];

	if (e->n_parts == ARRAY_SIZE(e->parts))
		return error_new(ERROR_MALFORMED, "too many parts");
	p->kind = kind;
	if (kind == PART_CALL || kind == PART_ERROR)
		p->name = xstrdup(word(&rest));
	TRY(take_text(&p->text, rest));
	e->n_parts++;
	return NULL;
}

static struct error *take_want(struct exchange *e, char *rest)
{
	struct want *w = &e->wants[e->n_wants];
	char *value;

	if (e->n_wants == ARRAY_SIZE(e->wants))
		return error_new(ERROR_MALFORMED, "too many wants");
	w->path = xstrdup(word(&rest));
	value = rest + strspn(rest, " \t");
	w->absent = str_eq(value, "absent");
	w->contains = *value == '~';
	TRY(take_text(&w->value, value + w->contains));
	e->n_wants++;
	return NULL;
}

static struct error *take_quirk(struct exchange *e, const char *name)
{
	static const char *const names[] = {
		"no-index", "no-id",   "object-arguments", "stop",  "comments",
		"crlf",	    "no-done", "no-space",	   "whole", "gzip",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_eq(name, names[i])) {
			e->quirks |= 1u << i;
			return NULL;
		}
	return error_new(ERROR_MALFORMED, "no quirk '%s'", name);
}

static struct error *take_fault(struct exchange *e, const char *verb,
				char *rest)
{
	if (str_eq(verb, "split"))
		e->split = (size_t)number(&rest);
	else if (str_eq(verb, "cut"))
		e->cut = number(&rest);
	else if (str_eq(verb, "end"))
		e->end = number(&rest);
	else if (str_eq(verb, "stall"))
		e->stall = number(&rest);
	else if (str_eq(verb, "pieces"))
		e->pieces = (size_t)number(&rest);
	else if (str_eq(verb, "drip"))
		e->drip_ms = (long)number(&rest);
	else if (str_eq(verb, "endless"))
		snprintf(e->endless, sizeof e->endless, "%s", word(&rest));
	else if (str_eq(verb, "quirk"))
		return take_quirk(e, word(&rest));
	else
		return error_new(ERROR_MALFORMED, "no such word: %s", verb);
	return NULL;
}

static struct error *take_verb(struct exchange *e, const char *verb, char *rest)
{
	static const char *const parts[] = {"text", "thinking", "call", "error",
					    "raw"};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (str_eq(verb, parts[i]))
			return take_part(e, (enum part_kind)i, rest);
	if (str_eq(verb, "want"))
		return take_want(e, rest);
	if (str_eq(verb, "body"))
		return take_text(&e->body, rest);
	if (str_eq(verb, "down"))
		return take_text(&e->down, rest);
	if (str_eq(verb, "stop"))
		return take_text(&e->stop, rest);
	if (str_eq(verb, "status"))
		e->status = (int)number(&rest);
	else if (str_eq(verb, "times"))
		e->left = (long)number(&rest);
	else if (str_eq(verb, "header") &&
		 e->n_headers < ARRAY_SIZE(e->headers))
		return take_text(&e->headers[e->n_headers++], rest);
	else if (str_eq(verb, "usage"))
		for (size_t i = 0; i < 4; i++)
			e->usage[i] = number(&rest);
	else
		return take_fault(e, verb, rest);
	return NULL;
}

static struct error *take_refusal(struct script *s, char *line)
{
	struct refusal *r = &s->refusals[s->n_refusals];
	char *above;

	if (s->n_refusals == ARRAY_SIZE(s->refusals))
		return error_new(ERROR_MALFORMED, "too many refusals");
	s->n_refusals++;
	r->most = -1;
	r->path = xstrdup(word(&line));
	above = strchr(r->path, '>');
	if (above) {
		*above = '\0';
		r->most = strtoll(above + 1, NULL, 10);
	}
	return take_text(&r->body, line);
}

static struct error *take_line(struct script *s, char *line)
{
	char *verb;
	size_t len = strlen(line);

	while (len && strchr(" \t\r", line[len - 1]))
		line[--len] = '\0';
	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return NULL;
	verb = word(&line);
	if (str_eq(verb, "order")) {
		s->by_turns = str_eq(word(&line), "turns");
		return NULL;
	}
	if (str_eq(verb, "refuse"))
		return take_refusal(s, line);
	if (str_eq(verb, "exchange")) {
		GROW(s->exchanges, s->n, s->cap);
		s->exchanges[s->n++] = (struct exchange){
			.cut = -1, .end = -1, .stall = -1, .left = 1};
		return NULL;
	}
	if (!s->n)
		return error_new(ERROR_MALFORMED,
				 "'%s' comes before the first exchange", verb);
	return take_verb(&s->exchanges[s->n - 1], verb, line);
}

struct error *script_read(struct script *s, const char *path)
{
	cleanup_buf struct buf text = BUF_INIT((size_t)16 << 20);
	char *line, *next;
	size_t n = 0;

	*s = (struct script){0};
	TRY(file_read(&text, path));
	for (line = text.data; *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		n++;
		TRY(error_wrap(take_line(s, line), "%s, line %zu", path, n));
	}
	return NULL;
}

void script_release(struct script *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct exchange *e = &s->exchanges[i];

		for (size_t j = 0; j < e->n_wants; j++) {
			free(e->wants[j].path);
			free(e->wants[j].value);
		}
		for (size_t j = 0; j < e->n_parts; j++) {
			free(e->parts[j].name);
			free(e->parts[j].text);
		}
		for (size_t j = 0; j < e->n_headers; j++)
			free(e->headers[j]);
		free(e->body);
		free(e->down);
		free(e->stop);
	}
	free(s->exchanges);
	for (size_t i = 0; i < s->n_refusals; i++) {
		free(s->refusals[i].path);
		free(s->refusals[i].body);
	}
}

/* Is the item of Responses one that a model made? */
static bool is_reply(const struct json *item)
{
	const char *type = "", *role = "";

	json_get_string(item, "type", &type);
	json_get_string(item, "role", &role);
	return str_eq(type, "reasoning") || str_eq(type, "function_call") ||
	       str_eq(role, "assistant");
}

static size_t replies_in(const struct json *request)
{
	const struct json *messages = json_get(request, "messages");
	const struct json *input = json_get(request, "input");
	const struct json *contents = json_get(request, "contents");
	size_t n = 0;

	for (size_t i = 0; i < json_len(messages); i++) {
		const char *role = "";

		json_get_string(json_at(messages, i), "role", &role);
		n += str_eq(role, "assistant");
	}
	for (size_t i = 0; i < json_len(contents); i++) {
		const char *role = "";

		json_get_string(json_at(contents, i), "role", &role);
		n += str_eq(role, "model");
	}
	/* Of Responses: a reply ends where something follows that is not a part
	 * of one. */
	for (size_t i = 1; i < json_len(input); i++)
		n += is_reply(json_at(input, i - 1)) &&
		     !is_reply(json_at(input, i));
	return n;
}

const char *script_down(struct script *s)
{
	while (!s->by_turns && s->next < s->n && !s->exchanges[s->next].left)
		s->next++;
	return s->by_turns || s->next == s->n ? NULL
					      : s->exchanges[s->next].down;
}

void script_up(struct script *s)
{
	s->exchanges[s->next++].left = 0;
}

struct exchange *script_next(struct script *s, const struct json *request)
{
	if (s->by_turns) {
		size_t i = replies_in(request);

		return i < s->n ? &s->exchanges[i] : NULL;
	}
	while (s->next < s->n && !s->exchanges[s->next].left)
		s->next++;
	if (s->next == s->n)
		return NULL;
	if (s->exchanges[s->next].left > 0)
		s->exchanges[s->next].left--;
	return &s->exchanges[s->next];
}

/* "messages.-1.content": members and elements, from the end if negative. */
static const struct json *follow(const struct json *v, const char *path)
{
	while (v && *path) {
		char step[64], *end;
		size_t n = strcspn(path, ".");
		long i;

		snprintf(step, sizeof step, "%.*s", (int)n, path);
		path += n + (path[n] == '.');
		i = strtol(step, &end, 10);
		if (str_eq(step, "messages") && json_get(v, "input"))
			v = json_get(v, "input"); /* their name in Responses */
		else if (str_eq(step, "messages") && json_get(v, "contents"))
			v = json_get(v, "contents"); /* and Gemini's own */
		else if (*end || !*step)
			v = json_get(v, step);
		else
			v = json_at(v, i < 0 ? json_len(v) - (size_t)-i
					     : (size_t)i);
	}
	return v;
}

const char *script_refuses(const struct script *s, const struct json *request)
{
	for (size_t i = 0; i < s->n_refusals; i++) {
		const struct refusal *r = &s->refusals[i];
		const struct json *v = follow(request, r->path);
		double n;

		if (v && (r->most < 0 ||
			  (json_number(v, &n) && n > (double)r->most)))
			return r->body;
	}
	return NULL;
}

char *script_complaint(const struct exchange *e, const struct json *request)
{
	for (size_t i = 0; i < e->n_wants; i++) {
		const struct want *w = &e->wants[i];
		const struct json *v = follow(request, w->path);
		cleanup_free char *text = v ? (json_string(v)
						       ? xstrdup(json_string(v))
						       : json_print(v))
					    : NULL;
		bool ok = w->absent	? !v
			  : !v		? false
			  : w->contains ? strstr(text, w->value) != NULL
					: str_eq(text, w->value);

		if (!ok)
			return xasprintf("the script wants %s to %s '%s', and "
					 "it is %s",
					 w->path, w->contains ? "hold" : "be",
					 w->value, text ? text : "absent");
	}
	return NULL;
}
