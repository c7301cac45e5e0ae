#include "cmd/knowledge_tool.h"

static struct error *search(struct tool_knowledge *self, struct buf *out,
			    const char *query, size_t limit)
{
	struct knowledge_tool *t = (struct knowledge_tool *)self;
	cleanup_knowledge_hits struct knowledge_hits hits = {0};
	cleanup_knowledge_gaps struct knowledge_gaps gaps = {0};

	if (!t->knowledge)
		TRY(knowledge_base_open(&t->knowledge, &gaps, t->session));
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
