#include "cmd/import/kernelbench.h"

#include <ctype.h>
#include <inttypes.h>

#include "cmd/ui/out.h"

/* import_image.S */
extern const char problem_adapter_image[];

#define ENTRY "avogit_kernel"

static bool is_number(const struct problem_tensor *t)
{
	return t->value[0] != '\0';
}

/* ---- the task --------------------------------------------------------------- */

static double bytes_of(const struct problem_tensor *t)
{
	double bytes = is_number(t) ? 0 : (double)dtype_bytes(t->dtype);

	for (size_t d = 0; d < t->n_dims; d++)
		bytes *= (double)t->shape[d];
	return bytes;
}

/* Floats are `mixed`, the default, unless they have no sign. */
static void add_fill(struct buf *out, const struct problem_tensor *t)
{
	if (t->uniform)
		buf_adds(out, ", fill: uniform");
	else if (!dtype_is_float(t->dtype))
		buf_addf(out, ", fill: {low: %" PRId64 ", high: %" PRId64 "}",
			 t->low, t->high);
}

static void add_argument(struct buf *out, const struct problem_tensor *t,
			 bool is_output)
{
	if (is_number(t))
		return;
	buf_addf(out, "  - {name: %s, dtype: %s, shape: [", t->name,
		 dtype_name(t->dtype));
	for (size_t d = 0; d < t->n_dims; d++)
		buf_addf(out, "%s%" PRId64, d ? ", " : "", t->shape[d]);
	buf_addf(out, "], direction: %s", is_output ? "out" : "in");
	if (!is_output)
		add_fill(out, t);
	buf_adds(out, t->key[0] ? "}  # the model's own\n" : "}\n");
}

static double add_arguments(struct buf *out, const struct problem *p)
{
	double bytes = 0;

	buf_adds(out, "arguments:\n");
	for (size_t i = 0; i < p->n_inputs; i++) {
		add_argument(out, &p->input[i], false);
		bytes += bytes_of(&p->input[i]);
	}
	for (size_t i = 0; i < p->n_state; i++) {
		add_argument(out, &p->state[i], false);
		bytes += bytes_of(&p->state[i]);
	}
	for (size_t i = 0; i < p->n_outputs; i++) {
		add_argument(out, &p->output[i], true);
		bytes += bytes_of(&p->output[i]);
	}
	return bytes;
}

static bool has_floats(const struct problem *p)
{
	for (size_t i = 0; i < p->n_outputs; i++)
		if (dtype_is_float(p->output[i].dtype))
			return true;
	return false;
}

void kernelbench_task(struct buf *out, const struct problem *p,
		      const char *name, const char *from)
{
	cleanup_buf struct buf clean = BUF_INIT(BUF_LIMIT_TEXT);
	double bytes;

	out_clean_line(&clean, from);
	buf_addf(out,
		 "# Made by `avogit import kernelbench` of %s.\n"
		 "name: %s\n"
		 "language: python\n"
		 "sources: [" KERNELBENCH_CANDIDATE "]\n"
		 "entry: " ENTRY "\n"
		 "suite: kernelbench        # its own rule is shown, too\n\n",
		 clean.data, name);
	bytes = add_arguments(out, p);
	buf_addf(out,
		 "\ncases: [{}]        # one shape: the problem's\n"
		 "bytes: %.0f        # what a launch reads and writes at "
		 "least\n\n"
		 "# The problem itself in double, and in its own precision: "
		 "that says how far a\n# kernel may be off.\n"
		 "reference: {torch: " KERNELBENCH_REFERENCE
		 ", entry: avogit_reference, plain: avogit_plain}\n",
		 bytes);
	if (has_floats(p))
		buf_adds(out, "tolerance: {factor: 2}\n");
	buf_adds(out,
		 "baselines:\n"
		 "  eager: {torch: " KERNELBENCH_EAGER ", entry: " ENTRY "}\n");
}

/* ---- Python ----------------------------------------------------------------- */

static void add_text(struct buf *out, const struct buf *text)
{
	buf_add(out, text->data, text->len);
	if (text->len && text->data[text->len - 1] != '\n')
		buf_addc(out, '\n');
	buf_adds(out, problem_adapter_image);
}

static void add_names(struct buf *out, const struct problem_tensor *t, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_addf(out, "%s, ",
			 is_number(&t[i]) ? t[i].value : t[i].name);
}

static void add_parameters(struct buf *out, const struct problem_tensor *t,
			   size_t n, bool *any)
{
	for (size_t i = 0; i < n; i++) {
		if (is_number(&t[i]))
			continue;
		buf_addf(out, "%s%s", *any ? ", " : "", t[i].name);
		*any = true;
	}
}

static void add_function(struct buf *out, const struct problem *p,
			 const char *name, bool wide)
{
	bool any = false;

	buf_addf(out, "def %s(", name);
	add_parameters(out, p->input, p->n_inputs, &any);
	add_parameters(out, p->state, p->n_state, &any);
	add_parameters(out, p->output, p->n_outputs, &any);
	buf_addf(out, "):\n    _avogit_call(\n        %s,\n        (",
		 wide ? "True" : "False");
	add_names(out, p->input, p->n_inputs);
	buf_adds(out, "),\n        {");
	for (size_t i = 0; i < p->n_state; i++)
		buf_addf(out, "%s\"%s\": %s", i ? ", " : "", p->state[i].key,
			 p->state[i].name);
	buf_adds(out, "},\n        (");
	add_names(out, p->output, p->n_outputs);
	buf_adds(out, "),\n    )\n");
}

void kernelbench_candidate(struct buf *out, const struct problem *p,
			   const struct buf *text)
{
	add_text(out, text);
	add_function(out, p, ENTRY, false);
	buf_adds(out, "\n\n_avogit_model(False)\n");
}

void kernelbench_reference(struct buf *out, const struct problem *p,
			   const struct buf *text)
{
	add_text(out, text);
	add_function(out, p, "avogit_reference", true);
	buf_adds(out, "\n\n");
	add_function(out, p, "avogit_plain", false);
}
