/*
 * The state of a function in C: a structure that it gets the address of, and changes.
 * A struct of a task is a fresh copy for every launch, and what is written in it is
 * not compared; so the members that the function uses become arguments of a shim,
 * which puts them into a structure, calls the function, and takes back what it changed.
 */
#ifndef CORE_TASK_STATE_H
#define CORE_TASK_STATE_H

#include "core/task/prototype.h"

/* By number of a parameter, what the function does with it where it is a member. */
struct state_use {
	bool used[TASK_MAX_ARGS];
	bool changed[TASK_MAX_ARGS];
	bool kept[TASK_MAX_ARGS]; /* what it was counts, too */
};

/* Can a shim make what parameter i points to? What is only read is a struct of the
 * task's where it can be one. */
static inline bool state_is_possible(const struct prototype *p, size_t i)
{
	return p->language == LANGUAGE_C && i < p->n &&
	       p->parameter[i].has_members &&
	       (!p->parameter[i].is_const || p->parameter[i].by_shim);
}

/* Members of structures that are such state take the place of the parameter. The
 * others stay, but for those that no struct of a task can be. `use` is NULL where the
 * function's body is not known. */
void state_flatten(struct prototype *p, const struct state_use *use);

#endif
