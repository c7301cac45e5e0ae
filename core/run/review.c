#include "core/run/review.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>

#include "core/base/base.h"
#include "core/base/text.h"
#include "core/run/effects.h"
#include "core/run/kinds.h"
#include "core/run/outcome.h"
#include "core/run/trajectory.h"

/* How many attempts are reviewed (the newest); groups and errors to name. */
#define MAX_ATTEMPTS 512
#define MAX_GROUPS   8
#define MAX_ERRORS   3
#define MAX_SUBJECT  72
#define MAX_WHY	     160

/* ---- words ---------------------------------------------------------------
 *
 * Finds the topics in a set of short texts: groups of texts that share a word.
 * The word that most texts have in common makes the first group; the commonest
 * word of the other texts makes the second, and so on. */

#define WORDS_NO_GROUP SIZE_MAX
/* It is among the effects instead. */
#define OF_SETTINGS (SIZE_MAX - 1)

struct words {
	struct mention *mention;
	size_t n, cap;
};

#define SHORTEST 3
#define LONGEST	 32
/* Words of one text. */
#define MAX_WORDS 32

struct mention {
	char word[LONGEST + 1];
	size_t text;
};

static bool says_nothing(const char *word)
{
	static const char nothing[] =
		" the and for with from into onto use uses using used try "
		"tries "
		"trying more less fewer than one two that this these those not "
		"but instead each per now then when where which while change "
		"changes changed make makes made add adds added set sets all "
		"its was are were has have had let lets get gets put puts new "
		"old other same only also over out off via can may should "
		"would will does did just still what how why because again "
		"before after between both some any every kernel kernels code "
		"faster slower better best ahead far attempt attempts against "
		"average chosen expected improvement neighbour point points "
		"little known like tried ";
	char padded[LONGEST + 3];

	snprintf(padded, sizeof padded, " %s ", word);
	return strstr(nothing, padded);
}

/* A word of two letters, as tunables and parts of a machine have: MR, L2. */
static bool is_name(const char *s, size_t len)
{
	return len == 2 && isupper((unsigned char)s[0]) &&
	       (isupper((unsigned char)s[1]) || isdigit((unsigned char)s[1]));
}

static bool in_word(char c)
{
	return is_word_char(c) || (unsigned char)c >= 0x80;
}

static void add_word(struct words *w, size_t text, const char *s, size_t len)
{
	struct mention m = {.text = text};
	bool letter = false;

	if ((len < SHORTEST && !is_name(s, len)) || len > LONGEST)
		return;
	for (size_t i = 0; i < len; i++) {
		m.word[i] = (char)tolower((unsigned char)s[i]);
		letter |= !isdigit((unsigned char)s[i]);
	}
	if (!letter || says_nothing(m.word))
		return;
	GROW(w->mention, w->n, w->cap);
	w->mention[w->n++] = m;
}

/* Adds the words of a text, in lower case: words of three letters or more, or
 * two capitals, except words without meaning ("with", "more"). NULL adds
 * nothing. */
static void words_add(struct words *w, size_t text, const char *s)
{
	size_t before = w->n;

	while (s && *s && w->n - before < MAX_WORDS) {
		const char *begin = s;

		while (in_word(*s))
			s++;
		add_word(w, text, begin, (size_t)(s - begin));
		if (*s)
			s++;
	}
}

static int by_word(const void *a, const void *b)
{
	const struct mention *x = a, *y = b;
	int order = strcmp(x->word, y->word);

	return order ? order : (x->text > y->text) - (x->text < y->text);
}

/* The end of the run of mentions of one word that begins at i; *texts is how
 * many texts without a group have the word. */
static size_t count_run(size_t *texts, const struct words *w, size_t i,
			const size_t *group)
{
	size_t begin = i, last = SIZE_MAX;

	for (*texts = 0; i < w->n; i++) {
		const struct mention *m = &w->mention[i];

		if (!str_eq(m->word, w->mention[begin].word))
			break;
		*texts += m->text != last && group[m->text] == WORDS_NO_GROUP;
		last = m->text;
	}
	return i;
}

/* Where the run of the commonest word begins; w->n if none is in two texts. */
static size_t find_commonest(const struct words *w, const size_t *group)
{
	size_t best = w->n, most = 1;

	for (size_t i = 0, next; i < w->n; i = next) {
		size_t texts;

		next = count_run(&texts, w, i, group);
		if (texts > most) {
			most = texts;
			best = i;
		}
	}
	return best;
}

/* Forms groups of at least two texts from those whose group[] is
 * WORDS_NO_GROUP, and sets group[], counting from `first`. name[] gets the
 * words, borrowed until the release. Returns how many groups, at most `max`. */
static size_t words_group(const struct words *w, size_t *group, size_t first,
			  const char **name, size_t max)
{
	size_t n = 0;

	if (w->n)
		qsort(w->mention, w->n, sizeof *w->mention, by_word);
	for (; n < max; n++) {
		size_t i = find_commonest(w, group);

		if (i == w->n)
			break;
		name[n] = w->mention[i].word;
		for (; i < w->n && str_eq(w->mention[i].word, name[n]); i++)
			if (group[w->mention[i].text] == WORDS_NO_GROUP)
				group[w->mention[i].text] = first + n;
	}
	return n;
}

static void words_release(struct words *w)
{
	free(w->mention);
	*w = (struct words){0};
}

/* ---- a review ------------------------------------------------------------ */

struct run_review {
	const struct population *p;
	size_t at[MAX_ATTEMPTS]; /* indices of attempts, oldest first */
	size_t group[MAX_ATTEMPTS];
	double gain[MAX_ATTEMPTS]; /* of its own idea: log of a speed-up */
	size_t n;
	size_t lately; /* how many of them are the newest */
	struct words subjects, hypotheses;
	const char *name[MAX_GROUPS];
	size_t n_groups;
	struct effects effects; /* of attempts that are lists of settings */
};

static void run_review_release(struct run_review *r)
{
	words_release(&r->subjects);
	words_release(&r->hypotheses);
	effects_release(&r->effects);
}
DEFINE_RELEASE(run_review, struct run_review, run_review_release)

/* ---- lines of a review ---------------------------------------------------- */

void review_line(struct buf *out, const char *text, size_t max)
{
	size_t len = text_cut(text, max);

	text_add_line(out, text, len);
	if (text[len])
		buf_adds(out, "...");
}

void review_name(struct buf *out, const struct attempt *a)
{
	buf_addf(out, "attempt %" PRId64 " (", a->number);
	if (a->subject) {
		buf_adds(out, "\"");
		review_line(out, a->subject, MAX_SUBJECT);
		buf_adds(out, "\"");
	}
	if (a->number && isfinite(a->gain))
		buf_addf(out, "%s%.2fx the start", a->subject ? ", " : "",
			 attempt_speedup(a));
	buf_adds(out, ")");
}

/* ---- what is reviewed ---------------------------------------------------- */

static const struct attempt *nth(const struct run_review *r, size_t i)
{
	return &r->p->attempt[r->at[i]];
}

static bool failed(const struct attempt *a)
{
	return a->measurement->verdict != VERDICT_PASS;
}

/* The gain of the attempt's own idea: log of its speed over its parent's. */
static double own_gain(const struct population *p, const struct attempt *a)
{
	const struct attempt *parent = population_find(p, a->parent.hex);

	return parent ? a->gain - kinds_gain(p, parent, a->kind) : (double)NAN;
}

static void gather(struct run_review *r)
{
	size_t first = r->p->n;

	for (size_t i = r->p->n; i-- > 1 && r->n < MAX_ATTEMPTS;)
		if (r->p->attempt[i].measurement) {
			r->n++;
			first = i;
		}
	r->n = 0;
	for (size_t i = first; i < r->p->n; i++)
		if (r->p->attempt[i].measurement) {
			r->group[r->n] = WORDS_NO_GROUP;
			r->gain[r->n] = own_gain(r->p, &r->p->attempt[i]);
			r->at[r->n++] = i;
		}
}

/* Groups by the words of the subjects; the rest by those of the hypotheses. */
static void group(struct run_review *r)
{
	for (size_t i = 0; i < r->n; i++) {
		bool lately = i + r->lately >= r->n;

		if (effects_add(&r->effects, nth(r, i)->subject,
				failed(nth(r, i)) ? (double)NAN : r->gain[i],
				lately)) {
			r->group[i] = OF_SETTINGS;
			continue;
		}
		words_add(&r->subjects, i, nth(r, i)->subject);
		words_add(&r->hypotheses, i, nth(r, i)->hypothesis);
	}
	r->n_groups =
		words_group(&r->subjects, r->group, 0, r->name, MAX_GROUPS);
	r->n_groups += words_group(&r->hypotheses, r->group, r->n_groups,
				   r->name + r->n_groups,
				   MAX_GROUPS - r->n_groups);
	effects_fit(&r->effects);
}

/* ---- what was tried ------------------------------------------------------ */

struct idea_outcome {
	size_t attempts, failures, lately;
	const struct attempt *best, *worst; /* NULL: no attempt has a figure */
	double best_gain, worst_gain;
};

static struct idea_outcome outcome_of(const struct run_review *r, size_t group)
{
	struct idea_outcome o = {0};

	for (size_t i = 0; i < r->n; i++) {
		const struct attempt *a = nth(r, i);
		double gain = r->gain[i];

		if (r->group[i] != group)
			continue;
		o.attempts++;
		o.failures += failed(a);
		o.lately += i + r->lately >= r->n;
		if (!isfinite(gain))
			continue;
		if (!o.best || gain > o.best_gain) {
			o.best = a;
			o.best_gain = gain;
		}
		if (!o.worst || gain < o.worst_gain) {
			o.worst = a;
			o.worst_gain = gain;
		}
	}
	return o;
}

static void add_move(struct buf *out, const struct population *p,
		     const char *label, const struct attempt *a, double gain)
{
	buf_addf(out, "%s %+.1f %% (#%" PRId64, label, 100 * expm1(gain),
		 a->number);
	if (a->subject) {
		buf_adds(out, " \"");
		review_line(out, a->subject, MAX_SUBJECT);
		buf_adds(out, "\"");
	}
	if (gain > 0 && !a->accepted)
		buf_addf(out, ", %s", attempt_outcome_name(p, a));
	buf_adds(out, ")");
}

static void add_outcome(struct buf *out, const struct run_review *r,
			const char *name, const struct idea_outcome *o)
{
	buf_addf(out, "- %s, %zu attempt%s", name, o->attempts,
		 o->attempts == 1 ? "" : "s");
	if (o->best)
		add_move(out, r->p, ": best", o->best, o->best_gain);
	if (o->worst && o->worst != o->best)
		add_move(out, r->p, ", worst", o->worst, o->worst_gain);
	if (o->failures)
		buf_addf(out, "%s %zu failed", o->best ? ";" : ":",
			 o->failures);
	buf_adds(out, "\n");
}

static void add_tried(struct buf *out, const struct run_review *r)
{
	struct idea_outcome rest = outcome_of(r, WORDS_NO_GROUP);

	effects_write(out, &r->effects);
	if (!r->n_groups && !rest.attempts)
		return;
	buf_adds(out, "Tried so far, by what it was called, with the change "
		      "to the speed of what it was tried on:\n");
	for (size_t g = 0; g < r->n_groups; g++) {
		struct idea_outcome o = outcome_of(r, g);

		add_outcome(out, r, r->name[g], &o);
	}
	if (rest.attempts)
		add_outcome(out, r, r->n_groups ? "all else" : "in all", &rest);
}

/* ---- what failed --------------------------------------------------------- */

struct failure {
	char *error;
	const struct attempt *last;
	size_t n;
};

struct failures {
	struct failure *failure;
	size_t n, cap, total;
};

static void failures_release(struct failures *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->failure[i].error);
	free(f->failure);
}
DEFINE_RELEASE(failures, struct failures, failures_release)

static void add_failure(struct failures *f, const struct attempt *a)
{
	cleanup_free char *error = trajectory_error(a->measurement);
	size_t i = 0;

	f->total++;
	while (i < f->n && !str_eq(f->failure[i].error, error))
		i++;
	if (i == f->n) {
		GROW(f->failure, f->n, f->cap);
		f->failure[f->n++] = (struct failure){.error = steal(&error)};
	}
	f->failure[i].last = a;
	f->failure[i].n++;
}

static int most_first(const void *a, const void *b)
{
	const struct failure *x = a, *y = b;
	int order = (x->n < y->n) - (x->n > y->n);

	return order ? order : strcmp(x->error, y->error);
}

static void add_failed(struct buf *out, const struct run_review *r)
{
	CLEANUP(failures) struct failures f = {0};

	for (size_t i = 0; i < r->n; i++)
		if (failed(nth(r, i)))
			add_failure(&f, nth(r, i));
	if (!f.total)
		return;
	qsort(f.failure, f.n, sizeof *f.failure, most_first);
	buf_addf(out, "Failed: %zu of %zu. Most often:\n", f.total, r->n);
	for (size_t i = 0; i < MIN(f.n, (size_t)MAX_ERRORS); i++) {
		const struct measurement *m = f.failure[i].last->measurement;

		buf_addf(out, "- %zux %s: ", f.failure[i].n,
			 verdict_name(m->verdict));
		review_line(out, m->why ? m->why : verdict_line(m->verdict),
			    MAX_WHY);
		buf_addf(out, " (last #%" PRId64 ")\n",
			 f.failure[i].last->number);
	}
}

/* ---- what was not tried lately ----------------------------------------- */

static void add_left_alone(struct buf *out, const struct run_review *r)
{
	bool any = false;

	for (size_t g = 0; g < r->n_groups; g++) {
		struct idea_outcome o = outcome_of(r, g);

		if (o.lately || !o.best)
			continue;
		buf_addf(out, "%s%s (best %+.1f %%, #%" PRId64 ")",
			 any ? ", " : "Not tried lately: ", r->name[g],
			 100 * expm1(o.best_gain), o.best->number);
		any = true;
	}
	effects_list(out, &r->effects, false, "Not tried lately: ", &any);
	buf_adds(out, any ? ".\n" : "");
}

static void add_worn_out(struct buf *out, const struct run_review *r)
{
	bool any = false;

	for (size_t g = 0; g < r->n_groups; g++) {
		struct idea_outcome o = outcome_of(r, g);

		if (!o.lately)
			continue;
		buf_addf(out, "%s%s (%zu)",
			 any ? ", " : "Tried lately without a gain: ",
			 r->name[g], o.lately);
		any = true;
	}
	effects_list(out, &r->effects, true,
		     "Tried lately without a gain: ", &any);
	buf_adds(out, any ? ".\n" : "");
}

void review_write(struct buf *out, const struct population *p, size_t lately)
{
	CLEANUP(run_review) struct run_review r = {.p = p};

	gather(&r);
	if (!r.n)
		return;
	r.lately = MIN(lately, r.n);
	group(&r);
	add_tried(out, &r);
	add_failed(out, &r);
	add_worn_out(out, &r);
	add_left_alone(out, &r);
}
