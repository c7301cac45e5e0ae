#include "agent/tools/internal.h"

#include <stdarg.h>

#define MEMBERS_MAX 32

#define STRING(name, about) \
	"\"" name "\":{\"type\":\"string\",\"description\":\"" about "\"}"
#define INTEGER(name, about) \
	"\"" name "\":{\"type\":\"integer\",\"description\":\"" about "\"}"
#define BOOLEAN(name, about) \
	"\"" name "\":{\"type\":\"boolean\",\"description\":\"" about "\"}"
#define SCHEMA(required, properties)                       \
	"{\"type\":\"object\",\"properties\":{" properties \
	"},\"required\":[" required "],\"additionalProperties\":false}"

#define PATH STRING("path", "relative to the workspace")
#define ATTEMPT                                                      \
	"a number from lineage, a commit, or one of: best, parent, " \
	"start"

/* The arguments of each tool, as JSON schemas. */

#define VIEW_TAKES                                                         \
	SCHEMA("", PATH "," INTEGER("from", "first line (1)") "," INTEGER( \
			   "to", "last line (400 after the first)"))
#define SEARCH_TAKES                                                          \
	SCHEMA("\"pattern\"",                                                 \
	       STRING("pattern", "extended regular expression") "," STRING(   \
		       "path",                                                \
		       "only this file or folder") "," BOOLEAN("ignore_case", \
							       "letters of "  \
							       "either case " \
							       "(false)"))
#define EDIT_TAKES                                                          \
	SCHEMA("\"path\",\"old\",\"new\"",                                  \
	       PATH "," STRING("old", "text that is there now") "," STRING( \
		       "new", "text in its place"))
#define WRITE_TAKES                                                       \
	SCHEMA("\"path\",\"text\"", PATH "," STRING("text", "all of the " \
							    "file"))
#define SHELL_TAKES                                                       \
	SCHEMA("\"command\"", STRING("command", "for sh -c") "," INTEGER( \
				      "timeout", "seconds (60, at most 600)"))
#define SCORE_TAKES                                                            \
	SCHEMA("\"subject\",\"hypothesis\"",                                   \
	       STRING("subject",                                               \
		      "what was changed, one line, for the "                   \
		      "history") "," STRING("hypothesis",                      \
					    "why it should be "                \
					    "faster, and "                     \
					    "what would show "                 \
					    "it") "," BOOLEAN("again",         \
							      "measure "       \
							      "sources again " \
							      "that passed "   \
							      "and were "      \
							      "neither kept "  \
							      "nor slower "    \
							      "(false)"))
#define TUNE_TAKES                                                          \
	SCHEMA("", INTEGER("attempts", "at most so many (16)") "," INTEGER( \
			   "seconds", "begin none after so long"))
#define PROFILE_TAKES                                                          \
	SCHEMA("",                                                             \
	       STRING("case", "its name (the first)") "," STRING(              \
		       "kernel",                                               \
		       "a part of its name (the longest)") "," STRING("show",  \
								      "counte" \
								      "rs "    \
								      "(where" \
								      " nothi" \
								      "ng is " \
								      "given)" \
								      ", "     \
								      "every," \
								      " sass," \
								      " ptx"))
#define MICROBENCHMARK_TAKES                                               \
	SCHEMA("\"source\"",                                               \
	       STRING("source", "a whole program, with main") "," INTEGER( \
		       "seconds", "at most (10, to 60)"))
#define LINEAGE_TAKES                                                    \
	SCHEMA("", INTEGER("count", "at most so many (40)") "," BOOLEAN( \
			   "accepted",                                   \
			   "only the start and what was kept (false)"))
#define SHOW_TAKES                                                   \
	SCHEMA("\"attempt\"", STRING("attempt", ATTEMPT) "," STRING( \
				      "path", "one of its files instead"))
#define DIFF_TAKES                \
	SCHEMA("\"from\",\"to\"", \
	       STRING("from", ATTEMPT) "," STRING("to", ATTEMPT))
#define RESTORE_TAKES SCHEMA("\"attempt\"", STRING("attempt", ATTEMPT))
#define KNOWLEDGE_TAKES                                            \
	SCHEMA("",                                                 \
	       STRING("query", "words, or a question") "," STRING( \
		       "open",                                     \
		       "in"                                        \
		       "st"                                        \
		       "ea"                                        \
		       "d:"                                        \
		       " a"                                        \
		       " d"                                        \
		       "oc"                                        \
		       "um"                                        \
		       "en"                                        \
		       "t;"                                        \
		       " "                                         \
		       "\\"                                        \
		       "\""                                        \
		       "\\"                                        \
		       "\""                                        \
		       " n"                                        \
		       "am"                                        \
		       "es"                                        \
		       " a"                                        \
		       "l"                                         \
		       "l") "," INTEGER("count", "passages (5, at most 20)"))
#define NOTES_TAKES                                                   \
	SCHEMA("", STRING("add", "a paragraph") "," STRING("replace", \
							   "all of it, new"))

/* The description of each tool, for the model. */

#define VIEW_ABOUT                                                          \
	"Shows a file of the workspace with line numbers, or what is in a " \
	"folder. Long files are shown in part: give a range."
#define SEARCH_ABOUT                                                        \
	"Finds an extended regular expression (POSIX) in the files of the " \
	"workspace, line by line."
#define EDIT_ABOUT                                                            \
	"Replaces text in a source. `old` must be there exactly once, white " \
	"space included: take it from view, without the line numbers."
#define WRITE_ABOUT \
	"Writes a whole source file. Only the task's sources can be written."
#define SHELL_ABOUT                                                            \
	"Runs a command in a sandbox on a copy of the workspace: no network, " \
	"no GPU, no repository. Changes to the task's sources are taken back " \
	"into the workspace, all else is gone at the end. Its own timings "    \
	"count for nothing: score measures."
#define BUILD_ABOUT                                                          \
	"Compiles the sources as scoring would and shows what the compiler " \
	"said. Costs no attempt."
#define SCORE_ABOUT                                                       \
	"Commits the sources as an attempt, checks it in every case and " \
	"measures it against the kernel it was made from. This is what "  \
	"counts. A kept attempt is what the next one is compared with."
#define TUNE_ABOUT                                                            \
	"Scores the points of the tunables that the sources declare "         \
	"(`#define "                                                          \
	"MR 4 // avogit: 2 4 8`; `// avogit-require: MR * NR <= 64`), each "  \
	"an "                                                                 \
	"attempt, by a search that knows all that was measured of them. The " \
	"best is left in the workspace."
#define PROFILE_ABOUT                                                         \
	"Shows where the time of one case goes, for the sources as they are " \
	"(CUDA only). Costs no attempt."
#define MICROBENCHMARK_ABOUT                                                  \
	"Compiles a small program in the task's language and runs it in the " \
	"sandbox on the machine's card or CPUs: what an instruction or an "   \
	"access costs. Shows what it prints; scores nothing."
#define LINEAGE_ABOUT                                                   \
	"Lists the attempts of the run, newest first: number, parent, " \
	"outcome, speed over the start, what was tried, and why it failed."
#define SHOW_ABOUT                                                         \
	"Shows an attempt: its hypothesis, figures, failure, and what it " \
	"changed; with `path` that file as it had it."
#define DIFF_ABOUT "Shows how the sources of two attempts differ."
#define RESTORE_ABOUT                                                         \
	"Puts the sources of an attempt into the workspace, in the place of " \
	"those that are there."
#define KNOWLEDGE_ABOUT                                                     \
	"Searches the knowledge base: notes on the hardware, documents of " \
	"the project, what earlier runs found."
#define NOTES_ABOUT                                                           \
	"Your memory from step to step: shows it; with `add` appends to it, " \
	"with `replace` starts it again. Write what was learnt, what is "     \
	"planned, what is ruled out."

static const struct tool table[] = {
	{"view", "View a file", VIEW_ABOUT, VIEW_TAKES, NULL,
	 TOOL_READS | TOOL_FILES, tool_view},
	{"search", "Search the sources", SEARCH_ABOUT, SEARCH_TAKES, NULL,
	 TOOL_READS | TOOL_FILES, tool_search},
	{"edit", "Edit a source", EDIT_ABOUT, EDIT_TAKES, NULL, TOOL_FILES,
	 tool_edit},
	{"write", "Write a source", WRITE_ABOUT, WRITE_TAKES, NULL,
	 TOOL_FILES | TOOL_AGAIN, tool_write},
	{"shell", "Run a command in the sandbox", SHELL_ABOUT, SHELL_TAKES,
	 NULL, TOOL_LONG, tool_shell},
	{"build", "Build the sources", BUILD_ABOUT, SCHEMA("", ""), NULL,
	 TOOL_LONG | TOOL_AGAIN, tool_build},
	{"score", "Score the sources", SCORE_ABOUT, SCORE_TAKES,
	 figures_members, TOOL_LONG, tool_score},
	{"tune", "Sweep the tunables", TUNE_ABOUT, TUNE_TAKES, NULL, TOOL_LONG,
	 tool_tune},
	{"profile", "Profile the sources", PROFILE_ABOUT, PROFILE_TAKES, NULL,
	 TOOL_LONG | TOOL_READS, tool_profile},
	{"microbenchmark", "Run a program of your own", MICROBENCHMARK_ABOUT,
	 MICROBENCHMARK_TAKES, NULL, TOOL_LONG | TOOL_READS,
	 tool_microbenchmark},
	{"lineage", "List the attempts", LINEAGE_ABOUT, LINEAGE_TAKES, NULL,
	 TOOL_READS | TOOL_BESIDE, tool_lineage},
	{"show", "Show an attempt", SHOW_ABOUT, SHOW_TAKES, NULL,
	 TOOL_READS | TOOL_BESIDE, tool_show},
	{"diff", "Compare two attempts", DIFF_ABOUT, DIFF_TAKES, NULL,
	 TOOL_READS | TOOL_BESIDE, tool_diff},
	{"restore", "Restore an attempt", RESTORE_ABOUT, RESTORE_TAKES, NULL,
	 TOOL_AGAIN, tool_restore},
	{"knowledge", "Search the knowledge base", KNOWLEDGE_ABOUT,
	 KNOWLEDGE_TAKES, NULL, TOOL_READS | TOOL_BESIDE,
	 tool_knowledge_search},
	{"notes", "Read or add notes", NOTES_ABOUT, NOTES_TAKES, NULL,
	 TOOL_BESIDE, tool_notes},
};

const struct tool *tools(size_t *n)
{
	*n = ARRAY_SIZE(table);
	return table;
}

bool tool_is_offered(const struct tool *t, const struct variation *v)
{
	if (t->call == tool_tune)
		return v->tuner;
	if (t->call == tool_microbenchmark)
		return v->evaluator && v->evaluator->microbenchmark;
	return t->call != tool_profile || !v->evaluator ||
	       v->evaluator->profile;
}

const struct tool *tool_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (str_eq(table[i].name, name))
			return &table[i];
	return NULL;
}

/* ---- replies ------------------------------------------------------------- */

void tool_reply_init(struct tool_reply *r)
{
	*r = (struct tool_reply){0};
	buf_init(&r->text, TOOL_WHOLE_MAX);
}

void tool_reply_release(struct tool_reply *r)
{
	buf_release(&r->text);
	json_free(r->data);
	free(r->file);
}

void tool_fail(struct tool_reply *r, const char *fmt, ...)
{
	char text[2048];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	buf_clear(&r->text);
	buf_adds(&r->text, text);
	r->failed = true;
}

struct error *tool_mend(struct tool_reply *out, struct error *err)
{
	if (!error_is(err, ERROR_NOT_FOUND) && !error_is(err, ERROR_REFUSED) &&
	    !error_is(err, ERROR_TOO_BIG) && !error_is(err, ERROR_TASK) &&
	    !error_is(err, ERROR_MALFORMED))
		return err;
	tool_fail(out, "%s", error_message(err));
	error_free(err);
	return NULL;
}

/* ---- arguments ----------------------------------------------------------- */

const char *tool_string(const struct json *arguments, const char *key)
{
	const char *s = "";

	json_get_string(arguments, key, &s);
	return s;
}

int64_t tool_int(const struct json *arguments, const char *key,
		 int64_t otherwise, int64_t low, int64_t high)
{
	int64_t v = otherwise;

	json_get_int(arguments, key, &v);
	return MIN(MAX(v, low), high);
}

static bool has_type(const struct json *arguments, const struct json *v,
		     const char *type)
{
	double number;
	bool truth;

	if (str_eq(type, "string"))
		return json_string(v) && !json_number(v, &number);
	if (str_eq(type, "integer"))
		return json_number(v, &number) && number >= -9e15 &&
		       number <= 9e15 && number == (double)(int64_t)number;
	return json_get_bool(arguments, json_key(v), &truth);
}

/* Checks a member that the schema has. */
static bool check_member(struct tool_reply *out, const char *tool,
			 const struct json *properties,
			 const struct json *arguments,
			 const struct json *member)
{
	const char *key = json_key(member), *type = "";
	const struct json *known = json_get(properties, key);

	if (!known) {
		tool_fail(out, "%s has no argument '%.60s'; it takes:", tool,
			  key);
		for (size_t i = 0; i < json_len(properties); i++)
			buf_addf(&out->text, " %s",
				 json_key(json_at(properties, i)));
		return false;
	}
	json_get_string(known, "type", &type);
	if (has_type(arguments, member, type))
		return true;
	tool_fail(out, "%s: '%s' must be a%s %s", tool, key,
		  str_eq(type, "integer") ? "n" : "", type);
	return false;
}

static bool check_required(struct tool_reply *out, const char *tool,
			   const struct json *required,
			   const struct json *arguments)
{
	for (size_t i = 0; i < json_len(required); i++) {
		const char *key = json_string(json_at(required, i));

		if (json_get(arguments, key))
			continue;
		tool_fail(out, "%s needs the argument '%s'", tool, key);
		return false;
	}
	return true;
}

bool tool_check(struct tool_reply *out, const char *tool, const char *schema,
		const struct json *arguments)
{
	cleanup_json struct json *s = NULL;
	cleanup_error struct error *err =
		json_parse(&s, schema, strlen(schema));
	const struct json *properties = err ? NULL : json_get(s, "properties");

	/* No tool has so many members: the model repeated an argument. */
	if (json_len(arguments) > MEMBERS_MAX) {
		tool_fail(out, "%s got more arguments than it has", tool);
		return false;
	}
	for (size_t i = 0; i < json_len(arguments); i++) {
		const struct json *member = json_at(arguments, i);

		if (!json_key(member)) {
			tool_fail(out, "%s takes its arguments by name", tool);
			return false;
		}
		if (!check_member(out, tool, properties, arguments, member))
			return false;
	}
	return check_required(out, tool, json_get(s, "required"), arguments);
}

/* The member as the type that the schema wants, if it can be read as that. */
static void settle(struct json *out, const char *type,
		   const struct json *member)
{
	const char *key = json_key(member), *text = json_string(member);
	double number;
	char *end = NULL;
	long long integer = text ? strtoll(text, &end, 10) : 0;
	bool is_number = json_number(member, &number);
	cleanup_free char *digits = is_number ? json_print(member) : NULL;

	if (is_number && str_eq(type, "string"))
		json_set_string(out, key, digits);
	else if (text && *text && !*end && str_eq(type, "integer"))
		json_set_int(out, key, integer);
	else if (text && str_eq(type, "boolean") &&
		 (str_eq(text, "true") || str_eq(text, "false")))
		json_set_bool(out, key, str_eq(text, "true"));
	else
		json_set(out, key, json_dup(member));
}

struct json *tool_settle(const char *schema, const struct json *arguments)
{
	cleanup_json struct json *s = NULL;
	cleanup_error struct error *err =
		json_parse(&s, schema, strlen(schema));
	const struct json *properties = err ? NULL : json_get(s, "properties");
	struct json *out = json_object();

	for (size_t i = 0; i < json_len(arguments); i++) {
		const struct json *member = json_at(arguments, i);
		const char *key = json_key(member), *type = "";

		/* Not an object, or too much of one: tool_check says so. */
		if (!key || json_len(arguments) > MEMBERS_MAX) {
			json_free(out);
			return json_dup(arguments);
		}
		if (json_is_null(member))
			continue;
		json_get_string(json_get(properties, key), "type", &type);
		settle(out, type, member);
	}
	return out;
}

struct error *tool_call(struct tool_reply *out, struct toolbox *b,
			const struct tool *t, const struct json *given)
{
	cleanup_json struct json *arguments = tool_settle(t->schema, given);

	if (!tool_check(out, t->name, t->schema, arguments))
		return NULL;
	TRY(t->call(out, b, arguments));
	tool_bound(out, b);
	if (out->data)
		json_set_string(out->data, "report", out->text.data);
	return NULL;
}
