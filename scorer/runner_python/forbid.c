/* What a task forbids to functions of Python (runner.py loads this, where it
 * does). In C, since Python shows a program the frames, closures and lists of
 * all that is written in Python: what decides and what is said are no objects,
 * and who is refused does not run on. Interpreters that a function starts have
 * the same hook. Native code that writes over memory is not kept from it.
 *
 * Of Python only functions are called that releases since 3.8 have, and none of
 * its structures is looked into. They are the interpreter's own: nothing is
 * linked. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

struct python_object;
typedef struct python_object object;
typedef object *function(object *self, object *arguments, object *named);
typedef int audit_hook(const char *event, object *arguments, void *context);

struct method {
	const char *name;
	function *call;
	int flags;
	const char *doc;
};

#define METHOD_TAKES_ANY (0x0001 | 0x0002) /* METH_VARARGS, METH_KEYWORDS */
#define TYPE_IS_BYTES	 (1UL << 27)
#define TYPE_IS_TEXT	 (1UL << 28)

int PySys_AddAuditHook(audit_hook *hook, void *context);
void Py_IncRef(object *o);
void Py_DecRef(object *o);
object *PyObject_Type(object *o);
unsigned long PyType_GetFlags(object *type);
object *PyTuple_GetItem(object *tuple, ptrdiff_t i);
long PyLong_AsLong(object *o);
object *PyUnicode_EncodeFSDefault(object *text);
char *PyBytes_AsString(object *bytes);
object *PyObject_GetAttrString(object *o, const char *name);
object *PyCFunction_NewEx(struct method *m, object *self, object *module);
void PyErr_Clear(void);
void PyErr_SetString(object *kind, const char *text);
object *PyEval_GetFrame(void);
int PyFrame_GetLineNumber(object *frame);
/* Since 3.9. */
object *PyFrame_GetCode(object *frame) __attribute__((weak));
object *PyFrame_GetBack(object *frame) __attribute__((weak));
extern object *PyExc_ImportError, *PyExc_RuntimeError;
extern object PyLong_Type, _Py_NoneStruct;

/* What runner.py calls. */
#define SHOWN __attribute__((visibility("default")))
SHOWN int forbid_begin(const char *rules, size_t n_rules, int control);
SHOWN object *forbid_operator(object *name);
SHOWN int forbid_modules(void);
SHOWN unsigned forbid_seen(void);
SHOWN void forbid_answers(uint64_t sequence);

#define MAX_FRAMES 256

/* Three lists in memory that is not written any more: the folder of the
 * sources, with a slash; names of modules; the beginnings of their files, each
 * with the name. A string ends with a zero, a list with an empty string. */
static const char *own, *names, *files;
static int control_fd = -1;
static uint64_t answered;
/* Bits of the events of Python that were told to us. */
enum { SEEN_IMPORT = 1, SEEN_OPEN = 2, SEEN_DLOPEN = 4 };
static unsigned seen;

static const char *next(const char *word)
{
	return word + strlen(word) + 1;
}

static void cleanup_object(object **o)
{
	if (*o)
		Py_DecRef(*o);
}
#define cleanup_object __attribute__((cleanup(cleanup_object)))

/* ---- the answer ---------------------------------------------------------- */

/* Is it a path that needs no quotes, in JSON or on a terminal? */
static bool is_plain(const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+./";

	return *path && !path[strspn(path, plain)] && strlen(path) < 200;
}

/* Writes "FILE:LINE: " of a frame of the sources. */
static bool place_of(char *out, size_t size, object *frame)
{
	cleanup_object object *code = PyFrame_GetCode(frame);
	cleanup_object object *path =
		code ? PyObject_GetAttrString(code, "co_filename") : NULL;
	cleanup_object object *bytes = path ? PyUnicode_EncodeFSDefault(path)
					    : NULL;
	const char *text = bytes ? PyBytes_AsString(bytes) : NULL;

	PyErr_Clear();
	if (!text || strncmp(text, own, strlen(own)) != 0 ||
	    text[strlen(own)] == '.' || !is_plain(text + strlen(own)))
		return false;
	snprintf(out, size, "%s:%d: ", text + strlen(own),
		 PyFrame_GetLineNumber(frame));
	return true;
}

/* The innermost line of the sources that led here, or "". */
static void find_place(char *out, size_t size)
{
	object *frame = PyFrame_GetBack ? PyEval_GetFrame() : NULL;

	*out = '\0';
	if (frame)
		Py_IncRef(frame);
	for (int i = 0; frame && i < MAX_FRAMES; i++) {
		object *back;

		if (place_of(out, size, frame))
			break;
		back = PyFrame_GetBack(frame);
		Py_DecRef(frame);
		frame = back;
	}
	if (frame)
		Py_DecRef(frame);
}

/* Answers the request that is due, and ends. A name is one of the task: a word
 * of letters, digits, dots and colons. */
static _Noreturn void refuse(const char *does, const char *name)
{
	char place[256], packet[1024];
	int n;

	find_place(place, sizeof place);
	n = snprintf(packet, sizeof packet,
		     "{\"reply\": \"failed\", \"sequence\": %llu, "
		     "\"forbidden\": true, "
		     "\"why\": \"%sit %s %.300s, which the task forbids\"}",
		     (unsigned long long)answered, place, does, name);
	/* Where it cannot be sent the process has ended without an answer. */
	(void)!send(control_fd, packet, (size_t)n, MSG_NOSIGNAL);
	_exit(1);
}

void forbid_answers(uint64_t sequence)
{
	answered = sequence;
}

/* ---- operators ----------------------------------------------------------- */

static object *refuse_operator(object *self, object *arguments, object *named)
{
	cleanup_object object *bytes = PyUnicode_EncodeFSDefault(self);
	const char *name = bytes ? PyBytes_AsString(bytes) : NULL;

	(void)arguments;
	(void)named;
	refuse("calls", name ? name : "an operator");
}

/* A new function that refuses, with whatever it is called. */
object *forbid_operator(object *name)
{
	static struct method refusal = {"forbidden", refuse_operator,
					METHOD_TAKES_ANY, NULL};

	return PyCFunction_NewEx(&refusal, name, NULL);
}

/* ---- modules ------------------------------------------------------------- */

/* What comes after `head`, which `text` begins with; else NULL. */
static const char *after(const char *text, const char *head)
{
	size_t n = strlen(head);

	return strncmp(text, head, n) == 0 ? text + n : NULL;
}

static void look_at_name(const char *text)
{
	for (const char *name = names; *name; name = next(name)) {
		const char *rest = after(text, name);

		if (rest && (*rest == '.' || !*rest))
			refuse("imports", name);
	}
}

static void look_at_file(char *path)
{
	static const char cache[] = "/__pycache__/";
	char *at;

	while ((at = strstr(path, cache)))
		memmove(at + 1, at + strlen(cache),
			strlen(at + strlen(cache)) + 1);
	for (const char *head = files; *head; head = next(next(head))) {
		const char *rest = after(path, head);

		if (rest && (*rest == '.' || *rest == '/'))
			refuse("imports", next(head));
	}
}

/* Looks at what the system finds by a path, with links followed. False where
 * that could not be found out. */
static bool look_at_place(const char *path, int folder)
{
	char link[64], place[PATH_MAX];
	int fd = openat(folder, path, O_PATH | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return errno != EMFILE && errno != ENFILE && errno != ENOMEM;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, place, sizeof place - 1);
	close(fd);
	if (n < 0)
		return false;
	place[n] = '\0';
	look_at_file(place);
	return true;
}

/* `os.open` does not say below which folder. */
static bool look_below_all(const char *path)
{
	DIR *folder = opendir("/proc/self/fd");
	struct dirent *e;
	bool ok = folder != NULL;

	while (ok && (e = readdir(folder)))
		if (e->d_name[0] != '.')
			ok = look_at_place(path,
					   (int)strtol(e->d_name, NULL, 10));
	if (folder)
		closedir(folder);
	return ok;
}

static int fail(object *kind, const char *text)
{
	PyErr_SetString(kind, text);
	return -1;
}

/* The bytes of a path: new, or NULL where the system gets none. The type's
 * flags are what Python itself goes by: they cannot be overridden. */
static int bytes_of(object **out, object *path)
{
	cleanup_object object *type = PyObject_Type(path);
	unsigned long flags = type ? PyType_GetFlags(type) : 0;

	*out = NULL;
	if (path == &_Py_NoneStruct || type == &PyLong_Type)
		return 0;
	if (flags & TYPE_IS_TEXT) {
		*out = PyUnicode_EncodeFSDefault(path);
		return *out ? 0 : -1;
	}
	if (!(flags & TYPE_IS_BYTES))
		return fail(PyExc_ImportError,
			    "where a task forbids modules, what is opened is "
			    "named by a string");
	Py_IncRef(path);
	*out = path;
	return 0;
}

static int look_at(object *path, bool below_any)
{
	cleanup_object object *bytes = NULL;
	const char *text;
	bool ok;

	if (!path)
		return -1;
	if (bytes_of(&bytes, path))
		return -1;
	text = bytes ? PyBytes_AsString(bytes) : "";
	if (!text)
		return -1;
	if (!*text)
		return 0;
	look_at_name(text);
	ok = look_at_place(text, AT_FDCWD) &&
	     (!below_any || *text == '/' || look_below_all(text));
	return ok ? 0
		  : fail(PyExc_ImportError,
			 "where a task forbids modules, a file is not opened "
			 "that cannot be looked at: too many are open");
}

/* `arguments`: path, mode, flags. */
static int look_at_open(object *arguments)
{
	object *path = PyTuple_GetItem(arguments, 0);
	object *mode = path ? PyTuple_GetItem(arguments, 1) : NULL;
	object *flags = mode ? PyTuple_GetItem(arguments, 2) : NULL;
	long f = flags ? PyLong_AsLong(flags) : -1;

	if (f == -1)
		return -1; /* no event of Python's own */
	if (f & (O_PATH | O_WRONLY))
		return 0;
	return look_at(path, mode == &_Py_NoneStruct);
}

static int look(const char *event, object *arguments, void *context)
{
	(void)context;
	if (strcmp(event, "import") == 0) {
		seen |= SEEN_IMPORT;
		if (look_at(PyTuple_GetItem(arguments, 0), false))
			return -1;
		return look_at(PyTuple_GetItem(arguments, 1), false);
	}
	if (strcmp(event, "open") == 0) {
		seen |= SEEN_OPEN;
		return look_at_open(arguments);
	}
	if (strcmp(event, "ctypes.dlopen") == 0) {
		seen |= SEEN_DLOPEN;
		return look_at(PyTuple_GetItem(arguments, 0), false);
	}
	/* An interpreter that ends would take its hooks away. */
	if (strcmp(event, "cpython._PySys_ClearAuditHooks") == 0)
		return fail(PyExc_RuntimeError, "hooks stay");
	return 0;
}

int forbid_modules(void)
{
	return PySys_AddAuditHook(look, NULL);
}

/* What has been told so far. A hook that is not added is no error of Python,
 * and a later Python may tell other events. */
unsigned forbid_seen(void)
{
	return seen;
}

/* Once. `rules`: the lists above, one after the other; copied. */
int forbid_begin(const char *rules, size_t n_rules, int control)
{
	const char *at;
	char *kept;

	if (own)
		return -1; /* a candidate finds this function, too */
	kept = mmap(NULL, n_rules, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (kept == MAP_FAILED)
		return -1;
	memcpy(kept, rules, n_rules);
	if (mprotect(kept, n_rules, PROT_READ) < 0)
		return -1;
	own = at = kept;
	names = at = next(next(at));
	while (*at)
		at = next(at);
	files = at + 1;
	control_fd = control;
	return 0;
}
