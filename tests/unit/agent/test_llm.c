#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/llm/internal.h"
#include "agent/llm/prompt.h"

/* A task that says this under `operator:`; nothing else of it is looked at. */
static struct task task_of(const char *name, const char *settings)
{
	return (struct task){
		.path = (char *)"dir/avogit.yaml",
		.prefix = (char *)"dir/",
		.operator_name = (char *)name,
		.operator_settings = (char *)settings,
		.has_operator = true,
	};
}

static void the_users_word_is_before_the_tasks(void **state)
{
	static const char settings[] =
		"{\"protocol\":\"openai\",\"base_url\":\"http://task/v1\","
		"\"model\":\"theirs\",\"fallback_model\":\"other\","
		"\"key_env\":\"THEIR_KEY\",\"key_command\":\"theirs\"}";
	static const struct {
		struct llm_options o;
		enum protocol protocol;
		const char *base_url, *model, *fallback, *key_env, *command;
	} table[] = {
		{{0},
		 PROTOCOL_OPENAI,
		 "http://task/v1",
		 "theirs",
		 "other",
		 "THEIR_KEY",
		 "theirs"},
		{{.model = "mine"},
		 PROTOCOL_OPENAI,
		 "http://task/v1",
		 "mine",
		 NULL,
		 "THEIR_KEY",
		 "theirs"},
		/* Where the address is another, the task's key stays. */
		{{.base_url = "http://me"},
		 PROTOCOL_OPENAI,
		 "http://me",
		 "theirs",
		 "other",
		 NULL,
		 NULL},
		{{.provider = "anthropic", .key_command = "mine"},
		 PROTOCOL_ANTHROPIC,
		 NULL,
		 "theirs",
		 "other",
		 NULL,
		 "mine"},
		{{.provider = "openai"},
		 PROTOCOL_OPENAI,
		 "http://task/v1",
		 "theirs",
		 "other",
		 "THEIR_KEY",
		 "theirs"},
		/* The task names the key's variable: that is more to the point
		 * than a command for every address. */
		{{.key_command = "mine"},
		 PROTOCOL_OPENAI,
		 "http://task/v1",
		 "theirs",
		 "other",
		 "THEIR_KEY",
		 "theirs"},
	};
	const struct task t = task_of("llm", settings);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		cleanup_llm_settings struct llm_settings s = {0};

		assert_null(
			llm_settings_read(&s, &t, &table[i].o, ROLE_WRITER));
		assert_int_equal(s.protocol, table[i].protocol);
		assert_string_equal(s.model, table[i].model);
#define SAME(a, b)                                 \
	do {                                       \
		assert_int_equal(!(a), !(b));      \
		if (a)                             \
			assert_string_equal(a, b); \
	} while (0)
		SAME(s.server.base_url, table[i].base_url);
		SAME(s.fallback_model, table[i].fallback);
		SAME(s.server.key_env, table[i].key_env);
		SAME(s.server.key_command, table[i].command);
	}
}

static void a_model_says_which_protocol_it_is_asked_by(void **state)
{
	static const struct {
		const char *model;
		enum protocol protocol;
	} table[] = {{"claude-sonnet-5", PROTOCOL_ANTHROPIC},
		     {"gpt-5.1", PROTOCOL_RESPONSES},
		     {"gpt-4.1", PROTOCOL_OPENAI},
		     {"Qwen/Qwen3", PROTOCOL_OPENAI}};
	const struct task t = task_of("llm", "{}");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		cleanup_llm_settings struct llm_settings s = {0};
		const struct llm_options o = {.model = table[i].model};

		assert_null(llm_settings_read(&s, &t, &o, ROLE_WRITER));
		assert_int_equal(s.protocol, table[i].protocol);
	}
}

static void openais_model_and_server_say_which_of_its_two(void **state)
{
	static const struct {
		const char *provider, *base_url, *model;
		enum protocol protocol;
	} table[] = {
		{"openai", NULL, "gpt-5", PROTOCOL_RESPONSES},
		{"openai", NULL, "gpt-5.6-sol", PROTOCOL_RESPONSES},
		{"openai", NULL, "gpt-10", PROTOCOL_RESPONSES},
		{"openai", NULL, "o4-mini", PROTOCOL_RESPONSES},
		{"openai", NULL, "codex-mini-latest", PROTOCOL_RESPONSES},
		{"openai", NULL, "gpt-4.1", PROTOCOL_OPENAI},
		{"openai", NULL, "gpt-oss-120b", PROTOCOL_OPENAI},
		{"openai", NULL, "olmo-3", PROTOCOL_OPENAI},
		{NULL, NULL, "o3", PROTOCOL_RESPONSES},
		{"openai", "https://api.openai.com/v1", "gpt-5",
		 PROTOCOL_RESPONSES},
		{"openai", "https://openrouter.ai/api/v1", "gpt-5",
		 PROTOCOL_OPENAI},
		{"openai", "https://api.openai.com.evil.example/v1", "gpt-5",
		 PROTOCOL_OPENAI},
		{NULL, "http://localhost:8000/v1", "o3", PROTOCOL_OPENAI},
		/* A name of one of the two forces it. */
		{"chat", NULL, "gpt-5", PROTOCOL_OPENAI},
		{"responses", "http://localhost:8000/v1", "Qwen/Qwen3",
		 PROTOCOL_RESPONSES},
	};
	const struct task t = task_of("llm", "{}");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		cleanup_llm_settings struct llm_settings s = {0};
		const struct llm_options o = {.provider = table[i].provider,
					      .base_url = table[i].base_url,
					      .model = table[i].model};

		assert_null(llm_settings_read(&s, &t, &o, ROLE_WRITER));
		if (s.protocol != table[i].protocol)
			fail_msg("%s at %s", table[i].model,
				 table[i].base_url ? table[i].base_url : "-");
	}
}

static void settings_of_another_operator_are_not_its_own(void **state)
{
	const struct task t = task_of("command", "{\"command\":[\"agent\"]}");
	cleanup_llm_settings struct llm_settings s = {0};
	const struct llm_options o = {.model = "m"};

	(void)state;
	assert_null(llm_settings_read(&s, &t, &o, ROLE_WRITER));
	assert_string_equal(s.model, "m");
}

static void paths_are_below_the_task_and_nowhere_else(void **state)
{
	static const char *const bad[] = {
		"{\"replay\":\"/etc/passwd\"}", "{\"replay\":\"../x\"}",
		"{\"prompts\":\"..\"}",		"{\"prompts\":\"a/*\"}",
		"{\"prompts\":\".git/x\"}",	"{\"replay\":7}",
	};
	const struct llm_options none = {0};
	const struct task good =
		task_of("replay", "{\"replay\":\"a/b\",\"prompts\":\"p/\"}");
	cleanup_llm_settings struct llm_settings s = {0};

	(void)state;
	assert_null(llm_settings_read(&s, &good, &none, ROLE_WRITER));
	assert_string_equal(s.replay, "dir/a/b");
	assert_string_equal(s.prompts, "dir/p/");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct task t = task_of("replay", bad[i]);
		cleanup_llm_settings struct llm_settings other = {0};
		cleanup_error struct error *err =
			llm_settings_read(&other, &t, &none, ROLE_WRITER);

		assert_true(error_is(err, ERROR_TASK));
	}
}

static void what_a_cache_costs_is_what_input_costs_unless_said(void **state)
{
	const struct task t = task_of(
		"llm", "{\"prices\":{\"m\":{\"input\":2,\"output\":8},"
		       "\"n\":{\"input\":2,\"output\":8,\"cache_read\":1}}}");
	cleanup_llm_settings struct llm_settings s = {0};
	const struct llm_options none = {0};

	(void)state;
	assert_null(llm_settings_read(&s, &t, &none, ROLE_WRITER));
	assert_int_equal(s.n_prices, 2);
	assert_true(s.prices[0].cache_read == 2 && s.prices[1].cache_read == 1);
}

static void a_users_price_is_before_the_tasks(void **state)
{
	const struct task t = task_of(
		"llm", "{\"prices\":{\"gpt-5.6\":{\"input\":9,\"output\":9}}}");
	static const char *const bad[] = {"",	       "1",    "1 x",
					  "1 2 3 4 5", "-1 2", "1 nan"};
	cleanup_strvec struct strvec models = STRVEC_INIT, prices = STRVEC_INIT;
	const struct llm_options o = {.priced = &models, .prices = &prices};
	cleanup_llm_settings struct llm_settings s = {0};
	struct price_table own;
	const struct price *p;

	(void)state;
	strvec_push(&models, "gpt-5.6");
	strvec_push(&prices, "1.25 10 0.125");
	assert_null(llm_settings_read(&s, &t, &o, ROLE_WRITER));
	own = (struct price_table){s.prices, s.n_prices};
	p = price_find(&own, "gpt-5.6");
	assert_true(p->input == 1.25 && p->output == 10 &&
		    p->cache_read == 0.125 && p->cache_write == 1.25);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		cleanup_llm_settings struct llm_settings other = {0};
		cleanup_error struct error *err = NULL;

		strvec_release(&prices);
		strvec_push(&prices, bad[i]);
		err = llm_settings_read(&other, &t, &o, ROLE_WRITER);
		if (!error_is(err, ERROR_USAGE))
			fail_msg("'%s'", bad[i]);
		assert_non_null(
			strstr(error_message(err), "avogit.gpt-5.6.price"));
	}
}

static void a_model_thinks_unless_it_is_told_otherwise(void **state)
{
	static const struct {
		const char *task, *user, *effort;
	} table[] = {
		{"{}", NULL, "high"},
		{"{\"effort\":\"low\"}", NULL, "low"},
		{"{\"effort\":\"low\"}", "max", "max"},
		{"{}", "none", "none"},
		{"{\"effort\":\"default\"}", NULL, NULL},
		{"{\"effort\":\"low\"}", "default", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const struct task t = task_of("llm", table[i].task);
		const struct llm_options o = {.effort = table[i].user};
		cleanup_llm_settings struct llm_settings s = {0};

		assert_null(llm_settings_read(&s, &t, &o, ROLE_WRITER));
		assert_int_equal(!s.effort, !table[i].effort);
		if (s.effort)
			assert_string_equal(s.effort, table[i].effort);
		assert_int_equal(s.max_tokens, 32000);
		assert_true(s.silence == 600);
	}
}

static void a_role_has_what_it_does_not_say_from_the_operator(void **state)
{
	static const struct {
		const char *user;
		enum role role;
		const char *model, *effort;
		const char *key; /* a key stays with the vendor it is for */
	} table[] = {
		{NULL, ROLE_WRITER, "claude-w", "high", "pass"},
		{NULL, ROLE_PLANNER, "claude-p", "max", "pass"},
		{NULL, ROLE_REVIEWER, "gpt-5.6", "high", NULL},
		{NULL, ROLE_DEBUGGER, "claude-w", "low", "pass"},
		{NULL, ROLE_SUPERVISOR, "claude-w", "high", "pass"},
		/* What the user names is the operator's. */
		{"mine", ROLE_DEBUGGER, "mine", "low", "pass"},
		{"mine", ROLE_PLANNER, "claude-p", "max", NULL},
	};
	const struct task t = task_of(
		"llm",
		"{\"model\":\"claude-w\",\"roles\":{"
		"\"planner\":{\"model\":\"claude-p\",\"effort\":\"max\"},"
		"\"reviewer\":{\"model\":\"gpt-5.6\"},\"supervisor\":\"\","
		"\"debugger\":{\"effort\":\"low\",\"budget\":{\"tokens\":900,"
		"\"money\":0.5,\"steps\":7}}}}");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const struct llm_options o = {.model = table[i].user,
					      .key_command = "pass"};
		cleanup_llm_settings struct llm_settings s = {0};
		const struct role_settings *d = &s.role[ROLE_DEBUGGER];

		assert_null(llm_settings_read(&s, &t, &o, table[i].role));
		assert_string_equal(s.model, table[i].model);
		assert_string_equal(s.effort, table[i].effort);
		SAME(s.server.key_command, table[i].key);
		/* The vendor follows the role's own model. */
		assert_int_equal(
			s.protocol,
			table[i].role == ROLE_REVIEWER ? PROTOCOL_RESPONSES
			: table[i].user && table[i].role != ROLE_PLANNER
				? PROTOCOL_OPENAI
				: PROTOCOL_ANTHROPIC);
		assert_true(d->budget.tokens == 900 &&
			    d->budget.dollars == 0.5 && d->budget.steps == 7);
		assert_true(s.role[ROLE_SUPERVISOR].there &&
			    !s.role[ROLE_WRITER].there);
	}
}

static void a_wrong_role_is_one_sentence_that_names_it(void **state)
{
	static const struct {
		const char *roles, *says;
	} table[] = {
		{"{\"tester\":{}}", "operator.roles.tester: there is no such "
				    "role: there is planner, writer"},
		{"{}", "operator.roles: it must be {planner"},
		{"\"planner\"", "operator.roles: it must be {planner"},
		{"[\"planner\"]", "operator.roles.[]: there is no such role"},
		{"{\"planner\":\"gpt\"}", "operator.roles.planner: it must be"},
		{"{\"planner\":{\"modle\":\"x\"}}",
		 "operator.roles.planner.modle: a role has model, effort and "
		 "budget"},
		{"{\"planner\":{\"model\":7}}",
		 "operator.roles.planner.model: it must be a word"},
		{"{\"writer\":{\"budget\":{\"tokens\":-1}}}",
		 "operator.roles.writer.budget: tokens and steps are whole"},
		{"{\"writer\":{\"budget\":{\"money\":-0.5}}}",
		 "operator.roles.writer.budget: money is a number of dollars"},
		{"{\"writer\":{\"budget\":{\"attempts\":3}}}",
		 "operator.roles.writer.budget: it has tokens, money and "
		 "steps"},
		{"{\"writer\":{\"budget\":5}}",
		 "operator.roles.writer.budget: it must be {tokens"},
	};
	const struct llm_options none = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		cleanup_free char *text =
			xasprintf("{\"roles\":%s}", table[i].roles);
		const struct task t = task_of("llm", text);
		cleanup_llm_settings struct llm_settings s = {0};
		cleanup_error struct error *err =
			llm_settings_read(&s, &t, &none, ROLE_WRITER);

		if (!error_is(err, ERROR_TASK) ||
		    !strstr(error_message(err), table[i].says))
			fail_msg("%s: %s", table[i].roles,
				 err ? error_message(err) : "read");
	}
}

static void a_users_role_is_before_the_tasks(void **state)
{
	static const char *const bad[][2] = {
		{"tester.model", "m"},	    {"planner.model", ""},
		{"planner.tokens", "many"}, {"planner.money", "-1"},
		{"planner.tokens", "0"},
	};
	const struct task t =
		task_of("llm", "{\"roles\":{\"planner\":{\"model\":\"theirs\","
			       "\"budget\":{\"steps\":7}}}}");
	cleanup_strvec struct strvec keys = STRVEC_INIT, values = STRVEC_INIT;
	const struct llm_options o = {.role_keys = &keys,
				      .role_values = &values};
	cleanup_llm_settings struct llm_settings s = {0};
	const struct role_settings *p = &s.role[ROLE_PLANNER];

	(void)state;
	strvec_push(&keys, "planner.model");
	strvec_push(&values, "mine");
	strvec_push(&keys, "planner.money");
	strvec_push(&values, "0.25");
	strvec_push(&keys, "reviewer.effort");
	strvec_push(&values, "low");
	assert_null(llm_settings_read(&s, &t, &o, ROLE_PLANNER));
	assert_string_equal(s.model, "mine");
	assert_true(p->budget.dollars == 0.25 && p->budget.steps == 7);
	assert_true(s.role[ROLE_REVIEWER].there && !s.role[ROLE_WRITER].there);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		cleanup_llm_settings struct llm_settings other = {0};
		cleanup_error struct error *err = NULL;

		strvec_release(&keys);
		strvec_release(&values);
		strvec_push(&keys, bad[i][0]);
		strvec_push(&values, bad[i][1]);
		err = llm_settings_read(&other, &t, &o, ROLE_WRITER);
		if (!error_is(err, ERROR_USAGE) ||
		    !strstr(error_message(err), bad[i][0]))
			fail_msg("%s = '%s'", bad[i][0], bad[i][1]);
	}
}

static void prompts_are_checked_before_anything_runs(void **state)
{
	static const struct {
		const char *name, *text;
		bool good;
	} table[] = {
		{"step.md", "{{task}} and {{notes}}", true},
		{"system.md", "you", true},
		{"review.md", "{{trouble}}: {{candidates}}", true},
		{"reviewer.md", "you", true},
		/* A text has the words of its own conversation. */
		{"review.md", "{{notes}}", false},
		{"step.md", "{{candidates}}", false},
		{"step.md", "{{task}} and {{secrets}}", false},
		{"step.md", "{{task", false},
		{"step.md", "{{}}", false},
		/* Only the first message has words in it. */
		{"system.md", "{{task}}", false},
		{"planner.md", "{{task}}", false},
		{"plan.md", "{{task}} {{notes}} {{evidence}}", true},
		{"diff-review.md", "{{evidence}}", true},
		{"step.md", "{{evidence}}", false},
		{"other.md", "x", false},
		{"nudge.md", "\xff\xfe", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		cleanup_fileset struct fileset own = FILESET_INIT;
		cleanup_error struct error *err = NULL;

		assert_null(fileset_put(&own, table[i].name, table[i].text,
					strlen(table[i].text), false));
		err = prompts_check(&own);
		assert_int_equal(!err, table[i].good);
	}
}

static void every_prompt_is_carried_along(void **state)
{
	static const char *const names[] = {
		"system.md",	    "step.md",	      "nudge.md",
		"cut.md",	    "stuck.md",	      "reviewer.md",
		"review.md",	    "unanswered.md",  "last.md",
		"planner.md",	    "plan.md",	      "debugger.md",
		"debug.md",	    "searcher.md",    "sweep.md",
		"diff-reviewer.md", "diff-review.md",
	};
	cleanup_fileset struct fileset none = FILESET_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_true(strlen(prompt_text(&none, names[i])) > 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_users_word_is_before_the_tasks),
		cmocka_unit_test(a_model_says_which_protocol_it_is_asked_by),
		cmocka_unit_test(openais_model_and_server_say_which_of_its_two),
		cmocka_unit_test(settings_of_another_operator_are_not_its_own),
		cmocka_unit_test(paths_are_below_the_task_and_nowhere_else),
		cmocka_unit_test(
			what_a_cache_costs_is_what_input_costs_unless_said),
		cmocka_unit_test(a_users_price_is_before_the_tasks),
		cmocka_unit_test(a_model_thinks_unless_it_is_told_otherwise),
		cmocka_unit_test(
			a_role_has_what_it_does_not_say_from_the_operator),
		cmocka_unit_test(a_wrong_role_is_one_sentence_that_names_it),
		cmocka_unit_test(a_users_role_is_before_the_tasks),
		cmocka_unit_test(prompts_are_checked_before_anything_runs),
		cmocka_unit_test(every_prompt_is_carried_along),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
