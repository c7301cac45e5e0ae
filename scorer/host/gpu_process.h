/*
 * The runners on the GPU, seen from outside: a judge that owns the memory, a
 * capturer with a candidate's host code, launchers that replay a plan, and
 * residents that hold host code and memory. This process opens no driver:
 * descriptors of memory pass through it.
 */
#ifndef SCORER_HOST_GPU_PROCESS_H
#define SCORER_HOST_GPU_PROCESS_H

#include "scorer/host/arm.h"
#include "scorer/host/judge.h"

/* Memory of one case, as the judge gave it. */
struct gpu_buffers {
	struct gpu_addresses addresses;
	uint32_t slots;
	/* Class isolated: inputs and outputs are a slot's own, and there are
	 * none before gpu_judge_release. */
	bool apart;
	int inputs[GPU_SLOTS]; /* -1: there is none; not apart: the first */
	int outputs[GPU_SLOTS];
};
void gpu_buffers_init(struct gpu_buffers *r);
void gpu_buffers_release(struct gpu_buffers *r);
DEFINE_RELEASE(gpu_buffers, struct gpu_buffers, gpu_buffers_release)

/* ---- the judge: its failures are errors of the task or the machine ------- */

/* Runs two of its kernels whose answer is known. Once after its start, and
 * again where a runner came to harm on the GPU since: a card that hung or
 * faulted need not have recovered. */
struct error *gpu_judge_self_test(struct judge *j) MUST_CHECK;
/* buffers->addresses stay as they are. `apart`: what the buffers show
 * are copies (class isolated). */
struct error *gpu_judge_allocate(struct gpu_buffers *buffers, struct judge *j,
				 const struct entry_call *c, uint32_t slots,
				 bool apart) MUST_CHECK;
struct error *gpu_judge_fill(struct judge *j,
			     const struct recipe *recipe) MUST_CHECK;
struct error *gpu_judge_poison(struct judge *j, uint32_t slot,
			       uint64_t poison) MUST_CHECK;
struct error *gpu_judge_reference(struct judge *j, const struct input_set *s,
				  const struct selection *what) MUST_CHECK;
/* Guards and poison of every image, values of image `index`. Image `idle`, or
 * GPU_NO_IMAGE, was not launched, and must be as it was. */
struct error *gpu_judge_compare(struct judge_answer *out, struct judge *j,
				uint32_t slot, uint32_t index, uint32_t idle,
				uint64_t poison) MUST_CHECK;

/* How many elements of image 0 differ between two arms' outputs. */
/* Where the outputs of two slots on the same inputs differ most, in any image
 * but the idle one; see MESSAGE_UNLIKE. */
struct error *gpu_judge_unlike(struct likeness_reply *out, struct judge *j,
			       uint32_t one, uint32_t other, uint32_t idle,
			       int64_t tile_rows) MUST_CHECK;
struct error *gpu_judge_same(int64_t *differ, struct judge *j, uint32_t one,
			     uint32_t other) MUST_CHECK;

/* A candidate, whose process has been ended by now, is said to have found too
 * little memory on the card: an error where what is free would not do for the
 * scorer's own part of such a process either, its buffers at these addresses. */
struct error *gpu_judge_check_memory(const struct score_outcome *o,
				     struct judge *j,
				     const struct gpu_addresses *p) MUST_CHECK;

/* Class isolated: memory of a slot that no process ever had, with the inputs as
 * they are now, outputs that hold this poison, and what they begin with. Whoever
 * gets its descriptors sees all of it at once. */
struct error *gpu_judge_release(struct gpu_buffers *buffers, struct judge *j,
				uint32_t slot, uint64_t poison) MUST_CHECK;
/* What lies in the outputs that a slot was given is what is looked at. */
struct error *gpu_judge_keep(struct judge *j, uint32_t slot) MUST_CHECK;

/* ---- a candidate: what goes wrong is an outcome -------------------------- */

/* What became of waiting for it: nothing where it answered, an error where
 * somebody said stop, else an outcome. `doing`: "in its first call". */
struct error *gpu_tell(struct score_outcome *o, struct runner *r,
		       const struct task *task, enum runner_state state,
		       const union runner_reply *reply,
		       const char *doing) MUST_CHECK;

/* Whether a candidate can be launched as it was asked to be. */
struct readiness {
	enum gpu_state state;
	char why[PROTOCOL_TEXT]; /* GPU_UNREPLAYABLE */
};

/* Host code in a process of its own, a resident. Opens the GPU when it has
 * loaded it: several started before the first is waited for do so at once. */
struct error *gpu_host_start(struct runner **out, struct entry_points points,
			     const struct runner_spec *spec) MUST_CHECK;
/* The same in a spare one (launchers.h), which has the GPU open: it becomes
 * a capturer. */
struct error *gpu_capturer_begin(struct runner *spare,
				 struct entry_points points,
				 int object_fd) MUST_CHECK;
/* Waits until it has loaded that; once that is so it is known. */
struct error *gpu_host_started(struct score_outcome *o, struct runner *host,
			       const struct task *task) MUST_CHECK;
/* What a candidate launches for one case; *plan is a memfd of it where it is
 * ready. In two steps, with the same call and addresses: others may be at work
 * between asking and taking. */
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
/* A launcher is a spare (launchers.h) until it gets a candidate's device code
 * (gpu_cubins), once; what is wrong with that its arming says. */
void gpu_launcher_load(struct runner *launcher, int cubins);
/* Maps the buffers and takes the plan; `slot` says whose outputs. `turns`: only
 * the slot changed since it was last armed. Several may be asked before the
 * first is waited for. */
void gpu_launcher_arm(struct runner *launcher, const struct task *task,
		      const struct gpu_buffers *buffers, uint32_t slot,
		      int plan, bool turns);
struct error *gpu_launcher_armed(struct score_outcome *o, struct readiness *how,
				 struct runner *launcher,
				 const struct task *task) MUST_CHECK;
/* Lets go of all memory, says whether its GPU still answers. */
void gpu_launcher_rest(struct runner *launcher);
bool gpu_launcher_rests(struct runner *launcher);
/* A GPU that a process without any candidate's code could not use. */
struct error *gpu_refused(const char *why) MUST_CHECK;
/* Maps the buffers, calls the entry once. `gate_steps`: as in
 * gpu_resident_request. */
struct error *gpu_resident_arm(struct score_outcome *o, struct readiness *how,
			       struct runner *resident, const struct task *task,
			       const struct entry_call *c,
			       const struct gpu_buffers *buffers, uint32_t slot,
			       uint32_t gate_steps) MUST_CHECK;

/* Once the judge has filled what static inputs there are (gpu_fill_preview), in
 * every process that is armed, of a task that has a prepare. */
struct error *gpu_prepare(struct score_outcome *o, struct runner *r,
			  const struct task *task, uint32_t images) MUST_CHECK;

/* ---- launches: gpu_run.c -------------------------------------------------- */

/* A batch: every image once, but for one. */
struct gpu_ran {
	uint32_t n;	/* launches */
	double seconds; /* the mean of a launch */
	double first;	/* of the first of several; 0: there is one alone */
	double events;	/* seconds of the batch, by the runner's events */
	double wall;	/* and by our own clock round it all */
	double span;	/* and by a launcher's round the launches; 0: none */
	double latency; /* of which that is so much without any launch */
	double waited; /* that the launcher stood in line for a CPU meanwhile */
	/* Of a launch: by that, less latency, and not by events; NAN: not
	 * known, or not well. */
	double left_out;
	bool stuck; /* it began before all of it was there: worth nothing */
	uint32_t gate_steps; /* of gpu_ran_reply */
	/* The clock saw much more than the events. So it is where the host was
	 * held up, and where somebody works outside of his events: a batch
	 * that is late is worth nothing, and is to be repeated with other
	 * inputs and outputs. */
	bool late;
};

/* In random order by a launcher, or by a resident with the task's own code,
 * without image `idle` (GPU_NO_IMAGE: with all). The mean is the events', which
 * must agree with our clock. */
struct error *gpu_run_timed(struct score_outcome *o, struct gpu_ran *out,
			    struct runner *r, const struct task *task,
			    uint32_t images, uint32_t idle,
			    struct layout_random *layout) MUST_CHECK;
/* What the answer says of n launches, into *ran, whose wall and waited are known;
 * a verdict where events say more time than there was. `launcher`: one has to say
 * how long it took by its own clock. What a resident says of that is not used:
 * its events are believed, and what its host takes may be hidden by a gate. */
void gpu_ran_take(struct score_outcome *o, struct gpu_ran *ran,
		  const struct gpu_ran_reply *reply, uint32_t n, bool launcher);
/* It is late however often it is repeated. */
void gpu_tell_disagreement(struct score_outcome *o, const struct gpu_ran *ran);
/* The same by a resident that nobody trusts, with memory that it has not seen
 * before: *seconds is our own clock's, from before it is handed over until the
 * judge has the outputs of `slot`, over the number of images. `poison`: of these
 * outputs. `empty`: the entry is not called. */
struct error *gpu_run_isolated(struct score_outcome *o, double *seconds,
			       struct runner *resident, struct judge *j,
			       struct gpu_buffers *buffers, uint32_t slot,
			       uint64_t poison, uint32_t images, bool empty,
			       struct layout_random *layout) MUST_CHECK;

#endif
