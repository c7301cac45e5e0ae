/* avogit log: the tree of a run with its scores, newest first. */
#include "cmd/cmd.h"
#include "cmd/ui/attempt_json.h"
#include "cmd/ui/graph.h"
#include "cmd/ui/out.h"
#include "cmd/ui/pager.h"
#include "cmd/ui/report.h"
#include "cmd/ui/terminal.h"
#include "cmd/session/one_kind.h"
#include "cmd/session/portable.h"
#include "cmd/session/rates.h"
#include "cmd/session/which_run.h"
#include "core/base/clock.h"
#include "core/run/kinds.h"
#include "core/run/outcome.h"

struct log_options {
	const char *run;
	const char *on;
	int64_t number;
	bool all;
	bool json;
	const char *color;
};

static const struct opt options[] = {
	OPT(struct log_options, run, "run", 'r', "NAME",
	    "of this run (the task's)"),
	OPT(struct log_options, number, "number", 'n', "N",
	    "the newest N attempts only"),
	OPT(struct log_options, on, "on", 0, "KIND",
	    "of what this kind of machine measured: its id, or a part of its "
	    "name"),
	OPT(struct log_options, all, "all", 'a', NULL, "of every run"),
	OPT(struct log_options, json, "json", 0, NULL, "as JSON"),
	OPT(struct log_options, color, "color", 0, "WHEN",
	    "always, never or auto"),
	OPT_END,
};

/* A row in order of time: an attempt or a remark. */
struct row {
	size_t attempt; /* index; unused for a remark */
	const struct saying *saying;
};

struct log_rows {
	struct population p;
	struct portable portable;
	struct row *row;
	size_t n, cap;
};

static void log_rows_release(struct log_rows *s)
{
	free(s->row);
	portable_release(&s->portable);
	population_release(&s->p);
}
DEFINE_RELEASE(log_rows, struct log_rows, log_rows_release)

static void add_row(struct log_rows *s, const struct row *row)
{
	GROW(s->row, s->n, s->cap);
	s->row[s->n++] = *row;
}

/* Inserts the remarks between the attempts before and after them. */
static void add_rows(struct log_rows *s)
{
	const struct population *p = &s->p;
	size_t said = 0;

	for (size_t i = 0; i <= p->n; i++) {
		struct row row = {.attempt = i};
		bool left_out = *p->only && i && i < p->n &&
				!p->attempt[i].measurement;

		while (said < p->n_sayings &&
		       (i == p->n || p->sayings[said].attempts <= i)) {
			const struct row words = {.saying =
							  &p->sayings[said++]};

			add_row(s, &words);
		}
		if (i < p->n && !left_out)
			add_row(s, &row);
	}
}

/* ---- for people --------------------------------------------------------- */

struct drawing {
	struct session *session;
	const struct log_rows *story;
	struct graph graph;
	size_t width; /* of the graph's cells */
	int64_t left; /* attempts still to be shown */
};

/* What was tried, and why it failed or is not the champion. */
static void format_what(struct buf *out, const struct population *p,
			const struct attempt *a)
{
	const struct measurement *m = a->measurement;
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);

	if (m && m->verdict != VERDICT_PASS)
		buf_adds(&why, m->why ? m->why : verdict_line(m->verdict));
	else
		attempt_reason_add(&why, p, a);
	out_clean_line(out, a->subject ? a->subject : "");
	if (!why.len)
		return;
	buf_adds(out, ": ");
	out_clean_line(out, why.data);
}

/* Below it a line has no room for the score beside what was tried. */
#define WIDE 80

static bool has_score(void)
{
	return !terminal_width() || terminal_width() >= WIDE;
}

/* What was tried, as far as the terminal's line goes: `show` has all of it. */
static char *fit_what(const struct drawing *d, const char *id, const char *what,
		      const char *score)
{
	size_t width = terminal_width();
	/* As print_attempt has them before it. */
	size_t before =
		d->width + 1 + strlen(id) + 7 + 8 + 2 + strlen(score) + 13 + 2;

	if (!width)
		return xstrdup(what);
	return text_fit(what, width > before + 3 ? width - before : 3);
}

static void print_attempt(struct drawing *d, const struct attempt *a)
{
	const struct population *p = &d->story->p;
	const struct palette *c = &d->session->color;
	cleanup_buf struct buf above = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf cells = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf what = BUF_INIT(BUF_LIMIT_TEXT);
	char id[COMMIT_ID_LEN + 1], ratio[32], rate[RATE_TEXT + 1] = "-";
	char score[RATE_TEXT + 3] = "";
	cleanup_free char *text = NULL;
	char mark = report_mark(p, a);
	enum color color = report_mark_color(mark);

	graph_row(&above, &cells, &d->graph, (size_t)(a - p->attempt), mark);
	gitstore_abbreviate(id, d->session->git, a->id.hex);
	report_format_ratio(ratio, sizeof ratio, attempt_speedup(a));
	report_format_rate(rate, sizeof rate, a->measurement);
	format_what(&what, p, a);
	if (has_score())
		snprintf(score, sizeof score, "  %*s",
			 report_rate_width(a->measurement), rate);
	text = fit_what(d, id, what.data, score);
	printf("%s%s%-*s%s %s%s%s #%-4lld %8s%s  %s%-13s%s  %s\n", above.data,
	       color_begin(c, color), (int)d->width, cells.data,
	       color_end(c, color), color_begin(c, COLOR_ID), id,
	       color_end(c, COLOR_ID), (long long)a->number, ratio, score,
	       color_begin(c, color), attempt_outcome_name(p, a),
	       color_end(c, color), text);
}

static void print_line(struct drawing *d, const char *label, const char *line)
{
	const struct palette *c = &d->session->color;
	cleanup_buf struct buf cells = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	graph_gap(&cells, &d->graph);
	out_clean_line(&text, line);
	printf("%-*s %s%s%s%s\n", (int)d->width, cells.data,
	       color_begin(c, COLOR_FAINT), label, text.data,
	       color_end(c, COLOR_FAINT));
}

static void print_saying(struct drawing *d, const struct saying *w)
{
	enum role role = w->kind == ENTRY_REMARK ? role_find(w->trigger)
						 : ROLE_COUNT;
	cleanup_free char *label = xasprintf("-- %s: ", report_said_by(w));

	print_line(d, label, w->reason ? w->reason : "");
	/* What a role made is shown by `show`. */
	if (role != ROLE_COUNT)
		return;
	for (const char *s = w->direction; s && *s;) {
		size_t len = strcspn(s, "\n");
		cleanup_free char *line = xstrndup(s, len);

		print_line(d, "     ", line);
		s += len + (s[len] == '\n');
	}
}

/* Of several kinds of machines, since speeds are of one kind each. */
static void print_machines(const struct session *s, const struct population *p)
{
	const struct palette *c = &s->color;

	for (size_t i = 0; i < p->n_machines; i++) {
		const struct machine_kind *m = &p->machine[i];
		const struct attempt *a = &p->attempt[m->champion];
		cleanup_buf struct buf name = BUF_INIT(BUF_LIMIT_TEXT);
		char id[COMMIT_ID_LEN + 1], ratio[32];

		if (*p->only && !str_eq(m->id, p->only))
			continue;
		out_clean_line(&name, m->name);
		if (!m->champion) {
			printf("no champion on %s (%s)\n", name.data, m->id);
			continue;
		}
		gitstore_abbreviate(id, s->git, a->id.hex);
		report_format_ratio(ratio, sizeof ratio,
				    exp(kinds_gain(p, a, i + 1)));
		printf("champion %s%s%s #%lld %s on %s (%s)\n",
		       color_begin(c, COLOR_ID), id, color_end(c, COLOR_ID),
		       (long long)a->number, ratio, name.data, m->id);
	}
}

static void print_portable(const struct session *s, const struct portable *p)
{
	const struct palette *c = &s->color;
	char id[COMMIT_ID_LEN + 1], ratio[32];
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);

	if (!p->words.n)
		return;
	if (!*p->id.hex) {
		out_clean_line(&why, p->why);
		printf("no portable winner: %s\n", why.data);
		return;
	}
	gitstore_abbreviate(id, s->git, p->id.hex);
	report_format_ratio(ratio, sizeof ratio, p->speedup);
	printf("portable %s%s%s #%lld %s at least: %s\n",
	       color_begin(c, COLOR_ID), id, color_end(c, COLOR_ID),
	       (long long)p->number, ratio, p->kinds);
}

static void print_rates(const struct session *s, const struct population *p)
{
	const struct palette *c = &s->color;
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

	rates_say(&line, p);
	if (line.len)
		printf("%s%s%s\n", color_begin(c, COLOR_FAINT), line.data,
		       color_end(c, COLOR_FAINT));
}

/* The widest graph of all rows, so that the columns after it line up. */
static size_t graph_width(const struct log_rows *s, int64_t limit)
{
	cleanup_graph struct graph g;
	size_t width = 0;

	graph_init(&g, &s->p);
	for (size_t i = s->n; i-- > 0 && limit > 0;) {
		cleanup_buf struct buf above = BUF_INIT(BUF_LIMIT_TEXT);
		cleanup_buf struct buf cells = BUF_INIT(BUF_LIMIT_TEXT);

		if (s->row[i].saying)
			continue;
		limit--;
		graph_row(&above, &cells, &g, s->row[i].attempt, 'o');
		width = MAX(width, cells.len);
	}
	return width;
}

static void print_story(struct session *session, const struct log_rows *s,
			int64_t limit)
{
	struct drawing d = {
		.session = session,
		.story = s,
		.width = graph_width(s, limit ? limit : INT64_MAX),
		.left = limit ? limit : INT64_MAX,
	};

	if (s->p.n_machines > 1)
		print_machines(session, &s->p);
	print_portable(session, &s->portable);
	print_rates(session, &s->p);
	graph_init(&d.graph, &s->p);
	for (size_t i = s->n; i-- > 0 && d.left > 0;) {
		const struct row *row = &s->row[i];

		if (row->saying) {
			print_saying(&d, row->saying);
			continue;
		}
		print_attempt(&d, &s->p.attempt[row->attempt]);
		d.left--;
	}
	graph_release(&d.graph);
}

/* ---- for programs ------------------------------------------------------- */

static struct json *attempt_json(const struct population *p,
				 const struct attempt *a)
{
	struct json *j = json_object();

	attempt_json_add(j, p, a);
	return j;
}

static struct json *saying_json(const struct saying *w)
{
	struct json *j = json_object();
	char time[21];

	clock_format(time, w->time_us);
	json_set_string(j, "time", time);
	json_set_string(j, "trigger", w->trigger);
	json_set_string(j, "reason", w->reason ? w->reason : "");
	json_set_string(j, "direction", w->direction);
	if (!spend_is_zero(&w->spend))
		json_set(j, "spend", spend_to_json(&w->spend));
	if (w->kind != ENTRY_INTERVENTION)
		return j;
	json_set_int(j, "lineage", w->lineage);
	json_set_string(j, "commit",
			*w->candidate.hex ? w->candidate.hex : NULL);
	if (w->number >= 0)
		json_set_int(j, "attempt", w->number);
	json_set_int(j, "stalled_attempts", w->stalled_attempts);
	json_set_double(j, "stalled_seconds", w->stalled_seconds);
	return j;
}

static struct json *story_json(const struct log_rows *s, int64_t limit)
{
	struct json *j = json_object();
	struct json *attempts = json_array(), *interventions = json_array();
	struct json *remarks = json_array();
	int64_t left = limit ? limit : INT64_MAX;

	json_set_string(j, "run", s->p.record.run);
	json_set_string(j, "base", s->p.record.base.hex);
	json_set_string(j, "stopped", s->p.stop_reason);
	spend_json_add(j, &s->p);
	kinds_json_add(j, &s->p);
	portable_json_add(j, &s->portable);
	for (size_t i = s->n; i-- > 0 && left > 0;) {
		const struct row *row = &s->row[i];

		if (row->saying) {
			json_push(row->saying->kind == ENTRY_REMARK
					  ? remarks
					  : interventions,
				  saying_json(row->saying));
			continue;
		}
		json_push(attempts,
			  attempt_json(&s->p, &s->p.attempt[row->attempt]));
		left--;
	}
	json_set(j, "attempts", attempts);
	json_set(j, "interventions", interventions);
	json_set(j, "remarks", remarks);
	return j;
}

/* ------------------------------------------------------------------------- */

static struct error *names(struct strvec *out, struct session *s,
			   const struct log_options *o)
{
	cleanup_free char *name = NULL;

	if (o->all)
		return gitstore_runs(out, s->git);
	TRY(which_run(&name, s, o->run));
	strvec_push(out, name);
	return NULL;
}

static struct error *read_run(struct population *p, struct session *s,
			      const char *name, const struct log_options *o)
{
	if (o->on)
		return one_kind_population(p, s, name, o->on);
	return o->number ? gitstore_recent(p, s->git, name, (size_t)o->number)
			 : gitstore_population(p, s->git, name);
}

static struct error *show_run(struct session *session, struct json *runs,
			      const char *name, const struct log_options *o,
			      bool title)
{
	CLEANUP(log_rows) struct log_rows s = {0};

	TRY(read_run(&s.p, session, name, o));
	if (!o->on && o->number)
		TRY(portable_read(&s.portable, session, name));
	else if (!o->on)
		portable_find(&s.portable, session, &s.p);
	add_rows(&s);
	if (o->json) {
		json_push(runs, story_json(&s, o->number));
		return NULL;
	}
	if (title)
		printf("%srun %s%s\n", color_begin(&session->color, COLOR_BOLD),
		       name, color_end(&session->color, COLOR_BOLD));
	print_story(session, &s, o->number);
	return NULL;
}

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	cleanup_session struct session s = {0};
	cleanup_strvec struct strvec operands = STRVEC_INIT;
	cleanup_strvec struct strvec runs = STRVEC_INIT;
	cleanup_json struct json *j = out_json_new();
	struct json *list = json_array();
	cleanup_pager struct pager pager = {.pid = 0};
	struct log_options o = {0};

	(void)code;
	json_set(j, "runs", list);
	TRY(command_parse(self, &o, &operands, argv));
	if (o.all && (o.run || o.on))
		return error_new(ERROR_USAGE,
				 "log: --all and --%s exclude each other",
				 o.run ? "run" : "on");
	TRY(session_open(&s, o.color));
	TRY(names(&runs, &s, &o));
	if (!o.json)
		pager_begin(&pager);
	for (size_t i = 0; i < runs.n; i++)
		TRY(show_run(&s, list, runs.v[i], &o, o.all));
	if (o.json)
		out_json(j);
	return NULL;
}

#define WORD(id, name, line) "  " name ": " line "\n"

const struct command command_log = {
	.name = "log",
	.operands = "",
	.summary = "shows the attempts of a run as a tree, with their scores",
	.about = "Shows every attempt of a run, newest first: the champion as "
		 "'*', kept ones as 'o',\nfailures as 'x', slower or equal "
		 "ones as '.', with the speed as a multiple of the\nstart's, "
		 "the score, and what was tried. A line of the tree is a "
		 "lineage.\nOf a run that several kinds of machines measured, "
		 "the "
		 "champion of each is said first:\na speed is relative to the "
		 "start on the machine that measured it. A speed\nis of "
		 "launches in the same minutes. Scores are of different "
		 "minutes and do not\ncompare where others use the machine, "
		 "too. One with a `?` says little of the\nkernel: `avogit "
		 "show` says why.\n\nWhat became of an attempt; its rival is "
		 "the "
		 "champion, or the last of its lineage\nthat was "
		 "kept:\n" ATTEMPT_OUTCOMES(
			 WORD) "The line of one that was kept, or faster, says "
			       "why it is not the champion.",
	.options = options,
	.run = run,
};
