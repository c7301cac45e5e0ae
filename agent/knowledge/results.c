/* What the knowledge base answers with. */
#include "agent/knowledge/knowledge.h"

void knowledge_hits_release(struct knowledge_hits *h)
{
	for (size_t i = 0; i < h->n; i++) {
		free(h->hit[i].source);
		free(h->hit[i].heading);
		free(h->hit[i].text);
	}
	free(h->hit);
	*h = (struct knowledge_hits){0};
}

void knowledge_list_release(struct knowledge_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->item[i].source);
		free(l->item[i].title);
		free(l->item[i].kind);
		free(l->item[i].problem);
	}
	free(l->item);
	*l = (struct knowledge_list){0};
}
