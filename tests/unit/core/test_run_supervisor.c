/* The supervisor, on trajectories written as strings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "core/run/branching.h"
#include "core/run/review.h"
#include "core/run/selection.h"
#include "core/run/supervisor.h"
#include "core/run/trajectory.h"
#include "core/base/utf8.h"

/* ---- a run that is played from a script --------------------------------- */

/* A letter an attempt, 10 s each, in the newest lineage:
 *   +      a gain of 5 percent: accepted, and the champion
 *   ^      a gain in its own lineage only: accepted
 *   .      right, another kernel than any before, no gain
 *   a to m right, no gain, always the same kernel for the same letter
 *   n to s the same, other sources every time but the same machine code
 *   A to H it fails with the letter's error, whatever numbers are in it
 *   !      it fails with an error of its own
 *   ~      no attempt, but ten minutes of work
 *   /      the process ends here and another one resumes
 */
struct play {
	struct population p;
	struct supervisor s;
	struct random random;
	char *journal[1024]; /* JSON, as on disk */
	size_t n_entries;
	double spent;
	int64_t time;
	size_t fresh;	/* makes what is new every time */
	char said[512]; /* "stall@12 cycle@20" */
	struct dead_ends *dead_ends;
};

static const struct supervisor_rules usual = SUPERVISOR_RULES_DEFAULT;

static void record(struct play *y, struct entry *e)
{
	cleanup_json struct json *j = NULL;

	e->time_us = ++y->time;
	e->spent_seconds = y->spent;
	j = journal_to_json(e);
	assert_true(y->n_entries < ARRAY_SIZE(y->journal));
	y->journal[y->n_entries++] = json_print(j);
	population_apply(&y->p, e);
}

static void resume(struct play *y)
{
	population_release(&y->p);
	population_init(&y->p);
	for (size_t i = 0; i < y->n_entries; i++) {
		cleanup_json struct json *j = NULL;
		cleanup_entry struct entry e;

		entry_init(&e, ENTRY_STOP, "r");
		assert_null(
			json_parse(&j, y->journal[i], strlen(y->journal[i])));
		assert_null(journal_from_json(&e, j));
		population_apply(&y->p, &e);
	}
}

static void make_id(struct commit_id *id, size_t n)
{
	snprintf(id->hex, COMMIT_ID_LEN + 1, "%040zx", n + 1);
}

static struct measurement *outcome(struct play *y, char letter)
{
	struct measurement *m = measurement_new();
	size_t fresh = y->fresh++;

	snprintf(m->identity.sources, sizeof m->identity.sources, "s%zu",
		 fresh);
	if (letter == '!') {
		measurement_fail(m, VERDICT_WRONG, "%c%c: output is wrong",
				 'a' + (char)(fresh % 26),
				 'a' + (char)(fresh / 26 % 26));
	} else if (letter >= 'A' && letter <= 'H') {
		measurement_fail(m, VERDICT_BUILD_FAILED,
				 "kernel.c:%zu:9: error %c at 0x%zx%s", fresh,
				 letter, 4096 + fresh, "\nand more");
	} else if (letter >= 'a' && letter <= 'm') {
		snprintf(m->identity.sources, sizeof m->identity.sources, "%c",
			 letter);
	} else if (letter >= 'n' && letter <= 's') {
		measurement_set(m, "code", (char[]){letter, '\0'});
	}
	return m;
}

static bool is_right(const struct measurement *m)
{
	return m->verdict == VERDICT_PASS;
}

static void compare(struct measurement *m, const struct attempt *rival,
		    double ratio)
{
	measurement_add_comparison(m, RIVAL_INCUMBENT, rival->id.hex)->ratio =
		ratio;
}

static void add_attempt(struct play *y, char letter, const char *subject,
			const char *hypothesis, double ratio)
{
	const struct lineage *l = &y->p.lineage[y->p.n_lineages - 1];
	const struct attempt *tip = &y->p.attempt[l->tip];
	cleanup_entry struct entry a, m, c;

	entry_init(&a, ENTRY_ATTEMPT, "r");
	make_id(&a.candidate, y->p.n);
	a.parent = tip->id;
	a.number = (int64_t)y->p.n;
	a.lineage = l->number;
	a.subject = xstrdup_null(subject);
	a.hypothesis = xstrdup_null(hypothesis);
	entry_init(&m, ENTRY_MEASUREMENT, "r");
	m.candidate = a.candidate;
	m.accepted = letter == '+' || letter == '^';
	m.measurement = outcome(y, letter);
	if (is_right(m.measurement))
		compare(m.measurement, tip, ratio);
	record(y, &a);
	y->spent += 10;
	record(y, &m);
	entry_init(&c, ENTRY_CROWN, "r");
	c.candidate = a.candidate;
	if (letter == '+')
		record(y, &c);
}

static void begin(struct play *y, const struct supervisor_rules *rules)
{
	cleanup_entry struct entry run, m;

	*y = (struct play){.s = {.rules = *rules}};
	random_init(&y->random, 7);
	population_init(&y->p);
	entry_init(&run, ENTRY_RUN, "r");
	make_id(&run.base, 0);
	record(y, &run);
	entry_init(&m, ENTRY_MEASUREMENT, "r");
	make_id(&m.candidate, 0);
	m.measurement = outcome(y, '.');
	m.accepted = true;
	y->spent = 60;
	record(y, &m);
}

static void end(struct play *y)
{
	population_release(&y->p);
	for (size_t i = 0; i < y->n_entries; i++)
		free(y->journal[i]);
}

static void look(struct play *y, struct intervention *out)
{
	const struct situation now = {.population = &y->p,
				      .spent_seconds = y->spent,
				      .dead_ends = y->dead_ends};

	assert_null(supervisor_review(out, &y->s, &now, &y->random));
}

/* What the loop does before a step. */
static void supervise(struct play *y)
{
	cleanup_intervention struct intervention i = {0};
	cleanup_entry struct entry e = {0};
	size_t len = strlen(y->said);

	look(y, &i);
	if (i.trigger == TRIGGER_NONE)
		return;
	assert_true(branching_allowed(&y->p, i.parent));
	assert_non_null(i.direction);
	assert_null(strchr(i.reason, '\n'));
	intervention_entry(&e, &i, &y->p);
	assert_true(starts_with(i.reason, e.trigger));
	record(y, &e);
	snprintf(y->said + len, sizeof y->said - len, "%s%s@%zu",
		 len ? " " : "", e.trigger, y->p.n - 1);
}

static void play(struct play *y, const char *script)
{
	for (const char *c = script; *c; c++) {
		if (*c == '~')
			y->spent += 600;
		else if (*c == '/')
			resume(y);
		else
			add_attempt(y, *c, "a change", NULL,
				    *c == '+' || *c == '^' ? 1.05 : 0.99);
		supervise(y);
	}
}

/* ---- when it speaks ------------------------------------------------------ */

static void speaks_on_a_stall_or_a_circle_and_else_is_silent(void **state)
{
	static const struct {
		const char *what, *script, *said;
	} runs[] = {
		{"improving", "++++++++++++++++++++++++++++++", ""},
		{"improving slowly", "..+...+.....+...........+..........+",
		 ""},
		{"improving in its lineage", "..^...^.....^...........^", ""},
		{"improving between failures", "!!!!+!!!!!!!+!!+AA+AA+", ""},
		{"slow but improving", "+~~+~~+~~+", ""},
		{"too early", "...........", ""},
		{"stalling at once", "............", "stall@12"},
		{"stalling", "+++............", "stall@15"},
		{"stalling for long", "+.....................................",
		 "stall@13 stall@25 stall@37"},
		{"a stall that it overcame", "............+...........+",
		 "stall@12"},
		{"the same error three times", "..AAA", "same-error@5"},
		{"the same error twice", "..AA.AA.AA", ""},
		{"three errors", "..ABC", ""},
		{"to and fro between two kernels", ".abab", "cycle@5"},
		{"to and fro between two errors", ".ABAB", "cycle@5"},
		{"a kernel and an error in turn", "aAaA", "cycle@4"},
		{"three in a circle", "ABCABC", "cycle@6"},
		{"four in a circle", "ABCDABCD", "cycle@8"},
		{"one and a half circles", "ABCAB", ""},
		{"the same tree again and again", "aaaa", "cycle@4"},
		{"the same machine code again", "nnnn", "cycle@4"},
		{"what was measured long ago", "ab......cab", ""},
		{"and more of that", "abc.....+cba", "cycle@12"},
		{"failures only", "!!!!!!!!", "failures@8"},
		{"failures but one", "!!!!!!!.", ""},
		{"thirty minutes without a gain", "...~~.~", "patience@4"},
		{"thirty minutes, hardly an attempt", "..~~~~", ""},
		{"a chance for the new lineage", "AAAAAAAA", "same-error@3"},
		{"its chance is over", "AAAAAAAAA",
		 "same-error@3 same-error@9"},
		{"resumed right after it spoke", "............/", "stall@12"},
		{"resumed before the stall", "......./....", ""},
		{"resumed: what came before counts", "......./.....",
		 "stall@12"},
		{"resumed: the new lineage has its chance", "AAA/AAAAA",
		 "same-error@3"},
		{"resumed: so does patience", "...~~/~", "patience@3"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
		struct play *y = xcalloc(1, sizeof *y);

		begin(y, &usual);
		play(y, runs[i].script);
		if (!str_eq(y->said, runs[i].said))
			fail_msg("%s, %s: said '%s', not '%s'", runs[i].what,
				 runs[i].script, y->said, runs[i].said);
		end(y);
		free(y);
	}
}

/* It varies what is declared: what was said is true of a second stall, too. */
static void repeats_itself_seldom_where_a_search_goes_on(void **state)
{
	struct play *y = xcalloc(1, sizeof *y);

	(void)state;
	begin(y, &usual);
	y->s.searches = true;
	play(y, "....................................");
	assert_string_equal(y->said, "stall@12");
	play(y, "........................");
	assert_string_equal(y->said, "stall@12 stall@60");
	play(y, "+............");
	assert_string_equal(y->said, "stall@12 stall@60 stall@73");
	end(y);
	free(y);
}

static void follows_the_rules_it_is_given(void **state)
{
	static const struct {
		struct supervisor_rules rules;
		const char *script, *said;
	} runs[] = {
		{{.stall = 3}, "...", "stall@3"},
		{{.stall = 30}, "............................", ""},
		{{.stall = 30, .patience = 1200}, "...~~", "patience@3"},
		{{.stall = 30}, "...~~~~~~~~~~~~~~", ""},
		{{.stall = 0, .patience = 60}, "AAAAAAAA~ababab~....", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
		struct play *y = xcalloc(1, sizeof *y);

		begin(y, &runs[i].rules);
		play(y, runs[i].script);
		assert_string_equal(y->said, runs[i].said);
		end(y);
		free(y);
	}
}

static void counts_what_came_since_the_news(void **state)
{
	static const struct {
		const char *script;
		size_t attempts, failures, same_error, repeats, period;
	} runs[] = {
		{"..+", 0, 0, 0, 0, 0},	   {"+..!!", 4, 2, 1, 0, 0},
		{"+.AA", 3, 2, 2, 0, 0},   {"aaaa", 4, 0, 0, 3, 0},
		{"AAAA", 4, 4, 4, 0, 0},   {"abab", 4, 0, 0, 2, 2},
		{"AAB+AB", 2, 2, 1, 0, 0}, {"nn.", 3, 0, 0, 0, 0},
		{".nn", 3, 0, 0, 1, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
		struct play *y = xcalloc(1, sizeof *y);
		struct trajectory t;

		begin(y, &(struct supervisor_rules){.stall = 0});
		play(y, runs[i].script);
		trajectory_read(&t, &y->p, y->spent + 5);
		assert_int_equal(t.attempts, runs[i].attempts);
		assert_int_equal(t.failures, runs[i].failures);
		assert_int_equal(t.same_error, runs[i].same_error);
		assert_int_equal(t.repeats, runs[i].repeats);
		assert_int_equal(t.period, runs[i].period);
		assert_true(t.seconds == 10 * (double)t.attempts + 5);
		end(y);
		free(y);
	}
}

static char *error_of(const char *why)
{
	cleanup_measurement struct measurement *m = measurement_new();

	measurement_fail(m, VERDICT_WRONG, "%s", why);
	return trajectory_error(m);
}

static void knows_the_same_error_by_its_words(void **state)
{
	static const struct {
		const char *a, *b;
		bool same;
	} pairs[] = {
		{"k.c:3:9: expected ';'", "k.c:14:1: expected ';'", true},
		{"k.c:3: expected ';'", "k.c:3: expected ')'", false},
		{"at 0x7ffe12ab", "at 0x55d0", true},
		{"y[12] is -1.5e-05, not 3", "y[7] is 2, not 1.25E+3", true},
		{"out of memory\n1", "out of memory\n2", true},
		{"tile64 spills", "tile128 spills", true},
		{"tile64 spills", "tail64 spills", false},
		{"", "", true},
		{"-", "+", false},
		{"9", "10.", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		cleanup_free char *a = error_of(pairs[i].a);
		cleanup_free char *b = error_of(pairs[i].b);

		if (str_eq(a, b) != pairs[i].same)
			fail_msg("'%s' and '%s'", a, b);
	}
}

/* ---- where it begins again ------------------------------------------------ */

static size_t parent_by_seed(struct play *y, uint64_t seed)
{
	struct random r;
	size_t parent;

	random_init(&r, seed);
	assert_null(branching_choose(&parent, &y->p, y->dead_ends, &r));
	return parent;
}

static void begins_at_an_accepted_candidate_that_is_not_the_tip(void **state)
{
	struct play *y = xcalloc(1, sizeof *y);

	(void)state;
	begin(y, &usual);
	play(y, "+.!+A.+............^.^.");
	assert_int_equal(y->p.n_lineages, 2);
	for (uint64_t seed = 1; seed <= 100; seed++) {
		size_t parent = parent_by_seed(y, seed);

		assert_true(branching_allowed(&y->p, parent));
		assert_int_not_equal(parent, y->p.champion);
		assert_int_not_equal(parent, y->p.lineage[1].tip);
		assert_int_equal(parent, parent_by_seed(y, seed));
	}
	end(y);
	free(y);
}

static void begins_at_the_start_where_nothing_was_gained(void **state)
{
	struct play *y = xcalloc(1, sizeof *y);

	(void)state;
	begin(y, &usual);
	play(y, ".!..");
	assert_int_equal(parent_by_seed(y, 1), 0);
	end(y);
	free(y);
}

/* Attempt 1 tripled the speed, 2 to 8 added hardly anything. */
static void prefers_where_an_idea_paid(void **state)
{
	struct play *y = xcalloc(1, sizeof *y);
	size_t chosen[16] = {0};

	(void)state;
	begin(y, &usual);
	add_attempt(y, '+', "tile", NULL, 3);
	for (int i = 0; i < 7; i++)
		add_attempt(y, '+', "nudge", NULL, 1.001);
	for (uint64_t seed = 1; seed <= 400; seed++)
		chosen[parent_by_seed(y, seed)]++;
	assert_int_equal(chosen[8], 0);
	for (size_t i = 0; i < 8; i++)
		assert_true(i == 1 || chosen[i] < chosen[1]);
	end(y);
	free(y);
}

static void seldom_begins_twice_at_one_place(void **state)
{
	struct play *y = xcalloc(1, sizeof *y);
	size_t n = 0;

	(void)state;
	begin(y, &usual);
	play(y, "++++++++............");
	for (uint64_t seed = 1; seed <= 200; seed++)
		n += parent_by_seed(y, seed) == y->p.lineage[1].root;
	assert_int_equal(y->p.n_lineages, 2);
	assert_true(n < 20);
	end(y);
	free(y);
}

static size_t select_lineage(struct play *y, size_t live)
{
	size_t lineage;

	assert_null(selection_choose(&lineage, &y->p, live, y->dead_ends,
				     &y->random, (struct island){0}));
	return lineage;
}

static void older_lineages_rest(void **state)
{
	struct play *y = xcalloc(1, sizeof *y);
	size_t chosen[8] = {0};

	(void)state;
	begin(y, &(struct supervisor_rules){.stall = 12});
	play(y, "++..........................................................");
	assert_int_equal(y->p.n_lineages, 5);
	for (int i = 0; i < 1000; i++)
		chosen[select_lineage(y, 3)]++;
	assert_true(chosen[0] > 100 && chosen[3] > 10 && chosen[4] > 10);
	assert_int_equal(chosen[1] + chosen[2], 0);
	end(y);
	free(y);
}

static void a_hand_goes_on_with_what_it_has(void **state)
{
	struct play *y = xcalloc(1, sizeof *y);
	const struct commit_id other = {"none of these"};
	size_t chosen;

	(void)state;
	begin(y, &(struct supervisor_rules){.stall = 12});
	play(y, "++..............................+...............");
	assert_true(y->p.n_lineages > 2);
	for (size_t i = 0; i < y->p.n_lineages; i++) {
		size_t tip = y->p.lineage[i].tip;
		const struct commit_id *id = &y->p.attempt[tip].id;

		chosen = selection_of_tip(&y->p, id);
		assert_int_equal(y->p.lineage[chosen].tip, tip);
	}
	chosen = selection_of_tip(&y->p, &other);
	assert_int_equal(y->p.lineage[chosen].number,
			 y->p.attempt[y->p.champion].lineage);
	end(y);
	free(y);
}

/* An operator that can vary the attempts whose bit is set. */
struct picky {
	struct variation_operator operator_; /* first: cast back */
	struct archive archive;
	struct dead_ends dead_ends;
	uint64_t varies;
	size_t asked;
};

/* The candidate's one file is its number. */
static struct error *load_number(struct archive *a UNUSED,
				 struct candidate *out, const char *id)
{
	char number = (char)(strtoul(id, NULL, 16) - 1);

	return fileset_put(&out->files, "number", &number, 1, false);
}

static struct error *check_number(struct variation_operator *self,
				  const struct fileset *files)
{
	struct picky *k = (struct picky *)self;

	k->asked++;
	if (k->varies >> files->file[0].data[0] & 1)
		return NULL;
	return error_new(ERROR_REFUSED, "not this one");
}

static void be_picky(struct play *y, struct picky *k, uint64_t varies)
{
	*k = (struct picky){.operator_.check = check_number,
			    .archive.load = load_number,
			    .varies = varies};
	k->dead_ends.operator_ = &k->operator_;
	k->dead_ends.archive = &k->archive;
	y->dead_ends = &k->dead_ends;
}

static void no_parent_is_one_that_the_operator_cannot_vary(void **state)
{
	static const struct {
		uint64_t varies;
		size_t parent;
	} last_resorts[] = {
		{1 << 0 | 1 << 2, 0},
		{1 << 2, 2}, /* the champion, where there is no other */
		{1 << 4, BRANCHING_NONE},
		{0, BRANCHING_NONE},
	};
	struct play *y = xcalloc(1, sizeof *y);
	struct picky k;

	(void)state;
	begin(y, &(struct supervisor_rules){.stall = 0});
	play(y, "++..........");
	for (size_t i = 0; i < ARRAY_SIZE(last_resorts); i++) {
		be_picky(y, &k, last_resorts[i].varies);
		for (uint64_t seed = 1; seed <= 50; seed++)
			assert_int_equal(parent_by_seed(y, seed),
					 last_resorts[i].parent);
		assert_true(k.asked <= 3);
		dead_end_release(&k.dead_ends);
	}
	end(y);
	free(y);
}

static void with_no_parent_left_it_is_silent(void **state)
{
	struct play *y = xcalloc(1, sizeof *y);
	struct picky k;

	(void)state;
	begin(y, &usual);
	be_picky(y, &k, 0);
	play(y, "++....................");
	assert_string_equal(y->said, "");
	dead_end_release(&k.dead_ends);
	end(y);
	free(y);
}

/* Lineages 1 to 5, whose tips are 0 (the champion 2), and where they began. */
static void a_barren_lineage_is_as_if_it_was_not_there(void **state)
{
	struct play *y = xcalloc(1, sizeof *y);
	size_t chosen[8] = {0};
	struct picky k;

	(void)state;
	begin(y, &(struct supervisor_rules){.stall = 12});
	play(y, "++..........................................................");
	assert_int_equal(y->p.n_lineages, 5);
	be_picky(y, &k, 1 << 2);
	for (int i = 0; i < 200; i++)
		chosen[select_lineage(y, 3)]++;
	assert_int_equal(chosen[0], 200);
	dead_end_release(&k.dead_ends);

	be_picky(y, &k, ~(uint64_t)(1 << 2));
	for (int i = 0; i < 200; i++)
		assert_int_not_equal(select_lineage(y, 1), 0);
	dead_end_release(&k.dead_ends);

	be_picky(y, &k, 0);
	assert_int_equal(select_lineage(y, 3), SELECTION_NONE);
	dead_end_release(&k.dead_ends);
	end(y);
	free(y);
}

/* ---- what it says --------------------------------------------------------- */

static void tells_what_was_tried_what_it_gave_and_what_failed(void **state)
{
	static const char *const parts[] = {
		"- unroll, 4 attempts: best +10.0 % (#1 \"unroll by 4\"), "
		"worst -20.0 % (#3 \"unroll by 16\"); 1 failed",
		"- prefetch, 2 attempts: best +2.0 % (#5 \"prefetch a row\", "
		"undecided)",
		"- all else, 1 attempt",
		"Failed: 2 of 7. Most often:",
		"- 2x build-failed: kernel.c:",
		"Tried lately without a gain: prefetch (2).",
		"Not tried lately: unroll (best +10.0 %, #1).",
	};
	struct play *y = xcalloc(1, sizeof *y);
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	begin(y, &usual);
	add_attempt(y, '+', "unroll by 4", NULL, 1.1);
	add_attempt(y, '.', "Unroll more: by 8", NULL, 0.9);
	add_attempt(y, '.', "unroll by 16", NULL, 0.8);
	add_attempt(y, 'A', "unroll by 32", NULL, 1);
	add_attempt(y, '.', "prefetch a row", NULL, 1.02);
	add_attempt(y, 'A', "again", "prefetch earlier", 1);
	add_attempt(y, '.', "prefetch two rows", NULL, 0.95);
	review_write(&out, &y->p, 3);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (!strstr(out.data, parts[i]))
			fail_msg("'%s' is not in\n%s", parts[i], out.data);
	end(y);
	free(y);
}

static void groups_by_the_hypothesis_what_the_subject_does_not_tell(
	void **state)
{
	struct play *y = xcalloc(1, sizeof *y);
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	begin(y, &usual);
	add_attempt(y, '.', "try 1", "swizzle the rows", 0.9);
	add_attempt(y, '.', "try 2", "another Swizzle", 0.8);
	review_write(&out, &y->p, 2);
	assert_non_null(strstr(out.data, "- swizzle, 2 attempts"));
	end(y);
	free(y);
}

/* The words of the tuner's own sentences are nothing that was tried. */
static void attempts_of_the_tuner_are_grouped_by_their_tunables(void **state)
{
	static const char why[] = "Chosen for its expected improvement: a "
				  "neighbour of the best point so far. Not "
				  "tried before.";
	struct play *y = xcalloc(1, sizeof *y);
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	begin(y, &usual);
	add_attempt(y, '.', "MR 4 -> 6", why, 0.9);
	add_attempt(y, '.', "KC 64 -> 32", why, 0.9);
	add_attempt(y, '.', "MR 4 -> 8", why, 0.8);
	add_attempt(y, '.', "flags -O2 -> -O3", why, 0.9);
	review_write(&out, &y->p, 4);
	assert_non_null(
		strstr(out.data, "- MR, 2 attempts, beside 4: best 6 "));
	assert_non_null(strstr(out.data, "- flags, 1 attempt, beside -O2: "
					 "-O3 "));
	assert_null(strstr(out.data, "all else"));
	end(y);
	free(y);
}

/* As one value lost a third wherever it was, beside whatever else. */
static void what_one_setting_loses_is_not_said_of_another(void **state)
{
	static const char *const parts[] = {
		"- flags, 4 attempts, beside -O2: -O3 -march=native -3",
		"- chunk, 4 attempts, beside 64: best 128 +4.",
		", worst 32 -0.",
		"- unroll, 1 attempt: 1 failed",
		"Tried lately without a gain: chunk (2), unroll (1).",
		"Not tried lately: flags.",
	};
	struct play *y = xcalloc(1, sizeof *y);
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	begin(y, &usual);
	add_attempt(y, '.', "flags -O2 -> -O3 -march=native", NULL, 0.68);
	add_attempt(y, '.', "chunk 64 -> 128, flags -O2 -> -O3 -march=native",
		    NULL, 0.71);
	add_attempt(y, '.', "flags -O2 -> -O3 -march=native", NULL, 0.67);
	add_attempt(y, '.', "chunk 64 -> 32, flags -O2 -> -O3 -march=native",
		    NULL, 0.68);
	add_attempt(y, '.', "chunk 64 -> 128", NULL, 1.05);
	add_attempt(y, 'A', "unroll 1 -> 4", NULL, 1);
	add_attempt(y, '.', "chunk 64 -> 32", NULL, 0.99);
	review_write(&out, &y->p, 3);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (!strstr(out.data, parts[i]))
			fail_msg("'%s' is not in\n%s", parts[i], out.data);
	end(y);
	free(y);
}

static void a_search_is_told_nothing_to_do(void **state)
{
	struct play *y = xcalloc(1, sizeof *y);
	const char *direction;

	(void)state;
	begin(y, &usual);
	y->s.searches = true;
	play(y, "+............/");
	direction = y->p.lineage[1].direction;
	assert_non_null(strstr(direction, "The search goes on by itself."));
	assert_null(strstr(direction, "find what limits"));
	end(y);
	free(y);
}

static void only_who_can_profile_is_told_to(void **state)
{
	(void)state;
	for (int can = 0; can <= 1; can++) {
		struct play *y = xcalloc(1, sizeof *y);
		const char *direction;

		begin(y, &usual);
		y->s.can_profile = can;
		play(y, "+............/");
		direction = y->p.lineage[1].direction;
		assert_non_null(strstr(direction, "find what limits"));
		assert_true(!strstr(direction, "profile") == !can);
		end(y);
		free(y);
	}
}

static void the_operator_sees_why_and_what_to_do(void **state)
{
	struct play *y = xcalloc(1, sizeof *y);
	const char *direction;

	(void)state;
	begin(y, &usual);
	play(y, "++AAA/");
	direction = y->p.lineage[1].direction;
	assert_non_null(strstr(direction, "3 times in a row the same error"));
	assert_non_null(strstr(direction, "build-failed, kernel.c:"));
	assert_non_null(strstr(direction, "Tried so far"));
	assert_non_null(strstr(direction, "Leave the change"));
	assert_true(starts_with(direction, y->p.lineage[1].reason));
	end(y);
	free(y);
}

static void a_speed_is_named_in_plain_figures(void **state)
{
	static const struct {
		double speed;
		const char *text;
	} table[] = {
		{0.5, "attempt 4 (0.50x the start)"},
		{1.314, "attempt 4 (1.31x the start)"},
		{2345.678, "attempt 4 (2345.68x the start)"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const struct attempt a = {.number = 4,
					  .gain = log(table[i].speed)};
		cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

		review_name(&out, &a);
		assert_string_equal(out.data, table[i].text);
	}
}

static void an_entry_has_trigger_figures_and_text(void **state)
{
	struct play *y = xcalloc(1, sizeof *y);
	cleanup_intervention struct intervention i = {0};
	cleanup_entry struct entry e = {0}, read;
	cleanup_json struct json *j = NULL;

	(void)state;
	begin(y, &usual);
	y->s.rules.stall = 0;
	play(y, "+............");
	y->s.rules.stall = 12;
	look(y, &i);
	intervention_entry(&e, &i, &y->p);
	j = journal_to_json(&e);
	assert_null(journal_from_json(&read, j));
	assert_string_equal(read.trigger, "stall");
	assert_string_equal(read.direction, i.direction);
	assert_string_equal(read.reason, i.reason);
	assert_int_equal(read.stalled_attempts, 12);
	assert_true(fabs(read.stalled_seconds - 120) < 1e-9);
	assert_int_equal(read.new_lineage, 2);
	end(y);
	free(y);
}

static void what_candidates_say_is_bounded_and_clean(void **state)
{
	struct play *y = xcalloc(1, sizeof *y);
	cleanup_free char *huge = xcalloc(1 << 20, 1);
	cleanup_intervention struct intervention i = {0};

	(void)state;
	begin(y, &usual);
	memset(huge, 'w', (1 << 20) - 1);
	memcpy(huge, "a\033[2J\xff\xc3(\n\x9f b", 11);
	y->s.rules.stall = 0;
	for (int n = 0; n < 12; n++)
		add_attempt(y, n % 2 ? '!' : '^', huge, huge, 1.5);
	y->s.rules.stall = 2;
	for (int n = 0; n < 3; n++)
		add_attempt(y, '.', huge, huge, 1);
	look(y, &i);
	assert_int_equal(i.trigger, TRIGGER_STALL);
	assert_true(strlen(i.reason) <= 1000);
	assert_true(strlen(i.direction) <= 6000);
	for (const char *c = i.direction; *c; c++)
		assert_true((unsigned char)*c >= ' ' || *c == '\n');
	end(y);
	free(y);
}

/* ---- an advisor ------------------------------------------------------------ */

struct adviser {
	struct advisor advisor; /* first: cast back */
	const char *direction;	/* NULL: no idea */
	size_t parent;		/* SIZE_MAX: the rule's */
	enum error_code fails;	/* 0: it does not */
	size_t asked, offered;
	bool had_review, had_trouble;
};

static struct error *advise(struct advisor *self, struct advice *out,
			    const struct question *q)
{
	struct adviser *a = (struct adviser *)self;

	a->asked++;
	a->offered = q->parent;
	a->had_review = strstr(q->review, "Tried so far") != NULL;
	a->had_trouble = strstr(q->trouble, "stall: 12 attempts") != NULL;
	if (a->fails)
		return error_new(a->fails, "nobody is at home");
	out->direction = xstrdup_null(a->direction);
	if (a->parent != SIZE_MAX)
		out->parent = a->parent;
	return NULL;
}

/* "+.+." and then a stall: 0, 1 and 3 are accepted. */
static void consult(struct intervention *out, struct adviser *a)
{
	struct play *y = xcalloc(1, sizeof *y);

	a->advisor = (struct advisor){.name = "an elder", .advise = advise};
	begin(y, &usual);
	y->s.advisor = &a->advisor;
	play(y, "+.+...........");
	assert_int_equal(a->asked, 0);
	add_attempt(y, '.', "a change", NULL, 0.99);
	look(y, out);
	end(y);
	free(y);
}

static void an_advisor_gives_direction_and_parent(void **state)
{
	cleanup_intervention struct intervention i = {0};
	struct adviser a = {.direction = "go by columns", .parent = 1};

	(void)state;
	consult(&i, &a);
	assert_int_equal(a.asked, 1);
	assert_true(a.had_review && a.had_trouble);
	assert_string_equal(i.direction, "go by columns");
	assert_int_equal(i.parent, 1);
	assert_non_null(strstr(i.reason, "attempt 1"));
	assert_non_null(strstr(i.reason, ", as an elder advised"));
}

/* The advice was for another attempt: none of it is followed. */
static void advice_to_begin_at_what_was_not_accepted_is_none(void **state)
{
	static const size_t bad[] = {2, 5, 16, 1000000, SIZE_MAX - 1};

	(void)state;
	for (size_t n = 0; n < ARRAY_SIZE(bad); n++) {
		cleanup_intervention struct intervention i = {0};
		struct adviser a = {.direction = "go", .parent = bad[n]};

		consult(&i, &a);
		assert_int_equal(i.parent, a.offered);
		assert_non_null(strstr(i.direction, "Tried so far"));
		assert_non_null(strstr(i.reason,
				       "by rule, since an elder gave no "
				       "advice: it names no accepted attempt"));
	}
}

static void an_advised_parent_that_cannot_be_varied_is_none(void **state)
{
	struct play *y = xcalloc(1, sizeof *y);
	cleanup_intervention struct intervention i = {0};
	struct adviser a = {
		.advisor.advise = advise, .direction = "go", .parent = 1};
	struct picky k;

	(void)state;
	begin(y, &(struct supervisor_rules){.stall = 0});
	play(y, "+.+............");
	y->s = (struct supervisor){.rules = {.stall = 12},
				   .advisor = &a.advisor};
	be_picky(y, &k, ~(uint64_t)(1 << 1));
	look(y, &i);
	assert_int_equal(a.asked, 1);
	assert_int_equal(i.parent, 0);
	assert_string_not_equal(i.direction, "go");
	dead_end_release(&k.dead_ends);
	end(y);
	free(y);
}

static void without_advice_the_rule_decides(void **state)
{
	static const char *const nothing[] = {NULL, "", " \n\t"};

	(void)state;
	for (size_t n = 0; n < ARRAY_SIZE(nothing); n++) {
		cleanup_intervention struct intervention i = {0};
		struct adviser a = {.direction = nothing[n], .parent = 1};

		consult(&i, &a);
		assert_int_equal(i.parent, a.offered);
		assert_non_null(strstr(i.reason, "it has no idea"));
		assert_non_null(strstr(i.direction, "Tried so far"));
	}
}

static void an_advisor_that_fails_does_not_stop_the_run(void **state)
{
	cleanup_intervention struct intervention i = {0};
	struct adviser a = {.fails = ERROR_SYSTEM, .parent = SIZE_MAX};

	(void)state;
	consult(&i, &a);
	assert_int_equal(i.trigger, TRIGGER_STALL);
	assert_non_null(strstr(i.direction, "Tried so far"));
	assert_non_null(strstr(i.reason, "no advice: nobody is at home"));
}

static void an_interrupted_advisor_ends_the_step(void **state)
{
	struct play *y = xcalloc(1, sizeof *y);
	cleanup_intervention struct intervention i = {0};
	struct adviser a = {.advisor.advise = advise,
			    .fails = ERROR_INTERRUPTED};
	const struct situation now = {.population = &y->p};
	cleanup_error struct error *err = NULL;

	(void)state;
	begin(y, &(struct supervisor_rules){.stall = 0});
	play(y, "....");
	y->s = (struct supervisor){.rules = {.stall = 2},
				   .advisor = &a.advisor};
	err = supervisor_review(&i, &y->s, &now, &y->random);
	assert_true(error_is(err, ERROR_INTERRUPTED));
	end(y);
	free(y);
}

static void advice_is_cut_between_characters(void **state)
{
	cleanup_free char *text = xcalloc(20001, 1);
	cleanup_intervention struct intervention i = {0};
	struct adviser a = {.direction = text, .parent = SIZE_MAX};

	(void)state;
	for (size_t n = 0; n + 3 <= 20000; n += 3)
		memcpy(text + n, "\xe2\x82\xac", 3);
	memcpy(text, "\xff", 1);
	consult(&i, &a);
	assert_true(strlen(i.direction) > 1000 && strlen(i.direction) <= 6000);
	for (size_t n = 0, len; i.direction[n]; n += len) {
		len = utf8_len(i.direction + n, strlen(i.direction + n));
		assert_true(len > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			speaks_on_a_stall_or_a_circle_and_else_is_silent),
		cmocka_unit_test(repeats_itself_seldom_where_a_search_goes_on),
		cmocka_unit_test(follows_the_rules_it_is_given),
		cmocka_unit_test(counts_what_came_since_the_news),
		cmocka_unit_test(knows_the_same_error_by_its_words),
		cmocka_unit_test(
			begins_at_an_accepted_candidate_that_is_not_the_tip),
		cmocka_unit_test(begins_at_the_start_where_nothing_was_gained),
		cmocka_unit_test(prefers_where_an_idea_paid),
		cmocka_unit_test(seldom_begins_twice_at_one_place),
		cmocka_unit_test(older_lineages_rest),
		cmocka_unit_test(a_hand_goes_on_with_what_it_has),
		cmocka_unit_test(
			no_parent_is_one_that_the_operator_cannot_vary),
		cmocka_unit_test(with_no_parent_left_it_is_silent),
		cmocka_unit_test(a_barren_lineage_is_as_if_it_was_not_there),
		cmocka_unit_test(
			tells_what_was_tried_what_it_gave_and_what_failed),
		cmocka_unit_test(
			groups_by_the_hypothesis_what_the_subject_does_not_tell),
		cmocka_unit_test(
			attempts_of_the_tuner_are_grouped_by_their_tunables),
		cmocka_unit_test(what_one_setting_loses_is_not_said_of_another),
		cmocka_unit_test(a_search_is_told_nothing_to_do),
		cmocka_unit_test(only_who_can_profile_is_told_to),
		cmocka_unit_test(the_operator_sees_why_and_what_to_do),
		cmocka_unit_test(a_speed_is_named_in_plain_figures),
		cmocka_unit_test(an_entry_has_trigger_figures_and_text),
		cmocka_unit_test(what_candidates_say_is_bounded_and_clean),
		cmocka_unit_test(an_advisor_gives_direction_and_parent),
		cmocka_unit_test(
			advice_to_begin_at_what_was_not_accepted_is_none),
		cmocka_unit_test(
			an_advised_parent_that_cannot_be_varied_is_none),
		cmocka_unit_test(without_advice_the_rule_decides),
		cmocka_unit_test(an_advisor_that_fails_does_not_stop_the_run),
		cmocka_unit_test(an_interrupted_advisor_ends_the_step),
		cmocka_unit_test(advice_is_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
