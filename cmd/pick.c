/* avogit pick: puts a candidate onto the user's branch with git. */
#include "gitstore/run/pick.h"

#include "cmd/cmd.h"
#include "cmd/session/consent.h"
#include "cmd/session/gain.h"
#include "cmd/session/in_the_way.h"
#include "cmd/ui/out.h"
#include "cmd/session/one_kind.h"
#include "cmd/session/portable.h"
#include "cmd/session/start_flags.h"
#include "cmd/session/which_run.h"

struct pick_options {
	const char *run;
	const char *on;
	bool no_commit;
	bool no_score;
	double seconds;
};

static const struct opt options[] = {
	OPT(struct pick_options, run, "run", 'r', "NAME",
	    "the champion of this run (the task's)"),
	OPT(struct pick_options, on, "on", 0, "KIND",
	    "the champion of this kind of machine: its id, or a part of its "
	    "name"),
	OPT(struct pick_options, no_commit, "no-commit", 'n', NULL,
	    "change index and work tree only, as git cherry-pick -n"),
	OPT(struct pick_options, no_score, "no-score", 0, NULL,
	    "do not score it again where it needs flags of its own"),
	OPT(struct pick_options, seconds, "time", 0, "SPAN",
	    "let a comparison there take at most so long (20s)"),
	OPT_END,
};

static struct error *refuse_elsewhere(const struct session *s)
{
	if (gitstore_work_dir(s->git))
		return NULL;
	return error_new(ERROR_REFUSED,
			 "%s is a bare repository: pick where there is a work "
			 "tree",
			 gitstore_git_dir(s->git));
}

/* What the run was for: the portable winner where the task asks for one, else the
 * champion. */
static struct error *find_winner(struct commit_id *id, struct session *s,
				 const char *run)
{
	cleanup_portable struct portable p = {.number = 0};

	TRY(portable_read(&p, s, run));
	if (!p.words.n)
		return which_run_champion(id, s, run, "pick");
	if (!*p.id.hex)
		return error_new(ERROR_NOT_FOUND,
				 "run %s has no portable winner: %s", run,
				 p.why);
	*id = p.id;
	printf("portable: %s\n", p.kinds);
	return NULL;
}

/* Finds the operand, else the winner; sets `run` if one is known. */
static struct error *find(struct commit_id *id, char run[RUN_NAME_MAX + 1],
			  struct session *s, const struct pick_options *o,
			  const struct strvec *operands)
{
	cleanup_free char *name = NULL;

	if (operands->n && (o->run || o->on))
		return error_new(ERROR_USAGE,
				 "pick: --%s is for the champion and goes "
				 "with no REV",
				 o->run ? "run" : "on");
	if (operands->n)
		return gitstore_resolve_in(id, run, s->git, operands->v[0]);
	TRY(which_run(&name, s, o->run));
	snprintf(run, RUN_NAME_MAX + 1, "%s", name);
	return o->on ? one_kind_champion(id, s, name, o->on)
		     : find_winner(id, s, name);
}

/* git itself reports why it refuses. */
static struct error *cherry_pick(int *git_code, const struct pick *p,
				 bool no_commit)
{
	const char *words[] = {"cherry-pick", NULL, NULL, NULL};
	size_t n = 1;

	if (no_commit)
		words[n++] = "--no-commit";
	words[n] = p->commit.hex;
	return git_run_foreground(git_code, NULL, GIT_CHECKOUT, words);
}

/* ---- a work tree that has it already ------------------------------------- */

/* git refuses to pick over edited files, also where they hold what it would
 * write: the kernel that was edited and then scored. They are put into git's
 * stash meanwhile, so that nothing is lost wherever this process is killed. */

static struct error *staged_elsewhere(bool *out, const struct strvec *paths)
{
	const char *words[] = {"diff", "--cached",     "--name-only",
			       "-z",   "--no-renames", "--no-relative",
			       "HEAD", "--",	       NULL};
	cleanup_buf struct buf list = BUF_INIT((size_t)16 << 20);
	int code;

	TRY(git_run_foreground(&code, &list, GIT_INSIDE, words));
	*out = code != 0 || list.truncated;
	for (size_t at = 0; at < list.len; at += strlen(list.data + at) + 1)
		*out = *out || !strvec_has(paths, list.data + at);
	return NULL;
}

/* The newest entry of the stash; "" if it is empty. */
static struct commit_id stash_top(struct session *s)
{
	struct commit_id id = {""};
	cleanup_error struct error *err =
		gitstore_resolve(&id, s->git, "refs/stash");

	if (err)
		id.hex[0] = '\0';
	return id;
}

/* *entry: the new entry; "" if there is none. */
static struct error *stash(struct commit_id *entry, struct session *s,
			   const struct strvec *paths)
{
	cleanup_strvec struct strvec words = STRVEC_INIT;
	struct commit_id before = stash_top(s);
	int code;

	strvec_push(&words, "stash");
	strvec_push(&words, "push");
	strvec_push(&words, "--quiet");
	strvec_push(&words, "--include-untracked");
	strvec_push(&words, "--message=avogit pick: what was there already");
	strvec_push(&words, "--");
	for (size_t i = 0; i < paths->n; i++)
		strvec_pushf(&words, ":(top,literal)%s", paths->v[i]);
	TRY(git_run_foreground(&code, NULL, GIT_CHECKOUT,
			       (const char *const *)words.v));
	*entry = stash_top(s);
	if (str_eq(entry->hex, before.hex))
		*entry = (struct commit_id){""};
	return NULL;
}

/* Leaves to git what cannot be found out. */
static struct error *set_aside(struct commit_id *entry, struct session *s,
			       const struct pick *p)
{
	cleanup_strvec struct strvec paths = STRVEC_INIT;
	cleanup_error struct error *err = pick_there_already(&paths, s->git, p);
	bool elsewhere = false;

	*entry = (struct commit_id){""};
	if (err || !paths.n || pick_is_under_way(s->git))
		return NULL;
	TRY(staged_elsewhere(&elsewhere, &paths));
	return elsewhere ? NULL : stash(entry, s, &paths);
}

/* Takes the entry off the stash: "pop" puts the files back, "drop" does not. */
static struct error *stash_end(bool *done, struct session *s,
			       const struct commit_id *entry, const char *verb,
			       const char *option)
{
	const char *words[] = {"stash", verb, "--quiet", option, NULL};
	int code;

	*done = false;
	if (!str_eq(stash_top(s).hex, entry->hex))
		return NULL;
	TRY(git_run_foreground(&code, NULL, GIT_CHECKOUT, words));
	*done = code == 0;
	return NULL;
}

static struct error *after_success(const struct session *s,
				   const struct pick *p)
{
	struct commit_id head;
	char brief[COMMIT_ID_LEN + 1];
	char of[COMMIT_ID_LEN + 1];
	bool written;

	TRY(gitstore_resolve(&head, s->git, "HEAD"));
	gitstore_abbreviate(brief, s->git, head.hex);
	gitstore_abbreviate(of, s->git, p->of.hex);
	TRY(pick_note(&written, s->git, head.hex, p));
	printf("picked %s as %s, %s\n", of, brief,
	       written ? "with its scores as a note"
	       : p->measurement
		       ? "without its scores: the sources here are not the "
			 "candidate's; `avogit score HEAD` measures them"
		       : "without a note: its scores are not in this "
			 "repository");
	return NULL;
}

static struct error *has_conflicts(bool *out)
{
	const char *words[] = {"ls-files", "--unmerged", "-z",
			       "--",	   ":/",	 NULL};
	cleanup_buf struct buf list = BUF_INIT(BUF_LIMIT_TEXT);
	int code;

	TRY(git_run_foreground(&code, &list, GIT_INSIDE, words));
	*out = list.len > 0;
	return NULL;
}

/* The usual reason: HEAD has an attempt that the user made, of the same run. */
static void say_where(struct session *s, const struct pick *p)
{
	struct commit_id head;
	cleanup_error struct error *err =
		gitstore_resolve(&head, s->git, "HEAD");
	char base[COMMIT_ID_LEN + 1];

	if (err || str_eq(head.hex, p->base.hex))
		return;
	gitstore_abbreviate(base, s->git, p->base.hex);
	fprintf(stderr,
		"HEAD has changed since %s, where the run began. To have it "
		"without a conflict:\n`git cherry-pick --abort`, `git switch "
		"-c take %s`, and pick again\n",
		base, base);
}

static void say_conflict(struct session *s, const struct pick *p,
			 const struct pick_options *o, bool aside)
{
	fputs(o->no_commit
		      ? "avogit: it stopped at a conflict, as git leaves it: "
			"mend the files and `git add` them\n"
		      : "avogit: it stopped as git leaves it: mend the files, "
			"`git add` them and\n"
			"`git cherry-pick --continue` (or --abort); the next "
			"avogit command adds the note, if the sources are the "
			"candidate's\n",
	      stderr);
	if (!o->no_commit)
		say_where(s, p);
	if (aside)
		fputs("what the work tree held is in `git stash`\n", stderr);
}

/* git leaves index and CHERRY_PICK_HEAD where the commit cannot be made
 * (a hook, a key to sign with); nothing of it was there before. */
static struct error *undo(bool *done, struct session *s, const struct pick *p)
{
	const char *words[] = {"cherry-pick", "--abort", NULL};
	int code;

	*done = true;
	if (!pick_is_stopped(s->git, p))
		return NULL;
	TRY(git_run_foreground(&code, NULL, GIT_CHECKOUT, words));
	*done = code == 0;
	return NULL;
}

struct state_before {
	bool under_way; /* a cherry-pick of the user */
	bool conflicts;
	struct commit_id aside; /* the stash of set_aside; "" if none */
};

static struct error *after_stop(enum exit_code *code, struct session *s,
				const struct pick *p,
				const struct pick_options *o,
				const struct state_before *before, int git_code)
{
	bool conflicts, undone = true, back = true;

	TRY(has_conflicts(&conflicts));
	if (conflicts && !before->conflicts) {
		say_conflict(s, p, o, *before->aside.hex);
		*code = CODE_NO;
		return NULL;
	}
	if (!before->under_way)
		TRY(undo(&undone, s, p));
	if (*before->aside.hex && undone)
		TRY(stash_end(&back, s, &before->aside, "pop", "--index"));
	if (!undone || !back)
		return error_new(ERROR_REPO,
				 "git cherry-pick failed (its exit code is "
				 "%d) and could not be taken back: `git "
				 "status` says what is left%s",
				 git_code,
				 *before->aside.hex
					 ? ", `git stash` has the files"
					 : "");
	return error_new(ERROR_REPO,
			 "git cherry-pick refused (its exit code is %d), and "
			 "nothing was changed",
			 git_code);
}

static struct error *pick(enum exit_code *code, struct session *s,
			  const struct pick *p, const struct pick_options *o)
{
	struct state_before before = {.under_way = pick_is_under_way(s->git)};
	bool dropped = true;
	int git_code;

	TRY(has_conflicts(&before.conflicts));
	TRY(set_aside(&before.aside, s, p));
	TRY(cherry_pick(&git_code, p, o->no_commit));
	if (git_code != 0)
		return after_stop(code, s, p, o, &before, git_code);
	if (*before.aside.hex)
		TRY(stash_end(&dropped, s, &before.aside, "drop", NULL));
	return o->no_commit ? NULL : after_success(s, p);
}

/* Of a pick or merge that stopped git knows more than we do. */
static struct error *refuse_edited(struct session *s, const struct pick *p,
				   const struct pick_options *o)
{
	bool conflicts;

	if (pick_is_under_way(s->git))
		return NULL;
	TRY(has_conflicts(&conflicts));
	return conflicts ? NULL : in_the_way_refuse(s, p, o->no_commit);
}

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	cleanup_session struct session s = {0};
	cleanup_strvec struct strvec operands = STRVEC_INIT;
	cleanup_pick struct pick p = {0};
	struct pick_options o = {0};
	struct commit_id id;
	char name[RUN_NAME_MAX + 1];
	char kind[IDENTITY_HEX_LEN + 1];

	TRY(command_parse(self, &o, &operands, argv));
	TRY(session_open(&s, NULL));
	TRY(refuse_elsewhere(&s));
	TRY(find(&id, name, &s, &o, &operands));
	TRY(pick_prepare(&p, s.git, id.hex, name,
			 "`git cherry-pick` takes it as it is"));
	if (p.in_head) {
		puts("HEAD has all of it already: nothing to pick");
		return NULL;
	}
	TRY(session_require_git(&s, GIT_CHECKOUT));
	TRY(refuse_edited(&s, &p, &o));
	if (o.on)
		TRY(one_kind_find(kind, NULL, &s, name, o.on));
	gain_say(&p, &s, o.on ? kind : NULL);
	TRY(start_flags_say(&p, !o.no_score, o.seconds));
	return pick(code, &s, &p, &o);
}

static const struct exit_meaning exits[] = {
	{CODE_NO, "Git has a conflict, and left it in the work tree."},
	{CODE_YES, NULL},
};

const struct command command_pick = {
	.name = "pick",
	.operands = "[REV]",
	.summary = "puts a candidate on your branch, as one commit",
	.about =
		"Cherry-picks a candidate's whole change since the base of its "
		"run (the champion's\nwithout REV) onto your branch: one "
		"commit that tells its lineage, with its scores\nas trailers "
		"and as a note. Git does it, with your hooks and signing; a "
		"conflict is\nleft as git leaves it (exit code 1), and after "
		"`git cherry-pick --continue` the\nnext avogit command adds "
		"the note. This is the only command that touches your\n"
		"checkout. Files that hold already what it would write (the "
		"kernel that you edited and\nscored) are in git's stash "
		"while it works. Where the commit cannot be made (a hook, "
		"a\nkey to sign with) branch, index and files are as they "
		"were.\nWhat it was compiled with is said. Where its sources "
		"choose "
		"other flags than the\nstart's, both are scored once more "
		"under the start's: a project that builds without\nthose flags "
		"gets that.",
	.options = options,
	.exits = exits,
	.max_operands = 1,
	.run = run,
};
