/* The operator that gets its ideas from an MCP client. */
#include <errno.h>
#include <poll.h>

#include "agent/mcp/mcp.h"

/* Longest delay before a Ctrl-C is noticed. */
#define LOOK_MS 500

struct mcp_operator {
	struct variation_operator operator_; /* first: cast back */
	struct mcp_server *server;
	struct tool_knowledge *knowledge;
	struct notes notes;
	bool restored;
};

static bool is_interrupted(struct variation *v)
{
	const char *why = v->allowance->why_stop(v->allowance);

	return why && str_eq(why, "interrupted");
}

/* Continues when the budget is spent: the client may still read results. */
static struct error *serve(struct mcp_server *s, struct variation *v)
{
	struct pollfd work = {mcp_work_fd(s), POLLIN, 0};
	bool did = true;

	while (!is_interrupted(v)) {
		if (!did && mcp_ended(s))
			return NULL;
		if (!did && poll(&work, 1, LOOK_MS) < 0 && errno != EINTR)
			return error_errno("poll");
		TRY(mcp_work(&did, s));
	}
	return NULL;
}

static struct error *vary(struct variation_operator *self, enum varied *out,
			  struct variation *v)
{
	struct mcp_operator *m = (struct mcp_operator *)self;
	struct toolbox box;
	struct error *err;

	if (!m->restored)
		notes_restore(&m->notes, v->population);
	m->restored = true;
	toolbox_init(&box, v);
	box.notes = &m->notes;
	box.knowledge = m->knowledge;
	mcp_attach(m->server, &box);
	err = serve(m->server, v);
	mcp_detach(m->server);
	if (mcp_ended(m->server))
		v->because = xstrdup("the client left");
	*out = VARIED_EXHAUSTED;
	return err;
}

static void operator_free_(struct variation_operator *self)
{
	struct mcp_operator *m = (struct mcp_operator *)self;

	mcp_stop(m->server);
	notes_release(&m->notes);
	free(m);
}

bool mcp_operator_refuse(struct variation_operator *op, const char *why)
{
	struct mcp_operator *m = (struct mcp_operator *)op;
	struct pollfd work = {mcp_work_fd(m->server), POLLIN, 0};

	mcp_refuse(m->server, why);
	/* The client may have left before, which nothing tells again. */
	while (!mcp_ended(m->server)) {
		int n = poll(&work, 1, LOOK_MS);

		if (n)
			return n > 0 && !mcp_ended(m->server);
	}
	return false;
}

struct error *mcp_operator_new(struct variation_operator **out, int in_fd,
			       int out_fd, const char *without,
			       struct tool_knowledge *knowledge)
{
	struct mcp_operator *m = xcalloc(1, sizeof *m);
	const struct mcp_options options = {in_fd, out_fd, -1, without};

	m->operator_ = (struct variation_operator){
		.name = "mcp", .vary = vary, .free = operator_free_};
	m->knowledge = knowledge;
	notes_init(&m->notes);
	*out = &m->operator_;
	return mcp_start(&m->server, &options);
}
