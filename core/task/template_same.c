/* The reference that is the kernel in its own precision. What it rounds to the
 * nearest number each time it rounds once up and once down, too: the middle is what
 * is right, and how far the nearest is from it how large an honest error is. */
#include "core/task/template_parts.h"

#include "core/task/template.h"
#include "core/task/token.h"

/* From `at`, behind a `static`, or where a declaration begins: is it of a variable
 * that is written? One that is const all the way is not, nor is a function. */
static bool declares_variable(const char *at)
{
	bool is_const = false;
	size_t words = 0;
	struct token t;

	while ((t = token_next(&at)).len) {
		words += token_is_word(t);
		if (token_is(t, "const"))
			is_const = true;
		else if (token_is(t, "constexpr") || token_is(t, "("))
			return false;
		else if (token_is(t, "*"))
			is_const = false;
		else if (token_is(t, ";") || token_is(t, "=") ||
			 token_is(t, "[") || token_is(t, "{"))
			return !is_const && words > 1; /* `} name;` */
	}
	return false;
}

/* Words that a declaration at the outermost level has before something that is no
 * variable. */
static bool is_no_variable(struct token t)
{
	static const char *const word[] = {
		"typedef",	 "struct", "union",    "enum",
		"class",	 "extern", "template", "namespace",
		"static_assert", "using",  "static",   "thread_local"};

	for (size_t i = 0; i < ARRAY_SIZE(word); i++)
		if (token_is(t, word[i]))
			return true;
	return false;
}

bool template_keeps_values(const char *kernel_text)
{
	const char *at = kernel_text;
	bool begins = true;
	size_t depth = 0;
	struct token t;

	while ((t = token_next(&at)).len) {
		if ((token_is(t, "static") || token_is(t, "thread_local")) &&
		    declares_variable(at))
			return true;
		if (begins && depth == 0 && token_is_word(t) &&
		    !is_no_variable(t) && declares_variable(t.at))
			return true;
		if (token_is(t, "{"))
			depth++;
		else if (token_is(t, "}") && depth)
			depth--;
		begins = token_is(t, ";") || token_is(t, "}");
	}
	return false;
}

/* Structures of integers are copied whole, those of floats by their numbers. */
static bool is_whole(const struct parameter *a)
{
	return a->members && !dtype_is_float(a->dtype);
}

static const char *number_type(const struct parameter *a)
{
	return !a->members || is_whole(a) ? a->type
	       : a->dtype == DTYPE_F64	  ? "double"
					  : "float";
}

/* Of what number_type() is the type of. */
static char *count_of(const struct parameter *a)
{
	return is_whole(a)
		       ? xasprintf("(size_t)(%s) / %zu", a->extent, a->members)
		       : xasprintf("(size_t)(%s)", a->extent);
}

/* Which a reference has in double. */
static bool is_widened(const struct parameter *a)
{
	return is_output(a) && is_float_pointer(a);
}

/* Is there anything that rounds, and can all that is written be written thrice? */
static bool is_rounded(const struct prototype *p)
{
	bool any = p->has_result && dtype_is_float(p->result_dtype);

	for (size_t i = 0; i < p->n; i++) {
		const struct parameter *a = &p->parameter[i];

		if (a->has_members || (is_output(a) && !a->extent))
			return false;
		any = any || is_widened(a);
	}
	return any;
}

static bool is_copied(const struct parameter *a, bool rounded)
{
	return is_widened(a) || (rounded && is_output(a));
}

static void add_helpers(struct buf *out, bool rounded)
{
	buf_adds(out, rounded ? "#include <fenv.h>\n#include <stdlib.h>\n\n"
			      : "#include <stdlib.h>\n\n");
	if (!rounded)
		return;
	buf_adds(out,
		 "/* What is right between what is rounded down and up all the "
		 "way: the middle,\n"
		 " * where both do the same, as sums do; else the nearest. */\n"
		 "static double same_middle(double nearest, double up, double "
		 "down)\n"
		 "{\n"
		 "\tdouble apart = up > down ? up - down : down - up;\n"
		 "\tdouble most = up < 0 ? -up : up;\n\n"
		 "\tif (most < (down < 0 ? -down : down))\n"
		 "\t\tmost = down < 0 ? -down : down;\n"
		 "\treturn apart <= most / 64 && most < 1e300 ? down + (up - "
		 "down) / 2 : "
		 "nearest;\n"
		 "}\n\n");
}

/* Each run has outputs of its own: those that are double for a reference, in the
 * kernel's type. */
static void add_copies(struct buf *out, const struct prototype *p, bool rounded)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct parameter *a = &p->parameter[i];
		const char *type = number_type(a);
		cleanup_free char *count = NULL;

		if (!is_copied(a, rounded))
			continue;
		count = count_of(a);
		buf_addf(out,
			 "\t\tsame_%s[run] = (%s *)malloc((%s + 1) * "
			 "sizeof *same_%s[run]);\n"
			 "\t\tif (!same_%s[run])\n"
			 "\t\t\tabort();\n",
			 a->name, type, count, a->name, a->name);
		if (a->direction != DIRECTION_OUT)
			buf_addf(out,
				 "\t\tfor (size_t same_i = 0; same_i < %s; "
				 "same_i++)\n"
				 "\t\t\tsame_%s[run][same_i] = "
				 "%s%s%s%s[same_i];\n",
				 count, a->name, is_whole(a) ? "" : "(",
				 is_whole(a) ? "" : type,
				 is_whole(a) ? "" : ")", a->name);
	}
}

static void add_run(struct buf *out, const struct prototype *p,
		    const char *plain, bool rounded)
{
	buf_adds(out, rounded ? "\t\tfesetround(same_round[run]);\n" : "");
	buf_addf(out, "\t\t%s%s(", p->has_result ? "same_result[run] = " : "",
		 plain);
	for (size_t i = 0; i < p->n; i++) {
		const struct parameter *a = &p->parameter[i];
		bool copied = is_copied(a, rounded);

		buf_adds(out, i ? ", " : "");
		if (copied && a->members && is_cxx(p))
			buf_addf(out, "(%s *)", a->type);
		else if (copied && (a->members || a->is_nested))
			buf_adds(out, "(void *)");
		buf_addf(out, "%s%s%s", copied ? "same_" : "", a->name,
			 copied ? "[run]" : "");
	}
	buf_adds(out, ");\n");
	buf_adds(out, rounded ? "\t\tfesetround(FE_TONEAREST);\n" : "");
}

static void add_results(struct buf *out, const struct prototype *p,
			bool rounded)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct parameter *a = &p->parameter[i];
		const char *name = a->name;
		cleanup_free char *count = NULL;

		if (!is_copied(a, rounded))
			continue;
		count = count_of(a);
		buf_addf(out,
			 "\tfor (size_t same_i = 0; same_i < %s; same_i++)\n"
			 "\t\t%s[same_i] = ",
			 count, name);
		if (rounded && is_widened(a))
			buf_addf(out,
				 "same_middle(same_%s[0][same_i], "
				 "same_%s[1][same_i], same_%s[2][same_i]);\n",
				 name, name, name);
		else
			buf_addf(out, "%ssame_%s[0][same_i];\n",
				 is_widened(a) ? "(double)" : "", name);
		for (int run = 0; run < (rounded ? 3 : 1); run++)
			buf_addf(out, "\tfree(same_%s[%d]);\n", name, run);
	}
	if (!p->has_result)
		return;
	buf_adds(out, rounded && dtype_is_float(p->result_dtype)
			      ? "\treturn same_middle(same_result[0], "
				"same_result[1], same_result[2]);\n"
			      : "\treturn same_result[0];\n");
}

void template_add_same(struct buf *out, const struct prototype *p,
		       const char *name, bool keeps_values)
{
	cleanup_free char *plain = template_has_object(p) || p->n_states
					   ? xasprintf("%s_entry_plain", name)
					   : template_plain_name(p->name);
	bool rounded = !keeps_values && is_rounded(p);
	int runs = rounded ? 3 : 1;

	add_helpers(out, rounded);
	template_add_reference_prototype(out, p, name);
	buf_adds(out, "{\n");
	template_add_greatest(out, p);
	if (rounded)
		buf_adds(out,
			 "\tstatic const int same_round[3] = {FE_TONEAREST, "
			 "FE_UPWARD, FE_DOWNWARD};\n");
	for (size_t i = 0; i < p->n; i++)
		if (is_copied(&p->parameter[i], rounded))
			buf_addf(out, "\t%s *same_%s[%d];\n",
				 number_type(&p->parameter[i]),
				 p->parameter[i].name, runs);
	if (p->has_result)
		buf_addf(out, "\t%s same_result[%d];\n",
			 template_result_type(p), runs);
	buf_addf(out, "\n\tfor (int run = 0; run < %d; run++) {\n", runs);
	add_copies(out, p, rounded);
	buf_adds(out, "\t}\n");
	buf_addf(out, "\tfor (int run = 0; run < %d; run++) {\n", runs);
	add_run(out, p, plain, rounded);
	buf_adds(out, "\t}\n");
	add_results(out, p, rounded);
	buf_adds(out, "}\n");
}
