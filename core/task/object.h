/*
 * The object of a method, where no struct of a task is it: a class may have
 * containers, bits and private types among its members, and a method uses a few.
 * Those that it uses become arguments of a shim, which makes an object with them
 * at their places and zeros elsewhere, and calls the method.
 */
#ifndef CORE_TASK_OBJECT_H
#define CORE_TASK_OBJECT_H

#include "core/base/strvec.h"
#include "core/task/prototype.h"

struct object_member {
	char *name; /* "taps_", "state_gain" of a structure among the members */
	size_t last; /* where in it the member's own name begins */
	char *way;   /* "voice_ filter_", the structures that it is in */
	/* Of an element of an array, "edge_1": the length of "edge", which it is
	 * used by. */
	size_t array;
	char *type; /* for a message */
	uint64_t at;
	bool is_opaque; /* no argument can be it */
	bool is_vector; /* a std::vector, of elements as in `filled` */
	struct parameter filled;
};

struct method_object {
	uint64_t bytes;
	struct object_member *member;
	size_t n, cap;
	struct strvec methods; /* their names, those of bases, too */
	bool is_used;	       /* its members are arguments */
	char *fault; /* why not: "`index_`, a `std::map<...>`"; NULL: it is not used */
};
void object_free(struct method_object *o);

/* What the method's text says of a name. */
struct object_text {
	bool (*mentions)(const void *text, const char *name);
	/* Is a method of it called? */
	bool (*calls)(const void *text, const char *name);
	/* What is done with a vector beyond its elements, " that it resizes"; NULL:
	 * nothing. */
	const char *(*used_whole)(const void *text, const char *name);
	const void *text;
};

/* Adds the members that are mentioned behind the parameters, as those of
 * parameter 0; those that are there of it go. False: one of them no argument can
 * be, or they are too many, and *p has none then. */
bool object_choose(struct prototype *p, const struct object_text *text);
/* They take the place of parameter 0. `changed`, by number: which the method gives
 * another value; `kept`: of which the value before counts, too. */
void object_flatten(struct prototype *p, const bool *changed, const bool *kept);

#endif
