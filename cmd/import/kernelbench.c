#include "cmd/import/kernelbench.h"

#include <ctype.h>
#include <inttypes.h>

#include "cmd/ui/out.h"

/* import_image.S */
extern const char problem_wide_image[], problem_adapter_image[];

#define ENTRY "avogit_kernel"

static bool is_number(const struct problem_tensor *t)
{
	return t->value[0] != '\0';
}

/* ---- the task --------------------------------------------------------------- */

static void add_dim(struct buf *out, const struct problem_tensor *t, size_t d)
{
	if (t->dim[d])
		buf_adds(out, t->dim[d]);
	else
		buf_addf(out, "%" PRId64, t->shape[d]);
}

struct moved_bytes {
	double fixed;
	struct buf more; /* " + 128 * rows" for each tensor that varies */
};

static void bytes_release(struct moved_bytes *b)
{
	buf_release(&b->more);
}
DEFINE_RELEASE(moved_bytes, struct moved_bytes, bytes_release)
#define cleanup_moved_bytes CLEANUP(moved_bytes)

static void add_bytes_of(struct moved_bytes *out,
			 const struct problem_tensor *t)
{
	double bytes = is_number(t) ? 0 : (double)dtype_bytes(t->dtype);
	bool varies = false;

	for (size_t d = 0; d < t->n_dims; d++) {
		bytes *= t->dim[d] ? 1 : (double)t->shape[d];
		varies |= t->dim[d] != NULL;
	}
	if (!varies) {
		out->fixed += bytes;
		return;
	}
	buf_addf(&out->more, " + %.0f", bytes);
	for (size_t d = 0; d < t->n_dims; d++)
		if (t->dim[d])
			buf_addf(&out->more, " * %s", t->dim[d]);
}

static void add_bound(struct buf *out, const char *text, int64_t value)
{
	if (*text)
		buf_adds(out, text);
	else
		buf_addf(out, "%" PRId64, value);
}

/* Floats are `mixed`, the default, unless they have no sign, or an output may be
 * off by a fixed amount, which means something for inputs of one size only. */
static void add_fill(struct buf *out, const struct problem_tensor *t,
		     bool one_size)
{
	if (dtype_is_float(t->dtype)) {
		buf_adds(out, t->uniform ? ", fill: uniform"
			      : one_size ? ", fill: normal"
					 : "");
		return;
	}
	buf_adds(out, ", fill: {low: ");
	add_bound(out, t->low_text, t->low);
	buf_adds(out, ", high: ");
	add_bound(out, t->high_text, t->high);
	buf_addc(out, '}');
}

static bool has_tolerance(const struct problem *p)
{
	for (size_t i = 0; i < p->n_outputs; i++)
		if (p->output[i].has_tolerance)
			return true;
	return false;
}

static void add_argument(struct buf *out, const struct problem_tensor *t,
			 bool is_output, bool one_size)
{
	if (is_number(t))
		return;
	buf_addf(out, "  - {name: %s, dtype: %s, shape: [", t->name,
		 dtype_name(t->dtype));
	for (size_t d = 0; d < t->n_dims; d++) {
		buf_adds(out, d ? ", " : "");
		add_dim(out, t, d);
	}
	buf_adds(out, t->n_dims ? "" : "1");
	buf_addf(out, "], direction: %s", is_output ? "out" : "in");
	if (!is_output)
		add_fill(out, t, one_size);
	if (t->has_tolerance)
		buf_addf(out, ", tolerance: {rtol: %.6g, atol: %.6g}", t->rtol,
			 t->atol);
	buf_adds(out, t->key[0] ? "}  # the model's own\n" : "}\n");
}

static void add_arguments(struct buf *out, struct moved_bytes *bytes,
			  const struct problem *p)
{
	bool one_size = has_tolerance(p);

	buf_adds(out, "arguments:\n");
	for (size_t i = 0; i < p->n_inputs; i++) {
		add_argument(out, &p->input[i], false, one_size);
		add_bytes_of(bytes, &p->input[i]);
	}
	for (size_t i = 0; i < p->n_state; i++) {
		add_argument(out, &p->state[i], false, one_size);
		add_bytes_of(bytes, &p->state[i]);
	}
	for (size_t i = 0; i < p->n_outputs; i++) {
		add_argument(out, &p->output[i], true, one_size);
		add_bytes_of(bytes, &p->output[i]);
	}
	for (size_t i = 0; i < p->n_sizes; i++)
		if (p->size[i].global[0])
			buf_addf(out, "  - {name: %s, dtype: i64, value: %s}\n",
				 p->size[i].name, p->size[i].name);
}

/* Is there an output that the factor is for? */
static bool needs_factor(const struct problem *p)
{
	for (size_t i = 0; i < p->n_outputs; i++)
		if (dtype_is_float(p->output[i].dtype) &&
		    !p->output[i].has_tolerance)
			return true;
	return false;
}

static void add_heading(struct buf *out, const struct kernelbench_heading *h)
{
	cleanup_buf struct buf clean = BUF_INIT(BUF_LIMIT_TEXT);

	out_clean_line(&clean, h->from);
	buf_addf(out, "# Made by `avogit import %s` of %s.\n", h->form,
		 clean.data);
	for (size_t i = 0; h->remarks && i < h->remarks->n; i++)
		buf_addf(out, "# Not taken: %s.\n", h->remarks->v[i]);
	buf_addf(out,
		 "name: %s\n"
		 "language: python\n%s"
		 "sources: [" KERNELBENCH_CANDIDATE "]\n"
		 "entry: " ENTRY "\n%s\n",
		 h->name, h->cuda ? "device: cuda\n" : "",
		 h->suite ? "suite: kernelbench        # its own rule is "
			    "shown, too\n"
			  : "");
}

static void add_work(struct buf *out, const struct problem *p,
		     const struct moved_bytes *bytes)
{
	if (p->flops_text)
		buf_addf(out, "flops: %s\n", p->flops_text);
	if (p->bytes_text)
		buf_addf(out, "bytes: %s\n", p->bytes_text);
	else
		buf_addf(out,
			 "bytes: %.0f%s        # what a launch reads and "
			 "writes at least\n",
			 bytes->fixed, bytes->more.data);
	if (p->counts_bytes)
		buf_adds(out, "metric: {name: bytes}\n");
	if (p->forbidden && *p->forbidden)
		buf_addf(out,
			 "# What it began with, the same as eager.py, may use "
			 "that.\n%s",
			 p->forbidden);
}

void kernelbench_task(struct buf *out, const struct problem *p,
		      const struct kernelbench_heading *h)
{
	cleanup_moved_bytes struct moved_bytes bytes = {
		.more = BUF_INIT(BUF_LIMIT_TEXT)};

	add_heading(out, h);
	add_arguments(out, &bytes, p);
	if (p->cases)
		buf_addf(out, "\ncases:%s\n%s",
			 p->n_cases ? "" : "              # the Workloads",
			 p->cases);
	else
		buf_adds(out,
			 "\ncases: [{}]        # one shape: the problem's\n");
	add_work(out, p, &bytes);
	buf_adds(out, needs_factor(p)
			      ? "\n# The problem itself in double, and in its "
				"own precision: that says how far a\n# kernel "
				"may be off.\n"
		      : p->own_precision
			      ? "\n# The problem itself.\n"
			      : "\n# The problem itself in double.\n");
	buf_adds(out, "reference: {torch: " KERNELBENCH_REFERENCE
		      ", entry: avogit_reference, plain: avogit_plain}\n");
	if (needs_factor(p))
		buf_adds(out, "tolerance: {factor: 2}\n");
	buf_adds(out,
		 "baselines:\n"
		 "  eager: {torch: " KERNELBENCH_EAGER ", entry: " ENTRY "}\n");
	if (h->cuda)
		buf_adds(out, "  compiled: {torch: " KERNELBENCH_EAGER
			      ", entry: " ENTRY ", compile: default}\n"
			      "limits: {timeout: 30s, build: 300s}\n");
}

/* ---- Python ----------------------------------------------------------------- */

static void add_text(struct buf *out, const struct buf *text)
{
	buf_add(out, text->data, text->len);
	if (text->len && text->data[text->len - 1] != '\n')
		buf_addc(out, '\n');
	buf_adds(out, problem_wide_image);
	buf_adds(out, problem_adapter_image);
}

/* What makes the problem's tensor of an argument, without launching anything:
 * the bytes 0 and 1 of a task are the truth values of PyTorch, and one element may
 * be a tensor without dimensions. */
static const char *as_in_problem(const struct problem_tensor *t)
{
	if (is_number(t))
		return "";
	if (t->truth)
		return t->n_dims ? ".view(_torch.bool)"
				 : ".view(_torch.bool).view(())";
	return t->n_dims ? "" : ".view(())";
}

static void add_names(struct buf *out, const struct problem_tensor *t, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_addf(out, "%s%s, ",
			 is_number(&t[i]) ? t[i].value : t[i].name,
			 as_in_problem(&t[i]));
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

/* The globals of the problem with their sizes in the case; SIZE_MAX: with the
 * function's arguments. */
static void add_sizes(struct buf *out, const struct problem *p, size_t c)
{
	buf_adds(out, c == SIZE_MAX ? "        (" : "    (");
	for (size_t i = 0; i < p->n_sizes; i++) {
		const struct problem_size *s = &p->size[i];

		if (!s->global[0])
			continue;
		if (c == SIZE_MAX)
			buf_addf(out, "(\"%s\", %s), ", s->global, s->name);
		else
			buf_addf(out, "(\"%s\", %" PRId64 "), ", s->global,
				 s->value[c]);
	}
	buf_adds(out, "),\n");
}

static void add_function(struct buf *out, const struct problem *p,
			 const char *name, bool wide)
{
	bool any = false;

	buf_addf(out, "def %s(", name);
	add_parameters(out, p->input, p->n_inputs, &any);
	add_parameters(out, p->state, p->n_state, &any);
	add_parameters(out, p->output, p->n_outputs, &any);
	for (size_t i = 0; i < p->n_sizes; i++)
		if (p->size[i].global[0])
			buf_addf(out, ", %s", p->size[i].name);
	buf_addf(out, "):\n    _avogit_call(\n        %s,\n        (",
		 wide ? "True" : "False");
	add_names(out, p->input, p->n_inputs);
	buf_adds(out, "),\n        {");
	for (size_t i = 0; i < p->n_state; i++)
		buf_addf(out, "%s\"%s\": %s%s", i ? ", " : "", p->state[i].key,
			 p->state[i].name, as_in_problem(&p->state[i]));
	buf_adds(out, "},\n        (");
	add_names(out, p->output, p->n_outputs);
	buf_adds(out, "),\n");
	if (p->n_cases)
		add_sizes(out, p, SIZE_MAX);
	buf_adds(out, "    )\n");
}

/* Made before anything is timed. */
static void add_models(struct buf *out, const struct problem *p, bool cuda)
{
	buf_adds(out, "\n\n");
	if (!p->n_cases)
		buf_adds(out, cuda ? "_avogit_model(False, \"cuda\")\n"
				   : "_avogit_model(False)\n");
	for (size_t c = 0; c < p->n_cases; c++) {
		buf_addf(out, "_avogit_model(\n    False,\n    \"%s\",\n",
			 cuda ? "cuda" : "cpu");
		add_sizes(out, p, c);
		buf_adds(out, "    (");
		for (size_t i = 0; i < p->n_state; i++)
			buf_addf(out, "\"%s\", ", p->state[i].key);
		buf_adds(out, "),\n)\n");
	}
}

void kernelbench_candidate(struct buf *out, const struct problem *p,
			   const struct buf *text, bool cuda)
{
	add_text(out, text);
	add_function(out, p, ENTRY, false);
	add_models(out, p, cuda);
}

void kernelbench_reference(struct buf *out, const struct problem *p,
			   const struct buf *text)
{
	add_text(out, text);
	add_function(out, p, "avogit_reference", !p->own_precision);
	buf_adds(out, "\n\n");
	add_function(out, p, "avogit_plain", false);
}
