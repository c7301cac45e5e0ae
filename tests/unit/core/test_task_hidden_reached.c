/* The numbers of the functions that an entry comes to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/task/hidden.h"

#define TASK                                                           \
	"name: t\nlanguage: c\nsources: [k.c]\nentry: t\narguments:\n" \
	"  - {name: a, dtype: f32, shape: [n]}\n"                      \
	"  - {name: c, dtype: f32, shape: [n], direction: out}\n"      \
	"cases: [{n: 64}]\nbytes: n\nhidden: {n: 2..9}\n"              \
	"reference: {source: r.c, entry: ref, plain: p}\n"

/* The numbers of `source`, in their order; a shim (NULL: none) is beside it. */
static char *numbers_of(const char *source, const char *shim)
{
	static const char task[] = TASK;
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_hidden_numbers struct hidden_numbers all = {0};
	cleanup_task struct task *t = NULL;

	assert_null(task_parse(&t, "avogit.yaml", task, sizeof task - 1));
	assert_null(fileset_put(&files, "k.c", source, strlen(source), false));
	if (shim)
		assert_null(fileset_put(&files, "shim.c", shim, strlen(shim),
					false));
	hidden_numbers_reached(&all, t, &files);
	for (size_t i = 0; i < all.n; i++)
		buf_addf(&text, "%s%jd", i ? " " : "", (intmax_t)all.v[i].size);
	return buf_take(&text);
}

static void counts_what_the_entry_comes_to(void **state UNUSED)
{
	static const struct {
		const char *source, *shim, *numbers;
	} rows[] = {
		{"int o(int n) { return n % 100; }\n"
		 "void t(int n) { n %= 200; }",
		 NULL, "200"},
		{"static int o(int n) { return n % 100; }\n"
		 "static int p(int n) { return o(n) % 101; }\n"
		 "static int q(int n) { return n % 102; }\n"
		 "void t(int n) { p(n % 200); }",
		 NULL, "100 101 200"},
		/* What calls it is not what it comes to. */
		{"void t(int n) { n %= 200; }\n"
		 "int main(void) { t(100); return 300; }",
		 NULL, "200"},
		{"static int o(int);\n"
		 "static int o(int n) { return n % 100; }\n"
		 "void t(int n) { n %= 200; }",
		 NULL, "200"},
		/* By a macro, a table, a default. */
		{"#define CALL(n) \\\n o(n)\n"
		 "static int o(int n) { return n % 100; }\n"
		 "void t(int n) { CALL(n); }",
		 NULL, "100"},
		{"static int o(int n) { return n % 100; }\n"
		 "static int (*const table[])(int) = {o};\n"
		 "void t(int n) { table[0](n); }",
		 NULL, "100"},
		{"static int o(void) { return 1 % 100; }\n"
		 "static int start = o();\nvoid t(int n) { n += start; }",
		 NULL, "1 100"},
		/* Constants of the file count. */
		{"#define TILE 48\nconst int rest = 96;\n"
		 "int o(int n) { return n % 100; }\n"
		 "void t(int n) { n %= TILE; }",
		 NULL, "48 96"},
		/* The entry may be in another file, or nowhere. */
		{"static int o(int n) { return n % 100; }\n"
		 "static int p(int n) { return n % 101; }\n",
		 "#include \"k.c\"\nvoid t(int n) { o(n); }", "100"},
		{"static int o(int n) { return n % 100; }\n", NULL, "100"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_free char *found =
			numbers_of(rows[i].source, rows[i].shim);

		if (!str_eq(found, rows[i].numbers))
			fail_msg("%s: %s", rows[i].source, found);
	}
}

static void survives_a_source_that_ends_anywhere(void **state UNUSED)
{
	static const char source[] =
		"#define A(x) \\\n o(x)\nstatic int o(int n) { if (n) { n %= "
		"8; } return n; }\nint t(int n) { return A(n) + o(4); }";

	for (size_t n = 0; n < sizeof source; n++) {
		cleanup_free char *text = xstrndup(source, n);
		cleanup_free char *found = numbers_of(text, NULL);

		assert_non_null(found);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_what_the_entry_comes_to),
		cmocka_unit_test(survives_a_source_that_ends_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
