/*
 * The first version of a task, made from the kernel's prototype and what its
 * loops say: a task file in which guesses are marked, and a reference. The
 * reference contains the kernel unchanged, as the plain version; where it can,
 * it takes the same code for what is right, in the next wider type or as it is,
 * else the user has to write that. A function that other files cannot call gets a third file,
 * the shim: it includes the kernel's and has an entry that calls the function.
 */
#ifndef CORE_TASK_TEMPLATE_H
#define CORE_TASK_TEMPLATE_H

#include "core/task/prototype.h"
#include "core/base/buf.h"
#include "core/base/strvec.h"

struct template
{
	const char *kernel; /* path from the task's folder */
	const struct prototype *prototype;
	const char *reference; /* path of the reference */
	/* C++: the function's declaration, where its name is several's; NULL:
	 * its name. */
	const char *declaration;
	/* A function without arguments that may have to be called once; NULL:
	 * there is none, or several. */
	const char *setup;
	const char *shim; /* path of the shim; NULL: none is needed */
	/* Of task_shapes, which a reference that is made has; NULL: none. */
	const char *shapes;
	/* A symbol that has to be small beside the others; NULL: none. */
	const char *small;
	/* The sizes that are drawn begin above the least ones. */
	bool above_least;
	/* Not all sizes go with each other: none are drawn. */
	bool no_hidden;
	bool alone; /* what the kernel includes is not compiled by itself */
	/* As the project compiles the kernel; all may be empty. */
	const char *compiler; /* NULL: that of the language */
	struct strvec flags, include, files;
	const char *read_by; /* "cc", for a comment; NULL: not read */
	/* Functions of the kernel's file, which have another name in the wide
	 * version. */
	struct strvec functions;
};
void template_release(struct template *t);

/* A name for the task: "axpy" of "ns::axpy<float>". free() disposes. */
char *template_name(const struct prototype *p) MUST_CHECK;
/* Does it return something that no output can be, such as a pointer? */
bool template_drops_result(const struct prototype *p);
void template_task(struct buf *out, const struct template *t);
/* What is right by the reference: the kernel's own code in the next wider type;
 * as it is; or what the user writes where an #error stands. */
enum reference_kind {
	REFERENCE_WIDE,
	REFERENCE_WIDE_USING, /* with what headers have in its namespace */
	REFERENCE_SAME,
	REFERENCE_TO_WRITE
};
/* Is enough known of the kernel? For the wide one all that it reads and writes,
 * of one floating type, or of integers alone. */
bool template_can_be(const struct prototype *p, enum reference_kind kind);
void template_reference(struct buf *out, const struct template *t,
			const char *kernel_text, enum reference_kind kind);
/* Has the source a variable that lasts from call to call and can be written, such
 * as a table that is made once? The source alone is looked at, no header. */
bool template_keeps_values(const char *kernel_text);
/* What the task says of its arrays goes before what the loops said, for a
 * reference that is made again. */
void template_take_shapes(struct prototype *p, const struct task *t);
#define TEMPLATE_SHIM_BEGIN "/*\n * Makes "
/* t->shim is its path. */
void template_shim(struct buf *out, const struct template *t);

DEFINE_RELEASE(template, struct template, template_release)
#define cleanup_template CLEANUP(template)

#endif
