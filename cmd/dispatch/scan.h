/*
 * What a file of C, C++ or CUDA defines, as far as one has to know it to have
 * its text several times in one file: names at file scope, macros, includes, and
 * where the entry's definition stands. Read by tokens, without the preprocessor:
 * what is not found (a name that a macro makes) stands twice, and the compiler
 * says so.
 */
#ifndef CMD_DISPATCH_SCAN_H
#define CMD_DISPATCH_SCAN_H

#include "core/base/error.h"
#include "core/base/strvec.h"

/* A part of the text. Borrowed. */
struct span {
	const char *at;
	size_t len;
};

struct directive {
	struct span text; /* from '#' to before the end of the line */
	bool is_include;  /* at file scope */
};

struct scanned {
	/* Defined at file scope; of C++ those with C linkage only, since a
	 * namespace keeps the others apart. */
	struct strvec names;
	struct strvec macros;
	struct directive *directive;
	size_t n_directives, cap_directives;
	/* The definition of the entry: "static void", "const float *a, int n". */
	struct span before, parameters;
	bool has_entry;
	bool is_in_block; /* of extern "C", which `before` does not have */
};

/* ERROR_REFUSED if its braces do not match. Borrows the text. */
struct error *scan_source(struct scanned *out, const char *text,
			  const char *entry, bool is_cxx) MUST_CHECK;
/* Is the directive a "#NAME ..."? *rest (may be NULL) is what follows. */
bool directive_is(struct span directive, const char *name, const char **rest);
void scanned_release(struct scanned *s);

DEFINE_RELEASE(scanned, struct scanned, scanned_release)
#define cleanup_scanned CLEANUP(scanned)

#endif
