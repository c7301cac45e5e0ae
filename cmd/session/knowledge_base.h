/* The knowledge base of a task: the notes that avogit carries, the documents
 * that the task names, and what earlier runs tried. */
#ifndef CMD_SESSION_KNOWLEDGE_BASE_H
#define CMD_SESSION_KNOWLEDGE_BASE_H

#include "agent/knowledge/knowledge.h"
#include "cmd/session/session.h"

/* What of the task's documents was left out: their number and the first few
 * reasons. */
struct knowledge_gaps {
	size_t n;
	struct strvec why;
};
void knowledge_gaps_release(struct knowledge_gaps *g);

/* `s` may be NULL: no repository, the notes alone. Its task may be missing
 * (s->at.task NULL): then no documents. */
struct error *knowledge_base_open(struct knowledge **out,
				  struct knowledge_gaps *gaps,
				  struct session *s) MUST_CHECK;
/* An attempt as a row: what was tried, why, and what it gave. `whole` is its
 * measurement where the population keeps that briefly; may be NULL. */
struct error *knowledge_base_add(struct knowledge *k,
				 const struct population *p,
				 const struct attempt *a,
				 const struct measurement *whole) MUST_CHECK;

DEFINE_RELEASE(knowledge_gaps, struct knowledge_gaps, knowledge_gaps_release)
#define cleanup_knowledge_gaps CLEANUP(knowledge_gaps)

#endif
