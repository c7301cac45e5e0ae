/*
 * The runners on the GPU, seen from outside: a judge that owns the memory, a
 * capturer with a candidate's host code, launchers that replay a plan, and
 * residents that hold host code and memory. This process opens no driver; it
 * passes descriptors of memory on.
 *
 * What goes wrong with the judge is an error (of the task or the machine).
 * What goes wrong with a candidate is an outcome, *o; an error then means that
 * the user stopped or the machine failed. A function that returns NULL and
 * leaves *o at VERDICT_PASS has succeeded, unless it also reports a readiness.
 *
 * Descriptors that are passed in are borrowed. `slot` says whose outputs are
 * meant, of the slots of the buffers; `poison` is a seed. Times are seconds,
 * sizes bytes.
 */
#ifndef SCORER_HOST_GPU_PROCESS_H
#define SCORER_HOST_GPU_PROCESS_H

#include "scorer/host/arm.h"
#include "scorer/host/judge.h"

/* ---- buffers ------------------------------------------------------------- */

/* Descriptors of the buffers of one case, from the judge; owned.
 * gpu_buffers_init first; gpu_buffers_release closes them. */
struct gpu_buffers {
	struct gpu_addresses addresses;
	uint32_t slots;
	/* Class isolated: each slot has inputs and outputs of its own, which
	 * exist after gpu_judge_release. */
	bool apart;
	int inputs[GPU_SLOTS]; /* -1: none; where not apart only [0] */
	int outputs[GPU_SLOTS];
};
void gpu_buffers_init(struct gpu_buffers *r);
void gpu_buffers_release(struct gpu_buffers *r);
DEFINE_RELEASE(gpu_buffers, struct gpu_buffers, gpu_buffers_release)

/* ---- the judge: its failures are errors of the task or the machine ------- */

/* Runs two kernels of the judge whose result is known, and returns an error if
 * it is wrong. Does so once after the judge's start, and again after a runner
 * failed on the GPU (j->tested is false then), since a card that hung or
 * faulted may still be damaged. */
struct error *gpu_judge_self_test(struct judge *j) MUST_CHECK;
/* Allocates buffers for a batch of this call, with this number of slots, in
 * place of those in *buffers. Sets the sizes in buffers->addresses, and leaves
 * where they are mapped. `apart`: other processes get copies (class isolated),
 * and there are no descriptors before gpu_judge_release. */
struct error *gpu_judge_allocate(struct gpu_buffers *buffers, struct judge *j,
				 const struct entry_call *c, uint32_t slots,
				 bool apart) MUST_CHECK;
/* Fills the inputs of every image. */
struct error *gpu_judge_fill(struct judge *j,
			     const struct recipe *recipe) MUST_CHECK;
/* Fills the outputs of a slot with poison and their initial contents, for the
 * next launches. */
struct error *gpu_judge_poison(struct judge *j, uint32_t slot,
			       uint64_t poison) MUST_CHECK;
/* Computes the reference of the rows in *what, for gpu_judge_compare. */
struct error *gpu_judge_reference(struct judge *j, const struct input_set *s,
				  const struct selection *what) MUST_CHECK;
/* Checks guards and poison of every image, and the values of image `index`.
 * Image `idle` (GPU_NO_IMAGE: none) was not launched and must be untouched. */
struct error *gpu_judge_compare(struct judge_answer *out, struct judge *j,
				uint32_t slot, uint32_t index, uint32_t idle,
				uint64_t poison) MUST_CHECK;

/* Finds where the outputs of two slots on the same inputs differ most, in all
 * images but `idle`, `tile_rows` rows at a time; see GPU_UNLIKE. */
struct error *gpu_judge_unlike(struct likeness_reply *out, struct judge *j,
			       uint32_t one, uint32_t other, uint32_t idle,
			       int64_t tile_rows) MUST_CHECK;
/* Counts elements of image 0 that differ between the outputs of two slots. */
struct error *gpu_judge_same(int64_t *differ, struct judge *j, uint32_t one,
			     uint32_t other) MUST_CHECK;

/* If *o says that a candidate found too little memory on the card (its process
 * must have ended): an error if the free memory is too little for the scorer's
 * own buffers of these sizes too. NULL otherwise. */
struct error *gpu_judge_check_memory(const struct score_outcome *o,
				     struct judge *j,
				     const struct gpu_addresses *p) MUST_CHECK;

/* Class isolated: allocates memory of a slot that no process has mapped,
 * copies the current inputs into it and fills the outputs with this poison and
 * their initial contents. Puts its descriptors into *buffers, in place of those
 * of the slot before. A process that gets them sees all of it at once. */
struct error *gpu_judge_release(struct gpu_buffers *buffers, struct judge *j,
				uint32_t slot, uint64_t poison) MUST_CHECK;
/* Class isolated: takes a copy of the outputs of a slot as they are now. This
 * copy is what is checked from here on. */
struct error *gpu_judge_keep(struct judge *j, uint32_t slot) MUST_CHECK;
/* Bytes that are free on the card. */
struct error *gpu_judge_free_bytes(uint64_t *out, struct judge *j) MUST_CHECK;
/* How long a small kernel of the judge's own takes, by the host's clock: tens of
 * microseconds, or milliseconds where another process's kernels are at work. */
struct error *gpu_judge_quiet(double *seconds, struct judge *j) MUST_CHECK;

/* ---- a candidate: what goes wrong is an outcome -------------------------- */

/* Turns the end of a wait (runner_wait) into an outcome: none if the runner
 * answered, an error if the user stopped. Ends a runner that has exited, and
 * puts what it printed into o->log. `doing`: "in its first call", for the
 * sentence. */
struct error *gpu_tell(struct score_outcome *o, struct runner *r,
		       const struct task *task, enum runner_state state,
		       const union runner_reply *reply,
		       const char *doing) MUST_CHECK;

/* ---- starting, capturing, arming ----------------------------------------- */

/* Whether a candidate can be launched as it was asked to be. */
struct readiness {
	enum gpu_state state;
	char why[PROTOCOL_TEXT]; /* GPU_UNREPLAYABLE */
};

/* Starts a resident: host code in a process of its own. It opens the GPU after
 * it has loaded the code. Does not wait, so that several can be started at
 * once; gpu_host_started waits. runner_free disposes. */
struct error *gpu_host_start(struct runner **out, const struct task *task,
			     struct entry_points points,
			     const struct runner_spec *spec) MUST_CHECK;
/* Makes a spare (launchers.h), which has the GPU open, a capturer of this
 * object. It gets a copy of the object in a file of its own. Does not wait. */
struct error *gpu_capturer_begin(struct runner *spare,
				 struct entry_points points,
				 int object_fd) MUST_CHECK;
/* Waits until the host code is loaded; does nothing once that is known. */
struct error *gpu_host_started(struct score_outcome *o, struct runner *host,
			       const struct task *task) MUST_CHECK;
/* Captures a candidate's launches for one case, after a real first call. If *o
 * passes and *how is GPU_READY, *plan is a memfd, in place of the one there
 * (-1: none); the caller closes it. In two steps: `ask` does not wait, and
 * `take` needs the same call and addresses. */
void gpu_capture_ask(struct runner *capturer, const struct task *task,
		     const struct entry_call *c,
		     const struct gpu_addresses *addresses);
struct error *gpu_capture_take(
	struct score_outcome *o, struct readiness *how, int *plan,
	struct runner *capturer, const struct task *task,
	const struct entry_call *c,
	const struct gpu_addresses *addresses) MUST_CHECK;
struct error *gpu_capture(struct score_outcome *o, struct readiness *how,
			  int *plan, struct runner *capturer,
			  const struct task *task, const struct entry_call *c,
			  const struct gpu_addresses *addresses) MUST_CHECK;
/* Gives a spare launcher (launchers.h) the device code of a candidate
 * (gpu_cubins), once. Does not wait; a failure is reported when it is armed. */
void gpu_launcher_load(struct runner *launcher, int cubins);
/* Arms a launcher: it maps the buffers and loads the plan. `only_slot`: nothing
 * but the slot has changed since it was last armed. Does not wait, so that
 * several can be armed at once; gpu_launcher_armed waits. */
void gpu_launcher_arm(struct runner *launcher, const struct task *task,
		      const struct gpu_buffers *buffers, uint32_t slot,
		      int plan, bool only_slot);
struct error *gpu_launcher_armed(struct score_outcome *o, struct readiness *how,
				 struct runner *launcher,
				 const struct task *task) MUST_CHECK;
/* Asks a launcher to release all memory. Does not wait. */
void gpu_launcher_rest(struct runner *launcher);
/* Waits for that, two seconds at most; returns whether its GPU still
 * answers. */
bool gpu_launcher_rests(struct runner *launcher);
/* The error for a GPU that a process without any candidate's code could not
 * use. */
struct error *gpu_refused(const char *why) MUST_CHECK;
/* Arms a resident: it maps the buffers and calls the entry once; waits for
 * that. `gate_steps`: see gpu_resident_request. */
struct error *gpu_resident_arm(struct score_outcome *o, struct readiness *how,
			       struct runner *resident, const struct task *task,
			       const struct entry_call *c,
			       const struct gpu_buffers *buffers, uint32_t slot,
			       uint32_t gate_steps) MUST_CHECK;

/* Calls `prepare` for every image in a process that is armed, and waits for it.
 * Only for a task that has a prepare, after the judge has filled the static
 * inputs (gpu_fill_preview). */
struct error *gpu_prepare(struct score_outcome *o, struct runner *r,
			  const struct task *task, uint32_t images) MUST_CHECK;

/* ---- launches: gpu_run.c ------------------------------------------------- */

/* Figures of a batch: every image once, without the idle one. */
struct gpu_ran {
	uint32_t n;	/* launches */
	double seconds; /* of a launch: the mean */
	double first;	/* of the first launch; 0: there is only one */
	double events;	/* seconds of the batch, by the runner's events */
	double wall;	/* seconds of all of it, by our own clock */
	double span; /* seconds of launches, by a launcher's clock; 0: none */
	double latency; /* part of `span` without any launch */
	double waited;	/* seconds that the launcher waited for a CPU */
	/* Seconds of a launch in span, less latency, that events do not
	 * contain; NAN: not known, or not exactly. */
	double left_out;
	bool stuck;	     /* began before all was queued: not valid */
	uint32_t gate_steps; /* of gpu_ran_reply */
	/* The clock counted much more than the events: the host was held up,
	 * or a kernel works outside of its events. Not valid; the caller
	 * repeats the batch with other inputs and outputs. */
	bool late;
};

/* Launches the images in random order, without image `idle` (GPU_NO_IMAGE:
 * none), in a launcher, or in a resident with the task's own code. The mean is
 * from the events, which must agree with our clock. */
struct error *gpu_run_timed(struct score_outcome *o, struct gpu_ran *out,
			    struct runner *r, const struct task *task,
			    uint32_t images, uint32_t idle,
			    struct layout_random *layout) MUST_CHECK;
/* Puts an answer about n launches into *ran, whose `wall` and `waited` the
 * caller has set. *o fails if events claim more time than has passed.
 * `launcher`: it has to report a span. The span of a resident is not used: its
 * events are trusted, and a gate may hide what its host takes. */
void gpu_ran_take(struct score_outcome *o, struct gpu_ran *ran,
		  const struct gpu_ran_reply *reply, uint32_t n, bool launcher);
/* Sets the verdict on a batch that was late in each try. */
void gpu_tell_disagreement(struct score_outcome *o, const struct gpu_ran *ran);
/* Class isolated: launches in a resident that is not trusted, with memory that
 * it has not seen before. *seconds of a launch are by our clock, from before
 * the memory is handed over until the judge has the outputs of `slot`.
 * `poison`: of these outputs. `empty`: the entry is not called, to measure what
 * all the rest costs. */
struct error *gpu_run_isolated(struct score_outcome *o, double *seconds,
			       struct runner *resident, struct judge *j,
			       struct gpu_buffers *buffers, uint32_t slot,
			       uint64_t poison, uint32_t images, bool empty,
			       struct layout_random *layout) MUST_CHECK;

#endif
