/* avogit rm: removes a run from this clone, and on request from a remote. */
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/session/consent.h"
#include "cmd/session/session.h"
#include "cmd/ui/out.h"
#include "core/base/error.h"
#include "gitstore/run/remove.h"

/* ---- asking -------------------------------------------------------------- */

/* Asks before data is lost. */

/* Prints the question and reads a line; *yes if it equals `word`. Refuses if
 * stdin or stdout is not a terminal; `instead` is the command to use then. */
static struct error *ask_for(bool *yes, const char *question, const char *word,
			     const char *instead)
{
	char answer[256];

	*yes = false;
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return error_new(ERROR_REFUSED,
				 "there is no terminal to ask you at: if that "
				 "is meant, say `%s`",
				 instead);
	printf("%s ", question);
	fflush(stdout);
	if (!fgets(answer, sizeof answer, stdin))
		return NULL;
	answer[strcspn(answer, "\n")] = '\0';
	*yes = str_eq(answer, word);
	return NULL;
}

struct rm_options {
	const char *remote;
	bool yes;
};

static const struct opt options[] = {
	OPT(struct rm_options, remote, "remote", 0, "NAME",
	    "there, too (asks once more)"),
	OPT(struct rm_options, yes, "yes", 'y', NULL, "without being asked"),
	OPT_END,
};

/* ---- here ---------------------------------------------------------------- */

static bool is_there(const struct removal *r)
{
	return r->journals.n || r->branches.n || r->logs.n || r->unfinished.n;
}

static void print_each(const struct strvec *names, const char *words)
{
	for (size_t i = 0; i < names->n; i++) {
		cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

		out_clean_line(&line, names->v[i]);
		printf("  %s %s\n", line.data, words);
	}
}

static void print_plan(const struct session *s, const struct removal *r)
{
	printf("run %s%s%s: %zu branches, %zu journals, %zu logs\n",
	       color_begin(&s->color, COLOR_BOLD), r->run,
	       color_end(&s->color, COLOR_BOLD), r->branches.n, r->journals.n,
	       r->logs.n);
	print_each(&r->unfinished, "is a log that was never finished: it "
				   "goes, too");
	print_each(&r->kept, "is yours and stays");
}

static struct error *agreed(bool *out, const char *run, const char *question,
			    const struct rm_options *o)
{
	cleanup_buf struct buf instead = BUF_INIT(BUF_LIMIT_TEXT);

	*out = o->yes;
	if (o->yes)
		return NULL;
	buf_addf(&instead, "avogit rm --yes %s", run);
	if (o->remote) {
		buf_adds(&instead, " --remote ");
		out_shell_word(&instead, o->remote);
	}
	return ask_for(out, question, run, instead.data);
}

/* Sets *goes_on to false if the user refused. */
static struct error *remove_here(bool *goes_on, struct session *s,
				 const char *run, const struct rm_options *o)
{
	cleanup_removal struct removal r = {.journals = STRVEC_INIT};

	*goes_on = true;
	TRY(gitstore_lock_run(s->git, run));
	TRY(removal_plan(&r, s->git, run));
	if (!is_there(&r) && o->remote)
		return NULL;
	if (!is_there(&r))
		return error_new(ERROR_NOT_FOUND,
				 "there is no run '%s': `avogit runs` lists "
				 "them",
				 run);
	print_plan(s, &r);
	TRY(agreed(goes_on, run,
		   "remove it from this clone? Type its name to say so:", o));
	if (!*goes_on)
		return NULL;
	TRY(removal_do(s->git, &r));
	puts("removed; its notes stay with the commits that stay "
	     "(`git notes --ref=avogit prune`\n"
	     "drops the others after `git gc`), and fetching does not bring "
	     "it back");
	return NULL;
}

/* ---- on the remote ------------------------------------------------------- */

/* Parses "ID\tREF" lines and keeps the refs of the run. */
static void parse_refs(struct strvec *out, char *list, const char *run)
{
	char *save = NULL;

	for (char *line = strtok_r(list, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		const char *ref = strchr(line, '\t');

		if (ref && ref_is_of_run(ref + 1, run))
			strvec_push(out, ref + 1);
	}
}

static struct error *list_there(struct strvec *out, const char *remote,
				const char *run)
{
	const char *words[] = {"ls-remote", "--refs",	     "--",
			       remote,	    "refs/avogit/*", "refs/heads/avo/*",
			       NULL};
	cleanup_buf struct buf list = BUF_INIT((size_t)64 << 20);
	int code;

	TRY(git_run_foreground(&code, &list, GIT_TRANSPORT, words));
	if (code != 0)
		return error_new(ERROR_REPO, "git cannot read remote '%s'",
				 remote);
	if (list.len)
		parse_refs(out, list.data, run);
	return NULL;
}

static struct error *push_deletions(const char *remote,
				    const struct strvec *refs)
{
	cleanup_strvec struct strvec argv = STRVEC_INIT;
	int code;

	strvec_pushl(&argv, "push", "--", remote, NULL);
	for (size_t i = 0; i < refs->n; i++)
		strvec_pushf(&argv, ":%s", refs->v[i]);
	TRY(git_run_foreground(&code, NULL, GIT_TRANSPORT,
			       (const char *const *)argv.v));
	if (code != 0)
		return error_new(ERROR_REPO,
				 "git push to '%s' failed: here the run is "
				 "removed; the same command tries there again",
				 remote);
	return NULL;
}

static struct error *remove_there(bool *goes_on, const struct session *s,
				  const char *run, const struct rm_options *o)
{
	cleanup_strvec struct strvec refs = STRVEC_INIT;
	cleanup_buf struct buf name = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *question = NULL;

	(void)s;
	out_clean_line(&name, o->remote);
	TRY(list_there(&refs, o->remote, run));
	if (!refs.n) {
		printf("%s has nothing of run %s\n", name.data, run);
		return NULL;
	}
	question = xasprintf("remove it (%zu refs) from %s, for all who use "
			     "that? Type its name once more:",
			     refs.n, name.data);
	TRY(agreed(goes_on, run, question, o));
	return *goes_on ? push_deletions(o->remote, &refs) : NULL;
}

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	cleanup_session struct session s = {0};
	cleanup_strvec struct strvec operands = STRVEC_INIT;
	struct rm_options o = {0};
	bool goes_on;

	TRY(command_parse(self, &o, &operands, argv));
	TRY(session_open(&s, NULL));
	if (o.remote)
		TRY(session_require_git(&s, GIT_TRANSPORT));
	TRY(remove_here(&goes_on, &s, operands.v[0], &o));
	if (goes_on && o.remote)
		TRY(remove_there(&goes_on, &s, operands.v[0], &o));
	if (!goes_on) {
		puts("not removed");
		*code = CODE_NO;
	}
	return NULL;
}

static const struct exit_meaning exits[] = {
	{CODE_NO, "You said no."},
	{CODE_YES, NULL},
};

const struct command command_rm = {
	.name = "rm",
	.operands = "RUN",
	.summary = "removes a run from this clone",
	.about = "Removes a run's branches, journals and logs from this clone, "
		 "after you have typed\nits name. It is remembered, so that "
		 "fetching from elsewhere does not bring it back.\nNotes stay: "
		 "a score belongs to a commit. Refused while the run is being "
		 "extended.\nExit code 1 if you say no.",
	.options = options,
	.exits = exits,
	.min_operands = 1,
	.max_operands = 1,
	.run = run,
};
