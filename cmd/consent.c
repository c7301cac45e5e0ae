#include "cmd/consent.h"

#include "cmd/out.h"

struct error *session_trust_place(char **out, const struct session *s)
{
	const char *dir = gitstore_git_dir(s->git);
	char *real = realpath(dir, NULL);

	if (!real)
		return error_errno("%s", dir);
	*out = real;
	return NULL;
}

static struct error *refuse(const struct trust *t, const struct session *s,
			    const char *file)
{
	cleanup_buf struct buf keys = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf command = BUF_INIT(BUF_LIMIT_TEXT);

	for (size_t i = 0; i < t->n; i++)
		buf_addf(&keys, "%s%s", i ? ", " : "", t->item[i].key);
	buf_adds(&command, "avogit trust");
	if (file) {
		buf_adds(&command, " --task ");
		out_shell_word(&command, file);
	}
	return error_new(ERROR_REFUSED,
			 "%s: %s would act outside the sandbox, which is "
			 "refused until `%s` (it shows what exactly, and asks)",
			 s->at.task->path, keys.data, command.data);
}

struct error *session_require_trust(const struct session *s,
				    enum trust_group group, const char *file)
{
	cleanup_trust struct trust t = {0};
	cleanup_trust_store struct trust_store store = {0};
	cleanup_free char *place = NULL;
	char digest[HASH_HEX_LEN + 1];

	TRY(trust_collect(&t, s->at.task, group));
	if (!t.n)
		return NULL;
	TRY(session_trust_place(&place, s));
	TRY(trust_store_read(&store));
	trust_digest(digest, &t);
	if (trust_store_find(&store, place, digest))
		return NULL;
	return refuse(&t, s, file);
}
