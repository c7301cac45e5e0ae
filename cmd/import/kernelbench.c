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
	for (size_t d = 0; d < t->n_dims; d++) {
		buf_adds(out, d ? ", " : "");
		add_dim(out, t, d);
	}
	buf_addf(out, "], direction: %s", is_output ? "out" : "in");
	if (!is_output)
		add_fill(out, t);
	buf_adds(out, t->key[0] ? "}  # the model's own\n" : "}\n");
}

static void add_arguments(struct buf *out, struct moved_bytes *bytes,
			  const struct problem *p)
{
	buf_adds(out, "arguments:\n");
	for (size_t i = 0; i < p->n_inputs; i++) {
		add_argument(out, &p->input[i], false);
		add_bytes_of(bytes, &p->input[i]);
	}
	for (size_t i = 0; i < p->n_state; i++) {
		add_argument(out, &p->state[i], false);
		add_bytes_of(bytes, &p->state[i]);
	}
	for (size_t i = 0; i < p->n_outputs; i++) {
		add_argument(out, &p->output[i], true);
		add_bytes_of(bytes, &p->output[i]);
	}
}

static bool has_floats(const struct problem *p)
{
	for (size_t i = 0; i < p->n_outputs; i++)
		if (dtype_is_float(p->output[i].dtype))
			return true;
	return false;
}

void kernelbench_task(struct buf *out, const struct problem *p,
		      const char *name, const char *from, bool cuda)
{
	cleanup_buf struct buf clean = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_moved_bytes struct moved_bytes bytes = {
		.more = BUF_INIT(BUF_LIMIT_TEXT)};

	out_clean_line(&clean, from);
	buf_addf(out,
		 "# Made by `avogit import %s` of %s.\n"
		 "name: %s\n"
		 "language: python\n%s"
		 "sources: [" KERNELBENCH_CANDIDATE "]\n"
		 "entry: " ENTRY "\n%s\n",
		 p->cases ? "flashinfer" : "kernelbench", clean.data, name,
		 cuda ? "device: cuda\n" : "",
		 p->cases || cuda
			 ? ""
			 : "suite: kernelbench        # its own rule is shown, "
			   "too\n");
	add_arguments(out, &bytes, p);
	if (p->cases)
		buf_addf(out, "\ncases:              # the Workloads\n%s",
			 p->cases);
	else
		buf_adds(out,
			 "\ncases: [{}]        # one shape: the problem's\n");
	buf_addf(out,
		 "bytes: %.0f%s        # what a launch reads and writes at "
		 "least\n\n"
		 "# The problem itself in double, and in its own precision: "
		 "that says how far a\n# kernel may be off.\n"
		 "reference: {torch: " KERNELBENCH_REFERENCE
		 ", entry: avogit_reference, plain: avogit_plain}\n",
		 bytes.fixed, bytes.more.data);
	if (has_floats(p))
		buf_adds(out, "tolerance: {factor: 2}\n");
	buf_adds(out,
		 "baselines:\n"
		 "  eager: {torch: " KERNELBENCH_EAGER ", entry: " ENTRY "}\n");
	if (cuda)
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
			   const struct buf *text, bool cuda)
{
	add_text(out, text);
	add_function(out, p, ENTRY, false);
	buf_adds(out, cuda ? "\n\n_avogit_model(False, \"cuda\")\n"
			   : "\n\n_avogit_model(False)\n");
}

void kernelbench_reference(struct buf *out, const struct problem *p,
			   const struct buf *text)
{
	add_text(out, text);
	add_function(out, p, "avogit_reference", true);
	buf_adds(out, "\n\n");
	add_function(out, p, "avogit_plain", false);
}
