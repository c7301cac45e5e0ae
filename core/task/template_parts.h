/*
 * Inside template.c and its parts (template_*.c): what they ask of a prototype.
 */
#ifndef CORE_TASK_TEMPLATE_PARTS_H
#define CORE_TASK_TEMPLATE_PARTS_H

#include "core/task/template.h"

static inline bool is_cuda(const struct prototype *p)
{
	return p->language == LANGUAGE_CUDA;
}

static inline bool is_cxx(const struct prototype *p)
{
	return p->language == LANGUAGE_CXX;
}

static inline bool is_float_pointer(const struct parameter *p)
{
	return p->is_pointer && p->known && dtype_is_float(p->dtype);
}

static inline bool is_output(const struct parameter *p)
{
	return p->is_pointer && !p->is_const &&
	       !(p->has_direction && p->direction == DIRECTION_IN);
}

/* template_reference.c: nothing of it is a number in floating point, as far as the
 * types are known. */
bool template_is_of_integers(const struct prototype *p);
/* Of the reference, where a floating value is double. */
const char *template_result_type(const struct prototype *p);
void template_add_reference_prototype(struct buf *out,
				      const struct prototype *p,
				      const char *name);
/* An array's greatest element, which sizes depend on: that of an array whose own
 * size does not come first. */
void template_add_greatest(struct buf *out, const struct prototype *p);
/* template_same.c: a reference that is the kernel in its own precision. One that
 * keeps values (template_keeps_values) is called once, not rounded up and down. */
void template_add_same(struct buf *out, const struct prototype *p,
		       const char *name, bool keeps_values);
/* template_pairs.c: a value of a scalar of which nothing but the name is known; *why is
 * said behind GUESS. Borrowed. */
const char *template_any_value(const char **why, const struct prototype *p,
			       const struct parameter *a);
/* Its name, or one for it. */
void template_add_argument_name(struct buf *out, const struct prototype *p,
				size_t i);
/* template_object.c: does a shim make the object of the method? */
bool template_has_object(const struct prototype *p);
/* What such calls need before them. */
void template_add_vector(struct buf *out, const struct prototype *p);
/* The body of a function with p's parameters: `called` is the method, `last` its
 * own name. */
void template_add_object_call(struct buf *out, const struct prototype *p,
			      const char *called, const char *last);
/* The same of the function `called`, which gets states (struct prototype). */
void template_add_state_call(struct buf *out, const struct prototype *p,
			     const char *called);
/* "ns::f_plain<float>" of "ns::f<float>", "ns::f_plain(int)" of "ns::f(int)" */
char *template_plain_name(const char *name) MUST_CHECK;

#endif
