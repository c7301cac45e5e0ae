/* Files of other tuners: a space in T1, whose declarations the tuner can read,
 * and results (T4, a cache of Kernel Tuner) of a space that is there. */
#include "agent/tuner/known.h"
#include "agent/tuner/t1.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char source[] = "#define x 16 // avogit: 16 32 64\n"
			     "#define y fast // avogit: fast slow\n"
			     "#define z 1\n";

static const struct task task = {.path = (char[]){"avogit.yaml"},
				 .fixed_flags = true};

static struct error *read_source(struct tunables *t, const char *text,
				 size_t len)
{
	cleanup_fileset struct fileset files = FILESET_INIT;

	TRY(fileset_put(&files, "k.c", text, len, false));
	return tunables_read(t, &files, &task);
}

static void try_known(const char *text, size_t len)
{
	cleanup_tunables struct tunables t = {0};
	cleanup_known struct known_gains k = {0};
	cleanup_error struct error *err =
		read_source(&t, source, strlen(source));

	if (err)
		abort();
	err = known_read(&k, &t, text, len);
	for (size_t i = 0; i < k.n; i++)
		if (!tunables_allowed(&t, k.point + i * k.dims))
			abort();
}

/* Without a source every parameter is declared. */
static void try_space(const char *text, size_t len)
{
	cleanup_t1 struct t1 space = {0};
	cleanup_tunables struct tunables t = {0};
	cleanup_buf struct buf out = BUF_INIT(FILESET_MAX_BYTES);
	cleanup_error struct error *err = t1_parse(&space, text, len);

	if (!err && !(err = t1_declare(&out, &space, "", 0)) &&
	    !(err = read_source(&t, out.data, out.len)) && t.n != space.n)
		abort();
	buf_clear(&out);
	error_free(err);
	err = t1_declare(&out, &space, source, strlen(source));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_known((const char *)data, size);
	try_space((const char *)data, size);
	return 0;
}
