/*
 * Completion: the words that fit where the cursor is. Options, their values and
 * operands are found in the tables of the commands, names in the repository.
 */
#include "cmd/complete.h"

#include "cmd/ui/out.h"

#include <ctype.h>
#include <unistd.h>

#include "gitstore/gitstore.h"

/* completion_image.S: the files of dist/completions. */
extern const char completion_bash[], completion_zsh[], completion_fish[];

struct completion {
	struct buf *out;
	const char *word;  /* the part to complete: after the '=' in --to=x */
	const char *begin; /* what stands before it: "--to=" */
	size_t begin_len;
};

/* What an option or an operand is by its name; the first that fits. A word that
 * begins with '@' stands for names or paths. */
static const struct {
	const char *option, *value; /* NULL: any */
	const char *words;
} known[] = {
	{"run", NULL, "@run"},
	{"launch", NULL, "@launch"},
	{"remote", NULL, "@remote"},
	{NULL, "RUN", "@run"},
	{NULL, "REMOTE", "@remote"},
	{NULL, "REV", "@rev"},
	{NULL, "BASE", "@rev"},
	{NULL, "HEAD", "@rev"},
	{NULL, "FILE", "@file"},
	{NULL, "KERNEL", "@file"},
	{NULL, "DEFINITION", "@file"},
	{NULL, "WORKLOADS", "@file"},
	{NULL, "DIR", "@folder"},
	{NULL, "FOLDER", "@folder"},
	{NULL, "WHEN", "always never auto"},
};

/* Is it typed as it is in every shell? A name of a repository that means
 * something to a shell is not offered. */
static bool is_plain(const char *word)
{
	cleanup_buf struct buf clean = BUF_INIT(BUF_LIMIT_TEXT);

	/* A comment of bash, a command's path in zsh, control characters. */
	out_clean_line(&clean, word);
	if (*word == '#' || *word == '=' || !str_eq(clean.data, word))
		return false;
	for (const char *c = word; *c; c++)
		if (!(*c & 0x80) && !strchr("abcdefghijklmnopqrstuvwxyz"
					    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					    "0123456789_-+./@#%=,:",
					    *c))
			return false;
	return *word != '\0';
}

static void offer(const struct completion *c, const char *word,
		  const char *about)
{
	if (!starts_with(word, c->word) || !is_plain(word))
		return;
	buf_addf(c->out, "%.*s%s\t%.*s\n", (int)c->begin_len, c->begin, word,
		 (int)strcspn(about, "\n\t"), about);
}

static void offer_all(const struct completion *c, const struct strvec *words,
		      const char *about)
{
	for (size_t i = 0; i < words->n; i++)
		offer(c, words->v[i], about);
}

/* ---- names in the repository ---------------------------------------------- */

static struct error *add_launches(struct strvec *out, const struct gitstore *g)
{
	static const char *const ends[] = {".ssh", ".slurm", ".command"};
	cleanup_strvec struct strvec values = STRVEC_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		gitstore_user_config_list(out, &values, g, "avogit.launch.",
					  ends[i]);
	return NULL;
}

/* "@run", "@rev", "@remote", "@launch". */
static struct error *offer_names(const struct completion *c, const char *what)
{
	cleanup_gitstore struct gitstore *g = NULL;
	cleanup_strvec struct strvec runs = STRVEC_INIT;
	cleanup_strvec struct strvec others = STRVEC_INIT;

	TRY(gitstore_open(&g, "."));
	if (str_eq(what, "@run") || str_eq(what, "@rev"))
		TRY(gitstore_runs(&runs, g));
	offer_all(c, &runs, str_eq(what, "@rev") ? "a run's champion" : "run");
	if (str_eq(what, "@rev"))
		TRY(gitstore_rev_names(&others, g));
	else if (str_eq(what, "@remote"))
		TRY(gitstore_remote_names(&others, g));
	else if (str_eq(what, "@launch"))
		TRY(add_launches(&others, g));
	offer_all(c, &others, what + 1);
	return NULL;
}

/* ---- values and operands --------------------------------------------------- */

static void offer_one(const struct completion *c, const char *word)
{
	/* Outside of a repository there are no names; that is not an error. */
	cleanup_error struct error *err = NULL;

	if (*word != '@')
		offer(c, word, "");
	else if (str_eq(word, "@file") || str_eq(word, "@folder"))
		buf_addf(c->out, "%s\t%.*s\n", word, (int)c->begin_len,
			 c->begin);
	else
		err = offer_names(c, word);
}

static void split(struct strvec *out, const char *words)
{
	while (*words) {
		size_t len = strcspn(words, " ");

		strvec_pushf(out, "%.*s", (int)len, words);
		words += len + (words[len] == ' ');
	}
}

static void offer_words(const struct completion *c, const char *words)
{
	cleanup_strvec struct strvec all = STRVEC_INIT;

	split(&all, words);
	for (size_t i = 0; i < all.n; i++)
		offer_one(c, all.v[i]);
}

/* `value` is what the help calls it: "FILE", "FILE.py". */
static const char *words_of(const char *option, const char *value)
{
	size_t len = strspn(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
	cleanup_free char *name = xstrndup(value, len);

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if ((!known[i].option || str_eq(known[i].option, option)) &&
		    (!known[i].value || str_eq(known[i].value, name)))
			return known[i].words;
	return "";
}

static void offer_value(const struct completion *c, const struct opt *o)
{
	offer_words(c, o->words ? o->words : words_of(o->name, o->value));
}

static void offer_options(const struct completion *c, const struct opt *table)
{
	for (const struct opt *o = table; o->name; o++) {
		cleanup_free char *option = xasprintf("--%s", o->name);

		offer(c, option, o->help);
	}
	offer(c, "--help", "what the command does, and its options");
}

/* One of the forms that the operands of a command can have, as its help says
 * it: "BASE [HEAD]", "REV...". `typed` are the operands before the cursor. */
static void offer_operand(const struct completion *c, const char *form,
			  const struct strvec *typed)
{
	cleanup_strvec struct strvec part = STRVEC_INIT;
	size_t at = typed->n;
	const char *name;

	split(&part, form);
	if (!part.n)
		return;
	if (at >= part.n && strstr(part.v[part.n - 1], "..."))
		at = part.n - 1;
	for (size_t i = 0; i < MIN(at, part.n); i++)
		if (islower((unsigned char)part.v[i][0]) &&
		    !str_eq(part.v[i], typed->v[i]))
			return;
	if (at >= part.n)
		return;
	name = part.v[at] + (part.v[at][0] == '[');
	offer_words(c,
		    islower((unsigned char)*name) ? name : words_of("", name));
}

static void offer_operands(const struct completion *c, const char *operands,
			   const struct strvec *typed)
{
	while (*operands) {
		const char *end = strstr(operands, " | ");
		size_t len = end ? (size_t)(end - operands) : strlen(operands);
		cleanup_free char *form = xstrndup(operands, len);

		offer_operand(c, form, typed);
		operands += len + (end ? 3 : 0);
	}
}

/* ---- the command line ------------------------------------------------------ */

/* The option that takes the word after this one as its value. */
static const struct opt *wants_value(const struct opt *table, const char *word)
{
	for (const struct opt *o = table; o->name; o++)
		if (o->kind != OPT_FLAG &&
		    ((starts_with(word, "--") && str_eq(word + 2, o->name)) ||
		     (word[0] == '-' && o->letter && word[1] == o->letter &&
		      !word[2])))
			return o;
	return NULL;
}

/* "--NAME=": its option. */
static const struct opt *glued(const struct opt *table, const char *word)
{
	size_t len = strcspn(word, "=");
	cleanup_free char *name = xstrndup(word, len);

	return word[len] && starts_with(word, "--") ? wants_value(table, name)
						    : NULL;
}

static void complete_command(struct completion *c,
			     const struct command *command,
			     const struct strvec *typed, size_t at)
{
	cleanup_strvec struct strvec operands = STRVEC_INIT;
	const struct opt *value = NULL;
	bool only_operands = false;

	for (; at + 1 < typed->n; at++) {
		const char *word = typed->v[at];

		if (value)
			value = NULL;
		else if (only_operands || word[0] != '-' || !word[1])
			strvec_push(&operands, word);
		else if (str_eq(word, "--"))
			only_operands = true;
		else
			value = wants_value(command->options, word);
	}
	if (value) {
		offer_value(c, value);
		return;
	}
	value = only_operands ? NULL : glued(command->options, c->word);
	if (value) {
		c->begin = c->word;
		c->begin_len = strcspn(c->word, "=") + 1;
		c->word += c->begin_len;
		offer_value(c, value);
	} else if (c->word[0] == '-' && !only_operands) {
		offer_options(c, command->options);
	} else {
		offer_operands(c, command->operands, &operands);
	}
}

static void offer_commands(const struct completion *c,
			   const struct command *const *commands, size_t n)
{
	for (size_t i = 0; i < n; i++)
		offer(c, commands[i]->name, commands[i]->summary);
}

/* The first word: a command, or what stands before one. */
static void complete_first(const struct completion *c,
			   const struct command *const *commands, size_t n)
{
	if (c->word[0] == '-') {
		offer(c, "-C", "as if started in this folder");
		offer(c, "--help", "lists the commands");
		offer(c, "--version", "says the version");
		return;
	}
	offer_commands(c, commands, n);
	offer(c, "help", "what a command does, and its options");
}

void complete_words(struct buf *out, const struct command *const *commands,
		    size_t n_commands, const struct strvec *typed)
{
	struct completion c = {.out = out, .begin = ""};
	size_t at = 0, last = typed->n - 1;

	if (!typed->n)
		return;
	c.word = typed->v[last];
	for (; at < last && str_eq(typed->v[at], "-C"); at += 2) {
		if (at + 1 == last) {
			offer_one(&c, "@folder");
			return;
		}
		if (chdir(typed->v[at + 1]))
			return;
	}
	if (at == last) {
		complete_first(&c, commands, n_commands);
		return;
	}
	if (str_eq(typed->v[at], "help") && at + 1 == last)
		offer_commands(&c, commands, n_commands);
	for (size_t i = 0; i < n_commands; i++)
		if (str_eq(commands[i]->name, typed->v[at]))
			complete_command(&c, commands[i], typed, at + 1);
}

const char *complete_script(const char *shell)
{
	return str_eq(shell, "bash")   ? completion_bash
	       : str_eq(shell, "zsh")  ? completion_zsh
	       : str_eq(shell, "fish") ? completion_fish
				       : NULL;
}
