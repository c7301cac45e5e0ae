#include "gitstore/notes/note_tree.h"

#include <sys/stat.h>

/* Limit of one folder; 100,000 notes in one take 6.6 MB. */
#define FOLDER_BYTES ((size_t)256 << 20)
/* A folder with so many notes is split: with 256 folders at the top, 16,000
 * notes fit before there is a third level. */
#define FOLDER_MAX 64
/* Levels of folders; git has the same limit. */
#define MAX_DEPTH 3

#define MODE_NOTE   "100644"
#define MODE_FOLDER "40000"

/* ---- what is kept -------------------------------------------------------- */

/* The top and the 256 folders below it: 2 MB if all are full. A bigger folder
 * has another program's layout and is not kept. */
#define KEPT_TOP   256
#define KEPT_BYTES ((size_t)16 << 10)

struct note_folders {
	struct {
		git_oid id;
		char *bytes;
		size_t len;
	} kept[KEPT_TOP + 1];
};

/* Where to keep a folder; -1: it is not kept. */
static int place_of(const char *path, unsigned depth)
{
	char two[3] = {0}, *end;
	int place;

	if (depth == 0)
		return KEPT_TOP;
	memcpy(two, path, strnlen(path, 2));
	place = (int)strtoul(two, &end, 16);
	return depth == 1 && end == two + 2 && place < KEPT_TOP ? place : -1;
}

static void note_folders_free(struct note_folders *f)
{
	for (int i = 0; f && i <= KEPT_TOP; i++)
		free(f->kept[i].bytes);
	free(f);
}

static void keep(struct gitstore *g, int place, const git_oid *id,
		 const struct buf *folder)
{
	struct note_folders *f = g->note_folders;

	if (place < 0 || folder->len > KEPT_BYTES)
		return;
	if (!f) {
		f = g->note_folders = xcalloc(1, sizeof *f);
		g->note_folders_free = note_folders_free;
	}
	f->kept[place].bytes =
		xrealloc(f->kept[place].bytes, folder->len + 1, 1);
	memcpy(f->kept[place].bytes, folder->data, folder->len);
	f->kept[place].len = folder->len;
	f->kept[place].id = *id;
}

/* ---- reading a folder ---------------------------------------------------- */

/* Octal digits. strtoul would take as long as all the rest. */
static unsigned long mode_of(const char *digits)
{
	unsigned long mode = 0;

	for (; *digits >= '0' && *digits <= '7'; digits++)
		mode = mode * 8 + (unsigned long)(*digits - '0');
	return mode;
}

/* MODE NAME NUL ID; false if something else is there. */
static bool parse(struct tree_item *out, const struct buf *folder, size_t at)
{
	const char *from = folder->data + at;
	size_t left = folder->len - at;
	const char *space = memchr(from, ' ', MIN(left, 8));
	const char *nul;
	unsigned long mode;

	nul = space ? memchr(space, '\0', left - (size_t)(space - from)) : NULL;
	if (!nul || nul == space + 1 ||
	    left - (size_t)(nul - from) < 1 + GIT_OID_RAWSZ)
		return false;
	out->name = space + 1;
	memcpy(out->id.id, nul + 1, GIT_OID_RAWSZ);
	mode = mode_of(from) & S_IFMT;
	out->folder = mode == S_IFDIR;
	out->blob = mode == S_IFREG || mode == S_IFLNK;
	out->from = at;
	out->end = at + (size_t)(nul - from) + 1 + GIT_OID_RAWSZ;
	return true;
}

/* The entry at *at, which moves past it; false at the end. */
static bool tree_item_next(struct tree_item *out, const struct buf *folder,
			   size_t *at)
{
	if (*at >= folder->len || !parse(out, folder, *at))
		return false;
	*at = out->end;
	return true;
}

bool tree_item_find(struct tree_item *out, const struct buf *folder,
		    const char *name)
{
	size_t at = 0;

	while (tree_item_next(out, folder, &at))
		if (*out->name == *name && str_eq(out->name, name))
			return true;
	return false;
}

static struct error *read_folder(struct buf *out, struct gitstore *g,
				 const git_oid *id)
{
	cleanup_git_odb_object git_odb_object *object = NULL;
	struct tree_item item;
	size_t at = 0;

	TRY(git_check(git_odb_read(&object, g->odb, id),
		      "cannot read the notes"));
	buf_add(out, git_odb_object_data(object), git_odb_object_size(object));
	while (tree_item_next(&item, out, &at))
		;
	if (git_odb_object_type(object) == GIT_OBJECT_TREE && at == out->len &&
	    !out->truncated)
		return NULL;
	return error_new(ERROR_MALFORMED, "the notes are damaged");
}

struct error *note_folder(struct buf *out, struct gitstore *g,
			  const git_oid *id, const char *path, unsigned depth)
{
	const struct note_folders *f = g->note_folders;
	int place = place_of(path, depth);

	buf_release(out);
	out->limit = FOLDER_BYTES;
	if (f && place >= 0 && f->kept[place].bytes &&
	    git_oid_equal(&f->kept[place].id, id)) {
		buf_add(out, f->kept[place].bytes, f->kept[place].len);
		return NULL;
	}
	TRY(read_folder(out, g, id));
	keep(g, place, id, out);
	return NULL;
}

/* ---- changing a folder --------------------------------------------------- */

/* Puts `with` in place of the bytes [from, end). */
static void splice(struct buf *b, size_t from, size_t end,
		   const struct buf *with)
{
	cleanup_buf struct buf rest = BUF_INIT(FOLDER_BYTES);

	buf_add(&rest, b->data + end, b->len - end);
	b->len = from;
	buf_add(b, with->data, with->len);
	buf_add(b, rest.data, rest.len);
}

/* Git's order: a folder's name is compared as if it ended in '/'. */
static int compare(const char *a, bool a_folder, const char *b, bool b_folder)
{
	size_t len = MIN(strlen(a), strlen(b));
	int c = memcmp(a, b, len);
	char end_a = a[len] ? a[len] : a_folder ? '/' : '\0';
	char end_b = b[len] ? b[len] : b_folder ? '/' : '\0';

	return c ? c : (unsigned char)end_a - (unsigned char)end_b;
}

static void take_out(struct buf *folder, const char *name)
{
	const struct buf nothing = BUF_INIT(0);
	struct tree_item item;

	if (tree_item_find(&item, folder, name))
		splice(folder, item.from, item.end, &nothing);
}

/* Is it a folder as git and this program write one? */
static bool is_plain_folder(const struct tree_item *item,
			    const struct buf *folder)
{
	return item->folder && item->name == folder->data + item->from +
						     strlen(MODE_FOLDER " ");
}

/* Replaces what has that name. */
static void put(struct buf *folder, const char *name, const git_oid *id,
		bool is_folder)
{
	cleanup_buf struct buf entry = BUF_INIT(FOLDER_BYTES);
	struct tree_item item;
	size_t at = 0, place = 0;

	if (is_folder && tree_item_find(&item, folder, name) &&
	    is_plain_folder(&item, folder)) {
		memcpy(folder->data + item.end - GIT_OID_RAWSZ, id->id,
		       GIT_OID_RAWSZ);
		return;
	}
	take_out(folder, name);
	while (tree_item_next(&item, folder, &at) &&
	       compare(item.name, item.folder, name, is_folder) < 0)
		place = at;
	buf_adds(&entry, is_folder ? MODE_FOLDER " " : MODE_NOTE " ");
	buf_add(&entry, name, strlen(name) + 1);
	buf_add(&entry, id->id, GIT_OID_RAWSZ);
	splice(folder, place, place, &entry);
}

static struct error *write_folder(git_oid *out, struct gitstore *g,
				  const struct buf *folder, const char *path,
				  unsigned depth)
{
	TRY(object_write(out, g, folder->data, folder->len, GIT_OBJECT_TREE,
			 "cannot write the notes"));
	keep(g, place_of(path, depth), out, folder);
	return NULL;
}

/* ---- cutting ------------------------------------------------------------- */

static size_t count(const struct buf *folder)
{
	struct tree_item item;
	size_t n = 0;

	for (size_t at = 0; tree_item_next(&item, folder, &at);)
		n++;
	return n;
}

/* Is it a note of this folder, and not a folder or another file? */
static bool is_note(const struct tree_item *item, size_t name_len)
{
	return item->blob && str_is_hex(item->name, name_len);
}

struct edit {
	struct gitstore *g;
	const char *commit;
	const git_oid *blob;
};

/* Moves the notes from *at on that begin alike to a folder of `to`. */
static struct error *cut_one(struct buf *to, const struct edit *e,
			     const struct buf *from, size_t *at, size_t len,
			     unsigned depth)
{
	cleanup_buf struct buf folder = BUF_INIT(FOLDER_BYTES);
	struct tree_item item, there;
	char two[3] = {0};
	git_oid id;
	size_t next = *at;

	if (!tree_item_next(&item, from, &next))
		return NULL;
	memcpy(two, item.name, 2);
	if (tree_item_find(&there, to, two))
		TRY(note_folder(&folder, e->g, &there.id, two, depth + 1));
	do {
		put(&folder, item.name + 2, &item.id, false);
		take_out(to, item.name);
		*at = next;
	} while (tree_item_next(&item, from, &next) && is_note(&item, len) &&
		 starts_with(item.name, two));
	TRY(write_folder(&id, e->g, &folder, two, depth + 1));
	put(to, two, &id, true);
	return NULL;
}

/* Splits a folder that is too big into folders by the next two digits. */
static struct error *cut(struct buf *folder, const struct edit *e, size_t len,
			 unsigned depth)
{
	cleanup_buf struct buf before = BUF_INIT(FOLDER_BYTES);
	struct tree_item item;
	size_t at = 0;

	buf_add(&before, folder->data, folder->len);
	for (size_t next = 0; tree_item_next(&item, &before, &next); at = next)
		if (is_note(&item, len)) {
			TRY(cut_one(folder, e, &before, &at, len, depth));
			next = at;
		}
	return NULL;
}

/* ---- putting a note ------------------------------------------------------ */

/* Does the folder have to be split before one more note is added? Never the top
 * (it has folders from the first note on), and never without end. */
static bool is_full(const struct buf *folder, const char *rest, unsigned depth)
{
	struct tree_item item;

	return depth > 0 && depth < MAX_DEPTH &&
	       !tree_item_find(&item, folder, rest) &&
	       count(folder) >= FOLDER_MAX;
}

/* `tree` NULL: the empty tree. */
static struct error *insert(git_oid *out, const struct edit *e,
			    const git_oid *tree, unsigned depth)
{
	const char *rest = e->commit + (size_t)2 * depth;
	cleanup_buf struct buf folder = BUF_INIT(FOLDER_BYTES);
	char two[3] = {rest[0], rest[0] ? rest[1] : '\0', '\0'};
	bool below = depth == 0, there;
	struct tree_item item;
	git_oid id;

	if (tree)
		TRY(note_folder(&folder, e->g, tree, e->commit, depth));
	if (!tree_item_find(&item, &folder, two) &&
	    is_full(&folder, rest, depth)) {
		TRY(cut(&folder, e, strlen(rest), depth));
		below = true;
	}
	there = strlen(rest) > 2 && tree_item_find(&item, &folder, two);
	if (there || below) {
		TRY(insert(&id, e, there ? &item.id : NULL, depth + 1));
		take_out(&folder, rest);
		put(&folder, two, &id, true);
	} else {
		put(&folder, rest, e->blob, false);
	}
	return write_folder(out, e->g, &folder, e->commit, depth);
}

struct error *note_tree_put(git_oid *out, struct gitstore *g,
			    const git_oid *tree, const char *commit,
			    const git_oid *blob)
{
	const struct edit e = {g, commit, blob};

	return insert(out, &e, git_oid_is_zero(tree) ? NULL : tree, 0);
}
