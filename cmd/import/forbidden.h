/* What a problem folder forbids, as a task says it. */
#ifndef CMD_IMPORT_FORBIDDEN_H
#define CMD_IMPORT_FORBIDDEN_H

#include "core/base/buf.h"
#include "core/base/strvec.h"

struct forbidden_names {
	struct strvec calls;   /* operators of PyTorch */
	struct strvec modules; /* packages of Python, the whole of each */
};

/* Takes a text such as "torch.softmax", "F.linear", ".topk(", "import fla" or
 * "vllm.attention". False: it is none of these. */
bool forbidden_take(struct forbidden_names *out, const char *text);
/* The line of the task file; nothing where nothing is forbidden. */
void forbidden_print(struct buf *out, const struct forbidden_names *f);
void forbidden_names_release(struct forbidden_names *f);

#endif
