/* avogit diff: what a candidate changed against the other side. */
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/session/record.h"
#include "cmd/session/session.h"
#include "cmd/session/which_run.h"
#include "cmd/ui/out.h"
#include "cmd/ui/pager.h"
#include "cmd/ui/report.h"
#include "gitstore/candidate/source_diff.h"

#define TO_BASELINE "baseline"

/* ---- the pair ------------------------------------------------------------ */

/* A comparison that measured two candidates as a pair, block by block in the
 * same minutes. Absolute figures of different minutes are far less reliable. */

struct pair {
	bool found;   /* false: never measured as a pair */
	double ratio; /* times the first is faster */
	struct interval ratio95;
};

struct pair_search {
	struct pair *out;
	const struct candidate_record *first,
		*second; /* NULL second: a baseline */
	const char *baseline;
};

static void keep(struct pair *p, const struct comparison *c, bool inverse)
{
	const struct interval r = c->ratio95;

	if (!(c->ratio > 0))
		return;
	p->found = true;
	p->ratio = inverse ? 1 / c->ratio : c->ratio;
	p->ratio95.lo = inverse ? 1 / r.hi : r.lo;
	p->ratio95.hi = inverse ? 1 / r.lo : r.hi;
}

/* `m` is a measurement of the first, or of the second. */
static void look_at(const struct pair_search *s, const struct measurement *m,
		    bool of_second)
{
	const char *rival = of_second	? s->first->commit.id.hex
			    : s->second ? s->second->commit.id.hex
					: s->baseline;

	for (size_t i = 0; m && i < m->n_comparisons; i++) {
		const struct comparison *c = &m->comparisons[i];

		if ((c->rival == RIVAL_BASELINE) == !s->second &&
		    str_eq(c->name, rival))
			keep(s->out, c, of_second);
	}
}

static void add_entry(void *arg, const struct entry *e)
{
	const struct pair_search *s = arg;

	if (e->kind != ENTRY_MEASUREMENT)
		return;
	if (str_eq(e->candidate.hex, s->first->commit.id.hex))
		look_at(s, e->measurement, false);
	else if (s->second &&
		 str_eq(e->candidate.hex, s->second->commit.id.hex))
		look_at(s, e->measurement, true);
}

static struct error *read_both(struct pair_search *s, struct gitstore *g,
			       const char *run)
{
	TRY(gitstore_read_about(g, run, s->first->commit.id.hex, add_entry, s));
	if (!s->second)
		return NULL;
	return gitstore_read_about(g, run, s->second->commit.id.hex, add_entry,
				   s);
}

/* Notes come first, because the journals are at least as new. */
static struct error *find(struct pair_search *s, struct gitstore *g)
{
	const char *run = s->first->run;
	const char *other = s->second ? s->second->run : "";

	*s->out = (struct pair){.found = false};
	if (s->second)
		look_at(s, s->second->measurement, true);
	look_at(s, s->first->measurement, false);
	TRY(read_both(s, g, "@"));
	if (*run && !str_eq(run, "@"))
		TRY(read_both(s, g, run));
	if (*other && !str_eq(other, "@") && !str_eq(other, run))
		TRY(read_both(s, g, other));
	return NULL;
}

/* The newest comparison of the two, in either direction, from the journals of
 * their runs and from their notes. */
static struct error *pair_of_records(struct pair *out, struct gitstore *g,
				     const struct candidate_record *first,
				     const struct candidate_record *second)
{
	struct pair_search s = {.out = out, .first = first, .second = second};

	return find(&s, g);
}

static struct error *pair_with_baseline(struct pair *out, struct gitstore *g,
					const struct candidate_record *first,
					const char *baseline)
{
	struct pair_search s = {
		.out = out, .first = first, .baseline = baseline};

	return find(&s, g);
}

/* ---- avogit diff --------------------------------------------------------- */

struct diff_options {
	const char *to;
	const char *run;
	bool stat;
	const char *color;
};

static const struct opt options[] = {
	OPT_WORDS(struct diff_options, to, "to", 0, "WHAT",
		  "parent base baseline @rev",
		  "parent, base, baseline[:NAME] or a REV (parent)"),
	OPT(struct diff_options, run, "run", 'r', "NAME",
	    "the champion of this run (the task's)"),
	OPT(struct diff_options, stat, "stat", 0, NULL,
	    "how much changed in which file, only"),
	OPT(struct diff_options, color, "color", 0, "WHEN",
	    "always, never or auto"),
	OPT_END,
};

/* The two sides and their data. */
struct sides {
	struct session session;
	struct candidate_record candidate, other;
	struct entry run;	 /* record of its run, valid if has_run */
	bool has_run, has_other; /* has_other false: the other is a baseline */
	struct strvec patterns;	 /* of the sources */
	const struct trusted_code *baseline; /* borrowed of the task */
	struct source_diff *diff;
};

static void sides_release(struct sides *s)
{
	source_diff_free(s->diff);
	record_release(&s->candidate);
	record_release(&s->other);
	if (s->has_run)
		entry_release(&s->run);
	strvec_release(&s->patterns);
	session_release(&s->session);
}
DEFINE_RELEASE(sides, struct sides, sides_release)

/* ---- choosing the two ---------------------------------------------------- */

static struct error *find_candidate(struct sides *s,
				    const struct diff_options *o,
				    const struct strvec *operands)
{
	struct commit_id id;
	char run[RUN_NAME_MAX + 1];

	TRY(which_candidate(&id, run, &s->session, "diff",
			    operands->n ? operands->v[0] : NULL, o->run));
	return record_read(&s->candidate, s->session.git, id.hex, run);
}

static struct error *read_run(struct sides *s, const char *run)
{
	cleanup_population struct population p = {0};

	TRY(gitstore_population(&p, s->session.git, run));
	if (!p.has_record)
		return NULL;
	entry_init(&s->run, ENTRY_RUN, p.record.run);
	s->run.base = p.record.base;
	s->run.task_path = xstrdup_null(p.record.task_path);
	s->has_run = true;
	return NULL;
}

/* Reads the task of the candidate's run, else the nearest one in the commit. */
static struct error *read_task(struct sides *s)
{
	struct session *session = &s->session;

	if (s->has_run && s->run.task_path)
		return session_run_task(session, s->run.base.hex,
					s->run.task_path);
	return session_task(session, s->candidate.commit.id.hex, NULL);
}

/* A commit of the user may have no task; then all of it is shown. */
static struct error *find_sources(struct sides *s)
{
	struct error *err;

	if (*s->candidate.run)
		TRY(read_run(s, s->candidate.run));
	err = read_task(s);
	if (error_is(err, ERROR_TASK) || error_is(err, ERROR_REFUSED)) {
		error_free(err);
		return NULL;
	}
	TRY(err);
	task_source_patterns(&s->patterns, s->session.at.task);
	return NULL;
}

static struct error *which_baseline(const struct task *t)
{
	cleanup_buf struct buf list = BUF_INIT(BUF_LIMIT_TEXT);
	const struct trusted_code *b = t->baselines;

	for (size_t i = 0; b && i < t->n_baselines; i++)
		buf_addf(&list, "%s" TO_BASELINE ":%s", i ? ", " : "",
			 b[i].name);
	return error_new(ERROR_USAGE, "which baseline? There is --to %s",
			 list.data);
}

/* Accepts "baseline" if there is only one, or "baseline:NAME". */
static struct error *find_baseline(struct sides *s, const char *to)
{
	const struct task *t = s->session.at.task;
	const char *name = to + strlen(TO_BASELINE);

	if (!t || !t->n_baselines)
		return error_new(ERROR_NOT_FOUND, "the task has no baseline");
	if (!*name && t->n_baselines == 1)
		s->baseline = &t->baselines[0];
	for (size_t i = 0; *name && i < t->n_baselines; i++)
		if (str_eq(t->baselines[i].name, name + 1))
			s->baseline = &t->baselines[i];
	return s->baseline ? NULL : which_baseline(t);
}

static struct error *find_other(struct commit_id *id,
				char run[RUN_NAME_MAX + 1],
				const struct sides *s, const char *to)
{
	const struct commit_info *c = &s->candidate.commit;

	snprintf(run, RUN_NAME_MAX + 1, "%s", s->has_run ? s->run.run : "");
	if (str_eq(to, "base") && !s->has_run)
		return error_new(
			ERROR_NOT_FOUND,
			"%.12s is not a candidate of a run, so that it "
			"has no base: name a commit by --to REV",
			c->id.hex);
	if (str_eq(to, "base"))
		*id = s->run.base;
	else if (!str_eq(to, "parent"))
		return gitstore_resolve_in(id, run, s->session.git, to);
	else if (!c->n_parents)
		return error_new(ERROR_NOT_FOUND, "%.12s has no parent",
				 c->id.hex);
	else
		*id = c->parents[0];
	return NULL;
}

/* ---- comparing ----------------------------------------------------------- */

/* Compares files: the baseline's from the task's commit, the sources from the
 * candidate. */
static struct error *compare_baseline(struct sides *s)
{
	cleanup_fileset struct fileset from = FILESET_INIT;
	cleanup_fileset struct fileset to = FILESET_INIT;
	cleanup_strvec struct strvec patterns = STRVEC_INIT;
	const struct task *t = s->session.at.task;

	for (size_t i = 0; i < s->baseline->sources.n; i++) {
		cleanup_free char *path =
			task_path(t, s->baseline->sources.v[i]);

		strvec_push(&patterns, path);
	}
	TRY(gitstore_files(&from, s->session.git, s->session.at.commit.hex,
			   &patterns));
	TRY(gitstore_files(&to, s->session.git, s->candidate.commit.id.hex,
			   &s->patterns));
	return source_diff_files(&s->diff, &from, &to);
}

static bool is_baseline(const char *to)
{
	return str_eq(to, TO_BASELINE) || starts_with(to, TO_BASELINE ":");
}

static struct error *compare(struct sides *s, const char *to)
{
	struct commit_id id;
	char run[RUN_NAME_MAX + 1];

	if (is_baseline(to)) {
		TRY(find_baseline(s, to));
		return compare_baseline(s);
	}
	TRY(find_other(&id, run, s, to));
	TRY(record_read(&s->other, s->session.git, id.hex, run));
	s->has_other = true;
	return source_diff_commits(&s->diff, s->session.git, id.hex,
				   s->candidate.commit.id.hex,
				   s->patterns.n ? &s->patterns : NULL);
}

/* ---- the figures --------------------------------------------------------- */

static void add_side(struct buf *out, const struct sides *s,
		     const struct candidate_record *r)
{
	const struct measurement *m = r->measurement;
	char id[COMMIT_ID_LEN + 1], rate[RATE_TEXT];

	gitstore_abbreviate(id, s->session.git, r->commit.id.hex);
	buf_adds(out, id);
	if (r->number)
		buf_addf(out, " #%lld", (long long)r->number);
	if (!m) {
		buf_adds(out, " (not measured)");
	} else if (m->verdict != VERDICT_PASS) {
		buf_addf(out, " (%s)", verdict_name(m->verdict));
	} else {
		measurement_format(rate, sizeof rate, m, m->score);
		buf_addf(out, " (%s)", rate);
	}
}

static void add_ratio(struct buf *out, const struct pair *p)
{
	char text[3][32];

	if (!p->found) {
		buf_adds(out, ": not measured as a pair");
		return;
	}
	report_format_ratio(text[0], sizeof text[0], p->ratio);
	report_format_ratio(text[1], sizeof text[1], p->ratio95.lo);
	report_format_ratio(text[2], sizeof text[2], p->ratio95.hi);
	buf_addf(out, ": %s its speed [%s, %s]", text[0], text[1], text[2]);
}

static void print_figures(const struct sides *s, const struct pair *p)
{
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf clean = BUF_INIT(BUF_LIMIT_TEXT);

	add_side(&line, s, &s->candidate);
	buf_adds(&line, " against ");
	if (s->has_other)
		add_side(&line, s, &s->other);
	else
		buf_addf(&line, "baseline %s", s->baseline->name);
	add_ratio(&line, p);
	out_clean_line(&clean, line.data);
	printf("%s\n\n", clean.data);
}

/* ---- the difference ------------------------------------------------------ */

struct diff_printer {
	const struct palette *color;
	bool clean; /* remove what a terminal acts upon */
};

/* One line, without its newline. */
static void print_line(const struct diff_printer *p, enum color color,
		       const char *text, size_t len)
{
	cleanup_buf struct buf clean = BUF_INIT(SIZE_MAX / 2);
	cleanup_free char *line = xstrndup(text, len);

	fputs(color_begin(p->color, color), stdout);
	if (p->clean) {
		out_clean(&clean, line);
		fputs(clean.data, stdout);
	} else {
		fwrite(text, 1, len, stdout);
	}
	fputs(color_end(p->color, color), stdout);
}

static void print_piece(void *arg, enum diff_line kind, const char *text,
			size_t len)
{
	static const enum color color[] = {
		[DIFF_META] = COLOR_BOLD,    [DIFF_HUNK] = COLOR_HUNK,
		[DIFF_CONTEXT] = COLOR_NONE, [DIFF_ADDED] = COLOR_GOOD,
		[DIFF_REMOVED] = COLOR_BAD,  [DIFF_REMARK] = COLOR_NONE,
	};

	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t line = end ? (size_t)(end - text) : len;

		print_line(arg, color[kind], text, line);
		if (end)
			putchar('\n');
		text += line + (end != NULL);
		len -= line + (end != NULL);
	}
}

static size_t columns(void)
{
	struct winsize w = {0};

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 20)
		return w.ws_col;
	return 80;
}

static struct error *print_stat(const struct sides *s)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	TRY(source_diff_stat(&text, s->diff, columns()));
	out_text("", text.data);
	return NULL;
}

static struct error *print_all(struct sides *s, const struct diff_options *o)
{
	struct diff_printer p = {
		.color = &s->session.color,
		.clean = s->session.color.on || isatty(STDOUT_FILENO),
	};
	cleanup_pager struct pager pager = {.pid = 0};
	struct pair pair;

	TRY(s->has_other
		    ? pair_of_records(&pair, s->session.git, &s->candidate,
				      &s->other)
		    : pair_with_baseline(&pair, s->session.git, &s->candidate,
					 s->baseline->name));
	pager_begin(&pager);
	print_figures(s, &pair);
	if (o->stat)
		return print_stat(s);
	return source_diff_print(s->diff, print_piece, &p);
}

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	CLEANUP(sides) struct sides s = {.patterns = STRVEC_INIT};
	cleanup_strvec struct strvec operands = STRVEC_INIT;
	struct diff_options o = {0};

	(void)code;
	TRY(command_parse(self, &o, &operands, argv));
	TRY(session_open(&s.session, o.color));
	TRY(find_candidate(&s, &o, &operands));
	TRY(find_sources(&s));
	TRY(compare(&s, o.to ? o.to : "parent"));
	return print_all(&s, &o);
}

const struct command command_diff = {
	.name = "diff",
	.operands = "[REV]",
	.summary = "shows what a candidate changed, with both scores",
	.about =
		"Shows the change of the sources from a candidate's parent (or "
		"the base of its run,\na baseline of its task, another commit) "
		"to the candidate (the champion without\nREV). First a line "
		"with the score of each, and the ratio where the two were\n"
		"measured as a pair. The rest is a patch that `git apply` "
		"takes.",
	.options = options,
	.max_operands = 1,
	.run = run,
};
