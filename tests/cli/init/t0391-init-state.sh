#!/bin/sh
# test: parallel no-asan long
test_description='avogit init: the state of a function in C is varied, and compared after the call'
. "$(dirname "$0")/../lib-avogit.sh"

# argument NAME KEY: its value in avogit.yaml
argument () {
	sed -n "/- name: $1\$/,/- name:/{s/^    $2: //p;}" avogit.yaml
}

# wrong FILE SCRIPT PATTERN: with the sed script the kernel is wrong so
wrong () {
	cp "$1" right.txt && sed -i "$2" "$1" && ! cmp -s "$1" right.txt &&
	git commit -qam wrong && { avogit score >wrong.txt || :; } &&
	{ grep "wrong: .*$3" wrong.txt || { cat wrong.txt; false; }; } &&
	cp right.txt "$1" && git commit -qam right
}

test_expect_success 'a state of several types is varied within what the source compares it with, and scored as init wrote it' '
	git init -q b64 && cd b64 &&
	cat >b64.h <<-\EOT &&
	#include <stddef.h>
	struct b64 {
		unsigned held;
		int column;
		unsigned char keep[4];
		struct { unsigned long carry; } part;
		unsigned long long total;
		int unused;
		void (*log)(const char *);
	};
	size_t b64_encode(struct b64 *st, const unsigned char *src, size_t len, char *out);
	EOT
	cat >b64.c <<-\EOT &&
	#include "b64.h"
	#define WIDTH 76
	static const char digits[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	size_t b64_encode(struct b64 *st, const unsigned char *src, size_t len, char *out)
	{
		size_t o = 0;

		for (size_t i = 0; i < len; i++) {
			st->keep[st->held++] = src[i];
			if (st->held < 3)
				continue;
			st->part.carry = (unsigned long)st->keep[0] << 16 | st->keep[1] << 8 | st->keep[2];
			out[o++] = digits[st->part.carry >> 18 & 63];
			out[o++] = digits[st->part.carry >> 12 & 63];
			out[o++] = digits[st->part.carry >> 6 & 63];
			out[o++] = digits[st->part.carry & 63];
			st->held = 0;
			st->column += 4;
			if (st->column >= WIDTH) {
				out[o++] = 10;
				st->column = 0;
			}
		}
		st->total += len;
		return o;
	}
	EOT
	avogit init -y b64.c >out && grep "wrote shim.c: it makes the state that b64_encode uses, and calls it" out &&
	argument st_held fill | grep "^{low: 0, high: 2}  # GUESS" &&
	argument st_column fill | grep "^{low: 0, high: 75}  # GUESS" &&
	test "$(argument st_held direction)" = inout && test "$(argument st_keep shape)" = "[4]" &&
	test "$(argument st_part_carry direction)" = out &&
	argument out direction | grep "^inout  # GUESS" &&
	! grep "unused\|log" avogit.yaml &&
	git add . && git commit -qm task && avogit score >out && grep "pass, " out &&
	grep "^$(grep -c "# GUESS" avogit.yaml) lines of avogit.yaml are still marked GUESS: " out &&
	avogit score --json >json && ! grep -q "still marked" json &&
	sed -i "s/# GUESS.*//" avogit.yaml && git commit -qam looked && avogit score >out && grep "pass, " out && ! grep GUESS out
'

test_expect_success 'a kernel that forgets its state, or is wrong for some, is wrong' '
	wrong b64.c "s/size_t o = 0;/& struct b64 mine = *st; st = \&mine;/" "st_" &&
	wrong b64.c "s/size_t o = 0;/& st->held \&= 1;/" "" &&
	wrong b64.c "s/st->total += len;//" "st_total" &&
	wrong b64.c "s/size_t o = 0;/& st->column = 0;/" ""
'

test_expect_success 'arrays of a context, a part of which another function gets, are arguments' '
	cat >hash.c <<-\EOT &&
	#include <stdint.h>
	#include <string.h>
	struct hash { uint32_t h[4]; uint64_t bytes; uint8_t block[64]; unsigned fill; };
	static uint32_t rotl(uint32_t x, int k) { return x << k | x >> (32 - k); }
	static void mix(uint32_t *h, const uint8_t *b)
	{
		for (int i = 0; i < 64; i += 4) {
			uint32_t w = b[i] | b[i + 1] << 8 | b[i + 2] << 16 | (uint32_t)b[i + 3] << 24;

			h[0] = rotl(h[0] ^ w, 5) * 0x9e3779b1u;
			h[1] += h[0];
			h[2] = rotl(h[2] ^ h[1], 11);
			h[3] += h[2] * 5;
		}
	}
	void hash_update(struct hash *c, const void *in, size_t n)
	{
		const uint8_t *data = in;

		c->bytes += n;
		if (c->fill) {
			size_t take = sizeof(c->block) - c->fill;

			if (take > n)
				take = n;
			memcpy(c->block + c->fill, data, take);
			c->fill += take;
			data += take;
			n -= take;
			if (c->fill == sizeof(c->block)) {
				mix(c->h, c->block);
				c->fill = 0;
			}
		}
		for (; n >= 64; n -= 64, data += 64)
			mix(c->h, data);
		if (n) {
			memcpy(c->block, data, n);
			c->fill = n;
		}
	}
	EOT
	avogit init -y -f hash.c --entry hash_update >out &&
	test "$(argument in dtype)" = u8 && ! grep "#error" reference.c &&
	argument c_fill fill | grep "^{low: 0, high: 63}" &&
	argument c_h fill | grep "^{low: 0, high: 4294967295}" &&
	test "$(argument c_block direction)" = inout && test "$(argument c_block shape)" = "[64]" &&
	git add . && git commit -qm hash && avogit score >out && grep "pass, " out &&
	wrong hash.c "s/c->fill = n;/c->fill = n \& 31;/" "c_" &&
	wrong hash.c "s/memcpy(c->block, data, n);//" "c_block" &&
	grep "\"State that means nothing\", has the line" avogit.yaml &&
	wrong hash.c "\$s/.*/	memset(c->block + c->fill, 0, sizeof c->block - c->fill);\n}/" "c_block"
'

test_expect_success 'what means nothing between calls is freed by a line in shim and reference' '
	sed -i "s/^.*memcpy(c_block, .*/	__builtin_memset(shim_c.block + shim_c.fill, 0, sizeof shim_c.block - shim_c.fill);\n&/" shim.c reference.c &&
	test "$(grep -c "memset(shim_c.block" shim.c reference.c | paste -sd " ")" = "shim.c:1 reference.c:1" &&
	sed -i "\$s/.*/	memset(c->block + c->fill, 9, sizeof c->block - c->fill);\n}/" hash.c && git commit -qam freed &&
	avogit score >out && grep "pass, " out &&
	wrong hash.c "s/memcpy(c->block, data, n);//" "c_block"
'

# form SCRIPT: with it the number of bytes that are held is 0 to 15, and no size
form () {
	sed "$1" block.c >form.c && ! cmp -s form.c block.c && avogit init -y -f form.c --entry sum_update >out &&
	argument s_held fill | grep "^{low: 0, high: 15}  # GUESS" && grep "^hidden: {count: 3, len: 1[.][.]" avogit.yaml
}

test_expect_success 'bytes that are held in a block are as many as fit, in whatever form the source says so' '
	cat >block.c <<-\EOT &&
	#include <assert.h>
	#include <stddef.h>
	#include <stdint.h>
	#include <string.h>
	struct sum { uint32_t v[4]; uint64_t total; uint8_t block[16]; uint32_t held; };
	static void stripe(uint32_t *v, const uint8_t *p)
	{
		for (int i = 0; i < 4; i++)
			v[i] = (v[i] ^ (p[4 * i] | (uint32_t)p[4 * i + 1] << 8 | (uint32_t)p[4 * i + 2] << 16 |
				(uint32_t)p[4 * i + 3] << 24)) * 2654435761u;
	}
	void sum_update(struct sum *s, const uint8_t *data, size_t len)
	{
		s->total += len;
		if (s->held + len < 16) {
			memcpy(s->block + s->held, data, len);
			s->held += (uint32_t)len;
			return;
		}
		if (s->held) {
			size_t n = 16 - s->held;

			memcpy(s->block + s->held, data, n);
			stripe(s->v, s->block);
			data += n;
			len -= n;
			s->held = 0;
		}
		while (len >= 16) {
			stripe(s->v, data);
			data += 16;
			len -= 16;
		}
		memcpy(s->block, data, len);
		s->held = (uint32_t)len;
	}
	uint32_t sum_final(const struct sum *s)
	{
		uint32_t h = s->total >= 16 ? s->v[0] ^ s->v[1] ^ s->v[2] ^ s->v[3] : s->v[2] + 374761393u;
		uint32_t i = 0;

		for (; i + 4 <= s->held; i += 4)
			h = (h ^ s->block[i] ^ (uint32_t)s->block[i + 3] << 24) * 3266489917u;
		for (; i < s->held; i++)
			h = (h + s->block[i]) * 668265263u;
		return h ^ (uint32_t)s->total;
	}
	EOT
	form "s/memcpy(s->block + s->held, data, \(.*\));/for (size_t i = 0; i < \1; i++) s->block[s->held + i] = data[i];/" &&
	form "s/ 16\( - s->held;\)/ sizeof s->block\1/; s/ < 16/ < sizeof(s->block)/" &&
	form "s/size_t n = 16 - s->held/unsigned held = s->held \& 15; size_t n = 16 - held/" &&
	form "s/s->total += len;/& unsigned held = s->held; assert(held < 16);/; s/+ s->held,/+ held,/" &&
	form "s/s->total += len;/& if (s->held >= 16) return;/" &&
	form "s/s->total += len;/& unsigned held = s->held \& 15;/; s/if (s->held/if (held/; s/+ s->held,/+ held,/; s/- s->held/- held/; s/held += /held = held + /" &&
	avogit init -y -f block.c --entry sum_update >out && argument s_held fill | grep "^{low: 0, high: 15}" &&
	git add . && git commit -qm block && avogit score >out && grep "pass, " out &&
	wrong block.c "s/memcpy(s->block + s->held, data, len);//" "s_block"
'

test_expect_success 'a state that is only read, with arrays, is made by a shim, and is varied' '
	avogit init -y -f block.c --entry sum_final >out && grep "wrote shim.c: it makes the state that sum_final uses" out &&
	argument s_held fill | grep "^{low: 0, high: 1[56]}  # GUESS" && test "$(argument s_block direction)" = in &&
	argument s_total fill | grep "^{low: 0, high: [23][0-9]}  # GUESS" && ! grep needs out &&
	git add . && git commit -qm final && avogit score >out && grep "pass, " out &&
	wrong block.c "s/s->total >= 16/s->total >= 17/" "returned" &&
	wrong block.c "s/i + 4 <= s->held/i + 4 < s->held/" "returned"
'

test_expect_success 'an array of structures in a state is one array of their numbers, where these are of one type' '
	cat >iir.c <<-\EOT &&
	struct biquad { float b0, b1, b2, a1, a2, z1, z2; };
	struct bank { int stages; struct biquad s[8]; };
	void iir(struct bank *f, const float *in, float *out, int n)
	{
		for (int i = 0; i < n; i++) {
			float x = in[i];

			for (int k = 0; k < f->stages; k++) {
				struct biquad *q = &f->s[k];
				float y = q->b0 * x + q->z1;

				q->z1 = q->b1 * x - q->a1 * y + q->z2;
				q->z2 = q->b2 * x - q->a2 * y;
				x = y;
			}
			out[i] = x;
		}
	}
	EOT
	avogit init -y -f iir.c >out && test "$(argument f_s shape) $(argument f_s direction)" = "[8, 7] inout" &&
	argument f_stages fill | grep "^{low: 0, high: 8}" &&
	git add . && git commit -qm iir && avogit score >out && grep "pass, " out &&
	wrong iir.c "s/+ q->z2;/;/" "" &&
	sed -i "s/float b0/char on; &/" iir.c && avogit init -y -f iir.c >out &&
	argument f dtype | grep "GUESS: .struct bank .. has .s., a .struct biquad .8.., which the function uses: docs/task.md, .A state by hand."
'

test_expect_success 'numbers that are only read are varied, a mode by the cases that it has, floats with the rest' '
	cat >resamp.c <<-\EOT &&
	#include <stddef.h>
	#define TAPS 8
	enum mode { NEAREST, FIR, MUTE };
	typedef struct {
		float taps[TAPS], history[TAPS];
		int pos;
		float gain;
		unsigned phase, step;
		enum mode mode;
	} resampler;
	size_t resample(resampler *r, const float *in, size_t n, float *out)
	{
		size_t made = 0;

		for (size_t i = 0; i < n; i++) {
			float sum = 0;

			r->history[r->pos] = in[i];
			r->pos = (r->pos + 1) % TAPS;
			r->phase += r->step;
			if (r->phase < 0x10000)
				continue;
			r->phase &= 0xffff;
			switch (r->mode) {
			case NEAREST:
				sum = in[i];
				break;
			case FIR:
				for (int k = 0; k < TAPS; k++)
					sum += r->taps[k] * r->history[(r->pos + k) % TAPS];
				break;
			default:
				break;
			}
			out[made++] = sum * r->gain;
		}
		return made;
	}
	EOT
	avogit init -y -f resamp.c >out &&
	argument r_pos fill | grep "^{low: 0, high: 7}" &&
	argument r_phase fill | grep "^{low: 0, high: 65535}" &&
	argument r_mode fill | grep "^{low: 0, high: 2}" && test "$(argument r_mode direction)" = in &&
	test "$(argument r_taps direction)" = in && test "$(argument r_history direction)" = inout &&
	git add . && git commit -qm resamp && avogit score >out && grep "pass, " out &&
	wrong resamp.c "s/float sum = 0;/& r->mode = r->mode == NEAREST;/" "" &&
	wrong resamp.c "s/out.made++. = .*/out[made] = sum * r->gain; made += r->pos != 5;/" "" &&
	wrong resamp.c "s/size_t made = 0;/& int pos = 0;/; s/r->pos/pos/g" ""
'

test_expect_success 'where a ring goes on is state within the ring, and no size, in a class and in C' '
	cat >ring.hpp <<-\EOT &&
	#include <cstddef>
	#include <vector>
	class ring_fir {
	public:
		ring_fir(std::vector<float> taps);
		void process(const float *in, float *out, std::size_t n);
	private:
		std::vector<float> taps_, ring_;
		std::size_t pos_;
	};
	EOT
	cat >ring.cpp <<-\EOT &&
	#include "ring.hpp"
	void ring_fir::process(const float *in, float *out, std::size_t n)
	{
		const std::size_t m = taps_.size();

		for (std::size_t i = 0; i < n; i++) {
			float sum = 0;
			std::size_t p = pos_;

			ring_[pos_] = in[i];
			for (std::size_t t = 0; t < m; t++) {
				sum += taps_[t] * ring_[p];
				p = p == 0 ? m - 1 : p - 1;
			}
			out[i] = sum;
			pos_ = pos_ + 1 == m ? 0 : pos_ + 1;
		}
	}
	EOT
	avogit init -y -f ring.cpp >out &&
	test "$(argument ring_ shape) $(argument n_ring value)" = "[n_taps] n_taps" &&
	argument ring_ direction | grep "^inout" &&
	argument pos_ fill | grep "^{low: 0, high: n_taps - 1}" && test "$(argument pos_ direction)" = inout &&
	sed -i "s/^hidden: .*/hidden: {count: 2, n_taps: 1..40, n: 1..40}/" avogit.yaml &&
	git add . && git commit -qm ring && avogit score >out && grep "pass, " out &&
	wrong ring.cpp "s/ : pos_ + 1;/ : (i + 1 == n ? 0 : pos_ + 1);/" "pos_" &&
	cat >ring.c <<-\EOT &&
	#include <stddef.h>
	struct fir { float *taps, *ring; size_t n, pos; };
	void fir(struct fir *s, const float *in, float *out, size_t n)
	{
		for (size_t i = 0; i < n; i++) {
			float sum = 0;

			s->ring[s->pos] = in[i];
			for (size_t t = 0; t < s->n; t++)
				sum += s->taps[t] * s->ring[t];
			out[i] = sum;
			if (++s->pos == s->n) s->pos = 0;
		}
	}
	EOT
	for wrap in "s->pos = s->pos + 1 == s->n ? 0 : s->pos + 1" "s->pos = (s->pos + 1) % s->n" "if (++s->pos >= s->n) s->pos = 0"
	do
		sed "s/if (++s.*;/$wrap;/" ring.c >form.c && avogit init -y -f form.c >out &&
		test "$(argument s_ring shape) $(argument s_pos shape)" = "[s_n] [1]" &&
		argument s_pos fill | grep "^{low: 0, high: s_n - 1}" || return 1
	done &&
	sed "s/if (++s.*;/s->pos = (s->pos + 1) \& (s->n - 1);/" ring.c >form.c && avogit init -y -f form.c >out &&
	argument s_ring shape | grep "^.1024" && argument s_pos fill | grep "^{low: 0, high: 1023}" &&
	argument s_n fill | grep "^{low: 1024, high: 1024}"
'

test_expect_success 'a state whose members are all of one type is varied and compared by its members, an array of such is not' '
	git init -q ../equal && cd ../equal &&
	cat >equal.c <<-\EOT &&
	#include <stdint.h>
	struct equal { uint32_t level, sum; };
	static void step(struct equal *l, uint32_t x)
	{
		l->sum += x;
		if (++l->level == 5)
			l->level = 0;
	}
	void equal(struct equal *s, const uint8_t *in, uint8_t *out, int n)
	{
		for (int i = 0; i < n; i++) {
			step(s, in[i]);
			out[i] = (uint8_t)(in[i] + s->level);
		}
	}
	EOT
	avogit init -y -f equal.c >out &&
	argument s_level fill | grep "^{low: 0, high: 4}  # GUESS: what it is between calls" &&
	test "$(argument s_level direction) $(argument s_sum direction)" = "inout inout" &&
	sed -i "s/^hidden: .*/hidden: {count: 2, n: 1..40}/" avogit.yaml &&
	git add . && git commit -qm equal && avogit score >out && grep "pass, " out &&
	wrong equal.c "s/l->sum += x/l->sum += x \& 127/" "s_sum\[0\]" &&
	wrong equal.c "s/++l->level == 5/l->level++ == 4 \&\& x != 255/" "s_level" &&
	for form in "l[0].sum += x" "struct equal *p = l; p->sum += x" "(l + 1)->sum += x" "l++->sum += x" "other(l)"
	do
		sed "s/l->sum += x;/$form;/" equal.c >form.c && avogit init -y -f form.c >out &&
		argument s dtype | grep "^u32  # .struct equal. has 2 of them" &&
		test -z "$(argument s_level dtype)" || return 1
	done &&
	cat >points.c <<-\EOT &&
	struct point { int x, y; };
	void points(struct point *p, int n)
	{
		for (int i = 0; i < n; i++)
			p[i].x += p[i].y;
	}
	EOT
	avogit init -y -f points.c >out && test "$(argument p shape)" = "[n, 2]" &&
	cat >range.c <<-\EOT &&
	struct range { int min, max; };
	void range(const int *x, int n, struct range *r)
	{
		r->min = r->max = x[0];
		for (int i = 1; i < n; i++) {
			r->min = x[i] < r->min ? x[i] : r->min;
			r->max = x[i] > r->max ? x[i] : r->max;
		}
	}
	EOT
	avogit init -y -f range.c >out &&
	test "$(argument r_min direction) $(argument r_max direction)" = "out out"
'

test_done
