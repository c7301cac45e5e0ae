/* avogit scan: which function of a program is worth the work. */
#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/scan/tools.h"
#include "cmd/ui/out.h"
#include "cmd/ui/table.h"
#include "core/base/file.h"

#define MAX_PROFILE ((size_t)256 << 20)
#define SHOWN	    10

struct scan_options {
	const char *with, *read;
	int64_t number, init;
	bool json;
	const char *color;
};

static const struct opt options[] = {
	OPT_WORDS(struct scan_options, with, "with", 'w', "TOOL",
		  "perf callgrind ncu nsys",
		  "perf, callgrind, ncu or nsys (perf, else callgrind)"),
	OPT(struct scan_options, read, "read", 0, "FILE",
	    "run nothing: a profile of one of these tools"),
	OPT(struct scan_options, number, "number", 'n', "N",
	    "show the first N (10)"),
	OPT(struct scan_options, init, "init", 0, "N",
	    "then start `avogit init` for the N-th"),
	OPT(struct scan_options, json, "json", 0, NULL, "as JSON"),
	OPT(struct scan_options, color, "color", 0, "WHEN",
	    "always, never or auto"),
	OPT_END,
};

/* ---- for people ---------------------------------------------------------- */

/* "kernel.c:12", else the program or library. */
static void format_place(struct buf *out, const struct hot_function *f)
{
	const char *object = f->object ? f->object : "-";
	const char *name = strrchr(object, '/');

	if (f->source)
		buf_addf(out, "%s:%ld", f->source, f->line);
	else
		buf_adds(out, name ? name + 1 : object);
}

static void format_times(char *out, size_t size, double times)
{
	if (isfinite(times) && times < 1000)
		snprintf(out, size, "%.2fx", times);
	else
		snprintf(out, size, "-");
}

static void add_row(struct table *t, const struct hot_list *h, size_t at)
{
	const struct hot_function *f = &h->f[at];
	cleanup_buf struct buf place = BUF_INIT(BUF_LIMIT_TEXT);
	char twice[32], most[32], reached[32] = "not known";

	format_times(twice, sizeof twice, hot_whole(h, f, 2));
	format_times(most, sizeof most,
		     hot_whole(h, f,
			       isnan(f->reached) ? INFINITY
			       : f->reached > 0	 ? 1 / MIN(f->reached, 1)
						 : INFINITY));
	if (!isnan(f->reached))
		snprintf(reached, sizeof reached, "%.0f%%", f->reached * 100);
	format_place(&place, f);
	table_add(t, COLOR_FAINT, "%zu", at + 1);
	table_add(t, COLOR_BOLD, "%.1f%%", 100 * hot_share(h, f));
	table_add(t, COLOR_NONE, "%s", twice);
	table_add(t, COLOR_NONE, "%s", most);
	table_add(t, COLOR_NONE, "%s", reached);
	table_add(t, COLOR_NONE, "%s", f->name);
	table_add(t, COLOR_NONE, "%s", place.data);
}

static struct error *print_table(const struct hot_list *h, size_t n,
				 const char *color)
{
	static const char *const title[] = {
		"",	    "share", "if 2x", "at most", "of its ceiling",
		"function", "where"};
	cleanup_table struct table t = {.indent = ""};
	struct palette palette;
	bool known = false;

	TRY(palette_init(&palette, color, NULL, STDOUT_FILENO));
	table_init(&t, "rrrrrll");
	for (size_t i = 0; i < ARRAY_SIZE(title); i++)
		table_add(&t, COLOR_FAINT, "%s", title[i]);
	for (size_t i = 0; i < MIN(n, h->n); i++) {
		add_row(&t, h, i);
		known |= !isnan(h->f[i].reached);
	}
	printf("%zu functions; shares are of %s\n", h->n,
	       h->is_time ? "time" : "instructions, not of time");
	table_print(&t, &palette);
	printf("if 2x: how much faster the whole is where this is twice as "
	       "fast; at most: where it\n%s\n",
	       known ? "reaches its ceiling, or takes no time where that is "
		       "not known"
		     : "takes no time, since its ceiling is not known");
	return NULL;
}

/* ---- for programs -------------------------------------------------------- */

static void print_json(const struct hot_list *h, size_t n)
{
	cleanup_json struct json *j = out_json_new();
	struct json *list = json_array();

	json_set_string(j, "of", h->is_time ? "time" : "instructions");
	json_set_int(j, "functions", (int64_t)h->n);
	for (size_t i = 0; i < MIN(n, h->n); i++) {
		const struct hot_function *f = &h->f[i];
		struct json *one = json_object();

		json_set_string(one, "name", f->name);
		json_set_string(one, "object", f->object);
		json_set_string(one, "source", f->source);
		if (f->source)
			json_set_int(one, "line", f->line);
		json_set_double(one, "share", hot_share(h, f));
		json_set_double(one, "whole_if_twice_as_fast",
				hot_whole(h, f, 2));
		if (!isnan(f->reached))
			json_set_double(one, "of_ceiling", f->reached);
		json_push(list, one);
	}
	json_set(j, "hottest", list);
	out_json(j);
}

/* ---- avogit init --------------------------------------------------------- */

/* The command that is typed for the user. */
static void say_init(const char *source, const char *entry)
{
	cleanup_buf struct buf raw = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

	buf_adds(&raw, "avogit init ");
	out_shell_word(&raw, source);
	buf_adds(&raw, " --entry ");
	out_shell_word(&raw, entry);
	out_clean_line(&line, raw.data);
	printf("\n%s\n", line.data);
	fflush(stdout);
}

static struct error *start_init(enum exit_code *code, const struct hot_list *h,
				size_t at)
{
	const struct hot_function *f;
	cleanup_free char *entry = NULL;

	if (at > h->n)
		return error_new(ERROR_USAGE,
				 "scan: --init %zu: only %zu functions were "
				 "seen",
				 at, h->n);
	f = &h->f[at - 1];
	/* Without the types that C++ has behind it. */
	entry = xstrndup(f->name, strcspn(f->name, "("));
	if (!f->source)
		return error_new(ERROR_NOT_FOUND,
				 "scan: in which file %s is defined is not "
				 "known: compile it with -g, or type `avogit "
				 "init FILE --entry NAME`",
				 f->name);
	say_init(f->source, entry);
	return command_init.run(code, &command_init,
				(char *[]){f->source, (char *)"--entry", entry,
					   NULL});
}

/* ------------------------------------------------------------------------- */

/* With --json stdout is for that alone: the command has stderr instead. */
static struct error *profile_command(struct buf *out, int *exit_code,
				     const struct scan_options *o,
				     const struct strvec *command)
{
	cleanup_fd int kept = -1;
	struct error *err;

	if (o->json) {
		kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		if (kept < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
			return error_errno("scan: stdout");
	}
	err = error_wrap(tools_profile(out, exit_code, o->with,
				       (const char *const *)command->v),
			 "scan");
	if (kept >= 0 && dup2(kept, STDOUT_FILENO) < 0 && !err)
		err = error_errno("scan: stdout");
	return err;
}

static struct error *get_profile(struct buf *out, const struct scan_options *o,
				 const struct strvec *command)
{
	int exit_code = 0;

	if (o->read)
		return file_read(out, o->read);
	TRY(profile_command(out, &exit_code, o, command));
	if (exit_code)
		fprintf(stderr, "avogit: the command ended with exit code %d\n",
			exit_code);
	if (out->truncated)
		fprintf(stderr,
			"avogit: the profile is larger than %zu MiB: "
			"what is above that is not counted\n",
			MAX_PROFILE >> 20);
	return NULL;
}

/* Files below this folder are named from here. */
static void shorten_sources(struct hot_list *h, size_t n)
{
	cleanup_free char *folder = getcwd(NULL, 0);
	size_t len = folder ? strlen(folder) : 0;

	for (size_t i = 0; i < MIN(n, h->n) && len; i++) {
		char *source = h->f[i].source;

		if (!source || !starts_with(source, folder) ||
		    source[len] != '/')
			continue;
		h->f[i].source = xstrdup(source + len + 1);
		free(source);
	}
}

static struct error *check(const struct scan_options *o,
			   const struct strvec *operands)
{
	if (o->read && (operands->n || o->with))
		return error_new(ERROR_USAGE,
				 "scan: --read runs nothing: leave out %s",
				 operands->n ? "the command" : "--with");
	if (!o->read && !operands->n)
		return error_new(ERROR_USAGE,
				 "scan: which command? `avogit scan -- COMMAND "
				 "[ARGUMENT...]`");
	return NULL;
}

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	cleanup_strvec struct strvec operands = STRVEC_INIT;
	cleanup_buf struct buf profile = BUF_INIT(MAX_PROFILE);
	cleanup_hot struct hot_list h = {0};
	struct scan_options o = {.number = SHOWN};
	enum profile_form form;
	size_t n;

	TRY(command_parse(self, &o, &operands, argv));
	TRY(check(&o, &operands));
	TRY(get_profile(&profile, &o, &operands));
	TRY(error_wrap(profile_parse(&h, &form, profile.data), "scan"));
	n = (size_t)MAX(o.number, o.init);
	for (size_t i = 0; i < MIN(n, h.n) && form == PROFILE_PERF; i++)
		tools_find_source(&h.f[i]);
	shorten_sources(&h, n);
	if (o.json)
		print_json(&h, n);
	else
		TRY(print_table(&h, n, o.color));
	return o.init ? start_init(code, &h, (size_t)o.init) : NULL;
}

const struct command command_scan = {
	.name = "scan",
	.operands = "[-- COMMAND...]",
	.summary = "ranks the functions of a program by what they could save",
	.about = "Runs a program of yours under a profiler that is there, "
		 "outside any sandbox, and ranks its\nfunctions, or its GPU's "
		 "kernels: by their share of the time, times the distance to "
		 "the\nceiling of the device where that is known (ncu). Says "
		 "how much faster the whole would be.\nWithout perf, or where "
		 "it may not count, valgrind counts instructions.\n"
		 "--init N starts `avogit init` for the N-th, whose file the "
		 "debug information names (-g).",
	.options = options,
	.max_operands = 4096,
	.run = run,
};
