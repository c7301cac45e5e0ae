/* What a build has linked: the pieces of device code lie inside of it, and the
 * names of its functions. */
#include "scorer/build/cubin.h"
#include "scorer/build/exports.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const archs[] = {"sm_80", "sm_90a"};
	/* Exactly as long: a byte read beyond is a fault. */
	cleanup_free char *object =
		xmemdup(size ? (const void *)data : "", MAX(size, 1));
	const struct bytes bytes = {(const unsigned char *)object, size};
	cleanup_strvec struct strvec exports = STRVEC_INIT;
	cleanup_free char *lack = NULL;

	for (size_t a = 0; a < ARRAY_SIZE(archs); a++) {
		struct cubin c[CUBIN_MAX];
		size_t n = 0;
		cleanup_error struct error *err =
			cubins_find(c, &n, object, size, archs[a]);

		for (size_t i = 0; !err && i < n; i++)
			if (c[i].offset > size || c[i].len > size - c[i].offset)
				abort();
	}
	if (exports_read(&exports, &bytes))
		lack = exports_lack(&exports, LANGUAGE_CXX, "softmax");
	return 0;
}
