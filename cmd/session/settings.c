#include "cmd/session/settings.h"

#include <unistd.h>

struct recommended_setting {
	const char *key, *value, *why;
	bool for_remote; /* only where there is an origin */
};

/* Scores and journals of another clone arrive beside our own, never over
 * them. */
static const struct recommended_setting settings[] = {
	{"notes.displayRef", "refs/notes/avogit", "`git log` shows scores",
	 false},
	{"remote.origin.fetch", "+refs/notes/avogit:refs/notes/origin/avogit",
	 "`git fetch` brings scores", true},
	{"remote.origin.fetch", "+refs/avogit/*:refs/avogit-origin/*",
	 "`git fetch` brings runs", true},
};

static bool applies(const struct recommended_setting *s,
		    const struct gitstore *g)
{
	cleanup_free char *url = NULL;

	if (!s->for_remote)
		return true;
	url = gitstore_config(g, "remote.origin.url");
	return url != NULL;
}

static void print_commands(const struct gitstore *g)
{
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (applies(&settings[i], g))
			printf("  git config --add %s '%s'   # %s\n",
			       settings[i].key, settings[i].value,
			       settings[i].why);
}

static bool says_yes(void)
{
	char answer[16];

	printf("set this in the repository's own config? [y/N] ");
	fflush(stdout);
	return fgets(answer, sizeof answer, stdin) &&
	       (answer[0] == 'y' || answer[0] == 'Y');
}

struct error *settings_offer(struct gitstore *g, bool yes)
{
	bool ask = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);

	printf("\n%s git that scores show and travel:\n",
	       yes ? "telling" : "to tell");
	print_commands(g);
	if (!yes && !(ask && says_yes()))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (applies(&settings[i], g))
			TRY(gitstore_config_add(g, settings[i].key,
						settings[i].value));
	return NULL;
}
