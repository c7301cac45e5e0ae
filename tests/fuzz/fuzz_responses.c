#include "tests/fuzz/fuzz_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz(&wire_responses, data, size);
}
