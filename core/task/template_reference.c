/* The reference that a first task has: the kernel's own code, in a wider type or
 * in its own, or an #error where that cannot be. */
#include <ctype.h>

#include "core/task/own_types.h"
#include "core/task/template.h"
#include "core/task/template_cases.h"
#include "core/task/template_parts.h"
#include "core/task/token.h"

/* Of the reference: a floating value is double there. */
const char *template_result_type(const struct prototype *p)
{
	if (!p->has_result)
		return "void";
	return dtype_is_float(p->result_dtype) ? "double" : p->result;
}

void template_add_reference_prototype(struct buf *out,
				      const struct prototype *p,
				      const char *name)
{
	buf_addf(out, "%s%s %s_reference(",
		 p->language != LANGUAGE_C ? "extern \"C\" " : "",
		 template_result_type(p), name);
	for (size_t i = 0; i < p->n; i++) {
		const struct parameter *a = &p->parameter[i];
		bool widened = is_output(a) && is_float_pointer(a);

		buf_addf(out, "%s%s%s %s", i ? ", " : "",
			 a->is_pointer && a->is_const ? "const " : "",
			 widened ? "double" : a->type,
			 a->is_pointer ? "*" : "");
		template_add_argument_name(out, p, i);
	}
	buf_adds(out, is_cuda(p) ? ", cudaStream_t stream)\n" : ")\n");
}

/* The floating type that all of its tensors of floating types have; NULL if
 * they have none, or several. */
static const char *float_type(const struct prototype *p, bool *several)
{
	enum dtype found = DTYPE_I8;
	size_t n = 0;

	*several = false;
	for (size_t i = 0; i < p->n; i++) {
		if (!is_float_pointer(&p->parameter[i]))
			continue;
		*several |= n++ && p->parameter[i].dtype != found;
		found = p->parameter[i].dtype;
	}
	*several |= n && found != DTYPE_F32 && found != DTYPE_F64;
	return !n || *several ? NULL : found == DTYPE_F32 ? "float" : "double";
}

static bool is_callable(const struct prototype *p)
{
	for (size_t i = 0; i < p->n; i++)
		if ((!p->parameter[i].known && !p->parameter[i].has_members) ||
		    !*p->parameter[i].name)
			return false;
	return !is_cuda(p) && (!p->result || p->has_result);
}

/* Is any of its arrays of a floating type? */
static bool has_floats(const struct prototype *p)
{
	for (size_t i = 0; i < prototype_all(p); i++)
		if (is_float_pointer(&p->parameter[i]))
			return true;
	return false;
}

/* Are any of its arrays structures of numbers? */
static bool has_structures(const struct prototype *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->parameter[i].members)
			return true;
	return false;
}

bool template_can_be(const struct prototype *p, enum reference_kind kind)
{
	bool several;

	if (kind == REFERENCE_TO_WRITE)
		return true;
	if (p->n_states && kind < REFERENCE_SAME && has_floats(p))
		return false;
	/* Types of headers are not wide ones. */
	if (kind != REFERENCE_SAME && is_cxx(p) &&
	    (template_has_object(p) || has_structures(p)))
		return false;
	/* Only what nothing has to be converted for. */
	if (p->n_members && (kind != REFERENCE_WIDE || has_floats(p)))
		return false;
	if (!is_callable(p) || (kind == REFERENCE_WIDE_USING &&
				(!is_cxx(p) || !strstr(p->name, "::"))))
		return false;
	for (size_t i = 0; i < p->n; i++) {
		const struct parameter *a = &p->parameter[i];

		if (is_float_pointer(a) &&
		    (kind != REFERENCE_SAME || is_output(a)) &&
		    (!a->extent || !a->has_direction))
			return false;
	}
	float_type(p, &several);
	return kind == REFERENCE_SAME || !several;
}

/* Functions of math.h: of float, of double, of long double. */
static const char *const math_names[] = {
	"sqrt",	 "exp",	  "exp2", "expm1", "log",  "log2",  "log10",
	"log1p", "pow",	  "sin",  "cos",   "tan",  "asin",  "acos",
	"atan",	 "atan2", "sinh", "cosh",  "tanh", "erf",   "erfc",
	"fabs",	 "fmax",  "fmin", "fma",   "fmod", "floor", "ceil",
	"round", "trunc", "rint", "hypot", "cbrt"};

/* The typedefs that stand for the type, each once. */
static void add_wide_aliases(struct buf *out, const struct prototype *p,
			     const struct strvec *own, bool of_float,
			     bool define)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct parameter *a = &p->parameter[i];
		bool again = !a->alias || !a->known || a->members ||
			     strvec_has(own, a->alias) ||
			     a->dtype != (of_float ? DTYPE_F32 : DTYPE_F64);

		for (size_t k = 0; !again && k < i; k++)
			again = p->parameter[k].alias &&
				str_eq(p->parameter[k].alias, a->alias);
		if (again)
			continue;
		buf_addf(out, "#%s %s", define ? "define" : "undef", a->alias);
		if (define)
			/* Which is another type itself below. */
			buf_adds(out, " double");
		buf_addc(out, '\n');
	}
}

static void add_wide_names(struct buf *out, const struct template *t,
			   const struct strvec *own, bool of_float, bool define)
{
	for (size_t i = 0; i < ARRAY_SIZE(math_names); i++) {
		buf_addf(out, "#%s %s%s", define ? "define" : "undef",
			 math_names[i], of_float ? "f" : "");
		if (define)
			buf_addf(out, " %s%s", math_names[i],
				 of_float ? "" : "l");
		buf_addc(out, '\n');
	}
	add_wide_aliases(out, t->prototype, own, of_float, define);
	for (size_t i = 0; i < own->n; i++)
		buf_addf(out, define ? "#define %s %s_wide\n" : "#undef %s\n",
			 own->v[i], own->v[i]);
	for (size_t i = 0; i < t->functions.n; i++)
		buf_addf(out, define ? "#define %s %s_wide\n" : "#undef %s\n",
			 t->functions.v[i], t->functions.v[i]);
	buf_addf(out, define ? "#define %s %s\n" : "#undef %s\n",
		 of_float ? "float" : "double",
		 of_float ? "double" : "long double");
}

/* "f_wide" of "f"; in C++ "wide::ns::f_wide<double, 3>" of "ns::f<float, 3>" */
static char *wide_name(const char *name, bool is_cxx, const char *type,
		       const char *wide)
{
	size_t len = strcspn(name, "<");
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	buf_addf(&out, "%s%.*s_wide", is_cxx ? "wide::" : "", (int)len, name);
	for (name += len; *name;) {
		size_t word = 0;

		while (isalnum((unsigned char)name[word]) || name[word] == '_')
			word++;
		if (word && word == strlen(type) &&
		    memcmp(name, type, word) == 0)
			buf_adds(&out, wide);
		else
			buf_add(&out, name, MAX(word, (size_t)1));
		name += MAX(word, (size_t)1);
	}
	return buf_take(&out);
}

/* An array's greatest element, which sizes depend on: that of an array whose own
 * size does not come first. */
void template_add_greatest(struct buf *out, const struct prototype *p)
{
	bool done[TASK_MAX_ARGS] = {false};

	for (size_t turn = 0; turn < p->n; turn++)
		for (size_t i = 0; i < p->n; i++) {
			const struct parameter *a = &p->parameter[i];
			bool waits = false;

			if (!a->contents || !a->extent || done[i])
				continue;
			for (size_t k = 0; k < p->n; k++)
				waits |= p->parameter[k].contents && !done[k] &&
					 strstr(a->extent,
						p->parameter[k].contents);
			if (waits)
				continue;
			done[i] = true;
			buf_addf(out,
				 "\tlong %s = 0;\n"
				 "\tfor (size_t wide_i = 0; wide_i < "
				 "(size_t)(%s); wide_i++)\n"
				 "\t\tif ((long)%s[wide_i] > %s)\n"
				 "\t\t\t%s = (long)%s[wide_i];\n",
				 a->contents, a->extent, a->name, a->contents,
				 a->contents, a->name);
		}
}

/* The generator that the task names for it: from 0 to the greatest in about even
 * steps. A generator gets every symbol of the cases. */
static void add_generator(struct buf *out, const struct prototype *p,
			  const struct parameter *a)
{
	const char *name, *most = a->contents ? a->contents : a->high;

	buf_addf(out,
		 "\n/* GUESS: %s ascends from 0 to %s. */\n"
		 "%svoid %s_ascends(%s *data, uint64_t seed",
		 a->name, most, is_cxx(p) ? "extern \"C\" " : "", a->name,
		 a->type);
	for (size_t i = 0; (name = template_symbol(p, i)); i++)
		buf_addf(out, ", int64_t %s", name);
	buf_addf(out,
		 ")\n"
		 "{\n"
		 "\tint64_t last = (int64_t)(%s) - 1;\n\n"
		 "\tfor (int64_t i = 0; i <= last; i++)\n"
		 "\t\tdata[i] = (%s)(last ? (%s) * i / last : 0);\n"
		 "\tfor (int64_t i = 1; i < last; i++) {\n"
		 "\t\tseed = seed * 6364136223846793005u + "
		 "1442695040888963407u;\n"
		 "\t\tdata[i] += (%s)((seed >> 33) %%\n"
		 "\t\t\t(uint64_t)(data[i + 1] - data[i] + 1));\n"
		 "\t}\n"
		 "}\n",
		 a->extent, a->type, most, a->type);
}

static void add_generators(struct buf *out, const struct prototype *p)
{
	bool any = false;

	for (size_t i = 0; i < prototype_all(p); i++) {
		const struct parameter *a = &p->parameter[i];

		if (!(a->contents || a->indexes) || !a->ascends || !a->extent)
			continue;
		buf_adds(out, any ? "" : "\n#include <stdint.h>\n");
		any = true;
		add_generator(out, p, a);
	}
}

/* "((const float *)" before the name of an array of structures; outputs are
 * numbers in a reference. */
static const char *as_numbers(const struct parameter *a, const char *type)
{
	if (!a->members || is_output(a))
		return "";
	return str_eq(type, "float") ? "((const float *)" : "((const double *)";
}

static const char *tag_of(const struct parameter *a)
{
	const char *blank = strrchr(a->type, ' ');

	return blank ? blank + 1 : a->type;
}

/* Those of a header, which are not defined a second time: where the types that
 * they have are wide ones. */
static void add_own_structures(struct buf *out, const struct prototype *p,
			       struct strvec *own)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct parameter *a = &p->parameter[i];
		bool tagged = strchr(a->type, ' ') != NULL;

		if (!a->layout || strvec_has(own, tag_of(a)))
			continue;
		strvec_push(own, tag_of(a));
		buf_addf(out, "#define %s %s_wide\n", tag_of(a), tag_of(a));
		if (tagged)
			buf_addf(out, "%s %s;\n", a->type, a->layout);
		else
			buf_addf(out, "typedef struct %s %s;\n", a->layout,
				 a->type);
	}
}

/* Structures are as wide as the numbers in them. */
static void add_structures(struct buf *out, const struct prototype *p,
			   const struct strvec *own, const char *wide)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct parameter *a = &p->parameter[i];

		if (!a->members || !dtype_is_float(a->dtype))
			continue;
		buf_addf(out,
			 "_Static_assert(sizeof(%s%s) == %zu * sizeof(%s), "
			 "\"%s\");\n",
			 a->type, strvec_has(own, tag_of(a)) ? "_wide" : "",
			 a->members, wide, a->name);
	}
}

/* Tensors in the wide type, the call, and what is right back to double. */
static void add_wide_body(struct buf *out, const struct prototype *p,
			  const char *type, const char *wide)
{
	cleanup_free char *called = wide_name(p->name, is_cxx(p), type, wide);

	buf_adds(out, "{\n");
	template_add_greatest(out, p);
	for (size_t i = 0; i < p->n; i++)
		if (is_float_pointer(&p->parameter[i]))
			buf_addf(out,
				 "\t%s *wide_%s = wide_memory((size_t)(%s));\n",
				 wide, p->parameter[i].name,
				 p->parameter[i].extent);
	buf_adds(out, "\n");
	/* Outputs, too: what the kernel leaves as it was must be seen. */
	for (size_t i = 0; i < p->n; i++)
		if (is_float_pointer(&p->parameter[i]))
			buf_addf(out,
				 "\tfor (size_t wide_i = 0; wide_i < "
				 "(size_t)(%s); wide_i++)\n"
				 "\t\twide_%s[wide_i] = %s%s%s[wide_i];\n",
				 p->parameter[i].extent, p->parameter[i].name,
				 as_numbers(&p->parameter[i], type),
				 p->parameter[i].name,
				 *as_numbers(&p->parameter[i], type) ? ")"
								     : "");
	buf_adds(out, "\t");
	if (p->has_result)
		buf_addf(out, "%s wide_result = (%s)", template_result_type(p),
			 template_result_type(p));
	buf_addf(out, "%s(", called);
	for (size_t i = 0; i < p->n; i++)
		buf_addf(out, "%s%s%s", i ? ", " : "",
			 !is_float_pointer(&p->parameter[i]) ? ""
			 : p->parameter[i].is_nested || p->parameter[i].members
				 ? "(void *)wide_"
				 : "wide_",
			 p->parameter[i].name);
	buf_adds(out, ");\n");
	for (size_t i = 0; i < p->n; i++)
		if (is_float_pointer(&p->parameter[i]) &&
		    is_output(&p->parameter[i]))
			buf_addf(out,
				 "\tfor (size_t wide_i = 0; wide_i < "
				 "(size_t)(%s); wide_i++)\n"
				 "\t\t%s[wide_i] = (double)wide_%s[wide_i];\n",
				 p->parameter[i].extent, p->parameter[i].name,
				 p->parameter[i].name);
	for (size_t i = 0; i < p->n; i++)
		if (is_float_pointer(&p->parameter[i]))
			buf_addf(out, "\tfree(wide_%s);\n",
				 p->parameter[i].name);
	buf_adds(out, p->has_result ? "\treturn wide_result;\n}\n" : "}\n");
}

/* A header would be left out the second time. */
static void add_unguarded(struct buf *out, const char *text)
{
	static const char begin[] = "#ifndef ", then[] = "#define ";
	const char *at = strstr(text, begin), *name = at + strlen(begin);
	size_t len = at ? strcspn(name, " \t\r\n") : 0;
	const char *next = at ? strchr(name, '\n') : NULL;

	if (!next || !len || !starts_with(next + 1, then) ||
	    strncmp(next + 1 + strlen(then), name, len) != 0)
		return;
	buf_addf(out, "#undef %.*s\n", (int)len, name);
}

/* "namespace a { using namespace ::a; }": what headers have there. */
static void add_using(struct buf *out, const char *name)
{
	size_t depth = 0, len = strcspn(name, "<("), end = 0;

	for (size_t i = 0; i + 1 < len; i++) {
		if (name[i] != ':' || name[i + 1] != ':')
			continue;
		buf_addf(out, "namespace %.*s { using namespace ::%.*s; ",
			 (int)(i - end), name + end, (int)i, name);
		end = i + 2;
		depth++;
		i++;
	}
	while (depth--)
		buf_addc(out, '}');
	buf_addc(out, '\n');
}

/* Of the number at `s`, which is several tokens: "1.5e-3f". */
static size_t number_length(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || s[n] == '.' || s[n] == '_' ||
	       (n && (s[n] == '-' || s[n] == '+') && strchr("eEpP", s[n - 1])))
		n++;
	return n;
}

/* "1e-5f", and not "0x1f" */
static bool is_float_literal(const char *s, size_t len, bool after_point)
{
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	const char *marks = hex ? ".pP" : ".eE";
	bool marked = after_point;

	for (size_t i = 0; i < len; i++)
		marked = marked || strchr(marks, s[i]);
	return marked && (s[len - 1] == 'f' || s[len - 1] == 'F') &&
	       (len < 2 || s[len - 2] != '_');
}

/* A literal is as wide as what it is compared with: std::max(0.f, x) has one
 * type. */
static void add_wide_text(struct buf *out, const char *text, bool of_float)
{
	const char *at = text, *begin = text;
	struct token t;

	while (of_float && (t = token_next(&at)).len) {
		size_t len;
		bool literal;

		if (!token_is_number(t))
			continue;
		len = number_length(t.at);
		literal = is_float_literal(t.at, len,
					   t.at > begin && t.at[-1] == '.');
		at = t.at + len;
		buf_add(out, text, (size_t)(at - text) - literal);
		text = at;
	}
	buf_adds(out, text);
}

/* "f<a::b>" of "ns::K::f<a::b>" */
static const char *last_name(const char *name)
{
	size_t end = strcspn(name, "<(");

	while (end && name[end - 1] != ':')
		end--;
	return name + end;
}

static void add_wide(struct buf *out, const struct template *t,
		     const char *kernel_text, const char *name, bool uses)
{
	const struct prototype *p = t->prototype;
	bool several;
	const char *type = float_type(p, &several);
	bool of_float = type && str_eq(type, "float");
	const char *wide = of_float ? "double" : "long double";
	cleanup_free char *plain = p->n_states
					   ? xasprintf("%s_entry_plain", name)
					   : template_plain_name(p->name);
	cleanup_strvec struct strvec own = STRVEC_INIT;

	if (!type) {
		template_add_reference_prototype(out, p, name);
		buf_addf(out, "{\n\t%s%s%s(", p->has_result ? "return " : "",
			 p->is_method ? "self->" : "",
			 p->is_method ? last_name(plain) : plain);
		for (size_t i = p->is_method; i < p->n; i++)
			buf_addf(out, "%s%s%s", i > p->is_method ? ", " : "",
				 ends_with(p->parameter[i].declared, "&") ? "*"
									  : "",
				 p->parameter[i].name);
		buf_adds(out, ");\n}\n");
		return;
	}
	buf_addf(out,
		 "#include <math.h>\n#include <stdlib.h>\n\n"
		 "/* The same code once more, where %s is %s. */\n",
		 type, wide);
	if (p->language == LANGUAGE_C)
		own_types(&own, kernel_text);
	add_wide_names(out, t, &own, of_float, true);
	if (p->language == LANGUAGE_C)
		add_own_structures(out, p, &own);
	add_unguarded(out, kernel_text);
	/* In C++ a namespace, which keeps types and inline functions apart from
	 * those of the first copy. */
	buf_adds(out, is_cxx(p) ? "namespace wide {\n" : "");
	if (uses)
		add_using(out, p->name);
	add_wide_text(out, kernel_text, of_float);
	buf_adds(out, is_cxx(p) ? "\n}\n" : "\n");
	add_wide_names(out, t, &own, of_float, false);
	add_structures(out, p, &own, wide);
	buf_addf(out,
		 "\nstatic %s *wide_memory(size_t n)\n"
		 "{\n"
		 "\t%s *wide = (%s *)malloc((n ? n : 1) * sizeof *wide);\n\n"
		 "\tif (!wide)\n"
		 "\t\tabort();\n"
		 "\treturn wide;\n"
		 "}\n\n",
		 wide, wide, wide);
	template_add_reference_prototype(out, p, name);
	add_wide_body(out, p, type, wide);
}

/* A function `name` that other files can call, which calls `called`. */
static void add_call(struct buf *out, const struct prototype *p,
		     const char *name, const char *called)
{
	buf_addf(out, "%s%s%s%s(",
		 p->language != LANGUAGE_C ? "extern \"C\" " : "",
		 p->result ? p->result : "void",
		 p->result && ends_with(p->result, "*") ? "" : " ", name);
	for (size_t i = 0; i < p->n; i++) {
		const struct parameter *a = &p->parameter[i];

		buf_addf(out, "%s%s%s", i ? ", " : "", a->declared,
			 a->is_pointer ? "" : " ");
		template_add_argument_name(out, p, i);
	}
	buf_adds(out, ")\n{\n");
	if (template_has_object(p) || p->n_states) {
		if (p->n_states)
			template_add_state_call(out, p, called);
		else
			template_add_object_call(out, p, called,
						 last_name(called));
		buf_adds(out, "}\n");
		return;
	}
	buf_addf(out, "\t%s%s%s(", p->result ? "return " : "",
		 p->is_method ? "self->" : "",
		 p->is_method ? last_name(called) : called);
	for (size_t i = p->is_method; i < p->n; i++) {
		/* Rows of arrays are not a type that is named here. */
		buf_addf(out, "%s%s", i > p->is_method ? ", " : "",
			 p->parameter[i].is_nested ? "(void *)" : "");
		template_add_argument_name(out, p, i);
	}
	buf_adds(out, ");\n}\n");
}

#define WIDE_COMMENT                                                         \
	" * against: GUESS: the same code, in the next wider type where it " \
	"computes in\n"                                                      \
	" * a floating one; functions of headers are as they are. What the " \
	"kernel does\n"                                                      \
	" * wrong counts as right here.\n"

static const char *const kind_comment[] = {
	[REFERENCE_WIDE] = WIDE_COMMENT,
	[REFERENCE_WIDE_USING] = WIDE_COMMENT,
	[REFERENCE_SAME] =
		" * against: GUESS: that, rounded up and down, where it "
		"computes in a floating type.\n"
		" * What the kernel does wrong counts as right here.\n",
	[REFERENCE_TO_WRITE] =
		" * against: the same in double precision, as slow as it "
		"likes; outputs of floating\n"
		" * types are double there.\n",
};

#define ONCE_COMMENT                                                           \
	" * against: GUESS: that. It keeps values from call to call, so it "   \
	"is "                                                                  \
	"not rounded up\n"                                                     \
	" * and down. What the kernel does wrong counts as right here, and a " \
	"sum in\n"                                                             \
	" * another order as wrong: write it in double precision, or say "     \
	"`tolerance`.\n"

bool template_is_of_integers(const struct prototype *p)
{
	bool any = p->has_result && dtype_is_float(p->result_dtype);

	for (size_t i = 0; i < prototype_all(p); i++)
		any = any || (p->parameter[i].has_members ? false
			      : p->parameter[i].known
				      ? dtype_is_float(p->parameter[i].dtype)
				      : !str_eq(p->parameter[i].type, "void"));
	return !any;
}

void template_reference(struct buf *out, const struct template *t,
			const char *kernel_text, enum reference_kind kind)
{
	const struct prototype *p = t->prototype;
	cleanup_free char *short_name = template_name(p);
	const char *name = short_name;
	bool once = kind == REFERENCE_SAME &&
		    template_keeps_values(kernel_text);

	buf_addf(out,
		 "/*\n"
		 " * What is right. %s_plain is %s as it was when the task "
		 "was written: how far\n"
		 " * plain arithmetic is off is measured with it. "
		 "%s_reference is what it is held\n",
		 name, t->kernel, name);
	buf_adds(out, kind == REFERENCE_TO_WRITE && template_is_of_integers(p)
			      ? " * against: the same, as slow as it likes.\n"
		      : once ? ONCE_COMMENT
			     : kind_comment[kind]);
	if (t->shapes && kind != REFERENCE_TO_WRITE)
		buf_addf(out, " *\n%s", t->shapes);
	buf_addf(out,
		 " */\n"
		 "#define %s %s_plain\n"
		 "%s\n"
		 "#undef %s\n\n",
		 name, name, kernel_text, name);
	if (t->shim) {
		cleanup_free char *entry = xasprintf("%s_entry_plain", name);
		cleanup_free char *called = template_plain_name(p->name);

		template_add_vector(out, p);
		add_call(out, p, entry, called);
		buf_addc(out, '\n');
	}
	if (kind == REFERENCE_WIDE || kind == REFERENCE_WIDE_USING) {
		add_wide(out, t, kernel_text, name,
			 kind == REFERENCE_WIDE_USING);
	} else if (kind == REFERENCE_SAME) {
		template_add_same(out, p, name, once);
	} else {
		template_add_reference_prototype(out, t->prototype, name);
		buf_adds(out, "{\n"
			      "#error \"say here what is right");
		buf_adds(out, template_is_of_integers(p)
				      ? "\"\n}\n"
				      : ", in double precision\"\n"
					"}\n");
	}
	add_generators(out, p);
}

void template_shim(struct buf *out, const struct template *t)
{
	const struct prototype *p = t->prototype;
	cleanup_free char *name = template_name(p);
	cleanup_free char *entry = xasprintf("%s_entry", name);

	if (p->n_states)
		buf_addf(out,
			 TEMPLATE_SHIM_BEGIN
			 "the state that %s uses, and calls it.",
			 p->name);
	else if (template_has_object(p))
		buf_addf(out,
			 TEMPLATE_SHIM_BEGIN
			 "an object of what %s uses, and calls it.",
			 p->name);
	else
		buf_addf(out,
			 TEMPLATE_SHIM_BEGIN
			 "%s callable, which other files cannot call "
			 "by themselves.",
			 p->name);
	buf_addf(out,
		 " The task compiles\n"
		 " * this file alone (build.compile), and no candidate can "
		 "change it.\n"
		 " */\n"
		 "#include \"%s\"\n\n",
		 t->kernel);
	template_add_vector(out, p);
	add_call(out, p, entry, p->name);
}
