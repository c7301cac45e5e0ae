#include "core/run/stage.h"

#include "core/base/clock.h"

static int64_t now_us(void)
{
	return (int64_t)(1e6 * clock_seconds());
}

/* The mean of all, in which those of late count more. */
static void learn(struct work_stage *s, int kind, int64_t took)
{
	int64_t usual = atomic_load(&s->usual_us[kind]);

	atomic_store(&s->usual_us[kind],
		     usual ? (3 * usual + took) / 4 : MAX(took, 1));
}

void stage_begin(struct work_stage *s, enum stage_kind kind)
{
	int64_t now = now_us();

	if (!s)
		return;
	learn(s, atomic_load(&s->kind), now - atomic_load(&s->since_us));
	atomic_store(&s->share, -1);
	atomic_store(&s->since_us, now);
	atomic_store(&s->kind, (int)kind);
}

void stage_done(struct work_stage *s, double share)
{
	if (s)
		atomic_store(&s->share,
			     (int)(1000 * MIN(MAX(share, 0.0), 1.0)));
}

struct stage_view stage_look(const struct work_stage *s)
{
	struct stage_view v = {.share = -1};
	int share;

	if (!s)
		return v;
	v.kind = (enum stage_kind)atomic_load(&s->kind);
	share = atomic_load(&s->share);
	v.share = share < 0 ? -1 : share / 1000.0;
	v.seconds = (double)(now_us() - atomic_load(&s->since_us)) / 1e6;
	v.usual = (double)atomic_load(&s->usual_us[v.kind]) / 1e6;
	return v;
}
