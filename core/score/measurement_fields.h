/*
 * What a measurement holds, as tables of fields (field.h): its headline, and
 * the records that it has several of. The forms of a measurement, in the
 * journal and in a note, and its check follow from these tables. For the files
 * of this module only; others use measurement.h.
 */
#ifndef CORE_SCORE_MEASUREMENT_FIELDS_H
#define CORE_SCORE_MEASUREMENT_FIELDS_H

#include "core/score/field.h"
#include "core/score/measurement.h"

/* The ranks of a note's lines: where a kind of line begins. */
#define RANK_HEADLINE	 0
#define RANK_CASES	 1
#define RANK_COMPARISONS 500
#define RANK_KERNELS	 700
#define RANK_ENVIRONMENT 900

/* Of struct measurement itself. */
extern const struct fields headline_fields;

/* A kind of record that a measurement has several of. */
struct record_kind {
	const char *json;	 /* the array in the journal */
	unsigned rank, end_rank; /* in a note: a line each */
	size_t max;		 /* more cannot be */
	const char *where;	 /* in a message, before the record's name */
	struct fields fields;	 /* of one; the first is its name in a note */
	size_t items_at, n_at;	 /* members of struct measurement */
	size_t size, name_at;	 /* of one */
	/* Not written to the journal where there is none. */
	bool optional;
	/* One of the same name is the same one: a name comes first. */
	bool by_name;
	/* NULL where there are as many as can be. Borrowed until the next. */
	void *(*add)(struct measurement *m, const char *name);
	/* Takes the last away, which has a word that is not known here. NULL:
	 * all words are. */
	void (*drop_last)(struct measurement *m);
	/* What is wrong between fields, as fields_nonsense says it; or NULL. */
	char *(*nonsense)(const void *one);
};

enum { RECORD_CASE, RECORD_COMPARISON, RECORD_KERNEL, RECORD_COUNT };
extern const struct record_kind record_kinds[RECORD_COUNT];

size_t record_count(const struct record_kind *k, const struct measurement *m);
const void *record_at(const struct record_kind *k, const struct measurement *m,
		      size_t i);
const char *record_name(const struct record_kind *k, const void *one);

#endif
