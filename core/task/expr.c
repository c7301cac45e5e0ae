#include "core/task/expr.h"

#include <ctype.h>
#include <errno.h>

#include "core/base/buf.h"
#include "core/base/strvec.h"

#define MAX_DEPTH 64
#define MAX_NODES 512

enum op {
	OP_NUMBER,
	OP_SYMBOL,
	OP_ADD,
	OP_SUB,
	OP_MUL,
	OP_DIV,
	OP_MOD,
	OP_NEGATE,
	OP_NOT,
	OP_LT,
	OP_LE,
	OP_GT,
	OP_GE,
	OP_EQ,
	OP_NE,
	OP_AND,
	OP_OR,
	OP_MIN,
	OP_MAX,
	OP_CEIL_DIV,
	OP_ALIGN,
};

struct node {
	enum op op;
	int64_t number;
	char *symbol;
	size_t a, b;  /* indices of the operands */
	size_t place; /* of the symbol, by expr_bind; SIZE_MAX: nowhere */
};

struct expr {
	char *text;
	struct node *node;
	size_t n, cap;
	size_t root;
};

struct expr_parser {
	struct expr *e;
	const char *p;
	unsigned depth;
};

static const struct operator_ {
	const char *text;
	unsigned level; /* the higher, the tighter it binds */
	enum op op;
} operators[] = {
	/* Operators of two characters first, so that "<=" is not read as
	 * "<". */
	{"||", 1, OP_OR}, {"&&", 2, OP_AND}, {"==", 3, OP_EQ}, {"!=", 3, OP_NE},
	{"<=", 4, OP_LE}, {">=", 4, OP_GE},  {"<", 4, OP_LT},  {">", 4, OP_GT},
	{"+", 5, OP_ADD}, {"-", 5, OP_SUB},  {"*", 6, OP_MUL}, {"/", 6, OP_DIV},
	{"%", 6, OP_MOD},
};
#define TIGHTEST 6

static const struct {
	const char *name;
	enum op op;
} functions[] = {
	{"min", OP_MIN},
	{"max", OP_MAX},
	{"ceil_div", OP_CEIL_DIV},
	{"align", OP_ALIGN},
};

static struct error *parse_binary(size_t *out, struct expr_parser *p,
				  unsigned level);

static struct error *off(const struct expr_parser *p, const char *what)
{
	return error_new(ERROR_MALFORMED,
			 "'%s' is no expression: %s at character %td",
			 p->e->text, what, p->p - p->e->text + 1);
}

static void skip_blanks(struct expr_parser *p)
{
	while (*p->p == ' ' || *p->p == '\t')
		p->p++;
}

static bool take(struct expr_parser *p, const char *text)
{
	skip_blanks(p);
	if (!starts_with(p->p, text))
		return false;
	p->p += strlen(text);
	return true;
}

static struct error *add(size_t *out, struct expr_parser *p, struct node node)
{
	struct expr *e = p->e;

	if (e->n >= MAX_NODES) {
		free(node.symbol);
		return off(p, "too long");
	}
	GROW(e->node, e->n, e->cap);
	e->node[e->n] = node;
	*out = e->n++;
	return NULL;
}

static struct error *parse_number(size_t *out, struct expr_parser *p)
{
	char *end;
	long long v;

	errno = 0;
	v = strtoll(p->p, &end, 10);
	if (errno)
		return off(p, "the number is too large");
	p->p = end;
	return add(out, p, (struct node){.op = OP_NUMBER, .number = v});
}

static struct error *parse_call(size_t *out, struct expr_parser *p,
				const char *name)
{
	struct node node = {.op = OP_NUMBER};

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (str_eq(functions[i].name, name))
			node.op = functions[i].op;
	if (node.op == OP_NUMBER)
		return off(p, "the functions are min, max, ceil_div and align; "
			      "this is another");
	TRY(parse_binary(&node.a, p, 1));
	if (!take(p, ","))
		return off(p, "a comma is missing");
	TRY(parse_binary(&node.b, p, 1));
	if (!take(p, ")"))
		return off(p, "')' is missing");
	return add(out, p, node);
}

static struct error *parse_name(size_t *out, struct expr_parser *p)
{
	const char *start = p->p;
	cleanup_free char *name = NULL;

	while (is_word_char(*p->p))
		p->p++;
	name = xstrndup(start, (size_t)(p->p - start));
	if (take(p, "("))
		return parse_call(out, p, name);
	return add(out, p,
		   (struct node){.op = OP_SYMBOL, .symbol = steal(&name)});
}

static struct error *parse_unary(size_t *out, struct expr_parser *p)
{
	struct node node = {.op = OP_NEGATE};
	bool is_not;

	skip_blanks(p);
	is_not = *p->p == '!' && p->p[1] != '=';
	if (*p->p == '-' || is_not) {
		p->p++;
		node.op = is_not ? OP_NOT : OP_NEGATE;
		if (++p->depth > MAX_DEPTH)
			return off(p, "it nests too deep");
		TRY(parse_unary(&node.a, p));
		p->depth--;
		return add(out, p, node);
	}
	if (take(p, "(")) {
		TRY(parse_binary(out, p, 1));
		return take(p, ")") ? NULL : off(p, "')' is missing");
	}
	if (isdigit((unsigned char)*p->p))
		return parse_number(out, p);
	if (isalpha((unsigned char)*p->p) || *p->p == '_')
		return parse_name(out, p);
	return off(p,
		   *p->p ? "a number or a name is missing" : "it ends early");
}

static const struct operator_ *take_operator(struct expr_parser *p,
					     unsigned level)
{
	skip_blanks(p);
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++)
		if (starts_with(p->p, operators[i].text)) {
			if (operators[i].level != level)
				return NULL;
			p->p += strlen(operators[i].text);
			return &operators[i];
		}
	return NULL;
}

static struct error *parse_binary(size_t *out, struct expr_parser *p,
				  unsigned level)
{
	const struct operator_ *o;

	if (level > TIGHTEST)
		return parse_unary(out, p);
	if (++p->depth > MAX_DEPTH)
		return off(p, "it nests too deep");
	TRY(parse_binary(out, p, level + 1));
	while ((o = take_operator(p, level))) {
		struct node node = {.op = o->op, .a = *out};

		TRY(parse_binary(&node.b, p, level + 1));
		TRY(add(out, p, node));
	}
	p->depth--;
	return NULL;
}

struct error *expr_parse(struct expr **out, const char *text)
{
	cleanup_expr struct expr *e = xcalloc(1, sizeof *e);
	struct expr_parser p = {.e = e};

	e->text = xstrdup(text);
	p.p = e->text;
	TRY(parse_binary(&e->root, &p, 1));
	skip_blanks(&p);
	if (*p.p)
		return off(&p, "an operator is missing");
	*out = steal(&e);
	return NULL;
}

static struct error *wrong(const struct expr *e, const char *what)
{
	return error_new(ERROR_MALFORMED, "'%s' %s", e->text, what);
}

static struct error *lookup(int64_t *out, const struct expr *e,
			    const char *name, const struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->n; i++) {
		if (!str_eq(symbols->name[i], name))
			continue;
		*out = symbols->value[i];
		return NULL;
	}
	return error_new(ERROR_MALFORMED, "'%s' has an unknown symbol, %s",
			 e->text, name);
}

/* Rounds as C does, which readers expect; sizes are not negative, so rounding
 * towards minus infinity would make no difference. */
static struct error *divide(int64_t *out, const struct expr *e, enum op op,
			    int64_t a, int64_t b)
{
	int64_t sum;

	if (b == 0)
		return wrong(e, "divides by zero");
	if (a == INT64_MIN && b == -1)
		return wrong(e, "overflows");
	if (op == OP_DIV || op == OP_MOD) {
		*out = op == OP_DIV ? a / b : a % b;
		return NULL;
	}
	if (b < 0 || a < 0)
		return wrong(e, "rounds a negative number up");
	if (__builtin_add_overflow(a, b - 1, &sum))
		return wrong(e, "overflows");
	*out = op == OP_ALIGN ? sum / b * b : sum / b;
	return NULL;
}

static struct error *combine(int64_t *out, const struct expr *e, enum op op,
			     int64_t a, int64_t b)
{
	bool overflow = false;

	switch (op) {
	case OP_ADD:
		overflow = __builtin_add_overflow(a, b, out);
		break;
	case OP_SUB:
		overflow = __builtin_sub_overflow(a, b, out);
		break;
	case OP_MUL:
		overflow = __builtin_mul_overflow(a, b, out);
		break;
	case OP_LT:
		*out = a < b;
		break;
	case OP_LE:
		*out = a <= b;
		break;
	case OP_GT:
		*out = a > b;
		break;
	case OP_GE:
		*out = a >= b;
		break;
	case OP_EQ:
		*out = a == b;
		break;
	case OP_NE:
		*out = a != b;
		break;
	case OP_MIN:
		*out = MIN(a, b);
		break;
	case OP_MAX:
		*out = MAX(a, b);
		break;
	default:
		return divide(out, e, op, a, b);
	}
	return overflow ? wrong(e, "overflows") : NULL;
}

/* Does the value a of the left side say what a && b or a || b is? */
static bool is_settled(enum op op, int64_t a)
{
	return op == OP_AND ? !a : a != 0;
}

static struct error *eval(int64_t *out, const struct expr *e, size_t i,
			  const struct symbols *symbols);

/* What is not computed has no unknown symbol either: a misspelled name is found
 * at every size. */
static struct error *check_symbols(const struct expr *e, size_t i,
				   const struct symbols *symbols)
{
	const struct node *n = &e->node[i];
	int64_t ignored;

	switch (n->op) {
	case OP_NUMBER:
		return NULL;
	case OP_SYMBOL:
		return lookup(&ignored, e, n->symbol, symbols);
	case OP_NEGATE:
	case OP_NOT:
		return check_symbols(e, n->a, symbols);
	default:
		TRY(check_symbols(e, n->a, symbols));
		return check_symbols(e, n->b, symbols);
	}
}

static struct error *eval_logical(int64_t *out, const struct expr *e, size_t i,
				  const struct symbols *symbols)
{
	const struct node *n = &e->node[i];
	int64_t a = 0, b = 0;

	TRY(eval(&a, e, n->a, symbols));
	if (is_settled(n->op, a)) {
		*out = n->op == OP_OR;
		return check_symbols(e, n->b, symbols);
	}
	TRY(eval(&b, e, n->b, symbols));
	*out = b != 0;
	return NULL;
}

static struct error *eval(int64_t *out, const struct expr *e, size_t i,
			  const struct symbols *symbols)
{
	const struct node *n = &e->node[i];
	int64_t a = 0, b = 0;

	switch (n->op) {
	case OP_NUMBER:
		*out = n->number;
		return NULL;
	case OP_SYMBOL:
		return lookup(out, e, n->symbol, symbols);
	case OP_NEGATE:
	case OP_NOT:
		TRY(eval(&a, e, n->a, symbols));
		if (n->op == OP_NOT)
			*out = !a;
		else if (__builtin_sub_overflow(0, a, out))
			return wrong(e, "overflows");
		return NULL;
	case OP_AND:
	case OP_OR:
		return eval_logical(out, e, i, symbols);
	default:
		TRY(eval(&a, e, n->a, symbols));
		TRY(eval(&b, e, n->b, symbols));
		return combine(out, e, n->op, a, b);
	}
}

struct error *expr_eval(int64_t *out, const struct expr *e,
			const struct symbols *symbols)
{
	int64_t value = 0;

	TRY(eval(&value, e, e->root, symbols));
	*out = value;
	return NULL;
}

/* ---- with known places ---------------------------------------------------- */

size_t expr_bind(struct expr *e, char *const *names, size_t n)
{
	size_t end = 0;

	for (size_t i = 0; i < e->n; i++) {
		struct node *node = &e->node[i];

		if (node->op != OP_SYMBOL)
			continue;
		for (node->place = 0; node->place < n; node->place++)
			if (str_eq(names[node->place], node->symbol))
				break;
		end = MAX(end, node->place + 1);
		if (node->place == n)
			node->place = SIZE_MAX;
	}
	return MIN(end, n);
}

struct bound {
	const int64_t *value;
	const bool *has_value;
};

static bool eval_at(int64_t *out, const struct expr *e, size_t i,
		    const struct bound *at)
{
	const struct node *n = &e->node[i];
	struct error *err;
	int64_t a = 0, b = 0;

	switch (n->op) {
	case OP_NUMBER:
		*out = n->number;
		return true;
	case OP_SYMBOL:
		if (n->place == SIZE_MAX || !at->has_value[n->place])
			return false;
		*out = at->value[n->place];
		return true;
	case OP_NEGATE:
	case OP_NOT:
		if (!eval_at(&a, e, n->a, at))
			return false;
		*out = !a;
		return n->op == OP_NOT || !__builtin_sub_overflow(0, a, out);
	case OP_AND:
	case OP_OR:
		if (!eval_at(&a, e, n->a, at))
			return false;
		*out = n->op == OP_OR;
		if (is_settled(n->op, a))
			return true;
		if (!eval_at(&b, e, n->b, at))
			return false;
		*out = b != 0;
		return true;
	default:
		if (!eval_at(&a, e, n->a, at) || !eval_at(&b, e, n->b, at))
			return false;
		err = combine(out, e, n->op, a, b);
		error_free(err);
		return !err;
	}
}

bool expr_eval_at(int64_t *out, const struct expr *e, const int64_t *value,
		  const bool *has_value)
{
	const struct bound at = {value, has_value};

	return eval_at(out, e, e->root, &at);
}

/* ---- as code ------------------------------------------------------------- */

struct code_form {
	const char *call; /* before the operands */
	const char *between;
	bool swapped; /* a > b is b < a */
};

static const struct code_form code_forms[] = {
	[OP_ADD] = {"(", " + ", false},
	[OP_SUB] = {"(", " - ", false},
	[OP_MUL] = {"(", " * ", false},
	[OP_DIV] = {"divide(", ", ", false},
	[OP_MOD] = {"modulo(", ", ", false},
	[OP_NEGATE] = {"negate(", NULL, false},
	[OP_NOT] = {"is_not(", NULL, false},
	[OP_LT] = {"is_less(", ", ", false},
	[OP_LE] = {"is_at_most(", ", ", false},
	[OP_GT] = {"is_less(", ", ", true},
	[OP_GE] = {"is_at_most(", ", ", true},
	[OP_EQ] = {"is_equal(", ", ", false},
	[OP_NE] = {"is_not(is_equal(", ", ", false},
	[OP_AND] = {"is_true(", " and ", false},
	[OP_OR] = {"is_true(", " or ", false},
	[OP_MIN] = {"minimum(", ", ", false},
	[OP_MAX] = {"maximum(", ", ", false},
	[OP_CEIL_DIV] = {"ceil_div(", ", ", false},
	[OP_ALIGN] = {"align_up(", ", ", false},
};

static void add_code(struct buf *out, const struct expr *e, size_t i,
		     const char *prefix, const char *suffix)
{
	const struct node *n = &e->node[i];
	const struct code_form *form = &code_forms[n->op];

	if (n->op == OP_NUMBER) {
		buf_addf(out, "%lld%s", (long long)n->number, suffix);
		return;
	}
	if (n->op == OP_SYMBOL) {
		buf_addf(out, "%s%s", prefix, n->symbol);
		return;
	}
	buf_adds(out, form->call);
	add_code(out, e, form->swapped ? n->b : n->a, prefix, suffix);
	if (form->between) {
		buf_adds(out, form->between);
		add_code(out, e, form->swapped ? n->a : n->b, prefix, suffix);
	}
	buf_adds(out, n->op == OP_NE ? "))" : ")");
}

void expr_code(struct buf *out, const struct expr *e, const char *prefix,
	       const char *suffix)
{
	add_code(out, e, e->root, prefix, suffix);
}

static const char *const python_signs[] = {
	[OP_ADD] = "+", [OP_SUB] = "-", [OP_MUL] = "*", [OP_DIV] = "//",
	[OP_MOD] = "%", [OP_LT] = "<",	[OP_LE] = "<=", [OP_GT] = ">",
	[OP_GE] = ">=", [OP_EQ] = "==", [OP_NE] = "!=", [OP_AND] = "and",
	[OP_OR] = "or",
};

static void add_python(struct buf *out, const struct expr *e, size_t i);

static void add_python_pair(struct buf *out, const struct expr *e, size_t i,
			    const char *begin, const char *between,
			    const char *end)
{
	buf_adds(out, begin);
	add_python(out, e, e->node[i].a);
	buf_adds(out, between);
	add_python(out, e, e->node[i].b);
	buf_adds(out, end);
}

static bool is_truth(enum op op)
{
	switch (op) {
	case OP_NOT:
	case OP_LT:
	case OP_LE:
	case OP_GT:
	case OP_GE:
	case OP_EQ:
	case OP_NE:
	case OP_AND:
	case OP_OR:
		return true;
	default:
		return false;
	}
}

/* `and` of Python has the value of an operand: each is made a truth. */
static void add_python_truth(struct buf *out, const struct expr *e, size_t i)
{
	bool is = is_truth(e->node[i].op);

	buf_adds(out, is ? "" : "(");
	add_python(out, e, i);
	buf_adds(out, is ? "" : " != 0)");
}

/* Rounding up is rounding the negative down. */
static void add_python(struct buf *out, const struct expr *e, size_t i)
{
	const struct node *n = &e->node[i];

	switch (n->op) {
	case OP_NUMBER:
		buf_addf(out, "%lld", (long long)n->number);
		return;
	case OP_SYMBOL:
		buf_adds(out, n->symbol);
		return;
	case OP_NEGATE:
	case OP_NOT:
		buf_addf(out, "(%s", n->op == OP_NOT ? "not " : "-");
		add_python(out, e, n->a);
		buf_addc(out, ')');
		return;
	case OP_MIN:
	case OP_MAX:
		add_python_pair(out, e, i, n->op == OP_MIN ? "min(" : "max(",
				", ", ")");
		return;
	case OP_CEIL_DIV:
		add_python_pair(out, e, i, "(-(-", " // ", "))");
		return;
	case OP_ALIGN:
		add_python_pair(out, e, i, "(-(-", " // ", ") * ");
		add_python(out, e, n->b);
		buf_addc(out, ')');
		return;
	case OP_AND:
	case OP_OR:
		buf_addc(out, '(');
		add_python_truth(out, e, n->a);
		buf_addf(out, " %s ", python_signs[n->op]);
		add_python_truth(out, e, n->b);
		buf_addc(out, ')');
		return;
	default:
		buf_addc(out, '(');
		add_python(out, e, n->a);
		buf_addf(out, " %s ", python_signs[n->op]);
		add_python(out, e, n->b);
		buf_addc(out, ')');
	}
}

void expr_python(struct buf *out, const struct expr *e)
{
	add_python(out, e, e->root);
}

const char *expr_only_symbol(const struct expr *e)
{
	return e->node[e->root].op == OP_SYMBOL ? e->node[e->root].symbol
						: NULL;
}

const char *expr_text(const struct expr *e)
{
	return e->text;
}

void expr_symbols(struct strvec *names, const struct expr *e)
{
	for (size_t i = 0; i < e->n; i++)
		if (e->node[i].op == OP_SYMBOL &&
		    !strvec_has(names, e->node[i].symbol))
			strvec_push(names, e->node[i].symbol);
}

void expr_free(struct expr *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->n; i++)
		free(e->node[i].symbol);
	free(e->node);
	free(e->text);
	free(e);
}
