#include "core/base/yaml.h"

#include <yaml.h>

struct yaml_events {
	yaml_parser_t yaml;
	yaml_event_t event;
	bool has_event;
	const char *path;
	const char *text;
	size_t len;
};

static void yaml_events_release(struct yaml_events *p)
{
	if (p->has_event)
		yaml_event_delete(&p->event);
	yaml_parser_delete(&p->yaml);
}
DEFINE_RELEASE(yaml_events, struct yaml_events, yaml_events_release)

static void release(struct yaml *y)
{
	for (size_t i = 0; i < y->n; i++) {
		release(&y->item[i]);
		if (y->key)
			free(y->key[i]);
	}
	free(y->key);
	free(y->item);
	free(y->text);
}

void document_free(struct yaml *y)
{
	if (!y)
		return;
	release(y);
	free(y);
}

static size_t event_line(const struct yaml_events *p)
{
	return p->event.start_mark.line + 1;
}

static struct error *refuse(const struct yaml_events *p, const char *what)
{
	return error_new(ERROR_TASK, "%s:%zu: %s", p->path, event_line(p),
			 what);
}

/* Where the reader stopped, it knows a byte and no line. */
static size_t problem_line(const struct yaml_events *p)
{
	size_t line = 1;

	if (p->yaml.error != YAML_READER_ERROR)
		return p->yaml.problem_mark.line + 1;
	for (size_t i = 0; i < MIN(p->len, p->yaml.problem_offset); i++)
		line += p->text[i] == '\n';
	return line;
}

static struct error *next(struct yaml_events *p)
{
	if (p->has_event)
		yaml_event_delete(&p->event);
	p->has_event = false;
	if (!yaml_parser_parse(&p->yaml, &p->event))
		return error_new(ERROR_TASK, "%s:%zu: this is no YAML: %s",
				 p->path, problem_line(p),
				 p->yaml.problem ? p->yaml.problem
						 : "it cannot be read");
	p->has_event = true;
	return NULL;
}

static bool has_anchor_or_tag(const yaml_event_t *e)
{
	switch (e->type) {
	case YAML_ALIAS_EVENT:
		return true;
	case YAML_SCALAR_EVENT:
		return e->data.scalar.anchor || e->data.scalar.tag;
	case YAML_SEQUENCE_START_EVENT:
		return e->data.sequence_start.anchor ||
		       e->data.sequence_start.tag;
	case YAML_MAPPING_START_EVENT:
		return e->data.mapping_start.anchor ||
		       e->data.mapping_start.tag;
	default:
		return false;
	}
}

static struct error *refuse_anchor_or_tag(const struct yaml_events *p)
{
	if (!has_anchor_or_tag(&p->event))
		return NULL;
	return refuse(p, "anchors, aliases and tags are not used in task "
			 "files: write the value out");
}

static struct error *read_node(struct yaml *out, struct yaml_events *p,
			       unsigned depth);

static struct error *read_scalar(struct yaml *out, const struct yaml_events *p)
{
	const char *text = (const char *)p->event.data.scalar.value;

	if (strlen(text) != p->event.data.scalar.length)
		return refuse(p, "a text has a NUL character");
	out->kind = YAML_SCALAR;
	out->text = xstrdup(text);
	out->plain = p->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	return NULL;
}

static struct error *read_key(char **out, const struct yaml *mapping,
			      const struct yaml_events *p)
{
	const char *key;

	TRY(refuse_anchor_or_tag(p));
	if (p->event.type != YAML_SCALAR_EVENT)
		return refuse(p, "a key must be a plain word");
	key = (const char *)p->event.data.scalar.value;
	if (strlen(key) != p->event.data.scalar.length)
		return refuse(p, "a key has a NUL character");
	/* Each key is compared with all before it. */
	if (mapping->n >= YAML_MAX_KEYS)
		return refuse(p, "a mapping has too many keys");
	if (document_get(mapping, key))
		return error_new(ERROR_TASK,
				 "%s:%zu: the key '%s' is there "
				 "twice",
				 p->path, event_line(p), key);
	*out = xstrdup(key);
	return NULL;
}

/* Children up to the matching end event. */
static struct error *read_children(struct yaml *out, struct yaml_events *p,
				   unsigned depth)
{
	bool mapping = out->kind == YAML_MAPPING;
	yaml_event_type_t end = mapping ? YAML_MAPPING_END_EVENT
					: YAML_SEQUENCE_END_EVENT;

	if (depth >= YAML_MAX_DEPTH)
		return refuse(p, "values nest too deep");
	for (;;) {
		cleanup_free char *key = NULL;

		TRY(next(p));
		if (p->event.type == end)
			return NULL;
		if (mapping) {
			TRY(read_key(&key, out, p));
			TRY(next(p));
		}
		if (out->n >= out->cap) {
			GROW(out->item, out->n, out->cap);
			if (mapping)
				out->key = xrealloc(out->key, out->cap,
						    sizeof *out->key);
		}
		out->item[out->n] = (struct yaml){0};
		if (mapping)
			out->key[out->n] = steal(&key);
		/* held: the item grows items of its own; this list stays */
		TRY(read_node(&out->item[out->n++], p, depth + 1));
	}
}

static struct error *read_node(struct yaml *out, struct yaml_events *p,
			       unsigned depth)
{
	out->line = event_line(p);
	TRY(refuse_anchor_or_tag(p));
	switch (p->event.type) {
	case YAML_SCALAR_EVENT:
		return read_scalar(out, p);
	case YAML_SEQUENCE_START_EVENT:
		out->kind = YAML_SEQUENCE;
		return read_children(out, p, depth);
	case YAML_MAPPING_START_EVENT:
		out->kind = YAML_MAPPING;
		return read_children(out, p, depth);
	default:
		return refuse(p, "a value is missing");
	}
}

static struct error *read_document(struct yaml *out, struct yaml_events *p)
{
	TRY(next(p)); /* the start of the stream */
	TRY(next(p));
	if (p->event.type == YAML_STREAM_END_EVENT)
		return refuse(p, "the file is empty");
	TRY(next(p));
	TRY(read_node(out, p, 0));
	TRY(next(p)); /* the end of the document */
	TRY(next(p));
	if (p->event.type != YAML_STREAM_END_EVENT)
		return refuse(p, "a second document begins here: one is all "
				 "a task file has");
	return NULL;
}

struct error *document_parse(struct yaml **out, const char *path,
			     const char *text, size_t len)
{
	cleanup_document struct yaml *y = xcalloc(1, sizeof *y);
	CLEANUP(yaml_events)
	struct yaml_events p = {.path = path, .text = text, .len = len};

	if (!yaml_parser_initialize(&p.yaml))
		abort(); /* out of memory */
	if (len > YAML_MAX_BYTES)
		return error_new(ERROR_TASK, "%s: larger than %zu KiB", path,
				 YAML_MAX_BYTES >> 10);
	yaml_parser_set_input_string(&p.yaml, (const unsigned char *)text, len);
	TRY(read_document(y, &p));
	*out = steal(&y);
	return NULL;
}

const struct yaml *document_get(const struct yaml *mapping, const char *key)
{
	if (!mapping || mapping->kind != YAML_MAPPING)
		return NULL;
	for (size_t i = 0; i < mapping->n; i++)
		if (str_eq(mapping->key[i], key))
			return &mapping->item[i];
	return NULL;
}

char *document_describe(const struct yaml *y)
{
	if (y->kind == YAML_SCALAR)
		return xasprintf("'%.60s'", y->text);
	return xstrdup(y->kind == YAML_SEQUENCE ? "a list" : "a mapping");
}
