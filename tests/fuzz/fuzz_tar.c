/* An archive that came out of a sandbox. */
#include "agent/tools/tar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Exactly as long: a byte read beyond is a fault. */
	cleanup_free char *archive =
		xmemdup(size ? (const void *)data : "", MAX(size, 1));
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_strvec struct strvec patterns = STRVEC_INIT;
	cleanup_error struct error *err = NULL;

	strvec_push(&patterns, "*.c");
	strvec_push(&patterns, "src/");
	err = tar_read(&files, archive, size, &patterns);
	for (size_t i = 0; i < files.n; i++)
		if (!path_is_safe(files.file[i].path) ||
		    !path_matches(files.file[i].path, &patterns))
			abort();
	return 0;
}
