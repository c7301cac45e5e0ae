/* The cache of a run beside its journals, and what is moved between clones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/random.h"
#include "core/sandbox/process.h"
#include "gitstore/journal/cache.h"
#include "gitstore/journal/chain.h"
#include "gitstore/journal/follow.h"
#include "gitstore/sync/sync.h"

#define MANY 400

struct world {
	char *dir;
	struct gitstore *g;
	struct commit_id base;
};

static char *git(const struct world *w, const char *command)
{
	cleanup_process_result struct process_result result = {0};
	cleanup_free char *line = xasprintf(
		"git -c user.name=T -c user.email=t@t.t -c gc.auto=0 %s",
		command);
	const char *argv[] = {"sh", "-c", line, NULL};
	struct process_spec spec = {.argv = argv, .dir = w->dir};

	assert_null(process_run(&result, &spec, BUF_LIMIT_TEXT));
	if (result.exit_code != 0)
		fail_msg("git %s: %s", command, result.output.data);
	buf_trim_end(&result.output);
	return buf_take(&result.output);
}

static int make_world(void **state)
{
	struct world *w = xcalloc(1, sizeof *w);
	cleanup_free char *base = NULL;

	assert_null(dir_make_temp(&w->dir, "/tmp", "avogit-test-"));
	free(git(w, "init -q -b main ."));
	free(git(w, "commit -q --allow-empty -m start"));
	base = git(w, "rev-parse HEAD");
	w->base = commit_id(base);
	assert_null(gitstore_open(&w->g, w->dir));
	*state = w;
	return 0;
}

static int end_world(void **state)
{
	struct world *w = *state;

	gitstore_close(w->g);
	error_free(dir_remove(w->dir));
	free(w->dir);
	free(w);
	return 0;
}

static void append(struct world *w, struct entry *e)
{
	assert_null(gitstore_append(w->g, e));
}

static void begin_run(struct world *w)
{
	cleanup_entry struct entry e;

	entry_init(&e, ENTRY_RUN, "gemm");
	e.base = w->base;
	e.task_path = xstrdup("avogit.yaml");
	append(w, &e);
}

/* Words of the supervisor: entries without objects of their own. */
static void say(struct world *w, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		cleanup_entry struct entry e;

		entry_init(&e, ENTRY_INTERVENTION, "gemm");
		e.candidate = w->base;
		e.new_lineage = (int64_t)i + 2;
		e.reason = xasprintf("word %zu", i);
		append(w, &e);
	}
}

static void measure(struct world *w, double score)
{
	cleanup_entry struct entry e;
	struct comparison *c;

	entry_init(&e, ENTRY_MEASUREMENT, "gemm");
	e.candidate = w->base;
	e.measurement = measurement_new();
	e.measurement->score = score;
	snprintf(e.measurement->identity.task,
		 sizeof e.measurement->identity.task, "t");
	measurement_add_case(e.measurement, "m=1");
	c = measurement_add_comparison(e.measurement, RIVAL_BASELINE, "blas");
	c->ratio = 2;
	measurement_set(e.measurement, "unsteady", "it was warm");
	append(w, &e);
}

static void assert_same(const struct history *a, const struct history *b)
{
	assert_int_equal(a->p.n, b->p.n);
	assert_int_equal(a->p.interventions, b->p.interventions);
	assert_int_equal(a->p.n_sayings, b->p.n_sayings);
	assert_int_equal(a->p.n_lineages, b->p.n_lineages);
	assert_int_equal(a->p.time_us, b->p.time_us);
	assert_int_equal(a->n_about, b->n_about);
	assert_int_equal(a->n_known, b->n_known);
	assert_string_equal(a->newest.hex, b->newest.hex);
	for (size_t i = 0; i < a->p.n_sayings; i++)
		assert_string_equal(a->p.sayings[i].reason,
				    b->p.sayings[i].reason);
	for (size_t i = 0; i < a->p.n; i++) {
		const struct measurement *m = a->p.attempt[i].measurement;
		const struct measurement *n = b->p.attempt[i].measurement;

		assert_string_equal(a->p.attempt[i].id.hex,
				    b->p.attempt[i].id.hex);
		assert_int_equal(!m, !n);
		if (m && n)
			assert_true(m->score == n->score);
	}
}

static void a_cache_says_what_the_journal_says(void **state)
{
	struct world *w = *state;
	cleanup_history struct history cold = {.n_about = 0};
	cleanup_history struct history warm = {.n_about = 0};
	cleanup_history struct history cached = {.n_about = 0};

	begin_run(w);
	measure(w, 7);
	say(w, MANY);
	assert_null(history_read(&cold, w->g, "gemm"));
	assert_true(cache_load(&cached, w->g, "gemm"));
	assert_same(&cold, &cached);
	assert_true(cached.p.attempt[0].measurement->brief);
	assert_string_equal(measurement_get(cached.p.attempt[0].measurement,
					    "unsteady"),
			    "it was warm");
	assert_null(history_read(&warm, w->g, "gemm"));
	assert_same(&cold, &warm);
	/* The start's is whole, wherever it was read from. */
	assert_false(warm.p.attempt[0].measurement->brief);
	assert_int_equal(warm.p.attempt[0].measurement->n_cases, 1);
	assert_string_equal(warm.p.record.task_path, "avogit.yaml");
}

static void what_came_since_is_added(void **state)
{
	struct world *w = *state;
	cleanup_history struct history before = {.n_about = 0};
	cleanup_history struct history after = {.n_about = 0};
	cleanup_free char *path = cache_path(w->g, "gemm");

	begin_run(w);
	say(w, MANY);
	assert_null(history_read(&before, w->g, "gemm"));
	measure(w, 9);
	assert_null(history_read(&after, w->g, "gemm"));
	assert_int_equal(after.n_known, before.n_known + 1);
	assert_true(after.p.attempt[0].measurement->score == 9);
	assert_null(dir_remove(path));
	history_release(&before);
	assert_null(history_read(&before, w->g, "gemm"));
	assert_same(&before, &after);
}

/* Some bytes of a good cache are others, or its end is missing. */
static void spoil(const char *path, struct random *r)
{
	cleanup_fd int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat st;
	char byte = (char)random_u64(r);

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	if (random_below(r, 4) == 0)
		assert_int_equal(
			ftruncate(fd,
				  (off_t)random_below(r, (uint64_t)st.st_size)),
			0);
	else
		assert_int_equal(
			pwrite(fd, &byte, 1,
			       (off_t)random_below(r, (uint64_t)st.st_size)),
			1);
}

static void a_damaged_cache_is_never_believed(void **state)
{
	struct world *w = *state;
	cleanup_history struct history good = {.n_about = 0};
	cleanup_free char *path = cache_path(w->g, "gemm");
	struct random r;

	begin_run(w);
	measure(w, 7);
	say(w, MANY);
	random_init(&r, 1);
	assert_null(history_read(&good, w->g, "gemm"));
	for (size_t i = 0; i < 60; i++) {
		cleanup_history struct history h = {.n_about = 0};

		spoil(path, &r);
		assert_null(history_read(&h, w->g, "gemm"));
		assert_same(&good, &h);
		error_free(dir_remove(path));
		history_release(&h);
		assert_null(history_read(&h, w->g, "gemm"));
	}
}

/* Rewrites the header of a good cache, sealed as the clone's own. */
static void reseal(const struct world *w, const char *path, int change)
{
	cleanup_fd int fd = open(path, O_RDWR | O_CLOEXEC);
	cleanup_free struct cache_header *h = xcalloc(1, sizeof *h);
	char writer[WRITER_LEN + 1];

	assert_true(store_writer(writer, w->g));
	assert_int_equal(pread(fd, h, sizeof *h, 0), sizeof *h);
	h->build[CACHE_BUILD_LEN - 1] ^= (unsigned char)change;
	h->header_sum =
		cache_sum(writer, h, offsetof(struct cache_header, header_sum));
	assert_int_equal(pwrite(fd, h, sizeof *h, 0), sizeof *h);
}

static void a_cache_of_another_build_is_not_read(void **state)
{
	struct world *w = *state;
	cleanup_history struct history good = {.n_about = 0};
	cleanup_free char *path = cache_path(w->g, "gemm");

	begin_run(w);
	say(w, MANY);
	assert_null(history_read(&good, w->g, "gemm"));
	for (int change = 0; change < 2; change++) {
		cleanup_history struct history h = {.n_about = 0};

		reseal(w, path, change);
		assert_int_equal(cache_load(&h, w->g, "gemm"), !change);
	}
}

static void entries_about_one_candidate_are_found(void **state)
{
	struct world *w = *state;
	cleanup_history struct history h = {.n_about = 0};
	cleanup_free struct about *about = NULL;
	git_oid id;
	size_t n;

	begin_run(w);
	measure(w, 1);
	say(w, MANY);
	measure(w, 2);
	assert_null(history_read(&h, w->g, "gemm"));
	assert_null(oid_parse(&id, w->base.hex));
	assert_true(
		cache_about(&about, &n, w->g, "gemm", &id, h.reach, h.n_reach));
	assert_int_equal(n, MANY + 2);
}

static void the_newest_attempts_come_with_the_run_s_own_entry(void **state)
{
	struct world *w = *state;
	cleanup_population struct population all = {0}, recent = {0};

	begin_run(w);
	say(w, MANY);
	assert_null(gitstore_population(&all, w->g, "gemm"));
	assert_null(gitstore_recent(&recent, w->g, "gemm", 1));
	assert_non_null(all.record.task_path);
	assert_non_null(recent.record.task_path);
	assert_string_equal(recent.record.task_path, all.record.task_path);
}

/* ---- several writers ------------------------------------------------------ */

#define OTHER_JOURNAL "refs/avogit/gemm/journal/0123456789abcdef"

/* Its last answer is overwritten by the next one. */
struct ends {
	const struct world *w;
	const char *own, *other;
	git_oid id;
};

static const git_oid *where_it_ended(void *arg, const char *writer)
{
	struct ends *e = arg;
	bool other = str_eq(writer, "0123456789abcdef");

	assert_null(oid_parse(&e->id, other ? e->other : e->own));
	return &e->id;
}

static void assert_walked(struct ends *e, size_t unread, bool lost)
{
	cleanup_chains struct chains c = {.refs = STRVEC_INIT, .brief = true};
	struct chain_stop stop = {where_it_ended, e, !lost};

	assert_null(chains_open(&c, e->w->g, "gemm"));
	assert_int_equal(c.n, 2);
	assert_null(chains_walk(&c, e->w->g, &stop));
	assert_int_equal(stop.lost, lost);
	if (!lost)
		assert_int_equal(chains_unread(&c), unread);
}

static void every_journal_is_walked_to_where_it_ended(void **state)
{
	struct world *w = *state;
	cleanup_free char *ref = NULL, *command = NULL;
	cleanup_free char *tip = NULL, *two = NULL, *four = NULL;
	struct ends e = {.w = w};

	begin_run(w);
	say(w, 5);
	ref = git(w, "for-each-ref --format='%(refname)' refs/avogit/gemm");
	command = xasprintf("update-ref " OTHER_JOURNAL " %s~2", ref);
	free(git(w, command));
	tip = git(w, "log --all -1 --format=%H --grep='word 4'");
	two = git(w, "log --all -1 --format=%H --grep='word 2'");
	four = git(w, "log --all -1 --format=%H --grep='word 0'");
	e.own = two;
	e.other = four;
	assert_walked(&e, 2 + 2, false);
	e.own = tip;
	assert_walked(&e, 0 + 2, false);
	/* Of the other journal this is no part. */
	e.other = tip;
	assert_walked(&e, 0, true);
	e.other = two;
	assert_walked(&e, 0, false);
}

/* Writes an entry as another program could: with any line in its header. */
static void write_odd(struct world *w, git_oid *tip, int64_t time_us,
		      const char *committer)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_entry struct entry e;
	cleanup_json struct json *j = NULL;
	cleanup_free char *json = NULL;
	struct commit_id parent;
	const git_oid *empty;
	struct commit_id tree;

	entry_init(&e, ENTRY_INTERVENTION, "gemm");
	e.time_us = time_us;
	e.new_lineage = time_us + 1;
	e.reason = xasprintf("word %d", (int)time_us);
	j = journal_to_json(&e);
	json = json_print(j);
	assert_null(empty_tree(&empty, w->g));
	tree = oid_hex(empty);
	parent = oid_hex(tip);
	buf_addf(&b, "tree %s\n", tree.hex);
	if (!git_oid_is_zero(tip))
		buf_addf(&b, "parent %s\n", parent.hex);
	buf_addf(&b, "author T <t@t.t> 1 +0000\n%s\n\nword\n\n%s\n", committer,
		 json);
	assert_null(object_write(tip, w->g, b.data, b.len, GIT_OBJECT_COMMIT,
				 "an entry"));
}

static void the_times_of_commits_decide_nothing(void **state)
{
	static const char *const committer[] = {
		"committer T <t@t.t> 99999999999999999999999 +0000",
		"committer T <t@t.t> -5 +0000",
		"",
		"committer >",
		"committer T <t@t.t> 7",
		"committer\ncommitter T t@t.t 7 +0000",
	};
	static const char *const journal[] = {OTHER_JOURNAL, OTHER_JOURNAL "0"};
	struct world *w = *state;
	cleanup_history struct history h = {.n_about = 0};
	git_oid tip[2] = {{{0}}};

	for (size_t i = 0; i < 4 * ARRAY_SIZE(committer); i++)
		write_odd(w, &tip[i * 7 % 5 % 2], (int64_t)i + 1,
			  committer[i % ARRAY_SIZE(committer)]);
	for (size_t i = 0; i < 2; i++) {
		struct commit_id hex = oid_hex(&tip[i]);
		cleanup_free char *command =
			xasprintf("update-ref %s %s", journal[i], hex.hex);

		free(git(w, command));
	}
	assert_null(history_read(&h, w->g, "gemm"));
	assert_int_equal(h.p.n_sayings, 4 * ARRAY_SIZE(committer));
	for (size_t i = 0; i < h.p.n_sayings; i++) {
		cleanup_free char *word = xasprintf("word %zu", i + 1);

		assert_string_equal(h.p.sayings[i].reason, word);
	}
}

/* ---- looking again and again --------------------------------------------- */

static void assert_followed(struct follower *f, bool changed, size_t sayings)
{
	bool did = !changed;

	assert_null(follower_read(&did, f));
	assert_int_equal(did, changed);
	assert_int_equal(follower_population(f)->n_sayings, sayings);
}

static void a_follower_has_what_a_first_reader_has(void **state)
{
	struct world *w = *state;
	cleanup_follower struct follower *f = follower_new(w->g, "gemm");
	cleanup_population struct population all = {0};
	const struct population *p;

	assert_followed(f, true, 0);
	assert_followed(f, false, 0);
	begin_run(w);
	say(w, 3);
	assert_followed(f, true, 3);
	measure(w, 7);
	say(w, MANY);
	assert_followed(f, true, 3 + MANY);
	assert_followed(f, false, 3 + MANY);
	assert_null(gitstore_population(&all, w->g, "gemm"));
	p = follower_population(f);
	assert_int_equal(p->n, all.n);
	assert_int_equal(p->time_us, all.time_us);
	assert_true(p->attempt[0].measurement->score == 7);
}

/* `avogit sync` may bring entries that are older than what was read. */
static void a_follower_begins_again_where_history_changed(void **state)
{
	struct world *w = *state;
	cleanup_follower struct follower *f = follower_new(w->g, "gemm");
	cleanup_free char *tip = NULL;
	cleanup_free char *back = NULL;

	begin_run(w);
	say(w, 2);
	tip = git(w, "for-each-ref --format='%(refname)' refs/avogit/gemm");
	say(w, 3);
	assert_followed(f, true, 5);
	back = xasprintf("update-ref %s %s~3", tip, tip);
	free(git(w, back));
	assert_followed(f, true, 2);
	say(w, 1);
	assert_followed(f, true, 3);
}

static void only_who_holds_a_run_says_what_it_does(void **state)
{
	struct world *w = *state;
	cleanup_gitstore struct gitstore *other = NULL;
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	assert_null(gitstore_open(&other, w->dir));
	gitstore_run_doing(&b, other, "gemm");
	assert_int_equal(b.len, 0);
	assert_null(gitstore_lock_run(w->g, "gemm"));
	gitstore_say_doing(w->g, "gemm", "scoring\nmore\n");
	gitstore_say_doing(other, "gemm", "nonsense\n");
	gitstore_run_doing(&b, other, "gemm");
	assert_string_equal(b.data, "scoring\nmore\n");
	gitstore_say_doing(w->g, "gemm", "x\n");
	buf_clear(&b);
	gitstore_run_doing(&b, other, "gemm");
	assert_string_equal(b.data, "x\n");
	assert_int_equal(gitstore_run_holder(other, "gemm"), getpid());
}

/* ---- sync ---------------------------------------------------------------- */

static void only_names_that_avogit_gives_are_moved(void **state UNUSED)
{
	static const struct {
		const char *ref;
		enum run_ref_kind kind;
	} table[] = {
		{"refs/avogit/gemm/journal/0123456789abcdef", RUN_REF_JOURNAL},
		{"refs/avogit/@/journal/0123456789abcdef", RUN_REF_JOURNAL},
		{"refs/avogit/gemm/logs/0123456789abcdef", RUN_REF_LOGS},
		{"refs/avogit/gemm/removed/0123456789abcdef", RUN_REF_NONE},
		{"refs/avogit/gemm/journal/0123456789ABCDEF", RUN_REF_NONE},
		{"refs/avogit/gemm/journal/0123456789abcde", RUN_REF_NONE},
		{"refs/avogit/gemm/journal/0123456789abcdef/x", RUN_REF_NONE},
		{"refs/avogit/-x/journal/0123456789abcdef", RUN_REF_NONE},
		{"refs/avogit/a/b/journal/0123456789abcdef", RUN_REF_NONE},
		{"refs/avogit//journal/0123456789abcdef", RUN_REF_NONE},
		{"refs/avogit/../journal/0123456789abcdef", RUN_REF_NONE},
		{"refs/heads/main", RUN_REF_NONE},
		{"refs/avogit/", RUN_REF_NONE},
		{"", RUN_REF_NONE},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct run_ref name;
		bool ok = run_ref_parse(&name, table[i].ref);

		assert_int_equal(ok, table[i].kind != RUN_REF_NONE);
		if (ok)
			assert_int_equal(name.kind, table[i].kind);
	}
}

static void a_listing_that_is_none_moves_nothing_in(void **state)
{
	static const char *const listing[] = {
		"",
		"\n\n",
		"nonsense",
		"0123\trefs/avogit/x\n",
		"0123456789012345678901234567890123456789\n",
		"0123456789012345678901234567890123456789\t\n",
		"0123456789012345678901234567890123456789 refs/notes/avogit\n",
		"zzzz456789012345678901234567890123456789\trefs/notes/avogit\n",
		"0123456789012345678901234567890123456789\trefs/heads/main\n",
	};
	struct world *w = *state;
	const struct sync_options o = {.branches = true, .logs = true};

	begin_run(w);
	for (size_t i = 0; i < ARRAY_SIZE(listing); i++) {
		cleanup_sync_plan struct sync_plan p = {.receive = STRVEC_INIT};

		assert_null(sync_plan_make(&p, w->g, listing[i], &o));
		assert_int_equal(p.receive.n, 0);
		assert_int_equal(p.send.n, 1);
	}
}

/* ---- git's own lock ------------------------------------------------------ */

static void git_does_not_collect_in_a_transaction(void **state)
{
	struct world *w = *state;
	cleanup_store_lock struct gitstore *held = NULL;
	cleanup_free char *said = NULL;

	begin_run(w);
	assert_null(store_lock(&held, w->g));
	said = git(w, "gc -q 2>&1 || :");
	assert_non_null(strstr(said, "gc is already running"));
	store_unlock(w->g);
	held = NULL;
	free(git(w, "gc -q"));
}

static void what_a_dead_process_holds_is_taken_over(void **state)
{
	struct world *w = *state;
	cleanup_free char *pid = xasprintf("%s/.git/gc.pid", w->dir);
	cleanup_free char *lock = xasprintf("%s.lock", pid);
	static const char *const left[] = {"999999999 %s", "", "nonsense",
					   "-5 %s", "%s"};
	const struct timespec long_ago[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
	char host[256] = "";

	gethostname(host, sizeof host - 1);
	begin_run(w);
	for (size_t i = 0; i < 2 * ARRAY_SIZE(left); i++) {
		const char *form = left[i / 2];
		const char *path = i % 2 ? lock : pid;
		const char *at = strstr(form, "%s");
		cleanup_free char *text =
			at ? xasprintf("%.*s%s", (int)(at - form), form, host)
			   : xstrdup(form);

		assert_null(file_write(path, text, strlen(text), false));
		if (path == lock)
			assert_int_equal(utimensat(AT_FDCWD, path, long_ago, 0),
					 0);
		say(w, 1);
		assert_false(file_exists(path));
	}
}

/* Its process died in the transaction; the number may be another's since. */
static void a_killed_avogit_is_not_waited_for(void **state)
{
	struct world *w = *state;
	static const char *const names[] = {"gc.pid", "gc.pid.lock"};
	char host[256] = "";

	gethostname(host, sizeof host - 1);
	begin_run(w);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		cleanup_free char *path =
			xasprintf("%s/.git/%s", w->dir, names[i]);
		cleanup_free char *text =
			xasprintf("%ld %s avogit\n",
				  i ? 999999999L : (long)getpid(), host);

		assert_null(file_write(path, text, strlen(text), false));
		say(w, 1);
		assert_false(file_exists(path));
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_world, end_world)
	const struct CMUnitTest tests[] = {
		TEST(a_cache_says_what_the_journal_says),
		TEST(what_came_since_is_added),
		TEST(a_damaged_cache_is_never_believed),
		TEST(a_cache_of_another_build_is_not_read),
		TEST(entries_about_one_candidate_are_found),
		TEST(the_newest_attempts_come_with_the_run_s_own_entry),
		TEST(every_journal_is_walked_to_where_it_ended),
		TEST(the_times_of_commits_decide_nothing),
		TEST(a_follower_has_what_a_first_reader_has),
		TEST(a_follower_begins_again_where_history_changed),
		TEST(only_who_holds_a_run_says_what_it_does),
		TEST(only_names_that_avogit_gives_are_moved),
		TEST(a_listing_that_is_none_moves_nothing_in),
		TEST(git_does_not_collect_in_a_transaction),
		TEST(what_a_dead_process_holds_is_taken_over),
		TEST(a_killed_avogit_is_not_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
