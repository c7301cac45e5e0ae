#include "cmd/doctor/doctor.h"

#include "scorer/device/nvml.h"

#define TEXT_LIMIT 1024

/* Slowed by something other than its power limit or a clock setting. */
#define TROUBLE                                                             \
	(1 << NVML_REASON_HW_SLOWDOWN | 1 << NVML_REASON_THERMAL_SLOWDOWN | \
	 1 << NVML_REASON_HW_THERMAL_SLOWDOWN | 1 << NVML_REASON_POWER_BRAKE)

/* Adds "345 of 1980 MHz", or the known part of it. */
static void add_of(struct buf *out, double now, double limit, const char *unit)
{
	if (now < 0)
		return;
	buf_addf(out, ", %.0f ", now);
	if (limit >= 0)
		buf_addf(out, "of %.0f ", limit);
	buf_adds(out, unit);
}

static void add_reasons(struct buf *out, const struct nvml_sample *s)
{
	const char *before = ", throttled by ";

	if (s->reasons < 0)
		return;
	if (s->reasons & 1 << NVML_REASON_IDLE)
		buf_adds(out, ", idle");
	for (int r = NVML_REASON_IDLE + 1; r < NVML_REASONS; r++)
		if (s->reasons >> r & 1) {
			buf_addf(out, "%s%s", before,
				 nvml_reason_name((enum nvml_reason)r));
			before = " and ";
		}
}

static void add_processes(struct buf *out, const struct nvml_sample *s)
{
	if (s->others > 0)
		buf_addf(out, ", %d other process%s on it", s->others,
			 s->others == 1 ? "" : "es");
	if (s->strangers > 0)
		buf_addf(out, ", %d process%s of other containers on it",
			 s->strangers, s->strangers == 1 ? "" : "es");
}

static void add_card(struct buf *out, const struct nvml_card *c)
{
	if (*c->driver)
		buf_addf(out, ", driver %s", c->driver);
	if (c->ecc == 0)
		buf_adds(out, ", ECC off");
	if (c->mig == 1)
		buf_adds(out, ", MIG on");
	if (c->persistence == 0)
		buf_adds(out, ", not kept loaded (nvidia-smi -pm 1 would)");
}

static const char *mend_for(const struct nvml_sample *s)
{
	if (s->others > 0 || s->strangers > 0)
		return "let no other program compute on the card while it is "
		       "measured";
	if (s->reasons > 0 && s->reasons & TROUBLE)
		return "see to its cooling and power supply: it clocks lower "
		       "than it could";
	return NULL;
}

void gpu_state_read(struct gpu_condition *out, const char *uuid)
{
	cleanup_nvml_watch struct nvml_watch w = {0};
	cleanup_buf struct buf text = BUF_INIT(TEXT_LIMIT);
	cleanup_error struct error *err = nvml_watch_start(&w, uuid);
	struct nvml_sample s;

	out->mend = NULL;
	if (!err)
		nvml_watch_ask(&w);
	if (err || !nvml_watch_take(&s, &w)) {
		out->text = xasprintf("clocks not known: %s",
				      err ? error_message(err) : w.why);
		return;
	}
	add_card(&text, &w.card);
	add_of(&text, s.sm_clock, w.card.sm_clock_max, "MHz");
	add_of(&text, s.power, w.card.power_limit, "W");
	add_of(&text, s.temperature, NVML_UNKNOWN, "C");
	add_reasons(&text, &s);
	add_processes(&text, &s);
	out->text = xstrdup(text.len ? text.data + 2 : "it tells nothing");
	out->mend = mend_for(&s);
}

void gpu_state_release(struct gpu_condition *s)
{
	free(s->text);
	*s = (struct gpu_condition){0};
}
