#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "cmd/session/trust.h"

static const char good[] =
	"name: t\nlanguage: c\nsources: [k.c]\nentry: k\n"
	"arguments: [{name: y, dtype: f32, shape: [n], direction: out}]\n"
	"cases: [{n: 4}]\nbytes: 4 * n\n"
	"reference: {source: r.c, entry: r}\ntolerance: {rtol: 1}\n";

static struct task *parse(const char *more)
{
	cleanup_free char *text = xasprintf("%s%s", good, more);
	struct task *t = NULL;
	struct error *err = task_parse(&t, "avogit.yaml", text, strlen(text));

	if (err)
		fail_msg("%s: %s", more, error_message(err));
	return t;
}

static struct trust collect(const char *more, enum trust_group group)
{
	cleanup_task struct task *t = parse(more);
	struct trust trust = {0};

	assert_null(trust_collect(&trust, t, group));
	return trust;
}

static void digest(char out[HASH_HEX_LEN + 1], const char *more,
		   enum trust_group group)
{
	cleanup_trust struct trust t = collect(more, group);

	trust_digest(out, &t);
}

/* ---- items --------------------------------------------------------------- */

static void finds_every_value_that_reaches_out(void **state)
{
	static const struct {
		const char *more;
		enum trust_group group;
		const char *keys, *content; /* of the first */
	} table[] = {
		{"", TRUST_OPERATOR, "", NULL},
		{"", TRUST_LAUNCHER, "", NULL},
		{"operator: tuner\n", TRUST_OPERATOR, "", NULL},
		{"operator: {name: llm, model: m}\n", TRUST_OPERATOR, "", NULL},
		{"operator: {command: [a, b c]}\n", TRUST_OPERATOR,
		 "operator.command ", "[\"a\",\"b c\"]"},
		{"operator: {command: a b}\n", TRUST_OPERATOR,
		 "operator.command ", "\"a b\""},
		{"operator: {command: {a: b}}\n", TRUST_OPERATOR,
		 "operator.command ", "{\"a\":\"b\"}"},
		{"operator: {command: []}\n", TRUST_OPERATOR,
		 "operator.command ", "[]"},
		{"operator: {name: tuner, command: [a]}\n", TRUST_OPERATOR,
		 "operator.command ", "[\"a\"]"},
		{"operator: {key_command: k, base_url: u, key_env: E}\n",
		 TRUST_OPERATOR,
		 "operator.base_url operator.key_command operator.key_env ",
		 "\"u\""},
		{"operator: {roles: {reviewer: {base_url: u, key_env: E, "
		 "model: m}, planner: {key_command: k}, tester: {base_url: "
		 "v}}}\n",
		 TRUST_OPERATOR,
		 "operator.roles.reviewer.base_url "
		 "operator.roles.reviewer.key_env "
		 "operator.roles.planner.key_command ",
		 "\"u\""},
		{"operator: {roles: [base_url, u]}\n", TRUST_OPERATOR, "",
		 NULL},
		{"operator: {command: a, env: [E]}\n", TRUST_OPERATOR,
		 "operator.command operator.env ", "\"a\""},
		{"operator: {command: [a]}\n", TRUST_LAUNCHER, "", NULL},
		{"launcher: {command: [srun, -n, 1]}\n", TRUST_LAUNCHER,
		 "launcher.command ", "[\"srun\",\"-n\",\"1\"]"},
		{"launcher: {command: /usr/bin/srun}\n", TRUST_LAUNCHER,
		 "launcher.command ", "[\"/usr/bin/srun\"]"},
		{"launcher: {command: srun}\n", TRUST_OPERATOR, "", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		cleanup_trust struct trust t =
			collect(table[i].more, table[i].group);
		cleanup_buf struct buf keys = BUF_INIT(1000);

		for (size_t k = 0; k < t.n; k++)
			buf_addf(&keys, "%s ", t.item[k].key);
		assert_string_equal(keys.data, table[i].keys);
		if (table[i].content)
			assert_string_equal(t.item[0].content,
					    table[i].content);
	}
}

static void shows_nothing_but_printable_ascii(void **state)
{
	static const struct {
		const char *yaml, *content;
	} table[] = {
		{"\"\\e[2J\"", "\"\\u001b[2J\""},
		{"\"a\\rb\\nc\\td\"", "\"a\\rb\\nc\\td\""},
		{"\"\\x7f\"", "\"\\u007f\""},
		{"\"\\x9b1m\"", "\"\\u009b1m\""},
		{"\"\\u202ex\"", "\"\\u202ex\""},
		{"\"\xd0\xb0\"", "\"\\u0430\""}, /* looks like an a */
		{"\"\\U0001f600\"", "\"\\ud83d\\ude00\""},
		{"\"\\\\u001b\"", "\"\\\\u001b\""}, /* not an escape */
		{"'\"], [\"'", "\"\\\"], [\\\"\""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		cleanup_free char *more =
			xasprintf("operator: {command: %s}\n", table[i].yaml);
		cleanup_trust struct trust t = collect(more, TRUST_OPERATOR);

		assert_int_equal(t.n, 1);
		assert_string_equal(t.item[0].content, table[i].content);
	}
}

static void refuses_what_nobody_would_read_through(void **state)
{
	cleanup_free char *more = xasprintf("operator: {command: [a, '%*s']}\n",
					    TRUST_CONTENT_MAX, "b");
	cleanup_task struct task *t = parse(more);
	struct trust trust = {0};
	cleanup_error struct error *err =
		trust_collect(&trust, t, TRUST_OPERATOR);

	(void)state;
	assert_true(error_is(err, ERROR_TASK));
	assert_non_null(strstr(error_message(err), "operator.command"));
	assert_int_equal(trust.n, 0);
	assert_null(trust_collect(&trust, t, TRUST_LAUNCHER));
}

static void the_digest_changes_with_every_word(void **state)
{
	static const char *const different[] = {
		"operator: {command: [a, b]}\n",
		"operator: {command: [a b]}\n",
		"operator: {command: [a, c]}\n",
		"operator: {command: [a, b, ' ']}\n",
		"operator: {command: [b, a]}\n",
		"operator: {command: 'a,b'}\n",
		"operator: {command: [a, b], env: [E]}\n",
		"operator: {command: [a, b], env: [F]}\n",
		"operator: {key_command: [a, b]}\n",
		"operator: {name: llm, base_url: 'https://a'}\n",
		"operator: {name: llm, base_url: 'https://b'}\n",
		"operator: {name: llm, base_url: 'https://a', key_env: K}\n",
	};
	char a[HASH_HEX_LEN + 1], b[HASH_HEX_LEN + 1];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(different); i++)
		for (size_t j = 0; j < ARRAY_SIZE(different); j++) {
			digest(a, different[i], TRUST_OPERATOR);
			digest(b, different[j], TRUST_OPERATOR);
			if (str_eq(a, b) != (i == j))
				fail_msg("%s and %s", different[i],
					 different[j]);
		}
	digest(a, "operator: {command: [a]}\n", TRUST_OPERATOR);
	digest(b, "launcher: {command: [a]}\n", TRUST_LAUNCHER);
	assert_string_not_equal(a, b);
	digest(b, "operator: {model: m, command: ['a']} # same\n",
	       TRUST_OPERATOR);
	assert_string_equal(a, b);
}

/* ---- the store ------------------------------------------------------------ */

static int make_home(void **state)
{
	char *dir;

	if (dir_make_temp(&dir, "/tmp", "avogit-test-"))
		return -1;
	*state = dir;
	setenv("XDG_STATE_HOME", dir, 1);
	return 0;
}

static int remove_home(void **state)
{
	error_free(dir_remove(*state));
	free(*state);
	return 0;
}

static bool holds(const char *place, const char *more)
{
	cleanup_trust_store struct trust_store s = {0};
	char d[HASH_HEX_LEN + 1];

	digest(d, more, TRUST_OPERATOR);
	assert_null(trust_store_read(&s));
	return trust_store_find(&s, place, d) != NULL;
}

static void add(const char *place, const char *more)
{
	cleanup_trust struct trust t = collect(more, TRUST_OPERATOR);

	assert_null(trust_store_add(&t, place, "dir/avogit.yaml"));
}

static const char one[] = "operator: {command: [a]}\n";
static const char two[] = "operator: {command: [b]}\n";

static void a_decision_holds_for_one_content_in_one_place(void **state)
{
	static const char *const places[] = {"/r/.git",	    "/r/.git2",
					     "/r/.gi",	    "/a b/.git",
					     "/a%20b/.git", "/a\nb/.git",
					     "/\xff/.git",  "/\xfe/.git"};
	size_t removed;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		assert_false(holds(places[i], one));
		add(places[i], one);
		for (size_t j = 0; j < ARRAY_SIZE(places); j++)
			assert_int_equal(holds(places[j], one), j == i);
		assert_false(holds(places[i], two));
		add(places[i], one);
		assert_null(trust_store_remove(&removed, places[i]));
		assert_int_equal(removed, 1);
		assert_false(holds(places[i], one));
	}
}

static void keeps_lines_it_does_not_know(void **state)
{
	static const char *const lines[] = {
		"# a remark",
		"v2 something else entirely",
		"0123 2026-01-01T00:00:00Z /r/.git avogit.yaml operator",
		"%s 2026-01-01T00:00:00Z /r/.git avogit.yaml operator more",
		"%s 2026-01-01T00:00:00Z /r/.git avogit.yaml",
		"%s 2026-01-01T00:00:00Z /r/.git avogit.yaml else",
		"%s 2026-01-01T00:00:00Z /r/%%0 avogit.yaml operator",
		"%s 2026-01-01T00:00:00Z /r/%%00 avogit.yaml operator",
		"%s 2026-01-01T00:00:00Z  avogit.yaml operator",
		"%s 2026-01-01T00:00:00.000000Z /r/.git avogit.yaml operator",
	};
	cleanup_free char *path = xasprintf("%s/avogit/trust", (char *)*state);
	cleanup_buf struct buf before = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf after = BUF_INIT(BUF_LIMIT_TEXT);
	char d[HASH_HEX_LEN + 1];
	size_t removed;

	digest(d, one, TRUST_OPERATOR);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		const char *at = strstr(lines[i], "%s");

		if (at)
			buf_adds(&before, d);
		for (const char *c = at ? at + 2 : lines[i]; *c; c++)
			if (c[0] != '%' || c[1] != '%')
				buf_addc(&before, *c);
		buf_addc(&before, '\n');
	}
	add("/r/.git", two);
	assert_null(file_write_private(path, before.data, before.len));
	assert_false(holds("/r/.git", one));
	add("/r/.git", one);
	assert_true(holds("/r/.git", one));
	assert_null(trust_store_remove(&removed, "/r/.git"));
	assert_int_equal(removed, 1);
	assert_null(file_read(&after, path));
	assert_string_equal(after.data, before.data);
}

static void refuses_a_file_that_others_can_write(void **state)
{
	cleanup_free char *path = xasprintf("%s/avogit/trust", (char *)*state);
	cleanup_free char *folder = xasprintf("%s/avogit", (char *)*state);
	cleanup_trust struct trust t = collect(one, TRUST_OPERATOR);
	static const mode_t modes[] = {0644, 0620, 0602, 0777};
	struct stat st;

	add("/r/.git", one);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	for (size_t i = 0; i < ARRAY_SIZE(modes) + 1; i++) {
		cleanup_trust_store struct trust_store s = {0};
		bool file = i < ARRAY_SIZE(modes);
		struct error *err;

		assert_int_equal(
			chmod(file ? path : folder, file ? modes[i] : 0770), 0);
		err = trust_store_read(&s);
		assert_true(error_is(err, ERROR_REFUSED));
		error_free(err);
		err = trust_store_add(&t, "/other", "t");
		assert_true(error_is(err, ERROR_REFUSED));
		error_free(err);
		assert_int_equal(chmod(path, 0600), 0);
	}
	assert_int_equal(chmod(folder, 0700), 0);
	assert_true(holds("/r/.git", one));
}

static void refuses_a_link(void **state)
{
	cleanup_free char *path = xasprintf("%s/avogit/trust", (char *)*state);
	cleanup_free char *other = xasprintf("%s/other", (char *)*state);
	cleanup_trust_store struct trust_store s = {0};
	struct error *err;

	add("/r/.git", one);
	assert_int_equal(rename(path, other), 0);
	assert_false(holds("/r/.git", one));
	assert_int_equal(symlink(other, path), 0);
	err = trust_store_read(&s);
	assert_true(error_is(err, ERROR_REFUSED));
	error_free(err);
}

static void wants_an_absolute_place(void **state)
{
	cleanup_trust_store struct trust_store s = {0};
	struct error *err;

	setenv("XDG_STATE_HOME", "relative", 1);
	setenv("HOME", *state, 1);
	add("/r/.git", one);
	assert_null(trust_store_read(&s));
	assert_true(starts_with(s.path, *state));
	assert_true(ends_with(s.path, "/.local/state/avogit/trust"));
	trust_store_release(&s);
	setenv("HOME", "relative", 1);
	err = trust_store_read(&s);
	assert_true(error_is(err, ERROR_REFUSED));
	error_free(err);
}

#define STORE_TEST(f) cmocka_unit_test_setup_teardown(f, make_home, remove_home)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_every_value_that_reaches_out),
		cmocka_unit_test(shows_nothing_but_printable_ascii),
		cmocka_unit_test(refuses_what_nobody_would_read_through),
		cmocka_unit_test(the_digest_changes_with_every_word),
		STORE_TEST(a_decision_holds_for_one_content_in_one_place),
		STORE_TEST(keeps_lines_it_does_not_know),
		STORE_TEST(refuses_a_file_that_others_can_write),
		STORE_TEST(refuses_a_link),
		STORE_TEST(wants_an_absolute_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
