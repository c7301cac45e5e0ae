#include "core/base/hash.h"

#include <openssl/evp.h>

struct hash {
	EVP_MD_CTX *ctx;
};

static struct hash *start(const EVP_MD *kind)
{
	struct hash *h = xcalloc(1, sizeof *h);

	h->ctx = EVP_MD_CTX_new();
	if (!h->ctx || !EVP_DigestInit_ex(h->ctx, kind, NULL))
		abort(); /* no memory, or no such digest in this OpenSSL */
	return h;
}

struct hash *hash_new(void)
{
	return start(EVP_sha256());
}

struct hash *hash_new_sha1(void)
{
	return start(EVP_sha1());
}

void hash_add(struct hash *h, const void *data, size_t len)
{
	EVP_DigestUpdate(h->ctx, data, len);
}

void hash_adds(struct hash *h, const char *s)
{
	hash_add(h, s, strlen(s) + 1);
}

void hash_finish(char out[HASH_HEX_LEN + 1], struct hash *h)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned len = 0;

	EVP_DigestFinal_ex(h->ctx, digest, &len);
	for (size_t i = 0; i < 2 * (size_t)len; i++)
		out[i] = digits[digest[i / 2] >> (i % 2 ? 0 : 4) & 15];
	out[2 * (size_t)len] = '\0';
	EVP_MD_CTX_free(h->ctx);
	free(h);
}
