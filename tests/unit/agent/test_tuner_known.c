#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "agent/tuner/known.h"
#include "agent/tuner/t1.h"

static const char kernel[] = "#define TILE 16 // avogit: 16 32 64\n"
			     "#define MODE fast // avogit: fast slow\n"
			     "// avogit-require: TILE < 64\n";

static void read_space(struct tunables *t, const char *source)
{
	cleanup_fileset struct fileset files = FILESET_INIT;
	const struct task task = {.path = (char *)(uintptr_t) "avogit.yaml",
				  .fixed_flags = true};

	assert_null(fileset_put(&files, "k.c", source, strlen(source), false));
	assert_null(tunables_read(t, &files, &task));
}

static struct error *read_known(struct known_gains *k, const char *text)
{
	cleanup_tunables struct tunables t = {0};

	read_space(&t, kernel);
	return known_read(k, &t, text, strlen(text));
}

static void reads_results_of_t4(void **state)
{
	cleanup_known struct known_gains k = {0};

	(void)state;
	assert_null(read_known(
		&k,
		"{\"schema_version\": \"1.0.0\", \"results\": ["
		"{\"configuration\": {\"TILE\": 32, \"MODE\": \"slow\"},"
		" \"invalidity\": \"correct\", \"measurements\":"
		" [{\"name\": \"time\", \"value\": 2.0, \"unit\": \"ms\"}]},"
		"{\"configuration\": {\"TILE\": \"16\", \"MODE\": \"fast\"},"
		" \"invalidity\": \"compile\", \"measurements\":"
		" [{\"name\": \"time\", \"value\": \"x\", \"unit\": \"\"}]},"
		"{\"configuration\": {\"TILE\": 64, \"MODE\": \"fast\"}},"
		/* It passed, and has no time: it says nothing. */
		"{\"configuration\": {\"TILE\": 32, \"MODE\": \"fast\"},"
		" \"invalidity\": \"correct\", \"measurements\": []},"
		"{\"configuration\": {\"TILE\": 17, \"MODE\": \"fast\"}},"
		"{\"configuration\": {\"TILE\": 16}}]}"));
	assert_int_equal(k.n, 2);
	assert_int_equal(k.other, 4);
	assert_int_equal(k.point[0], 1);
	assert_int_equal(k.point[1], 1);
	assert_true(fabs(k.gain[0] + log(2)) < 1e-12);
	assert_true(isnan(k.gain[1]));
}

/* Kernel Tuner appends to the file of a run that goes on. */
static void reads_a_cache_that_is_not_closed(void **state)
{
	static const char *const ends[] = {"}}", ",\n", "\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		cleanup_known struct known_gains k = {0};
		cleanup_free char *text = xasprintf(
			"{\"tune_params_keys\": [\"TILE\", \"MODE\"],\n"
			"\"cache\": {\n\"16,fast\": {\"TILE\": 16, \"MODE\": "
			"\"fast\", \"time\": 0.5},\n\"32,fast\": {\"TILE\": 32,"
			" \"MODE\": \"fast\", \"time\": "
			"\"CompilationFailedConfig\"}%s",
			ends[i]);

		assert_null(read_known(&k, text));
		assert_int_equal(k.n, 2);
		assert_true(fabs(k.gain[0] - log(2)) < 1e-12);
		assert_true(isnan(k.gain[1]));
	}
}

static void says_what_is_no_such_file(void **state)
{
	static const char *const texts[][2] = {
		{"", "JSON"},
		{"{\"results\": 3}", "neither 'results'"},
		{"[1]", "neither 'results'"},
		{"{\"results\": [{}]}", "result 1 has no 'configuration'"},
		{"{\"cache\": []}", "neither 'results'"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		cleanup_known struct known_gains k = {0};
		cleanup_error struct error *err = read_known(&k, texts[i][0]);

		assert_non_null(err);
		if (i)
			assert_non_null(
				strstr(error_message(err), texts[i][1]));
	}
}

#define T1(parameters, conditions)                                           \
	"{\"ConfigurationSpace\": {\"TuningParameters\": [" parameters "], " \
	"\"Conditions\": [" conditions "]}}"

static const char space[] =
	T1("{\"Name\": \"x\", \"Type\": \"int\", \"Values\": \"[16*i for i in "
	   "range(1, 4)]\", \"Default\": 32}, "
	   "{\"Name\": \"y\", \"Type\": \"int\", \"Values\": \"[1, 2]\"}",
	   "{\"Expression\": \"x * y <= 64\", \"Parameters\": [\"x\", \"y\"]}");

static char *declared(const char *source)
{
	cleanup_t1 struct t1 t = {0};
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	assert_null(t1_parse(&t, space, strlen(space)));
	assert_null(t1_declare(&b, &t, source, strlen(source)));
	return buf_take(&b);
}

static void declares_a_space_in_a_source(void **state)
{
	cleanup_tunables struct tunables t = {0};
	cleanup_free char *alone = declared("");
	cleanup_free char *in = declared("#ifndef y\r\n#define y 2\r\n#endif");
	cleanup_free char *told = declared("// x = 16 is good\nint y = z;\n");

	(void)state;
	assert_string_equal(alone, "#define x 32 // avogit: 16 32 48\n"
				   "#define y 1 // avogit: 1 2\n"
				   "// avogit-require: (x * y <= 64)\n");
	assert_string_equal(in, "#define x 32 // avogit: 16 32 48\n"
				"// avogit-require: (x * y <= 64)\n"
				"#ifndef y\r\n#define y 2 // avogit: 1 2\r\n"
				"#endif");
	assert_non_null(strstr(told, "#define x 32 // avogit: 16 32 48"));
	assert_non_null(strstr(told, "// x = 16 is good\nint y = z;\n"));
	read_space(&t, in);
	assert_int_equal(t.n, 2);
	assert_false(tunables_allowed(&t, (size_t[]){2, 1}));
}

static void says_what_a_space_lacks(void **state)
{
	static const char *const texts[][2] = {
		{"{}", "no ConfigurationSpace"},
		{T1("{\"Name\": \"x y\", \"Values\": \"[1]\"}", ""),
		 "no 'Name' that a source can have"},
		{T1("{\"Name\": \"x\"}", ""), "x has no 'Values'"},
		{T1("{\"Name\": \"x\", \"Values\": \"[]\"}", ""),
		 "x has no value"},
		{T1("{\"Name\": \"x\", \"Values\": \"[1, 1]\"}", ""),
		 "x has a value twice"},
		{T1("{\"Name\": \"x\", \"Values\": \"['a b']\"}", ""),
		 "has blanks"},
		{T1("{\"Name\": \"x\", \"Values\": \"['a/b']\"}", ""),
		 "a value holds a '/'"},
		{T1("{\"Name\": \"x\", \"Values\": \"[1]\"}",
		    "{\"Expression\": \"x / 2\"}"),
		 "a condition: 'x / 2'"},
		{T1("{\"Name\": \"x\", \"Values\": \"[1]\"}, {\"Name\": "
		    "\"x\", \"Values\": \"[1]\"}",
		    ""),
		 "x is described twice"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		cleanup_t1 struct t1 t = {0};
		cleanup_error struct error *err =
			t1_parse(&t, texts[i][0], strlen(texts[i][0]));

		assert_non_null(err);
		assert_non_null(strstr(error_message(err), texts[i][1]));
	}
}

static void a_value_in_force_must_be_one_of_the_space(void **state)
{
	static const char source[] = "#define x 17\n";
	cleanup_t1 struct t1 t = {0};
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_error struct error *err = NULL;

	(void)state;
	assert_null(t1_parse(&t, space, strlen(space)));
	err = t1_declare(&b, &t, source, strlen(source));
	assert_non_null(strstr(error_message(err), "x is 17 in the source"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_results_of_t4),
		cmocka_unit_test(reads_a_cache_that_is_not_closed),
		cmocka_unit_test(says_what_is_no_such_file),
		cmocka_unit_test(declares_a_space_in_a_source),
		cmocka_unit_test(says_what_a_space_lacks),
		cmocka_unit_test(a_value_in_force_must_be_one_of_the_space),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
