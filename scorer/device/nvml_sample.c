#include "scorer/device/nvml_sample.h"

#include "core/score/stats.h"

#define WORDS_LIMIT 512

const char *nvml_reason_name(enum nvml_reason r)
{
	static const char *const name[NVML_REASONS] = {
		"idle",
		"application-clocks",
		"power-cap",
		"hw-slowdown",
		"sync-boost",
		"thermal-slowdown",
		"hw-thermal-slowdown",
		"power-brake",
		"display-clocks",
		"other",
	};

	return name[r];
}

/* ---- the fold ---------------------------------------------------------- */

typedef double figure(const struct nvml_sample *s);

static double sm_clock(const struct nvml_sample *s)
{
	return s->sm_clock;
}

static double memory_clock(const struct nvml_sample *s)
{
	return s->memory_clock;
}

static double power(const struct nvml_sample *s)
{
	return s->power;
}

static double temperature(const struct nvml_sample *s)
{
	return s->temperature;
}

static struct nvml_range range_of(figure *f, const struct nvml_sample *sample,
				  size_t n)
{
	cleanup_free double *x = xcalloc(n + 1, sizeof *x);
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		if (f(&sample[i]) >= 0)
			x[known++] = f(&sample[i]);
	if (!known)
		return (struct nvml_range){NVML_UNKNOWN, NVML_UNKNOWN,
					   NVML_UNKNOWN};
	return (struct nvml_range){
		.min = stats_quantile(x, known, 0),
		.median = stats_median(x, known),
		.max = stats_quantile(x, known, 1),
	};
}

/* The counter only grows, so the smallest value is the first. */
static double energy_of(const struct nvml_sample *sample, size_t n)
{
	double first = HUGE_VAL, last = NVML_UNKNOWN;

	for (size_t i = 0; i < n; i++)
		if (sample[i].energy >= 0) {
			first = MIN(first, sample[i].energy);
			last = MAX(last, sample[i].energy);
		}
	return last < 0 ? NVML_UNKNOWN : last - first;
}

static void count_reasons(struct nvml_summary *out,
			  const struct nvml_sample *sample, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (sample[i].reasons < 0)
			continue;
		out->n_reasons++;
		for (int r = 0; r < NVML_REASONS; r++)
			out->share[r] += sample[i].reasons >> r & 1;
	}
	for (int r = 0; r < NVML_REASONS && out->n_reasons; r++)
		out->share[r] /= (double)out->n_reasons;
}

void nvml_summarize(struct nvml_summary *out, const struct nvml_sample *sample,
		    size_t n)
{
	*out = (struct nvml_summary){
		.n = n,
		.sm_clock = range_of(sm_clock, sample, n),
		.memory_clock = range_of(memory_clock, sample, n),
		.power = range_of(power, sample, n),
		.temperature = range_of(temperature, sample, n),
		.energy = energy_of(sample, n),
		.others = NVML_UNKNOWN,
	};
	for (size_t i = 0; i < n; i++)
		out->others = MAX(out->others, sample[i].others);
	count_reasons(out, sample, n);
}

/* ---- in words ---------------------------------------------------------- */

/* "power-cap:83%,thermal-slowdown:2%", "no"; an idle card is not throttled.
 * Adds nothing if no sample gave reasons. */
static void nvml_summary_throttled(struct buf *out,
				   const struct nvml_summary *s)
{
	size_t before = out->len;

	if (!s->n_reasons)
		return;
	for (int r = NVML_REASON_IDLE + 1; r < NVML_REASONS; r++) {
		double percent = 100 * s->share[r];

		/* "0%" would be read as never. */
		if (percent > 0)
			buf_addf(out, "%s%s:%.0f%%",
				 out->len > before ? "," : "",
				 nvml_reason_name((enum nvml_reason)r),
				 MAX(percent, 1.0));
	}
	if (out->len == before)
		buf_adds(out, "no");
}

static void record_range(struct measurement *m, const char *key,
			 const struct nvml_range *r, const char *unit)
{
	cleanup_free char *text = NULL;

	if (r->median < 0)
		return;
	/* A range that is read as one number is written as one. */
	text = xasprintf("%.0f%s(%.0f..%.0f)", r->median, unit, r->min, r->max);
	if (r->max - r->min < 0.5)
		text[strcspn(text, "(")] = 0;
	measurement_set(m, key, text);
}

void nvml_summary_record(struct measurement *m, const struct nvml_summary *s)
{
	cleanup_buf struct buf throttled = BUF_INIT(WORDS_LIMIT);
	char others[16];

	record_range(m, "gpu_clock", &s->sm_clock, "MHz");
	record_range(m, "gpu_memory_clock", &s->memory_clock, "MHz");
	record_range(m, "gpu_power", &s->power, "W");
	record_range(m, "gpu_temp", &s->temperature, "C");
	nvml_summary_throttled(&throttled, s);
	if (throttled.len)
		measurement_set(m, "gpu_throttled", throttled.data);
	if (s->others > 0) {
		snprintf(others, sizeof others, "%d", s->others);
		measurement_set(m, "gpu_others", others);
	}
}
