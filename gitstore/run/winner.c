/*
 * The story of a candidate: one commit on the run's base with its tree, and a
 * message with its lineage. The champion's is the winner, so `git cherry-pick
 * avo/RUN/winner` takes everything that was found; `avogit pick` does the same
 * for any candidate. All of it follows from the journal and the candidate's
 * commit, including its author and dates: every clone makes the same commit.
 */
#include "gitstore/candidate/candidate.h"
#include "gitstore/git/internal.h"
#include "gitstore/journal/journal.h"
#include "gitstore/run/run.h"

#define MESSAGE_MAX ((size_t)64 << 10)
/* Steps of the lineage that the message lists; the others are only counted. */
#define MAX_STEPS 12

/* A candidate's lineage from the first step after the base to itself. */
struct winner_lineage {
	const struct population *p;
	const struct attempt **step;
	git_commit **commit; /* of each step */
	size_t n;
	char *flags; /* of the compiler, that the last was measured with */
};

static void winner_lineage_release(struct winner_lineage *s)
{
	for (size_t i = 0; s->commit && i < s->n; i++)
		git_commit_free(s->commit[i]);
	free(s->step);
	free(s->commit);
	free(s->flags);
}
DEFINE_RELEASE(winner_lineage, struct winner_lineage, winner_lineage_release)
#define cleanup_winner_lineage CLEANUP(winner_lineage)

/* The population may have only a brief measurement, without them. */
static struct error *read_flags(struct winner_lineage *s, struct gitstore *g)
{
	const struct attempt *a = s->step[s->n - 1];
	const struct measurement *m = a->measurement;
	cleanup_entry struct entry e = {.kind = ENTRY_STOP};
	git_oid id;

	if (m && m->brief && *a->entry.hex) {
		TRY(oid_parse(&id, a->entry.hex));
		TRY(journal_entry(&e, g, &id));
		m = e.measurement;
	}
	if (m && m->verdict == VERDICT_PASS)
		s->flags = xstrdup_null(measurement_get(m, "flags"));
	return NULL;
}

static struct error *story_read(struct winner_lineage *s, struct gitstore *g,
				const struct population *p,
				const struct attempt *a)
{
	s->p = p;
	s->step = xcalloc(p->n, sizeof(const struct attempt *));
	/* A lineage is at most as long as the population. */
	for (; a && a->number > 0 && s->n < p->n;
	     a = population_find(p, a->parent.hex))
		s->step[s->n++] = a;
	for (size_t i = 0; i < s->n / 2; i++) {
		const struct attempt *swap = s->step[i];

		s->step[i] = s->step[s->n - 1 - i];
		s->step[s->n - 1 - i] = swap;
	}
	s->commit = xcalloc(s->n + 1, sizeof(git_commit *));
	for (size_t i = 0; i < s->n; i++)
		TRY(commit_lookup(&s->commit[i], g, s->step[i]->id.hex));
	return s->n ? read_flags(s, g) : NULL;
}

/* ---- what was found ----------------------------------------------------- */

/* The comparison of the last step with the base of the run: the one ratio that
 * the whole change may claim. Ratios of several comparisons are not multiplied,
 * and figures of different minutes are not divided. */
static const struct comparison *over_base(const struct winner_lineage *s)
{
	const struct measurement *m = s->step[s->n - 1]->measurement;

	for (size_t i = 0; m && i < m->n_comparisons; i++)
		if (m->comparisons[i].rival != RIVAL_BASELINE &&
		    str_eq(m->comparisons[i].name, s->p->record.base.hex))
			return &m->comparisons[i];
	return NULL;
}

static bool is_told_faster(const struct comparison *c)
{
	return c && c->decision == DECISION_FASTER;
}

/* "85.3 GFLOPS"; "" if it was not measured. */
static void format_score(char out[RATE_TEXT], const struct attempt *a)
{
	const struct measurement *m = a->measurement;

	*out = '\0';
	if (m && m->verdict == VERDICT_PASS && m->score > 0)
		measurement_format(out, RATE_TEXT, m, m->score);
}

static char *format_interval(double ratio, struct interval i)
{
	return xasprintf("%.3f [%.3f, %.3f]", ratio, i.lo, i.hi);
}

/* ---- the message --------------------------------------------------------- */

/* What a person wrote keeps their words: a commit without the trailer of an
 * operator, or one of `avogit score --run`. */
static struct error *is_by_hand(bool *out, const git_commit *c)
{
	cleanup_free char *operator_name = NULL;

	TRY(commit_trailer(&operator_name, c, "Avogit-Operator"));
	*out = !operator_name || str_eq(operator_name, "hand");
	return NULL;
}

static void add_own_subject(struct buf *out, const git_commit *c)
{
	const char *message = git_commit_message(c);
	cleanup_free char *line = xstrndup(message, strcspn(message, "\n"));

	message_subject(out, line);
}

static struct error *add_subject(struct buf *out,
				 const struct winner_lineage *s)
{
	const git_commit *last = s->commit[s->n - 1];
	const struct comparison *c = over_base(s);
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);
	bool by_hand;

	TRY(is_by_hand(&by_hand, last));
	if (by_hand && s->n == 1) {
		add_own_subject(out, last);
		return NULL;
	}
	buf_addf(&line, "%s: ", s->p->record.run);
	if (is_told_faster(c))
		buf_addf(&line, "%.2fx faster%s", c->ratio,
			 s->n == 1 ? ": " : "");
	if (!is_told_faster(c) || s->n == 1)
		add_own_subject(&line, last);
	message_subject(out, line.data);
	return NULL;
}

/* The message of each step that a person wrote; other steps have a line of the
 * list. */
static struct error *add_own_bodies(struct buf *out,
				    const struct winner_lineage *s)
{
	for (size_t i = 0; i < s->n; i++) {
		cleanup_buf struct buf body = BUF_INIT(MESSAGE_MAX / 2);
		bool by_hand;

		TRY(is_by_hand(&by_hand, s->commit[i]));
		if (!by_hand)
			continue;
		message_own_body(&body, git_commit_message(s->commit[i]));
		if (!body.len)
			continue;
		if (s->n > 1)
			buf_addf(out, "#%lld:\n\n",
				 (long long)s->step[i]->number);
		buf_add(out, body.data, body.len);
		buf_addc(out, '\n');
	}
	return NULL;
}

static void add_origin(struct buf *out, const struct winner_lineage *s)
{
	const struct entry *r = &s->p->record;
	const struct comparison *c = over_base(s);
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *figures = c ? format_interval(c->ratio, c->ratio95)
				       : NULL;
	const struct measurement *m = s->step[s->n - 1]->measurement;
	bool reported = m && m->trust == TRUST_REPORTED;

	buf_addf(&text,
		 "Found by avogit in run %s, of %s from commit %.12s on, "
		 "%s on %s. ",
		 r->run, r->task_path ? r->task_path : "the task", r->base.hex,
		 reported ? "scored by what a command of the task reported"
			  : "measured",
		 r->machine_name ? r->machine_name : "an unnamed machine");
	if (!c)
		buf_adds(&text, "It was not held against that commit itself.");
	else if (c->decision == DECISION_NONE)
		buf_addf(&text,
			 "Held against that commit in the same minutes: %s.",
			 decision_name(c->decision, c->ratio95));
	else
		buf_addf(&text,
			 "Held against that commit in the same minutes: %s "
			 "times its speed, %s%s.",
			 figures, decision_name(c->decision, c->ratio95),
			 c->confirmed ? ", confirmed" : "");
	message_body(out, text.data);
}

/* Is step i among the `max` with the largest gain? The last always is. */
static bool matters(const struct winner_lineage *s, size_t i, size_t max)
{
	double ratio = s->step[i]->won.ratio;
	size_t better = 1;

	if (i + 1 == s->n)
		return true;
	for (size_t j = 0; j + 1 < s->n && better < max; j++) {
		double other = s->step[j]->won.ratio;

		if (other > ratio || (j < i && !(other < ratio)))
			better++;
	}
	return better < max;
}

static void add_step(struct buf *out, const struct winner_lineage *s, size_t i)
{
	const struct attempt *a = s->step[i];
	cleanup_buf struct buf subject = BUF_INIT(256);
	cleanup_free char *figure = NULL;

	add_own_subject(&subject, s->commit[i]);
	buf_addf(out, "  #%lld %s\n", (long long)a->number, subject.data);
	if (!(a->won.ratio > 0))
		return;
	figure = format_interval(a->won.ratio, a->won.ratio95);
	if (a->won.over)
		buf_addf(out, "      %s times the speed of #%lld\n", figure,
			 (long long)a->won.over);
	else
		buf_addf(out, "      %s times the speed of the start\n",
			 figure);
}

static void add_steps(struct buf *out, const struct winner_lineage *s)
{
	size_t left_out = 0;

	if (s->n == 1)
		return;
	buf_adds(out, "\nThe steps, and what each was found faster than, "
		      "in minutes of its own:\n\n");
	for (size_t i = 0; i < s->n; i++)
		if (matters(s, i, MAX_STEPS))
			add_step(out, s, i);
		else
			left_out++;
	if (left_out)
		buf_addf(out, "  and %zu other steps\n", left_out);
}

/* All trailers that are not avogit's (who helped, who signed off), each once. */
static struct error *add_trailers_of_steps(struct buf *out,
					   const struct winner_lineage *s)
{
	cleanup_strvec struct strvec seen = STRVEC_INIT;

	for (size_t i = 0; i < s->n; i++) {
		git_message_trailer_array t = {0};

		TRY(git_check(git_message_trailers(
				      &t, git_commit_message(s->commit[i])),
			      "cannot read commit %s", s->step[i]->id.hex));
		for (size_t j = 0; j < t.count; j++) {
			cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

			if (starts_with(t.trailers[j].key, "Avogit-"))
				continue;
			message_trailer(&line, t.trailers[j].key,
					t.trailers[j].value);
			if (line.len && !strvec_has(&seen, line.data))
				strvec_push(&seen, line.data);
		}
		git_message_trailer_array_free(&t);
	}
	for (size_t i = 0; i < seen.n; i++)
		buf_adds(out, seen.v[i]);
	return NULL;
}

static struct error *add_trailers(struct buf *out,
				  const struct winner_lineage *s)
{
	const struct attempt *last = s->step[s->n - 1];
	const struct comparison *c = over_base(s);
	char score[RATE_TEXT];

	message_trailer(out, "Avogit-Run", s->p->record.run);
	message_trailer(out, TRAILER_OF, last->id.hex);
	format_score(score, last);
	message_trailer(out, "Avogit-Score", score);
	if (is_told_faster(c)) {
		cleanup_free char *figure =
			format_interval(c->ratio, c->ratio95);

		message_trailer(out, "Avogit-Speedup", figure);
	}
	message_trailer(out, "Avogit-Machine", s->p->record.machine_name);
	message_trailer(out, "Avogit-Flags", s->flags);
	return add_trailers_of_steps(out, s);
}

static struct error *write_message(struct buf *out,
				   const struct winner_lineage *s)
{
	TRY(add_subject(out, s));
	buf_adds(out, "\n\n");
	TRY(add_own_bodies(out, s));
	add_origin(out, s);
	add_steps(out, s);
	buf_addc(out, '\n');
	return add_trailers(out, s);
}

/* ---- the commit ---------------------------------------------------------- */

struct error *story_commit(git_oid *out, bool *made, struct gitstore *g,
			   const struct population *p,
			   const struct attempt *last)
{
	const git_commit *commit;
	cleanup_buf struct buf message = BUF_INIT(MESSAGE_MAX);
	cleanup_winner_lineage struct winner_lineage s = {0};
	struct commit_spec spec = {.n_parents = 1};
	git_oid base;

	TRY(story_read(&s, g, p, last));
	*made = s.n > 0;
	if (s.n == 0)
		return NULL;
	TRY(oid_parse(&base, p->record.base.hex));
	commit = s.commit[s.n - 1];
	TRY(write_message(&message, &s));
	spec.parent[0] = &base;
	spec.tree = git_commit_tree_id(commit);
	spec.author = git_commit_author(commit);
	spec.committer = git_commit_committer(commit);
	spec.message = message.data;
	return commit_write(out, g, &spec);
}
