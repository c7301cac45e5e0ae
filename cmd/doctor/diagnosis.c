#include "cmd/doctor/doctor.h"

#include "cmd/ui/out.h"
#include "cmd/ui/table.h"

static const char *const state_name[] = {"ok", "warn", "missing"};

void diagnosis_add(struct diagnosis *d, enum state state, const char *what,
		   char *text, const char *mend)
{
	GROW(d->finding, d->n, d->cap);
	d->finding[d->n++] = (struct doctor_finding){
		.state = state,
		.what = what,
		.text = text,
		.mend = xstrdup_null(mend),
	};
}

void diagnosis_add_error(struct diagnosis *d, enum state state,
			 const char *what, struct error *err, const char *mend)
{
	diagnosis_add(d, state, what, xstrdup(error_message(err)), mend);
	error_free(err);
}

bool diagnosis_any(const struct diagnosis *d, enum state state)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->finding[i].state == state)
			return true;
	return false;
}

void diagnosis_print(const struct diagnosis *d, const struct palette *p)
{
	static const enum color color[] = {COLOR_GOOD, COLOR_WARN, COLOR_BAD};
	cleanup_table struct table t = {0};

	table_init(&t, "lll");
	for (size_t i = 0; i < d->n; i++) {
		const struct doctor_finding *one = &d->finding[i];

		table_add(&t, color[one->state], "%s", state_name[one->state]);
		table_add(&t, COLOR_NONE, "%s", one->what);
		table_add(&t, COLOR_NONE, "%s%s%s", one->text,
			  one->mend ? "; mend: " : "",
			  one->mend ? one->mend : "");
	}
	table_print(&t, p);
}

void diagnosis_print_json(const struct diagnosis *d)
{
	cleanup_json struct json *j = out_json_new();
	struct json *list = json_array();

	for (size_t i = 0; i < d->n; i++) {
		const struct doctor_finding *one = &d->finding[i];
		struct json *row = json_object();

		json_set_string(row, "state", state_name[one->state]);
		json_set_string(row, "what", one->what);
		json_set_string(row, "text", one->text);
		json_set_string(row, "mend", one->mend);
		json_push(list, row);
	}
	json_set(j, "findings", list);
	out_json(j);
}

void diagnosis_release(struct diagnosis *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->finding[i].text);
		free(d->finding[i].mend);
	}
	free(d->finding);
	*d = (struct diagnosis){0};
}
