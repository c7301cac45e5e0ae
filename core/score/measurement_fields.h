/*
 * The contents of a measurement as tables of fields (field.h): its headline,
 * and the kinds of records of which it has several. Its forms in the journal
 * and in a note, and its check, follow from these tables. Only the files of
 * this module include this; others use measurement.h.
 */
#ifndef CORE_SCORE_MEASUREMENT_FIELDS_H
#define CORE_SCORE_MEASUREMENT_FIELDS_H

#include "core/score/columns.h"

/* The ranks of a note's lines: the first rank of each kind of line. */
#define RANK_HEADLINE	 0
#define RANK_CASES	 1
#define RANK_COMPARISONS 500
#define RANK_KERNELS	 700
#define RANK_ENVIRONMENT 900

/* The fields of struct measurement itself. */
extern const struct fields headline_fields;

/* A kind of record that a measurement has several of. */
struct record_kind {
	const char *json;	 /* the array in the journal */
	unsigned rank, end_rank; /* in a note: one line each */
	size_t max;		 /* limit of their number */
	const char *where;	 /* in a message, before the record's name */
	struct fields fields;	 /* of one; the first is its name in a note */
	size_t items_at, n_at;	 /* members of struct measurement */
	size_t size, name_at;	 /* of one record */
	/* Not written to the journal if there are none. */
	bool optional;
	/* Two of the same name are the same record: its name comes first. */
	bool by_name;
	/* NULL if the limit is reached. Borrowed until the next call. */
	void *(*add)(struct measurement *m, const char *name);
	/* Removes the last record, because it has an unknown word. NULL: no
	 * word can be unknown. */
	void (*drop_last)(struct measurement *m);
	/* An inconsistency between fields, in the form of fields_nonsense; or
	 * NULL. */
	char *(*nonsense)(const void *one);
};

extern const struct record_kind record_kinds[RECORD_COUNT];

size_t record_count(const struct record_kind *k, const struct measurement *m);
const void *record_at(const struct record_kind *k, const struct measurement *m,
		      size_t i);
const char *record_name(const struct record_kind *k, const void *one);

#endif
