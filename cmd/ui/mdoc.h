/*
 * A command's page of the manual in mdoc(7), from the same texts and the same
 * table of options as its `--help`.
 */
#ifndef CMD_UI_MDOC_H
#define CMD_UI_MDOC_H

#include "cmd/ui/exit_code.h"
#include "cmd/ui/opt.h"

struct mdoc_page {
	const char *name;     /* of the command: "evolve" */
	const char *operands; /* "[REV...]"; "" for none */
	const char *summary;  /* one line */
	const char *about;    /* paragraphs; an indented line stays a line */
	const struct opt *options;
	const struct exit_meaning *exits; /* NULL: only what all have */
};

/* Adds the page avogit-NAME(1), ready for mandoc and groff. */
void mdoc_page(struct buf *out, const struct mdoc_page *page);
/* The parts that the page of avogit itself is made of. A title is what the page
 * is called: "avogit-evolve". */
void mdoc_begin(struct buf *out, const char *title, const char *summary);
/* Adds text in lines of its own, filled, with what mdoc would read as a request
 * or an escape made plain. */
void mdoc_text(struct buf *out, const char *text);

#endif
