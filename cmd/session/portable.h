/*
 * The portable winner of a run: of the attempts that were kept, the one that is
 * fastest on the kind of machine on which it is slowest. A task asks for it by
 * `portable: [KIND, KIND]`.
 */
#ifndef CMD_SESSION_PORTABLE_H
#define CMD_SESSION_PORTABLE_H

#include "cmd/session/session.h"

struct portable {
	struct strvec words; /* of the task; none: it asks for no such winner */
	struct commit_id id; /* of the winner; "" if there is none */
	int64_t number;	     /* of the attempt */
	double speedup;	     /* relative to the start, the least of all kinds */
	char *kinds;	     /* for people: each kind with the speed there */
	char *why;	     /* NULL, or why there is none */
};

/* The task is that of HEAD at the run's path, so that the key may be added
 * later; else that of the run's base. */
struct error *portable_read(struct portable *out, struct session *s,
			    const char *run) MUST_CHECK;
/* The same of a run that the caller has read, with all its attempts and on all
 * kinds of machines. */
void portable_find(struct portable *out, struct session *s,
		   const struct population *p);
void portable_release(struct portable *p);
/* Sets the member `portable`, where the task asks for one: the kinds, and commit,
 * attempt and speed of the winner, else why there is none. */
void portable_json_add(struct json *j, const struct portable *p);

DEFINE_RELEASE(portable, struct portable, portable_release)
#define cleanup_portable CLEANUP(portable)

#endif
