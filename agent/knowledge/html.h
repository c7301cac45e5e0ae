/*
 * Converts an HTML page to Markdown text: headings, lists and code are kept,
 * everything else becomes words. One pass over the bytes, without a tree or
 * recursion, so that the cost of a hostile page grows only with its length. (Of
 * Debian's parsers, gumbo frees its tree by recursion and libxml2 needs 30 MB
 * of ICU; an index needs no tree.)
 */
#ifndef AGENT_KNOWLEDGE_HTML_H
#define AGENT_KNOWLEDGE_HTML_H

#include "core/base/buf.h"

/* Adds the text to `out`, up to its limit. Script, style, comments, attributes
 * and navigation are left out. Invalid UTF-8 passes through. */
void html_text(struct buf *out, const char *html, size_t len);

#endif
