/* CRC-32C (Castagnoli), as of RFC 3720: against damage, not against people. */
#ifndef CORE_BASE_CRC32C_H
#define CORE_BASE_CRC32C_H

#include "core/base/base.h"

uint32_t crc32c(const void *data, size_t len);

#endif
