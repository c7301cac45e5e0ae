#include "cmd/session/knowledge_tool.h"

/* An attempt of this run is told once, when it is measured; those of before
 * are in the base as it is opened. */
static struct error *add_new(struct knowledge_tool *t,
			     const struct population *p)
{
	struct error *err = NULL;

	for (; !err && t->known < p->n; t->known++) {
		const struct attempt *a = &p->attempt[t->known];

		if (!a->measurement)
			break;
		err = knowledge_base_add(t->knowledge, p, a, a->measurement);
	}
	/* One that is full is searched as it is. */
	if (!error_is(err, ERROR_TOO_BIG))
		return err;
	error_free(err);
	return NULL;
}

static struct error *search(struct tool_knowledge *self, struct buf *out,
			    const struct population *p, const char *query,
			    size_t limit)
{
	struct knowledge_tool *t = (struct knowledge_tool *)self;
	cleanup_knowledge_hits struct knowledge_hits hits = {0};
	cleanup_knowledge_gaps struct knowledge_gaps gaps = {0};

	if (!t->knowledge) {
		TRY(knowledge_base_open(&t->knowledge, &gaps, t->session));
		t->known = p->n;
	}
	TRY(add_new(t, p));
	TRY(knowledge_search(&hits, t->knowledge, query, limit));
	for (size_t i = 0; i < hits.n; i++) {
		const struct knowledge_hit *h = &hits.hit[i];

		buf_addf(out, "[%s%s%s]\n%s\n\n", h->source,
			 *h->heading ? ": " : "", h->heading, h->text);
	}
	return NULL;
}

void knowledge_tool_init(struct knowledge_tool *t, struct session *s)
{
	*t = (struct knowledge_tool){.tool = {.search = search}, .session = s};
}

void knowledge_tool_release(struct knowledge_tool *t)
{
	knowledge_free(t->knowledge);
	*t = (struct knowledge_tool){0};
}
