/* What the tests of the sandbox share: every level that this machine can
 * have, and this program itself inside. Include it after cmocka. */
#ifndef TESTS_SANDBOX_LEVELS_H
#define TESTS_SANDBOX_LEVELS_H

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/sandbox/sandbox.h"

#define SHELL(text) ((const char *const[]){"sh", "-c", (text), NULL})
#define SELF(...)   ((const char *const[]){"/proc/self/fd/3", __VA_ARGS__, NULL})
#define OUTPUT	    ((size_t)65536)

static struct level {
	const char *name; /* in AVOGIT_SANDBOX */
	struct sandbox *sandbox;
	struct error *why_not;
} levels[] = {{.name = "none"}, {.name = "landlock"}, {.name = "bwrap"}};

/* A test that takes a struct level, once for each. */
#define EACH(test)                                                 \
	{#test "_none", test, NULL, NULL, &levels[0]},             \
		{#test "_landlock", test, NULL, NULL, &levels[1]}, \
	{                                                          \
#test "_bwrap", test, NULL, NULL, &levels[2]       \
	}

static const struct process_limits limits = {
	.wall_seconds = 20,
	.open_files = 64,
	.file_bytes = 1 << 20,
};

static int self_fd = -1;

/* This program in a memfd, as the runner is: where it lies on the disk is
 * nothing a sandbox may read. */
static void levels_open(void)
{
	cleanup_buf struct buf image = BUF_INIT((size_t)256 << 20);
	struct error *err = file_read(&image, "/proc/self/exe");

	if (!err)
		err = memfd_with(&self_fd, "self", image.data, image.len, true);
	if (err)
		_exit(1);
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		setenv("AVOGIT_SANDBOX", levels[i].name, 1);
		levels[i].why_not = sandbox_probe(&levels[i].sandbox);
	}
	unsetenv("AVOGIT_SANDBOX");
}

static void levels_close(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		sandbox_free(levels[i].sandbox);
		error_free(levels[i].why_not);
	}
	close(self_fd);
}

/* Skips the test, with the reason, where the level cannot be had. */
static const struct sandbox *of(void **state)
{
	const struct level *l = *state;

	if (!l->sandbox) {
		print_message("%s\n", error_message(l->why_not));
		skip();
	}
	return l->sandbox;
}

/* The same for a promise that only this level and stronger ones make. */
UNUSED static const struct sandbox *of_from(void **state,
					    enum sandbox_level weakest)
{
	const struct sandbox *s = of(state);

	if (sandbox_level(s) < weakest) {
		print_message("not a promise of this level\n");
		skip();
	}
	return s;
}

static struct process_result run(const struct sandbox *s,
				 const struct sandbox_spec *spec)
{
	struct process_result r = {0};
	struct error *err = sandbox_run(&r, s, spec, OUTPUT);

	if (err)
		fail_msg("%s: %s", sandbox_describe(s), error_message(err));
	return r;
}

UNUSED static struct process_result shell(const struct sandbox *s,
					  const char *text)
{
	struct sandbox_spec spec = {.argv = SHELL(text), .limits = limits};

	return run(s, &spec);
}

/* This program, as descriptor 3. */
static struct sandbox_spec self(const char *const *argv,
				enum sandbox_profile profile, unsigned threads)
{
	struct sandbox_spec spec = {.profile = profile,
				    .threads = threads,
				    .argv = argv,
				    .limits = limits,
				    .n_inherit = 1};

	spec.inherit[0].fd = self_fd;
	spec.inherit[0].child_fd = 3;
	return spec;
}

UNUSED static void hand_over(struct sandbox_spec *spec, int fd, int child_fd)
{
	spec->inherit[spec->n_inherit].fd = fd;
	spec->inherit[spec->n_inherit].child_fd = child_fd;
	spec->n_inherit++;
}

#endif
