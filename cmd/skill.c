/* avogit skill: the workflow as an Agent Skill, for the coding agents that read
 * such files. */
#include <unistd.h>

#include "cmd/cmd.h"
#include "core/base/file.h"

/* skill_image.S: dist/SKILL.md. */
extern const char skill_image[];

struct skill_options {
	const char *install;
	bool print;
};

static const struct opt options[] = {
	OPT_WORDS(
		struct skill_options, install, "install", 0, "CLIENT",
		"claude codex cursor gemini opencode",
		"write it into the folder of claude, codex, cursor, gemini or "
		"opencode below your home"),
	OPT(struct skill_options, print, "print", 0, NULL, "print it"),
	OPT_END,
};

/* Where each looks for its user's skills, below the home folder. */
static const struct {
	const char *client, *folder;
} folders[] = {
	{"claude", ".claude/skills/avogit"},
	{"codex", ".codex/skills/avogit"},
	{"cursor", ".cursor/skills/avogit"},
	{"gemini", ".gemini/skills/avogit"},
	{"opencode", ".config/opencode/skills/avogit"},
};

static const char *folder_of(const char *client)
{
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		if (str_eq(folders[i].client, client))
			return folders[i].folder;
	return NULL;
}

static struct error *install(const char *client)
{
	const char *home = getenv("HOME"), *below = folder_of(client);
	cleanup_free char *folder = NULL;
	cleanup_free char *path = NULL;

	if (!below)
		return error_new(ERROR_USAGE,
				 "'%s' is not a client whose skills avogit "
				 "knows: claude, codex, cursor, gemini or "
				 "opencode; --print gives the text for others",
				 client);
	if (!home || *home != '/')
		return error_new(ERROR_REFUSED,
				 "HOME is not set, and the skill belongs below "
				 "it: use --print");
	folder = xasprintf("%s/%s", home, below);
	path = xasprintf("%s/SKILL.md", folder);
	TRY(dir_make(folder));
	TRY(file_write_atomic(path, skill_image, strlen(skill_image)));
	printf("%s\n", path);
	return NULL;
}

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	struct skill_options o = {0};
	cleanup_strvec struct strvec operands = STRVEC_INIT;

	(void)code;
	TRY(command_parse(self, &o, &operands, argv));
	if (!o.install == !o.print)
		return error_new(ERROR_USAGE,
				 "skill: either --install CLIENT or --print");
	if (o.install)
		return install(o.install);
	fputs(skill_image, stdout);
	return NULL;
}

const struct command command_skill = {
	.name = "skill",
	.operands = "",
	.summary = "the workflow as an Agent Skill, for coding agents",
	.about =
		"A coding agent that knows the skill works as avogit is meant "
		"to be used: task,\nreference, ceiling, hypothesis, score, "
		"read, notes. --install writes SKILL.md where\nthe agent looks "
		"for it, and prints the path.",
	.options = options,
	.run = run,
};
