/* The call of a method of an object that is made for it. */
#include "core/task/object.h"
#include "core/task/template_parts.h"

/* "ns::K<float>" of "ns::K<float>::run<int>" */
static size_t class_length(const char *name)
{
	size_t len = 0, depth = 0;

	for (size_t i = 0; name[i]; i++) {
		depth += name[i] == '<';
		depth -= name[i] == '>' && depth;
		if (!depth && name[i] == ':' && name[i + 1] == ':')
			len = i;
	}
	return len;
}

static void add_place(struct buf *out, const struct prototype *p, size_t i)
{
	const struct parameter *a = &p->parameter[i];
	const char *name = a->name;

	if (a->held == HELD_COUNT)
		return;
	buf_adds(out, "\t__builtin_memcpy(shim_object");
	if (a->place > 1)
		buf_addf(out, " + %llu", (unsigned long long)a->place - 1);
	if (a->held == HELD_VECTOR)
		buf_addf(out, ", std_vector(%s, %s).address, 3 * sizeof %s",
			 name, p->parameter[i + 1].name, name);
	else if (a->held == HELD_STATE)
		buf_addf(out, ", %s, sizeof *%s", name, name);
	else
		buf_addf(out, ", &%s, sizeof %s", name, name);
	buf_adds(out, ");\n");
}

static void add_back(struct buf *out, const struct parameter *a)
{
	if (a->held != HELD_STATE)
		return;
	buf_addf(out, "\t__builtin_memcpy(%s, shim_object", a->name);
	if (a->place > 1)
		buf_addf(out, " + %llu", (unsigned long long)a->place - 1);
	buf_addf(out, ", sizeof *%s);\n", a->name);
}

bool template_has_object(const struct prototype *p)
{
	return p->object && p->object->is_used;
}

void template_add_vector(struct buf *out, const struct prototype *p)
{
	for (size_t i = 0; template_has_object(p) && i < p->n; i++) {
		if (p->parameter[i].held != HELD_VECTOR)
			continue;
		buf_adds(out,
			 "/* What a std::vector is: where it begins, where it "
			 "ends, where its memory does. */\n"
			 "struct std_vector {\n"
			 "\tconst void *address[3];\n"
			 "\ttemplate <class T> std_vector(const T *begin, "
			 "unsigned long n)\n"
			 "\t\t: address{begin, begin + n, begin + n} {}\n"
			 "};\n\n");
		return;
	}
}

/* ---- the state of a function in C ------------------------------------------------ */

/* What is set first is zeros before: where the function leaves it, both versions leave
 * the same. */
static void add_part(struct buf *out, const char *state,
		     const struct parameter *a)
{
	if (a->held != HELD_PLAIN && a->has_direction &&
	    a->direction == DIRECTION_OUT)
		return;
	if (a->held == HELD_ARRAY)
		buf_addf(
			out,
			"\t__builtin_memcpy(shim_%s.%s, %s, sizeof shim_%s.%s);"
			"\n",
			state, a->path, a->name, state, a->path);
	else
		buf_addf(out, "\tshim_%s.%s = %s%s;\n", state, a->path,
			 a->held == HELD_STATE ? "*" : "", a->name);
}

static void add_part_back(struct buf *out, const char *state,
			  const struct parameter *a)
{
	if (a->is_const || !a->is_pointer || a->held == HELD_PLAIN ||
	    (a->has_direction && a->direction == DIRECTION_IN))
		return;
	if (a->held == HELD_ARRAY)
		buf_addf(
			out,
			"\t__builtin_memcpy(%s, shim_%s.%s, sizeof shim_%s.%s);"
			"\n",
			a->name, state, a->path, state, a->path);
	else
		buf_addf(out, "\t*%s = shim_%s.%s;\n", a->name, state, a->path);
}

static void add_arguments(struct buf *out, const struct prototype *p)
{
	bool any = false;

	for (size_t i = 0; i < p->n; i++) {
		const struct parameter *a = &p->parameter[i];

		if (a->state && i && p->parameter[i - 1].state == a->state)
			continue;
		buf_adds(out, any ? ", " : "");
		any = true;
		if (a->state)
			buf_addf(out, "&shim_%s", p->state[a->state - 1].name);
		else
			template_add_argument_name(out, p, i);
	}
}

#define STACK_BYTES ((uint64_t)128 << 10) /* of a larger one there is one */

/* A macro that gives the function its other name gives it to a `struct` of the same
 * name, too. */
static char *type_beside(const struct prototype *p, const char *called,
			 const char *type)
{
	const char *tag = strrchr(type, ' ');

	return tag && str_eq(tag + 1, p->name)
		       ? xasprintf("%.*s %s", (int)(tag - type), type, called)
		       : xstrdup(type);
}

static void add_zeros(struct buf *out, const struct kernel_state *s,
		      const char *type)
{
	if (s->bytes <= STACK_BYTES)
		buf_addf(out, "\t%s shim_%s = {0};\n", type, s->name);
	else
		buf_addf(out,
			 "\tstatic %s shim_%s; /* too large for a stack */\n"
			 "\t__builtin_memset(&shim_%s, 0, sizeof shim_%s);\n",
			 type, s->name, s->name, s->name);
}

void template_add_state_call(struct buf *out, const struct prototype *p,
			     const char *called)
{
	buf_adds(out, "\t/* What it uses of them; the rest is zeros. */\n");
	for (size_t i = 0; i < p->n_states; i++) {
		cleanup_free char *type =
			type_beside(p, called, p->state[i].type);

		add_zeros(out, &p->state[i], type);
	}
	buf_addc(out, '\n');
	for (size_t i = 0; i < p->n; i++)
		if (p->parameter[i].state)
			add_part(out, p->state[p->parameter[i].state - 1].name,
				 &p->parameter[i]);
	buf_addc(out, '\t');
	if (p->result)
		buf_addf(out, "%s%sshim_result = ", p->result,
			 ends_with(p->result, "*") ? "" : " ");
	buf_addf(out, "%s(", called);
	add_arguments(out, p);
	buf_adds(out, ");\n");
	for (size_t i = 0; i < p->n; i++)
		if (p->parameter[i].state)
			add_part_back(out,
				      p->state[p->parameter[i].state - 1].name,
				      &p->parameter[i]);
	buf_adds(out, p->result ? "\treturn shim_result;\n" : "");
}

/* ---- the object of a method ------------------------------------------------------- */

void template_add_object_call(struct buf *out, const struct prototype *p,
			      const char *called, const char *last)
{
	int len = (int)class_length(called);
	bool any = false;

	buf_addf(
		out,
		"\t/* What the method uses of it; the rest is zeros. */\n"
		"\talignas(%.*s) unsigned char shim_object[sizeof(%.*s)] = "
		"{0};\n\n"
		"\tstatic_assert(sizeof shim_object == %llu, \"another layout: "
		"avogit init writes this again\");\n",
		len, called, len, called, (unsigned long long)p->object->bytes);
	for (size_t i = 0; i < p->n; i++)
		if (p->parameter[i].place)
			add_place(out, p, i);
	buf_addf(out, "\t%sreinterpret_cast<%.*s *>(shim_object)->%s(",
		 p->result ? "auto shim_result = " : "", len, called, last);
	for (size_t i = 0; i < p->n; i++) {
		if (p->parameter[i].place)
			continue;
		buf_adds(out, any ? ", " : "");
		any = true;
		template_add_argument_name(out, p, i);
	}
	buf_adds(out, ");\n");
	for (size_t i = 0; i < p->n; i++)
		add_back(out, &p->parameter[i]);
	buf_adds(out, p->result ? "\treturn shim_result;\n" : "");
}
