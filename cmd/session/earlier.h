/*
 * What an earlier run measured of the same sources, so that the tuner of another
 * run begins where that one ended: on another machine, of another day or here.
 */
#ifndef CMD_SESSION_EARLIER_H
#define CMD_SESSION_EARLIER_H

#include "cmd/session/session.h"

/* So few points say little, and a space of fewer is soon measured. */
#define EARLIER_LEAST 8

/* Of the runs of the session's task, the one that measured most points of the
 * sources at its commit, which may differ in the values of their tunables: these
 * points, as agent/tuner/known.h reads them, and a line on `say`. `but`: the run that
 * is guided. An empty buffer: no run measured EARLIER_LEAST of them. A run that
 * cannot be read is passed over. */
struct error *earlier_read(struct buf *out, const struct session *s,
			   const char *but, FILE *say) MUST_CHECK;

#endif
