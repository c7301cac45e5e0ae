/*
 * Class isolated: how many launches one hand-over has. Handing memory over and
 * taking it back costs as much as a kernel of a millisecond, and a card that
 * rested before is slow for its first launch: so many images are handed over at
 * once that this is little of a launch. All of them are there when the clock
 * starts, so a candidate could work for several at once. Therefore the first
 * halves of a case have one image, and what the candidate takes longer then than
 * its rival does is no gain of a kernel.
 */
#include <math.h>

#include "core/score/stats.h"
#include "scorer/contest/gpu_contest_internal.h"
#include "scorer/host/gpu_setup.h"

#define HALVES_ALONE 6
/* Of a launch, for what is fixed, if there may be so many images. */
#define FIXED_SHARE 0.01
#define LEAST_NET   0.05 /* of a launch that is taken for the kernel's */
#define AT_ONCE	    0.1	 /* seconds of a hand-over, at most */
#define WINDOW_PART 4	 /* of a window, at most 1 in so many */
#define MEMORY_PART 2	 /* of what is free on the card */

static double net(double seconds, double fixed)
{
	return MAX(seconds - fixed, LEAST_NET * seconds);
}

/* Seconds of a launch of the quickest slot and of the slowest. */
struct launch_span {
	double least, most;
};

static struct launch_span span_of(const struct half *h)
{
	struct launch_span s = {HUGE_VAL, 0};

	for (size_t i = 0; i < h->n; i++) {
		s.least = MIN(s.least, h->seconds[i]);
		s.most = MAX(s.most, h->seconds[i]);
	}
	return s;
}

/* The judge has the inputs once and the outputs of each slot, and for each slot
 * a copy of both; each process has what it prepared. */
static struct error *memory_for(int64_t *images, struct gpu_contest *f,
				const struct task_case *tc)
{
	cleanup_input_set struct input_set s = INPUT_SET_INIT;
	size_t in, out, all;
	uint64_t free_bytes;

	TRY(gpu_set(&s, f->contest->sc, tc, FILL_NORMAL, 1));
	in = entry_call_inputs_bytes(&s.call);
	out = entry_call_outputs_bytes(&s.call);
	all = in + f->n * (in + 2 * out +
			   s.call.layout.region_bytes[REGION_PREPARED]);
	TRY(gpu_judge_free_bytes(&free_bytes, f->contest->sc->judge));
	*images = (int64_t)MIN(free_bytes / MEMORY_PART / MAX(all, 1),
			       GPU_WINDOW / WINDOW_PART / MAX(MAX(in, out), 1));
	return NULL;
}

static bool has_generator(const struct task *t)
{
	for (size_t i = 0; i < t->n_arguments; i++)
		if (t->argument[i].fill == FILL_GENERATOR)
			return true;
	return false;
}

static struct error *choose(int64_t *images, struct gpu_contest *f,
			    const struct half *h)
{
	const struct task *task = f->contest->sc->task;
	const struct task_case *tc = &task->cases[h->which];
	double fixed = f->contest->case_overhead[h->which];
	struct launch_span s = span_of(h);
	int64_t room;

	*images =
		(int64_t)MIN(ceil(fixed / (FIXED_SHARE * net(s.least, fixed))),
			     (double)GPU_IMAGES);
	*images = MIN(*images, (int64_t)(AT_ONCE / net(s.most, fixed)));
	if (has_generator(task)) /* which works on the host */
		*images = MIN(*images, GPU_MIN_IMAGES);
	TRY(memory_for(&room, f, tc));
	*images = MAX(MIN(*images, room), 1);
	return NULL;
}

struct error *gpu_hand_over_count(struct score_outcome *o,
				  struct gpu_contest *f, struct half *h,
				  const size_t *order, half_fn run)
{
	struct contest *c = f->contest;
	int64_t images = 0;

	if (!gpu_contest_isolated(f) || f->images[h->which])
		return NULL;
	f->images[h->which] = 1;
	if (c->sc->task->metric == METRIC_THROUGHPUT)
		return gpu_count_images(&f->images[h->which], c->sc,
					&c->sc->task->cases[h->which]);
	c->case_overhead[h->which] = 0;
	for (size_t i = 0; i < HALVES_ALONE; i++) {
		TRY(run(o, f, h, order));
		if (o->verdict != VERDICT_PASS)
			return NULL;
		if (!i)
			TRY(choose(&images, f, h));
		if (images == 1)
			return NULL;
		gpu_hand_over_take(f, h);
	}
	f->images[h->which] = images;
	c->case_overhead[h->which] = 0; /* measured again, for as many */
	return NULL;
}

/* ---- alone and among others ---------------------------------------------- */

/* The log of the candidate's time over its first rival's; NAN: no rival. */
static double over_rival(const struct half *h, double fixed)
{
	size_t mine = h->n, his = h->n;

	for (size_t i = h->n; i-- > 0;)
		if (h->slot[i] == 0)
			mine = i;
		else if (h->slot[i] != SLOT_TWIN)
			his = i;
	if (mine == h->n || his == h->n)
		return NAN;
	return log(net(h->seconds[mine], fixed) / net(h->seconds[his], fixed));
}

static void take(struct samples *s, const struct gpu_contest *f,
		 const struct half *h)
{
	double x = over_rival(h, f->contest->case_overhead[h->which]);

	if (isfinite(x))
		samples_add(&s[h->which], x);
}

void gpu_hand_over_take(struct gpu_contest *f, const struct half *h)
{
	if (gpu_contest_isolated(f))
		take(f->images[h->which] > 1 ? f->together : f->alone, f, h);
}

double gpu_alone_bias(char **why, const struct gpu_contest *f)
{
	double most = 0;

	for (size_t k = 0; k < f->contest->sc->task->n_cases; k++) {
		const struct samples *a = &f->alone[k], *b = &f->together[k];

		if (a->n && b->n)
			most = MAX(most, stats_median(a->value, a->n) -
						 stats_median(b->value, b->n));
	}
	if (most > 0)
		*why = xasprintf("a launch alone takes %.2g %% longer, of the "
				 "rival's, than one of several that are handed "
				 "over at once",
				 100 * expm1(most));
	return most;
}
