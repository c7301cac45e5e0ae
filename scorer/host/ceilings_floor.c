/* Compares a launch's work, as the task states it, with the card's limits. */
#include "core/task/layout.h"
#include "core/score/measurement.h"
#include "scorer/host/ceilings.h"

/* Ceilings are measured with random contents under the power limit; with easier
 * contents a card may exceed them by this. */
#define EASIER 1.25
/* Times are not more exact than this. */
#define INEXACT 0.9
/* From this share of outputs on, the traffic counts as a copy, not a read. */
#define WRITES_COUNT 0.25

/* The work of one launch, as the task states it. */
struct load {
	double flops, bytes; /* 0: the task does not say */
	double in, out;	     /* bytes of the tensors */
};

static struct error *evaluate(double *out, const struct expr *e,
			      const struct task *t, const struct task_case *tc)
{
	int64_t v = 0;

	if (e)
		TRY(error_wrap(task_eval(&v, e, t, tc), "%s: case %s", t->path,
			       tc->name));
	*out = v > 0 ? (double)v : 0;
	return NULL;
}

static struct error *load_of(struct load *out, const struct task *t,
			     const struct task_case *tc)
{
	cleanup_free struct layout *l = xcalloc(1, sizeof *l);
	struct load load = {0};

	TRY(evaluate(&load.flops, t->flops, t, tc));
	TRY(evaluate(&load.bytes, t->bytes, t, tc));
	TRY(layout_make(l, t, tc, false));
	for (size_t i = 0; i < l->n; i++) {
		const struct tensor_layout *a = &l->arg[i].tensor;
		double bytes =
			(double)a->elements * (double)dtype_bytes(a->dtype);

		if (t->argument[i].kind != ARGUMENT_TENSOR)
			continue;
		if (a->direction != DIRECTION_OUT)
			load.in += bytes;
		if (a->direction != DIRECTION_IN)
			load.out += bytes;
	}
	*out = load;
	return NULL;
}

/* ---- the ceiling --------------------------------------------------------- */

/* The rate of products in this type; f32 on matrix units is tf32, half of
 * bf16. */
static double best_for(const struct ceilings *c, enum dtype dtype)
{
	switch (dtype) {
	case DTYPE_F8E4M3:
	case DTYPE_F8E5M2:
		return ceiling_best(c, CEILING_F8);
	case DTYPE_I8:
	case DTYPE_U8:
		return ceiling_best(c, CEILING_I8);
	case DTYPE_F16:
	case DTYPE_BF16:
		return ceiling_best(c, CEILING_BF16);
	case DTYPE_F32:
		return MAX(ceiling_best(c, CEILING_BF16) / 2,
			   ceiling_best(c, CEILING_F32));
	case DTYPE_F64:
		return ceiling_best(c, CEILING_F64);
	default:
		return 0; /* no ceiling is known for integers */
	}
}

static bool is_input(const struct argument *a)
{
	return a->kind == ARGUMENT_TENSOR && a->direction != DIRECTION_OUT;
}

/* The highest rate that the type of an input allows. */
static double matrix_rate(const struct ceilings *c, const struct task *t)
{
	double rate = 0;

	for (size_t i = 0; i < t->n_arguments; i++)
		if (is_input(&t->argument[i]))
			rate = MAX(rate, best_for(c, t->argument[i].dtype));
	return rate;
}

static double memory_rate(const struct ceilings *c, const struct load *load)
{
	bool copies = load->out >= WRITES_COUNT * (load->in + load->out);
	double copy = ceiling_best(c, CEILING_COPY);
	double read = ceiling_best(c, CEILING_READ);

	return copies ? copy : MAX(copy, read);
}

static double at_rate(double work, double rate)
{
	return rate > 0 ? work / rate : 0;
}

/* ---- the impossible ------------------------------------------------------ */

static double allowed(const struct ceilings *c, enum ceiling what)
{
	return MAX(EASIER * c->of[what].peak, c->of[what].sheet);
}

/* False if contents decide how much there is to do, or if `prepare` can do work
 * before the clock starts: then no speed is impossible. */
static bool work_is_known(const struct task *t)
{
	if (t->prepare)
		return false;
	for (size_t i = 0; i < t->n_arguments; i++) {
		const struct argument *a = &t->argument[i];

		if (is_input(a) &&
		    (a->fill == FILL_SPARSE || a->fill == FILL_RANGE ||
		     a->fill == FILL_GENERATOR))
			return false;
	}
	return true;
}

/* Can an honest kernel compute in fewer bits than its inputs have? With small
 * integers it loses nothing, and rtol and atol can allow any error. */
static bool narrows(const struct task *t)
{
	if (task_has_absolute(t))
		return true;
	for (size_t i = 0; i < t->n_arguments; i++)
		if (is_input(&t->argument[i]) &&
		    (dtype_bytes(t->argument[i].dtype) == 1 ||
		     t->argument[i].fill == FILL_SMALL_INTS))
			return true;
	return false;
}

/* Products in f32 and f64 can be made of products in bf16, so all have its
 * rate; a byte may hold two numbers of four bits. */
static double fastest(const struct ceilings *c, const struct task *t)
{
	double rate = allowed(c, CEILING_BF16);

	if (narrows(t)) {
		rate = MAX(rate, allowed(c, CEILING_F8));
		rate = MAX(rate, allowed(c, CEILING_I8));
	}
	for (size_t i = 0; i < t->n_arguments; i++)
		if (is_input(&t->argument[i]) &&
		    t->argument[i].dtype == DTYPE_U8)
			return 2 * rate;
	return rate;
}

static void least_by_flops(struct floor *out, const struct ceilings *c,
			   const struct task *t, const struct load *load)
{
	double rate = fastest(c, t);
	double seconds = INEXACT * at_rate(load->flops, rate);
	char text[32];

	if (!(matrix_rate(c, t) > 0) || seconds <= out->least)
		return;
	out->least = seconds;
	measurement_format_rate(text, sizeof text, rate, false);
	snprintf(out->why, sizeof out->why,
		 "%.4g operations need %.4g us at %s, which this card does not "
		 "reach",
		 load->flops, 1e6 * load->flops / rate, text);
}

/* Counts at most the bytes of the tensors, even if the task states more; less
 * what a cache may hold of the inputs at the beginning and of the outputs at
 * the end. */
static void least_by_bytes(struct floor *out, const struct ceilings *c,
			   const struct load *load)
{
	double rate = MAX(allowed(c, CEILING_COPY), allowed(c, CEILING_READ));
	double bytes = MIN(load->bytes, load->in + load->out) -
		       2 * (double)c->l2_bytes;
	double seconds = INEXACT * at_rate(bytes, rate);
	char text[32];

	if (seconds <= out->least)
		return;
	out->least = seconds;
	measurement_format_rate(text, sizeof text, rate, true);
	snprintf(out->why, sizeof out->why,
		 "%.4g bytes that no cache holds need %.4g us at %s, which "
		 "this card does not reach",
		 bytes, 1e6 * bytes / rate, text);
}

struct error *ceilings_floor(struct floor *out, const struct ceilings *c,
			     const struct task *t, const struct task_case *tc)
{
	struct floor f = {0};
	struct load load;

	TRY(load_of(&load, t, tc));
	f.seconds = MAX(at_rate(load.flops, matrix_rate(c, t)),
			at_rate(load.bytes, memory_rate(c, &load)));
	if (work_is_known(t)) {
		least_by_flops(&f, c, t, &load);
		least_by_bytes(&f, c, &load);
	}
	*out = f;
	return NULL;
}
