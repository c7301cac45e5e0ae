#include "scorer/device/watch.h"

#include <math.h>

void gpu_watch_start(struct gpu_watch *w, struct nvml_watch *watch,
		     const char *uuid)
{
	*w = (struct gpu_watch){.watch = watch};
	if (!nvml_watch_lasts(watch))
		error_free(nvml_watch_begin(watch, uuid));
}

void gpu_watch_await(struct gpu_watch *w)
{
	nvml_watch_greet(w->watch);
}

void gpu_watch_ask(struct gpu_watch *w)
{
	nvml_watch_ask(w->watch);
}

void gpu_watch_take(struct gpu_watch *w)
{
	struct nvml_sample s;

	if (!nvml_watch_take(&s, w->watch))
		return;
	GROW(w->sample, w->n, w->cap);
	w->sample[w->n++] = s;
}

void gpu_watch_record(struct measurement *m, const struct gpu_watch *w)
{
	struct nvml_summary s;

	nvml_summarize(&s, w->sample, w->n);
	nvml_summary_record(m, &s);
	if (w->watch->card.driver[0])
		measurement_set(m, "driver", w->watch->card.driver);
}

double gpu_watch_bias(char **why, const struct gpu_watch *w)
{
	static const enum nvml_reason slowing[] = {
		NVML_REASON_HW_SLOWDOWN, NVML_REASON_THERMAL_SLOWDOWN,
		NVML_REASON_HW_THERMAL_SLOWDOWN, NVML_REASON_POWER_BRAKE};
	struct nvml_summary s;
	double share = 0;

	nvml_summarize(&s, w->sample, w->n);
	for (size_t i = 0; i < ARRAY_SIZE(slowing); i++)
		share = MAX(share, s.share[slowing[i]]);
	if (share <= 0 || s.sm_clock.min <= 0)
		return 0;
	*why = xasprintf("the card slowed itself down for %.0f %% of the time "
			 "(%.0f to %.0f MHz)",
			 100 * share, s.sm_clock.min, s.sm_clock.max);
	return log(s.sm_clock.max / s.sm_clock.min);
}

void gpu_watch_stop(struct gpu_watch *w)
{
	struct nvml_sample late;

	/* Of a half that ended early: it is of no use to the next comparison. */
	(void)nvml_watch_take(&late, w->watch);
	free(w->sample);
	*w = (struct gpu_watch){.watch = NULL};
}
