/*
 * What tests/held-across-try.pl has to find, and what it has to leave: every
 * function wrong_* is reported, no function right_* is. Nothing compiles this.
 */
#include "core/base/error.h"

#define TOOL_FUNCTION(name) struct error *name(const struct list *l)

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

/* ---- a cleanup local that nothing has begun -------------------------------- */

static void item_init(struct item *it, int value)
{
	memset(it, 0, sizeof *it);
	it->value = value;
}

static void walk_init(struct walk *w, struct list *l)
{
	w->list = l;
	w->here = NULL;
}

static struct error *item_read(struct item *it, const struct list *l)
{
	TRY(check(l));
	item_init(it, 1);
	return NULL;
}

static struct error *item_begin_and_read(struct item *it, const struct list *l)
{
	item_init(it, 1);
	return check(l);
}

static void walk_renew(struct walk *w, struct list *l)
{
	free((void *)w->here);
	walk_init(w, l);
}

static void wrong_read_before(struct list *l)
{
	CLEANUP(walk) struct walk w;

	walk_renew(&w, l);
}

static struct error *wrong_begun_late(const struct list *l)
{
	cleanup_item struct item it;

	TRY(check(l));
	item_init(&it, 1);
	return tell(it.name);
}

static struct error *wrong_left_early(const struct list *l)
{
	cleanup_item struct item it;

	if (!l->n)
		return NULL;
	item_init(&it, 1);
	return tell(it.name);
}

static void wrong_begun_in_one_branch(const struct list *l)
{
	cleanup_item struct item it;

	if (l->n)
		item_init(&it, 1);
	else if (l->cap)
		item_init(&it, 2);
}

/* Out-parameters are untouched on error. */
static struct error *wrong_untouched_on_error(const struct list *l)
{
	cleanup_item struct item it;

	TRY(item_read(&it, l));
	return tell(it.name);
}

static bool wrong_perhaps_not_called(const struct list *l)
{
	cleanup_item struct item it;

	return l->n && !item_begin_and_read(&it, l);
}

static void wrong_left_by_break(const struct list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		cleanup_item struct item it;

		if (l->frozen)
			break;
		item_init(&it, 1);
	}
}

static void wrong_one_case(const struct list *l)
{
	cleanup_item struct item it;

	switch (l->n) {
	case 0:
		item_init(&it, 1);
		break;
	case 1:
		break;
	default:
		item_init(&it, 2);
	}
}

static void wrong_begun_in_a_loop(const struct list *l)
{
	cleanup_item struct item it;

	for (size_t i = 0; i < l->n; i++)
		item_init(&it, 1);
}

static struct error *wrong_second_name(const struct list *l)
{
	cleanup_free char *name = NULL, *other;

	name = xstrdup("name");
	TRY(check(l));
	other = xstrdup("other");
	return tell(other);
}

static void wrong_member_left_out(struct list *l)
{
	CLEANUP(walk) struct walk w;

	w.list = l;
}

static struct error *right_begun_at_once(const struct list *l)
{
	cleanup_item struct item it, next;
	int n;

	n = 1;
	item_init(&it, n);
	next = it;
	TRY(check(l));
	return tell(next.name);
}

TOOL_FUNCTION(wrong_behind_a_macro)
{
	cleanup_item struct item it;

	TRY(check(l));
	item_init(&it, 1);
	return NULL;
}

DEFINE_RELEASE(item, struct item, item_release)

static struct error *wrong_behind_a_definition(const struct list *l)
{
	cleanup_item struct item it;

	return item_read(&it, l);
}

static struct error *right_begun_by_callee(const struct list *l)
{
	cleanup_item struct item it;

	TRY(item_begin_and_read(&it, l));
	return tell(it.name);
}

static struct error *right_begun_by_members(struct list *l)
{
	CLEANUP(walk) struct walk w;

	walk_init(&w, l);
	return check(w.list);
}

static struct error *right_begun_in_each_branch(const struct list *l)
{
	cleanup_item struct item it;

	if (l->n) {
		item_init(&it, 1);
	} else if (l->frozen) {
		it = (struct item){.value = 2};
	} else {
		switch (l->cap) {
		case 0:
			item_init(&it, 3);
			break;
		default:
			item_init(&it, 4);
		}
	}
	return check(l);
}

static struct error *right_begun_in_its_block(const struct list *l)
{
	TRY(check(l));
	for (size_t i = 0; i < l->n; i++) {
		cleanup_item struct item it;

		item_init(&it, 1);
		if (l->frozen)
			continue;
		TRY(tell(it.name));
	}
	return NULL;
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
