/* avogit best: prints the champion's id alone, for scripts. */
#include <math.h>

#include "cmd/cmd.h"
#include "cmd/dispatch/dispatch.h"
#include "cmd/ui/out.h"
#include "cmd/ui/report.h"
#include "cmd/session/one_kind.h"
#include "cmd/session/nearest.h"
#include "cmd/session/points.h"
#include "cmd/session/portable.h"
#include "cmd/session/which_run.h"
#include "core/base/file.h"

struct best_options {
	const char *run;
	const char *on;
	int64_t points;
	const char *output;
	bool force;
	bool json;
};

static const struct opt options[] = {
	OPT(struct best_options, run, "run", 'r', "NAME",
	    "of this run (the task's)"),
	OPT(struct best_options, on, "on", 0, "KIND",
	    "the champion of this kind of machine: its id, or a part of its "
	    "name"),
	OPT(struct best_options, points, "points", 0, "N",
	    "which N attempts at most are fastest together, and what each "
	    "brings"),
	OPT(struct best_options, output, "output", 'o', "FILE",
	    "with --points: write a source that takes one of them by the "
	    "shape"),
	OPT(struct best_options, force, "force", 'f', NULL,
	    "with -o: replace a file that is there"),
	OPT(struct best_options, json, "json", 0, NULL,
	    "with its figures, as JSON"),
	OPT_END,
};

static void print_json(const struct population *p, const struct attempt *a,
		       const struct portable *portable)
{
	cleanup_json struct json *j = out_json_new();

	json_set_string(j, "run", p->record.run);
	json_set_string(j, "commit", a->id.hex);
	json_set_int(j, "attempt", a->number);
	if (isfinite(a->gain))
		json_set_double(j, "speedup", attempt_speedup(a));
	json_set_string(j, "subject", a->subject);
	portable_json_add(j, portable);
	if (a->measurement)
		json_set(j, "measurement", measurement_to_json(a->measurement));
	out_json(j);
}

/* What `best` says: *id is "" if there is none, and *why then says so; NULL: the
 * attempts of the run do. */
struct answer {
	struct commit_id id;
	const char *why;
	struct portable portable;
	struct population p; /* for JSON: the whole run */
};

static void answer_release(struct answer *a)
{
	portable_release(&a->portable);
	population_release(&a->p);
}

DEFINE_RELEASE(answer, struct answer, answer_release)

/* Of all kinds of machines. */
static struct error *find_winner(struct answer *out, struct session *s,
				 const char *run, bool json)
{
	if (json)
		portable_find(&out->portable, s, &out->p);
	else
		TRY(portable_read(&out->portable, s, run));
	if (out->portable.words.n) {
		out->id = out->portable.id;
		out->why = out->portable.why;
		return NULL;
	}
	if (!json)
		return gitstore_champion(&out->id, s->git, run);
	if (out->p.champion)
		out->id = out->p.attempt[out->p.champion].id;
	return NULL;
}

static struct error *find(struct answer *out, struct session *s,
			  const char *run, const struct best_options *o)
{
	char kind[IDENTITY_HEX_LEN + 1];

	if (o->json)
		TRY(gitstore_population(&out->p, s->git, run));
	if (!o->on)
		return find_winner(out, s, run, o->json);
	out->why = "no champion on this kind of machine: nothing was crowned "
		   "there";
	return one_kind_find(kind, &out->id, s, run, o->on);
}

/* ---- several ---------------------------------------------------------------- */

static void print_point(const struct points *points, const struct population *p,
			size_t i)
{
	const struct attempt *a = &p->attempt[points->attempt[i]];
	cleanup_buf struct buf subject = BUF_INIT(BUF_LIMIT_TEXT);

	out_clean_line(&subject, a->subject ? a->subject : "");
	printf("#%lld ", (long long)a->number);
	if (i)
		printf("brings %.2fx: %s\n", points->brings[i], subject.data);
	else
		printf("is the best over all cases: %s\n", subject.data);
}

/* `of_case`: which point each case has; NULL: its fastest. */
static void print_points(const struct points *points,
			 const struct population *p, size_t most,
			 const size_t *of_case)
{
	const struct measurement *m =
		p->attempt[points->attempt[0]].measurement;

	for (size_t i = 0; i < points->n; i++)
		print_point(points, p, i);
	for (size_t c = 0; c < m->n_cases; c++) {
		cleanup_buf struct buf name = BUF_INIT(BUF_LIMIT_TEXT);
		size_t i = of_case ? of_case[c] : points_of_case(points, p, c);

		out_clean_line(&name, m->cases[c].name);
		printf("  %s: #%lld\n", name.data,
		       (long long)p->attempt[points->attempt[i]].number);
	}
	if (points->n < most)
		printf("one more brings less than 5 %% (of %zu attempts)\n",
		       points->compared);
}

/* Most attempts of a long run are brief, without the times of their cases. */
static struct error *recall_all(struct population *p, struct gitstore *g)
{
	for (size_t i = 0; i < p->n; i++) {
		struct measurement *m = NULL;

		if (!attempt_passes(&p->attempt[i]))
			continue;
		TRY(gitstore_recall(&m, g, &p->attempt[i]));
		if (m)
			population_set_measurement(p, &p->attempt[i], m);
	}
	return NULL;
}

static struct error *read_points(struct population *p, struct session *s,
				 const char *run)
{
	TRY(gitstore_population(p, s->git, run));
	return recall_all(p, s->git);
}

static struct error *say_points(enum exit_code *code, struct session *s,
				const char *name, const struct best_options *o)
{
	cleanup_population struct population p = {0};
	struct points points;

	TRY(read_points(&p, s, name));
	points_choose(&points, &p, (size_t)o->points, NULL);
	if (!points.n) {
		out_error("no attempt of the run was timed in every case");
		*code = CODE_NO;
		return NULL;
	}
	print_points(&points, &p, (size_t)o->points, NULL);
	return NULL;
}

static struct error *write_points(struct session *s, const char *run,
				  const struct best_options *o)
{
	cleanup_population struct population p = {0};
	CLEANUP(dispatch) struct dispatch d = {0};
	cleanup_buf struct buf clean = BUF_INIT(BUF_LIMIT_TEXT);

	if (!o->force)
		TRY(out_check_free("best", o->output));
	TRY(read_points(&p, s, run));
	TRY(dispatch_make(&d, s, &p, (size_t)o->points));
	TRY(file_write_atomic(o->output, d.text.data, d.text.len));
	print_points(&d.points, &p, d.points.n, d.of_case);
	out_clean_line(&clean, o->output);
	printf("wrote %s: %s\n", clean.data, d.rule.data);
	return NULL;
}

static struct error *check_points(const struct best_options *o)
{
	if ((o->output || o->force) && o->points < 2)
		return error_new(ERROR_USAGE,
				 "best: -o and --force go with --points N, of "
				 "two or more");
	if (o->force && !o->output)
		return error_new(ERROR_USAGE,
				 "best: --force goes with -o FILE");
	if (o->points && (o->on || o->json || o->points > POINTS_MAX))
		return error_new(ERROR_USAGE,
				 "best: --points is from 1 to %d and goes with "
				 "no --on and no --json",
				 POINTS_MAX);
	return NULL;
}

static void say_none(const struct answer *a, struct session *s, const char *run)
{
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

	if (!a->why) {
		buf_adds(&line, "no champion yet: ");
		nearest_add(&line, s, run, NULL);
	}
	out_error(a->why ? a->why : line.data);
}

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	cleanup_session struct session s = {0};
	cleanup_strvec struct strvec operands = STRVEC_INIT;
	CLEANUP(answer) struct answer found = {.why = NULL};
	cleanup_free char *name = NULL;
	struct best_options o = {0};
	const struct attempt *a;

	TRY(command_parse(self, &o, &operands, argv));
	TRY(check_points(&o));
	TRY(session_open(&s, NULL));
	TRY(which_run(&name, &s, o.run));
	if (o.output)
		return write_points(&s, name, &o);
	if (o.points)
		return say_points(code, &s, name, &o);
	TRY(find(&found, &s, name, &o));
	if (!*found.id.hex) {
		say_none(&found, &s, name);
		*code = CODE_NO;
		return NULL;
	}
	if (!o.json) {
		puts(found.id.hex);
		return NULL;
	}
	a = population_find(&found.p, found.id.hex);
	if (a)
		print_json(&found.p, a, &found.portable);
	return NULL;
}

static const struct exit_meaning exits[] = {
	{CODE_NO, "There is no champion yet."},
	{CODE_YES, NULL},
};

const struct command command_best = {
	.name = "best",
	.operands = "",
	.summary = "prints the champion's commit id alone",
	.about = "Prints the commit id of a run's champion, the candidate that "
		 "won the last crown; of a task with `portable`\nthe attempt "
		 "that is "
		 "fastest where it is slowest. Exit code 1 while there is "
		 "none.\n--points N: the attempts, N at most, that are "
		 "fastest together if each case has the one\nthat is fastest "
		 "there: by the times of their own measurements.\n-o FILE: "
		 "as one source of C, C++ or CUDA, with a function that takes "
		 "one of them by the\nshape; `avogit score --run` scores it "
		 "like any other.",
	.options = options,
	.exits = exits,
	.run = run,
};
