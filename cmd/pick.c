/* avogit pick: puts a candidate onto the user's branch with git. */
#include "gitstore/run/pick.h"

#include "cmd/cmd.h"
#include "cmd/session/consent.h"
#include "cmd/ui/out.h"
#include "cmd/session/session.h"

struct pick_options {
	const char *run;
	bool no_commit;
};

static const struct opt options[] = {
	OPT(struct pick_options, run, "run", 'r', "NAME",
	    "the champion of this run (the task's)"),
	OPT(struct pick_options, no_commit, "no-commit", 'n', NULL,
	    "change index and work tree only, as git cherry-pick -n"),
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

/* Finds the operand, else the champion; sets `run` if one is known. */
static struct error *find(struct commit_id *id, char run[RUN_NAME_MAX + 1],
			  struct session *s, const struct pick_options *o,
			  const struct strvec *operands)
{
	cleanup_free char *name = NULL;

	if (operands->n && o->run)
		return error_new(ERROR_USAGE,
				 "pick: --run is for the champion and goes "
				 "with no REV");
	if (operands->n)
		return gitstore_resolve_in(id, run, s->git, operands->v[0]);
	TRY(session_run_name(&name, s, o->run));
	snprintf(run, RUN_NAME_MAX + 1, "%s", name);
	return session_champion(id, s, name);
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

static struct error *after_stop(enum exit_code *code, struct session *s,
				const struct pick *p, int git_code)
{
	if (!pick_is_stopped(s->git, p) || git_code != 1)
		return error_new(ERROR_REPO,
				 "git cherry-pick refused (its exit code is "
				 "%d), and nothing was changed",
				 git_code);
	fputs("avogit: it stopped as git leaves it: mend the files, `git add` "
	      "them and\n"
	      "`git cherry-pick --continue` (or --abort); the next avogit "
	      "command adds the note, if the sources are the candidate's\n",
	      stderr);
	*code = CODE_NO;
	return NULL;
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
	int git_code;

	TRY(command_parse(self, &o, &operands, argv));
	TRY(session_open(&s, NULL));
	TRY(refuse_elsewhere(&s));
	TRY(find(&id, name, &s, &o, &operands));
	TRY(pick_prepare(&p, s.git, id.hex, name));
	if (p.in_head) {
		puts("HEAD has all of it already: nothing to pick");
		return NULL;
	}
	TRY(session_require_git(&s, GIT_CHECKOUT));
	TRY(cherry_pick(&git_code, &p, o.no_commit));
	if (git_code != 0)
		return after_stop(code, &s, &p, git_code);
	return o.no_commit ? NULL : after_success(&s, &p);
}

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
		"checkout.",
	.options = options,
	.max_operands = 1,
	.run = run,
};
