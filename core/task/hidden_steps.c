#include "core/task/hidden_steps.h"

#include <math.h>

#include "core/base/secret.h"
#include "core/task/hidden.h"
#include "core/task/hidden_keys.h"
#include "core/task/hidden_parts.h"

#define LEAST_BYTES ((uint64_t)16 << 10) /* of the first case, or its ranges' */
#define BYTES_BITS  5	/* ... at most so many doublings more */
#define BASES	    16	/* tried, until every symbol can change alone */
#define BASE_DRAWS  400 /* of one of them */
#define STEP_DRAWS  48	/* of one step */
#define FAR	    2.0 /* times the size before */
#define GRAIN	    64	/* steps, of which a far size is some away */
#define PAIR_DRAWS  200 /* of one change of two sizes */

/* How two sizes change together, the likeliest first. What a key may be made of
 * stays: a product and all that does not tell one size from the other, a product,
 * a sum, a quotient, a difference, or a sum in which one counts twice. */
enum pair_change {
	PAIR_SWAPPED,
	PAIR_PRODUCT,
	PAIR_SUM,
	PAIR_QUOTIENT,
	PAIR_DIFFERENCE,
	PAIR_FIRST_TWICE,
	PAIR_SECOND_TWICE,
	PAIR_CHANGES
};

static size_t n_symbols(const struct task *t)
{
	size_t n = 0;

	for (size_t s = 0; t->hidden && s < t->symbols.n; s++)
		n += !hidden_is_fixed(&t->hidden[s]);
	return MIN(n, (size_t)HIDDEN_STEPPED);
}

size_t hidden_steps_most(const struct task *t)
{
	size_t n = n_symbols(t), pairs = n * (n - 1) / 2;

	return n ? 2 + 5 * n + 2 * pairs * PAIR_CHANGES + HIDDEN_KEYED : 0;
}

void hidden_steps_add(struct hidden_steps *x, const struct task_case *c)
{
	const struct task *t = x->task;
	struct task_case *one = &x->out[x->n++];

	*one = (struct task_case){
		.weight = 1,
		.value = xmemdup(c->value, t->symbols.n * sizeof *c->value)};
	hidden_name(one, t);
}

/* ---- the first case ------------------------------------------------------ */

/* From the lower half of each range, less of it the longer none fits; where none
 * does at all, the smallest of those that may be. */
static bool draw_base(struct hidden_steps *x)
{
	const struct task *t = x->task;
	cleanup_free int64_t *least = xcalloc(t->symbols.n + 1, sizeof *least);
	uint64_t bytes, least_bytes = UINT64_MAX;
	const struct hidden_range *h;

	for (size_t i = 0; i < BASE_DRAWS; i++) {
		unsigned shift = (unsigned)(1 + i / (BASE_DRAWS / 32));

		/* It may be that small ones do not go together. */
		if (i > BASE_DRAWS / 4 && i % 2)
			shift = 0;

		for (size_t s = 0; s < t->symbols.n; s++) {
			int64_t low, high;

			h = &t->hidden[s];
			low = hidden_lowest(h);
			high = low + ((hidden_highest(h) - low) >> shift);
			if (low < STEPS_LEAST_SIZE && high > STEPS_LEAST_SIZE)
				low = STEPS_LEAST_SIZE;
			x->base.value[s] =
				hidden_draw_between(h, low, high, x->secret);
		}
		if (!hidden_meets(t, &x->base))
			continue;
		bytes = hidden_bytes(t, &x->base);
		if (bytes <= x->most)
			return true;
		if (bytes >= least_bytes)
			continue;
		least_bytes = bytes;
		memcpy(least, x->base.value, t->symbols.n * sizeof *least);
	}
	if (least_bytes == UINT64_MAX)
		return false;
	memcpy(x->base.value, least, t->symbols.n * sizeof *least);
	return true;
}

/* ---- one size changes ---------------------------------------------------- */

/* As far as that, but a whole number of GRAIN steps, or of a smaller power of two:
 * what is kept for the last bits of a size is kept for this one, too. */
static int64_t same_bits(int64_t now, int64_t far, int64_t step)
{
	int64_t n = (far - now) / step, grain = 1;

	while (grain < GRAIN && 2 * grain <= (n < 0 ? -n : n))
		grain *= 2;
	return now + n / grain * grain * step;
}

/* A size of symbol `s` that is far from its size now, and in the first half of the
 * tries greater. */
static int64_t draw_far(const struct hidden_steps *x, size_t s, size_t try)
{
	const struct hidden_range *h = &x->task->hidden[s];
	int64_t now = x->base.value[s], high = hidden_highest(h);
	int64_t low = (int64_t)ceil((double)now * FAR), away = GRAIN * h->step;

	while (away > h->step && now + away > high)
		away /= 2;
	low = MAX(low, now + away);
	if (low > high || try >= STEP_DRAWS / 2)
		low = hidden_lowest(h);
	else
		high = low + ((high - low) >> (try / 4));
	return same_bits(now, hidden_draw_between(h, low, high, x->secret),
			 h->step);
}

/* Do the sizes go together, and take no more than a few times the memory? */
bool hidden_steps_fit(const struct hidden_steps *x, const struct task_case *c)
{
	uint64_t most = MAX(x->most, hidden_bytes(x->task, &x->base));

	return hidden_meets(x->task, c) && hidden_bytes(x->task, c) / 8 <= most;
}

bool hidden_is_in_range(const struct hidden_range *h, int64_t size)
{
	return size >= hidden_lowest(h) && size <= hidden_highest(h) &&
	       size % h->step == 0;
}

/* May `s` have all of the n sizes, each another than at first? */
static bool all_fit(const struct hidden_steps *x, struct task_case *c, size_t s,
		    const int64_t *size, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		c->value[s] = size[i];
		if (size[i] == x->base.value[s] ||
		    !hidden_is_in_range(&x->task->hidden[s], size[i]) ||
		    !hidden_steps_fit(x, c))
			return false;
	}
	return true;
}

/* Two single steps of the range beside `far`, and one of them back: of three sizes in
 * a row two are in the same group of two or more, wherever that begins. One step
 * where there is no room for two. */
static void add_near(struct hidden_steps *x, struct task_case *c, size_t s)
{
	int64_t far = c->value[s], step = x->task->hidden[s].step;
	int64_t side = secret_below(x->secret, 2) ? step : -step;

	for (size_t i = 0; i < 4; i++, side = -side) {
		int64_t size[] = {far + side, far + 2 * side, far + side};
		size_t n = i < 2 ? ARRAY_SIZE(size) : 1;

		if (!all_fit(x, c, s, size, n))
			continue;
		for (size_t k = 0; k < n; k++) {
			c->value[s] = size[k];
			hidden_steps_add(x, c);
		}
		return;
	}
}

/* From the first case to a greater size of `s`, to those beside it, and back. */
static bool add_change(struct hidden_steps *x, size_t s)
{
	cleanup_free int64_t *value =
		xmemdup(x->base.value, x->task->symbols.n * sizeof *value);
	struct task_case c = {.value = value};

	for (size_t i = 0; i < STEP_DRAWS; i++) {
		int64_t far = draw_far(x, s, i);

		if (!all_fit(x, &c, s, &far, 1))
			continue;
		hidden_steps_add(x, &c);
		add_near(x, &c, s);
		hidden_steps_add(x, &x->base);
		return true;
	}
	return false;
}

/* ---- two sizes change ---------------------------------------------------- */

/* A change of both by as little as their ranges allow; 0: the steps do not go
 * together. */
static int64_t least_change(const struct hidden_range *a,
			    const struct hidden_range *b)
{
	int64_t more = MAX(a->step, b->step);

	return more % a->step == 0 && more % b->step == 0 ? more : 0;
}

/* The second pair of sizes, from the first; false: there is none. */
static bool change_pair(int64_t to[2], const int64_t from[2],
			enum pair_change how, int64_t by, bool also_down)
{
	int64_t down = also_down ? -by : by;

	to[0] = from[0];
	to[1] = from[1];
	switch (how) {
	case PAIR_SWAPPED:
		to[0] = from[1];
		to[1] = from[0];
		return to[0] != to[1];
	case PAIR_PRODUCT:
		to[also_down] *= 2;
		to[!also_down] /= 2;
		return from[!also_down] % 2 == 0 && to[!also_down];
	case PAIR_QUOTIENT:
		for (size_t i = 0; i < 2; i++)
			to[i] = also_down ? from[i] / 2 : from[i] * 2;
		return !also_down || (from[0] % 2 == 0 && from[1] % 2 == 0);
	case PAIR_SUM:
		to[0] += down;
		to[1] -= down;
		return by != 0;
	case PAIR_DIFFERENCE:
		to[0] += down;
		to[1] += down;
		return by != 0;
	case PAIR_FIRST_TWICE:
		to[0] += down;
		to[1] -= 2 * down;
		return by != 0;
	case PAIR_SECOND_TWICE:
		to[0] -= 2 * down;
		to[1] += down;
		return by != 0;
	default:
		return false;
	}
}

static bool pair_fits(struct hidden_steps *x, struct task_case *c,
		      const size_t s[2], const int64_t size[2])
{
	for (size_t i = 0; i < 2; i++) {
		const struct hidden_range *h = &x->task->hidden[s[i]];

		/* Of one or two elements there is little to be wrong. */
		if (!hidden_is_in_range(h, size[i]) ||
		    size[i] < MIN(STEPS_LEAST_SIZE, hidden_highest(h) / 2))
			return false;
		c->value[s[i]] = size[i];
	}
	return hidden_steps_fit(x, c);
}

/* From the sizes that are there where that can be, else from others of the two. */
static void add_pair(struct hidden_steps *x, struct task_case *now,
		     const size_t s[2], enum pair_change how)
{
	const struct hidden_range *h[2] = {&x->task->hidden[s[0]],
					   &x->task->hidden[s[1]]};
	const int64_t before[2] = {now->value[s[0]], now->value[s[1]]};
	int64_t from[2] = {before[0], before[1]}, to[2];
	/* That both may have: without it two ranges of which one is wide seldom
	 * have sizes to swap. */
	int64_t high = MIN(hidden_highest(h[0]), hidden_highest(h[1]));

	for (size_t i = 0; i < PAIR_DRAWS; i++) {
		bool also_down = secret_below(x->secret, 2);

		for (size_t k = 0; i > 1 && k < 2; k++)
			from[k] = hidden_draw_between(
				h[k], MIN(hidden_lowest(h[k]), high),
				i % 2 ? MIN(high, hidden_highest(h[k]))
				      : hidden_highest(h[k]),
				x->secret);
		if (!change_pair(to, from, how, least_change(h[0], h[1]),
				 also_down) ||
		    !pair_fits(x, now, s, to) || !pair_fits(x, now, s, from))
			continue;
		if (from[0] != before[0] || from[1] != before[1])
			hidden_steps_add(x, now);
		now->value[s[0]] = to[0];
		now->value[s[1]] = to[1];
		hidden_steps_add(x, now);
		return;
	}
	now->value[s[0]] = before[0];
	now->value[s[1]] = before[1];
}

/* Each change of all pairs before the next, for time may be short. */
static void add_pairs(struct hidden_steps *x)
{
	cleanup_free int64_t *value =
		xmemdup(x->base.value, x->task->symbols.n * sizeof *value);
	struct task_case now = {.value = value};
	size_t n = MIN(x->n_order, (size_t)HIDDEN_STEPPED);

	for (int how = 0; how < PAIR_CHANGES; how++)
		for (size_t i = 0; i < n; i++)
			for (size_t k = i + 1; k < n; k++)
				add_pair(x, &now,
					 (size_t[]){x->order[i], x->order[k]},
					 (enum pair_change)how);
}

/* ---- all of them --------------------------------------------------------- */

static void start_over(struct hidden_steps *x)
{
	while (x->n)
		task_case_release(&x->out[--x->n]);
}

/* How many symbols change alone, of those that may. */
static size_t draw_chain(struct hidden_steps *x)
{
	size_t changed = 0;

	start_over(x);
	if (!draw_base(x))
		return 0;
	hidden_steps_add(x, &x->base);
	hidden_steps_add(x, &x->base);
	for (size_t i = 0; i < x->n_order && changed < HIDDEN_STEPPED; i++)
		changed += add_change(x, x->order[i]);
	return changed;
}

static void draw_order(struct hidden_steps *x)
{
	const struct task *t = x->task;

	for (size_t s = 0; s < t->symbols.n; s++)
		if (!hidden_is_fixed(&t->hidden[s]))
			x->order[x->n_order++] = s;
	secret_shuffle(x->secret, x->order, x->n_order);
}

size_t hidden_steps_draw(struct task_case *out, const struct task *t,
			 const struct hidden_numbers *numbers,
			 struct secret_random *r)
{
	cleanup_free size_t *order = xcalloc(t->symbols.n + 1, sizeof *order);
	cleanup_free int64_t *base = xcalloc(t->symbols.n + 1, sizeof *base);
	struct hidden_steps x = {.task = t,
				 .secret = r,
				 .most = LEAST_BYTES
					 << secret_below(r, BYTES_BITS),
				 .order = order,
				 .base = {.value = base},
				 .out = out};
	size_t all = n_symbols(t), most = 0;

	if (!all)
		return 0;
	draw_order(&x);
	for (size_t i = 0; i < BASES; i++) {
		size_t changed = draw_chain(&x);

		if (changed == all || (i >= BASES / 2 && changed >= most))
			break;
		most = MAX(most, changed);
	}
	if (x.n) {
		add_pairs(&x);
		hidden_keys_add(&x, numbers);
	}
	return x.n;
}
