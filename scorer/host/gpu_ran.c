/* A batch by several clocks: do they agree? */
#include <math.h>

#include "scorer/host/gpu_process.h"

/* What a launch may cost our clock besides what its events say. */
#define SLACK_SECONDS	0.02
#define SLACK_A_LAUNCH	100e-6
#define SLACK_OF_EVENTS 1.5
/* What launches that were queued before the clock began may cost it. */
#define GATED_SECONDS	200e-6
#define GATED_LATENCIES 2
#define GATED_A_LAUNCH	5e-6
#define GATED_OF_EVENTS 1.05
/* A launcher that stood in line so long may not have seen the end at once. */
#define WAITED_SECONDS 500e-6
/* Host and card have a quartz each, and the host's is set by others. */
#define CLOCKS_DIFFER 1.002

/* A launcher's clock saw more. One that has others to serve sees the end of a
 * batch late. */
static bool is_long(const struct gpu_ran *ran)
{
	return ran->span - ran->waited >
	       GATED_OF_EVENTS * ran->events + GATED_A_LAUNCH * ran->n +
		       GATED_LATENCIES * ran->latency + GATED_SECONDS;
}

static bool is_late(const struct gpu_ran *ran)
{
	return is_long(ran) || ran->wall > SLACK_OF_EVENTS * ran->events +
						   SLACK_A_LAUNCH * ran->n +
						   SLACK_SECONDS;
}

void gpu_tell_disagreement(struct score_outcome *o, const struct gpu_ran *ran)
{
	bool by_span = ran->span > 0 &&
		       (ran->events > ran->span || is_long(ran));

	score_outcome_set(o, VERDICT_FORBIDDEN,
			  "its events say %.3g s and the scorer's clock %.3g s",
			  ran->events, by_span ? ran->span : ran->wall);
}

/* No host that is held up makes events say more than there was. */
static bool is_possible(const struct gpu_ran *ran, bool launcher)
{
	if (!(ran->events > 0) || ran->events > CLOCKS_DIFFER * ran->wall)
		return false;
	return !launcher || (ran->span > 0 && ran->span <= ran->wall &&
			     ran->events <= CLOCKS_DIFFER * ran->span);
}

void gpu_ran_take(struct score_outcome *o, struct gpu_ran *ran,
		  const struct gpu_ran_reply *reply, uint32_t n, bool launcher)
{
	/* The host may have taken any time before it let it go. */
	bool hidden = !launcher && reply->span > 0;

	for (size_t i = 0; i < n; i++)
		ran->events += 1e-3 * (double)reply->milliseconds[i];
	ran->n = n;
	ran->first = n > 1 ? 1e-3 * (double)reply->milliseconds[0] : 0;
	ran->seconds = ran->events / n;
	ran->span = launcher ? reply->span : 0;
	ran->latency = reply->latency;
	ran->stuck = reply->stuck;
	ran->gate_steps = reply->gate_steps;
	ran->left_out = NAN;
	if (ran->span > 0 && !ran->stuck && ran->waited < WAITED_SECONDS)
		ran->left_out = (ran->span - ran->latency - ran->events) / n;
	ran->late = !hidden && is_late(ran);
	if (!is_possible(ran, launcher))
		gpu_tell_disagreement(o, ran);
}
