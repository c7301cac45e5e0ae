/*
 * One launch of a candidate, for a profiler or a sanitizer. The launch is
 * captured in the sandbox as scoring does; a private folder gets the plan, its
 * code and the runner, whose role `replay FOLDER` plays it. Such a tool runs
 * outside the sandbox, so it never runs the candidate's host code.
 */
#ifndef SCORER_INSPECT_REPLAY_FOLDER_H
#define SCORER_INSPECT_REPLAY_FOLDER_H

#include "scorer/build/build.h"
#include "scorer/contest/check.h"
#include "scorer/host/context.h"
#include "scorer/wire/gpu_protocol.h"

enum replay_for {
	REPLAY_FOR_PROFILER,  /* records the last of several launches */
	REPLAY_FOR_SANITIZER, /* checks everything; each tensor has a fence */
};

struct launch_capture {
	struct replay_order *order; /* for the runner that plays it; owned */
	int plan;		    /* memfd; -1: none */
	int inputs; /* memfd, where the task's own code makes some; -1: none */
};
#define LAUNCH_CAPTURE_INIT              \
	{                                \
		.plan = -1, .inputs = -1 \
	}

/* Captures one launch of a case. A failure of the candidate is in *o;
 * ERROR_REFUSED, with the reason, if it cannot be captured and replayed.
 * `seconds`: after this time the replay ends itself. */
struct error *launch_capture_make(struct score_outcome *o,
				  struct launch_capture *out, struct scorer *s,
				  const struct build *build,
				  const struct task_case *c,
				  enum replay_for what_for,
				  uint32_t seconds) MUST_CHECK;
void launch_capture_release(struct launch_capture *c);

/* Makes the folder under /tmp. free() and replay_folder_remove dispose. */
struct error *replay_folder_make(char **out, const char *prefix,
				 const struct launch_capture *c,
				 const struct scoring *sc,
				 const struct build *build) MUST_CHECK;
/* A sentence that the replay left (REPLAY_SAID, ...); NULL: none. free()
 * disposes. */
char *replay_folder_word(const char *folder, const char *name) MUST_CHECK;
/* Removes and frees it; NULL is fine. */
void replay_folder_remove(char *folder);

DEFINE_RELEASE(launch_capture, struct launch_capture, launch_capture_release)
#define cleanup_launch_capture CLEANUP(launch_capture)
DEFINE_CLEANUP(replay_folder, char, replay_folder_remove)
#define cleanup_replay_folder CLEANUP(replay_folder)

#endif
