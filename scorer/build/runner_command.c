#include "scorer/build/runner_command.h"

#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/sandbox/sandbox.h"

#define VERSION_DIGITS 12
/* Of a file that is hashed. */
#define FILE_MOST ((size_t)256 << 20)

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       access(path, X_OK) == 0;
}

static char *in_path(const char *name)
{
	static const char *const places[] = {"/usr/local/bin", "/usr/bin",
					     "/bin"};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		cleanup_free char *path = xasprintf("%s/%s", places[i], name);

		if (is_program(path))
			return steal(&path);
	}
	return NULL;
}

static struct error *find(char **out, const char *name)
{
	if (*name == '/' && is_program(name))
		*out = xstrdup(name);
	else if (*name != '/')
		*out = file_carried(name);
	if (!*out && *name != '/')
		*out = in_path(name);
	if (*out)
		return NULL;
	return error_new(ERROR_NOT_FOUND,
			 "language.runner: there is no program %s%s: install "
			 "it, or name another in the task",
			 name,
			 *name == '/' ? ""
				      : " in libexec/avogit, /usr/local/bin "
					"or /usr/bin");
}

/* Programs find what belongs to them beside them. */
static void add_own_folder(struct strvec *folders, const char *program)
{
	cleanup_free char *folder = xstrdup(program);
	char *slash = strrchr(folder, '/');

	if (sandbox_shows(program) || slash == folder)
		return;
	*slash = '\0';
	strvec_push(folders, folder);
}

static struct error *add_folders(struct runner_command *c,
				 const struct strvec *folders)
{
	for (size_t i = 0; i < folders->n; i++) {
		struct stat st;

		if (stat(folders->v[i], &st) < 0 || !S_ISDIR(st.st_mode))
			return error_new(ERROR_NOT_FOUND,
					 "language.folders: there is no folder "
					 "%s",
					 folders->v[i]);
		if (!strvec_has(&c->folders, folders->v[i]))
			strvec_push(&c->folders, folders->v[i]);
	}
	return NULL;
}

/* Another program of the same name is another machine's, as another version of
 * a compiler is. */
static char *version_of(const struct strvec *argv)
{
	const char *name = strrchr(argv->v[0], '/') + 1;
	struct hash *h = hash_new();
	char hex[HASH_HEX_LEN + 1];

	for (size_t i = 0; i < argv->n; i++) {
		cleanup_buf struct buf data = BUF_INIT(FILE_MOST);
		cleanup_error struct error *err = NULL;

		hash_adds(h, i ? argv->v[i] : name);
		if (argv->v[i][0] == '/')
			err = file_read(&data, argv->v[i]);
		if (!err)
			hash_add(h, data.data, data.len);
	}
	hash_finish(hex, h);
	return xasprintf("runner %s %.*s", name, VERSION_DIGITS, hex);
}

struct error *runner_command_find(struct runner_command *out,
				  const struct strvec *words,
				  const struct strvec *folders)
{
	cleanup_runner_command struct runner_command c = {.version = NULL};
	cleanup_free char *program = NULL;

	TRY(find(&program, words->v[0]));
	strvec_push(&c.argv, program);
	for (size_t i = 1; i < words->n; i++)
		strvec_push(&c.argv, words->v[i]);
	add_own_folder(&c.folders, program);
	TRY(add_folders(&c, folders));
	c.version = version_of(&c.argv);
	*out = c;
	c = (struct runner_command){.version = NULL};
	return NULL;
}

void runner_command_release(struct runner_command *c)
{
	strvec_release(&c->argv);
	strvec_release(&c->folders);
	free(c->version);
	*c = (struct runner_command){.version = NULL};
}
