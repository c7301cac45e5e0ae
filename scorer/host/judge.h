/*
 * The judge as the scorer uses it: a sandboxed runner that holds the task's
 * reference. Only its results are trusted. When it crashes or hangs the task is
 * at fault: an error, never a verdict.
 */
#ifndef SCORER_HOST_JUDGE_H
#define SCORER_HOST_JUDGE_H

#include "scorer/host/buffers.h"
#include "scorer/host/reference_runners.h"
#include "scorer/host/runner_process.h"

/* The part of a set that is compared with the reference. */
struct selection {
	uint32_t index; /* the image of the batch */
	bool again;	/* is the reference to be asked again, to see whether
			      * it answers the same? */
	uint32_t n_segments; /* 0: everything */
	struct segment segment[PROTOCOL_SEGMENTS];
};

struct judge {
	struct runner *runner;
	/* Where the reference is not in the judge's process; else NULL. */
	struct reference_runners *reference;
	const struct task *task;
	struct runner_spec spec; /* as it was started */
	double seconds;		 /* of work, without starting and memory */
	/* Gets a sentence where the reference takes long; may be NULL. */
	void (*say)(const char *sentence);
	const char *case_name; /* of the request at work; NULL: not known */
	uint32_t asked;	       /* the kind of the last request */
	bool tested; /* on the GPU: it passed its self-test, and no runner
			 * failed there since */
	struct selection last; /* of the last judge_reference */
	/* What the last judge_reference said of integer outputs: see
	 * judge_answer. */
	bool uniform[TASK_MAX_ARGS];
	uint64_t value[TASK_MAX_ARGS];
};

/* Starts it with the reference in spec->build: an object that it loads, or files
 * of a runner. What *spec points to must outlive it. */
struct error *judge_start(struct judge **out, const struct task *task,
			  const struct runner_spec *spec) MUST_CHECK;
/* Sends one request and waits for the reply of this kind; `request` begins with
 * its head. Descriptors may be -1. */
struct error *judge_request(union runner_reply *reply, struct judge *j,
			    void *request, size_t bytes, int fd0, int fd1,
			    uint32_t kind) MUST_CHECK;
/* The same if the reply is an answer, whose form is checked. */
struct error *judge_ask(struct judge *j, struct judge_answer *out,
			void *request, size_t bytes, int fd0,
			int fd1) MUST_CHECK;
/* Opens, fills and seals the inputs. */
struct error *judge_fill(struct judge *j, struct input_set *s) MUST_CHECK;
/* Poisons the outputs and sets the initial contents of inout arguments. */
struct error *judge_poison(struct judge *j, const struct input_set *s,
			   const struct buffers *b) MUST_CHECK;
/* Gives b a file of its own for the inputs, which are not yet there, for the one
 * arm that will launch with it. Nothing but the judge can write to it. */
struct error *judge_take(struct judge *j, const struct input_set *s,
			 struct buffers *b) MUST_CHECK;
/* Copies the inputs to the file of the last judge_take, which must be b's: just
 * before the launch, so that they are equally warm for all arms. */
struct error *judge_hand_out(struct judge *j,
			     const struct input_set *s) MUST_CHECK;

/* Where the reference is in other processes: gives them and the judge memory for
 * a launch of this set; else does nothing. Before what calls the reference. */
struct error *judge_share_memory(struct judge *j,
				 const struct input_set *s) MUST_CHECK;
/* ERROR_TASK for the finding that plain version and reference disagree. */
struct error *judge_plain_is_off(const struct task *t,
				 const struct judge_answer *a,
				 const char *case_name) MUST_CHECK;
/* ERROR_TASK where a reference answered that nothing can be judged by it. */
struct error *judge_reference_fault(const struct judge *j,
				    const struct judge_answer *a,
				    const struct input_set *s) MUST_CHECK;
/* Computes the reference; later compares use it. */
struct error *judge_reference(struct judge *j, const struct input_set *s,
			      const struct selection *what) MUST_CHECK;
/* Has what the last judge_reference was of, of this set, computed once more, in a process
 * that has called the reference for nothing else. ERROR_TASK where that answers otherwise,
 * by more than may pass of a kernel: then it keeps something from call to call. On the
 * CPU. Takes as long as a judge takes to start, and the reference. */
struct error *judge_hold_alone(struct judge *j,
			       const struct input_set *s) MUST_CHECK;
/* Compares the copy in b with it; `values` false: only guards and poison. */
struct error *judge_compare(struct judge_answer *out, struct judge *j,
			    const struct input_set *s, const struct buffers *b,
			    uint32_t index, bool values) MUST_CHECK;
/* Compares only the values, of a copy whose guards were checked earlier. */
struct error *judge_compare_kept(struct judge_answer *out, struct judge *j,
				 const struct input_set *s, int capture,
				 uint32_t index) MUST_CHECK;
/* Is the copy, of image 0, wrong by it? No candidate is called wrong for that: whether
 * the reference is at fault is not asked. */
struct error *judge_is_unlike(bool *out, struct judge *j,
			      const struct input_set *s,
			      int capture) MUST_CHECK;
/* Finds where two copies of outputs on the same inputs differ most, `tile_rows`
 * rows at a time. */
struct error *judge_unlike(struct likeness_reply *out, struct judge *j,
			   const struct input_set *s, int one, int other,
			   uint32_t index, int64_t tile_rows) MUST_CHECK;
/* What a task is asked for in a case. */
struct lint_scope {
	bool varied;		     /* that outputs vary is known */
	bool settled[TASK_MAX_ARGS]; /* inputs of which nothing is asked */
	uint32_t draws; /* for an input, at most; 0: what a second allows */
};
/* Can the task's checks find wrong outputs in this case? An input without influence is
 * the first one that had none in out->draws sets. */
struct error *judge_lint(struct judge_answer *out, struct judge *j,
			 const struct input_set *s,
			 const struct selection *what,
			 const struct lint_scope *scope) MUST_CHECK;
void judge_free(struct judge *j);

DEFINE_CLEANUP(judge, struct judge, judge_free)
#define cleanup_judge CLEANUP(judge)

#endif
