/* Compares the work tree with the commit that a task is read from, and names
 * the git commands that resolve the difference. */
#include "cmd/ui/out.h"
#include "cmd/session/session.h"

/* Paths named in a message; more are counted. */
#define MAX_NAMED 8

void session_add_command(struct buf *out, const struct session *s,
			 const struct strvec *paths)
{
	buf_adds(out, "git -C ");
	out_shell_word(out, gitstore_work_dir(s->git));
	buf_adds(out, " add");
	for (size_t i = 0; i < paths->n; i++) {
		buf_addc(out, ' ');
		out_shell_word(out, paths->v[i]);
	}
}

static struct error *add_differing(struct strvec *out, const struct session *s,
				   enum dirty what)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;
	cleanup_strvec struct strvec sources = STRVEC_INIT;
	cleanup_strvec struct strvec all = STRVEC_INIT;

	task_patterns(&patterns, s->at.task);
	task_source_patterns(&sources, s->at.task);
	TRY(gitstore_differing(&all, s->git, s->at.commit.hex, &patterns));
	for (size_t i = 0; i < all.n; i++)
		if (what == DIRTY_ANY || !path_matches(all.v[i], &sources))
			strvec_push(out, all.v[i]);
	return NULL;
}

/* `git add` alone cannot resolve this. */
static struct error *refuse_dirty_submodule(const struct session *s,
					    const struct strvec *paths)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;
	cleanup_strvec struct strvec submodules = STRVEC_INIT;
	char brief[COMMIT_ID_LEN + 1];

	task_patterns(&patterns, s->at.task);
	TRY(gitstore_submodules(&submodules, s->git, s->at.commit.hex,
				&patterns));
	gitstore_abbreviate(brief, s->git, s->at.commit.hex);
	for (size_t i = 0; i < submodules.n; i++)
		if (strvec_has(paths, submodules.v[i]))
			return error_new(
				ERROR_REFUSED,
				"the checkout of the submodule %s is not what "
				"commit %s records for it: run `git submodule "
				"update --init --recursive` to have that, or "
				"commit what you changed in the submodule, "
				"then the submodule itself",
				submodules.v[i], brief);
	return NULL;
}

struct error *session_refuse_dirty(const struct session *s, enum dirty what)
{
	cleanup_strvec struct strvec paths = STRVEC_INIT;
	cleanup_buf struct buf command = BUF_INIT(BUF_LIMIT_TEXT);
	char brief[COMMIT_ID_LEN + 1];

	if (!gitstore_work_dir(s->git))
		return NULL;
	TRY(add_differing(&paths, s, what));
	if (!paths.n)
		return NULL;
	TRY(refuse_dirty_submodule(s, &paths));
	gitstore_abbreviate(brief, s->git, s->at.commit.hex);
	if (paths.n > MAX_NAMED)
		return error_new(ERROR_REFUSED,
				 "%zu files that the task needs differ from "
				 "commit %s: commit them first, `git status` "
				 "names them",
				 paths.n, brief);
	session_add_command(&command, s, &paths);
	return error_new(ERROR_REFUSED,
			 "what the task needs differs from commit %s: run "
			 "`%s` and `git commit` first",
			 brief, command.data);
}
