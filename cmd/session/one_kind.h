/*
 * What one kind of machine knows of a run: for --on KIND, where KIND is the word
 * of a person (kinds_choose).
 */
#ifndef CMD_SESSION_ONE_KIND_H
#define CMD_SESSION_ONE_KIND_H

#include "cmd/session/session.h"

/* The id of the kind. `champion` may be NULL; else it gets the champion of that
 * kind, "" if there is none. */
struct error *one_kind_find(char id[IDENTITY_HEX_LEN + 1],
			    struct commit_id *champion, struct session *s,
			    const char *run, const char *word) MUST_CHECK;
/* The run as that kind measured it (population.only). */
struct error *one_kind_population(struct population *p, struct session *s,
				  const char *run, const char *word) MUST_CHECK;
/* Its champion; ERROR_NOT_FOUND if nothing was crowned there. */
struct error *one_kind_champion(struct commit_id *id, struct session *s,
				const char *run, const char *word) MUST_CHECK;

#endif
