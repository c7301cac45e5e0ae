/* What the forms with an operator of PyTorch have in common: the Python that
 * knows the task, and the reference for the test. */
#ifndef CMD_EXPORT_PACKAGE_H
#define CMD_EXPORT_PACKAGE_H

#include "cmd/export/binding.h"

/* The operators of the package. They borrow from *s. */
struct torch_binding package_entry(const struct export_source *s) MUST_CHECK;
struct torch_binding package_prepare(const struct export_source *s) MUST_CHECK;

/* The operators of the candidate, in C++, registered as s->space. */
struct error *package_put_binding(struct export_source *s,
				  const char *path) MUST_CHECK;
/* build.json: how the files below these folders, which end in a slash, are
 * compiled. NULL: not this part. */
struct error *package_put_build(struct export_source *s, const char *kernel,
				const char *reference) MUST_CHECK;
/* _task.py: sizes, cases, shapes of inputs and outputs. */
struct error *package_put_task(struct export_source *s,
			       const char *path) MUST_CHECK;
/* Adds a file of cmd/export/files; @PACKAGE@ in it becomes the package's
 * name. */
struct error *package_put_image(struct export_source *s, const char *path,
				const char *image) MUST_CHECK;
/* A kernel in Python and what is around it, below `folder`, which ends in a
 * slash or is empty: kernel/ and modules beside it, but _task.py and
 * _call.py. */
struct error *package_put_python(struct export_source *s,
				 const char *folder) MUST_CHECK;
/* A reference in Python: its file below `folder`, which ends in a slash, and
 * beside that folder `module`, which imports what knows the task from the
 * package `from`. */
struct error *package_put_python_reference(struct export_source *s,
					   const char *folder,
					   const char *module,
					   const char *from) MUST_CHECK;
/* The reference and its binding: what the test holds the kernel against. */
struct error *package_put_reference(struct export_source *s, const char *folder,
				    const char *binding) MUST_CHECK;

#endif
