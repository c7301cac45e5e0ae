/*
 * What tests/held-across-try.pl has to find, and what it has to leave: every
 * function wrong_* is reported, no function right_* is. Nothing compiles this.
 */
#include "core/error.h"

struct item {
	char name[8];
	int value;
};

struct list {
	struct item *item;
	size_t n, cap;
	bool frozen;
};

struct walk {
	struct list *list;
	const struct item *here; /* borrowed of the list */
};

void list_lock(struct list *l);
void list_unlock(struct list *l);
struct error *check(const struct list *l) MUST_CHECK;
struct error *tell(const char *name) MUST_CHECK;

static struct item *find(struct list *l, int value)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->item[i].value == value)
			return &l->item[i];
	return NULL;
}

static struct error *add(struct list *l, const char *name)
{
	GROW(l->item, l->n, l->cap);
	snprintf(l->item[l->n++].name, sizeof l->item->name, "%s", name);
	return check(l);
}

static struct error *open_it(int *out, const char *path)
{
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return error_errno("%s", path);
	*out = steal_fd(&fd);
	return NULL;
}

/* ---- a local owns -------------------------------------------------------- */

static struct error *wrong_memory(const struct list *l)
{
	char *name = xstrdup("name");

	TRY(check(l));
	free(name);
	return NULL;
}

static struct error *right_memory(const struct list *l)
{
	cleanup_free char *name = xstrdup("name");

	TRY(check(l));
	return tell(name);
}

static struct error *wrong_descriptor(const struct list *l, const char *path)
{
	int fd;

	TRY(open_it(&fd, path));
	TRY(check(l));
	close(fd);
	return NULL;
}

static struct error *right_descriptor(int *out, const char *path)
{
	int fd;

	TRY(open_it(&fd, path));
	*out = fd;
	return tell(path);
}

static struct error *wrong_pipe(const struct list *l)
{
	int fd[2];

	if (pipe2(fd, O_CLOEXEC) < 0)
		return error_errno("pipe");
	TRY(check(l));
	close(fd[0]);
	close(fd[1]);
	return NULL;
}

static struct error *wrong_error(const struct list *l, int *fd)
{
	struct error *err = open_it(fd, "name");

	TRY(check(l));
	return err;
}

static struct error *right_error(const struct list *l)
{
	struct error *err = tell("name");

	TRY(err);
	return check(l);
}

/* ---- what is put back ---------------------------------------------------- */

static struct error *wrong_lock(struct list *l)
{
	list_lock(l);
	TRY(check(l));
	list_unlock(l);
	return NULL;
}

static struct error *right_lock(struct list *l)
{
	struct error *err;

	list_lock(l);
	err = check(l);
	list_unlock(l);
	return err;
}

static struct error *wrong_flag(struct list *l)
{
	l->frozen = true;
	TRY(check(l));
	l->frozen = false;
	return NULL;
}

/* ---- pointers into arrays ------------------------------------------------ */

static struct error *wrong_element(struct list *l)
{
	struct item *first = find(l, 1);

	TRY(add(l, "second"));
	return tell(first->name);
}

static struct error *right_element(struct list *l)
{
	struct item *first = find(l, 1);

	TRY(add(l, "second"));
	first = find(l, 1);
	return tell(first->name);
}

static struct error *right_other_list(struct list *l, struct list *other)
{
	struct item *first = find(l, 1);

	TRY(add(other, "second"));
	return tell(first->name);
}

static struct error *add_and_tell(struct list *l, const char *name)
{
	TRY(add(l, "second"));
	return tell(name);
}

static struct error *wrong_argument(struct list *l)
{
	return add_and_tell(l, l->item[0].name);
}

static struct error *wrong_member(struct walk *w)
{
	w->here = find(w->list, 1);
	TRY(add(w->list, "second"));
	TRY(check(w->list));
	w->here = find(w->list, 1);
	return NULL;
}

static struct error *right_member(struct walk *w)
{
	struct error *err = add(w->list, "second");

	w->here = find(w->list, 1);
	return err;
}
