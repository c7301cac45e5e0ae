/*
 * The first version of a task, made from the kernel's prototype: a task file in
 * which guesses are marked, and a reference that contains the kernel unchanged
 * (as the plain version), in which the user has to write what is right.
 */
#ifndef CORE_TASK_TEMPLATE_H
#define CORE_TASK_TEMPLATE_H

#include "core/task/prototype.h"
#include "core/base/buf.h"

struct template
{
	const char *kernel; /* path from the task's folder */
	const struct prototype *prototype;
	const char *reference; /* path of the reference */
};

void template_task(struct buf *out, const struct template *t);
void template_reference(struct buf *out, const struct template *t,
			const char *kernel_text);

#endif
