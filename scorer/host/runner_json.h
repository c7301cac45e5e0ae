/*
 * What the scorer and a runner of another language say to each other
 * (docs/runner-protocol.md): the requests of wire/protocol.h as packets of JSON,
 * and answers read back into its replies. An answer comes from the process of a
 * candidate: nothing of it is believed but its form.
 */
#ifndef SCORER_HOST_RUNNER_JSON_H
#define SCORER_HOST_RUNNER_JSON_H

#include "scorer/host/buffers.h"
#include "scorer/host/runner_process.h"

/* Bytes of a packet at most. */
#define RUNNER_PACKET ((size_t)64 << 10)

/* Sends START for the sources of a build; entry NULL: a launch calls nothing.
 * `prepare` may be NULL. `wide`: outputs of floating types are f64 (a reference).
 */
void runner_json_start(struct runner *r, const struct task *t,
		       const struct build *b, const char *entry,
		       const char *prepare, bool wide);
/* Sends PREPARE with an image of inputs, of which only those are there that are
 * static, and the file of the prepared buffers. */
void runner_json_prepare(struct runner *r, const struct task *t,
			 const struct entry_call *call, const bool *is_static,
			 int inputs, int prepared);
/* Sends READY with the files of all images; `prepared` -1: there is none. */
void runner_json_ready(struct runner *r, const struct task *t,
		       const struct entry_call *call, int inputs, int outputs,
		       int prepared);
/* The same for memory of the GPU, which is to be mapped at these addresses, with
 * a first call; the answer is an ARMED. */
void runner_json_arm(struct runner *r, const struct task *t,
		     const struct entry_call *call,
		     const struct gpu_addresses *p, int inputs, int outputs);
/* Sends TRY (`plan` -1), or CAPTURE with the file of a plan, for memory at these
 * addresses that the runner makes itself; the answer is a CAPTURED. */
void runner_json_capture(struct runner *r, const struct task *t,
			 const struct entry_call *call,
			 const struct gpu_addresses *p, int plan);
/* Sends RUN to the task's own code, which times its launches. */
void runner_json_time(struct runner *r, const struct task *t,
		      const struct gpu_run_request *run);
/* Sends LET_GO, and RUN with the memory of the launches. */
void runner_json_let_go(struct runner *r);
void runner_json_run(struct runner *r, const struct gpu_run_request *run,
		     int inputs, int outputs);
/* Sends GO. */
void runner_json_go(struct runner *r, const struct series *series,
		    uint32_t batch);
/* Reads an answer; false if it is none to the last request. The log of a FAILED
 * is added to r->said, the versions of a STARTED become r->versions. */
bool runner_json_read(union runner_reply *out, struct runner *r,
		      const char *packet, size_t len);

#endif
