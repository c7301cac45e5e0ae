/* Loose objects as a full disk, a bad one and other people leave them: each is
 * named with what is wrong, and none is waited for. */
#include "gitstore/git/loose.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "tests/unit/gitstore/repository.h"

#ifdef __SANITIZE_ADDRESS__
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* The file of an object, whether it is there or not; free() it. */
static char *path_of(const struct world *w, const git_oid *id)
{
	struct commit_id hex;

	hex = oid_hex(id);
	return xasprintf("%s/.git/objects/%.2s/%s", w->dir, hex.hex,
			 hex.hex + 2);
}

/* The id of "TYPE SIZE" and the text, whatever the header says: that of what is
 * whole. */
static git_oid id_for(const char *text, git_object_t type)
{
	git_oid id;

	assert_int_equal(git_odb_hash(&id, text, strlen(text), type), 0);
	return id;
}

static void put_bytes(const struct world *w, const git_oid *id,
		      const void *bytes, size_t len)
{
	cleanup_free char *path = path_of(w, id);
	cleanup_free char *dir = xstrdup(path);

	*strrchr(dir, '/') = '\0';
	assert_true(mkdir(dir, 0755) == 0 || errno == EEXIST);
	unlink(path);
	assert_null(file_write(path, bytes, len, false));
}

/* Puts HEADER, a NUL and the text in the place of an object, deflated. */
static size_t deflated(unsigned char *out, size_t size, const char *header,
		       const char *text)
{
	cleanup_buf struct buf all = BUF_INIT(BUF_LIMIT_TEXT);
	uLongf len = size;

	buf_add(&all, header, strlen(header) + 1);
	buf_adds(&all, text);
	assert_int_equal(compress(out, &len, (const Bytef *)all.data, all.len),
			 Z_OK);
	return len;
}

static void put(const struct world *w, const git_oid *id, const char *header,
		const char *text)
{
	unsigned char bytes[4096];

	put_bytes(w, id, bytes, deflated(bytes, sizeof bytes, header, text));
}

/* By libgit2, last. */
static void assert_told(const char *why)
{
	const char *message = git_error_last()->message;

	if (!strstr(message, why))
		fail_msg("not \"%s\": %s", why, message);
}

/* What a reader is told: the whole object and its header alone. */
static void assert_damaged_now(const struct world *w, const git_oid *id,
			       const char *why)
{
	cleanup_strvec struct strvec found = STRVEC_INIT;
	cleanup_free char *path = path_of(w, id);
	git_odb_object *object = NULL;
	size_t n;

	assert_true(git_odb_read(&object, w->g->odb, id) < 0);
	assert_told(why);
	loose_examine(&found, &n, w->g->repo);
	assert_int_equal(found.n, 1);
	assert_non_null(strstr(found.v[0], path));
	assert_non_null(strstr(found.v[0], why));
}

static void assert_damaged(struct world *w, const git_oid *id, const char *why)
{
	reopen(w);
	assert_damaged_now(w, id, why);
}

static void assert_header_is_damaged(struct world *w, const git_oid *id,
				     const char *why)
{
	git_object_t type;
	size_t len;

	reopen(w);
	assert_true(git_odb_read_header(&len, &type, w->g->odb, id) < 0);
	assert_non_null(strstr(git_error_last()->message, why));
}

static void what_git_wrote_is_read_whole(void **state)
{
	static const int level[] = {0, 1, 9};
	struct world *w = *state;
	cleanup_strvec struct strvec found = STRVEC_INIT;
	git_odb_object *object = NULL;
	git_oid id;
	size_t n;

	do_in(w, "head -c 300000 /dev/urandom >random; : >empty; "
		 "head -c 3000000 /dev/zero >zeros; printf %%020d 1 >header");
	for (size_t i = 0; i < ARRAY_SIZE(level); i++)
		do_in(w,
		      "for f in random empty zeros header; do echo %d >>$f; "
		      "git -c core.looseCompression=%d hash-object -w $f; done",
		      level[i], level[i]);
	reopen(w);
	loose_examine(&found, &n, w->g->repo);
	assert_int_equal(found.n, 0);
	/* With the first commit and its tree. */
	assert_int_equal(n, 14);
	id = id_of(w, "git hash-object zeros");
	assert_int_equal(git_odb_read(&object, w->g->odb, &id), 0);
	assert_int_equal(git_odb_object_size(object), 3000006);
	git_odb_object_free(object);
}

static void one_cut_short_is_named_at_each_length(void **state)
{
	static const char text[] = "a text that is long enough to be cut";
	struct world *w = *state;
	git_oid id = id_for(text, GIT_OBJECT_BLOB);
	unsigned char bytes[256];
	size_t len = deflated(bytes, sizeof bytes, "blob 36", text);

	for (size_t n = 0; n < len; n++) {
		put_bytes(w, &id, bytes, n);
		assert_damaged(w, &id, "it is cut short");
	}
	put_bytes(w, &id, bytes, len);
	reopen(w);
	assert_true(git_odb_exists(w->g->odb, &id) == 1);
	bytes[len++] = 0;
	put_bytes(w, &id, bytes, len);
	assert_damaged(w, &id, "something follows its end");
}

static void a_length_that_is_not_the_headers_is_told(void **state)
{
	struct world *w = *state;
	git_oid id = id_for("twelve bytes", GIT_OBJECT_BLOB);
	cleanup_free char *much = xcalloc(1, 3001);

	put(w, &id, "blob 11", "twelve bytes");
	assert_damaged(w, &id, "it is longer than its header says");
	put(w, &id, "blob 13", "twelve bytes");
	assert_damaged(w, &id, "it is shorter than its header says");
	put(w, &id, "blob 0", "twelve bytes");
	assert_damaged(w, &id, "it is longer than its header says");
	/* No memory is asked for what cannot be in so small a file. */
	put(w, &id, "blob 4611686018427387903", "twelve bytes");
	assert_damaged(w, &id, "it is shorter than its header says");
	memset(much, 'x', 3000);
	put(w, &id, "blob 2999", much);
	assert_damaged(w, &id, "it is longer than its header says");
}

static void what_is_no_header_is_told(void **state)
{
	static const char *const header[] = {
		"",
		"blob",
		"blob ",
		"blob -1",
		"blob 1 ",
		"blob  1",
		"blob 0x1",
		"Blob 1",
		"ofs 1",
		"blob\t1",
		"1 blob",
		"ofs-delta 1",
		"any 1",
		"blob 1\n",
		" 1",
		"blob 18446744073709551616",
		"ref-delta 1",
		"blob 9223372036854775808",
		"a header that ends nowhere near where it should",
	};
	struct world *w = *state;
	git_oid id = id_for("x", GIT_OBJECT_BLOB);
	git_object_t type;
	size_t len;

	for (size_t i = 0; i < ARRAY_SIZE(header); i++) {
		put(w, &id, header[i], "x");
		assert_damaged(w, &id, "it has no header of an object");
		assert_header_is_damaged(w, &id, "it has no header");
	}
	put(w, &id, "blob 1", "x");
	reopen(w);
	assert_int_equal(git_odb_read_header(&len, &type, w->g->odb, &id), 0);
	put_bytes(w, &id, "no stream of zlib", 17);
	assert_damaged(w, &id, "not an object that zlib can inflate");
}

static void another_object_than_the_name_says_is_told(void **state)
{
	struct world *w = *state;
	git_oid id = id_for("what was meant", GIT_OBJECT_BLOB);
	git_odb_object *object = NULL;
	cleanup_strvec struct strvec found = STRVEC_INIT;
	size_t n;

	/* Whole, and of the wrong contents; or of the wrong type. */
	for (int i = 0; i < 2; i++) {
		if (i == 0)
			put(w, &id, "blob 14", "what was faked");
		else
			put(w, &id, "commit 14", "what was meant");
		reopen(w);
		assert_int_equal(git_odb_read(&object, w->g->odb, &id),
				 GIT_EMISMATCH);
		loose_examine(&found, &n, w->g->repo);
		assert_int_equal(found.n, i + 1);
		assert_non_null(strstr(found.v[i], "another object than its "
						   "name says"));
	}
}

static void what_is_no_file_is_not_opened_for_long(void **state)
{
	struct world *w = *state;
	git_oid id = id_for("a blob", GIT_OBJECT_BLOB);
	cleanup_free char *path = path_of(w, &id);

	put(w, &id, "blob 6", "a blob");
	/* The store refuses to open a repository that has one: this came later. */
	reopen(w);
	do_in(w, "rm -f %s && mkfifo %s", path, path);
	assert_damaged_now(w, &id, "it is not a regular file");
	do_in(w, "rm %s && ln -s /dev/zero %s", path, path);
	assert_damaged_now(w, &id, "it is not a regular file");
	do_in(w, "rm %s && ln -s /etc/passwd %s", path, path);
	assert_damaged_now(w, &id, "not an object that zlib can inflate");
	do_in(w, "rm %s && mkdir %s", path, path);
	assert_damaged_now(w, &id, "it is not a regular file");
	do_in(w, "rmdir %s && ln -s %s %s", path, path, path);
	assert_damaged_now(w, &id, "Too many levels of symbolic links");
}

static void a_link_to_an_object_is_that_object(void **state)
{
	struct world *w = *state;
	git_oid id = id_for("a blob", GIT_OBJECT_BLOB);
	cleanup_free char *path = path_of(w, &id);
	cleanup_strvec struct strvec found = STRVEC_INIT;
	git_odb_object *object = NULL;
	size_t n;

	put(w, &id, "blob 6", "a blob");
	do_in(w, "mv %s elsewhere && ln -s $PWD/elsewhere %s", path, path);
	reopen(w);
	assert_int_equal(git_odb_read(&object, w->g->odb, &id), 0);
	assert_memory_equal(git_odb_object_data(object), "a blob", 6);
	git_odb_object_free(object);
	loose_examine(&found, &n, w->g->repo);
	assert_int_equal(found.n, 0);
}

/* In a process of its own: how much memory it may have is not taken back. */
static void a_file_that_inflates_to_much_costs_little_memory(void **state)
{
	struct world *w = *state;
	pid_t child;
	int status;

	do_in(w,
	      "head -c 300000000 /dev/zero | git -c core.bigFileThreshold=1g "
	      "hash-object -w --stdin");
	reopen(w);
	child = fork();
	if (child == 0) {
		const struct rlimit most = {(rlim_t)160 << 20,
					    (rlim_t)160 << 20};
		struct strvec found = STRVEC_INIT;
		size_t n;

		/* A sanitizer takes more than that for itself. */
		if (!SANITIZED)
			setrlimit(RLIMIT_DATA, &most);
		loose_examine(&found, &n, w->g->repo);
		_exit(found.n == 0 && n == 3 ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void the_beginning_of_an_id_finds_it_or_says_why_not(void **state)
{
	struct world *w = *state;
	git_oid id = id_for("a blob", GIT_OBJECT_BLOB), other = id, found;
	cleanup_free char *path = path_of(w, &id);
	git_odb_object *object = NULL;

	put(w, &id, "blob 6", "a blob");
	reopen(w);
	assert_int_equal(git_odb_exists_prefix(&found, w->g->odb, &id, 8), 0);
	assert_int_equal(git_odb_read_prefix(&object, w->g->odb, &id, 8), 0);
	assert_true(git_oid_equal(git_odb_object_id(object), &id));
	git_odb_object_free(object);
	other.id[GIT_OID_RAWSZ - 1] ^= 1;
	put(w, &other, "blob 6", "a blob");
	reopen(w);
	assert_int_equal(git_odb_read_prefix(&object, w->g->odb, &id, 8),
			 GIT_EAMBIGUOUS);
	do_in(w, "d=$(dirname %s); touch $d/short $d/%038d", path, 0);
	reopen(w);
	other.id[0] ^= 0xff;
	assert_int_equal(git_odb_read_prefix(&object, w->g->odb, &other, 8),
			 GIT_ENOTFOUND);
}

static void alternates_that_name_each_other_end(void **state)
{
	struct world *w = *state;
	git_oid id = id_for("a blob", GIT_OBJECT_BLOB);
	cleanup_free char *path = path_of(w, &id);
	git_odb_object *object = NULL;

	put(w, &id, "blob 6", "a blob");
	do_in(w,
	      "mkdir -p other/info .git/objects/info && mv .git/objects/%.2s "
	      "other/ && "
	      "printf '# a remark\\n%%s\\n%%s\\n\\n' $PWD/other /nowhere "
	      ">.git/objects/info/alternates && "
	      "echo $PWD/.git/objects >other/info/alternates",
	      strrchr(path, '/') - 2);
	reopen(w);
	assert_int_equal(git_odb_read(&object, w->g->odb, &id), 0);
	git_odb_object_free(object);
	do_in(w, "chmod u+w other/*/* && truncate -s 5 other/%.2s/*",
	      strrchr(path, '/') - 2);
	reopen(w);
	assert_true(git_odb_read(&object, w->g->odb, &id) < 0);
	assert_non_null(strstr(git_error_last()->message, "other/"));
	assert_non_null(strstr(git_error_last()->message, "cut short"));
}

/* ---- writing ------------------------------------------------------------ */

/* Bytes that do not deflate, others each time. */
static void some_bytes(struct buf *out, size_t len)
{
	static uint32_t x = 1;

	buf_clear(out);
	for (size_t i = 0; i < len; i++) {
		x = x * 1664525 + 1013904223;
		buf_addc(out, (char)(x >> 24));
	}
}

/* By git: whole, and of that length. */
static void assert_git_has(const struct world *w, const git_oid *id,
			   const char *type, size_t len)
{
	struct commit_id hex;

	hex = oid_hex(id);
	do_in(w,
	      "test $(git cat-file -t %s) = %s && "
	      "test $(git cat-file -s %s) = %zu && test $(git cat-file %s %s "
	      "| git hash-object -t %s --stdin) = %s",
	      hex.hex, type, hex.hex, len, type, hex.hex, type, hex.hex);
}

/* Is its file as long as the object and 12 bytes more, with its header? */
static bool is_stored(const struct world *w, const git_oid *id, size_t len)
{
	cleanup_free char *path = path_of(w, id);
	cleanup_free char *head = xasprintf("blob %zu", len);
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0440);
	return (size_t)st.st_size == len + strlen(head) + 12;
}

static void what_is_written_here_git_reads(void **state)
{
	static const size_t length[] = {0, 1, 4069, 4070, 65519, 65520, 300000};
	struct world *w = *state;
	cleanup_buf struct buf bytes = BUF_INIT(BUF_LIMIT_TEXT);
	mode_t before = umask(0027);
	git_oid id, again;

	for (size_t i = 0; i < ARRAY_SIZE(length); i++) {
		some_bytes(&bytes, length[i]);
		assert_null(blob_write(&id, w->g, bytes.data, bytes.len));
		assert_git_has(w, &id, "blob", length[i]);
		if (length[i] <= 4069)
			assert_true(is_stored(w, &id, length[i]));
		/* Over the file that is there. */
		assert_null(blob_write(&again, w->g, bytes.data, bytes.len));
		assert_true(git_oid_equal(&id, &again));
	}
	umask(before);
	do_in(w, "git fsck --strict && ! ls .git/objects/*/tmp*");
}

/* Of so many files; its length. */
static size_t write_tree(git_oid *out, const struct world *w, size_t files)
{
	cleanup_buf struct buf tree = BUF_INIT(BUF_LIMIT_TEXT);
	git_oid blob;

	assert_null(blob_write(&blob, w->g, "text", 4));
	for (size_t i = 0; i < files; i++) {
		buf_addf(&tree, "100644 %05zu", i);
		buf_addc(&tree, '\0');
		buf_add(&tree, blob.id, sizeof blob.id);
	}
	assert_null(object_write(out, w->g, tree.data, tree.len,
				 GIT_OBJECT_TREE, "a tree"));
	return tree.len;
}

static void trees_of_every_length_are_gits(void **state)
{
	static const size_t files[] = {1, 200, 1985, 1986, 5000};
	struct world *w = *state;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		git_oid id, gits;
		size_t len = write_tree(&id, w, files[i]);

		gits = id_of(
			w,
			"b=$(printf text | git hash-object --stdin); for i "
			"in $(seq 0 %zu); do printf '100644 blob "
			"%%s\\t%%05d\\n' $b $i; done | git mktree",
			files[i] - 1);
		assert_true(git_oid_equal(&id, &gits));
		assert_git_has(w, &id, "tree", len);
	}
	do_in(w, "git fsck --strict");
}

/* Of a process that was killed, which had this one's number. */
static void a_file_that_was_left_is_not_in_the_way(void **state)
{
	struct world *w = *state;
	git_oid id = id_for("a blob", GIT_OBJECT_BLOB);
	cleanup_free char *path = path_of(w, &id);
	char *name = strrchr(path, '/');

	do_in(w,
	      "mkdir -p .git/objects/%.2s && echo >.git/objects/%.2s/tmp_obj_"
	      "%.16s%ld",
	      name - 2, name - 2, name + 1, (long)getpid());
	assert_null(blob_write(&id, w->g, "a blob", 6));
	assert_git_has(w, &id, "blob", 6);
	do_in(w, "test $(ls .git/objects/*/tmp_obj_* | wc -l) = 1 && "
		 "git prune && ! ls .git/objects/*/tmp_obj_*");
}

static void a_folder_is_made_again_or_named(void **state)
{
	struct world *w = *state;
	git_oid id = id_for("a blob", GIT_OBJECT_BLOB);
	cleanup_free char *path = path_of(w, &id);
	struct error *err;

	assert_null(blob_write(&id, w->g, "a blob", 6));
	do_in(w, "rm -rf $(dirname %s)", path);
	assert_null(blob_write(&id, w->g, "a blob", 6));
	assert_git_has(w, &id, "blob", 6);
	do_in(w, "d=$(dirname %s) && rm -rf $d && echo >$d", path);
	err = blob_write(&id, w->g, "a blob", 6);
	*strrchr(path, '/') = '\0';
	assert_says(err, path, "Not a directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_world, end_world)
		TEST(what_git_wrote_is_read_whole),
		TEST(one_cut_short_is_named_at_each_length),
		TEST(a_length_that_is_not_the_headers_is_told),
		TEST(what_is_no_header_is_told),
		TEST(another_object_than_the_name_says_is_told),
		TEST(what_is_no_file_is_not_opened_for_long),
		TEST(a_link_to_an_object_is_that_object),
		TEST(a_file_that_inflates_to_much_costs_little_memory),
		TEST(the_beginning_of_an_id_finds_it_or_says_why_not),
		TEST(alternates_that_name_each_other_end),
		TEST(what_is_written_here_git_reads),
		TEST(trees_of_every_length_are_gits),
		TEST(a_file_that_was_left_is_not_in_the_way),
		TEST(a_folder_is_made_again_or_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
