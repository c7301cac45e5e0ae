#include "scorer/host/reference_words.h"

static const char *doing_words(uint32_t doing)
{
	switch (doing) {
	case ACCESS_READ:
		return "reads";
	case ACCESS_WRITE:
		return "writes";
	default:
		return "reads or writes";
	}
}

static const char *role(const struct task *t, uint32_t side)
{
	return side && t->plain ? "plain version" : "reference";
}

static const char *function_name(const struct task *t, uint32_t side)
{
	return side && t->plain ? t->plain : t->reference.entry;
}

/* "element 12, where the last is 11" */
static char *place_words(const struct array_access *a)
{
	int64_t size = MAX((int64_t)a->element, INT64_C(1));
	int64_t last = (int64_t)a->bytes / size - 1;

	if (a->at < 0)
		return xasprintf("%lld bytes before its first element",
				 -(long long)a->at);
	return xasprintf("element %lld in memory, where the last is %lld",
			 (long long)(a->at / size), (long long)last);
}

static bool is_input(const struct argument *a)
{
	return a->kind == ARGUMENT_TENSOR && a->direction == DIRECTION_IN;
}

struct error *reference_access_error(const struct task *t,
				     const struct array_access *a)
{
	cleanup_free char *place = place_words(a);
	bool within = a->at >= 0 && (uint64_t)a->at < a->bytes;
	const struct argument *arg;

	if (a->array < 1 || a->array > t->n_arguments)
		return NULL;
	arg = &t->argument[a->array - 1];
	if (within && is_input(arg))
		return error_new(
			ERROR_TASK,
			"%s: the %s (%s) changes its input `%s` "
			"(element %lld in memory): let it work on a copy, or "
			"say `direction: inout` of `%s`",
			t->path, role(t, a->side), function_name(t, a->side),
			arg->name,
			(long long)(a->at /
				    MAX((int64_t)a->element, INT64_C(1))),
			arg->name);
	if (within)
		return NULL;
	return error_new(
		ERROR_TASK,
		"%s: the %s (%s) %s outside `%s`: %s; give `%s` the "
		"`shape` that it needs, or say which sizes go together "
		"(`hidden: {require: ...}`)",
		t->path, role(t, a->side), function_name(t, a->side),
		doing_words(a->doing), arg->name, place, arg->name);
}

/* Two answers to the same inputs: what it does, when it gave each, and what to look
 * for. */
struct two_answers {
	const char *what, *first, *second, *why;
};

static const struct two_answers unlike = {
	"gives two answers to the same inputs", "", " when it is called again",
	"does it use memory that it has not written (`malloc` for `calloc`), "
	"read outside an array, keep a `static` from call to call, or have "
	"threads that race?"};

static const struct two_answers keeps = {
	"keeps something from call to call", " where it was called before",
	", of the same inputs, in a process of its own",
	"does it keep inputs, a size, or a table that it made of its first "
	"ones (a `static`, a global)?"};

static struct error *two_answers_error(const struct task *t,
				       const struct judge_answer *a,
				       const struct two_answers *w)
{
	const struct argument *arg = &t->argument[a->argument];
	int digits = dtype_is_float(arg->dtype) ? 9 : 17;

	return error_new(ERROR_TASK,
			 "%s: the reference (%s) %s: `%s`[%lld] is %.*g%s, and "
			 "%.*g%s, so nothing is right there: %s",
			 t->path, t->reference.entry, w->what, arg->name,
			 (long long)a->element, digits, a->expected, w->first,
			 digits, a->got, w->second, w->why);
}

struct error *reference_finding_error(const struct task *t,
				      const struct judge_answer *a)
{
	if (a->finding == FINDING_REFERENCE_UNLIKE)
		return two_answers_error(t, a, &unlike);
	if (a->finding == FINDING_REFERENCE_KEEPS)
		return two_answers_error(t, a, &keeps);
	if (a->finding == FINDING_REFERENCE_OUTSIDE)
		return reference_access_error(t, &a->access);
	return NULL;
}
