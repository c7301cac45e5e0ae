#include "scorer/build/python.h"

#include <glob.h>
#include <unistd.h>

#include "scorer/device/program.h"

#define USUAL	 "/usr/bin/python3"
#define VARIABLE "AVOGIT_PYTHON"
#define SECONDS	 60.0
#define OUTPUT	 ((size_t)4 << 10)

/* To import PyTorch takes seconds: versions are in files. Of Triton, which
 * compiles kernels on a GPU and may be missing, another is as another compiler. */
static const char question[] =
	"import importlib.util, os, platform, re\n"
	"print('Python', platform.python_version(), end='')\n"
	"for name, module, file in (('PyTorch', 'torch', 'version.py'),\n"
	"                           ('Triton', 'triton', '__init__.py')):\n"
	"    spec = importlib.util.find_spec(module)\n"
	"    for folder in spec.submodule_search_locations if spec else []:\n"
	"        path = os.path.join(folder, file)\n"
	"        if not os.path.exists(path): continue\n"
	"        with open(path) as f:\n"
	"            found = re.search(r'__version__\\s*=\\s*.([\\w.+-]+)', "
	"f.read())\n"
	"        print(',', name, found.group(1) if found else 'unknown', "
	"end='')\n";

/* A folder of Python: else one like a home folder would be shown. */
static bool is_root(const char *folder)
{
	cleanup_free char *pattern = xasprintf("%s/lib*/python3*", folder);
	glob_t g = {0};
	bool found = glob(pattern, 0, NULL, &g) == 0 && g.gl_pathc;

	globfree(&g);
	return found;
}

static struct error *add_root(struct strvec *folders, const char *program,
			      const char *folder)
{
	if (str_eq(folder, "/usr") || starts_with(folder, "/usr/") ||
	    strvec_has(folders, folder))
		return NULL;
	if (!is_root(folder))
		return error_new(ERROR_NOT_FOUND,
				 VARIABLE
				 "=%s: %s is not a folder of Python: it holds "
				 "no lib/python3*",
				 program, folder);
	strvec_push(folders, folder);
	return NULL;
}

/* The folder above that of the program, where a virtual environment is, since
 * its program is a link; and that of what the link means, which has the standard
 * library. */
static struct error *add_roots(struct strvec *folders, const char *program)
{
	cleanup_free char *own = xstrdup(program);
	cleanup_free char *real = program_folder(program);

	for (int up = 0; up < 2; up++) {
		char *slash = strrchr(own, '/');

		if (slash)
			*slash = '\0';
	}
	TRY(add_root(folders, program, own));
	return real ? add_root(folders, program, real) : NULL;
}

/* Asked in the sandbox, without loading PyTorch. free() disposes. */
static struct error *ask_version(char **out, const struct sandbox *sandbox,
				 const char *program,
				 const struct strvec *folders)
{
	const char *const argv[] = {program, "-I", "-c", question, NULL};
	const struct sandbox_spec spec = {
		.argv = argv,
		.limits = {.wall_seconds = SECONDS},
		.folders = (const char *const *)folders->v,
	};
	cleanup_process_result struct process_result r = {0};
	size_t line;

	TRY(error_wrap(sandbox_run(&r, sandbox, &spec, OUTPUT), "%s", program));
	line = strcspn(r.output.data, "\n");
	if (r.exit_code != 0 || !starts_with(r.output.data, "Python"))
		return error_new(ERROR_NOT_FOUND,
				 "%s does not run in the sandbox: give the "
				 "path of another Python by " VARIABLE
				 " (it said: %.*s)",
				 program, (int)MIN(line, 200U), r.output.data);
	*out = xstrndup(r.output.data, line);
	if (strstr(*out, "PyTorch"))
		return NULL;
	return error_new(ERROR_NOT_FOUND,
			 "%s (%s) has no PyTorch, which tasks and baselines in "
			 "Python need: install it (python3-torch, or pip "
			 "install torch), or give the path of another Python "
			 "by " VARIABLE,
			 program, *out);
}

struct error *python_find(struct runner_command *out,
			  const struct sandbox *sandbox)
{
	cleanup_runner_command struct runner_command c = {.version = NULL};
	const char *wanted = env_get(VARIABLE);
	const char *program = wanted ? wanted : USUAL;

	if (*program != '/' || access(program, X_OK) < 0)
		return error_new(ERROR_NOT_FOUND,
				 "%s is not a program: install Python 3 with "
				 "PyTorch, or give its path by " VARIABLE,
				 program);
	TRY(add_roots(&c.folders, program));
	TRY(ask_version(&c.version, sandbox, program, &c.folders));
	strvec_pushl(&c.argv, program, "-I", NULL);
	*out = c;
	c = (struct runner_command){.version = NULL};
	return NULL;
}
