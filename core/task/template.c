#include "core/task/template.h"

#include "core/task/object.h"
#include "core/task/template_cases.h"
#include "core/task/template_parts.h"

void template_release(struct template *t)
{
	strvec_release(&t->flags);
	strvec_release(&t->include);
	strvec_release(&t->files);
	strvec_release(&t->functions);
}

void template_add_argument_name(struct buf *out, const struct prototype *p,
				size_t i)
{
	if (*p->parameter[i].name)
		buf_adds(out, p->parameter[i].name);
	else
		buf_addf(out, "argument%zu", i + 1);
}

static bool is_bytes(const struct parameter *a)
{
	return a->is_pointer && !a->known && str_eq(a->type, "void");
}

/* "[m, k]" */
static void add_list(struct buf *out, const struct prototype *p,
		     const char *text)
{
	buf_addc(out, '[');
	template_add_expression(out, p, text);
	buf_addc(out, ']');
}

/* One dimension for each symbol, two at most; with `between` them. */
static char *guessed_sizes(const struct prototype *p, const char *between)
{
	const char *first = template_symbol(p, 0),
		   *second = template_symbol(p, 1);

	return xasprintf("%s%s%s", first ? first : "n", second ? between : "",
			 second ? second : "");
}

/* Integers of 32 and 64 bits take every value where all is known of them, and they
 * are more than labels: the low byte alone would put small ones in order, too. */
static void add_wide_range(struct buf *out, const struct parameter *a)
{
	bool is_signed = a->dtype == DTYPE_I32 || a->dtype == DTYPE_I64;
	bool seen = a->elements_seen && !a->elements_small;
	bool by_bits = !is_signed && a->elements_bits;
	bool by_order = a->elements_ordered && !a->elements_limited &&
			!(is_signed && a->elements_summed);
	long long high = a->dtype == DTYPE_U32	 ? (long long)UINT32_MAX
			 : a->dtype == DTYPE_I32 ? INT32_MAX
						 : INT64_MAX;

	if (seen && (by_bits || by_order))
		buf_addf(out,
			 "\n    fill: {low: %lld, high: %lld}  # GUESS: %s",
			 is_signed ? -high : 0, high,
			 by_bits ? "its bits are used, or sums of it may "
				   "overflow"
				 : "its values are compared with each other");
	else if (a->elements_ordered || !a->elements_seen)
		buf_addf(out,
			 "\n    # GUESS: without `fill` from %d to %d: say "
			 "{low: ..., high: ...} where larger ones are put in "
			 "order or compared.",
			 is_signed ? -4 : 0, 4);
}

/* Integers of one byte or two take every value, unless that could not be: an
 * input of small ones only says nothing of those that have the highest bit. */
static void add_whole_range(struct buf *out, const struct parameter *a)
{
	bool is_signed = a->known &&
			 (a->dtype == DTYPE_I8 || a->dtype == DTYPE_I16);
	size_t bytes = a->known ? dtype_bytes(a->dtype) : 1;
	long values = bytes == 1 ? 256 : 65536;

	if (a->known && !dtype_is_float(a->dtype) && bytes > 2)
		add_wide_range(out, a);
	if ((a->known ? dtype_is_float(a->dtype) : !is_bytes(a)) || bytes > 2)
		return;
	if (str_eq(a->type, "bool") || str_eq(a->type, "_Bool"))
		buf_adds(out, "\n    fill: {low: 0, high: 1}");
	else if (a->elements_small || (bytes > 1 && !a->elements_seen))
		buf_addf(out,
			 "\n    # GUESS: without `fill` from %d to 4: larger "
			 "ones may not fit as an index or a shift.",
			 is_signed ? -4 : 0);
	else
		buf_addf(out,
			 "\n    fill: {low: %ld, high: %ld}  # GUESS: every "
			 "value of its type",
			 is_signed ? -values / 2 : 0,
			 is_signed ? values / 2 - 1 : values - 1);
}

/* What the input holds, where it is not what its type always does. */
static void add_values(struct buf *out, const struct prototype *p,
		       const struct parameter *a)
{
	/* In other kinds two may be so close that rounding decides. */
	if (!a->high && a->decides)
		buf_adds(out, "\n    # GUESS: comparing what is computed of it "
			      "chooses an integer: exact sums, so that no "
			      "rounding decides which.\n"
			      "    fill: small_ints");
	else if (!a->high)
		add_whole_range(out, a);
	if (!a->high)
		return;
	buf_addf(out, "\n    fill: {low: %s, high: ", a->low);
	template_add_expression(out, p, a->high);
	buf_addf(out, "}  # GUESS: %s\n",
		 a->indexes ? "it indexes another array"
			    : "what it is between calls");
	buf_trim_end(out);
}

static void add_direction(struct buf *out, const struct parameter *a)
{
	static const char *const directions[] = {"in", "out", "inout"};

	if (a->is_swapped)
		buf_adds(out, "\n    direction: inout  # GUESS: it changes "
			      "places with another array");
	else if (a->has_direction)
		buf_addf(out, "\n    direction: %s%s", directions[a->direction],
			 a->is_partial	? "  # GUESS: by what the arrays hold, "
					  "some stay as they were"
			 : a->is_reread ? "  # GUESS: out where it reads only "
					  "what it wrote before"
			 : a->direction == DIRECTION_OUT &&
					 (!a->shape || a->shape_unsure)
				 ? "  # GUESS: inout where some stay as they "
				   "were"
				 : "");
	else
		buf_addf(out, "\n    direction: %s",
			 is_output(a) ? "out  # GUESS: or inout" : "in");
}

static void add_fill(struct buf *out, const struct prototype *p,
		     const struct parameter *a)
{
	if ((a->contents || a->indexes) && a->ascends)
		buf_addf(
			out,
			"\n    fill: {generator: %s_ascends}  # GUESS: it says "
			"where loops begin and end",
			a->name);
	else if (a->contents)
		buf_addf(out,
			 "\n    fill: {low: 0, high: %s}  # GUESS: it indexes "
			 "another array",
			 a->contents);
	else if (a->has_direction ? a->direction != DIRECTION_OUT
				  : !is_output(a))
		add_values(out, p, a);
	if (a->elements_searched &&
	    (!a->has_direction || a->direction != DIRECTION_OUT))
		buf_adds(out, "\n    # GUESS: it is searched or merged as one "
			      "that is in order: `fill: {generator: ...}` "
			      "makes it so.");
	if (a->returns && (!a->has_direction || a->direction != DIRECTION_OUT))
		buf_adds(out, "\n    # GUESS: a loop returns early by what it "
			      "holds: `fill` should make inputs that it goes "
			      "through.");
}

static void add_vary(struct buf *out, const struct parameter *a)
{
	if (a->held == HELD_STATE && a->high && str_eq(a->low, a->high))
		buf_adds(out,
			 "\n    vary: false  # GUESS: it makes a mask, for "
			 "which it is a power of two");
	/* The last few inputs, as a filter keeps them. */
	if (a->state && a->held == HELD_ARRAY && !a->high &&
	    a->direction == DIRECTION_INOUT)
		buf_adds(out, "\n    vary: false  # GUESS: a long launch may "
			      "leave nothing of what it was; short hidden ones "
			      "do");
}

static void add_tensor(struct buf *out, const struct prototype *p,
		       const struct parameter *a)
{
	cleanup_free char *guess = guessed_sizes(p, ", ");

	buf_adds(out, "\n    shape: ");
	add_list(out, p, a->shape ? a->shape : guess);
	buf_adds(out, !a->shape	    ? "  # GUESS"
		      : a->is_ahead ? "  # GUESS: a loop that may end early "
				      "looks further ahead"
		      : a->shape_unsure ? "  # GUESS: some access is not "
					  "known"
		      : a->is_guarded	? "  # GUESS: a condition may keep it "
					  "from going so far"
					: "");
	if (a->strides) {
		buf_adds(out, "\n    strides: ");
		add_list(out, p, a->strides);
	}
	add_direction(out, a);
	add_fill(out, p, a);
	add_vary(out, a);
}

/* `fault`: why the object of a method is not said by its members; NULL: there is
 * nothing to say. */
static void add_dtype(struct buf *out, const struct parameter *a,
		      const char *fault)
{
	bool bytes = is_bytes(a);

	buf_addf(out, "\n    dtype: %s",
		 a->known ? dtype_name(a->dtype)
		 : bytes  ? "u8"
			  : "f32");
	if (a->members)
		buf_addf(out, "  # `%s` has %zu of them", a->type, a->members);
	else if (bytes)
		buf_adds(out, "  # GUESS: what `void *` points to, as bytes");
	else if (!a->known && fault)
		buf_addf(out,
			 "  # GUESS: `%s *` has %s, which the %s uses: "
			 "docs/task.md, \"A %s by hand\"",
			 a->type, fault, a->fault ? "function" : "method",
			 a->fault ? "state" : "method");
	else if (!a->known)
		buf_addf(out, "  # GUESS: `%s%s` is not a type avogit knows%s",
			 a->type, a->is_pointer ? " *" : "",
			 starts_with(a->type, "struct ")
				 ? ": say its members (`struct:` in "
				   "docs/task.md)"
				 : "");
}

static void add_value(struct buf *out, const struct prototype *p,
		      const struct parameter *a)
{
	buf_adds(out, "\n    value: ");
	template_add_expression(out, p, a->name);
	if (!task_can_be_symbol(a->name))
		buf_addf(out, "  # no symbol can be `%s`", a->name);
}

/* The size that another structure of the type has in this place. */
static const struct parameter *same_member(const struct prototype *p,
					   const struct parameter *a)
{
	for (size_t i = p->n; i < prototype_all(p); i++) {
		const struct parameter *b = &p->parameter[i];

		if (template_is_symbol(p, b) && str_eq(a->member, b->member) &&
		    str_eq(p->parameter[a->owner - 1].type,
			   p->parameter[b->owner - 1].type))
			return b;
	}
	return NULL;
}

static void add_member(struct buf *out, const struct prototype *p,
		       const struct parameter *a)
{
	bool symbol = template_is_symbol(p, a);
	const struct parameter *same = symbol ? NULL : same_member(p, a);
	const char *why = "";

	buf_addf(out, "\n      - {name: %s, ", a->member);
	if (a->is_pointer && (a->known || is_bytes(a))) {
		buf_addf(out, "tensor: %s}", a->name);
		return;
	}
	buf_addf(out, "dtype: %s, value: ",
		 a->is_pointer ? "u64" : dtype_name(a->dtype));
	if (symbol || same)
		template_add_expression(out, p, symbol ? a->name : same->name);
	else
		buf_adds(out,
			 a->is_pointer ? "0" : template_any_value(&why, p, a));
	buf_addc(out, '}');
	if (a->is_pointer)
		buf_addf(out, "  # GUESS: a null pointer, for `%.*s %s*`",
			 (int)strcspn(a->type, "*"), a->type,
			 a->type + strcspn(a->type, "*"));
	else if (!symbol)
		buf_addf(out, "  # GUESS%s", why);
}

static bool has_numbers(const struct prototype *p, size_t i)
{
	for (size_t k = p->n; k < prototype_all(p); k++)
		if (p->parameter[k].owner == i + 1 &&
		    !p->parameter[k].is_pointer)
			return true;
	return false;
}

/* The arrays that its members point to, and then itself. */
static void add_structure(struct buf *out, const struct prototype *p, size_t i)
{
	for (size_t k = p->n; k < prototype_all(p); k++) {
		const struct parameter *a = &p->parameter[k];

		if (a->owner != i + 1 || !a->is_pointer ||
		    !(a->known || is_bytes(a)))
			continue;
		buf_addf(out, "  - name: %s", a->name);
		add_dtype(out, a, NULL);
		add_tensor(out, p, a);
		buf_addc(out, '\n');
	}
	buf_addf(out,
		 "  - name: %s\n"
		 "    # `%s`: arrays that it points to are arguments above.\n",
		 p->parameter[i].name, p->parameter[i].declared);
	if (!p->parameter[i].is_const && has_numbers(p, i))
		buf_adds(out, "    # GUESS: a copy for each launch: numbers "
			      "that are written in it are not compared.\n");
	buf_adds(out, "    pointer: true\n    struct:");
	for (size_t k = p->n; k < prototype_all(p); k++)
		if (p->parameter[k].owner == i + 1)
			add_member(out, p, &p->parameter[k]);
	buf_addc(out, '\n');
}

static void add_any_value(struct buf *out, const struct prototype *p,
			  const struct parameter *a)
{
	const char *why, *value = template_any_value(&why, p, a);

	buf_addf(out, "\n    value: %s  # GUESS%s", value, why);
}

/* How many a vector has of which the loops say how far it is used. */
static void add_count(struct buf *out, const struct prototype *p,
		      const struct parameter *vector)
{
	buf_adds(out, "\n    value: ");
	if (vector->members > 1)
		buf_adds(out, "(");
	template_add_expression(out, p, vector->extent);
	if (vector->members > 1)
		buf_addf(out, ") / %zu", vector->members);
}

static void add_argument(struct buf *out, const struct prototype *p, size_t i)
{
	const struct parameter *a = &p->parameter[i];

	if (a->has_members) {
		add_structure(out, p, i);
		return;
	}
	buf_adds(out, "  - name: ");
	template_add_argument_name(out, p, i);
	add_dtype(out, a,
		  a->fault			    ? a->fault
		  : p->is_method && !i && p->object ? p->object->fault
						    : NULL);
	if (a->is_pointer)
		add_tensor(out, p, a);
	else if (template_is_symbol(p, a))
		add_value(out, p, a);
	else if (a->held == HELD_COUNT && p->parameter[i - 1].extent)
		add_count(out, p, &p->parameter[i - 1]);
	else
		add_any_value(out, p, a);
	buf_addc(out, '\n');
}

/* Where the size of some array is known, the others alone are a guess: all of two
 * sizes for each might be more than any machine moves. */
static bool add_known_bytes(struct buf *out, const struct prototype *p,
			    const char *guess)
{
	bool any = false;
	size_t n = 0;

	for (size_t i = 0; i < prototype_all(p); i++)
		any |= p->parameter[i].extent && p->parameter[i].known;
	for (size_t i = 0; any && i < prototype_all(p); i++) {
		const struct parameter *a = &p->parameter[i];
		bool twice = a->has_direction &&
			     a->direction == DIRECTION_INOUT;

		if (!a->is_pointer || a->has_members)
			continue;
		buf_addf(out, "%s%zu * (", n++ ? " + " : "bytes: \"",
			 (a->known ? dtype_bytes(a->dtype) : 4) << twice);
		template_add_expression(out, p, a->extent ? a->extent : guess);
		buf_addc(out, ')');
	}
	if (n)
		buf_adds(out, "\"  # GUESS\n");
	return n > 0;
}

/* Every tensor once: the bytes of a kernel that only moves data. */
static void add_bytes(struct buf *out, const struct prototype *p)
{
	cleanup_free char *guess = guessed_sizes(p, " * ");
	size_t bytes = 0;

	if (p->flops) {
		buf_adds(out, "flops: ");
		template_add_expression(out, p, p->flops);
		buf_adds(out, "  # GUESS: turns of the loops\n");
	}
	if (p->bytes) {
		buf_adds(out, "bytes: ");
		template_add_expression(out, p, p->bytes);
		buf_addc(out, '\n');
		return;
	}
	if (template_has_object(p) && add_known_bytes(out, p, guess))
		return;
	for (size_t i = 0; i < prototype_all(p); i++)
		if (p->parameter[i].is_pointer && !p->parameter[i].has_members)
			bytes += p->parameter[i].known
					 ? dtype_bytes(p->parameter[i].dtype)
					 : 4;
	buf_addf(out, "bytes: \"%zu * ", bytes);
	template_add_expression(out, p, guess);
	buf_adds(out, "\"  # GUESS\n");
}

/* A source may choose flags that change no result, or hardly. */
static const char cuda_build[] =
	"build:\n"
	"  # arch: sm_90a  # else that of the GPU that is there\n"
	"  flags: [-O3]\n"
	"  # What a line `// avogit-flags: -O3 | -maxrregcount=128` of the "
	"kernel may choose.\n"
	"  allow: [-O3, -maxrregcount=64, -maxrregcount=96, "
	"-maxrregcount=128]\n";

/* Words of the user's, quoted where YAML would read them otherwise. */
static void add_words(struct buf *out, const struct strvec *words)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=./";

	for (size_t i = 0; i < words->n; i++) {
		const char *word = words->v[i];
		bool quoted = !*word || word[strspn(word, plain)];

		buf_adds(out, i ? ", " : "");
		if (quoted)
			buf_addc(out, '"');
		for (; *word; word++)
			buf_addf(out, "%s%c",
				 *word == '"' || *word == '\\' ? "\\" : "",
				 *word);
		if (quoted)
			buf_addc(out, '"');
	}
}

/* Files beside the sources, the shim first; and what of all is compiled, where
 * that is not every source file. */
static void add_files(struct buf *out, const struct template *t)
{
	const char *alone = t->shim ? t->shim : t->alone ? t->kernel : NULL;
	cleanup_strvec struct strvec files = STRVEC_INIT, one = STRVEC_INIT;

	if (t->shim)
		strvec_push(&files, t->shim);
	strvec_extend(&files, &t->files);
	if (files.n) {
		buf_adds(out, "  files: [");
		add_words(out, &files);
		buf_adds(out, "]\n");
	}
	if (!alone)
		return;
	strvec_push(&one, alone);
	buf_addf(out, "  # Alone: it includes the %s.\n  compile: [",
		 t->shim ? "kernel" : "others");
	add_words(out, &one);
	buf_adds(out, "]\n");
}

static void add_build(struct buf *out, const struct template *t)
{
	bool cxx = t->prototype->language == LANGUAGE_CXX;

	if (is_cuda(t->prototype)) {
		buf_adds(out, cuda_build);
		return;
	}
	buf_addf(out, "build:\n  compiler: %s\n  flags: [",
		 t->compiler ? t->compiler
		 : cxx	     ? "c++"
			     : "cc");
	add_words(out, &t->flags);
	buf_addf(out, "%s]\n", t->flags.n ? "" : "-O2");
	buf_adds(out, "  # What a line `// avogit-flags: -O2 | -O3` of the "
		      "kernel may choose.\n"
		      "  allow: [-O2, -O3, -march=native, -funroll-loops]\n");
	add_files(out, t);
}

/* "ns::f_plain<float>" of "ns::f<float>", "ns::f_plain(int)" of "ns::f(int)" */
char *template_plain_name(const char *name)
{
	size_t len = strcspn(name, "<(");

	return xasprintf("%.*s_plain%s", (int)len, name, name + len);
}

char *template_name(const struct prototype *p)
{
	const char *end = p->name + strcspn(p->name, "<"), *at = end;
	cleanup_buf struct buf name = BUF_INIT(200);

	while (at > p->name && at[-1] != ':')
		at--;
	for (; at < end; at++)
		buf_addc(&name, *at == ' ' || *at == '(' || *at == ')' ||
						*at == '&' || *at == '*' ||
						*at == ','
					? '_'
					: *at);
	return buf_take(&name);
}

static const char *language_word(enum language l)
{
	return l == LANGUAGE_CUDA ? "cuda" : l == LANGUAGE_CXX ? "c++" : "c";
}

static void add_head(struct buf *out, const struct template *t,
		     const char *name)
{
	const struct prototype *p = t->prototype;

	buf_addf(out,
		 "# What avogit is to make fast, and what right and fast mean. "
		 "docs/task.md has\n"
		 "# every key. GUESS marks what the kernel's source does not "
		 "say: look these over.\n");
	if (t->read_by)
		buf_addf(out,
			 "# Types are what %s takes them for; shapes and "
			 "directions without a GUESS are\n"
			 "# read from the loops.\n",
			 t->read_by);
	buf_addf(out,
		 "name: %s\n"
		 "language: %s\n"
		 "\n"
		 "# Files that a candidate may change.\n"
		 "sources: [",
		 name, language_word(p->language));
	add_words(out,
		  &(struct strvec){.v = (char *[]){(char *)t->kernel, NULL},
				   .n = 1});
	buf_adds(out, "]\n");
	if (t->include.n) {
		buf_adds(out, "include: [");
		add_words(out, &t->include);
		buf_adds(out, "]\n");
	}
}

/* An output is an argument, or a number that is returned. */
static void add_dropped_result(struct buf *out, const struct prototype *p)
{
	if (template_drops_result(p))
		buf_addf(out,
			 "# GUESS: what it returns, `%s`, is not looked at: "
			 "only arguments are compared.\n"
			 "# Where the result is behind it, docs/task.md, "
			 "\"A result behind a pointer\".\n",
			 p->result);
}

bool template_drops_result(const struct prototype *p)
{
	return p->result && !p->has_result;
}

#define DEAD_STATE                                                             \
	"# What means nothing between calls, as behind a count, is compared, " \
	"too: docs/task.md,\n"                                                 \
	"# \"State that means nothing\", has the line that frees it.\n"

static bool has_state_array(const struct prototype *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->parameter[i].state && is_output(&p->parameter[i]) &&
		    p->parameter[i].extent &&
		    !str_eq(p->parameter[i].extent, "1"))
			return true;
	return false;
}

static void add_entry(struct buf *out, const struct template *t,
		      const char *name)
{
	const struct prototype *p = t->prototype;

	if (t->shim && p->n_states)
		buf_addf(
			out,
			"# %s has it: it puts what %s uses of its state into a "
			"structure, calls that,\n"
			"# and gives back what is changed. GUESS: which values "
			"go together there.\n%s"
			"entry: %s_entry\n",
			t->shim, p->name, has_state_array(p) ? DEAD_STATE : "",
			name);
	else if (t->shim && template_has_object(p))
		buf_addf(out,
			 "# %s has it: it makes an object of what %s uses, "
			 "and calls that.\n"
			 "entry: %s_entry\n",
			 t->shim, p->name, name);
	else if (t->shim)
		buf_addf(out,
			 "# %s has it: it calls %s, which no other file can.\n"
			 "entry: %s_entry\n",
			 t->shim, p->name, name);
	else
		buf_addf(out, "entry: %s\n",
			 t->declaration ? t->declaration : p->name);
}

void template_task(struct buf *out, const struct template *t)
{
	const struct prototype *p = t->prototype;
	cleanup_free char *name = template_name(p);

	add_head(out, t, name);
	buf_addf(out,
		 "\n"
		 "# The function and its arguments, in order%s.\n"
		 "# Shapes are expressions over the symbols of the cases.\n",
		 is_cuda(p) ? ", but for the stream" : "");
	add_entry(out, t, name);
	if (t->setup)
		buf_addf(out,
			 "# GUESS: to be called once before it? Then here and "
			 "in `reference`:\n# setup: %s\n",
			 t->setup);
	add_dropped_result(out, p);
	buf_adds(out, "arguments:\n");
	for (size_t i = 0; i < p->n; i++)
		add_argument(out, p, i);
	if (p->has_result)
		buf_addf(out,
			 "  - name: returned\n"
			 "    dtype: %s\n"
			 "    direction: return\n%s",
			 dtype_name(p->result_dtype),
			 p->is_status
				 ? "    vary: false  # GUESS: one of a few "
				   "constants, by the sizes\n"
				 : "");
	buf_adds(out, "\n# What is timed.\n");
	template_add_cases(out, t);
	buf_adds(out, "\n# Work of one launch: flops where arithmetic is the "
		      "limit, bytes where memory is.\n");
	add_bytes(out, p);
	buf_addf(out,
		 "\n"
		 "# What is right: %s.\n"
		 "reference:\n"
		 "  source: %s\n"
		 "  entry: %s_reference\n"
		 "  plain: ",
		 template_is_of_integers(p)
			 ? "and the kernel as it was, `plain`"
			 : "computed in double precision, and plainly in the "
			   "kernel's own",
		 t->reference, name);
	if (t->shim)
		buf_addf(out, "%s_entry_plain", name);
	else {
		cleanup_free char *plain = template_plain_name(
			t->declaration ? t->declaration : p->name);

		buf_adds(out, plain);
	}
	if (t->setup)
		buf_addf(out, "\n  # setup: %s", t->setup);
	buf_adds(out, "\n\n");
	add_build(out, t);
}
