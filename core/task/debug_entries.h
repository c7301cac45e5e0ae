/*
 * Inside debug_info.c, debug_types.c, debug_members.c and debug_object.c: the
 * entries of the debug information, and their types.
 */
#ifndef CORE_TASK_DEBUG_ENTRIES_H
#define CORE_TASK_DEBUG_ENTRIES_H

#include "core/task/prototype.h"

/* Of the text. */
struct text_piece {
	const char *at;
	size_t len;
};

/* An entry: its tag and the attributes that are needed. Strings are pieces of
 * the text. */
struct debug_entry {
	uint64_t offset;
	size_t depth;
	struct text_piece tag; /* "subprogram" */
	struct text_piece name, linkage;
	uint64_t type, origin; /* offsets; 0: none */
	uint64_t bytes, encoding, file, line;
	uint64_t count;	   /* of a dimension's elements; 0: not known */
	uint64_t location; /* of a member, from the structure's begin */
	bool external, declaration, has_code, artificial, bit_field, is_virtual;
	size_t parent; /* index; its own for the first level */
};

struct entries {
	struct debug_entry *v;
	size_t n, cap;
	struct text_piece *file; /* names by number */
	size_t n_files, cap_files;
};

#define MAX_LOOKS 512 /* at what a structure consists of */
#define MAX_TYPES 32  /* a chain of types, or of what they are in */

static inline bool piece_is(struct text_piece p, const char *text)
{
	return p.len == strlen(text) && memcmp(p.at, text, p.len) == 0;
}

static inline bool debug_is_reference(const struct debug_entry *e)
{
	return piece_is(e->tag, "reference_type") ||
	       piece_is(e->tag, "rvalue_reference_type");
}

/* By its offset; NULL: none, or not in order. */
const struct debug_entry *debug_find(const struct entries *all,
				     uint64_t offset);
/* Is it a name of C; with `cxx`, one as "ns::view<float>"? */
bool debug_is_name(const char *s, size_t len, bool cxx);
/* "ns::K::name" */
char *debug_full_name(const struct entries *all,
		      const struct debug_entry *e) MUST_CHECK;
/* The type at this offset, through typedefs and qualifiers; NULL: void. */
const struct debug_entry *debug_plain(const struct entries *all, uint64_t type);
/* What the pointer or reference at this offset points to, likewise; NULL: it is
 * none, or to void. */
const struct debug_entry *debug_pointee(const struct entries *all,
					uint64_t type);
void debug_read_type(struct parameter *out, const struct entries *all,
		     uint64_t type, enum language language);
/* As the pointer to what is of this type, or an array of it. */
void debug_read_elements(struct parameter *out, const struct entries *all,
			 uint64_t type, enum language language);
/* The word for a type in a message, or in a declaration: "struct s", in C++ with
 * its namespaces: "struct ns::s". NULL: "void". */
char *debug_type_word(const struct entries *all,
		      const struct debug_entry *e) MUST_CHECK;
/* p->object, of the class that a pointer of this type points to. */
void debug_read_object(struct prototype *p, const struct entries *all,
		       uint64_t type);
/* Where parameter i, of this type, points to one structure that can be said by
 * its members: adds them behind the parameters. */
void debug_read_members(struct prototype *p, size_t i,
			const struct entries *all, uint64_t type);

#endif
