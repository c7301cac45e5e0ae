/* A source after its preprocessor, and what readelf says of an object: both come
 * from a stranger's file. The last byte says which of the two this is. */
#include "core/task/debug_info.h"
#include "core/task/loops.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_dump(const char *text)
{
	cleanup_function_list struct function_list all = {0};

	debug_info_read(&all, LANGUAGE_CXX, text, "k.c");
	for (size_t i = 0; i < all.n; i++)
		if (!all.v[i].name || strpbrk(all.v[i].name, "\n\033"))
			abort();
}

static void set_text(char **to, const char *text)
{
	free(*to);
	*to = xstrdup(text);
}

/* `has_object`: n points to a structure with two arrays and a size, and x to bytes of
 * no type. */
static void read_source(const char *text, bool has_object)
{
	cleanup_prototype struct prototype p = {.name = xstrdup("f"), .n = 4};

	for (size_t i = 0; i < p.n; i++)
		p.parameter[i] = (struct parameter){
			.name = xasprintf("%c", "xynm"[i]),
			.type = xstrdup(i < 2 ? "float" : "int"),
			.known = true,
			.dtype = i < 2 ? DTYPE_F32 : DTYPE_I32,
			.is_pointer = i < 2};
	if (has_object) {
		p.parameter[0].known = false;
		set_text(&p.parameter[0].type, "void");
		set_text(&p.parameter[2].type, "struct s");
		p.parameter[2].is_pointer = p.parameter[2].has_members = true;
		p.parameter[2].known = false;
		p.n_members = 3;
	}
	for (size_t i = p.n; i < prototype_all(&p); i++)
		p.parameter[i] = (struct parameter){
			.name = xasprintf("n_%c", "abc"[i - p.n]),
			.member = xasprintf("%c", "abc"[i - p.n]),
			.type = xstrdup(i == p.n ? "float" : "int"),
			.owner = 3,
			.known = true,
			.dtype = i == p.n ? DTYPE_F32 : DTYPE_I32,
			.is_const = i == p.n + 1,
			.is_pointer = i < p.n + 2};
	loops_read(&p, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_free char *text = xstrndup((const char *)data, size);

	if (size && data[size - 1] == '<') {
		read_dump(text);
	} else {
		read_source(text, false);
		read_source(text, true);
	}
	return 0;
}
