/*
 * A run as one HTML file. What others wrote reaches the page in one place, the
 * JSON, and the script shows it by textContent alone. A policy within the page
 * lets no other script run and nothing be loaded, should that be wrong.
 */
#include "cmd/report/run_story.h"

#include "core/base/random.h"
#include "core/base/text.h"

#define NONCE_BYTES 16

extern const char report_style[], report_script[], report_body[];

void run_story_add_html(struct buf *out, const char *text)
{
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

	text_add_line(&line, text, strlen(text));
	for (const char *s = line.data; *s; s++) {
		switch (*s) {
		case '<':
			buf_adds(out, "&lt;");
			break;
		case '>':
			buf_adds(out, "&gt;");
			break;
		case '&':
			buf_adds(out, "&amp;");
			break;
		case '"':
			buf_adds(out, "&quot;");
			break;
		case '\'':
			buf_adds(out, "&#39;");
			break;
		default:
			buf_addc(out, *s);
		}
	}
}

/* In ASCII, so that no line separator of Unicode is left; and without the
 * characters that could end the element or begin a comment. They occur in
 * strings only, where \u is the same. */
static void add_json(struct buf *out, const struct json *j)
{
	cleanup_free char *text = json_print_ascii(j);
	const char *s = text;

	while (*s) {
		size_t plain = strcspn(s, "<>&");

		buf_add(out, s, plain);
		s += plain;
		if (*s)
			buf_addf(out, "\\u%04x", (unsigned)*s++);
	}
}

static void add_head(struct buf *out, const struct run_story *s,
		     const char *nonce)
{
	buf_addf(out,
		 "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		 "<meta charset=\"utf-8\">\n"
		 "<meta http-equiv=\"Content-Security-Policy\" "
		 "content=\"default-src 'none'; style-src 'unsafe-inline'; "
		 "script-src 'nonce-%s'; base-uri 'none'; form-action "
		 "'none'\">\n"
		 "<meta name=\"viewport\" content=\"width=device-width, "
		 "initial-scale=1\">\n<title>avogit: run ",
		 nonce);
	run_story_add_html(out, s->run);
	buf_addf(out, "</title>\n<style>\n%s</style>\n</head>\n", report_style);
}

/* The choice of an axis, and a picture for each. */
static void add_trajectories(struct buf *out, const struct run_story *s)
{
	static const struct {
		enum trajectory_axis axis;
		const char *name, *words;
	} axes[] = {{AXIS_ATTEMPTS, "attempts", "attempts"},
		    {AXIS_HOURS, "hours", "time"},
		    {AXIS_TOKENS, "tokens", "tokens"},
		    {AXIS_DOLLARS, "dollars", "money"}};

	buf_adds(out,
		 "<fieldset class=\"controls\"><legend>Against</legend>\n");
	for (size_t i = 0; i < ARRAY_SIZE(axes); i++)
		if (run_story_has_axis(s, axes[i].axis))
			buf_addf(out,
				 "<label><input type=\"radio\" name=\"axis\" "
				 "value=\"%s\"%s> %s</label>\n",
				 axes[i].name, i ? "" : " checked",
				 axes[i].words);
	buf_adds(out, "</fieldset>\n");
	for (size_t i = 0; i < ARRAY_SIZE(axes); i++) {
		if (!run_story_has_axis(s, axes[i].axis))
			continue;
		buf_addf(out,
			 "<div class=\"scroll\" id=\"by-%s\" "
			 "tabindex=\"0\"%s>\n",
			 axes[i].name, i ? " hidden" : "");
		run_story_svg(out, s, axes[i].axis);
		buf_adds(out, "</div>\n");
	}
}

struct error *run_story_page(struct buf *out, const struct run_story *s)
{
	cleanup_json struct json *j = run_story_json(s);
	char nonce[2 * NONCE_BYTES + 1];

	random_hex(nonce, 2 * NONCE_BYTES);
	add_head(out, s, nonce);
	buf_adds(out, report_body);
	add_trajectories(out, s);
	buf_adds(out, "</section>\n<div id=\"rest\"></div>\n</main>\n"
		      "<script type=\"application/json\" id=\"data\">");
	add_json(out, j);
	buf_addf(out,
		 "</script>\n<script nonce=\"%s\">\n%s</script>\n"
		 "</body>\n</html>\n",
		 nonce, report_script);
	if (out->truncated)
		return error_new(ERROR_TOO_BIG,
				 "the report of run %s is larger than %zu MiB",
				 s->run, out->limit >> 20);
	return NULL;
}
