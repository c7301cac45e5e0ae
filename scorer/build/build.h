/*
 * Compiles candidates and trusted code to shared objects, in the sandbox: a
 * compiler reads files (`#include`, `.incbin`) and a template can keep it busy
 * for ever, so it is as dangerous to run as its output. Results are kept by
 * content under "<cache>/build/" and checked when they are read.
 *
 * The compile line: compiler -shared -fPIC -I<folders> task.flags, then for
 * candidates the flags that a source line chooses and the task allows,
 *
 *     // avogit-flags: -O3 -funroll-loops | -O2
 *
 * (the first such line of the sources, in path order; the alternative before
 * the first '|'), for trusted code its own flags; then sources and libraries.
 * Symbols must resolve at link time (-z now, -z defs; libm is always there).
 *
 * A task in CUDA is compiled the same way by nvcc, for `builder_arch` and with
 * the task's flags, or by the task's own command in a copy of the files. The
 * toolkit is mounted read-only. The result is one object; its cubins are read
 * from it (cubin.h), and the assembler's figures of each kernel from the log.
 *
 * Of a task with a runner nothing is compiled here but trusted code, in C: the
 * candidate's files are what the runner gets.
 */
#ifndef SCORER_BUILD_BUILD_H
#define SCORER_BUILD_BUILD_H

#include "core/base/hash.h"
#include "core/score/resources.h"
#include "core/sandbox/sandbox.h"
#include "core/task/task.h"
#include "scorer/build/runner_command.h"

#define BUILD_OBJECT_LIMIT ((size_t)64 << 20)
#define BUILD_LOG_LIMIT	   ((size_t)64 << 10)

struct build {
	bool ok;
	int object_fd; /* sealed memfd of the shared object; -1 if not ok */
	char key[HASH_HEX_LEN + 1];
	char *flags;	   /* all that affect the code: "-O2 -funroll-loops" */
	char *log;	   /* the compiler's own text, bounded */
	char *first_error; /* "kernel.c:3:7: ...": one line; NULL if ok */
	double seconds;
	bool cached;
	/* CUDA: the object's device code for builder_arch, each a sealed
	 * memfd, in the object's order; none if it only calls libraries. */
	int *cubin_fd;
	size_t n_cubins;
	char cubins_id[HASH_HEX_LEN + 1]; /* of all; "" if there are none */
	struct resources resources;	  /* of that code's kernels */
	/* For a baseline, a mode of torch.compile; NULL: none. The task's. */
	const char *compile;
	/* LANGUAGE_RUNNER: no object, but the program that builds the sources
	 * when it is started (borrowed from the builder), the files of its
	 * working directory, and the paths of the sources there. NULL: an
	 * object. */
	const struct runner_command *runner;
	struct fileset files;
	struct strvec sources;
	/* The task's `forbidden` is not for it, as it is code of the task. */
	bool may_call_all;
	/* Paths of libraries of the machine that the object is linked with. */
	struct strvec libraries;
};

void build_release(struct build *b);
DEFINE_RELEASE(build, struct build, build_release)
#define cleanup_build CLEANUP(build)
#define BUILD_INIT              \
	{                       \
		.object_fd = -1 \
	}

struct gpus;
/* Borrows its arguments, which must outlive it. cache_dir NULL: no cache; gpus
 * (those of this machine, for CUDA) NULL: none. A missing compiler is
 * ERROR_NOT_FOUND. */
struct builder;
struct error *builder_new(struct builder **out, const struct task *task,
			  const struct sandbox *sandbox, const char *cache_dir,
			  const struct gpus *gpus) MUST_CHECK;
/* From now on a compiler is ended once *stop_now is 2, with
 * ERROR_INTERRUPTED. Borrowed; may be NULL. */
void builder_stop_at(struct builder *b, const volatile int *stop_now);
/* The task's own files, by which a candidate is known that is the code of a
 * baseline: what the task forbids is not forbidden to it. Borrowed. */
void builder_knows(struct builder *b, const struct fileset *base);
/* First line of `compiler --version`; "nvcc 13.0.88, gcc ..."; with a runner its
 * version too. Borrowed. */
const char *builder_compiler(const struct builder *b);
/* CUDA: the architecture to compile for: the task's, else that of this
 * machine's GPU, else BUILD_ARCH_DEFAULT. NULL for C. Borrowed. */
const char *builder_arch(const struct builder *b);
#define BUILD_ARCH_DEFAULT "sm_90a"
/* CUDA: the folders of its libraries, and the libraries of baselines, for
 * sandbox_spec.folders. */
const char *const *builder_folders(const struct builder *b);
/* Which libraries of the machine the task's baseline `i` loads, for people; ""
 * if none. Borrowed. */
const char *builder_libraries(const struct builder *b, size_t i);
void builder_free(struct builder *b);
DEFINE_CLEANUP(builder, struct builder, builder_free)
#define cleanup_builder CLEANUP(builder)

struct toolkit;
struct error *compiler_version_cuda(char **out, const struct sandbox *sandbox,
				    const struct toolkit *toolkit) MUST_CHECK;

/* Compiles every "*.c" (in CUDA also "*.cu") of the task's sources among
 * `files` (paths from the top of the repository) into one object. Code that
 * does not compile is a result (ok false); so are a flag that is not allowed,
 * no source at all, and a compiler that exceeds the task's limit. */
struct error *build_candidate(struct build *out, const struct builder *b,
			      const struct fileset *files) MUST_CHECK;
/* The files of a candidate that are compiled by themselves, and the flags that
 * its sources choose besides the task's (joined to pairs). Returns a sentence
 * on a flag that the task does not allow, or NULL; free() disposes. */
char *build_candidate_sources(struct strvec *sources, struct strvec *chosen,
			      const struct task *t,
			      const struct fileset *files) MUST_CHECK;
/* Compiles a program (it has a `main`) from one source with the task's compiler
 * and flags, and none of its files: the object is the executable. */
struct error *build_program(struct build *out, const struct builder *b,
			    const char *source) MUST_CHECK;
/* The candidate's PTX, compiled with the same flags, one source after another,
 * cut at out->limit. If the candidate is the reason why there is none, *failed
 * says so; else it is NULL. ERROR_REFUSED for a task with its own build
 * command. */
struct error *build_ptx(struct buf *out, char **failed, const struct builder *b,
			const struct fileset *files) MUST_CHECK;
/* The output of a disassembler (`tool`: the words before the file's name) for a
 * build's device code, cut at out->limit. It runs in the sandbox, which also
 * sees `folder` (NULL: no other folder). */
struct error *build_disassemble(struct buf *out, const struct builder *b,
				const struct build *build,
				const char *const *tool,
				const char *folder) MUST_CHECK;
/* Builds the reference or a baseline, from the files of the base commit. */
struct error *build_trusted(struct build *out, const struct builder *b,
			    const struct fileset *base,
			    const struct trusted_code *code) MUST_CHECK;

#endif
