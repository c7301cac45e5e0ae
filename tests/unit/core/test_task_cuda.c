#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/score/measurement.h"
#include "core/task/task.h"

#define TASK(language, dtype)                                                \
	"name: gemm\nlanguage: " language "\nsources: [k.cu]\nentry: gemm\n" \
	"arguments:\n"                                                       \
	"  - {name: a, dtype: " dtype ", shape: [m], direction: in}\n"       \
	"  - {name: c, dtype: f32, shape: [m], direction: out}\n"            \
	"cases: [{m: 4}]\nflops: m\n"                                        \
	"reference: {source: r.cu, entry: ref, plain: p}\n"
#define CUDA TASK("cuda", "bf16")

static struct error *parse(struct task **out, const char *text)
{
	return task_parse(out, "dir/avogit.yaml", text, strlen(text));
}

static void reads_how_cuda_is_built(void **state)
{
	cleanup_task struct task *t = NULL;

	(void)state;
	assert_null(parse(&t, CUDA "build: {arch: sm_90a, also_build: [sm_80, "
				   "sm_120f], rdc: true, libs: [-lcublas], "
				   "files: [adapter.cu], flags: [-O3, -Xptxas, "
				   "-O2]}\n"));
	assert_int_equal(t->language, LANGUAGE_CUDA);
	assert_string_equal(t->compiler, "nvcc");
	assert_string_equal(t->cuda.arch, "sm_90a");
	assert_int_equal(t->cuda.also.n, 2);
	assert_true(t->cuda.rdc);
	assert_string_equal(t->project.libs.v[0], "-lcublas");
	assert_string_equal(t->project.files.v[0], "adapter.cu");
	assert_int_equal(t->flags.n, 2);
	assert_string_equal(t->flags.v[1], "-Xptxas=-O2");
	assert_true(t->build_seconds == 300);
}

static void reads_which_sanitizers_a_crown_needs(void **state)
{
	static const struct {
		const char *value;
		unsigned tools;
	} good[] = {
		{"true", SANITIZERS_DEFAULT},
		{"false", 0},
		{"[memcheck]", 1U << SANITIZER_MEMCHECK},
		{"[synccheck, initcheck]",
		 1U << SANITIZER_SYNCCHECK | 1U << SANITIZER_INITCHECK},
	};
	cleanup_task struct task *without = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		cleanup_free char *text =
			xasprintf("%ssanitize: %s\n", CUDA, good[i].value);
		cleanup_task struct task *t = NULL;

		assert_null(parse(&t, text));
		assert_int_equal(t->sanitizers, good[i].tools);
	}
	assert_null(parse(&without, CUDA));
	assert_int_equal(without->sanitizers, 0);
}

static void says_what_is_wrong_with_the_sanitizers(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{CUDA "sanitize: [memchek]\n", "memcheck"},
		{CUDA "sanitize: []\n", "a list of tools"},
		{CUDA "sanitize: memcheck\n", "true"},
		{CUDA "sanitize: {memcheck: true}\n", "sanitize"},
		{TASK("c", "f32") "sanitize: true\n", "language: cuda only"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		cleanup_task struct task *t = NULL;
		cleanup_error struct error *err = parse(&t, bad[i].text);

		if (!err || !strstr(error_message(err), bad[i].message))
			fail_msg("%s: %s", bad[i].text,
				 err ? error_message(err) : "taken");
	}
}

static void reads_a_command_of_its_own(void **state)
{
	cleanup_task struct task *t = NULL;

	(void)state;
	assert_null(parse(&t, CUDA "build: {command: [make, -j2], object: "
				   "out/k.so, files: [Makefile, cmake/]}\n"));
	assert_int_equal(t->project.command.n, 2);
	assert_string_equal(t->project.object, "out/k.so");
	assert_null(t->cuda.arch);
}

static void says_what_is_wrong_with_the_build(void **state)
{
	static const struct {
		const char *build, *message;
	} bad[] = {
		{"arch: 90", "such as sm_80"},
		{"arch: sm_90a;x", "such as sm_80"},
		{"arch: compute_90", "such as sm_80"},
		{"also_build: [sm_80, sm_80]", "only once"},
		{"also_build: [sm_90, sm_90a]", "only once"},
		{"compiler: gcc", "it must be nvcc"},
		{"libs: [libx.a]", "-lNAME"},
		{"command: [make]", "object"},
		{"object: k.so", "command"},
		{"command: [make], object: ../../k.so", "stay in the"},
		{"command: [make], object: /k.so", "stay in the"},
		{"command: [make], object: k.so, flags: [-O3]",
		 "the command that decides"},
		{"command: [], object: k.so", "1 to 64 words"},
		{"files: [../../x]", "stay in the repository"},
		{"files: [..]", "name files or folders"},
		{"generate: [sh]", "generate"},
		{"arhc: sm_80", "'arch'"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		cleanup_free char *text =
			xasprintf("%sbuild: {%s}\n", CUDA, bad[i].build);
		cleanup_task struct task *t = NULL;
		cleanup_error struct error *err = parse(&t, text);

		if (!err || !strstr(error_message(err), bad[i].message))
			fail_msg("%s: %s", bad[i].build,
				 err ? error_message(err) : "taken");
	}
}

static bool takes(const char *flag)
{
	cleanup_free char *text =
		xasprintf("%sbuild: {flags: ['%s']}\n", CUDA, flag);
	cleanup_task struct task *t = NULL;
	cleanup_error struct error *err = parse(&t, text);

	return !err;
}

static void takes_flags_of_nvcc_that_only_change_the_code(void **state)
{
	static const char *const good[] = {
		"-O3",
		"-use_fast_math",
		"--use_fast_math",
		"-maxrregcount=128",
		"--maxrregcount=64",
		"-lineinfo",
		"-std=c++17",
		"--std=c++20",
		"--expt-relaxed-constexpr",
		"--extended-lambda",
		"-Xptxas=-O3,-dlcm=cg",
		"--ptxas-options=-v",
		"-Xptxas=--allow-expensive-optimizations=true",
		"-Xcompiler=-O2,-march=native",
		"-DTILE=64",
		"-UNDEBUG",
		"-ftz=true",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		if (!takes(good[i]))
			fail_msg("refused: %s", good[i]);
}

static void refuses_flags_of_nvcc_that_reach_further(void **state)
{
	static const char *const bad[] = {
		"-ccbin=gcc",
		"-ccbin",
		"--compiler-bindir=x",
		"-run",
		"--run",
		"--run-args=x",
		"-keep",
		"--keep-dir=x",
		"-o",
		"-odir=x",
		"@flags",
		"--options-file=x",
		"-optf=x",
		"-include=x",
		"-isystem=x",
		"-I.",
		"-L.",
		"-lcublas",
		"-Xlinker=-rpath",
		"-Xcompiler=-fplugin=x.so",
		"-Xcompiler=-B.",
		"-Xcompiler=-Wl,-rpath",
		"-Xcompiler=-O2,-wrapper",
		"-Xcompiler=",
		"-Xcompiler",
		"-Xptxas=-o",
		"-Xptxas=-O3,",
		"-Xptxas=-O3,,-v",
		"-Xptxas",
		"-Xnvlink=-o",
		"-Xfatbin=x",
		"-Xcudafe=x",
		"-gencode=arch=compute_80,code=sm_80",
		"-arch=sm_80",
		"-arch=native",
		"-rdc=true",
		"-dc",
		"-E",
		"-M",
		"-MF",
		"-time=x",
		"--time=x.csv",
		"-forward-unknown-to-host-compiler",
		"-forward-unknown-opts",
		"-ldir=x",
		"-target-dir=x",
		"-dryrun",
		"-D",
		"-D=x",
		"-maxrregcount=",
		"-maxrregcount=x",
		"-std=x",
		"-fdevice-time-trace=x",
		"-pch",
		"-pch-dir=x",
		"-gen-opt-lto",
		"-x=c",
		"-cudart=none",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (takes(bad[i]))
			fail_msg("taken: %s", bad[i]);
}

static void words_that_follow_a_flag_become_part_of_it(void **state)
{
	cleanup_strvec struct strvec flags = STRVEC_INIT;

	(void)state;
	strvec_pushl(&flags, "-Xptxas", "-O1", "-O3", "-Xcompiler", NULL);
	flags_join_pairs(&flags);
	assert_int_equal(flags.n, 3);
	assert_string_equal(flags.v[0], "-Xptxas=-O1");
	assert_string_equal(flags.v[1], "-O3");
	assert_string_equal(flags.v[2], "-Xcompiler");
	assert_null(flags.v[3]);
}

static void floats_of_eight_bits_are_for_cuda(void **state)
{
	cleanup_task struct task *t = NULL, *none = NULL;
	cleanup_error struct error *err = NULL;

	(void)state;
	assert_null(parse(&t, TASK("cuda", "f8e4m3")));
	assert_int_equal(t->argument[0].dtype, DTYPE_F8E4M3);
	err = parse(&none, TASK("c", "f8e5m2"));
	assert_non_null(err);
	assert_non_null(strstr(error_message(err), "language: cuda"));
}

static void put(struct fileset *f, const char *path, const char *text)
{
	assert_null(fileset_put(f, path, text, strlen(text), false));
}

static void identity_of(char id[IDENTITY_HEX_LEN + 1], const char *build,
			const char *adapter)
{
	cleanup_free char *text = xasprintf("%sbuild: {%s}\n", CUDA, build);
	cleanup_fileset struct fileset base = {0};
	cleanup_task struct task *t = NULL;

	put(&base, "dir/k.cu", "kernel");
	put(&base, "dir/r.cu", "reference");
	put(&base, "dir/adapter.cu", adapter);
	assert_null(parse(&t, text));
	assert_null(task_check_files(t, &base));
	task_identity(id, t, &base);
}

static void the_build_is_part_of_the_identity(void **state)
{
	static const char *const builds[] = {
		"flags: [-O3]",
		"arch: sm_80",
		"arch: sm_90a",
		"rdc: true",
		"libs: [-lcublas]",
		"files: [adapter.cu]",
		"command: [make], object: k.so",
		"command: [make], object: l.so",
	};
	char id[ARRAY_SIZE(builds) + 1][IDENTITY_HEX_LEN + 1];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(builds); i++)
		identity_of(id[i], builds[i], "adapter");
	identity_of(id[ARRAY_SIZE(builds)], "files: [adapter.cu]", "other");
	for (size_t i = 0; i < ARRAY_SIZE(id); i++)
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(id[i], id[j]);
}

static void caches_are_cold_where_nobody_says_warm(void **state)
{
	static const char *const words[] = {"", "cache: cold\n",
					    "cache: warm\n"};
	char id[ARRAY_SIZE(words)][IDENTITY_HEX_LEN + 1];
	const struct fileset none = FILESET_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		cleanup_free char *text = xasprintf("%s%s", CUDA, words[i]);
		cleanup_task struct task *t = NULL;

		assert_null(parse(&t, text));
		assert_int_equal(t->cache, i == 2 ? CACHE_WARM : CACHE_COLD);
		task_identity(id[i], t, &none);
	}
	assert_string_equal(id[0], id[1]);
	assert_string_not_equal(id[0], id[2]);
}

static void a_build_file_is_no_source_and_is_there(void **state)
{
	static const struct {
		const char *files, *message;
	} bad[] = {{"k.cu", "among the sources"}, {"gone.cu", "no file of"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		cleanup_free char *text = xasprintf("%sbuild: {files: [%s]}\n",
						    CUDA, bad[i].files);
		cleanup_fileset struct fileset base = {0};
		cleanup_task struct task *t = NULL;
		cleanup_error struct error *err = NULL;

		put(&base, "dir/k.cu", "kernel");
		put(&base, "dir/r.cu", "reference");
		assert_null(parse(&t, text));
		err = task_check_files(t, &base);
		assert_non_null(err);
		assert_non_null(strstr(error_message(err), bad[i].message));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_how_cuda_is_built),
		cmocka_unit_test(reads_which_sanitizers_a_crown_needs),
		cmocka_unit_test(says_what_is_wrong_with_the_sanitizers),
		cmocka_unit_test(reads_a_command_of_its_own),
		cmocka_unit_test(says_what_is_wrong_with_the_build),
		cmocka_unit_test(takes_flags_of_nvcc_that_only_change_the_code),
		cmocka_unit_test(refuses_flags_of_nvcc_that_reach_further),
		cmocka_unit_test(words_that_follow_a_flag_become_part_of_it),
		cmocka_unit_test(floats_of_eight_bits_are_for_cuda),
		cmocka_unit_test(the_build_is_part_of_the_identity),
		cmocka_unit_test(caches_are_cold_where_nobody_says_warm),
		cmocka_unit_test(a_build_file_is_no_source_and_is_there),
	};

	return cmocka_run_group_tests_name("task in CUDA", tests, NULL, NULL);
}
