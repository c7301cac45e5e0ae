#include "scorer/runner/channel.h"

#include <errno.h>
#include <sys/socket.h>

static void take_descriptors(struct msghdr *m, int fd[CHANNEL_MAX_FDS])
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_type == SCM_RIGHTS && n <= CHANNEL_MAX_FDS)
			memcpy(fd, CMSG_DATA(c), n * sizeof(int));
	}
}

bool channel_receive(union runner_request *r, int fd[CHANNEL_MAX_FDS])
{
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(CHANNEL_MAX_FDS * sizeof(int))];
	} control;
	struct iovec part = {r, sizeof *r};
	struct msghdr m = {.msg_iov = &part,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = sizeof control};
	ssize_t n;

	for (size_t i = 0; i < CHANNEL_MAX_FDS; i++)
		fd[i] = -1;
	do
		n = recvmsg(RUNNER_CONTROL_FD, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < (ssize_t)sizeof r->head)
		return false;
	take_descriptors(&m, fd);
	return true;
}

void channel_send(const void *message, size_t bytes)
{
	while (send(RUNNER_CONTROL_FD, message, bytes, MSG_NOSIGNAL) < 0 &&
	       errno == EINTR)
		;
}

void channel_send_with(const void *message, size_t bytes, const int *fd,
		       size_t n)
{
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(GPU_GIVEN * sizeof(int))];
	} control = {{0}};
	struct iovec part = {(void *)(uintptr_t)message, bytes};
	struct msghdr m = {.msg_iov = &part,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = CMSG_SPACE(n * sizeof(int))};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(n * sizeof(int));
	memcpy(CMSG_DATA(c), fd, n * sizeof(int));
	while (sendmsg(RUNNER_CONTROL_FD, &m, MSG_NOSIGNAL) < 0 &&
	       errno == EINTR)
		;
}

void channel_reply(const union runner_request *r, enum message_kind kind)
{
	struct plain_reply reply = {{kind, r->head.sequence}};

	channel_send(&reply, sizeof reply);
}

void channel_refuse(const union runner_request *r, const char *why)
{
	struct refused_reply reply = {{MESSAGE_REFUSED, r->head.sequence}, ""};

	snprintf(reply.text, sizeof reply.text, "%s", why);
	channel_send(&reply, sizeof reply);
}
