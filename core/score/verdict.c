#include "core/score/verdict.h"

static const struct {
	const char *name, *line;
} verdicts[] = {
#define X(id, name, line) [id] = {name, line},
	VERDICTS(X)
#undef X
};

const char *verdict_name(enum verdict v)
{
	return verdicts[v].name;
}

const char *verdict_line(enum verdict v)
{
	return verdicts[v].line;
}

bool verdict_parse(enum verdict *v, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(verdicts); i++) {
		if (!str_eq(verdicts[i].name, name))
			continue;
		*v = (enum verdict)i;
		return true;
	}
	return false;
}
