/* avogit best: prints the champion's id alone, for scripts. */
#include "cmd/cmd.h"
#include "cmd/ui/out.h"
#include "cmd/ui/report.h"
#include "cmd/session/session.h"

struct best_options {
	const char *run;
	bool json;
};

static const struct opt options[] = {
	OPT(struct best_options, run, "run", 'r', "NAME",
	    "of this run (the task's)"),
	OPT(struct best_options, json, "json", 0, NULL,
	    "with its figures, as JSON"),
	OPT_END,
};

static void print_json(const struct population *p)
{
	const struct attempt *a = &p->attempt[p->champion];
	cleanup_json struct json *j = out_json_new();

	json_set_string(j, "run", p->record.run);
	json_set_string(j, "commit", a->id.hex);
	json_set_int(j, "attempt", a->number);
	json_set_double(j, "speedup", attempt_speedup(a));
	json_set_string(j, "subject", a->subject);
	if (a->measurement)
		json_set(j, "measurement", measurement_to_json(a->measurement));
	out_json(j);
}

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	cleanup_session struct session s = {0};
	cleanup_strvec struct strvec operands = STRVEC_INIT;
	cleanup_population struct population p = {0};
	cleanup_free char *name = NULL;
	struct best_options o = {0};
	struct commit_id id;

	TRY(command_parse(self, &o, &operands, argv));
	TRY(session_open(&s, NULL));
	TRY(session_run_name(&name, &s, o.run));
	TRY(gitstore_champion(&id, s.git, name));
	if (!*id.hex) {
		out_error("no champion yet: no attempt was measurably faster "
			  "than the start of the run");
		*code = CODE_NO;
	} else if (o.json) {
		TRY(gitstore_population(&p, s.git, name));
		print_json(&p);
	} else {
		puts(id.hex);
	}
	return NULL;
}

const struct command command_best = {
	.name = "best",
	.operands = "",
	.summary = "prints the champion's commit id alone",
	.about = "Prints the commit id of a run's champion, the candidate that "
		 "won the last crown.\nExit code 1 while there is none.",
	.options = options,
	.run = run,
};
