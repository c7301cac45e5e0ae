/* The branches of a run that several processes of one clone move. */
#include <unistd.h>

#include "tests/unit/gitstore/archive_world.h"

struct told {
	struct population p;
	struct commit_id id[3];
};

static void record(struct world *w, struct population *p, struct entry *e)
{
	e->time_us = p->time_us + 1;
	population_apply(p, e);
	assert_null(w->archive->append(w->archive, e, p));
}

static void measure(struct world *w, struct told *t, int64_t number)
{
	cleanup_entry struct entry e;

	entry_init(&e, ENTRY_MEASUREMENT, "gemm");
	e.candidate = t->id[number];
	e.number = number;
	e.accepted = true;
	e.measurement = measurement_new();
	record(w, &t->p, &e);
}

static void begin_run(struct world *w, struct told *t)
{
	cleanup_entry struct entry e;

	population_init(&t->p);
	t->id[0] = w->base;
	entry_init(&e, ENTRY_RUN, "gemm");
	e.base = e.candidate = w->base;
	e.task_path = xstrdup("avogit.yaml");
	record(w, &t->p, &e);
	measure(w, t, 0);
}

/* The next attempt, which wins the crown. */
static void win(struct world *w, struct told *t, int64_t number)
{
	cleanup_free char *text = xasprintf("int k%d;\n", (int)number);
	cleanup_entry struct entry e, crown;

	make_candidate(&t->id[number], w, t->id[number - 1].hex, text, number);
	entry_init(&e, ENTRY_ATTEMPT, "gemm");
	entry_init(&crown, ENTRY_CROWN, "gemm");
	e.candidate = crown.candidate = t->id[number];
	e.parent = t->id[number - 1];
	e.number = crown.number = number;
	e.lineage = 1;
	e.subject = xstrdup("try something");
	record(w, &t->p, &e);
	measure(w, t, number);
	record(w, &t->p, &crown);
}

static char *winner_of(const struct world *w)
{
	return git(w, "log -1 --format='%(trailers:key=Avogit-Of,valueonly,"
		      "separator=)' avo/gemm/winner");
}

/* Without that commit the story of the winner cannot be told again. */
static void lose_commit(const struct world *w, const char *id)
{
	cleanup_free char *path =
		xasprintf("%s/.git/objects/%.2s/%s", w->dir, id, id + 2);

	assert_int_equal(unlink(path), 0);
}

static void what_another_process_made_is_not_made_again(void **state)
{
	struct world *w = *state;
	cleanup_gitstore struct gitstore *other = NULL;
	struct told t;

	begin_run(w, &t);
	win(w, &t, 1);
	assert_null(gitstore_open(&other, w->dir));
	assert_null(gitstore_branches(other, &t.p));
	win(w, &t, 2);
	lose_commit(w, t.id[2].hex);
	assert_null(gitstore_branches(other, &t.p));
	population_release(&t.p);
}

static void a_process_that_starts_makes_all_of_it(void **state)
{
	struct world *w = *state;
	cleanup_gitstore struct gitstore *other = NULL;
	cleanup_error struct error *err = NULL;
	struct told t;

	begin_run(w, &t);
	win(w, &t, 1);
	lose_commit(w, t.id[1].hex);
	assert_null(gitstore_open(&other, w->dir));
	err = gitstore_branches(other, &t.p);
	assert_non_null(err);
	population_release(&t.p);
}

/* The start of a run of its own. */
static void begin_other(const struct world *w, struct population *p)
{
	cleanup_entry struct entry run, start;

	population_init(p);
	entry_init(&run, ENTRY_RUN, "other");
	entry_init(&start, ENTRY_MEASUREMENT, "other");
	run.base = run.candidate = start.candidate = w->base;
	run.task_path = xstrdup("avogit.yaml");
	start.measurement = measurement_new();
	start.accepted = true;
	run.time_us = 1;
	start.time_us = 2;
	population_apply(p, &run);
	population_apply(p, &start);
}

/* `avogit sync` and `avogit repair` go from run to run. */
static void a_process_that_made_another_run_makes_all_of_it(void **state)
{
	struct world *w = *state;
	cleanup_gitstore struct gitstore *other = NULL;
	cleanup_error struct error *err = NULL;
	cleanup_population struct population beside = {0};
	struct told t;

	begin_run(w, &t);
	win(w, &t, 1);
	lose_commit(w, t.id[1].hex);
	begin_other(w, &beside);
	assert_null(gitstore_open(&other, w->dir));
	assert_null(gitstore_branches(other, &beside));
	err = gitstore_branches(other, &t.p);
	assert_non_null(err);
	population_release(&t.p);
}

static void a_branch_that_was_moved_away_is_put_back(void **state)
{
	struct world *w = *state;
	cleanup_gitstore struct gitstore *other = NULL;
	cleanup_free char *before = NULL, *now = NULL, *of = NULL;
	struct told t;

	begin_run(w, &t);
	win(w, &t, 1);
	assert_null(gitstore_open(&other, w->dir));
	assert_null(gitstore_branches(other, &t.p));
	win(w, &t, 2);
	before = git(w, "rev-parse avo/gemm/winner");
	run_git(w, "branch -f avo/gemm/winner main");
	assert_null(gitstore_branches(other, &t.p));
	now = git(w, "rev-parse avo/gemm/winner");
	assert_string_equal(now, before);
	of = winner_of(w);
	assert_string_equal(of, t.id[2].hex);
	population_release(&t.p);
}

/* The winner of the champion before is not that of this one. */
static void each_champion_has_a_winner_of_its_own(void **state)
{
	struct world *w = *state;
	cleanup_gitstore struct gitstore *other = NULL;
	cleanup_free char *first = NULL, *of = NULL, *command = NULL;
	struct told t;

	begin_run(w, &t);
	win(w, &t, 1);
	assert_null(gitstore_open(&other, w->dir));
	assert_null(gitstore_branches(other, &t.p));
	first = git(w, "rev-parse avo/gemm/winner");
	win(w, &t, 2);
	command = xasprintf("branch -f avo/gemm/winner %s", first);
	run_git(w, command);
	assert_null(gitstore_branches(other, &t.p));
	of = winner_of(w);
	assert_string_equal(of, t.id[2].hex);
	population_release(&t.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(what_another_process_made_is_not_made_again),
		IN_WORLD(a_process_that_starts_makes_all_of_it),
		IN_WORLD(a_process_that_made_another_run_makes_all_of_it),
		IN_WORLD(a_branch_that_was_moved_away_is_put_back),
		IN_WORLD(each_champion_has_a_winner_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
