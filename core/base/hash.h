/* SHA-256 (OpenSSL's), for identities and caches; and SHA-1, which is what git
 * names objects by. */
#ifndef CORE_BASE_HASH_H
#define CORE_BASE_HASH_H

#include "core/base/base.h"

#define HASH_HEX_LEN 64

struct hash;

struct hash *hash_new(void) MUST_CHECK;
/* Its digest has 40 digits. */
struct hash *hash_new_sha1(void) MUST_CHECK;
void hash_add(struct hash *h, const void *data, size_t len);
/* The string and its NUL, so that "ab","c" differs from "a","bc". */
void hash_adds(struct hash *h, const char *s);
/* Writes the hex digest and disposes of h. */
void hash_finish(char out[HASH_HEX_LEN + 1], struct hash *h);

#endif
