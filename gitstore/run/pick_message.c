/* What a pick's message says of the candidate without the flags that it won with: a
 * project that builds with others reads the figure that it gets. */
#include "gitstore/candidate/candidate.h"
#include "gitstore/git/internal.h"
#include "gitstore/run/pick.h"

#define TRAILER_WITHOUT "Avogit-Without-Flags"
#define MESSAGE_MAX	((size_t)64 << 10)

/* In a sentence: "1.640 [1.601, 1.702] times its speed, faster"; "same"; "it fails:
 * build-failed". For tools without the words between. */
static char *found(const struct measurement *m, const struct comparison *c,
		   bool in_sentence)
{
	const char *told;

	if (!c)
		return xasprintf("%s%s", in_sentence ? "it fails: " : "",
				 verdict_name(m->verdict));
	told = decision_name(c->decision, c->ratio95);
	if (c->decision == DECISION_NONE)
		return xstrdup(told);
	return xasprintf("%.3f [%.3f, %.3f] %s%s", c->ratio, c->ratio95.lo,
			 c->ratio95.hi, in_sentence ? "times its speed, " : "",
			 told);
}

/* Of "RUN: 2.51x faster..." the figure is that with its flags; what a person wrote
 * stays. */
static void add_subject(struct buf *out, const char *message, const char *run,
			const struct comparison *c)
{
	static const char faster[] = "x faster";
	cleanup_free char *subject = xstrndup(message, strcspn(message, "\n"));
	cleanup_free char *claim = xasprintf("%s: ", run);
	cleanup_free char *line = NULL;
	const char *figure, *rest;
	size_t len;

	if (!starts_with(subject, claim)) {
		buf_adds(out, subject);
		return;
	}
	figure = subject + strlen(claim);
	len = strspn(figure, "0123456789.");
	if (!len || !starts_with(figure + len, faster)) {
		buf_adds(out, subject);
		return;
	}
	rest = figure + len + strlen(faster);
	if (c && c->decision == DECISION_FASTER)
		line = xasprintf("%s%.2fx faster (%.*sx with its flags)%s",
				 claim, c->ratio, (int)len, figure, rest);
	else
		line = xasprintf("%s%.*sx faster with its flags%s", claim,
				 (int)len, figure, rest);
	message_subject(out, line);
}

static void write_message(struct buf *out, const char *message,
			  const struct pick *p, const char *flags,
			  const struct measurement *m)
{
	const struct comparison *c =
		m->verdict == VERDICT_PASS
			? measurement_against(m, RIVAL_START, NULL)
			: NULL;
	cleanup_free char *words = found(m, c, true);
	cleanup_free char *brief = found(m, c, false);
	cleanup_free char *text = xasprintf(
		"Its sources choose other flags than that commit's. With those "
		"of "
		"that commit (%s) it was held against it again when it was "
		"picked: %s.",
		flags, words);
	size_t body = strcspn(message, "\n");
	size_t trailers = message_trailers_at(message);

	add_subject(out, message, p->run, c);
	buf_add(out, message + body, trailers - body);
	message_body(out, text);
	buf_addc(out, '\n');
	buf_adds(out, message + trailers);
	/* One that a forge or a script wrote may end without a line end, or with
	 * empty lines, after which a trailer would stand alone. */
	buf_trim_end(out);
	buf_addc(out, '\n');
	message_trailer(out, TRAILER_WITHOUT, brief);
}

struct error *pick_tell_without(struct pick *p, struct gitstore *g,
				const char *flags, const struct measurement *m)
{
	cleanup_buf struct buf message = BUF_INIT(MESSAGE_MAX);
	cleanup_git_commit git_commit *c = NULL;
	cleanup_free char *said = NULL;
	struct commit_spec spec = {.n_parents = 1};
	git_oid base, id;

	TRY(commit_lookup(&c, g, p->commit.hex));
	TRY(commit_trailer(&said, c, TRAILER_WITHOUT));
	/* Picked before, or none that avogit made. */
	if (said || git_commit_parentcount(c) != 1)
		return NULL;
	write_message(&message, git_commit_message(c), p, flags, m);
	/* The trailers, which are last, say whose it is: rather as it was. */
	if (message.truncated)
		return NULL;
	git_oid_cpy(&base, git_commit_parent_id(c, 0));
	spec.parent[0] = &base;
	spec.tree = git_commit_tree_id(c);
	spec.author = git_commit_author(c);
	spec.committer = git_commit_committer(c);
	spec.message = message.data;
	TRY(commit_write(&id, g, &spec));
	p->commit = oid_hex(&id);
	return NULL;
}
