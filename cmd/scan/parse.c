#include "cmd/scan/hot.h"

#include <math.h>

/* A line of a text, without its end; NULL at the end of the text. */
static char *take_line(const char **at)
{
	size_t len = strcspn(*at, "\n");
	char *line;

	if (!**at)
		return NULL;
	line = xstrndup(*at, len);
	*at += len + ((*at)[len] == '\n');
	return line;
}

/* ---- perf script --------------------------------------------------------- */

/* "  250000   55e99e56a16b scale(float*, int) (/tmp/x)": the last parentheses that
 * begin a path or "[kernel...]" are the object. */
static void add_sample(struct hot_list *out, char *line)
{
	char *end, *name, *object = NULL;
	double period = strtod(line, &end);
	size_t len = strlen(line);

	if (end == line || *end != ' ')
		return;
	end += strspn(end, " ");
	name = end + strspn(end, "0123456789abcdef");
	if (name == end || *name != ' ')
		return;
	name += strspn(name, " ");
	for (char *p = name; *p; p++)
		if (p[0] == ' ' && p[1] == '(' && (p[2] == '/' || p[2] == '['))
			object = p;
	if (!object || line[len - 1] != ')')
		return;
	line[len - 1] = '\0';
	*object = '\0';
	hot_add(out, name, object + 2, period, NAN);
}

static void parse_perf(struct hot_list *out, const char *text)
{
	const char *at = text;

	out->is_time = true;
	for (;;) {
		cleanup_free char *line = take_line(&at);

		if (!line)
			return;
		add_sample(out, line);
	}
}

/* ---- callgrind ----------------------------------------------------------- */

/* Names that the file numbers at their first use: "fn=(12) name", then
 * "fn=(12)". */
#define MOST_NAMES ((unsigned long)1 << 20)
struct numbered {
	char **name; /* by number */
	size_t n;
};

static void numbered_release(struct numbered *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->name[i]);
	free(t->name);
}

static void set_name(struct numbered *t, size_t id, const char *name)
{
	if (id >= t->n) {
		size_t n = MAX(2 * t->n, id + 1);

		t->name = xrealloc(t->name, n, sizeof *t->name);
		memset(t->name + t->n, 0, (n - t->n) * sizeof *t->name);
		t->n = n;
	}
	free(t->name[id]);
	t->name[id] = xstrdup(name);
}

/* Borrowed until the number is given to another name. */
static const char *name_of(struct numbered *t, const char *text)
{
	unsigned long id;
	char *end;

	if (*text != '(')
		return "[unknown]"; /* callgrind numbers all of them */
	id = strtoul(text + 1, &end, 10);
	if (*end != ')' || id >= MOST_NAMES)
		return "[unknown]";
	end += 1 + (end[1] == ' ');
	if (*end)
		set_name(t, id, end);
	return id < t->n && t->name[id] ? t->name[id] : "[unknown]";
}

struct callgrind {
	struct hot_list *out;
	struct numbered files, functions, objects;
	char *object, *function, *file; /* NULL: none yet */
	long line;			/* of the last cost */
	long first;			/* line of the function; 0: none yet */
	double cost;			/* of the function, so far */
	bool is_inlined;		/* what follows is of another file */
	bool skip; /* the next cost is of a call, with all below it */
};

static void end_function(struct callgrind *c)
{
	size_t n = c->out->n;

	if (c->function)
		hot_add(c->out, c->function, c->object, c->cost, NAN);
	if (c->out->n > n && c->file && *c->file && *c->file != '?') {
		c->out->f[n].source = xstrdup(c->file);
		c->out->f[n].line = c->first;
	}
	c->cost = 0;
	c->first = 0;
	c->is_inlined = false;
}

/* "84 4", "+1 3", "-2 1", "* 7": a line, relative or not, and its cost. */
static void add_cost(struct callgrind *c, const char *line)
{
	char *end;
	long number = *line == '*' ? 0 : strtol(line, &end, 10);
	double cost;

	if (*line == '*')
		end = (char *)line + 1;
	if (*line == '+' || *line == '-' || *line == '*')
		number = MIN(MAX(number, -100000000), 100000000) + c->line;
	c->line = MIN(MAX(number, 0), 100000000);
	cost = strtod(end, NULL);
	if (!c->skip && isfinite(cost) && cost > 0) {
		c->cost += cost;
		if (!c->first && !c->is_inlined)
			c->first = c->line;
	}
	c->skip = false;
}

static void set(char **at, const char *text)
{
	free(*at);
	*at = xstrdup_null(text);
}

static void read_callgrind_line(struct callgrind *c, const char *line)
{
	const char *text = strchr(line, '=');

	if (*line && strchr("+-*0123456789", *line)) {
		add_cost(c, line);
		return;
	}
	if (!text)
		return;
	text++;
	if (starts_with(line, "ob=")) {
		end_function(c);
		set(&c->function, NULL);
		set(&c->object, name_of(&c->objects, text));
	} else if (starts_with(line, "fl=")) {
		end_function(c);
		set(&c->function, NULL);
		set(&c->file, name_of(&c->files, text));
	} else if (starts_with(line, "fi=") || starts_with(line, "fe=")) {
		c->is_inlined = !str_eq(name_of(&c->files, text),
					c->file ? c->file : "");
	} else if (starts_with(line, "fn=")) {
		end_function(c);
		set(&c->function, name_of(&c->functions, text));
	} else if (starts_with(line, "cfn=")) {
		(void)name_of(&c->functions, text);
	} else if (starts_with(line, "cfi=") || starts_with(line, "cfl=")) {
		(void)name_of(&c->files, text);
	} else if (starts_with(line, "cob=")) {
		(void)name_of(&c->objects, text);
	} else if (starts_with(line, "calls=")) {
		c->skip = true;
	}
}

static void callgrind_release(struct callgrind *c)
{
	numbered_release(&c->files);
	numbered_release(&c->functions);
	numbered_release(&c->objects);
	free(c->object);
	free(c->function);
	free(c->file);
}
DEFINE_RELEASE(callgrind, struct callgrind, callgrind_release)

static void parse_callgrind(struct hot_list *out, const char *text)
{
	CLEANUP(callgrind) struct callgrind c = {.out = out};
	const char *at = text;

	for (;;) {
		cleanup_free char *line = take_line(&at);

		if (!line)
			break;
		read_callgrind_line(&c, line);
	}
	end_function(&c);
}

/* ---- any ----------------------------------------------------------------- */

static bool is_table(const char *text, enum profile_form *form)
{
	if (strstr(text, "\"Kernel Name\"") &&
	    strstr(text, "gpu__time_duration.sum")) {
		*form = PROFILE_NCU;
		return true;
	}
	*form = PROFILE_NSYS;
	return strstr(text, "Total Time (ns)") && strstr(text, "Name");
}

struct error *profile_parse(struct hot_list *out, enum profile_form *form,
			    const char *text)
{
	*out = (struct hot_list){0};
	if (starts_with(text, "# callgrind format") ||
	    strstr(text, "\npositions: line")) {
		*form = PROFILE_CALLGRIND;
		parse_callgrind(out, text);
	} else if (is_table(text, form)) {
		parse_kernels(out, text);
	} else {
		*form = PROFILE_PERF;
		parse_perf(out, text);
	}
	hot_rank(out);
	if (out->n)
		return NULL;
	return error_new(ERROR_NOT_FOUND,
			 "this profile has no function: it must be the output "
			 "of `perf script -F period,ip,sym,dso`, a file of "
			 "callgrind, or a table of ncu or nsys (docs/scan.md)");
}
