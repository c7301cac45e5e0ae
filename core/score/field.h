/*
 * The fields of a record as a table. Writing, reading and checking a record all
 * follow from the table, so a new figure needs only a member of the struct and
 * one line of the table.
 *
 * A record has two forms. In the journal it is a JSON object with a member for
 * each field. In a note it is a line of words, each key=value. A field may have
 * different keys in a note and in the journal, because both forms exist in
 * repositories; the table has both keys.
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
	FIELD_NUMBERS, /* double *, owned, and a size_t. JSON only */
	FIELD_COUNT,   /* size_t */
	FIELD_INTEGER, /* int64_t, also a count */
	FIELD_TIME,    /* int64_t: microseconds since 1970. JSON only */
	FIELD_DIGITS,  /* uint64_t, as text: all bits count. JSON only */
	FIELD_FLAG,    /* bool; in a note "yes" and "no" */
	FIELD_TEXT,    /* char *, owned; NULL: no text */
	FIELD_CHARS,   /* char[size]; longer text is cut when read */
	FIELD_HEX,     /* char[size] of hex digits, always full. JSON only */
	FIELD_LINES,   /* struct strvec; in a note one word for each */
	FIELD_WORD,    /* an enumeration: see `word` */
	FIELD_DERIVED, /* no member: a word for people, see `add` */
};

enum emphasis {
	EMPHASIS_NONE,
	EMPHASIS_STRONG, /* the figure to read first */
	EMPHASIS_WARN,
	EMPHASIS_BAD, /* it makes the candidate fail */
};

struct field {
	const char *json; /* key in the journal; NULL: not stored there */
	const char *note; /* key in a note; NULL: not stored there */
	enum field_kind kind;
	size_t at, size; /* the member: offset and bytes */
	size_t n_at;	 /* FIELD_NUMBERS: offset of their count */
	/* FIELD_LINES, _NUMBERS: at most so many are read; FIELD_TEXT: so many
	 * bytes from the journal, 0: all. */
	size_t max;

	/* FIELD_NUMBER, _NUMBERS: valid values are 0 to `most`. */
	const char *unit; /* NULL: without a unit */
	double most;
	bool may_be_nan; /* NaN means: not determined */

	/* Zero or an empty text means unknown, and is not written. */
	bool optional;
	/* An invalid number is read as if it were missing. */
	bool or_nothing;

	/* In a note: words of a lower place first, then in the table's
	 * order. */
	unsigned place;
	const char *format;		   /* FIELD_NUMBER */
	bool (*noted)(const void *record); /* NULL: always */
	/* For a word in another form than that of its kind: `add` writes "
	 * key=value", `take` reads the value. NULL: the form of the kind. */
	void (*add)(struct buf *line, const void *record, const void *whole);
	void (*take)(void *record, const char *value);

	/* For people: the place and the title of the column that shows it (0:
	 * no column), and for a model a phrase with '*' for the figure. `show`
	 * adds the text of a number that a note would have; NULL: the number. */
	unsigned column;
	const char *title, *phrase;
	void (*show)(struct buf *out, double value, const void *record,
		     const void *whole);
	enum emphasis (*emphasis)(const void *record);

	/* FIELD_WORD: `word` gives its name, a constant; `set_word` is the
	 * inverse. In JSON an absent word is read as "". set_word returns false
	 * if the record is unusable without a known word. */
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
/* For a kind that does not follow from the type; for an array of doubles and
 * its length; for an enumeration, written and read by these two functions; for
 * a field without a member. */
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

/* ---- what follows from the tables -------------------------------------- */

/* A count that others wrote: a negative one becomes 0, and a large one is
 * limited so that a few of them can be added without overflow. */
int64_t field_count(int64_t n);

void fields_to_json(struct json *object, const struct fields *t,
		    const void *record);
/* An absent member, or one of another type, leaves its field unchanged. False
 * if set_word returned false; the rest is read nevertheless. */
bool fields_from_json(void *record, const struct fields *t,
		      const struct json *object);
/* Adds the words of a note's line, a space before each. `whole`: the struct
 * that contains the record, for `add`. */
void fields_to_words(struct buf *line, const struct fields *t,
		     const void *record, const void *whole);
/* Reads one word; ignores one that is not in the table. False as above. */
bool fields_from_word(void *record, const struct fields *t, const char *key,
		      const char *value);

/* The first invalid number: "seconds=-1, not 0 to 1e+10 s". NULL if there is
 * none; free() disposes. */
char *fields_nonsense(const struct fields *t, const void *record) MUST_CHECK;
/* Is this number valid under this key of the journal? True if the key has no
 * bounded number as its value. */
bool fields_allow(const struct fields *t, const char *json, double value);
/* Has the record this field, so that its note has it? */
bool field_is_noted(const struct field *f, const void *record);
/* Adds what a column shows of it: "1.23 ms"; "-" without it. */
void field_show(struct buf *out, const struct field *f, const void *record,
		const void *whole);
/* Sets every number to 0. */
void fields_clear_numbers(void *record, const struct fields *t);

#endif
