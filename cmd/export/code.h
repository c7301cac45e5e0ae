/* C that is the same in several forms of an export: the prototype of the
 * candidate's function, and how it is compiled. */
#ifndef CMD_EXPORT_CODE_H
#define CMD_EXPORT_CODE_H

#include "cmd/export/source.h"

/* CODE_ENTRY: the kernel's arguments. CODE_PREPARE: the same, and nothing is
 * returned. CODE_REFERENCE: the same, but what is
 * returned is double, and two row numbers follow where the task's reference
 * takes them. CODE_SETUP: none. */
enum code_function {
	CODE_ENTRY,
	CODE_PREPARE,
	CODE_PLAIN,
	CODE_REFERENCE,
	CODE_SETUP
};

/* Refuses a task whose function C++ cannot call: a value of 16 or 8 bits in
 * floating point. */
struct error *code_check(const struct export_source *s) MUST_CHECK;
/* Is it a word of C, C++ or Python that is not free as a name? */
bool code_is_keyword(const char *name);
/* The name, with a '_' after it if it is a keyword. free() disposes. */
char *code_name(const char *name) MUST_CHECK;
/* "int32_t"; NULL: only a pointer to it can be said. */
const char *code_type(const struct task *t, enum dtype dtype);
/* The structs that are arguments: "struct avogit_scale_opts { ... };". */
void code_structs(struct buf *out, const struct export_source *s);
/* "void scale(const float *x, float *y, float a, int32_t n)" */
void code_prototype(struct buf *out, const struct export_source *s,
		    const char *name, enum code_function kind);
/* The words that compile: compiler, -fPIC, flags, include folders below
 * `folder`. */
void code_compile_words(struct strvec *command, const struct export_source *s,
			const char *folder);
/* The same for the task's reference. */
void code_reference_words(struct strvec *command, const struct export_source *s,
			  const char *folder);

#endif
