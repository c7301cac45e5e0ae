/* The runner's end of the control socket (protocol.h). */
#ifndef RUNNER_CHANNEL_H
#define RUNNER_CHANNEL_H

#include "scorer/wire/gpu_protocol.h"

#define CHANNEL_MAX_FDS 3

/* Any request as received; `kind` and `sequence` are in .head. */
union runner_request {
	struct message_head head;
	struct start_request start;
	struct prepare_request prepare;
	struct give_prepared_request give_prepared;
	struct ready_request ready;
	struct go_request go;
	struct fill_request fill;
	struct poison_request poison;
	struct copy_request copy;
	struct values_request values;
	struct called_request called;
	struct reference_request reference;
	struct hold_request hold;
	struct compare_request compare;
	struct unlike_request unlike;
	struct lint_request lint;
	struct gpu_allocate_request gpu_allocate;
	struct gpu_fill_request gpu_fill;
	struct gpu_poison_request gpu_poison;
	struct gpu_reference_request gpu_reference;
	struct gpu_compare_request gpu_compare;
	struct gpu_capture_request gpu_capture;
	struct gpu_arm_request gpu_arm;
	struct gpu_run_request gpu_run;
	struct gpu_resident_request gpu_arm_resident;
	struct gpu_pass_request gpu_pass;
	struct gpu_same_request gpu_same;
	struct gpu_unlike_request gpu_unlike;
	struct gpu_ceiling_request gpu_ceiling;
};

/* Waits for the next request; descriptors that did not come are -1, the caller
 * closes the others. False when the scorer is gone. */
bool channel_receive(union runner_request *r, int fd[CHANNEL_MAX_FDS]);
void channel_send(const void *message, size_t bytes);
/* With descriptors, which stay the caller's. */
void channel_send_with(const void *message, size_t bytes, const int *fd,
		       size_t n);
void channel_reply(const union runner_request *r, enum message_kind kind);
void channel_refuse(const union runner_request *r, const char *why);

#endif
