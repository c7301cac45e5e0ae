#include "cmd/session/one_kind.h"

#include "core/run/kinds.h"

struct error *one_kind_find(char id[IDENTITY_HEX_LEN + 1],
			    struct commit_id *champion, struct session *s,
			    const char *run, const char *word)
{
	cleanup_population struct population p = {0};
	size_t kind, at;

	TRY(gitstore_recent(&p, s->git, run, 1));
	TRY(kinds_choose(&kind, &p, word));
	memcpy(id, p.machine[kind - 1].id, IDENTITY_HEX_LEN + 1);
	if (!champion)
		return NULL;
	at = kinds_champion(&p, kind);
	*champion = at ? p.attempt[at].id : (struct commit_id){""};
	return NULL;
}

struct error *one_kind_population(struct population *p, struct session *s,
				  const char *run, const char *word)
{
	char id[IDENTITY_HEX_LEN + 1];

	TRY(one_kind_find(id, NULL, s, run, word));
	return gitstore_population_on(p, s->git, run, id);
}

struct error *one_kind_champion(struct commit_id *id, struct session *s,
				const char *run, const char *word)
{
	char kind[IDENTITY_HEX_LEN + 1];

	TRY(one_kind_find(kind, id, s, run, word));
	if (!*id->hex)
		return error_new(ERROR_NOT_FOUND,
				 "run %s has no champion on '%s' (%s): nothing "
				 "was crowned there",
				 run, word, kind);
	return NULL;
}
