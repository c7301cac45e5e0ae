#include "cmd/launch/elsewhere.h"

#include "cmd/launch/far.h"
#include "cmd/ui/stop.h"

static struct error *open_far(struct evaluator **out, struct evolving *e,
			      const struct evolve_options *o)
{
	const struct far_options far = {
		.launch = o->launch,
		.run = e->evolve.run,
		.base = e->evolve.base.hex,
		.patience = o->choice.patience,
		.asked = stop_watch(),
		.stop_now = stop_at_once(),
	};

	return far_open(out, &e->session, &far);
}

const struct far_opener elsewhere_by_launch = {open_far, far_free};
