/* avogit trust: asks the user to allow what acts outside the sandbox. */
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/session/consent.h"
#include "cmd/ui/out.h"

struct trust_options {
	const char *task;
	bool git;
	bool list;
	bool revoke;
	bool yes;
};

static const struct opt options[] = {
	OPT(struct trust_options, task, "task", 0, "FILE",
	    "task file (the nearest avogit.yaml)"),
	OPT(struct trust_options, git, "git", 0, NULL,
	    "what git would run of this repository in sync, rm and pick"),
	OPT(struct trust_options, list, "list", 0, NULL,
	    "show what is trusted in this repository"),
	OPT(struct trust_options, revoke, "revoke", 0, NULL,
	    "take all of it back"),
	OPT(struct trust_options, yes, "yes", 'y', NULL,
	    "trust it without being asked"),
	OPT_END,
};

/* The groups of a task, and which of them are trusted already. */
struct trust_question {
	struct session session;
	char *place;
	struct trust_store store;
	struct trust group[TRUST_GROUP_COUNT];
	size_t open; /* groups with items that are not trusted yet */
};

static void trust_question_release(struct trust_question *a)
{
	for (size_t i = 0; i < TRUST_GROUP_COUNT; i++)
		trust_release(&a->group[i]);
	trust_store_release(&a->store);
	free(a->place);
	session_release(&a->session);
}
DEFINE_RELEASE(trust_question, struct trust_question, trust_question_release)

/* ---- the repository's decisions ------------------------------------------ */

static struct error *show_list(const struct trust_question *a)
{
	for (size_t i = 0; i < a->store.n; i++) {
		const struct trust_decision *d = &a->store.decision[i];
		cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

		if (!str_eq(d->git_dir, a->place))
			continue;
		buf_addf(&line, "%.12s  %s  %-8s  %s", d->digest, d->date,
			 d->group, d->task);
		out_text("", line.data);
	}
	return NULL;
}

static struct error *take_back(const struct trust_question *a)
{
	size_t n;

	TRY(trust_store_remove(&n, a->place));
	printf("took back %zu decision%s\n", n, n == 1 ? "" : "s");
	return NULL;
}

/* ---- a task's items ------------------------------------------------------ */

static bool is_trusted(const struct trust_question *a, const struct trust *t)
{
	char digest[HASH_HEX_LEN + 1];

	trust_digest(digest, t);
	return trust_store_find(&a->store, a->place, digest) != NULL;
}

static struct error *read_task(struct trust_question *a, const char *file)
{
	struct session *s = &a->session;
	struct commit_id head;

	TRY(gitstore_resolve(&head, s->git, "HEAD"));
	TRY(session_task(s, head.hex, file));
	for (int g = 0; g < TRUST_GROUP_COUNT; g++) {
		struct trust *t = &a->group[g];

		TRY(trust_collect(t, s->at.task, (enum trust_group)g));
		a->open += t->n && !is_trusted(a, t);
	}
	return NULL;
}

static struct error *read_git(struct trust_question *a)
{
	static const enum git_use uses[] = {GIT_TRANSPORT, GIT_CHECKOUT};

	for (size_t i = 0; i < ARRAY_SIZE(uses); i++) {
		struct trust *t = &a->group[i];

		TRY(session_git_items(t, &a->session, uses[i]));
		a->open += t->n && !is_trusted(a, t);
	}
	return NULL;
}

static void show_group(const struct trust_question *a, const struct trust *t)
{
	for (size_t i = 0; i < t->n; i++) {
		cleanup_buf struct buf key = BUF_INIT(BUF_LIMIT_TEXT);

		out_clean_line(&key, t->item[i].key);
		printf("%s%s\n  %s: %s\n", key.data,
		       is_trusted(a, t) ? " (trusted already)" : "",
		       t->item[i].sentence, t->item[i].content);
	}
}

static bool says_yes(void)
{
	char answer[16];

	printf("\ntrust exactly this, in this repository? [y/N] ");
	fflush(stdout);
	return fgets(answer, sizeof answer, stdin) &&
	       (str_eq(answer, "y\n") || str_eq(answer, "Y\n") ||
		str_eq(answer, "yes\n"));
}

/* The options that say what is asked about. */
static void add_question(struct buf *b, const struct trust_options *o)
{
	if (o->git)
		buf_adds(b, "--git ");
	if (o->task) {
		buf_adds(b, "--task ");
		out_shell_word(b, o->task);
		buf_addc(b, ' ');
	}
}

static struct error *agreed(bool *out, const struct trust_options *o)
{
	cleanup_buf struct buf question = BUF_INIT(BUF_LIMIT_TEXT);

	*out = o->yes;
	if (o->yes)
		return NULL;
	add_question(&question, o);
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return error_new(ERROR_REFUSED,
				 "there is no terminal to ask you at: read the "
				 "above, then say `avogit trust %s--yes`",
				 question.data);
	*out = says_yes();
	return NULL;
}

static struct error *ask(enum exit_code *code, struct trust_question *a,
			 const struct trust_options *o)
{
	const char *path = "git's settings";
	bool yes;

	TRY(o->git ? read_git(a) : read_task(a, o->task));
	if (!o->git)
		path = a->session.at.task->path;
	for (int g = 0; g < TRUST_GROUP_COUNT; g++)
		show_group(a, &a->group[g]);
	if (!a->open) {
		cleanup_buf struct buf name = BUF_INIT(BUF_LIMIT_TEXT);

		out_clean_line(&name, path);
		printf("nothing in %s waits for your trust\n", name.data);
		return NULL;
	}
	TRY(agreed(&yes, o));
	if (!yes) {
		puts("not trusted");
		*code = CODE_NO;
		return NULL;
	}
	for (int g = 0; g < TRUST_GROUP_COUNT; g++)
		if (a->group[g].n)
			TRY(trust_store_add(&a->group[g], a->place, path));
	puts("trusted; `avogit trust --revoke` takes it back");
	return NULL;
}

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	CLEANUP(trust_question) struct trust_question a = {0};
	cleanup_strvec struct strvec operands = STRVEC_INIT;
	struct trust_options o = {0};

	TRY(command_parse(self, &o, &operands, argv));
	if (o.list + o.revoke + (o.yes || o.task || o.git) > 1)
		return error_new(ERROR_USAGE,
				 "trust: --list and --revoke are for all of "
				 "the repository and go with no other option");
	if (o.git && o.task)
		return error_new(ERROR_USAGE,
				 "trust: --git is of the repository and goes "
				 "with no --task");
	TRY(session_open(&a.session, NULL));
	TRY(session_trust_place(&a.place, &a.session));
	if (o.revoke)
		return take_back(&a);
	TRY(trust_store_read(&a.store));
	return o.list ? show_list(&a) : ask(code, &a, &o);
}

static const struct exit_meaning exits[] = {
	{CODE_NO, "You said no."},
	{CODE_YES, NULL},
};

const struct command command_trust = {
	.name = "trust",
	.operands = "",
	.summary = "allows what a task does outside the sandbox",
	.about = "Shows what the task of HEAD would run outside the sandbox or "
		 "reach (an operator or\nlauncher command, a model's address), "
		 "exactly as it would be used, and asks. Until\nthen, and "
		 "again when a word of it changes, avogit refuses to use it. "
		 "With --git: what git would\nrun of the repository's own "
		 "settings and hooks in sync, rm --remote and pick. Your\n"
		 "word is kept in ~/.local/state/avogit/trust, for this "
		 "repository only. Exit code 1\nif you say no.",
	.options = options,
	.exits = exits,
	.run = run,
};
