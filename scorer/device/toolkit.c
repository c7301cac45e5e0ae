#include "scorer/device/toolkit.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#define USUAL_PLACE "/usr/local/cuda"

/* The folder two levels above a program in PATH; NULL if there is none. */
static char *on_path(const char *program)
{
	const char *path = getenv("PATH");

	while (path && *path) {
		size_t len = strcspn(path, ":");
		cleanup_free char *file =
			xasprintf("%.*s/%s", (int)len, path, program);
		cleanup_free char *real = NULL;
		char *slash;

		path += len + (path[len] == ':');
		if (*file != '/' || access(file, X_OK) < 0)
			continue;
		real = realpath(file, NULL);
		for (int up = 0; real && up < 2; up++) {
			slash = strrchr(real, '/');
			if (slash)
				*slash = '\0';
		}
		return steal(&real);
	}
	return NULL;
}

static bool has(const char *root, const char *program)
{
	cleanup_free char *path = xasprintf("%s/%s", root, program);

	return access(path, X_OK) == 0;
}

/* Needs both parts of the compiler; Debian's own package has them in /usr. */
static bool is_toolkit(const char *root)
{
	return has(root, "bin/nvcc") &&
	       (has(root, "nvvm/bin/cicc") || str_eq(root, "/usr"));
}

/* The folder that is configured, or a usual one; free() disposes. */
static char *look_for_root(void)
{
	const char *home = getenv("CUDA_HOME");
	char *found = home && *home ? xstrdup(home) : on_path("nvcc");

	return found ? found : xstrdup(USUAL_PLACE);
}

static bool is_folder(const char *path)
{
	struct stat st;

	return *path == '/' && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The toolkit's own folders, then those of AVOGIT_LIBRARY_PATH. */
static void add_libraries(struct toolkit *t)
{
	const char *more = env_get("AVOGIT_LIBRARY_PATH");
	cleanup_free char *own = xasprintf("%s/lib64", t->root);

	if (is_folder(own))
		strvec_push(&t->libraries, own);
	while (more && *more && t->libraries.n < TOOLKIT_FOLDERS) {
		size_t len = strcspn(more, ":");
		cleanup_free char *path = xstrndup(more, len);
		cleanup_free char *real = realpath(path, NULL);

		if (real && is_folder(real))
			strvec_push(&t->libraries, real);
		more += len + (more[len] == ':');
	}
}

static bool is_of_system(const char *path)
{
	return str_eq(path, "/usr") || starts_with(path, "/usr/");
}

static void show_folders(struct toolkit *t)
{
	size_t n = 0;

	if (!is_of_system(t->root))
		t->folder[n++] = t->root;
	for (size_t i = 0; i < t->libraries.n; i++)
		if (!is_of_system(t->libraries.v[i]) &&
		    !starts_with(t->libraries.v[i], t->root))
			t->folder[n++] = t->libraries.v[i];
}

struct error *toolkit_find(struct toolkit *out)
{
	cleanup_free char *found = look_for_root();
	cleanup_free char *root = realpath(found, NULL);

	if (!root || !is_toolkit(root))
		return error_new(ERROR_NOT_FOUND,
				 "%s holds no CUDA toolkit (bin/nvcc and "
				 "nvvm/bin/cicc): install one, or name its "
				 "folder by CUDA_HOME",
				 found);
	*out = (struct toolkit){.nvcc = xasprintf("%s/bin/nvcc", root)};
	out->root = steal(&root);
	add_libraries(out);
	show_folders(out);
	return NULL;
}

void toolkit_release(struct toolkit *t)
{
	free(t->root);
	strvec_release(&t->libraries);
	free(t->nvcc);
	*t = (struct toolkit){0};
}
