/*
 * The text of an HTML page, as Markdown: headings, lists and code are kept,
 * all else is words. One pass over the bytes, no tree and no recursion, so a
 * hostile page costs what its length does. (Debian's parsers: gumbo frees
 * its tree by recursion, libxml2 brings 30 MB of ICU along; and an index
 * needs no tree.)
 */
#ifndef AGENT_KNOWLEDGE_HTML_H
#define AGENT_KNOWLEDGE_HTML_H

#include "core/base/buf.h"

/* Adds to `out`, up to its limit. Script, style, comments, attributes and
 * navigation are left out. Bytes that are not UTF-8 pass through. */
void html_text(struct buf *out, const char *html, size_t len);

#endif
