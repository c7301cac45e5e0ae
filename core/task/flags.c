/* The flags of a compiler that a task file may give. */
#include <ctype.h>

#include "core/task/reader.h"

/* The beginnings of flags that are allowed. Not a list of what is forbidden,
 * because compilers keep getting new spellings for "read, write or run this"
 * (-fpass-plugin, --prefix, -Xclang, --config). The build is sandboxed as well;
 * this list keeps a task file from doing other than it says. */
static const char *const allowed_starts[] = {
	"-O",	 "-f", "-m",	   "-W",    "-D",	 "-U",
	"-std=", "-g", "--param=", "-ansi", "-pedantic", "-pthread"};

/* Exceptions to these: flags that name files, programs, plugins or the linker's
 * options, write files of their own, or take the next flag as a value. */
static const char *const refused_starts[] = {"-Wl",
					     "-Wa,",
					     "-Wp,",
					     "-fplugin",
					     "-fpass-plugin",
					     "-fload",
					     "-fdump",
					     "-fprofile",
					     "-fauto-profile",
					     "-fsanitize",
					     "-fuse-ld",
					     "-fopt-info",
					     "-fsave-",
					     "-fstack-usage",
					     "-fcallgraph-info",
					     "-ftest-coverage",
					     "-fmodule",
					     "-fdiagnostics",
					     "-fdebug-prefix",
					     "-ffile-",
					     "-fcrash-",
					     "-fcoverage-",
					     "-fembed-",
					     "-fproc-stat-report",
					     "-fsyntax-only",
					     "-fpreprocessed",
					     "-fwpa",
					     "-fltrans",
					     "-fresolution",
					     "-flto-",
					     "-fmacro-prefix-map",
					     "-fcompare-debug",
					     "-ftime-",
					     "-fxray",
					     "-fbuild-session",
					     "-fcas-",
					     "-fprebuilt",
					     "-finput",
					     "-fcs-profile",
					     "-fmemory-profile",
					     "-fthinlto",
					     "-frecord-command-line",
					     "-foffload",
					     "-frandomize-layout-seed-file",
					     "-mllvm",
					     "-mmlir",
					     "-gsplit-dwarf",
					     "-gen-"};

static bool starts_with_any(const char *flag, const char *const *starts,
			    size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (starts_with(flag, starts[i]))
			return true;
	return false;
}

/* Blanks, characters with a meaning to a shell, paths, files of options. */
static bool names_something(const char *flag)
{
	return strpbrk(flag, " \t\n'\"`$;&|<>\\*?(){}/@") != NULL;
}

static bool c_flag_is_safe(const char *flag)
{
	if (names_something(flag) || str_eq(flag, "-D") || str_eq(flag, "-U") ||
	    str_eq(flag, "-f") || str_eq(flag, "-m"))
		return false;
	if (str_eq(flag, "-w"))
		return true;
	return starts_with_any(flag, allowed_starts,
			       ARRAY_SIZE(allowed_starts)) &&
	       !starts_with_any(flag, refused_starts,
				ARRAY_SIZE(refused_starts));
}

bool task_flag_is_allowed(const char *flag)
{
	return c_flag_is_safe(flag);
}

/* ---- nvcc -------------------------------------------------------------- */

/* Whole flags: nvcc has a long and a short form of most, and accepts both with
 * one dash or two. */
static const char *const nvcc_flags[] = {
	"-O0",
	"-O1",
	"-O2",
	"-O3",
	"-g",
	"-w",
	"-use_fast_math",
	"-lineinfo",
	"-generate-line-info",
	"-restrict",
	"-expt-relaxed-constexpr",
	"-expt-extended-lambda",
	"-extended-lambda",
	"-extra-device-vectorization",
	"-std=c++11",
	"-std=c++14",
	"-std=c++17",
	"-std=c++20",
	"-std=c++23",
	"-ftz=true",
	"-ftz=false",
	"-fmad=true",
	"-fmad=false",
	"-prec-div=true",
	"-prec-div=false",
	"-prec-sqrt=true",
	"-prec-sqrt=false",
	"-Wno-deprecated-gpu-targets",
};

/* A number follows. */
static const char *const nvcc_numbers[] = {
	"-maxrregcount=", "-diag-suppress=", "-register-usage-level="};

static const char *const ptxas_flags[] = {
	"-O0",
	"-O1",
	"-O2",
	"-O3",
	"-v",
	"-warn-spills",
	"-warn-lmem-usage",
	"-warn-double-usage",
	"-dlcm=ca",
	"-dlcm=cg",
	"-dlcm=cs",
	"-dlcm=cv",
	"-dscm=wb",
	"-dscm=cg",
	"-dscm=cs",
	"-dscm=wt",
	"-fmad=true",
	"-fmad=false",
	"-allow-expensive-optimizations=true",
	"-allow-expensive-optimizations=false",
	"-suppress-stack-size-warning",
	"-disable-optimizer-constants",
	"-extensible-whole-program",
};

static const char *const ptxas_numbers[] = {
	"-opt-level=",	   "-maxrregcount=", "-register-usage-level=",
	"-regUsageLevel=", "-maxntid=",	     "-minnctapersm="};

static bool is_one_of(const char *flag, const char *const *known, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(flag, known[i]))
			return true;
	return false;
}

/* "-maxrregcount=128" */
static bool is_numbered(const char *flag, const char *const *known, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *number = flag + strlen(known[i]);

		if (starts_with(flag, known[i]))
			return *number && strlen(number) < 8 &&
			       !number[strspn(number, "0123456789")];
	}
	return false;
}

static const char *one_dash(const char *flag)
{
	return starts_with(flag, "--") ? flag + 1 : flag;
}

static bool ptxas_flag_is_safe(const char *flag)
{
	flag = one_dash(flag);
	return is_one_of(flag, ptxas_flags, ARRAY_SIZE(ptxas_flags)) ||
	       is_numbered(flag, ptxas_numbers, ARRAY_SIZE(ptxas_numbers));
}

/* Flags that pass others to another program, and the rules for those. */
static const struct {
	const char *start;
	bool (*is_safe)(const char *flag);
} handed_on[] = {
	{"-Xptxas=", ptxas_flag_is_safe},
	{"-ptxas-options=", ptxas_flag_is_safe},
	{"-Xcompiler=", c_flag_is_safe},
	{"-compiler-options=", c_flag_is_safe},
};

/* "-O3,-dlcm=ca": nvcc splits it at the commas. */
static bool all_safe(const char *list, bool (*is_safe)(const char *flag))
{
	while (*list) {
		size_t len = strcspn(list, ",");
		cleanup_free char *one = xstrndup(list, len);

		if (!is_safe(one))
			return false;
		list += len;
		if (*list == ',' && !*++list)
			return false;
	}
	return true;
}

static bool nvcc_flag_is_safe(const char *flag)
{
	flag = one_dash(flag);
	if (names_something(flag))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(handed_on); i++)
		if (starts_with(flag, handed_on[i].start))
			return flag[strlen(handed_on[i].start)] &&
			       all_safe(flag + strlen(handed_on[i].start),
					handed_on[i].is_safe);
	/* A comma only begins another macro. */
	if (starts_with(flag, "-D") || starts_with(flag, "-U"))
		return isalpha((unsigned char)flag[2]) || flag[2] == '_';
	return is_one_of(flag, nvcc_flags, ARRAY_SIZE(nvcc_flags)) ||
	       is_numbered(flag, nvcc_numbers, ARRAY_SIZE(nvcc_numbers));
}

void flags_join_pairs(struct strvec *flags)
{
	static const char *const takes_next[] = {
		"-Xptxas",    "--ptxas-options",    "-ptxas-options",
		"-Xcompiler", "--compiler-options", "-compiler-options"};
	size_t to = 0;

	for (size_t i = 0; i < flags->n; i++) {
		char *flag = flags->v[i];

		if (i + 1 < flags->n &&
		    is_one_of(flag, takes_next, ARRAY_SIZE(takes_next))) {
			flags->v[to++] =
				xasprintf("%s=%s", flag, flags->v[i + 1]);
			free(flag);
			free(flags->v[++i]);
		} else {
			flags->v[to++] = flag;
		}
	}
	flags->n = to;
	if (flags->v)
		flags->v[to] = NULL;
}

/* ---- reading ----------------------------------------------------------- */

struct error *task_read_flags(struct strvec *out, const struct task_reader *r,
			      const struct yaml *y, const char *where)
{
	bool cuda = r->task->language == LANGUAGE_CUDA;

	TRY(reader_words(out, r, y, where));
	if (cuda)
		flags_join_pairs(out);
	for (size_t i = 0; i < out->n; i++)
		if (!(cuda ? nvcc_flag_is_safe : c_flag_is_safe)(out->v[i]))
			return error_new(
				ERROR_TASK,
				"%s:%zu: %s: found '%.60s'; allowed are flags "
				"for optimisation, language and warnings: none "
				"that names files, programs or libraries "
				"(libs, include and sources do that)%s",
				r->path, y->line, where, out->v[i],
				cuda ? ", and none that chooses the "
				       "architecture (build.arch does)"
				     : "");
	return NULL;
}

struct error *task_read_libs(struct strvec *out, const struct task_reader *r,
			     const struct yaml *y, const char *where)
{
	size_t before = out->n;

	TRY(reader_words(out, r, y, where));
	for (size_t i = before; i < out->n; i++) {
		const char *lib = out->v[i];
		bool ok = starts_with(lib, "-l") && lib[2];

		for (const char *c = lib + 2; ok && *c; c++)
			ok = isalnum((unsigned char)*c) || strchr("_+.-", *c);
		if (!ok)
			return reader_refuse(r, y, where,
					     "libs must be a list of -lNAME");
	}
	return NULL;
}
