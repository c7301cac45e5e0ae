/*
 * The fields of a record as a table. What is written of the record, what is
 * read back and what is refused follow from it, so that a new figure is a
 * member of the struct and one line of the table.
 *
 * A record has two forms. In the journal it is a JSON object with a member for
 * each field. In a note it is a line of words, each key=value. A field may have
 * another key in a note than in the journal, because both are in repositories
 * that exist; the table has both.
 *
 * `record` is always the struct that the table describes.
 */
#ifndef CORE_SCORE_FIELD_H
#define CORE_SCORE_FIELD_H

#include "core/base/buf.h"
#include "core/base/json.h"
#include "core/base/strvec.h"

enum field_kind {
	FIELD_NUMBER,  /* double */
	FIELD_NUMBERS, /* double *, owned, and a size_t: how many. JSON only */
	FIELD_COUNT,   /* size_t */
	FIELD_INTEGER, /* int64_t: a count too */
	FIELD_TIME,    /* int64_t: microseconds since 1970. JSON only */
	FIELD_DIGITS,  /* uint64_t, as text: all bits count. JSON only */
	FIELD_FLAG,    /* bool; in a note "yes" and "no" */
	FIELD_TEXT,    /* char *, owned; NULL: none */
	FIELD_CHARS,   /* char[size]: what fits is read */
	FIELD_HEX,     /* char[size] of hex digits, all of them. JSON only */
	FIELD_LINES,   /* struct strvec; in a note a word for each */
	FIELD_WORD,    /* an enumeration: see `word` */
	FIELD_DERIVED, /* no member: a word for people, see `add` */
};

struct field {
	const char *json; /* key in the journal; NULL: not there */
	const char *note; /* key in a note; NULL: not there */
	enum field_kind kind;
	size_t at, size; /* the member: offset and bytes */
	size_t n_at;	 /* FIELD_NUMBERS: offset of their count */
	size_t max;	 /* FIELD_LINES, _NUMBERS: so many are read at most */

	/* FIELD_NUMBER, _NUMBERS: what can be is 0 to `most`. */
	const char *unit; /* NULL: none */
	double most;
	bool may_be_nan; /* which means: it was not found out */

	/* Zero, or an empty text, means not known, and is not written. */
	bool optional;
	/* A number that cannot be is read as nothing. */
	bool or_nothing;

	/* In a note: words of a lower place come first, then as in the table. */
	unsigned place;
	const char *format;		   /* FIELD_NUMBER */
	bool (*noted)(const void *record); /* NULL: always */
	/* Where the word has another form than the kind's: writes " key=value",
	 * reads the value. NULL: as the kind. */
	void (*add)(struct buf *line, const void *record, const void *whole);
	void (*take)(void *record, const char *value);

	/* FIELD_WORD: its name, a constant; and back. A word that is absent is
	 * read as "" in JSON. False where the record cannot do without one that
	 * is known. */
	const char *(*word)(const void *record);
	bool (*set_word)(void *record, const char *word);
};

struct fields {
	const struct field *v;
	size_t n;
};

/* ---- rows ---------------------------------------------------------------- */

/* The member, and its kind by its type. */
#define FIELD_MEMBER(type, member) \
	.at = offsetof(type, member),                         \
	.size = sizeof(((type *)NULL)->member),               \
	.kind = _Generic(&((type *)NULL)->member,             \
		double *: FIELD_NUMBER, size_t *: FIELD_COUNT, \
		int64_t *: FIELD_INTEGER,  bool *: FIELD_FLAG, \
		char **: FIELD_TEXT, struct strvec *: FIELD_LINES, \
		default: FIELD_CHARS)
/* A kind that the type does not tell; an array of doubles and its length; an
 * enumeration, written and read by these two functions; no member at all. */
#define FIELD_AS(kind_, type, member)                                         \
	.at = offsetof(type, member), .size = sizeof(((type *)NULL)->member), \
	.kind = (kind_)
#define FIELD_ARRAY(type, member, n_member)                             \
	.at = offsetof(type, member), .n_at = offsetof(type, n_member), \
	.kind = FIELD_NUMBERS
#define FIELD_NAMED(name_of, set) \
	.kind = FIELD_WORD, .word = (name_of), .set_word = (set)
#define FIELD_FOR_PEOPLE(add_it) .kind = FIELD_DERIVED, .add = (add_it)
#define FIELD_TABLE(rows)                          \
	{                                          \
		.v = (rows), .n = ARRAY_SIZE(rows) \
	}

/* ---- what follows from them ---------------------------------------------- */

/* A count that others wrote: 0 where it is negative, and so bounded that a few
 * of them can be added. */
int64_t field_count(int64_t n);

void fields_to_json(struct json *object, const struct fields *t,
		    const void *record);
/* A member that is absent or of another type leaves its field as it is. False
 * where set_word says so; the rest is read all the same. */
bool fields_from_json(void *record, const struct fields *t,
		      const struct json *object);
/* Adds the words of a note's line, a blank before each. `whole`: what the record
 * is part of, for `add`. */
void fields_to_words(struct buf *line, const struct fields *t,
		     const void *record, const void *whole);
/* Reads one word; one that is not in the table does nothing. False as above. */
bool fields_from_word(void *record, const struct fields *t, const char *key,
		      const char *value);

/* The first number that cannot be: "seconds=-1, not 0 to 1e+10 s". NULL where
 * there is none; free() disposes. */
char *fields_nonsense(const struct fields *t, const void *record) MUST_CHECK;
/* Can a record have this number under this key of the journal? True of a key
 * whose value is no number with bounds. */
bool fields_allow(const struct fields *t, const char *json, double value);
/* Sets every number to 0. */
void fields_clear_numbers(void *record, const struct fields *t);

#endif
