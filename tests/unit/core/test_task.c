#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/task/layout.h"
#include "core/score/measurement.h"
#include "core/base/secret.h"
#include "core/task/hidden.h"

#define HEAD "name: gemm\nlanguage: c\nsources: [k.c]\nentry: gemm\n"
#define ARGUMENTS                                                   \
	"arguments:\n"                                              \
	"  - {name: a, dtype: f32, shape: [m, k], direction: in}\n" \
	"  - {name: c, dtype: f32, shape: [m], direction: out}\n"   \
	"  - {name: m, dtype: i32, value: m}\n"
#define CASES	  "cases: [{m: 4, k: 8, weight: 2}, {m: 1, k: 1}]\n"
#define REFERENCE "reference: {source: r.c, entry: ref, plain: p}\n"
#define REST	  CASES REFERENCE "flops: 2 * m * k\n"
#define GOOD	  HEAD ARGUMENTS REST

#define WITH(argument) HEAD ARGUMENTS "  - " argument "\n" REST

static struct error *parse(struct task **out, const char *text)
{
	return task_parse(out, "dir/avogit.yaml", text, strlen(text));
}

static void reads_a_whole_task(void **state)
{
	cleanup_task struct task *t = NULL;

	(void)state;
	assert_null(parse(&t, GOOD "hidden: {m: 1..9, k: {low: 8, high: 64, "
				   "step: 8}}\n"
				   "build: {flags: [-O2], allow: [-O3]}\n"
				   "baselines: {blas: {source: b.c, entry: b, "
				   "libs: [-lopenblas]}}\n"
				   "limits: {timeout: 3s, memory: 64MiB}\n"
				   "budget: {attempts: 5, time: 2m, "
				   "ceiling: 0.95}\n"
				   "operator: {name: tuner, stall: 7}\n"
				   "supervisor: {stall: 7, patience: 90s, "
				   "lineages: 3}\n"
				   "knowledge: [docs/, 'notes/*.md']\n"
				   "portable: [h100, 'Card B']\n"));
	assert_string_equal(t->prefix, "dir/");
	assert_int_equal(t->n_arguments, 3);
	assert_int_equal(t->argument[1].direction, DIRECTION_OUT);
	assert_int_equal(t->n_cases, 2);
	assert_string_equal(t->cases[0].name, "m=4 k=8");
	assert_true(t->cases[0].weight == 2);
	assert_true(t->hidden[1].step == 8);
	assert_true(t->timeout_seconds == 3);
	assert_int_equal(t->memory_bytes, 64 << 20);
	assert_true(t->budget.seconds == 120);
	assert_true(t->budget.ceiling == 0.95);
	assert_string_equal(t->operator_settings,
			    "{\"name\":\"tuner\",\"stall\":7}");
	assert_int_equal(t->supervisor.stall, 7);
	assert_true(t->supervisor.patience == 90);
	assert_int_equal(t->supervisor.max_lineages, 3);
	assert_int_equal(t->knowledge.n, 2);
	assert_string_equal(t->knowledge.v[1], "notes/*.md");
	assert_int_equal(t->portable.n, 2);
	assert_string_equal(t->portable.v[1], "Card B");
	assert_true(t->tolerance.factor == 2);
}

static void the_supervisor_has_its_rules_or_is_off(void **state)
{
	cleanup_task struct task *usual = NULL, *some = NULL, *off = NULL;

	(void)state;
	assert_null(parse(&usual, GOOD));
	assert_int_equal(usual->supervisor.stall, 12);
	assert_true(usual->supervisor.patience == 1800);
	assert_int_equal(usual->supervisor.max_lineages, 4);
	assert_null(parse(&some, GOOD "supervisor: {patience: 1h}\n"));
	assert_int_equal(some->supervisor.stall, 12);
	assert_true(some->supervisor.patience == 3600);
	assert_null(parse(&off, GOOD "supervisor: off\n"));
	assert_int_equal(off->supervisor.stall, 0);
	assert_true(off->supervisor.patience == 0);
}

static void there_are_islands_where_the_task_says_so(void **state)
{
	cleanup_task struct task *none = NULL, *some = NULL, *all = NULL;

	(void)state;
	assert_null(parse(&none, GOOD));
	assert_int_equal(none->islands.count, 0);
	assert_null(parse(&some, GOOD "islands: {count: 4}\n"));
	assert_int_equal(some->islands.count, 4);
	assert_int_equal(some->islands.attempts, 16);
	assert_int_equal(some->islands.accepted, 4);
	assert_null(parse(&all, GOOD "islands: {count: 2, attempts: 9, "
				     "accepted: 1}\n"));
	assert_int_equal(all->islands.attempts, 9);
	assert_int_equal(all->islands.accepted, 1);
}

static void one_launch_at_least_is_checked_whole(void **state)
{
	cleanup_task struct task *usual = NULL, *more = NULL;

	(void)state;
	assert_null(parse(&usual, GOOD));
	assert_int_equal(usual->check, 1);
	assert_null(parse(&more, GOOD "check: 8\n"));
	assert_int_equal(more->check, 8);
}

static void says_what_is_wrong_and_where(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{"", "empty"},
		{"name: [", "no YAML"},
		{GOOD "flopz: 3\n", "nearest known one is 'flops'"},
		{GOOD "name: twice\n", "there twice"},
		{GOOD "check: 0\n", "check"},
		{GOOD "---\nname: x\n", "second document"},
		{"a: &x 1\nb: *x\n", "anchors"},
		{HEAD ARGUMENTS CASES "flops: 1\n", "'reference' is missing"},
		{HEAD ARGUMENTS CASES REFERENCE, "flops' or 'bytes"},
		{HEAD "arguments: []\n" REST, "1 to 32 arguments"},
		{HEAD "arguments:\n  - {name: c, dtype: fp32, shape: [m], "
		      "direction: out}\n" REST,
		 "found 'fp32'; allowed are: f32"},
		{HEAD "arguments:\n  - {name: a, dtype: f32, shape: [m], "
		      "direction: in}\n" REST,
		 "direction out, inout or return"},
		{HEAD "arguments:\n  - {name: c, dtype: f32, shape: [n], "
		      "direction: out}\n" REST,
		 "no case gives a value"},
		{HEAD "arguments:\n  - {name: c, dtype: f32, shape: [m, k], "
		      "strides: [1, 1], direction: out}\n" REST,
		 "share a place"},
		/* Thrice that is 2 beyond 64 bits. */
		{WITH("{name: d, dtype: f32, shape: [m, k], "
		      "strides: [6148914691236517206, 1]}"),
		 "too large"},
		{HEAD ARGUMENTS "cases: [{m: 4, k: 8}, {m: 1}]\n" REFERENCE
				"flops: m\n",
		 "'k' is missing"},
		{HEAD ARGUMENTS "cases: [{m: -4, k: 8}]\n" REFERENCE
				"flops: m\n",
		 "from 0 to"},
		{GOOD "hidden: {m: 9..1, k: 1..2}\n", "LOW..HIGH"},
		{GOOD "build: {flags: [-fplugin=evil.so]}\n", "-fplugin"},
		{GOOD "build: {flags: ['-O2 -o x']}\n", "-O2 -o x"},
		{GOOD "build: {compiler: ../cc}\n", "name of a program"},
		{GOOD "baselines: {b: {source: b.c, entry: b, libs: "
		      "[/tmp/x.so]}}\n",
		 "-lNAME"},
		{GOOD "tolerance: {factor: 2, rtol: 1}\n", "not both"},
		{GOOD "tolerance: {factor: 0}\n",
		 "tolerance.factor: found '0'; it is from 1 to 1000"},
		{GOOD "tolerance: {rtol: -1}\n", "tolerance.rtol: found '-1'"},
		{GOOD "metric: fast\n", "latency throughput"},
		{GOOD "batch: 4\n", "throughput only"},
		{GOOD "threads: 0\n", "from 1 to"},
		{GOOD "limits: {timeout: soon}\n", "10s, 30m"},
		{GOOD "include: [../../up]\n", "stay in the repository"},
		{GOOD "include: [/usr/include]\n", "stay in the repository"},
		{GOOD "knowledge: [docs/, ../other]\n", "without '..'"},
		{GOOD "knowledge: [/usr/share/doc]\n", "without '..'"},
		{GOOD "knowledge: []\n", "at least one path"},
		{GOOD "knowledge: {docs: 1}\n", "avogit.yaml:12: knowledge"},
		{GOOD "supervisor: {stall: 1}\n",
		 "avogit.yaml:12: supervisor.stall: found '1'; it must be"},
		{GOOD "supervisor: {stall: -3}\n", "supervisor.stall"},
		{GOOD "supervisor: {patience: soon}\n", "10s, 30m"},
		{GOOD "supervisor: {lineages: 1}\n", "supervisor.lineages"},
		{GOOD "supervisor: {stal: 4}\n",
		 "nearest known one is 'stall'"},
		{GOOD "supervisor: on\n", "found 'on'; allowed are: off"},
		{GOOD "supervisor: [12]\n", "avogit.yaml:12: supervisor"},
		{GOOD "islands: 4\n", "avogit.yaml:12: islands"},
		{GOOD "islands: {count: 0}\n", "islands.count: found '0'"},
		{GOOD "islands: {attempts: 4}\n", "islands"},
		{WITH("{name: q, dtype: f32, shape: [m], align: 8192}"),
		 "arguments.q.align: found '8192'; it must be a whole number "
		 "from 1 to 4096"},
		{WITH("{name: q, workspace: m, zeroed: perhaps}"),
		 "arguments.q.zeroed: found 'perhaps'; allowed are: false "
		 "true"},
		{GOOD "operator: evolve\n", "tuner llm command replay"},
		{"name: a/b\nlanguage: c\nsources: [k.c]\nentry: "
		 "e\n" ARGUMENTS REST,
		 "at most 60 letters"},
		{"name: x\nlanguage: rust\nsources: [k.c]\nentry: "
		 "e\n" ARGUMENTS REST,
		 "found 'rust'"},
		{"&x " GOOD, "avogit.yaml:1: anchors"},
		{"!!str " GOOD, "avogit.yaml:1: anchors"},
		{GOOD "\"op\\0en\": 1\n", "NUL"},
		{GOOD "# \x01\n", "avogit.yaml:12: this is no YAML"},
		{"name: g\nlanguage: c\nsources: []\nentry: e\n" ARGUMENTS REST,
		 "avogit.yaml:3: sources: found a list; it must name"},
		{HEAD ARGUMENTS CASES
		 "reference: {sources: [], entry: r}\nflops: m\n",
		 "at least one file"},
		{HEAD ARGUMENTS "cases: [{m: 4, k: 8, b c: 1}]\n" REFERENCE
				"flops: m\n",
		 "avogit.yaml:9: cases: found the symbol 'b c'"},
		{HEAD ARGUMENTS "cases: [{m: 4, k: 8, count: 1}]\n" REFERENCE
				"flops: m\n",
		 "not 'count'"},
		{GOOD "hidden: {m: 1..2, k: {step: 8}}\n",
		 "avogit.yaml:12: hidden.k: the key 'low' is missing"},
		{HEAD ARGUMENTS CASES REFERENCE "flops: 2 * z\n",
		 "avogit.yaml:11: flops: '2 * z' uses z"},
		{WITH("{name: q, dtype: i32, value: 0.5}"),
		 "avogit.yaml:9: arguments.q: found '0.5'; it must be a "
		 "number that its dtype holds"},
		{WITH("{name: q, dtype: u8, value: -1}"), "dtype holds"},
		{WITH("{name: q, dtype: f16, value: 1e9}"), "dtype holds"},
		{WITH("{name: q, dtype: i64, value: 9007199254740993}"),
		 "dtype holds"},
		{WITH("{name: q, dtype: f32, value: nan}"), "uses nan"},
		{WITH("{name: q, struct: [{dtype: i32, value: 1}]}"),
		 "'name' is missing"},
		{WITH("{name: q, struct: [{name: x, dtype: i32, value: 1}, "
		      "{name: x, dtype: i8, value: 1}]}"),
		 "two members"},
		{WITH("{name: q, dtype: i32, shape: [m], fill: {low: 0, "
		      "generator: g}}"),
		 "not both"},
		{GOOD "baselines: {..: {source: b.c, entry: b}}\n",
		 "digit first"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct task *t = NULL;
		cleanup_error struct error *err = parse(&t, bad[i].text);

		assert_null(t);
		assert_non_null(err);
		if (!strstr(error_message(err), bad[i].message) ||
		    !strstr(error_message(err), "dir/avogit.yaml"))
			fail_msg("%zu: '%s' lacks '%s'", i, error_message(err),
				 bad[i].message);
	}
}

static bool takes_flag(const char *flag)
{
	cleanup_free char *text =
		xasprintf(GOOD "build: {allow: ['%s']}\n", flag);
	cleanup_task struct task *t = NULL;
	cleanup_error struct error *err = parse(&t, text);

	return !err;
}

static void takes_flags_that_only_change_the_code(void **state)
{
	static const char *const good[] = {"-O3",
					   "-march=native",
					   "-ffast-math",
					   "-std=gnu11",
					   "-flto",
					   "-flto=auto",
					   "-DN=4",
					   "-mavx2",
					   "-fopenmp",
					   "-pthread",
					   "-g",
					   "-Wno-unused",
					   "-w",
					   "-funroll-loops",
					   "-mprefer-vector-width=512",
					   "-fdevirtualize",
					   "--param=max-unroll-times=4"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		if (!takes_flag(good[i]))
			fail_msg("refused %s", good[i]);
}

static void split(struct strvec *out, const char *words)
{
	while (*words) {
		size_t len = strcspn(words, " ");

		strvec_pushf(out, "%.*s", (int)len, words);
		words += len + strspn(words + len, " ");
	}
}

static bool is_same_code(const char *flags, const char *a, const char *b)
{
	cleanup_strvec struct strvec one = STRVEC_INIT, other = STRVEC_INIT;
	cleanup_strvec struct strvec x = STRVEC_INIT, y = STRVEC_INIT;
	struct task t = {0};

	split(&t.flags, flags);
	split(&one, a);
	split(&other, b);
	task_flags_in_force(&x, &t, &one);
	task_flags_in_force(&y, &t, &other);
	strvec_release(&t.flags);
	return strvec_equal(&x, &y);
}

static void flags_are_the_same_where_the_same_are_in_force(void **state)
{
	static const struct {
		const char *task, *a, *b;
		bool same;
	} given[] = {
		{"-O2", "-O2", "", true},
		{"-O2", "-O3 -O2", "", true},
		{"-O3 -O2", "-O2 -fwrapv", "-fwrapv", true},
		{"-O2 -ffast-math", "-O2", "", true},
		{"-fwrapv -funroll-loops", "-fno-wrapv -fwrapv", "", true},
		{"-DN=4 -DM", "-DN=4", "", true},
		{"-O2", "-O3", "", false},
		{"-O2", "-O2 -O3", "-O2", false},
		{"-O2 -fwrapv", "-fno-wrapv", "", false},
		{"-DN=4", "-DN=5", "", false},
		{"-DN=4", "-UN", "", false},
		{"-march=x86-64", "-march=native", "", false},
		/* clang takes it back */
		{"-ffast-math -fno-finite-math-only", "-ffast-math", "", false},
		{"-mavx512f", "-mno-avx", "-mno-avx -mavx512f", false},
		{"-Xptxas=-O1", "-Xptxas=-O3", "", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(given); i++)
		if (is_same_code(given[i].task, given[i].a, given[i].b) !=
		    given[i].same)
			fail_msg("%s: '%s' beside '%s'", given[i].task,
				 given[i].a, given[i].b);
}

static void refuses_flags_that_reach_beyond_the_sources(void **state)
{
	static const char *const bad[] = {"-fplugin=x",
					  "-fpass-plugin=x",
					  "--prefix=x",
					  "--for-linker=x",
					  "--output=x",
					  "-Xclang",
					  "-mllvm",
					  "--config=x",
					  "--ld-path=x",
					  "-Wl,-x",
					  "-Wl",
					  "-fopt-info-all=f",
					  "-iwithprefix",
					  "--gcc-toolchain=x",
					  "-resource-dir=x",
					  "-aux-info",
					  "-fauto-profile=f",
					  "-DX=/etc/passwd",
					  "-",
					  "-D",
					  "-B.",
					  "-ofile",
					  "-lm",
					  "-I.",
					  "-L.",
					  "-Tx",
					  "-xc",
					  "-wrapper",
					  "-specs=x",
					  "-include",
					  "-imacros",
					  "@file",
					  "kernel.c",
					  "-r",
					  "-z",
					  "-###"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (takes_flag(bad[i]))
			fail_msg("took %s", bad[i]);
}

static void a_folder_that_reads_as_a_pattern_is_refused(void **state)
{
	cleanup_task struct task *t = NULL;
	cleanup_error struct error *err = NULL;

	(void)state;
	err = task_parse(&t, "k[1]/avogit.yaml", "name: k", 7);
	assert_non_null(err);
	assert_non_null(strstr(error_message(err), "k[1]/avogit.yaml: its path "
						   "has a '['"));
}

static void an_input_needs_no_direction(void **state)
{
	cleanup_task struct task *t = NULL;

	(void)state;
	assert_null(parse(&t, WITH("{name: q, dtype: i32, shape: [m], fill: "
				   "{low: 0, high: m - 1}}")));
	assert_int_equal(t->argument[3].direction, DIRECTION_IN);
}

static void settings_of_the_operator_keep_their_types(void **state)
{
	cleanup_task struct task *t = NULL;

	(void)state;
	assert_null(parse(&t, GOOD "operator: {name: tuner, a: true, b: "
				   "'true', c: nan, d: 1e999, e: 2}\n"));
	assert_string_equal(t->operator_settings,
			    "{\"name\":\"tuner\",\"a\":true,\"b\":\"true\","
			    "\"c\":\"nan\",\"d\":\"1e999\",\"e\":2}");
}

static void put(struct fileset *fs, const char *path, const char *text)
{
	assert_null(fileset_put(fs, path, text, strlen(text), false));
}

static void checks_the_files_it_names(void **state)
{
	cleanup_fileset struct fileset base = FILESET_INIT;
	cleanup_task struct task *t = NULL, *greedy = NULL;
	cleanup_error struct error *err = NULL;

	(void)state;
	assert_null(parse(&t, GOOD));
	put(&base, "dir/avogit.yaml", GOOD);
	put(&base, "dir/k.c", "int x;");
	err = task_check_files(t, &base);
	assert_non_null(strstr(error_message(err), "dir/r.c"));
	error_free(err);
	put(&base, "dir/r.c", "int y;");
	err = task_check_files(t, &base);
	assert_null(err);
	assert_null(parse(&greedy,
			  "name: g\nlanguage: c\nsources: ['*.c']\nentry: "
			  "e\n" ARGUMENTS REST));
	err = task_check_files(greedy, &base);
	assert_non_null(strstr(error_message(err), "trusted"));
}

static void identity_of(char *out, const char *text, const char *reference)
{
	cleanup_fileset struct fileset base = FILESET_INIT;
	cleanup_task struct task *t = NULL;

	assert_null(parse(&t, text));
	put(&base, "dir/r.c", reference);
	task_identity(out, t, &base);
}

#define FOR_A_LIBRARY(version)                                                \
	GOOD "baselines: {fa: {source: b.c, entry: b, library: /l.so" version \
	     "}}\n"

#define PYTHON                                                                \
	"name: rows\nlanguage: python\nsources: [k.py]\nentry: f\n" ARGUMENTS \
		CASES "reference: {torch: r.py, entry: f, plain: p}\n"        \
	"flops: m\n"

static void what_is_forbidden_is_of_its_identity(void **state)
{
	static const char *const wrong[] = {
		"{calls: [torch.softmax]}", "{calls: ['a::']}",
		"{calls: ['::a']}",	    "{calls: [1a]}",
		"{modules: [a..b]}",	    "{modules: [a/b]}",
		"{modules: [.a]}",	    "{other: [a]}"};
	cleanup_task struct task *t = NULL, *plain = NULL;
	char a[IDENTITY_HEX_LEN + 1], b[IDENTITY_HEX_LEN + 1];
	cleanup_fileset struct fileset base = FILESET_INIT;

	(void)state;
	put(&base, "dir/r.py", "ref");
	assert_null(parse(&plain, PYTHON));
	assert_null(parse(&t, PYTHON "forbidden: {calls: [_softmax, 'aten::mm'"
				     "], modules: [vllm.attention]}\n"));
	assert_int_equal(t->forbidden_calls.n, 2);
	assert_string_equal(t->forbidden_modules.v[0], "vllm.attention");
	task_identity(a, plain, &base);
	task_identity(b, t, &base);
	assert_string_not_equal(a, b);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		cleanup_free char *text =
			xasprintf(PYTHON "forbidden: %s\n", wrong[i]);
		cleanup_task struct task *none = NULL;
		cleanup_error struct error *err = parse(&none, text);

		assert_non_null(err);
		assert_non_null(strstr(error_message(err), "forbidden"));
	}
}

static void a_compiled_language_forbids_no_call(void **state)
{
	cleanup_task struct task *t = NULL;
	cleanup_error struct error *err =
		parse(&t, GOOD "forbidden: {calls: [mm]}\n");

	(void)state;
	assert_non_null(strstr(error_message(err), "in Python alone"));
}

static void a_librarys_version_is_of_its_identity(void **state)
{
	char a[IDENTITY_HEX_LEN + 1], b[IDENTITY_HEX_LEN + 1];

	(void)state;
	identity_of(a, FOR_A_LIBRARY(""), "ref");
	identity_of(b, FOR_A_LIBRARY(", version: 2.1"), "ref");
	assert_string_not_equal(a, b);
	identity_of(a, FOR_A_LIBRARY(", version: 2.1"), "ref");
	assert_string_equal(a, b);
	/* Where it lies on this machine is not. */
	identity_of(b,
		    GOOD "baselines: {fa: {source: b.c, entry: b, "
			 "library: [/m.so, /n.so], version: 2.1}}\n",
		    "ref");
	assert_string_equal(a, b);
}

static void refuses_hidden_sizes_that_no_array_has(void **state)
{
	static const char *const cases[][2] = {
		{GOOD "hidden: {m: 0..9, k: 1..2}\n",
		 "avogit.yaml:12: hidden.m: found '0..9'; it draws m=0 "
		 "k=1, "
		 "too, where 'm' of argument a is 0, and must be 1 or "
		 "more"},
		{GOOD "hidden:\n  k: 1..2\n  m: [0, 3]\n",
		 "avogit.yaml:14: hidden.m: found a list; it draws m=0 "
		 "k=1"},
		{WITH("{name: q, dtype: f32, shape: [m - k], "
		      "direction: in}") "hidden: {m: 4..9, k: 1..9}\n",
		 "found '4..9'; it draws m=4 k=9, too, where 'm - k' "
		 "of "
		 "argument q is -5"},
		{WITH("{name: q, dtype: f32, shape: [64 / m], "
		      "direction: in}") "hidden: {m: 4..99, k: 1..9}\n",
		 "'64 / m' of argument q is 0"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_task struct task *t = NULL;
		cleanup_error struct error *err = parse(&t, cases[i][0]);

		assert_true(error_is(err, ERROR_TASK));
		assert_non_null(strstr(error_message(err), cases[i][1]));
	}
}

static void its_identity_is_what_a_measurement_depends_on(void **state)
{
	char a[IDENTITY_HEX_LEN + 1], b[IDENTITY_HEX_LEN + 1];

	(void)state;
	identity_of(a, GOOD, "ref");
	identity_of(b,
		    "# a comment\n" GOOD "budget: {attempts: 9}\n"
		    "supervisor: off\n",
		    "ref");
	assert_string_equal(a, b);
	identity_of(b, GOOD, "other");
	assert_string_not_equal(a, b);
	identity_of(b, GOOD "tolerance: {factor: 3}\n", "ref");
	assert_string_not_equal(a, b);
	identity_of(b, GOOD "cache: cold\n", "ref");
	assert_string_not_equal(a, b);
}

static void hidden_cases_stay_in_their_ranges(void **state)
{
	cleanup_task struct task *t = NULL;
	struct secret_random r;

	(void)state;
	secret_random_repeat(&r, 1);
	assert_null(parse(&t, GOOD "hidden: {count: 2, m: 3..5, k: {low: 10, "
				   "high: 40, step: 8}}\n"));
	for (size_t i = 0; i < 200; i++) {
		struct task_case c;

		hidden_draw(&c, t, &r);
		assert_in_range(c.value[0], 3, 5);
		assert_in_range(c.value[1], 16, 40);
		assert_int_equal(c.value[1] % 8, 0);
		task_case_release(&c);
	}
}

static void tensors_lie_between_guards_or_against_a_page(void **state)
{
	cleanup_task struct task *t = NULL;
	struct layout l;

	(void)state;
	assert_null(parse(&t, GOOD));
	assert_null(layout_make(&l, t, &t->cases[0], false));
	assert_int_equal(l.n, 3);
	assert_int_equal(l.arg[0].tensor.bytes, 4 * 4 * 8);
	assert_int_equal(l.arg[0].tensor.offset, l.arg[0].tensor.begin);
	assert_int_equal(l.arg[1].tensor.offset,
			 l.arg[1].tensor.begin + LAYOUT_GUARD);
	assert_int_equal(l.rows, 4);
	assert_int_equal(l.arg[2].value.bytes, 4);
	assert_int_equal(l.arg[2].value.data[0], 4);
	assert_null(layout_make(&l, t, &t->cases[0], true));
	assert_true(l.arg[0].tensor.end - l.arg[0].tensor.offset -
			    l.arg[0].tensor.bytes <
		    64);
	assert_int_equal(l.arg[0].tensor.end % LAYOUT_PAGE, 0);
	/* On a GPU, and with another runner, nothing faults before it. */
	for (size_t i = 0; i < 2; i++) {
		t->language = i ? LANGUAGE_RUNNER : LANGUAGE_CUDA;
		assert_null(layout_make(&l, t, &t->cases[0], false));
		assert_true(l.arg[0].tensor.offset >=
			    l.arg[0].tensor.begin + LAYOUT_GUARD);
		assert_int_equal(l.arg[0].tensor.offset % 64, 0);
	}
	t->language = LANGUAGE_C;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_whole_task),
		cmocka_unit_test(the_supervisor_has_its_rules_or_is_off),
		cmocka_unit_test(there_are_islands_where_the_task_says_so),
		cmocka_unit_test(one_launch_at_least_is_checked_whole),
		cmocka_unit_test(says_what_is_wrong_and_where),
		cmocka_unit_test(takes_flags_that_only_change_the_code),
		cmocka_unit_test(
			flags_are_the_same_where_the_same_are_in_force),
		cmocka_unit_test(refuses_flags_that_reach_beyond_the_sources),
		cmocka_unit_test(a_folder_that_reads_as_a_pattern_is_refused),
		cmocka_unit_test(an_input_needs_no_direction),
		cmocka_unit_test(settings_of_the_operator_keep_their_types),
		cmocka_unit_test(checks_the_files_it_names),
		cmocka_unit_test(what_is_forbidden_is_of_its_identity),
		cmocka_unit_test(a_compiled_language_forbids_no_call),
		cmocka_unit_test(a_librarys_version_is_of_its_identity),
		cmocka_unit_test(refuses_hidden_sizes_that_no_array_has),
		cmocka_unit_test(its_identity_is_what_a_measurement_depends_on),
		cmocka_unit_test(hidden_cases_stay_in_their_ranges),
		cmocka_unit_test(tensors_lie_between_guards_or_against_a_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
