#include "cmd/session/trust.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/run/journal.h"
#include "core/sandbox/sandbox.h"

#define FOLDER	  "avogit"
#define FILE_NAME "trust"
#define MAX_BYTES ((size_t)4 << 20)

/* ---- what needs trust ------------------------------------------------------ */

static const char *const group_names[] = {
	[TRUST_LAUNCHER] = "launcher",
	[TRUST_OPERATOR] = "operator",
	[TRUST_SYNC] = "sync",
	[TRUST_PICK] = "pick",
};
_Static_assert(ARRAY_SIZE(group_names) == TRUST_GROUP_COUNT, "a name each");

/* Every value of a task file that acts outside the sandbox: a key of the
 * mapping that the group is named after. */
static const struct trust_rule {
	enum trust_group group;
	const char *member, *key, *sentence;
} rules[] = {
	{TRUST_LAUNCHER, "command", "launcher.command",
	 "this program starts the launcher, outside the sandbox, with your "
	 "rights"},
	{TRUST_LAUNCHER, "runner", "language.runner",
	 "this program gets the candidates, in the sandbox and without a "
	 "network; they and it may read its folder"},
	{TRUST_LAUNCHER, "folders", "language.folders",
	 "candidates and their runner may read these folders of this machine"},
	{TRUST_LAUNCHER, "library", "baselines.library",
	 "baselines load these libraries of this machine, in the sandbox; with "
	 "language: cuda candidates may read them too"},
	{TRUST_LAUNCHER, "score", "score.command",
	 "this program scores candidates, in the sandbox, with what is below"},
	{TRUST_LAUNCHER, "network", "score.network",
	 "the program that scores, and every candidate, may use the network"},
	{TRUST_LAUNCHER, "score_folders", "score.folders",
	 "the program that scores, and every candidate, may read these folders "
	 "of this machine"},
	{TRUST_OPERATOR, "command", "operator.command",
	 "this program is the operator: it may use the network"},
	{TRUST_OPERATOR, "env", "operator.env",
	 "the operator gets these variables of your environment"},
	{TRUST_OPERATOR, "folders", "operator.folders",
	 "the operator may read these folders of this machine"},
	{TRUST_OPERATOR, "base_url", "operator.base_url",
	 "the kernel, its scores and your key are sent to this address"},
	{TRUST_OPERATOR, "key_command", "operator.key_command",
	 "this program prints your key, outside the sandbox, with your rights"},
	{TRUST_OPERATOR, "key_env", "operator.key_env",
	 "the key is what this variable of your environment holds"},
};
_Static_assert(ARRAY_SIZE(rules) <= TRUST_ITEMS_MAX, "room for every rule");

static const char *trust_group_name(enum trust_group g)
{
	return group_names[g];
}

/* ---- contents ----------------------------------------------------------- */

static void set_words(struct json *settings, const char *key,
		      const struct strvec *words)
{
	if (words->n)
		json_set(settings, key, json_strings(words));
}

/* What every sandbox shows, baselines may have without being asked for. */
static void set_libraries(struct json *settings, const struct task *t)
{
	cleanup_strvec struct strvec paths = STRVEC_INIT;

	for (size_t i = 0; i < t->n_baselines; i++) {
		const struct strvec *library = &t->baselines[i].library;

		for (size_t k = 0; k < library->n; k++)
			if (!sandbox_shows(library->v[k]) &&
			    !strvec_has(&paths, library->v[k]))
				strvec_push(&paths, library->v[k]);
	}
	set_words(settings, "library", &paths);
}

/* The mapping that holds a group's keys; NULL if there is none. What a command
 * that scores has of the sandbox alone needs none. */
static struct error *settings_of(struct json **out, const struct task *t,
				 enum trust_group group)
{
	const struct reported_score *s = &t->score;

	if (group == TRUST_OPERATOR)
		return json_parse(out, t->operator_settings,
				  strlen(t->operator_settings));
	if (group != TRUST_LAUNCHER)
		return NULL;
	*out = json_object();
	set_words(*out, "command", &t->launcher);
	/* A name is found where the system's programs are, or avogit's. */
	if (t->runner.n && t->runner.v[0][0] == '/' &&
	    !sandbox_shows(t->runner.v[0]))
		set_words(*out, "runner", &t->runner);
	set_words(*out, "folders", &t->runner_folders);
	set_libraries(*out, t);
	if (!s->network && !s->folders.n)
		return NULL;
	set_words(*out, "score", &s->command);
	set_words(*out, "score_folders", &s->folders);
	if (s->network)
		json_set_bool(*out, "network", true);
	return NULL;
}

static struct error *add_item(struct trust *trust, const char *key,
			      const char *sentence, const struct json *value)
{
	cleanup_buf struct buf content = BUF_INIT(TRUST_CONTENT_MAX);
	/* Bidirectional overrides, look-alike letters and control sequences are
	 * all outside printable ASCII. */
	cleanup_free char *text = json_print_ascii(value);

	if (trust->n == TRUST_ITEMS_MAX)
		return error_new(ERROR_TASK,
				 "over %d things act outside the sandbox, "
				 "which is more than anybody reads through",
				 TRUST_ITEMS_MAX);
	buf_adds(&content, text);
	if (content.truncated)
		return error_new(ERROR_TASK,
				 "%s is longer than %d characters, which "
				 "nobody reads through: put it into a program "
				 "of your own",
				 key, TRUST_CONTENT_MAX);
	trust->item[trust->n++] = (struct trust_item){
		.key = xstrdup(key),
		.sentence = sentence,
		.content = buf_take(&content),
	};
	return NULL;
}

struct error *trust_add(struct trust *t, const char *key, const char *sentence,
			const char *value)
{
	cleanup_json struct json *list = json_array();

	json_push_string(list, value);
	return add_item(t, key, sentence, json_at(list, 0));
}

/* Adds what the settings, of the operator or of a role of it, say. */
static struct error *add_items(struct trust *trust, const struct json *settings,
			       const char *role)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		const struct trust_rule *r = &rules[i];
		const struct json *value = NULL;
		cleanup_free char *key =
			role ? xasprintf("operator.roles.%s.%s", role,
					 r->member)
			     : xstrdup(r->key);

		if (r->group == trust->group)
			value = json_get(settings, r->member);
		if (value)
			TRY(add_item(trust, key, r->sentence, value));
	}
	return NULL;
}

/* The llm operator refuses a role of another name. */
static struct error *add_roles(struct trust *trust, const struct json *roles)
{
	for (size_t i = 0; i < json_len(roles); i++) {
		const struct json *one = json_at(roles, i);

		if (role_find(json_key(one)) != ROLE_COUNT)
			TRY(add_items(trust, one, json_key(one)));
	}
	return NULL;
}

struct error *trust_collect(struct trust *out, const struct task *t,
			    enum trust_group group)
{
	cleanup_trust struct trust trust = {.group = group};
	cleanup_json struct json *settings = NULL;

	TRY(error_wrap(settings_of(&settings, t, group), "%s: %s", t->path,
		       trust_group_name(group)));
	TRY(error_wrap(add_items(&trust, settings, NULL), "%s", t->path));
	if (group == TRUST_OPERATOR)
		TRY(error_wrap(add_roles(&trust, json_get(settings, "roles")),
			       "%s", t->path));
	*out = trust;
	trust = (struct trust){0};
	return NULL;
}

void trust_digest(char out[HASH_HEX_LEN + 1], const struct trust *t)
{
	struct hash *h = hash_new();

	hash_adds(h, trust_group_name(t->group));
	for (size_t i = 0; i < t->n; i++) {
		hash_adds(h, t->item[i].key);
		hash_adds(h, t->item[i].content);
	}
	hash_finish(out, h);
}

void trust_release(struct trust *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->item[i].key);
		free(t->item[i].content);
	}
	*t = (struct trust){0};
}

/* ---- where it is kept ------------------------------------------------------ */

/* ---- where -------------------------------------------------------------- */

/* NULL if no folder can be named. The XDG specification says to ignore a
 * relative XDG_STATE_HOME. */
static char *folder_path(void)
{
	const char *state = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");

	if (state && *state == '/')
		return xasprintf("%s/" FOLDER, state);
	if (home && *home == '/')
		return xasprintf("%s/.local/state/" FOLDER, home);
	return NULL;
}

static struct error *no_place(void)
{
	return error_new(ERROR_REFUSED,
			 "there is no place to keep what is trusted: HOME must "
			 "be set to your home folder");
}

/* Opens a path that must be the user's own: others may not write a folder, nor
 * even read the file. *out is -1 if it does not exist. */
static struct error *open_own(int *out, const char *path, int flags,
			      mode_t refused, const char *mode)
{
	cleanup_fd int fd = open(path, flags | O_RDONLY | O_CLOEXEC |
					       O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	*out = -1;
	if (fd < 0 && errno == ENOENT)
		return NULL;
	if (fd < 0 && (errno == ELOOP || errno == ENOTDIR))
		return error_new(ERROR_REFUSED,
				 "%s is a link or no %s, so what is trusted is "
				 "not read from it: remove it",
				 path, flags & O_DIRECTORY ? "folder" : "file");
	if (fd < 0 || fstat(fd, &st) < 0)
		return error_errno("%s", path);
	if (!(flags & O_DIRECTORY) && !S_ISREG(st.st_mode))
		return error_new(ERROR_REFUSED, "%s is not a file: remove it",
				 path);
	if (st.st_uid != geteuid())
		return error_new(ERROR_REFUSED,
				 "%s belongs to another user, so what it says "
				 "is trusted is not: remove it",
				 path);
	if (st.st_mode & refused)
		return error_new(ERROR_REFUSED,
				 "%s is open to other users, so what it says "
				 "is trusted is not: look it over, then run "
				 "`chmod %s '%s'`",
				 path, mode, path);
	*out = steal_fd(&fd);
	return NULL;
}

static struct error *open_folder(int *out, const char *path)
{
	return open_own(out, path, O_DIRECTORY, 022, "700");
}

/* ---- lines -------------------------------------------------------------- */

static void add_path(struct buf *out, const char *path)
{
	for (const unsigned char *c = (const unsigned char *)path; *c; c++)
		if (isalnum(*c) || strchr("/._-+,=@:", *c))
			buf_addc(out, (char)*c);
		else
			buf_addf(out, "%%%02X", *c);
}

static int hex_value(char c)
{
	static const char digits[] = "0123456789ABCDEF";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* NULL if add_path cannot have written the word. */
static char *parse_path(const char *word, size_t len)
{
	cleanup_free char *path = xcalloc(len + 1, 1);
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		int high, low;

		if (word[i] != '%') {
			path[n++] = word[i];
			continue;
		}
		high = i + 1 < len ? hex_value(word[i + 1]) : -1;
		low = i + 2 < len ? hex_value(word[i + 2]) : -1;
		if (high < 0 || low < 0 || !(high | low))
			return NULL;
		path[n++] = (char)(high << 4 | low);
		i += 2;
	}
	return n ? steal(&path) : NULL;
}

static bool is_digest(const char *word, size_t len)
{
	return len == HASH_HEX_LEN &&
	       strspn(word, "0123456789abcdef") >= HASH_HEX_LEN;
}

static const char *parse_group(const char *word, size_t len)
{
	for (int g = 0; g < TRUST_GROUP_COUNT; g++) {
		const char *name = trust_group_name((enum trust_group)g);

		if (strlen(name) == len && strncmp(name, word, len) == 0)
			return name;
	}
	return NULL;
}

static void decision_release(struct trust_decision *d)
{
	free(d->git_dir);
	free(d->task);
	*d = (struct trust_decision){0};
}
DEFINE_RELEASE(decision, struct trust_decision, decision_release)

/* False for a line of another form. */
static bool parse_line(struct trust_decision *out, const char *line)
{
	CLEANUP(decision) struct trust_decision d = {0};
	const char *word[5];
	size_t len[5];

	for (size_t i = 0; i < ARRAY_SIZE(word); i++) {
		word[i] = line;
		len[i] = strcspn(line, " ");
		line += len[i];
		if ((i + 1 < ARRAY_SIZE(word)) != (*line == ' '))
			return false;
		line += *line == ' ';
	}
	d.group = parse_group(word[4], len[4]);
	if (!is_digest(word[0], len[0]) || len[1] >= sizeof d.date || !d.group)
		return false;
	memcpy(d.digest, word[0], len[0]);
	memcpy(d.date, word[1], len[1]);
	d.git_dir = parse_path(word[2], len[2]);
	d.task = parse_path(word[3], len[3]);
	if (!d.git_dir || !d.task)
		return false;
	*out = d;
	d = (struct trust_decision){0};
	return true;
}

static void parse_all(struct trust_store *s, char *text)
{
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		struct trust_decision d;

		if (!parse_line(&d, line)) {
			strvec_push(&s->other, line);
			continue;
		}
		GROW(s->decision, s->n, s->cap);
		s->decision[s->n++] = d;
	}
}

static void print_all(struct buf *out, const struct trust_store *s)
{
	for (size_t i = 0; i < s->other.n; i++)
		buf_addf(out, "%s\n", s->other.v[i]);
	for (size_t i = 0; i < s->n; i++) {
		const struct trust_decision *d = &s->decision[i];

		buf_addf(out, "%s %s ", d->digest, d->date);
		add_path(out, d->git_dir);
		buf_addc(out, ' ');
		add_path(out, d->task);
		buf_addf(out, " %s\n", d->group);
	}
}

/* ---- the store ---------------------------------------------------------- */

void trust_store_release(struct trust_store *s)
{
	for (size_t i = 0; i < s->n; i++)
		decision_release(&s->decision[i]);
	free(s->decision);
	free(s->path);
	strvec_release(&s->other);
	*s = (struct trust_store){0};
}

static struct error *read_store(struct trust_store *out, const char *folder)
{
	cleanup_trust_store struct trust_store s = {0};
	cleanup_buf struct buf text = BUF_INIT(MAX_BYTES);
	cleanup_fd int fd = -1;

	s.path = xasprintf("%s/" FILE_NAME, folder);
	TRY(open_own(&fd, s.path, 0, 077, "600"));
	if (fd >= 0)
		TRY(file_read_fd(&text, fd, s.path));
	parse_all(&s, text.data);
	*out = s;
	s = (struct trust_store){0};
	return NULL;
}

struct error *trust_store_read(struct trust_store *out)
{
	cleanup_free char *folder = folder_path();
	cleanup_fd int fd = -1;

	if (!folder)
		return no_place();
	TRY(open_folder(&fd, folder));
	return read_store(out, folder);
}

const struct trust_decision *trust_store_find(const struct trust_store *s,
					      const char *git_dir,
					      const char *digest)
{
	for (size_t i = 0; i < s->n; i++)
		if (str_eq(s->decision[i].digest, digest) &&
		    str_eq(s->decision[i].git_dir, git_dir))
			return &s->decision[i];
	return NULL;
}

/* ---- changing it -------------------------------------------------------- */

struct change {
	struct trust_store store;
	char *folder;
	int lock; /* the folder; its lock allows one writer at a time */
};

static void change_release(struct change *c)
{
	trust_store_release(&c->store);
	free(c->folder);
	if (c->lock >= 0)
		close(c->lock);
}
DEFINE_RELEASE(change, struct change, change_release)

static struct error *change_begin(struct change *c)
{
	c->folder = folder_path();
	if (!c->folder)
		return no_place();
	TRY(dir_make_private(c->folder));
	TRY(open_folder(&c->lock, c->folder));
	if (c->lock < 0)
		return error_errno("cannot lock %s", c->folder);
	while (flock(c->lock, LOCK_EX) < 0)
		if (errno != EINTR)
			return error_errno("cannot lock %s", c->folder);
	return read_store(&c->store, c->folder);
}

static struct error *change_end(const struct change *c)
{
	cleanup_buf struct buf text = BUF_INIT(MAX_BYTES);

	print_all(&text, &c->store);
	if (text.truncated)
		return error_new(ERROR_TOO_BIG, "%s has no room left",
				 c->store.path);
	return file_write_private(c->store.path, text.data, text.len);
}

struct error *trust_store_add(const struct trust *trust, const char *git_dir,
			      const char *task)
{
	CLEANUP(change) struct change c = {.lock = -1};
	struct trust_store *s = &c.store;
	struct trust_decision d = {.group = trust_group_name(trust->group)};

	TRY(change_begin(&c));
	trust_digest(d.digest, trust);
	if (trust_store_find(s, git_dir, d.digest))
		return NULL;
	clock_format(d.date, clock_wall_us());
	d.git_dir = xstrdup(git_dir);
	d.task = xstrdup(task);
	GROW(s->decision, s->n, s->cap);
	s->decision[s->n++] = d;
	return change_end(&c);
}

struct error *trust_store_remove(size_t *removed, const char *git_dir)
{
	CLEANUP(change) struct change c = {.lock = -1};
	struct trust_store *s = &c.store;
	size_t kept = 0, before;

	TRY(change_begin(&c));
	before = s->n;
	for (size_t i = 0; i < before; i++) {
		struct trust_decision d = s->decision[i];

		if (str_eq(d.git_dir, git_dir))
			decision_release(&d);
		else
			s->decision[kept++] = d;
	}
	s->n = kept;
	if (kept < before)
		TRY(change_end(&c));
	*removed = before - kept;
	return NULL;
}
