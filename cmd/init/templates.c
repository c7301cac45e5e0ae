#include "cmd/init/templates.h"

#include "core/base/buf.h"
#include "core/base/strvec.h"
#include "core/task/token.h"

struct template_scan {
	const char *at;
	struct strvec spaces; /* the namespaces here, outermost first */
};

static void scan_release(struct template_scan *s)
{
	strvec_release(&s->spaces);
}
DEFINE_RELEASE(template_scan, struct template_scan, scan_release)
#define cleanup_template_scan CLEANUP(template_scan)

/* What stands for one parameter: `typename T`, `int N`, `int N = 4`. */
static void add_argument(struct buf *out, struct token first)
{
	bool type = token_is(first, "typename") || token_is(first, "class");

	buf_addf(out, "%s%s", out->len ? ", " : "",
		 type			   ? "float"
		 : token_is(first, "bool") ? "true"
					   : "8");
}

/* After "template <": the arguments; *source: behind the ">". */
static void read_arguments(struct buf *out, const char **source)
{
	size_t depth = 1;
	bool begins = true;
	struct token t;

	while (depth && (t = token_next(source)).len) {
		if (begins && token_is_word(t))
			add_argument(out, t);
		begins = depth == 1 && token_is(t, ",");
		if (token_is(t, "("))
			*source = token_skip_nested(*source, "(", ")");
		depth += token_is(t, "<") ? 1 : token_is(t, ">") ? SIZE_MAX : 0;
	}
}

/* The name of the function that a "template <...>" is about; empty: it is about
 * something else. */
static struct token read_name(const char **source)
{
	static const char *const others[] = {"requires", "decltype", "alignas",
					     "__attribute__", "noexcept"};
	struct token before = {0}, t;
	const char *next = *source;

	while ((t = token_next(&next)).len && !token_is(t, ";") &&
	       !token_is(t, "{") && !token_is(t, "=")) {
		bool other = false;

		if (!token_is(t, "(")) {
			before = t;
			*source = next;
			continue;
		}
		for (size_t i = 0; i < ARRAY_SIZE(others); i++)
			other |= token_is(before, others[i]);
		if (!other)
			return token_is_word(before) ? before
						     : (struct token){0};
		next = token_skip_nested(next, "(", ")");
	}
	return (struct token){0};
}

/* "namespace a::b {": its names, if the source goes on so. */
static void enter_namespace(struct template_scan *s)
{
	cleanup_buf struct buf name = BUF_INIT(BUF_LIMIT_TEXT);
	const char *next = s->at;
	struct token t;

	while (token_is_word(t = token_next(&next)) || token_is(t, ":"))
		buf_add(&name, t.at, t.len);
	if (!token_is(t, "{"))
		return;
	s->at = next;
	strvec_push(&s->spaces, name.data);
}

static void leave_namespace(struct template_scan *s)
{
	free(s->spaces.v[--s->spaces.n]);
	s->spaces.v[s->spaces.n] = NULL;
}

static char *value_of(const struct template_scan *s, struct token name,
		      const struct buf *arguments)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	for (size_t i = 0; i < s->spaces.n; i++)
		if (*s->spaces.v[i])
			buf_addf(&out, "%s::", s->spaces.v[i]);
	buf_add(&out, name.at, name.len);
	buf_addf(&out, "<%s>", arguments->data);
	return buf_take(&out);
}

char *template_in_source(const char *source)
{
	cleanup_template_scan struct template_scan s = {.at = source,
							.spaces = STRVEC_INIT};
	struct token t;

	while ((t = token_next(&s.at)).len) {
		cleanup_buf struct buf arguments = BUF_INIT(BUF_LIMIT_TEXT);
		struct token name;

		if (token_is(t, "namespace")) {
			enter_namespace(&s);
		} else if (token_is(t, "{")) {
			s.at = token_skip_nested(s.at, "{", "}");
		} else if (token_is(t, "}") && s.spaces.n) {
			leave_namespace(&s);
		} else if (token_is(t, "template") &&
			   token_is(token_next(&s.at), "<")) {
			read_arguments(&arguments, &s.at);
			name = read_name(&s.at);
			if (name.len && arguments.len)
				return value_of(&s, name, &arguments);
		}
	}
	return NULL;
}
