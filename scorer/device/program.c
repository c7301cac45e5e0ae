#include "scorer/device/program.h"

#include <glob.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path)
{
	struct stat st;

	return *path == '/' && stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       access(path, X_OK) == 0;
}

/* Moves path into *out if it is a program, else frees it. */
static bool take(char **out, char *path)
{
	if (is_program(path)) {
		*out = path;
		return true;
	}
	free(path);
	return false;
}

static bool on_path(char **out, const char *name)
{
	const char *path = getenv("PATH");

	while (path && *path) {
		size_t len = strcspn(path, ":");

		if (take(out, xasprintf("%.*s/%s", (int)len, path, name)))
			return true;
		path += len + (path[len] == ':');
	}
	return false;
}

/* The last match, because names end in versions. */
static bool by_pattern(char **out, const char *pattern, const char *name)
{
	cleanup_free char *all = xasprintf("%s/%s", pattern, name);
	glob_t g = {0};
	bool found = false;

	if (glob(all, 0, NULL, &g) == 0)
		for (size_t i = g.gl_pathc; i > 0 && !found; i--)
			found = take(out, xstrdup(g.gl_pathv[i - 1]));
	globfree(&g);
	return found;
}

static struct error *named(char **out, const char *path, const char *variable)
{
	if (take(out, xstrdup(path)))
		return NULL;
	return error_new(ERROR_NOT_FOUND,
			 "%s=%s is not a program: give an absolute path",
			 variable, path);
}

struct error *program_find(char **out, const char *name, const char *variable)
{
	static const char *const places[] = {
		"/usr/local/cuda/bin",
		"/usr/local/cuda*/bin",
		"/opt/nvidia/nsight-compute/*",
	};
	const char *path = env_get(variable), *home = getenv("CUDA_HOME");

	if (path)
		return named(out, path, variable);
	if (on_path(out, name))
		return NULL;
	if (home && *home == '/' &&
	    take(out, xasprintf("%s/bin/%s", home, name)))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (by_pattern(out, places[i], name))
			return NULL;
	return error_new(ERROR_NOT_FOUND,
			 "%s is not installed: it is looked for on the PATH, "
			 "in /usr/local/cuda*/bin and in "
			 "/opt/nvidia/nsight-compute; %s names it elsewhere",
			 name, variable);
}

char *program_folder(const char *path)
{
	char *real = realpath(path, NULL);

	for (int up = 0; real && up < 2; up++) {
		char *slash = strrchr(real, '/');

		if (slash)
			*slash = '\0';
	}
	if (real && *real && !str_eq(real, "/usr") &&
	    !starts_with(real, "/usr/"))
		return real;
	free(real);
	return NULL;
}
