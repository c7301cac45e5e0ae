#include "scorer/build/exports.h"

#include <ctype.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "core/base/buf.h"
#include "core/base/demangle.h"
#include "scorer/build/signature.h"
#include "scorer/wire/protocol.h"

/* An object with more is a library, not a kernel: not worth the memory. */
#define MAX_SYMBOLS 65536
#define MAX_NAMED   8
/* Functions with the same name, in any class. What a name stands for can be
 * long, so not all of a hostile object's names are looked at. */
#define MAX_ALIKE 256

static bool is_function(const Elf64_Sym *s)
{
	unsigned kind = ELF64_ST_TYPE(s->st_info);

	/* A symbol without a type, from an assembler, may be a function. */
	return s->st_shndx != SHN_UNDEF &&
	       ELF64_ST_BIND(s->st_info) != STB_LOCAL &&
	       (kind == STT_FUNC || kind == STT_GNU_IFUNC ||
		kind == STT_NOTYPE);
}

static void push_name(struct strvec *out, const struct bytes *names,
		      uint32_t at)
{
	struct bytes name;
	size_t len;

	if (at >= names->len ||
	    !bytes_slice(&name, names, at,
			 MIN(names->len - at, (size_t)PROTOCOL_NAME)))
		return;
	len = strnlen((const char *)name.data, name.len);
	if (len && len < name.len)
		strvec_push(out, (const char *)name.data);
}

bool exports_read(struct strvec *out, const struct bytes *object)
{
	struct bytes table, names;
	Elf64_Sym s;

	if (!elf_section(&table, object, ".dynsym", false) ||
	    !elf_section(&names, object, ".dynstr", false) ||
	    table.len / sizeof s > MAX_SYMBOLS)
		return false;
	for (uint64_t at = 0; bytes_take(&s, sizeof s, &table, at);
	     at += sizeof s)
		if (is_function(&s))
			push_name(out, &names, s.st_name);
	strvec_sort(out);
	return true;
}

bool exports_read_fd(struct strvec *out, int object_fd)
{
	struct bytes object = {0};
	struct stat st;
	void *data;
	bool known;

	if (fstat(object_fd, &st) < 0 || st.st_size <= 0)
		return false;
	object.len = (size_t)st.st_size;
	data = mmap(NULL, object.len, PROT_READ, MAP_PRIVATE, object_fd, 0);
	if (data == MAP_FAILED)
		return false;
	object.data = data;
	known = exports_read(out, &object);
	munmap(data, object.len);
	return known;
}

/* A name that a task can have, and not one of linker, toolkit or C++. */
static bool is_plain(const char *name)
{
	if (!isalpha((unsigned char)*name))
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && *name != '_')
			return false;
	return true;
}

/* Is it there under its mangled C++ name? */
static bool is_mangled_there(const struct strvec *exports, const char *name)
{
	cleanup_free char *start = xasprintf("_Z%zu%s", strlen(name), name);

	for (size_t i = 0; i < exports->n; i++)
		if (starts_with(exports->v[i], start))
			return true;
	return false;
}

static char *lack_in_c(const struct strvec *exports, const char *name)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);
	size_t n = 0;

	if (strvec_has(exports, name))
		return NULL;
	buf_addf(&b, "no function '%s'", name);
	if (is_mangled_there(exports, name)) {
		buf_adds(&b, " that C could call: declare it extern \"C\"");
		return buf_take(&b);
	}
	for (size_t i = 0; i < exports->n && n < MAX_NAMED; i++)
		if (is_plain(exports->v[i]))
			buf_addf(&b, "%s%s",
				 n++ ? ", " : "; they have: ", exports->v[i]);
	return buf_take(&b);
}

/* ---- C++ ------------------------------------------------------------------ */

/* The exports whose mangled name has this name in it: "5scale". */
static void find_alike(struct strvec *out, const struct strvec *exports,
		       const char *name)
{
	cleanup_free char *base = signature_base(name);
	cleanup_free char *mark = xasprintf("%zu%s", strlen(base), base);

	for (size_t i = 0; i < exports->n && out->n < MAX_ALIKE; i++)
		if (starts_with(exports->v[i], "_Z") &&
		    strstr(exports->v[i], mark))
			strvec_push(out, exports->v[i]);
}

/* "; they have: f(int), f(float)": these, or if there are none all that a
 * person may have meant. */
static void add_functions(struct buf *out, const struct strvec *alike,
			  const struct strvec *exports, const char *lead)
{
	const struct strvec *from = alike->n ? alike : exports;
	size_t n = 0;

	for (size_t i = 0; i < from->n && n < MAX_NAMED; i++) {
		cleanup_free char *text = demangle(from->v[i]);

		if (is_plain(text) || strchr(text, '('))
			buf_addf(out, "%s%s", n++ ? ", " : lead, text);
	}
}

/* The symbol of the one function that fits, borrowed; or NULL, and in *lack why
 * there is none. */
static const char *find(const struct strvec *exports, const char *name,
			char **lack)
{
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_strvec struct strvec alike = STRVEC_INIT;
	cleanup_strvec struct strvec fit = STRVEC_INIT;
	cleanup_free char *base = signature_base(name);

	*lack = NULL;
	find_alike(&alike, exports, name);
	for (size_t i = 0; i < alike.n; i++) {
		cleanup_free char *text = demangle(alike.v[i]);

		if (signature_fits(text, name))
			strvec_push(&fit, alike.v[i]);
	}
	/* An extern "C" function has no parameters in its name. */
	if (strvec_has(exports, base))
		strvec_push(&fit, base);
	for (size_t i = 0; fit.n == 1 && i < exports->n; i++)
		if (str_eq(exports->v[i], fit.v[0]))
			return exports->v[i];
	if (fit.n) {
		buf_addf(&why, "several functions '%s'; add the parameters",
			 name);
		add_functions(&why, &fit, exports, ": ");
	} else {
		buf_addf(&why, "no function '%s'", name);
		add_functions(&why, &alike, exports, "; they have: ");
	}
	*lack = buf_take(&why);
	return NULL;
}

char *exports_lack(const struct strvec *exports, enum language language,
		   const char *name)
{
	char *lack = NULL;

	if (language != LANGUAGE_CXX)
		return lack_in_c(exports, name);
	return find(exports, name, &lack) ? NULL : lack;
}

char *exports_symbol(int object_fd, const char *name)
{
	cleanup_strvec struct strvec exports = STRVEC_INIT;
	cleanup_free char *lack = NULL;
	const char *symbol = NULL;

	if (exports_read_fd(&exports, object_fd))
		symbol = find(&exports, name, &lack);
	return xstrdup(symbol ? symbol : name);
}
