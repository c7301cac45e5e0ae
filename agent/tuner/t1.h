/*
 * A tuning space as the autotuning association describes it: T1 in JSON, of
 * which "ConfigurationSpace" is read: names, values, defaults and conditions of
 * the parameters. Values and conditions are Python there (python.h).
 */
#ifndef AGENT_TUNER_T1_H
#define AGENT_TUNER_T1_H

#include "core/base/buf.h"
#include "core/base/strvec.h"

struct t1_parameter {
	char *name;
	struct strvec values;
	char *usual; /* its default, one of the values */
};

struct t1 {
	struct t1_parameter *parameter;
	size_t n, cap;
	struct strvec conditions; /* in the words of core/task/expr.h */
};

/* ERROR_MALFORMED says what is wrong. t1_release disposes. */
struct error *t1_parse(struct t1 *out, const char *text, size_t len) MUST_CHECK;
/* Adds the source with a declaration (tunables.h) of each parameter: behind its
 * #define where the source has one, else as a line before all others, where the
 * conditions go, too. A parameter that is declared already stays as it is. */
struct error *t1_declare(struct buf *out, const struct t1 *space,
			 const char *source, size_t len) MUST_CHECK;
void t1_release(struct t1 *space);

DEFINE_RELEASE(t1, struct t1, t1_release)
#define cleanup_t1 CLEANUP(t1)

#endif
