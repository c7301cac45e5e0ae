/* avogit show: everything about one candidate. */
#include "cmd/cmd.h"
#include "cmd/ui/out.h"
#include "cmd/ui/pager.h"
#include "cmd/session/one_kind.h"
#include "cmd/session/record.h"
#include "cmd/ui/report.h"
#include "cmd/session/session.h"
#include "cmd/session/which_run.h"
#include "core/base/clock.h"
#include "core/run/outcome.h"

struct show_options {
	const char *run;
	const char *on;
	bool json;
	const char *color;
};

static const struct opt options[] = {
	OPT(struct show_options, run, "run", 'r', "NAME",
	    "the champion of this run (the task's)"),
	OPT(struct show_options, on, "on", 0, "KIND",
	    "as this kind of machine measured it: its id, or a part of its "
	    "name"),
	OPT(struct show_options, json, "json", 0, NULL, "as JSON"),
	OPT(struct show_options, color, "color", 0, "WHEN",
	    "always, never or auto"),
	OPT_END,
};

/* Applies the entries about one attempt to a population that has no others, in
 * lineage 1: what becomes of an attempt does not depend on which lineage it
 * extends. */
static void apply_alone(void *arg, const struct entry *e)
{
	static const struct commit_id base = {
		"0000000000000000000000000000000000000000"};
	cleanup_entry struct entry run = {0};
	struct population *p = arg;
	struct entry alone = *e; /* borrows all of it */

	if (!p->has_record && e->kind != ENTRY_RUN) {
		entry_init(&run, ENTRY_RUN, e->run);
		run.base = base;
		population_apply(p, &run);
	}
	alone.lineage = 1;
	population_apply(p, &alone);
}

/* The outcome as `avogit log` shows it, from the entries about the attempt and
 * the id of the champion: a run of 100,000 attempts is not read for one. NULL
 * if it is not an attempt or the run cannot be read. Static. */
static struct error *find_outcome(const char **out, struct session *s,
				  const struct candidate_record *r,
				  const struct commit_id *champion)
{
	cleanup_population struct population p;
	const char *id = r->commit.id.hex;
	const struct attempt *a;
	struct error *err;

	*out = NULL;
	population_init(&p);
	if (!r->number || str_eq(r->run, "@"))
		return NULL;
	snprintf(p.only, sizeof p.only, "%s", r->only ? r->only : "");
	err = gitstore_read_about(s->git, r->run, id, apply_alone, &p);
	if (err)
		return gitstore_pass_over(err);
	a = population_find(&p, id);
	if (!a)
		return NULL;
	p.champion = str_eq(champion->hex, id) ? (size_t)(a - p.attempt) : 0;
	*out = attempt_outcome_name(&p, a);
	return NULL;
}

struct shown {
	struct candidate_record record;
	const char *outcome;		 /* NULL: not an attempt */
	char kind[IDENTITY_HEX_LEN + 1]; /* of --on */
	struct commit_id start; /* of the run, if it was compared with it */
};

static void shown_release(struct shown *s)
{
	record_release(&s->record);
}
DEFINE_RELEASE(shown, struct shown, shown_release)

/* Takes the record's measurement of the kind that --on means in place of the
 * newest; *champion is that of the kind. */
static struct error *turn_to_kind(struct shown *out, struct commit_id *champion,
				  struct session *s, const char *word)
{
	struct candidate_record *r = &out->record;
	struct commit_id id = r->commit.id;
	char run[RUN_NAME_MAX + 1];

	memcpy(run, r->run, sizeof run);
	if (!*run || str_eq(run, "@"))
		return error_new(ERROR_USAGE,
				 "show: --on is for candidates of a run, and "
				 "no run here knows %.12s",
				 id.hex);
	TRY(one_kind_find(out->kind, champion, s, run, word));
	record_release(r);
	TRY(record_read_on(r, s->git, id.hex, run, out->kind));
	if (r->measurement)
		return NULL;
	return error_new(ERROR_NOT_FOUND,
			 "'%s' (%s) has not measured %.12s: `avogit score "
			 "--pending` there does",
			 word, out->kind, id.hex);
}

/* Without REV the champion; with --on, that of the kind. */
static struct error *find_shown(struct commit_id *id,
				char run[RUN_NAME_MAX + 1], struct session *s,
				const char *rev, const struct show_options *o)
{
	cleanup_free char *name = NULL;

	if (rev || !o->on)
		return which_candidate(id, run, s, "show", rev, o->run);
	TRY(which_run(&name, s, o->run));
	snprintf(run, RUN_NAME_MAX + 1, "%s", name);
	return one_kind_champion(id, s, name, o->on);
}

static struct error *read_shown(struct shown *out, struct session *s,
				const char *rev, const struct show_options *o)
{
	struct candidate_record *r = &out->record;
	struct commit_id id, champion = {""};
	char run[RUN_NAME_MAX + 1];

	TRY(find_shown(&id, run, s, rev, o));
	TRY(record_read(r, s->git, id.hex, run));
	if (o->on)
		TRY(turn_to_kind(out, &champion, s, o->on));
	else if (r->number && !str_eq(r->run, "@"))
		TRY(gitstore_pass_over(
			gitstore_champion(&champion, s->git, r->run)));
	TRY(record_read_roles(r, s->git));
	if (r->number && !str_eq(r->run, "@"))
		TRY(gitstore_pass_over(record_start(&out->start, s->git,
						    r->measurement, r->run)));
	return find_outcome(&out->outcome, s, r, &champion);
}

static void print_title(const struct session *s,
			const struct candidate_record *r, const char *outcome)
{
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);
	const char *message = r->commit.message;
	cleanup_free char *subject = xstrndup(message, strcspn(message, "\n"));

	out_clean_line(&line, subject);
	printf("%scandidate %s%s", color_begin(&s->color, COLOR_ID),
	       r->commit.id.hex, color_end(&s->color, COLOR_ID));
	if (r->number)
		printf("  (%s#%lld%s%s)", r->run, (long long)r->number,
		       outcome ? ", " : "", outcome ? outcome : "");
	printf("\n%s%s%s\n", color_begin(&s->color, COLOR_BOLD), line.data,
	       color_end(&s->color, COLOR_BOLD));
}

static void print_descent(const struct session *s,
			  const struct candidate_record *r)
{
	char id[COMMIT_ID_LEN + 1], parent[COMMIT_ID_LEN + 1];

	if (r->hypothesis) {
		putchar('\n');
		out_text("  ", r->hypothesis);
	}
	putchar('\n');
	if (*r->after.hex) {
		gitstore_abbreviate(id, s->git, r->after.hex);
		printf("after   %s (not kept)\n", id);
	}
	if (!r->commit.n_parents)
		return;
	gitstore_abbreviate(id, s->git, r->commit.id.hex);
	gitstore_abbreviate(parent, s->git, r->commit.parents[0].hex);
	printf("parent  %s: git diff %s %s\n", parent, parent, id);
}

/* Where the time of the scoring went. A note does not say it. */
static void print_seconds(const struct measurement *m)
{
	const double other = m->seconds_total - m->seconds_build -
			     m->seconds_starting - m->seconds_timed -
			     m->seconds_judge;

	if (!(m->seconds_total > 0))
		return;
	printf("took    %.2f s: building %.2f, starting sandboxes %.2f, "
	       "timed %.2f, judging %.2f, other %.2f\n",
	       m->seconds_total, m->seconds_build, m->seconds_starting,
	       m->seconds_timed, m->seconds_judge, MAX(other, 0.0));
}

/* What it won the crown by, in the search, if that is another measurement than the
 * newest. NULL: it is the same, or nothing is known. */
static const struct comparison *crowning(const struct candidate_record *r)
{
	const struct measurement *m = r->measurement;
	const struct comparison *c =
		r->crowning ? record_crown_rival(r->crowning) : NULL;

	return m && c && str_eq(m->id, r->crowning->id) ? NULL : c;
}

static void print_crowning(const struct candidate_record *r)
{
	const struct comparison *c = crowning(r);
	cleanup_buf struct buf rival = BUF_INIT(BUF_LIMIT_TEXT);
	char time[21], ratio[32], lo[32], hi[32];

	if (!c)
		return;
	clock_format(time, r->crowning->time_us);
	report_format_ratio(ratio, sizeof ratio, c->ratio);
	report_format_ratio(lo, sizeof lo, c->ratio95.lo);
	report_format_ratio(hi, sizeof hi, c->ratio95.hi);
	out_clean_line(&rival, c->name);
	printf("  crowned over %.10s: %s its speed [%s, %s], at %s\n",
	       rival.data, ratio, lo, hi, time);
}

static void print_measurement(const struct session *s,
			      const struct candidate_record *r,
			      const struct commit_id *start)
{
	const struct measurement *m = r->measurement;
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);
	enum color color = m->verdict == VERDICT_PASS ? COLOR_GOOD : COLOR_BAD;
	char time[21];

	clock_format(time, m->time_us);
	report_headline(&line, m);
	printf("scored  %s\n", time);
	print_seconds(m);
	printf("\n%s%s%s\n", color_begin(&s->color, color), line.data,
	       color_end(&s->color, color));
	report_cases(m, &s->color, *start->hex ? start->hex : NULL);
	print_crowning(r);
	report_resources(m, &s->color);
	report_log(m);
	putchar('\n');
	report_environment(m, &s->color);
}

/* Figures of other sources are marked as such. */
static void print_others(const struct session *s, const struct measurement *m)
{
	const char *of = measurement_get(m, "of");
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf whose = BUF_INIT(BUF_LIMIT_TEXT);

	report_headline(&line, m);
	if (of)
		out_clean_line(&whose, of);
	printf("%sits note has the scores of %s%s, whose sources are not those "
	       "of this commit: %s%s\n",
	       color_begin(&s->color, COLOR_FAINT), of ? "candidate " : "",
	       of ? whose.data : "another commit", line.data,
	       color_end(&s->color, COLOR_FAINT));
}

/* The name of what a role makes. */
static const char *made_by(enum role role)
{
	return role == ROLE_PLANNER    ? "plan"
	       : role == ROLE_REVIEWER ? "review"
	       : role == ROLE_DEBUGGER ? "debugging"
	       : role == ROLE_SEARCHER ? "search"
				       : role_name(role);
}

static void print_roles(const struct candidate_record *r)
{
	for (size_t i = 0; i < r->n_notes; i++) {
		const struct role_note *n = &r->note[i];
		cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

		out_clean_line(&line, n->line);
		printf("\n%s  by %s\n", made_by(n->role), line.data);
		if (n->text)
			out_text("  ", n->text);
	}
	if (r->n_notes)
		putchar('\n');
}

static struct json *roles_json(const struct candidate_record *r)
{
	struct json *list = json_array();

	for (size_t i = 0; i < r->n_notes; i++) {
		const struct role_note *n = &r->note[i];
		struct json *j = json_object();

		json_set_string(j, "role", role_name(n->role));
		json_set_string(j, "line", n->line);
		json_set_string(j, "text", n->text);
		if (!spend_is_zero(&n->spend))
			json_set(j, "spend", spend_to_json(&n->spend));
		json_push(list, j);
	}
	return list;
}

static void print_record(const struct session *s, const struct shown *shown)
{
	const struct candidate_record *r = &shown->record;

	print_title(s, r, shown->outcome);
	print_descent(s, r);
	print_roles(r);
	if (r->measurement)
		print_measurement(s, r, &shown->start);
	else
		printf("not measured: avogit score %.12s\n", r->commit.id.hex);
	if (r->others)
		print_others(s, r->others);
}

static struct json *parents_json(const struct candidate_record *r)
{
	struct json *parents = json_array();

	for (size_t i = 0; i < r->commit.n_parents; i++)
		json_push_string(parents, r->commit.parents[i].hex);
	return parents;
}

static void set_crowning(struct json *j, const struct candidate_record *r)
{
	const struct comparison *c = crowning(r);

	if (!c)
		return;
	json_set_string(j, "crowned_over", c->name);
	json_set_double(j, "crowned_by", c->ratio);
	json_set_double(j, "crowned_low", c->ratio95.lo);
	json_set_double(j, "crowned_high", c->ratio95.hi);
}

static void print_json(const struct candidate_record *r, const char *outcome)
{
	cleanup_json struct json *j = out_json_new();
	const char *message = r->commit.message;
	cleanup_free char *subject = xstrndup(message, strcspn(message, "\n"));

	json_set_string(j, "commit", r->commit.id.hex);
	json_set(j, "parents", parents_json(r));
	json_set_string(j, "author", r->commit.author);
	json_set_string(j, "subject", subject);
	json_set_string(j, "run", *r->run ? r->run : NULL);
	if (r->number) {
		json_set_int(j, "attempt", r->number);
		json_set_string(j, "outcome", outcome);
		json_set_bool(j, "accepted", r->accepted);
		json_set_bool(j, "crowned", r->crowned);
		set_crowning(j, r);
	}
	json_set_string(j, "hypothesis", r->hypothesis);
	json_set_string(j, "after", *r->after.hex ? r->after.hex : NULL);
	if (r->n_notes)
		json_set(j, "roles", roles_json(r));
	if (r->measurement)
		json_set(j, "measurement", measurement_to_json(r->measurement));
	if (r->others)
		json_set(j, "of_other_sources", measurement_to_json(r->others));
	out_json(j);
}

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	cleanup_session struct session s = {0};
	cleanup_strvec struct strvec operands = STRVEC_INIT;
	CLEANUP(shown) struct shown shown = {.outcome = NULL};
	cleanup_pager struct pager pager = {.pid = 0};
	struct show_options o = {0};

	(void)code;
	TRY(command_parse(self, &o, &operands, argv));
	TRY(session_open(&s, o.color));
	TRY(read_shown(&shown, &s, operands.n ? operands.v[0] : NULL, &o));
	if (!o.json)
		pager_begin(&pager);
	if (o.json)
		print_json(&shown.record, shown.outcome);
	else
		print_record(&s, &shown);
	return NULL;
}

const struct command command_show = {
	.name = "show",
	.operands = "[REV]",
	.summary = "shows one candidate whole",
	.about = "Shows a candidate: what was tried and why, its parent, the "
		 "cases with their times,\nthe comparisons, a failure's "
		 "reason and log, and where it was measured.\nREV is a commit "
		 "as git knows it, or RUN#N for attempt N of a run; without "
		 "REV\nthe champion is shown.",
	.options = options,
	.max_operands = 1,
	.run = run,
};
