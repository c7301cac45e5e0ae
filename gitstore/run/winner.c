/*
 * The story of a candidate: one commit on the run's base with its tree, and a
 * message with its lineage. The champion's is the winner, so `git cherry-pick
 * avo/RUN/winner` takes everything that was found; `avogit pick` does the same
 * for any candidate. All of it follows from the journal and the candidate's
 * commit, including its author and dates: every clone makes the same commit.
 */
#include <math.h>

#include "gitstore/candidate/candidate.h"
#include "gitstore/git/internal.h"
#include "gitstore/run/run.h"

#define MESSAGE_MAX ((size_t)64 << 10)
/* Steps of the lineage that the message lists; the others are only counted. */
#define MAX_STEPS 12

/* A candidate's lineage from the first step after the base to itself. */
struct winner_lineage {
	const struct population *p;
	const struct attempt **step;
	double *ratio; /* of each step over the previous one; or NAN */
	size_t n;
};

static void winner_lineage_release(struct winner_lineage *s)
{
	free(s->step);
	free(s->ratio);
}
DEFINE_RELEASE(winner_lineage, struct winner_lineage, winner_lineage_release)
#define cleanup_winner_lineage CLEANUP(winner_lineage)

static void story_read(struct winner_lineage *s, const struct population *p,
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
	s->ratio = xcalloc(s->n + 1, sizeof *s->ratio);
	for (size_t i = 0; i < s->n; i++)
		s->ratio[i] =
			exp(s->step[i]->gain - (i ? s->step[i - 1]->gain : 0));
}

/* ---- the message --------------------------------------------------------- */

/* "85.3 GFLOPS"; "" if it was not measured. */
static void format_score(char out[32], const struct attempt *a)
{
	const struct measurement *m = a->measurement;

	*out = '\0';
	if (m && m->verdict == VERDICT_PASS && m->score > 0)
		measurement_format_rate(out, 32, m->score, m->rate_is_bytes);
}

/* Is step i among the `max` with the largest gain? The last always is. */
static bool matters(const struct winner_lineage *s, size_t i, size_t max)
{
	double ratio = s->ratio[i];
	size_t better = 1;

	if (i + 1 == s->n)
		return true;
	for (size_t j = 0; j + 1 < s->n && better < max; j++)
		if (s->ratio[j] > ratio || (j < i && !(s->ratio[j] < ratio)))
			better++;
	return better < max;
}

static void add_steps(struct buf *out, const struct winner_lineage *s)
{
	size_t left_out = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct attempt *a = s->step[i];
		double ratio = s->ratio[i];
		cleanup_buf struct buf subject = BUF_INIT(256);

		if (!matters(s, i, MAX_STEPS)) {
			left_out++;
			continue;
		}
		message_subject(&subject, a->subject ? a->subject : "");
		if (isfinite(ratio))
			buf_addf(out, "  %6.2fx  ", ratio);
		else
			buf_addf(out, "  %7s  ", "");
		buf_addf(out, "%s (#%lld)\n", subject.data,
			 (long long)a->number);
	}
	if (left_out)
		buf_addf(out, "  and %zu smaller steps\n", left_out);
}

static void add_subject(struct buf *out, const struct winner_lineage *s)
{
	const struct attempt *last = s->step[s->n - 1];
	double ratio = attempt_speedup(last);
	char to[32], from[32];

	format_score(to, last);
	format_score(from, &s->p->attempt[0]);
	buf_addf(out, "%s: ", s->p->record.run);
	if (isfinite(ratio))
		buf_addf(out, "%.2fx %s", ratio,
			 ratio >= 1 ? "faster" : "the speed");
	else
		message_subject(out, last->subject ? last->subject : "");
	if (*to && *from)
		buf_addf(out, ", %s from %s", to, from);
}

static void add_story(struct buf *out, const struct winner_lineage *s)
{
	const struct entry *r = &s->p->record;
	cleanup_free char *text = xasprintf(
		"What `avogit evolve` made of %s from commit %.12s on, "
		"measured on %s. The steps and what each brought:",
		r->task_path ? r->task_path : "the task", r->base.hex,
		r->machine_name ? r->machine_name : "an unnamed machine");

	message_body(out, text);
	buf_addc(out, '\n');
	add_steps(out, s);
}

/* All models that helped with any step, each once. */
static struct error *add_assistants(struct buf *out, struct gitstore *g,
				    const struct winner_lineage *s)
{
	cleanup_strvec struct strvec seen = STRVEC_INIT;

	for (size_t i = 0; i < s->n; i++) {
		cleanup_git_commit git_commit *c = NULL;
		git_message_trailer_array t = {0};

		TRY(commit_lookup(&c, g, s->step[i]->id.hex));
		TRY(git_check(git_message_trailers(&t, git_commit_message(c)),
			      "cannot read commit %s", s->step[i]->id.hex));
		for (size_t j = 0; j < t.count; j++)
			if (str_eq(t.trailers[j].key, "Assisted-by") &&
			    !strvec_has(&seen, t.trailers[j].value))
				strvec_push(&seen, t.trailers[j].value);
		git_message_trailer_array_free(&t);
	}
	for (size_t i = 0; i < seen.n; i++)
		message_trailer(out, "Assisted-by", seen.v[i]);
	return NULL;
}

static struct error *add_trailers(struct buf *out, struct gitstore *g,
				  const struct winner_lineage *s)
{
	const struct attempt *last = s->step[s->n - 1];
	double ratio = attempt_speedup(last);
	char score[32];

	message_trailer(out, "Avogit-Run", s->p->record.run);
	message_trailer(out, TRAILER_OF, last->id.hex);
	format_score(score, &s->p->attempt[0]);
	message_trailer(out, "Avogit-Start-Score", score);
	format_score(score, last);
	message_trailer(out, "Avogit-Score", score);
	if (isfinite(ratio))
		buf_addf(out, "Avogit-Speedup: %.3f\n", ratio);
	message_trailer(out, "Avogit-Machine", s->p->record.machine_name);
	return add_assistants(out, g, s);
}

static struct error *write_message(struct buf *out, struct gitstore *g,
				   const struct winner_lineage *s)
{
	cleanup_buf struct buf subject = BUF_INIT(512);

	add_subject(&subject, s);
	message_subject(out, subject.data);
	buf_adds(out, "\n\n");
	add_story(out, s);
	buf_addc(out, '\n');
	return add_trailers(out, g, s);
}

/* ---- the commit ---------------------------------------------------------- */

struct error *story_commit(git_oid *out, bool *made, struct gitstore *g,
			   const struct population *p,
			   const struct attempt *last)
{
	cleanup_git_commit git_commit *commit = NULL;
	cleanup_buf struct buf message = BUF_INIT(MESSAGE_MAX);
	cleanup_winner_lineage struct winner_lineage s = {0};
	struct commit_spec spec = {.n_parents = 1};
	git_oid base;

	story_read(&s, p, last);
	*made = s.n > 0;
	if (s.n == 0)
		return NULL;
	TRY(oid_parse(&base, p->record.base.hex));
	TRY(commit_lookup(&commit, g, last->id.hex));
	TRY(write_message(&message, g, &s));
	spec.parent[0] = &base;
	spec.tree = git_commit_tree_id(commit);
	spec.author = git_commit_author(commit);
	spec.committer = git_commit_committer(commit);
	spec.message = message.data;
	return commit_write(out, g, &spec);
}
