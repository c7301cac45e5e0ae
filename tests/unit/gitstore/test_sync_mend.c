/* Notes that were lost come back; what is there is seen. */
#include "gitstore/notes/note.h"
#include "gitstore/sync/noted.h"
#include "tests/unit/gitstore/archive_world.h"

static void lost_notes_are_put_back(void **state)
{
	struct world *w = *state;
	struct commit_id id;
	cleanup_free char *before = NULL, *after = NULL;
	cleanup_strvec struct strvec unread = STRVEC_INIT;
	size_t restored = 0;

	make_candidate(&id, w, w->base.hex, "int kept;\n", 1);
	append_measurement(w->g, id.hex, VERDICT_PASS);
	assert_null(gitstore_note(&before, w->g, id.hex));
	run_git(w, "update-ref -d refs/notes/avogit");
	assert_null(gitstore_mend_notes(&restored, &unread, w->g));
	assert_int_equal(restored, 1);
	assert_null(gitstore_note(&after, w->g, id.hex));
	assert_string_equal(before, after);
	assert_null(gitstore_mend_notes(&restored, &unread, w->g));
	assert_int_equal(restored, 0);
	assert_int_equal(unread.n, 0);
}

/* Of every depth at which a note may stand, and of more than one measurement
 * in it. */
static void all_notes_are_read_at_once(void **state)
{
	struct world *w = *state;
	cleanup_noted struct noted lines = {.n = 0};
	static const char *const written[] = {"20260101T000000Z-00000001",
					      "20260101T000000Z-00000002"};
	static const char flat[] = "1111111111111111111111111111111111111111";
	struct commit_id id;
	cleanup_free char *note = NULL;
	git_oid tip, tree;

	make_candidate(&id, w, w->base.hex, "int kept;\n", 1);
	append_measurement(w->g, id.hex, VERDICT_PASS);
	append_measurement(w->g, id.hex, VERDICT_PASS);
	assert_null(gitstore_note(&note, w->g, id.hex));
	free(git(w, "update-ref refs/notes/avogit $({ "
		    "git ls-tree refs/notes/avogit; printf '100644 blob "
		    "%s\\t1111111111111111111111111111111111111111\\n' "
		    "$(printf '20260101T000000Z-00000001 000 a=b\\n"
		    "20260101T000000Z-00000002' | git hash-object -w --stdin);"
		    " printf '100644 blob %s\\tREADME\\n' "
		    "$(git hash-object -w k.c); } | git mktree | "
		    "xargs git -c user.name=T -c user.email=t@t "
		    "commit-tree -m notes)"));
	assert_null(notes_tree(&tip, &tree, w->g));
	assert_null(noted_read(&lines, w->g, &tree));
	assert_int_equal(lines.n, 4);
	for (const char *line = note; *line; line = strchr(line, '\n') + 1) {
		cleanup_free char *word = xstrndup(line, MEASUREMENT_ID_LEN);

		assert_true(noted_have(&lines, id.hex, word));
		assert_false(noted_have(&lines, flat, word));
	}
	for (size_t i = 0; i < ARRAY_SIZE(written); i++) {
		assert_true(noted_have(&lines, flat, written[i]));
		assert_false(noted_have(&lines, id.hex, written[i]));
	}
	assert_false(noted_have(&lines, flat, "20260101T000000Z"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(lost_notes_are_put_back),
		IN_WORLD(all_notes_are_read_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
