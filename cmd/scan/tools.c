#include "cmd/scan/tools.h"

#include <unistd.h>

#include "core/base/file.h"
#include "core/sandbox/foreground.h"
#include "core/sandbox/process.h"

#define MAX_PROFILE ((size_t)256 << 20)
#define MAX_SYMBOLS ((size_t)64 << 20)
#define PERF_FIELDS "period,ip,sym,dso"

/* ---- running a tool ------------------------------------------------------ */

/* Quietly: its output is only read. False if it cannot be started or fails. */
static bool ask(struct buf *out, const char *const *argv)
{
	cleanup_process_result struct process_result r = {0};
	const struct process_spec spec = {
		.argv = argv,
		.limits = {.wall_seconds = 120},
		.die_with_parent = true,
	};
	cleanup_error struct error *err = process_run(&r, &spec, out->limit);

	if (err || r.exit_code != 0 || r.timed_out)
		return false;
	buf_adds(out, r.output.data);
	out->truncated |= r.output.truncated;
	return true;
}

static bool is_there(const char *tool)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	return ask(&b, (const char *[]){tool, "--version", NULL});
}

/* The words before the command, then the command. */
static struct error *run_under(int *exit_code, struct strvec *words,
			       const char *const *command)
{
	for (; *command; command++)
		strvec_push(words, *command);
	return foreground_run(exit_code, NULL, (const char *const *)words->v,
			      NULL);
}

/* ---- perf ---------------------------------------------------------------- */

static bool perf_works(const char *folder)
{
	cleanup_free char *file = xasprintf("%s/try", folder);
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	return ask(&b, (const char *[]){"perf", "record", "-q", "-o", file,
					"--", "true", NULL});
}

static struct error *with_perf(struct buf *out, int *exit_code,
			       const char *folder, const char *const *command)
{
	cleanup_free char *file = xasprintf("%s/perf.data", folder);
	cleanup_strvec struct strvec words = STRVEC_INIT;
	const char *const read[] = {"perf", "script",	 "-i", file,
				    "-F",   PERF_FIELDS, NULL};

	for (const char *const *w =
		     (const char *const[]){"perf", "record", "-q", "-F", "997",
					   "-o", file, "--", NULL};
	     *w; w++)
		strvec_push(&words, *w);
	TRY(run_under(exit_code, &words, command));
	if (ask(out, read))
		return NULL;
	return error_new(ERROR_SYSTEM,
			 "`perf script` could not read what `perf record` "
			 "wrote; --with callgrind counts instructions");
}

/* ---- callgrind ----------------------------------------------------------- */

static struct error *with_callgrind(struct buf *out, int *exit_code,
				    const char *folder,
				    const char *const *command)
{
	cleanup_free char *file = xasprintf("%s/callgrind", folder);
	cleanup_strvec struct strvec words = STRVEC_INIT;

	if (!is_there("valgrind"))
		return error_new(ERROR_NOT_FOUND,
				 "valgrind is not here: install it (Debian: "
				 "valgrind)");
	strvec_push(&words, "valgrind");
	strvec_push(&words, "-q");
	strvec_push(&words, "--tool=callgrind");
	strvec_pushf(&words, "--callgrind-out-file=%s", file);
	TRY(run_under(exit_code, &words, command));
	return error_wrap(file_read(out, file), "callgrind wrote no profile");
}

/* ---- NVIDIA's ------------------------------------------------------------ */

static struct error *with_ncu(struct buf *out, int *exit_code,
			      const char *folder, const char *const *command)
{
	static const char metrics[] =
		"gpu__time_duration.sum,"
		"sm__throughput.avg.pct_of_peak_sustained_elapsed,"
		"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_"
		"elapsed";
	cleanup_free char *file = xasprintf("%s/ncu.csv", folder);
	cleanup_strvec struct strvec words = STRVEC_INIT;
	const char *const begin[] = {"ncu",
				     "--csv",
				     "--page",
				     "raw",
				     "--metrics",
				     metrics,
				     "--target-processes",
				     "all",
				     "--log-file",
				     file,
				     NULL};

	if (!is_there("ncu"))
		return error_new(ERROR_NOT_FOUND,
				 "ncu is not here: it comes with CUDA");
	for (const char *const *w = begin; *w; w++)
		strvec_push(&words, *w);
	TRY(run_under(exit_code, &words, command));
	return error_wrap(file_read(out, file), "ncu wrote no table");
}

static struct error *with_nsys(struct buf *out, int *exit_code,
			       const char *folder, const char *const *command)
{
	cleanup_free char *file = xasprintf("%s/nsys.nsys-rep", folder);
	cleanup_strvec struct strvec words = STRVEC_INIT;
	const char *const begin[] = {"nsys", "profile", "--trace=cuda",
				     "-o",   file,	NULL};
	const char *const read[] = {"nsys",	"stats",
				    "--report", "cuda_gpu_kern_sum",
				    "--format", "csv",
				    file,	NULL};

	if (!is_there("nsys"))
		return error_new(ERROR_NOT_FOUND,
				 "nsys is not here: it comes with CUDA");
	for (const char *const *w = begin; *w; w++)
		strvec_push(&words, *w);
	TRY(run_under(exit_code, &words, command));
	if (ask(out, read))
		return NULL;
	return error_new(ERROR_SYSTEM,
			 "`nsys stats` could not read what `nsys profile` "
			 "wrote");
}

/* ---- choosing ------------------------------------------------------------ */

typedef struct error *(*tool_fn)(struct buf *out, int *exit_code,
				 const char *folder,
				 const char *const *command);

/* NULL if there is none of this name. */
static tool_fn tool_of(const char *name)
{
	static const struct {
		const char *name;
		tool_fn tool;
	} tools[] = {
		{"perf", with_perf},
		{"callgrind", with_callgrind},
		{"ncu", with_ncu},
		{"nsys", with_nsys},
	};

	for (size_t i = 0; i < ARRAY_SIZE(tools); i++)
		if (str_eq(name, tools[i].name))
			return tools[i].tool;
	return NULL;
}

static struct error *profile_in(struct buf *out, int *exit_code,
				const char *with, const char *const *command,
				const char *folder)
{
	tool_fn tool = tool_of(with ? with : "perf");

	if (!tool)
		return error_new(ERROR_USAGE,
				 "--with takes perf, callgrind, ncu or nsys, "
				 "not '%.40s'",
				 with);
	if (tool == with_perf && !perf_works(folder)) {
		if (with)
			return error_new(
				ERROR_NOT_FOUND,
				"perf is not here, or may not count "
				"(/proc/sys/kernel/perf_event_paranoid): "
				"--with callgrind counts instructions");
		tool = with_callgrind;
	}
	if (tool == with_callgrind)
		fprintf(stderr,
			"avogit: counting instructions under callgrind, "
			"which takes some fifty times as long\n");
	return tool(out, exit_code, folder, command);
}

struct error *tools_profile(struct buf *out, int *exit_code, const char *with,
			    const char *const *command)
{
	cleanup_free char *folder = NULL;
	const char *under = getenv("TMPDIR");
	struct error *err;

	TRY(dir_make_temp(&folder, under && *under == '/' ? under : "/tmp",
			  "avogit-scan-"));
	err = profile_in(out, exit_code, with, command, folder);
	error_free(dir_remove(folder));
	return err;
}

/* ---- sources ------------------------------------------------------------- */

/* The address of a function, as nm prints it: "0000000000001169 T scale". */
static char *address_of(const struct hot_function *f)
{
	cleanup_buf struct buf symbols = BUF_INIT(MAX_SYMBOLS);

	if (!ask(&symbols, (const char *[]){"nm", "-C", "--", f->object, NULL}))
		return NULL;
	for (const char *at = symbols.data; *at;) {
		size_t len = strcspn(at, "\n");
		size_t digits = strspn(at, "0123456789abcdef");

		if (digits && digits + 3 < len &&
		    strchr("TtWwVi", at[digits + 1]) &&
		    strlen(f->name) == len - digits - 3 &&
		    memcmp(at + digits + 3, f->name, len - digits - 3) == 0)
			return xasprintf("0x%.*s", (int)digits, at);
		at += len + (at[len] == '\n');
	}
	return NULL;
}

/* "/home/me/kernel.c:12", or "??:0". */
void tools_find_source(struct hot_function *f)
{
	cleanup_buf struct buf place = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *address = NULL;
	char *colon, *last;

	if (f->source || !f->object || *f->object != '/')
		return;
	address = address_of(f);
	if (!address ||
	    !ask(&place,
		 (const char *[]){"addr2line", "-e", f->object, address, NULL}))
		return;
	buf_trim_end(&place);
	/* Before it may stand what addr2line warns of. */
	last = strrchr(place.data, '\n');
	last = last ? last + 1 : place.data;
	colon = strrchr(last, ':');
	if (*last == '?' || !colon)
		return;
	*colon = '\0';
	f->line = strtol(colon + 1, NULL, 10);
	f->source = xstrdup(last);
}
