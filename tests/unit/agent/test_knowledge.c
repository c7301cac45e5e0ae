#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/knowledge/knowledge.h"
#include "core/base/file.h"

static void ok(struct error *err)
{
	if (err)
		print_error("%s\n", error_message(err));
	assert_null(err);
}

static void put(struct fileset *files, const char *path, const char *text)
{
	ok(fileset_put(files, path, text, strlen(text), false));
}

static struct knowledge *open_files(const struct fileset *files,
				    const char *cache)
{
	const struct knowledge_options options = {.cache_dir = cache};
	cleanup_documents struct documents d = DOCUMENTS_INIT;
	struct knowledge *k = NULL;

	documents_add_files(&d, files);
	ok(knowledge_open(&k, &d, &options));
	return k;
}

static struct knowledge *open_notes(void)
{
	const struct knowledge_options options = {0};
	cleanup_documents struct documents d = DOCUMENTS_INIT;
	struct knowledge *k = NULL;

	documents_add_notes(&d);
	ok(knowledge_open(&k, &d, &options));
	return k;
}

/* The source of the best hit; free() disposes. */
static char *best(struct knowledge *k, const char *query)
{
	cleanup_knowledge_hits struct knowledge_hits h = {0};

	ok(knowledge_search(&h, k, query, 3));
	return xstrdup(h.n ? h.hit[0].source : "");
}

static void assert_best(struct knowledge *k, const char *query,
			const char *source)
{
	cleanup_free char *found = best(k, query);

	if (!str_eq(found, source))
		print_error("%s: ", query);
	assert_string_equal(found, source);
}

static char *temp_dir(void)
{
	char *dir = NULL;

	ok(dir_make_temp(&dir, "/tmp", "knowledge."));
	return dir;
}

/* ---- searching ---------------------------------------------------------- */

static const struct {
	const char *path, *text;
} library[] = {
	{"copy.md", "# Copies\n\nIssue cp.async.bulk.tensor.2d from one thread "
		    "and wait on the mbarrier.\n"},
	{"mma.md",
	 "# Products\n\nwgmma.mma_async.sync.aligned.m64n128k16 wants "
	 "a descriptor.\n\n## Waiting\n\nwgmma.wait_group says when "
	 "the registers are yours.\n"},
	{"banks.md", "# Shared memory\n\nBank conflicts serialise a load; "
		     "swizzling avoids them.\n"},
	{"sync.cu", "__device__ void f(void)\n{\n\t__syncthreads();\n"
		    "\tasm volatile(\"ld.global.nc.v4.f32 %0, [%1];\");\n}\n"},
	{"other.txt", "Nothing that anybody looks for, in some words.\n"},
};

static struct knowledge *open_library(void)
{
	cleanup_fileset struct fileset files = FILESET_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(library); i++)
		put(&files, library[i].path, library[i].text);
	return open_files(&files, NULL);
}

static void finds_identifiers_and_words_in_any_form(void **state)
{
	static const struct {
		const char *query, *source;
	} cases[] = {
		{"cp.async.bulk", "copy.md"},
		{"cp.async.bulk.tensor", "copy.md"},
		{"CP.ASYNC", "copy.md"},
		{"cp_async_bulk", "copy.md"},
		{"wgmma", "mma.md"},
		{"mma_async", "mma.md"},
		{"m64n128k16", "mma.md"},
		{"wgmma.wait_group", "mma.md"},
		{"__syncthreads", "sync.cu"},
		{"__syncthreads();", "sync.cu"},
		{"ld.global.nc", "sync.cu"},
		{"swizzle", "banks.md"},
		{"bank conflict", "banks.md"},
		{"how do I avoid bank conflicts?", "banks.md"},
		{"what is a descript", "mma.md"},
		{"smem-bank-conflicts", "banks.md"},
		{"barrier mbarrier", "copy.md"},
	};
	cleanup_knowledge struct knowledge *k = open_library();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_best(k, cases[i].query, cases[i].source);
}

static void hits_with_every_word_come_first(void **state)
{
	cleanup_knowledge struct knowledge *k = open_library();
	cleanup_knowledge_hits struct knowledge_hits h = {0};

	(void)state;
	ok(knowledge_search(&h, k, "wgmma registers", 10));
	assert_int_equal(h.n, 2);
	assert_true(h.hit[0].all);
	assert_string_equal(h.hit[0].heading, "Products > Waiting");
	assert_false(h.hit[1].all);
	assert_string_equal(h.hit[1].heading, "Products");
}

static void any_text_is_a_query(void **state)
{
	static const char *const hostile[] = {
		"",
		" \t\n",
		"\"",
		"\"\"\"",
		"'; DROP TABLE passage; --",
		"passage MATCH 'x'",
		"AND",
		"NOT OR AND NEAR",
		"NEAR(a b, 10)",
		"heading : wgmma",
		"{heading body} : x",
		"a* ^b -c +d",
		"(((((((",
		")",
		"*",
		"^",
		"...",
		"\x01\x02\x7f",
		"\xff\xfe wgmma \xc3",
		"\xe2\x86\x92",
		"\xe2\x86\x92 wgmma \xf0\x9f\x98\x80",
		"col\\umn : \\\"",
		"$(reboot) `x` %s %n",
		"+ - * / : , ; . # { } [ ] < >",
		"a\"b",
		"x\" OR \"y",
		"a\":b\"*",
	};
	cleanup_knowledge struct knowledge *k = open_library();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(hostile); i++) {
		cleanup_knowledge_hits struct knowledge_hits h = {0};

		ok(knowledge_search(&h, k, hostile[i], 5));
	}
	assert_best(k, "heading: \"wgmma.wait_group\" NOT *", "mma.md");
	assert_best(k, "'; DROP TABLE passage; -- swizzle", "banks.md");
}

static void a_query_of_a_megabyte_is_a_query(void **state)
{
	cleanup_knowledge struct knowledge *k = open_library();
	size_t len = (size_t)1 << 20;
	cleanup_free char *text = xcalloc(len + 1, 1);

	(void)state;
	memset(text, 'w', len);
	assert_best(k, text, "");
	for (size_t i = 0; i < len; i += 2)
		text[i] = '"';
	assert_best(k, text, "");
	memcpy(text, "swizzle ", 8);
	assert_best(k, text, "banks.md");
}

static void gives_no_more_hits_than_asked_for(void **state)
{
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_knowledge struct knowledge *k = NULL;
	static const size_t limits[] = {0, 1, 7, KNOWLEDGE_MAX_HITS, SIZE_MAX};

	(void)state;
	for (int i = 0; i < 100; i++) {
		char path[32];

		snprintf(path, sizeof path, "%d.txt", i);
		put(&files, path, path);
	}
	k = open_files(&files, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		cleanup_knowledge_hits struct knowledge_hits h = {0};

		ok(knowledge_search(&h, k, "txt", limits[i]));
		assert_int_equal(h.n, MIN(limits[i], KNOWLEDGE_MAX_HITS));
	}
}

/* ---- rows --------------------------------------------------------------- */

static void a_row_takes_the_place_of_one_with_its_title(void **state)
{
	cleanup_knowledge struct knowledge *k = open_library();
	cleanup_knowledge_list struct knowledge_list l = {0};

	(void)state;
	ok(knowledge_add(k, "run gemm", "#1 wider tiles", "slower by 3%"));
	ok(knowledge_add(k, "run gemm", "#2 pingpong", "faster by zebra"));
	ok(knowledge_add(k, "run gemm", "#2 pingpong", "faster by giraffe"));
	assert_best(k, "giraffe", "run gemm");
	assert_best(k, "zebra", "");
	assert_best(k, "wider tiles", "run gemm");
	assert_best(k, "swizzle", "banks.md");
	ok(knowledge_list(&l, k));
	assert_int_equal(l.n, ARRAY_SIZE(library) + 2);
	assert_string_equal(l.item[l.n - 1].title, "#2 pingpong");
}

static void a_row_of_any_bytes_is_kept_as_clean_text(void **state)
{
	cleanup_knowledge struct knowledge *k = open_library();
	cleanup_knowledge_hits struct knowledge_hits h = {0};

	(void)state;
	ok(knowledge_add(k, "model\x1b[2J", "t",
			 "okapi \x1b[31m \xff\xc3( \xc2\x9b "
			 "'; DELETE FROM passage;"));
	ok(knowledge_search(&h, k, "okapi", 1));
	assert_int_equal(h.n, 1);
	assert_string_equal(h.hit[0].source, "model^[[2J");
	assert_string_equal(h.hit[0].text,
			    "okapi ^[[31m ?\?( ? '; DELETE FROM passage;");
}

/* ---- the cache ---------------------------------------------------------- */

/* Writes over the one file of the folder: `at` from its end, or all of it. */
static void damage(const char *dir, const char *with, size_t at)
{
	cleanup_buf struct buf b = BUF_INIT((size_t)64 << 20);
	cleanup_strvec struct strvec all = STRVEC_INIT;
	cleanup_fileset struct fileset fs = FILESET_INIT;

	strvec_push(&all, "*");
	ok(fileset_read(&fs, dir, &all));
	assert_int_equal(fs.n, 1);
	cleanup_free char *path = xasprintf("%s/%s", dir, fs.file[0].path);

	if (at) {
		assert_true(fs.file[0].len > at);
		memcpy(fs.file[0].data + fs.file[0].len - at, with,
		       strlen(with));
		buf_add(&b, fs.file[0].data, fs.file[0].len);
	} else {
		buf_adds(&b, with);
	}
	ok(file_write(path, b.data, b.len, false));
}

static void a_damaged_cache_is_not_believed(void **state)
{
	static const struct {
		const char *with;
		size_t at;
	} damages[] = {
		{"x", 1},      {"giraffe", 5000},	    {"", 0},
		{"SQLite", 0}, {"avogit knowledge 1\n", 0},
	};
	cleanup_free char *dir = temp_dir();
	cleanup_fileset struct fileset files = FILESET_INIT;

	(void)state;
	put(&files, "a.md", "# A\n\nthe okapi\n");
	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		cleanup_knowledge struct knowledge *first =
			open_files(&files, dir);
		cleanup_knowledge struct knowledge *second = NULL;

		damage(dir, damages[i].with, damages[i].at);
		second = open_files(&files, dir);
		assert_best(second, "okapi", "a.md");
	}
	ok(dir_remove(dir));
}

/* Two caches of as many bytes, one put in the place of the other. */
static void a_cache_of_other_documents_is_not_believed(void **state)
{
	cleanup_free char *dir = temp_dir();
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_strvec struct strvec all = STRVEC_INIT;
	cleanup_fileset struct fileset before = FILESET_INIT;
	cleanup_fileset struct fileset after = FILESET_INIT;

	(void)state;
	strvec_push(&all, "*");
	put(&files, "a.md", "# A\n\nthe okapi\n");
	knowledge_free(open_files(&files, dir));
	ok(fileset_read(&before, dir, &all));
	put(&files, "a.md", "# A\n\nthe zebra\n");
	for (int i = 0; i < 2; i++) {
		cleanup_knowledge struct knowledge *k = open_files(&files, dir);

		assert_best(k, "zebra", "a.md");
		assert_best(k, "okapi", "");
		fileset_release(&after);
		ok(fileset_read(&after, dir, &all));
		assert_int_equal(after.n, 2);
		for (size_t j = 0; j < after.n; j++) {
			cleanup_free char *path =
				xasprintf("%s/%s", dir, after.file[j].path);

			ok(file_write(path, before.file[0].data,
				      before.file[0].len, false));
		}
	}
	ok(dir_remove(dir));
}

static void a_cache_is_used_and_takes_rows(void **state)
{
	cleanup_free char *dir = temp_dir();
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_knowledge struct knowledge *first = NULL, *second = NULL;

	(void)state;
	put(&files, "a.md", "# A\n\nthe okapi\n");
	first = open_files(&files, dir);
	ok(knowledge_add(first, "run r", "#1", "the gnu"));
	second = open_files(&files, dir);
	assert_best(second, "okapi", "a.md");
	assert_best(second, "gnu", "");
	ok(knowledge_add(second, "run r", "#2", "the zebra"));
	assert_best(second, "zebra", "run r");
	assert_best(second, "okapi", "a.md");
	ok(dir_remove(dir));
}

static void keeps_few_caches(void **state)
{
	cleanup_free char *dir = temp_dir();
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_fileset struct fileset found = FILESET_INIT;
	cleanup_strvec struct strvec all = STRVEC_INIT;

	(void)state;
	strvec_push(&all, "*");
	for (int i = 0; i < 12; i++) {
		char text[32];

		snprintf(text, sizeof text, "version %d\n", i);
		put(&files, "a.txt", text);
		knowledge_free(open_files(&files, dir));
	}
	ok(fileset_read(&found, dir, &all));
	assert_int_equal(found.n, 6);
	ok(dir_remove(dir));
}

static void a_cache_folder_that_is_none_is_done_without(void **state)
{
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_knowledge struct knowledge *k = NULL;

	(void)state;
	put(&files, "a.md", "okapi");
	k = open_files(&files, "/proc/nowhere");
	assert_best(k, "okapi", "a.md");
}

/* ---- documents ---------------------------------------------------------- */

static void write_file(const char *dir, const char *name, const char *text)
{
	cleanup_free char *path = xasprintf("%s/%s", dir, name);

	ok(file_write(path, text, strlen(text), false));
}

static void make_dir(const char *dir, const char *name)
{
	cleanup_free char *path = xasprintf("%s/%s", dir, name);

	ok(dir_make(path));
}

static void reads_a_folder_and_follows_no_link(void **state)
{
	static const char *const expected[] = {"docs/a.md", "docs/deep/b.txt",
					       "notes/c.md"};
	cleanup_free char *top = temp_dir();
	cleanup_strvec struct strvec patterns = STRVEC_INIT;
	cleanup_documents struct documents d = DOCUMENTS_INIT;
	cleanup_free char *link = xasprintf("%s/docs/passwd.txt", top);
	cleanup_free char *out = xasprintf("%s/docs/out", top);
	cleanup_free char *linked = xasprintf("%s/linked", top);
	cleanup_free char *fifo = xasprintf("%s/docs/pipe.md", top);

	(void)state;
	make_dir(top, "docs/deep");
	make_dir(top, "docs/.hidden");
	make_dir(top, "notes");
	write_file(top, "docs/a.md", "a");
	write_file(top, "docs/deep/b.txt", "b");
	write_file(top, "docs/.hidden/x.md", "x");
	write_file(top, "docs/picture.png", "x");
	write_file(top, "notes/c.md", "c");
	write_file(top, "notes/d.txt", "d");
	assert_return_code(symlink("/etc/passwd", link), 0);
	assert_return_code(symlink("/etc", out), 0);
	assert_return_code(symlink("notes", linked), 0);
	assert_return_code(mkfifo(fifo, 0600), 0);
	strvec_pushl(&patterns, "docs", "docs/*.md", "notes/*.md", "linked/",
		     "linked/*.txt", "missing/", NULL);
	ok(documents_add_tree(&d, top, &patterns));
	assert_int_equal(d.n, ARRAY_SIZE(expected));
	for (size_t i = 0; i < d.n; i++)
		assert_string_equal(d.doc[i].source, expected[i]);
	/* The link and the pipe (twice), linked/ and missing/. */
	assert_int_equal(d.skipped, 6);
	ok(dir_remove(top));
}

static void what_is_too_large_or_no_text_is_left_out(void **state)
{
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_documents struct documents d = DOCUMENTS_INIT;
	cleanup_knowledge struct knowledge *k = NULL;
	cleanup_knowledge_list struct knowledge_list l = {0};
	const struct knowledge_options options = {0};
	cleanup_free char *big = xcalloc(DOCUMENT_MAX_BYTES + 1, 1);

	(void)state;
	memset(big, 'a', DOCUMENT_MAX_BYTES + 1);
	ok(fileset_put(&files, "big.md", big, DOCUMENT_MAX_BYTES + 1, false));
	ok(fileset_put(&files, "binary.txt", "a\0b", 3, false));
	put(&files, "fine.md", "okapi");
	put(&files, "paper.pdf", "%PDF-1.4 broken");
	documents_add_files(&d, &files);
	assert_int_equal(d.n, 3);
	assert_int_equal(d.skipped, 1);
	assert_string_equal(d.why.v[0], "big.md: too large");
	ok(knowledge_open(&k, &d, &options));
	ok(knowledge_list(&l, k));
	assert_int_equal(l.n, 3);
	assert_string_equal(l.item[0].problem, "no text");
	assert_null(l.item[1].problem);
	assert_non_null(l.item[2].problem);
	assert_best(k, "okapi", "fine.md");
}

static const char pdf[] =
	"%PDF-1.4\n"
	"1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
	"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
	"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 4 0 R"
	"/Resources<</Font<</F1 5 0 R>>>>>>endobj\n"
	"4 0 obj<</Length 44>>stream\n"
	"BT /F1 18 Tf 10 50 Td (the okapi paper) Tj ET\n"
	"endstream endobj\n"
	"5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n"
	"trailer<</Root 1 0 R>>\n";

static void reads_pdf_in_the_sandbox(void **state)
{
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_documents struct documents d = DOCUMENTS_INIT;
	cleanup_sandbox struct sandbox *sandbox = NULL;
	cleanup_knowledge struct knowledge *k = NULL;
	cleanup_knowledge_list struct knowledge_list l = {0};
	cleanup_knowledge_hits struct knowledge_hits h = {0};

	(void)state;
	if (!document_pdf_readable())
		skip();
	ok(sandbox_probe(&sandbox));
	const struct knowledge_options options = {.sandbox = sandbox};

	put(&files, "paper.pdf", pdf);
	put(&files, "broken.pdf", "%PDF-1.7\n1 0 obj<</Type/Catalog");
	documents_add_files(&d, &files);
	ok(knowledge_open(&k, &d, &options));
	ok(knowledge_search(&h, k, "okapi", 1));
	assert_int_equal(h.n, 1);
	assert_string_equal(h.hit[0].source, "paper.pdf");
	assert_string_equal(h.hit[0].heading, "page 1");
	ok(knowledge_list(&l, k));
	assert_string_equal(l.item[0].problem, "pdftotext cannot read it");
}

/* ---- the notes ---------------------------------------------------------- */

static void the_notes_answer_what_an_agent_asks(void **state)
{
	static const struct {
		const char *query, *source;
	} cases[] = {
		{"setmaxnreg", "avogit/warp-specialization.md"},
		{"tensor memory allocation", "avogit/tcgen05.md"},
		{"bank conflicts swizzle", "avogit/bank-conflicts.md"},
		{"online softmax rescale", "avogit/softmax.md"},
		{"tensor map stride multiple of 16", "avogit/tma.md"},
		{"accumulator layout of wgmma", "avogit/wgmma.md"},
		{"mbarrier parity hang", "avogit/mbarrier.md"},
		{"UTMALDG", "avogit/sass.md"},
		{"programmatic dependent launch", "avogit/launch.md"},
		{"variance cancellation", "avogit/reductions.md"},
		{"false sharing threads", "avogit/cpu-simd.md"},
		{"avx512", "avogit/cpu-simd.md"},
		{"RMSNorm", "avogit/reductions.md"},
		{"microkernel", "avogit/cpu-simd.md"},
		{"lazy rescale", "avogit/moves.md"},
		{"RoPE", "avogit/epilogue.md"},
	};
	cleanup_knowledge struct knowledge *k = open_notes();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_best(k, cases[i].query, cases[i].source);
}

/* Each spelling finds what the others find. */
static void any_spelling_finds_it(void **state)
{
	static const struct {
		const char *text, *queries[6];
	} cases[] = {
		{"Registers of AVX-512 hold sixteen floats.\n",
		 {"avx512", "AVX-512", "avx 512", "AVX512 registers"}},
		{"An AVX512 register.\n", {"avx512", "AVX-512", "avx 512"}},
		{"A micro-kernel keeps a tile.\n",
		 {"microkernel", "micro-kernel", "micro kernel",
		  "tile of the MicroKernel"}},
		{"One microkernel a shape.\n",
		 {"microkernel", "micro-kernel", "micro kernel"}},
		{"The RMS norm reads a row once.\n",
		 {"RMSNorm", "rms norm", "rms-norm", "rms_norm",
		  "rmsnorm row"}},
		{"RMSNorm reads a row once.\n",
		 {"RMSNorm", "rms norm", "rms-norm", "row of an RMS norm"}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_fileset struct fileset files = FILESET_INIT;
		cleanup_knowledge struct knowledge *k = NULL;

		put(&files, "it.md", cases[i].text);
		put(&files, "other.md",
		    "Nothing of the kind, kernel or row.\n");
		k = open_files(&files, NULL);
		for (size_t j = 0; j < 6 && cases[i].queries[j]; j++)
			assert_best(k, cases[i].queries[j], "it.md");
		assert_best(k, "zebras", "");
	}
}

static void every_note_is_whole_and_names_its_sources(void **state)
{
	cleanup_documents struct documents d = DOCUMENTS_INIT;

	(void)state;
	documents_add_notes(&d);
	assert_true(d.n > 20);
	for (size_t i = 0; i < d.n; i++) {
		assert_true(starts_with(d.doc[i].source, DOCUMENT_OWN));
		assert_true(starts_with(d.doc[i].data, "# "));
		assert_non_null(strstr(d.doc[i].data, "\nSources: "));
		assert_true(d.doc[i].len > 2000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_identifiers_and_words_in_any_form),
		cmocka_unit_test(hits_with_every_word_come_first),
		cmocka_unit_test(any_text_is_a_query),
		cmocka_unit_test(a_query_of_a_megabyte_is_a_query),
		cmocka_unit_test(gives_no_more_hits_than_asked_for),
		cmocka_unit_test(a_row_takes_the_place_of_one_with_its_title),
		cmocka_unit_test(a_row_of_any_bytes_is_kept_as_clean_text),
		cmocka_unit_test(a_damaged_cache_is_not_believed),
		cmocka_unit_test(a_cache_of_other_documents_is_not_believed),
		cmocka_unit_test(a_cache_is_used_and_takes_rows),
		cmocka_unit_test(keeps_few_caches),
		cmocka_unit_test(a_cache_folder_that_is_none_is_done_without),
		cmocka_unit_test(reads_a_folder_and_follows_no_link),
		cmocka_unit_test(what_is_too_large_or_no_text_is_left_out),
		cmocka_unit_test(reads_pdf_in_the_sandbox),
		cmocka_unit_test(the_notes_answer_what_an_agent_asks),
		cmocka_unit_test(any_spelling_finds_it),
		cmocka_unit_test(every_note_is_whole_and_names_its_sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
