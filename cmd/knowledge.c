/* avogit knowledge: searches the knowledge base of the agents. */
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/session/knowledge_base.h"
#include "cmd/ui/out.h"
#include "cmd/ui/table.h"

#define HITS 5

struct knowledge_command_options {
	bool list, json;
	const char *show;
	const char *task;
	const char *color;
	int64_t number;
};

static const struct opt options[] = {
	OPT(struct knowledge_command_options, number, "number", 'n', "N",
	    "at most N passages (5)"),
	OPT(struct knowledge_command_options, list, "list", 0, NULL,
	    "what there is to search"),
	OPT(struct knowledge_command_options, show, "show", 0, "SOURCE",
	    "all that one document or run says"),
	OPT(struct knowledge_command_options, task, "task", 0, "FILE",
	    "task file (the nearest avogit.yaml)"),
	OPT(struct knowledge_command_options, json, "json", 0, NULL, "as JSON"),
	OPT(struct knowledge_command_options, color, "color", 0, "WHEN",
	    "always, never or auto"),
	OPT_END,
};

struct asked {
	struct session session;
	struct palette color;
	struct knowledge *base;
	struct knowledge_gaps gaps;
};

static void asked_release(struct asked *a)
{
	knowledge_free(a->base);
	knowledge_gaps_release(&a->gaps);
	session_release(&a->session);
}
DEFINE_RELEASE(asked, struct asked, asked_release)

/* ---- opening it --------------------------------------------------------- */

static struct error *open_task(struct session *s, const char *file)
{
	struct commit_id head;

	TRY(gitstore_resolve(&head, s->git, "HEAD"));
	return session_task(s, head.hex, file);
}

/* The embedded notes are useful without a repository or task, so a missing one
 * is only reported, unless an option needs it. */
static struct error *open_base(struct asked *a,
			       const struct knowledge_command_options *o)
{
	struct session *s = &a->session;
	struct error *err = gitstore_open(&s->git, ".");

	if (!err)
		err = open_task(s, o->task);
	if (err && (o->task || error_is(err, ERROR_SYSTEM)))
		return err;
	if (err)
		fprintf(stderr, "avogit: without a task's documents: %s\n",
			error_message(err));
	error_free(err);
	return knowledge_base_open(&a->base, &a->gaps, s->git ? s : NULL);
}

static void say_gaps(const struct knowledge_gaps *g)
{
	if (!g->n)
		return;
	fprintf(stderr, "avogit: %zu left out:\n", g->n);
	for (size_t i = 0; i < g->why.n; i++) {
		cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

		out_clean_line(&line, g->why.v[i]);
		fprintf(stderr, "  %s\n", line.data);
	}
}

/* ---- --list ------------------------------------------------------------- */

static void list_json(const struct knowledge_list *l)
{
	cleanup_json struct json *j = out_json_new();
	struct json *items = json_array();

	for (size_t i = 0; i < l->n; i++) {
		const struct knowledge_item *item = &l->item[i];
		struct json *one = json_object();

		json_set_string(one, "source", item->source);
		json_set_string(one, "title",
				*item->title ? item->title : NULL);
		json_set_string(one, "kind", item->kind);
		json_set_int(one, "passages", (int64_t)item->passages);
		json_set_string(one, "problem", item->problem);
		json_push(items, one);
	}
	json_set(j, "items", items);
	out_json(j);
}

static struct error *show_list(struct asked *a, bool json)
{
	cleanup_knowledge_list struct knowledge_list l = {0};
	cleanup_table struct table t = {0};

	TRY(knowledge_list(&l, a->base));
	if (json) {
		list_json(&l);
		return NULL;
	}
	table_init(&t, "llrl");
	for (size_t i = 0; i < l.n; i++) {
		const struct knowledge_item *item = &l.item[i];

		table_add(&t, COLOR_NONE, "%s%s%s", item->source,
			  *item->title ? ": " : "", item->title);
		table_add(&t, COLOR_FAINT, "%s", item->kind);
		table_add(&t, COLOR_NONE, "%zu", item->passages);
		table_add(&t, COLOR_BAD, "%s",
			  item->problem ? item->problem : "");
	}
	table_print(&t, &a->color);
	return NULL;
}

/* ---- searching ---------------------------------------------------------- */

static void hits_json(const struct knowledge_hits *h)
{
	cleanup_json struct json *j = out_json_new();
	struct json *hits = json_array();

	for (size_t i = 0; i < h->n; i++) {
		struct json *one = json_object();

		json_set_string(one, "source", h->hit[i].source);
		json_set_string(one, "heading", h->hit[i].heading);
		json_set_double(one, "score", h->hit[i].score);
		json_set_bool(one, "all", h->hit[i].all);
		json_set_string(one, "text", h->hit[i].text);
		json_push(hits, one);
	}
	json_set(j, "hits", hits);
	out_json(j);
}

static void print_hit(const struct palette *c, const struct knowledge_hit *h)
{
	cleanup_buf struct buf source = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf heading = BUF_INIT(BUF_LIMIT_TEXT);

	out_clean_line(&source, h->source);
	out_clean_line(&heading, h->heading);
	printf("%s%s%s  %s%s%s\n\n", color_begin(c, COLOR_ID), source.data,
	       color_end(c, COLOR_ID), color_begin(c, COLOR_BOLD), heading.data,
	       color_end(c, COLOR_BOLD));
	out_text("    ", h->text);
}

static struct error *search(enum exit_code *code, struct asked *a,
			    const struct knowledge_command_options *o,
			    const struct strvec *words)
{
	cleanup_knowledge_hits struct knowledge_hits h = {0};
	cleanup_buf struct buf query = BUF_INIT(KNOWLEDGE_MAX_QUERY);

	for (size_t i = 0; i < words->n; i++)
		buf_addf(&query, "%s%s", i ? " " : "", words->v[i]);
	TRY(knowledge_search(&h, a->base, query.data,
			     o->number ? (size_t)o->number : HITS));
	if (!h.n)
		*code = CODE_NO;
	if (o->json) {
		hits_json(&h);
		return NULL;
	}
	for (size_t i = 0; i < h.n; i++) {
		if (i)
			putchar('\n');
		print_hit(&a->color, &h.hit[i]);
	}
	if (!h.n)
		fputs("nothing has any of these words\n", stderr);
	return NULL;
}

static struct error *show(struct asked *a, const char *source)
{
	cleanup_buf struct buf text = BUF_INIT(DOCUMENT_MAX_TEXT);

	TRY(knowledge_read(&text, a->base, source));
	out_text("", text.data);
	return NULL;
}

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	CLEANUP(asked) struct asked a = {0};
	cleanup_strvec struct strvec words = STRVEC_INIT;
	struct knowledge_command_options o = {0};

	TRY(command_parse(self, &o, &words, argv));
	if ((words.n > 0) + (o.show != NULL) + o.list != 1)
		return error_new(ERROR_USAGE,
				 "knowledge needs either words to search for, "
				 "or --list, or --show SOURCE");
	TRY(palette_init(&a.color, o.color, NULL, STDOUT_FILENO));
	TRY(open_base(&a, &o));
	if (o.list) {
		say_gaps(&a.gaps);
		return show_list(&a, o.json);
	}
	return o.show ? show(&a, o.show) : search(code, &a, &o, &words);
}

static const struct exit_meaning exits[] = {
	{CODE_NO, "Nothing was found."},
	{CODE_YES, NULL},
};

const struct command command_knowledge = {
	.name = "knowledge",
	.operands = "[WORD...]",
	.summary = "searches the notes and documents an agent has",
	.about = "Searches what the agent searches: avogit's own notes on the "
		 "hardware and how to\nuse it, the documents that the task "
		 "names under `knowledge:`, and what the runs of\nthis "
		 "repository tried and what it gave. Any text is a query: "
		 "cp.async.bulk, or a\nwhole question.",
	.options = options,
	.exits = exits,
	.min_operands = 0,
	.max_operands = SIZE_MAX,
	.run = run,
};
