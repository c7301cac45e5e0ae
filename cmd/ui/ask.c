#include "cmd/ui/ask.h"

#include <unistd.h>

struct error *ask_for(bool *yes, const char *question, const char *word,
		      const char *instead)
{
	char answer[256];

	*yes = false;
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return error_new(ERROR_REFUSED,
				 "there is no terminal to ask you at: if that "
				 "is meant, say `%s`",
				 instead);
	printf("%s ", question);
	fflush(stdout);
	if (!fgets(answer, sizeof answer, stdin))
		return NULL;
	answer[strcspn(answer, "\n")] = '\0';
	*yes = str_eq(answer, word);
	return NULL;
}
