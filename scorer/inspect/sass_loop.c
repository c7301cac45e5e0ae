/*
 * Finds the hot loop: the one with the most work of its own, without that of
 * loops inside it, times eight for each loop around it.
 */
#include "scorer/inspect/sass.h"

/* ---- where control can go ------------------------------------------------ */

/*
 * The control flow of a kernel and its loops: a loop is the set of instructions
 * that can return to its first instruction, its head, and is entered only
 * there. So a branch backwards does not always make a loop: a compiler puts the
 * spinning of a barrier after the end of the kernel, and branches back from
 * there. Linear in the instructions, except for a factor that never shows.
 *
 * A branch whose target is not in the text (BRX) leads to no line; lines that
 * only it leads to are treated as entered from outside. If a cycle can be
 * entered in two places, the first that the walk reaches is its head, and lines
 * that lead to the other are not in it.
 */

/* All by line of the kernel, from 0; SIZE_MAX: none. */
struct sass_flow {
	size_t n;
	size_t *loop;  /* the head of the innermost loop that the line is in */
	size_t *outer; /* of a head: the head of the loop around its loop */
	size_t *depth; /* of a head: 1 if there is none around it */
};

/*
 * Havlak's method: a depth-first walk numbers the lines; a branch to a line
 * that the walk has not left closes a loop; heads are visited from the last to
 * the first, and from then on each loop found acts as one line, its head.
 */
struct flow_walk {
	const struct sass *s;
	const struct sass_kernel *k;
	size_t n;
	size_t *number; /* of a line, in the order of the walk; SIZE_MAX: new */
	size_t *order;	/* the line of a number */
	size_t *last;	/* the largest number below a line in the walk */
	size_t *first;	/* of a line: its first in `from`; n + 1 of them */
	size_t *from;	/* the lines that lead to a line */
	size_t *inside; /* the head of the loop that took a line; SIZE_MAX */
	size_t *stands; /* for a line: a head that it is part of by now */
	size_t *taken;	/* the head that a line was last visited for */
	size_t *body;	/* lines of the current loop, a stack in the walk */
	bool *is_head;
};

static size_t *nowhere(size_t n)
{
	size_t *v = xcalloc(n + 1, sizeof *v);

	for (size_t i = 0; i <= n; i++)
		v[i] = SIZE_MAX;
	return v;
}

static void flow_walk_release(struct flow_walk *w)
{
	free(w->number);
	free(w->order);
	free(w->last);
	free(w->first);
	free(w->from);
	free(w->inside);
	free(w->stands);
	free(w->taken);
	free(w->body);
	free(w->is_head);
}
DEFINE_RELEASE(flow_walk, struct flow_walk, flow_walk_release)

/* ---- where a line leads -------------------------------------------------- */

/* Can control go on to the next line? After a jump only with a predicate, after
 * BRA also with an operand before the target: "BRA.U !UP0, 0x250", "BRA.DIV
 * UR4, `(.L_x_3)". */
static bool goes_on(const struct sass_line *l)
{
	static const char *const ends[] = {"EXIT", "RET",  "BRX",  "JMX",
					   "JMP",  "BRXU", "JMXU", "KILL"};
	const char *op = sass_opcode(l);
	size_t len = strcspn(op, ". \t");
	const char *operand = op + strcspn(op, " \t");

	if (*l->text == '@')
		return true;
	operand += strspn(operand, " \t");
	if (len == 3 && starts_with(op, "BRA"))
		return !starts_with(operand, "0x") &&
		       !starts_with(operand, "`(");
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (strlen(ends[i]) == len && starts_with(op, ends[i]))
			return false;
	return true;
}

/* The line that line i leads to: `which` 0: the next one, 1: by a branch.
 * SIZE_MAX: none. */
static size_t leads_to(const struct flow_walk *w, size_t i, int which)
{
	const struct sass_line *l = &w->s->line[w->k->begin + i];

	if (which == 0)
		return i + 1 < w->n && goes_on(l) ? i + 1 : SIZE_MAX;
	return l->target == SIZE_MAX ? SIZE_MAX : l->target - w->k->begin;
}

static void find_sources(struct flow_walk *w)
{
	size_t *at = w->order; /* not in use yet */

	for (size_t i = 0; i < w->n; i++)
		for (int which = 0; which < 2; which++)
			if (leads_to(w, i, which) != SIZE_MAX)
				w->first[leads_to(w, i, which) + 1]++;
	for (size_t i = 0; i < w->n; i++) {
		w->first[i + 1] += w->first[i];
		at[i] = w->first[i];
	}
	for (size_t i = 0; i < w->n; i++)
		for (int which = 0; which < 2; which++) {
			size_t to = leads_to(w, i, which);

			if (to != SIZE_MAX)
				w->from[at[to]++] = i;
		}
}

/* ---- the walk ------------------------------------------------------------ */

/* Walks over all new lines that `root` leads to. */
static void walk_from(struct flow_walk *w, size_t root, size_t *count)
{
	/* The next way to take from each line on the stack. */
	size_t *turn = w->taken, *stack = w->body, n = 0;

	stack[n++] = root;
	turn[root] = 0;
	w->number[root] = *count;
	w->order[(*count)++] = root;
	while (n > 0) {
		size_t i = stack[n - 1], to;

		if (turn[i] == 2) {
			w->last[i] = *count - 1;
			n--;
			continue;
		}
		to = leads_to(w, i, (int)turn[i]++);
		if (to == SIZE_MAX || w->number[to] != SIZE_MAX)
			continue;
		stack[n++] = to;
		turn[to] = 0;
		w->number[to] = *count;
		w->order[(*count)++] = to;
	}
}

static void walk_all(struct flow_walk *w)
{
	size_t count = 0;

	for (size_t i = 0; i < w->n; i++)
		if (w->number[i] == SIZE_MAX)
			walk_from(w, i, &count);
	for (size_t i = 0; i < w->n; i++)
		w->taken[i] = SIZE_MAX;
}

static bool is_below(const struct flow_walk *w, size_t i, size_t head)
{
	return w->number[i] >= w->number[head] && w->number[i] <= w->last[head];
}

/* ---- loops --------------------------------------------------------------- */

/* The outermost head that a line is part of by now; shortens the path to it. */
static size_t stands_for(struct flow_walk *w, size_t i)
{
	size_t at = i;

	while (w->stands[at] != at)
		at = w->stands[at];
	while (w->stands[i] != at) {
		size_t next = w->stands[i];

		w->stands[i] = at;
		i = next;
	}
	return at;
}

static void take(struct flow_walk *w, size_t line, size_t head, size_t *n)
{
	size_t i = stands_for(w, line);

	if (i == head || w->taken[i] == head || !is_below(w, i, head))
		return;
	w->taken[i] = head;
	w->body[(*n)++] = i;
}

/* Finds the loop of this head: walks backwards from the branches to it. */
static void find_loop(struct flow_walk *w, size_t head)
{
	size_t n = 0;

	for (size_t e = w->first[head]; e < w->first[head + 1]; e++)
		if (is_below(w, w->from[e], head)) {
			w->is_head[head] = true;
			take(w, w->from[e], head, &n);
		}
	for (size_t done = 0; done < n; done++) {
		size_t i = w->body[done];

		for (size_t e = w->first[i]; e < w->first[i + 1]; e++)
			if (!is_below(w, w->from[e], i))
				take(w, w->from[e], head, &n);
	}
	for (size_t i = 0; i < n; i++) {
		w->inside[w->body[i]] = head;
		w->stands[w->body[i]] = head;
	}
}

static struct sass_flow take_flow(struct flow_walk *w)
{
	struct sass_flow f = {.n = w->n,
			      .loop = nowhere(w->n),
			      .outer = steal(&w->inside),
			      .depth = xcalloc(w->n + 1, sizeof *f.depth)};

	/* A head comes before all lines of its loop. */
	for (size_t number = 0; number < w->n; number++) {
		size_t i = w->order[number], outer = f.outer[i];

		f.loop[i] = w->is_head[i] ? i : outer;
		if (w->is_head[i])
			f.depth[i] = outer == SIZE_MAX ? 1 : f.depth[outer] + 1;
	}
	return f;
}

static struct sass_flow sass_flow_of(const struct sass *s, size_t kernel)
{
	const struct sass_kernel *k = &s->kernel[kernel];
	size_t n = k->end - k->begin;
	CLEANUP(flow_walk)
	struct flow_walk w = {
		.s = s,
		.k = k,
		.n = n,
		.number = nowhere(n),
		.order = xcalloc(n + 1, sizeof *w.order),
		.last = xcalloc(n + 1, sizeof *w.last),
		.first = xcalloc(n + 2, sizeof *w.first),
		.from = xcalloc(2 * n + 1, sizeof *w.from),
		.inside = nowhere(n),
		.stands = xcalloc(n + 1, sizeof *w.stands),
		.taken = nowhere(n),
		.body = xcalloc(n + 1, sizeof *w.body),
		.is_head = xcalloc(n + 1, sizeof *w.is_head),
	};

	find_sources(&w);
	for (size_t i = 0; i < n; i++)
		w.stands[i] = i;
	walk_all(&w);
	for (size_t number = n; number > 0; number--)
		find_loop(&w, w.order[number - 1]);
	return take_flow(&w);
}

static void sass_flow_release(struct sass_flow *f)
{
	free(f->loop);
	free(f->outer);
	free(f->depth);
	*f = (struct sass_flow){0};
}

DEFINE_RELEASE(sass_flow, struct sass_flow, sass_flow_release)
#define cleanup_sass_flow CLEANUP(sass_flow)

/* ---- the hot loop -------------------------------------------------------- */

#define TURNS	  8.0 /* assumed for each loop */
#define MAX_DEPTH 6   /* deeper levels do not add weight */

/* The weight of an instruction as work. */
static double work_of(const char *op)
{
	static const struct {
		const char *prefix;
		double work;
	} works[] = {
		{"HGMMA", 64},	 {"IGMMA", 64},	  {"QGMMA", 64},
		{"UTCHMMA", 64}, {"UTCQMMA", 64}, {"UTCIMMA", 64},
		{"HMMA", 16},	 {"IMMA", 16},	  {"DMMA", 16},
		{"QMMA", 16},	 {"UTMALDG", 16}, {"UTMASTG", 16},
		{"UBLKCP", 16},	 {"LDGSTS", 4},	  {"LDG", 4},
		{"STG", 4},	 {"LDSM", 4},	  {"LDS", 2},
		{"STS", 2},	 {"STSM", 4},	  {"RED", 4},
		{"ATOM", 4},	 {"LDTM", 4},	  {"STTM", 4},
		{"MUFU", 2},	 {"FFMA", 1},	  {"HFMA", 1},
		{"DFMA", 2},	 {"FADD", 1},	  {"FMUL", 1},
		{"HADD", 1},	 {"HMUL", 1},	  {"DADD", 2},
		{"DMUL", 2},	 {"IMAD", 0.5},	  {"SHFL", 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(works); i++)
		if (starts_with(op, works[i].prefix))
			return works[i].work;
	return 0;
}

/* own[i]: the work of the loop that begins at the kernel's line i, without
 * that of loops inside it. */
static double *sum_work(const struct sass *s, const struct sass_kernel *k,
			const struct sass_flow *f)
{
	double *own = xcalloc(f->n, sizeof *own);

	for (size_t i = 0; i < f->n; i++)
		if (f->loop[i] != SIZE_MAX)
			own[f->loop[i]] +=
				work_of(sass_opcode(&s->line[k->begin + i]));
	return own;
}

static double weight(size_t depth)
{
	double w = 1;

	for (size_t i = 0; i < MIN(depth, (size_t)MAX_DEPTH); i++)
		w *= TURNS;
	return w;
}

/* SIZE_MAX: the kernel has no loop with any work. */
static size_t hottest(double *work, const struct sass_flow *f,
		      const double *own)
{
	size_t best = SIZE_MAX;

	*work = 0;
	for (size_t i = 0; i < f->n; i++) {
		double w = f->loop[i] == i ? own[i] * weight(f->depth[i]) : 0;

		if (w > *work) {
			*work = w;
			best = i;
		}
	}
	return best;
}

enum loop_membership { UNKNOWN, INSIDE, OUTSIDE };

/* Is the loop that begins at `l` inside? Stores the result for all on the way.
 */
static enum loop_membership place_of(enum loop_membership *known,
				     const struct sass_flow *f, size_t l)
{
	enum loop_membership found;
	size_t at = l;

	while (at != SIZE_MAX && known[at] == UNKNOWN)
		at = f->outer[at];
	found = at == SIZE_MAX ? OUTSIDE : known[at];
	for (; l != at; l = f->outer[l])
		known[l] = found;
	return found;
}

/* Takes all lines of the kernel if `head` is SIZE_MAX. */
static void take_lines(struct sass_loop *out, const struct sass_kernel *k,
		       const struct sass_flow *f, size_t head)
{
	cleanup_free enum loop_membership *known = xcalloc(f->n, sizeof *known);

	out->line = xcalloc(f->n, sizeof *out->line);
	if (head != SIZE_MAX)
		known[head] = INSIDE;
	for (size_t i = 0; i < f->n; i++)
		if (head == SIZE_MAX ||
		    place_of(known, f, f->loop[i]) == INSIDE)
			out->line[out->n++] = k->begin + i;
}

static struct sass_loop hot_of(const struct sass *s, size_t kernel)
{
	const struct sass_kernel *k = &s->kernel[kernel];
	cleanup_sass_flow struct sass_flow f = sass_flow_of(s, kernel);
	cleanup_free double *own = sum_work(s, k, &f);
	struct sass_loop out = {.kernel = kernel};
	size_t head = hottest(&out.work, &f, own);

	if (head != SIZE_MAX)
		out.depth = f.depth[head];
	for (size_t i = k->begin; i < k->end && head == SIZE_MAX; i++)
		out.work += work_of(sass_opcode(&s->line[i]));
	take_lines(&out, k, &f, head);
	return out;
}

struct sass_loop sass_hot_loop(const struct sass *s, size_t kernel)
{
	struct sass_loop best = hot_of(s, kernel == SIZE_MAX ? 0 : kernel);

	for (size_t k = 1; kernel == SIZE_MAX && k < s->n_kernels; k++) {
		struct sass_loop one = hot_of(s, k);
		bool better = !one.depth == !best.depth ? one.work > best.work
							: one.depth > 0;

		sass_loop_release(better ? &best : &one);
		if (better)
			best = one;
	}
	return best;
}

void sass_loop_release(struct sass_loop *loop)
{
	free(loop->line);
	*loop = (struct sass_loop){0};
}
