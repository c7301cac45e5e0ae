#include "scorer/host/launch.h"

#include <sys/stat.h>

/* The judge writes through its own mapping, so the file must be as long as it
 * was: an arm may make its own shorter. The arm is stopped. */
static struct error *look_at_size(struct score_outcome *o,
				  const struct buffers *b)
{
	size_t bytes = b->call.batch * entry_call_inputs_bytes(&b->call);
	struct stat st;

	if (fstat(b->inputs, &st) < 0)
		return error_errno("cannot look at the inputs");
	if ((size_t)st.st_size != bytes)
		score_outcome_set(o, VERDICT_FORBIDDEN,
				  "it made the file of its inputs shorter");
	return NULL;
}

struct error *launch_timed(double *seconds, struct score_outcome *o,
			   struct arm *arm, struct judge *judge,
			   const struct input_set *s, struct buffers *b)
{
	TRY(buffers_map(b));
	TRY(judge_take(judge, s, b));
	TRY(arm_make_ready(o, arm, b));
	if (o->verdict == VERDICT_PASS)
		TRY(look_at_size(o, b));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(judge_poison(judge, s, b));
	TRY(judge_hand_out(judge, s));
	return arm_launch(seconds, o, arm, b);
}

struct error *launch_again(double *seconds, struct score_outcome *o,
			   struct arm *arm, struct judge *judge,
			   const struct input_set *s, uint64_t poison,
			   struct buffers *b)
{
	b->poison = poison;
	TRY(look_at_size(o, b));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(judge_poison(judge, s, b));
	TRY(judge_hand_out(judge, s));
	arm_stay_ready(arm);
	return arm_launch(seconds, o, arm, b);
}
