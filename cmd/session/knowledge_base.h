/* The knowledge base of a task: the notes embedded in avogit, the documents
 * that the task names, and what earlier runs tried. */
#ifndef CMD_SESSION_KNOWLEDGE_BASE_H
#define CMD_SESSION_KNOWLEDGE_BASE_H

#include "agent/knowledge/knowledge.h"
#include "cmd/session/session.h"

/* Documents that were left out: their number and the first few reasons. */
struct knowledge_gaps {
	size_t n;
	struct strvec why;
};
void knowledge_gaps_release(struct knowledge_gaps *g);

/* Opens the base. Without a repository (`s` NULL) it has only the notes,
 * without a task (s->at.task NULL) no documents. */
struct error *knowledge_base_open(struct knowledge **out,
				  struct knowledge_gaps *gaps,
				  struct session *s) MUST_CHECK;
/* Adds an attempt as a row: what was tried, why, and the result. `whole` is its
 * full measurement if the population keeps a short one; may be NULL. */
struct error *knowledge_base_add(struct knowledge *k,
				 const struct population *p,
				 const struct attempt *a,
				 const struct measurement *whole) MUST_CHECK;

DEFINE_RELEASE(knowledge_gaps, struct knowledge_gaps, knowledge_gaps_release)
#define cleanup_knowledge_gaps CLEANUP(knowledge_gaps)

#endif
