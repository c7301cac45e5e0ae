#include "cmd/report/forge.h"

#include "core/base/buf.h"

static const struct forge {
	const char *host, *commits;
} forges[] = {
	{"github.com", "/commit/"},
	{"gitlab.com", "/-/commit/"},
	{"codeberg.org", "/commit/"},
	{"bitbucket.org", "/commits/"},
};

static const struct forge *find_forge(const char *host, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(forges); i++)
		if (strlen(forges[i].host) == len &&
		    strncasecmp(forges[i].host, host, len) == 0)
			return &forges[i];
	return NULL;
}

/* What comes after "https://" or "ssh://"; of "name@host:path", which has no such
 * word, all of it. NULL: another form, a folder of this machine say. */
static const char *after_scheme(const char *url, bool *is_scp)
{
	static const char *const schemes[] = {"https://", "http://", "ssh://",
					      "git://"};

	*is_scp = false;
	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++)
		if (starts_with(url, schemes[i]))
			return url + strlen(schemes[i]);
	*is_scp = !strstr(url, "://") && strchr(url, ':');
	return *is_scp ? url : NULL;
}

/* OWNER/NAME, and more folders at gitlab.com, of letters that need no escape. */
static bool is_plain_path(const char *path)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-~";
	size_t parts = 0;

	for (const char *at = path;; at++) {
		size_t len = strspn(at, letters);

		if (!len || strspn(at, ".") == len)
			return false;
		parts++;
		at += len;
		if (*at != '/')
			return !*at && parts > 1;
	}
}

char *forge_commits(const char *remote_url)
{
	cleanup_free char *path = NULL;
	const struct forge *forge;
	const char *at, *user;
	size_t len;
	bool is_scp;

	at = after_scheme(remote_url, &is_scp);
	if (!at)
		return NULL;
	/* "name:password@" */
	len = strcspn(at, "/");
	user = memrchr(at, '@', len);
	if (user)
		at = user + 1;
	forge = find_forge(at, strcspn(at, ":/"));
	if (!forge)
		return NULL;
	/* "host:22/path", "host:path" */
	at += strcspn(at, is_scp ? ":" : "/");
	at += strspn(at, ":/");
	len = strlen(at);
	while (len && at[len - 1] == '/')
		len--;
	if (len > 4 && strncmp(at + len - 4, ".git", 4) == 0)
		len -= 4;
	path = xstrndup(at, len);
	if (!is_plain_path(path))
		return NULL;
	return xasprintf("https://%s/%s%s", forge->host, path, forge->commits);
}
