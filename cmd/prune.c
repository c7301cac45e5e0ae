/* avogit prune: removes logs and nothing else. */
#include <inttypes.h>

#include "cmd/cmd.h"
#include "cmd/ui/out.h"
#include "cmd/session/session.h"
#include "cmd/ui/table.h"
#include "core/base/clock.h"
#include "gitstore/run/logs.h"

struct prune_options {
	const char *run;
	double older;
	bool dry_run;
};

static const struct opt options[] = {
	OPT(struct prune_options, run, "run", 'r', "NAME",
	    "of this run only (every one)"),
	OPT(struct prune_options, older, "older", 0, "SPAN",
	    "only what is older than 90s, 30m, 1h30m, 7d"),
	OPT(struct prune_options, dry_run, "dry-run", 'n', NULL,
	    "say what would go, and drop nothing"),
	OPT_END,
};

struct pruning {
	struct session session;
	const struct prune_options *options;
	int64_t before; /* seconds */
	struct table table;
	size_t n;
	uint64_t bytes;
};

static void pruning_release(struct pruning *p)
{
	table_release(&p->table);
	session_release(&p->session);
}
DEFINE_RELEASE(pruning, struct pruning, pruning_release)

/* "34.5 MiB". */
static void format_bytes(char out[32], uint64_t bytes)
{
	static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	double value = (double)bytes;
	size_t i = 0;

	for (; value >= 1024 && i + 1 < ARRAY_SIZE(unit); i++)
		value /= 1024;
	snprintf(out, 32, "%.*f %s", i && value < 100 ? 1 : 0, value, unit[i]);
}

static void add_row(struct pruning *p, const char *run,
		    const struct log_list *l)
{
	int64_t first = INT64_MAX, last = 0;
	char bytes[32], from[21], to[21];

	for (size_t i = 0; i < l->n; i++) {
		first = MIN(first, l->log[i].time);
		last = MAX(last, l->log[i].time);
	}
	format_bytes(bytes, l->bytes);
	clock_format(from, first * 1000000);
	clock_format(to, last * 1000000);
	table_add(&p->table, COLOR_BOLD, "%s", run);
	table_add(&p->table, COLOR_NONE, "%zu log%s", l->n,
		  l->n == 1 ? "" : "s");
	table_add(&p->table, COLOR_NONE, "%s", bytes);
	table_add(&p->table, COLOR_FAINT, "%s .. %s", from, to);
	p->n += l->n;
	p->bytes += l->bytes;
}

static struct error *prune_run(struct pruning *p, const char *run)
{
	cleanup_log_list struct log_list dropped = {0};
	struct gitstore *g = p->session.git;

	if (p->options->dry_run)
		TRY(gitstore_log_list(&dropped, g, run, p->before));
	else
		TRY(gitstore_log_prune(&dropped, g, run, p->before));
	if (dropped.n)
		add_row(p, run, &dropped);
	return NULL;
}

static struct error *find_runs(struct strvec *out, struct pruning *p)
{
	const char *wanted = p->options->run;
	cleanup_strvec struct strvec runs = STRVEC_INIT;

	if (!wanted)
		return gitstore_log_runs(out, p->session.git);
	TRY(gitstore_log_runs(out, p->session.git));
	TRY(gitstore_runs(&runs, p->session.git));
	if (!strvec_has(&runs, wanted) && !strvec_has(out, wanted))
		return error_new(ERROR_NOT_FOUND,
				 "there is no run '%s': `avogit runs` lists "
				 "them",
				 wanted);
	strvec_release(out);
	*out = (struct strvec)STRVEC_INIT;
	strvec_push(out, wanted);
	return NULL;
}

static void print_all(const struct pruning *p)
{
	char bytes[32];

	format_bytes(bytes, p->bytes);
	table_print(&p->table, &p->session.color);
	if (!p->n)
		puts("no log to drop");
	else if (p->options->dry_run)
		printf("%zu log%s would go, %s\n", p->n, p->n == 1 ? "" : "s",
		       bytes);
	else
		printf("dropped %zu log%s, %s (before compression; `git gc` "
		       "frees the space in time)\n",
		       p->n, p->n == 1 ? "" : "s", bytes);
}

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	CLEANUP(pruning) struct pruning p = {.before = INT64_MAX};
	cleanup_strvec struct strvec operands = STRVEC_INIT;
	cleanup_strvec struct strvec runs = STRVEC_INIT;
	struct prune_options o = {0};

	(void)code;
	TRY(command_parse(self, &o, &operands, argv));
	if (o.older > 0)
		p.before =
			clock_wall_us() / 1000000 - (int64_t)MIN(o.older, 1e12);
	p.options = &o;
	table_init(&p.table, "lrrl");
	TRY(session_open(&p.session, NULL));
	TRY(find_runs(&runs, &p));
	for (size_t i = 0; i < runs.n; i++)
		TRY(prune_run(&p, runs.v[i]));
	print_all(&p);
	return NULL;
}

const struct command command_prune = {
	.name = "prune",
	.operands = "",
	.summary = "drops logs: transcripts, build logs, profiles",
	.about = "Drops the logs of runs (transcripts, build logs, profiles) "
		 "and "
		 "says how many and\nhow big they were. Candidates, journals, "
		 "scores and branches stay: a run goes on\nwithout its logs.",
	.options = options,
	.run = run,
};
