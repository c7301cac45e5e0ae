/*
 * The runners on the GPU, seen from outside: a judge that owns the memory, a
 * capturer with a candidate's host code, launchers that replay a plan, and
 * residents that hold host code and memory. This process opens no driver; it
 * passes descriptors of memory on.
 *
 * What goes wrong with the judge is an error (of the task or the machine).
 * What goes wrong with a candidate is an outcome, *o; an error then means that
 * the user stopped or the machine failed.
 */
#ifndef SCORER_HOST_GPU_PROCESS_H
#define SCORER_HOST_GPU_PROCESS_H

#include "scorer/host/arm.h"
#include "scorer/host/judge.h"

/* Descriptors of the buffers of one case, from the judge. gpu_buffers_init
 * first; gpu_buffers_release closes them. */
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

/* Runs two kernels of the judge whose result is known: once after its start,
 * and again after a runner failed on the GPU, since a card that hung or
 * faulted may still be damaged. */
struct error *gpu_judge_self_test(struct judge *j) MUST_CHECK;
/* Allocates buffers for this call and slots; buffers->addresses stay as they
 * are. `apart`: other processes get copies (class isolated). */
struct error *gpu_judge_allocate(struct gpu_buffers *buffers, struct judge *j,
				 const struct entry_call *c, uint32_t slots,
				 bool apart) MUST_CHECK;
struct error *gpu_judge_fill(struct judge *j,
			     const struct recipe *recipe) MUST_CHECK;
struct error *gpu_judge_poison(struct judge *j, uint32_t slot,
			       uint64_t poison) MUST_CHECK;
struct error *gpu_judge_reference(struct judge *j, const struct input_set *s,
				  const struct selection *what) MUST_CHECK;
/* Checks guards and poison of every image, and the values of image `index`.
 * Image `idle` (GPU_NO_IMAGE: none) was not launched and must be untouched. */
struct error *gpu_judge_compare(struct judge_answer *out, struct judge *j,
				uint32_t slot, uint32_t index, uint32_t idle,
				uint64_t poison) MUST_CHECK;

/* Finds where the outputs of two slots on the same inputs differ most, in all
 * images but `idle`; see MESSAGE_UNLIKE. */
struct error *gpu_judge_unlike(struct likeness_reply *out, struct judge *j,
			       uint32_t one, uint32_t other, uint32_t idle,
			       int64_t tile_rows) MUST_CHECK;
/* Counts elements of image 0 that differ between the outputs of two slots. */
struct error *gpu_judge_same(int64_t *differ, struct judge *j, uint32_t one,
			     uint32_t other) MUST_CHECK;

/* After a candidate said that it found too little memory on the card, and its
 * process ended: an error if the free memory is too little for the scorer's
 * own buffers at these addresses too, NULL otherwise. */
struct error *gpu_judge_check_memory(const struct score_outcome *o,
				     struct judge *j,
				     const struct gpu_addresses *p) MUST_CHECK;

/* Class isolated: allocates memory of a slot that no process has mapped,
 * copies the current inputs into it and fills the outputs with this poison and
 * their initial contents. A process that gets its descriptors sees all of it
 * at once. */
struct error *gpu_judge_release(struct gpu_buffers *buffers, struct judge *j,
				uint32_t slot, uint64_t poison) MUST_CHECK;
/* Takes the outputs of a slot as they are now: this copy is checked from here
 * on. */
struct error *gpu_judge_keep(struct judge *j, uint32_t slot) MUST_CHECK;

/* ---- a candidate: what goes wrong is an outcome -------------------------- */

/* Turns the end of a wait into an outcome: none if the runner answered, an
 * error if the user stopped. `doing`: "in its first call", for the
 * sentence. */
struct error *gpu_tell(struct score_outcome *o, struct runner *r,
		       const struct task *task, enum runner_state state,
		       const union runner_reply *reply,
		       const char *doing) MUST_CHECK;

/* Whether a candidate can be launched as it was asked to be. */
struct readiness {
	enum gpu_state state;
	char why[PROTOCOL_TEXT]; /* GPU_UNREPLAYABLE */
};

/* Starts a resident: host code in a process of its own. It opens the GPU after
 * it has loaded the code; several can be started before the first is waited
 * for. */
struct error *gpu_host_start(struct runner **out, struct entry_points points,
			     const struct runner_spec *spec) MUST_CHECK;
/* Makes a spare (launchers.h), which has the GPU open, a capturer of this
 * object. */
struct error *gpu_capturer_begin(struct runner *spare,
				 struct entry_points points,
				 int object_fd) MUST_CHECK;
/* Waits until the host code is loaded; does nothing once that is known. */
struct error *gpu_host_started(struct score_outcome *o, struct runner *host,
			       const struct task *task) MUST_CHECK;
/* Captures a candidate's launches for one case; *plan is a memfd if *how is
 * GPU_READY. In two steps `ask` does not wait, and `take` needs the same call
 * and addresses. */
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
 * (gpu_cubins), once. A failure is reported when it is armed. */
void gpu_launcher_load(struct runner *launcher, int cubins);
/* Arms a launcher: it maps the buffers and loads the plan. `slot`: whose
 * outputs it writes. `only_slot`: nothing but the slot has changed since it
 * was last armed. Does not wait, so that several can be armed at once;
 * gpu_launcher_armed waits. */
void gpu_launcher_arm(struct runner *launcher, const struct task *task,
		      const struct gpu_buffers *buffers, uint32_t slot,
		      int plan, bool only_slot);
struct error *gpu_launcher_armed(struct score_outcome *o, struct readiness *how,
				 struct runner *launcher,
				 const struct task *task) MUST_CHECK;
/* Asks a launcher to release all memory; then waits for it and returns whether
 * its GPU still answers. */
void gpu_launcher_rest(struct runner *launcher);
bool gpu_launcher_rests(struct runner *launcher);
/* The error for a GPU that a process without any candidate's code could not
 * use. */
struct error *gpu_refused(const char *why) MUST_CHECK;
/* Arms a resident: it maps the buffers and calls the entry once. `gate_steps`:
 * see gpu_resident_request. */
struct error *gpu_resident_arm(struct score_outcome *o, struct readiness *how,
			       struct runner *resident, const struct task *task,
			       const struct entry_call *c,
			       const struct gpu_buffers *buffers, uint32_t slot,
			       uint32_t gate_steps) MUST_CHECK;

/* Calls `prepare`, after the judge has filled the static inputs
 * (gpu_fill_preview), in a process that is armed, of a task that has a
 * prepare. */
struct error *gpu_prepare(struct score_outcome *o, struct runner *r,
			  const struct task *task, uint32_t images) MUST_CHECK;

/* ---- launches: gpu_run.c ------------------------------------------------- */

/* Figures of a batch: every image once, without the idle one. */
struct gpu_ran {
	uint32_t n;	/* launches */
	double seconds; /* the mean of a launch */
	double first;	/* of the first of several; 0: there is one alone */
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
	/* The clock saw much more than the events: the host was held up, or a
	 * kernel works outside of its events. Not valid; it is repeated with
	 * other inputs and outputs. */
	bool late;
};

/* Launches the images in random order, without image `idle` (GPU_NO_IMAGE:
 * none), in a launcher, or in a resident with the task's own code. The mean is
 * from the events, which must agree with our clock. */
struct error *gpu_run_timed(struct score_outcome *o, struct gpu_ran *out,
			    struct runner *r, const struct task *task,
			    uint32_t images, uint32_t idle,
			    struct layout_random *layout) MUST_CHECK;
/* Puts an answer about n launches into *ran, whose wall and waited are known.
 * A verdict if events claim more time than has passed. `launcher`: it has
 * to report a span. The span of a resident is not used: its events are
 * trusted, and a gate may hide what its host takes. */
void gpu_ran_take(struct score_outcome *o, struct gpu_ran *ran,
		  const struct gpu_ran_reply *reply, uint32_t n, bool launcher);
/* The verdict on a batch that is late each time. */
void gpu_tell_disagreement(struct score_outcome *o, const struct gpu_ran *ran);
/* Launches in a resident that is not trusted, with memory that it has not seen
 * before. *seconds of a launch are by our clock, from before the memory is
 * handed over until the judge has the outputs of `slot`. `poison`: of these
 * outputs. `empty`: the entry is not called. */
struct error *gpu_run_isolated(struct score_outcome *o, double *seconds,
			       struct runner *resident, struct judge *j,
			       struct gpu_buffers *buffers, uint32_t slot,
			       uint64_t poison, uint32_t images, bool empty,
			       struct layout_random *layout) MUST_CHECK;

#endif
