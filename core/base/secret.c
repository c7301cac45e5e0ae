#include "core/base/secret.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "core/base/random.h"

/* ---- a stream ------------------------------------------------------------- */

struct refill {
	struct chacha_key next;
	uint64_t draw[KEYED_DRAWS];
};

/* The first words are the next key, the others are drawn. */
static void refill(struct keyed_stream *s)
{
	static const unsigned char start[16] = {0};
	const struct refill zeros = {0};
	struct refill out;
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	int n = 0;

	if (!ctx ||
	    !EVP_EncryptInit_ex(ctx, EVP_chacha20(), NULL,
				(const unsigned char *)s->key.word, start) ||
	    !EVP_EncryptUpdate(ctx, (unsigned char *)&out, &n,
			       (const unsigned char *)&zeros, sizeof zeros) ||
	    n != sizeof out)
		abort(); /* no memory, or no ChaCha20 in this OpenSSL */
	EVP_CIPHER_CTX_free(ctx);
	s->key = out.next;
	memcpy(s->draw, out.draw, sizeof s->draw);
	s->left = KEYED_DRAWS;
	OPENSSL_cleanse(&out, sizeof out);
}

static uint64_t draw(struct keyed_stream *s)
{
	uint64_t x;

	if (!s->left)
		refill(s);
	x = s->draw[--s->left];
	s->draw[s->left] = 0;
	return x;
}

static uint64_t draw_below(struct keyed_stream *s, uint64_t n)
{
	uint64_t reject = -n % n, x;

	do
		x = draw(s);
	while (x < reject);
	return x % n;
}

static void shuffle(struct keyed_stream *s, size_t *index, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = (size_t)draw_below(s, i), t = index[i - 1];

		index[i - 1] = index[j];
		index[j] = t;
	}
}

/* ---- beginning ------------------------------------------------------------- */

static void begin(struct keyed_stream *s)
{
	*s = (struct keyed_stream){.left = 0};
	random_bytes(&s->key, sizeof s->key);
}

static void begin_again(struct keyed_stream *s, uint64_t seed, uint32_t type)
{
	*s = (struct keyed_stream){
		.key = {{(uint32_t)seed, (uint32_t)(seed >> 32), type}}};
}

void secret_random_init(struct secret_random *r)
{
	begin(&r->of_secrets);
}

void layout_random_init(struct layout_random *r)
{
	begin(&r->of_layout);
}

void secret_random_repeat(struct secret_random *r, uint64_t seed)
{
	begin_again(&r->of_secrets, seed, 1);
}

void layout_random_repeat(struct layout_random *r, uint64_t seed)
{
	begin_again(&r->of_layout, seed, 2);
}

/* ---- drawing ---------------------------------------------------------------- */

uint64_t secret_u64(struct secret_random *r)
{
	return draw(&r->of_secrets);
}

uint64_t secret_below(struct secret_random *r, uint64_t n)
{
	return draw_below(&r->of_secrets, n);
}

void secret_key(struct chacha_key *out, struct secret_random *r)
{
	for (size_t i = 0; i < KEY_WORDS; i += 2) {
		uint64_t x = draw(&r->of_secrets);

		out->word[i] = (uint32_t)x;
		out->word[i + 1] = (uint32_t)(x >> 32);
	}
}

void secret_shuffle(struct secret_random *r, size_t *index, size_t n)
{
	shuffle(&r->of_secrets, index, n);
}

uint64_t layout_below(struct layout_random *r, uint64_t n)
{
	return draw_below(&r->of_layout, n);
}

void layout_shuffle(struct layout_random *r, size_t *index, size_t n)
{
	shuffle(&r->of_layout, index, n);
}
