/*
 * The first version of a task, from the kernel's prototype: a task file whose
 * guesses are marked, and a reference that holds the kernel as it is (as the
 * plain version) and leaves saying what is right to the user.
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
