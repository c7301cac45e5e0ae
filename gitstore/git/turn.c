/*
 * Several processes of this clone extend one run. Each holds the run's lock for
 * sharing, which keeps out one that wants the run for itself. RUN.turn, beside
 * that lock, says who of them may read and change the run now:
 *
 *   byte 0   locked by the process whose turn it is
 *   byte 1   locked, for reading, by each process that extends the run
 *   byte 2   locked by the one that has the next turn: without it a process
 *            that scores once and again would take the turn before others do
 *   others   locked by a process for which another machine measures a candidate,
 *            in nobody's turn: the byte is made of its commit's first digits
 *
 * These locks belong to the open file (F_OFD_SETLK) and end with its process, so
 * a killed one holds no turn.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "gitstore/git/internal.h"

#define TURN_BYTE   0
#define MEMBER_BYTE 1
#define NEXT_BYTE   2
#define LOOK_NS	    (50 * 1000 * 1000)

static struct flock byte_lock(short type, off_t byte)
{
	return (struct flock){.l_type = type,
			      .l_whence = SEEK_SET,
			      .l_start = byte,
			      .l_len = 1};
}

static bool try_byte(int fd, short type, off_t byte)
{
	struct flock l = byte_lock(type, byte);

	return fcntl(fd, F_OFD_SETLK, &l) == 0;
}

static bool is_locked(int fd, off_t byte)
{
	struct flock l = byte_lock(F_WRLCK, byte);

	return fcntl(fd, F_OFD_GETLK, &l) == 0 && l.l_type != F_UNLCK;
}

/* ---- turns ----------------------------------------------------------------- */

static void leave_queue(struct gitstore *g)
{
	if (g->is_next)
		try_byte(g->turn_fd, F_UNLCK, NEXT_BYTE);
	g->is_next = false;
}

bool turn_try(struct gitstore *g)
{
	if (g->turn_fd < 0 || g->has_turn)
		return true;
	if (!g->is_next)
		g->is_next = try_byte(g->turn_fd, F_WRLCK, NEXT_BYTE);
	if (g->is_next)
		g->has_turn = try_byte(g->turn_fd, F_WRLCK, TURN_BYTE);
	if (g->has_turn)
		leave_queue(g);
	return g->has_turn;
}

void turn_give(struct gitstore *g)
{
	if (g->turn_fd < 0)
		return;
	leave_queue(g);
	if (g->has_turn)
		try_byte(g->turn_fd, F_UNLCK, TURN_BYTE);
	g->has_turn = false;
}

/* ---- what is measured in nobody's turn ------------------------------------- */

#define HELD_BYTES  16
#define HELD_DIGITS 12

static off_t byte_of(const char *id)
{
	char digits[HELD_DIGITS + 1];

	snprintf(digits, sizeof digits, "%s", id);
	return HELD_BYTES + (off_t)strtoull(digits, NULL, 16);
}

void turn_hold(struct gitstore *g, const char *id, bool begins)
{
	try_byte(g->turn_fd, begins ? F_WRLCK : F_UNLCK, byte_of(id));
}

bool turn_is_held(const struct gitstore *g, const char *id)
{
	return is_locked(g->turn_fd, byte_of(id));
}

/* ---- who is there ------------------------------------------------------------ */

bool gitstore_has_others(const struct gitstore *g)
{
	return g->turn_fd >= 0 && is_locked(g->turn_fd, MEMBER_BYTE);
}

/* First out, then the look: of two that leave at once, one at least sees none. */
bool turn_leave(struct gitstore *g)
{
	if (g->turn_fd >= 0)
		try_byte(g->turn_fd, F_UNLCK, MEMBER_BYTE);
	return gitstore_has_others(g);
}

bool turn_is_shared(const struct gitstore *g, const char *run)
{
	cleanup_free char *path = xasprintf("%s%s.turn", g->private_dir, run);
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	return fd >= 0 && is_locked(fd, MEMBER_BYTE);
}

/* ---- joining --------------------------------------------------------------- */

static struct error *open_turn(int *out, const char *path)
{
	*out = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
	return *out < 0 ? error_errno("cannot open %s", path) : NULL;
}

/* Another has it for one scoring at most. */
static void wait_for_turn(struct gitstore *g, const char *run)
{
	const struct timespec pause = {.tv_nsec = LOOK_NS};
	const double began = clock_seconds();
	bool said = false;

	while (!turn_try(g)) {
		if (!said && clock_seconds() - began > 2) {
			fprintf(stderr,
				"avogit: another avogit works on run %s: "
				"waiting for its turn to end\n",
				run);
			said = true;
		}
		nanosleep(&pause, NULL);
	}
}

struct error *gitstore_share_run(struct gitstore *g, const char *run)
{
	cleanup_free char *path = NULL;
	cleanup_fd int fd = -1;

	TRY(run_lock_take(g, run, true));
	path = xasprintf("%s%s.turn", g->private_dir, run);
	TRY(open_turn(&fd, path));
	if (!try_byte(fd, F_RDLCK, MEMBER_BYTE))
		return error_errno("cannot lock %s", path);
	g->turn_fd = steal_fd(&fd);
	wait_for_turn(g, run);
	return NULL;
}
