#include "scorer/inspect/sass.h"

#include <ctype.h>
#include <errno.h>

#define MAX_LABELS 65536
#define MAX_TEXT   512

/* A target of branches as nvdisasm names it, while a kernel is read. */
struct label {
	char *name;
	size_t line;
};

struct sass_parser {
	struct sass *out;
	size_t lines_cap;
	struct label *label; /* of the current kernel */
	size_t n_labels, labels_cap;
};

static void forget_labels(struct sass_parser *p)
{
	for (size_t i = 0; i < p->n_labels; i++)
		free(p->label[i].name);
	p->n_labels = 0;
}

static void sass_parser_release(struct sass_parser *p)
{
	forget_labels(p);
	free(p->label);
}
DEFINE_RELEASE(sass_parser, struct sass_parser, sass_parser_release)

/* ---- branches ------------------------------------------------------------ */

const char *sass_opcode(const struct sass_line *l)
{
	const char *text = l->text;

	if (*text == '@') {
		text += strcspn(text, " \t");
		text += strspn(text, " \t");
	}
	return text;
}

static size_t line_at(const struct sass *s, const struct sass_kernel *k,
		      uint64_t at)
{
	size_t low = k->begin, high = k->end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->line[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < k->end && s->line[low].at == at ? low : SIZE_MAX;
}

static int by_name(const void *a, const void *b)
{
	const struct label *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* `name` ends at a parenthesis. The labels are sorted. */
static size_t line_of_label(const struct sass_parser *p,
			    const struct sass_kernel *k, const char *name)
{
	cleanup_free char *key = xstrndup(name, strcspn(name, ")"));
	const struct label wanted = {.name = key};
	const struct label *found =
		p->n_labels ? bsearch(&wanted, p->label, p->n_labels,
				      sizeof *p->label, by_name)
			    : NULL;

	return found && found->line < k->end ? found->line : SIZE_MAX;
}

/* "BRA 0x250", "BRA.U !UP0, `(.L_x_3)": the last operand. */
static size_t target_of(const struct sass_parser *p,
			const struct sass_kernel *k, const struct sass_line *l)
{
	const char *text = sass_opcode(l);
	const char *label = strstr(text, "`(");
	const char *number = NULL;
	uint64_t at;
	char *end;

	if (!starts_with(text, "BRA") || isalpha((unsigned char)text[3]))
		return SIZE_MAX;
	if (label)
		return line_of_label(p, k, label + 2);
	for (const char *c = text; (c = strstr(c, "0x")); c += 2)
		number = c;
	if (!number)
		return SIZE_MAX;
	errno = 0;
	at = strtoull(number, &end, 16);
	return errno || end <= number + 2 ? SIZE_MAX : line_at(p->out, k, at);
}

/* Sets the targets of a kernel at its end, when all of its labels are known. */
static void end_kernel(struct sass_parser *p)
{
	struct sass *s = p->out;
	struct sass_kernel *k;

	if (!s->n_kernels)
		return;
	k = &s->kernel[s->n_kernels - 1];
	k->end = s->n_lines;
	if (p->n_labels)
		qsort(p->label, p->n_labels, sizeof *p->label, by_name);
	for (size_t i = k->begin; i < k->end; i++)
		s->line[i].target = target_of(p, k, &s->line[i]);
	forget_labels(p);
	/* Drops a kernel without code: a section's name comes twice. */
	if (k->begin == k->end) {
		free(k->name);
		s->n_kernels--;
	}
}

/* ---- lines --------------------------------------------------------------- */

static struct error *begin_kernel(struct sass_parser *p, const char *name,
				  size_t len)
{
	struct sass *s = p->out;

	end_kernel(p);
	if (s->n_kernels == SASS_MAX_KERNELS)
		return error_new(ERROR_TOO_BIG, "over %d kernels to look at",
				 SASS_MAX_KERNELS);
	s->kernel[s->n_kernels++] = (struct sass_kernel){
		xstrndup(name, MIN(len, MAX_TEXT)), s->n_lines, s->n_lines};
	return NULL;
}

static void add_label(struct sass_parser *p, const char *name, size_t len)
{
	if (!p->out->n_kernels || p->n_labels == MAX_LABELS)
		return;
	GROW(p->label, p->n_labels, p->labels_cap);
	p->label[p->n_labels++] =
		(struct label){xstrndup(name, len), p->out->n_lines};
}

/* A line that begins with its address in a comment: an instruction of the
 * current kernel. */
static struct error *add_instruction(struct sass_parser *p, const char *line,
				     const char *end)
{
	struct sass *s = p->out;
	const char *stop = memchr(line, ';', (size_t)(end - line));
	uint64_t at;
	char *digits;

	errno = 0;
	at = strtoull(line + 2, &digits, 16);
	if (errno || digits == line + 2 || !starts_with(digits, "*/") || !stop)
		return NULL;
	line = digits + 2;
	while (line < stop && (*line == ' ' || *line == '\t'))
		line++;
	while (stop > line && (stop[-1] == ' ' || stop[-1] == '\t'))
		stop--;
	if (line == stop || !s->n_kernels)
		return NULL;
	if (s->n_lines == SASS_MAX_LINES)
		return error_new(ERROR_TOO_BIG, "over %d instructions",
				 SASS_MAX_LINES);
	GROW(s->line, s->n_lines, p->lines_cap);
	s->line[s->n_lines++] = (struct sass_line){
		.at = at,
		.text = xstrndup(line,
				 MIN((size_t)(stop - line), (size_t)MAX_TEXT)),
		.target = SIZE_MAX,
	};
	return NULL;
}

static struct error *parse_line(struct sass_parser *p, const char *line,
				const char *end)
{
	static const char function[] = "Function : ";
	static const char section[] = ".text.";
	size_t len;

	while (line < end && (*line == ' ' || *line == '\t'))
		line++;
	while (end > line && (end[-1] == ' ' || end[-1] == '\r'))
		end--;
	len = (size_t)(end - line);
	if (len > 2 && starts_with(line, "/*"))
		return add_instruction(p, line, end);
	if (len > strlen(function) && starts_with(line, function))
		return begin_kernel(p, line + strlen(function),
				    len - strlen(function));
	if (len < 2 || end[-1] != ':' || *line != '.')
		return NULL;
	if (len > strlen(section) + 1 && starts_with(line, section))
		return begin_kernel(p, line + strlen(section),
				    len - strlen(section) - 1);
	add_label(p, line, len - 1);
	return NULL;
}

struct error *sass_parse(struct sass *out, const char *text, size_t len)
{
	cleanup_sass struct sass s = {0};
	CLEANUP(sass_parser) struct sass_parser p = {.out = &s};
	const char *stop = text + len;

	for (const char *line = text, *end; line < stop; line = end + 1) {
		end = memchr(line, '\n', (size_t)(stop - line));
		if (!end)
			end = stop;
		TRY(parse_line(&p, line, end));
	}
	end_kernel(&p);
	if (!s.n_lines)
		return error_new(ERROR_NOT_FOUND,
				 "the disassembler printed no instructions");
	*out = s;
	s = (struct sass){0};
	return NULL;
}

void sass_release(struct sass *s)
{
	for (size_t i = 0; i < s->n_lines; i++)
		free(s->line[i].text);
	free(s->line);
	for (size_t i = 0; i < s->n_kernels; i++)
		free(s->kernel[i].name);
	*s = (struct sass){0};
}
