#!/bin/sh
# test: parallel no-asan
test_description='avogit init: structures of numbers, in C'
. "$(dirname "$0")/../lib-avogit.sh"

# argument NAME KEY: its value in avogit.yaml
argument () {
	sed -n "/- name: $1\$/,/- name:/{s/^    $2: //p;}" avogit.yaml
}

test_expect_success 'structures of the kernel itself are scored as init wrote it' '
	git init -q bodies && cd bodies &&
	cat >bodies.c <<-\EOT &&
	#include <math.h>
	enum axis { AXIS_X, AXIS_Y = 2, AXES };
	typedef struct vec3 { float x, y, z; } vec3;
	typedef struct { vec3 at; float speed[AXES]; } __attribute__((aligned(4))) body;
	typedef float (*law)(float);
	typedef float real;

	static float inverse(float r) { return 1 / (r * sqrtf(r)); }

	void pull(const body *b, vec3 *out, int n, real soft)
	{
		law f = inverse;

		for (int i = 0; i < n; i++) {
			vec3 sum = {0, 0, 0};

			for (int j = 0; j < n; j++) {
				const body *o = &b[j];
				real x = o->at.x - b[i].at.x;
				real y = o->at.y - b[i].at.y + o->speed[AXIS_Y];
				real s = f(x * x + y * y + soft);

				sum.x += s * x;
				sum.y += s * y;
			}
			sum.z = b[i].speed[AXIS_X];
			out[i] = sum;
		}
	}
	EOT
	avogit init -y bodies.c >out &&
	grep "kernel as it is for what is right, in a wider type" out &&
	argument b dtype | grep "^f32  # .body. has 6 of them" &&
	test "$(argument b shape)" = "[n, 6]" &&
	test "$(argument out shape)" = "[n, 3]" &&
	test "$(argument out direction)" = out &&
	git add . && git commit -qm task &&
	avogit score >out && grep "pass, " out
'

test_expect_success 'those of a header are widened by what the compiler has of them' '
	cat >biquad.h <<-\EOT &&
	#ifndef BIQUAD_H
	#define BIQUAD_H
	typedef float sample;
	typedef struct { float b0, b1; struct { float a1, a2; } back; } taps;
	struct memory { sample z1; };
	#endif
	EOT
	cat >biquad.c <<-\EOT &&
	#include "biquad.h"
	void biquad(const taps *c, struct memory *m, const sample *in, sample *out, int n)
	{
		float z1 = m->z1;

		for (int i = 0; i < n; i++) {
			out[i] = c->b0 * in[i] + c->back.a1 * z1;
			z1 = in[i] * 1.5e-1f;
		}
		m->z1 = z1;
	}
	EOT
	avogit init -y -f biquad.c >out &&
	grep "kernel as it is for what is right, in a wider type" out &&
	grep "1.5e-1;" reference.c && test "$(grep -c 1.5e-1f reference.c)" = 1 &&
	test "$(argument c shape)" = "[4]" &&
	git add . && git commit -qm biquad &&
	avogit score >out && grep "pass, " out
'

test_expect_success 'where a wider type does not go, the kernel as it is is right' '
	cat >filter.h <<-\EOT &&
	#ifndef FILTER_H
	#define FILTER_H
	struct gains { double low, high; };
	struct mixed { int n; double x; };
	struct bits { unsigned a : 3, b : 29; };
	#endif
	EOT
	cat >filter.c <<-\EOT &&
	#include "filter.h"
	void filter(const struct gains *g, struct gains *last, const float *x, double *y, int n)
	{
		for (int i = 0; i < n; i++)
			y[i] = (g->low + g->high) * x[i];
		last->low = y[n - 1];
	}
	EOT
	avogit init -y -f filter.c >out &&
	grep "kernel as it is for what is right, in its own precision" out &&
	test "$(argument g shape)" = "[2]" &&
	# The other half stays as it was.
	test "$(argument last direction)" = inout &&
	git add . && git commit -qm filter &&
	avogit score >out && grep "pass, " out
'

test_expect_success 'vectors of so many bytes are not widened' '
	cat >vector.c <<-\EOT &&
	typedef float four __attribute__((vector_size(16)));
	void vector(const float *x, float *y, int n)
	{
		four sum = {0};

		for (int i = 0; i < n; i += 4)
			for (int k = 0; k < 4; k++)
				sum[k] += x[i + k];
		y[0] = sum[0] + sum[3];
	}
	EOT
	avogit init -y -f vector.c >out &&
	grep "in its own precision" out &&
	if echo | cc -E -dM - | grep -q "define __SSE__ "
	then
		cat >pieces.c <<-\EOT &&
		#include <immintrin.h>
		void pieces(const float *x, float *y, int n)
		{
			const __m128 *p = (const __m128 *)x;

			for (int i = 0; i < n / 4; i++)
				y[i] = p[i][0] * 3;
		}
		EOT
		avogit init -y -f pieces.c >out &&
		grep "in its own precision" out
	fi
'

test_expect_success 'what is no array of equal numbers is not taken for one' '
	cat >odd.c <<-\EOT &&
	#include "filter.h"
	/* Padding, an end that is open, nothing at all. */
	typedef struct { float x, y, z; } __attribute__((aligned(16))) wide;
	typedef struct { float gain; float taps[]; } open;
	typedef struct { float none[0]; } none;
	typedef struct { float in[2][3]; float last; } whole;
	void odd(const struct mixed *m, const struct bits *b, const wide *w,
		 const open *o, const none *z, const whole *a, double *y, int n)
	{
		for (int i = 0; i < n; i++)
			y[i] = m[i].x + b[i].a + w[i].x + o->gain + a[i].last;
	}
	EOT
	avogit init -y -f odd.c >out &&
	grep "say in it what is right" out &&
	argument m dtype | grep "GUESS: .struct mixed .. is not a type avogit knows" &&
	argument b dtype | grep "GUESS: .struct bits .. is not a type avogit knows" &&
	argument w dtype | grep "GUESS: .wide .. is not a type avogit knows" &&
	argument o dtype | grep "GUESS: .open .. is not a type avogit knows" &&
	argument z dtype | grep "GUESS: .none .. is not a type avogit knows" &&
	argument a dtype | grep "^f32  # .whole. has 7 of them"
'

test_expect_success 'what is done by the address of a part, or of all, is a guess' '
	cat >parts.c <<-\EOT &&
	#include <string.h>
	typedef struct { float m[2][3]; } six;
	typedef struct { float v[3]; } three;
	void parts(const six *in, const six *x, three *out, three *other, three *one, int n)
	{
		const float *p = (const float *)in;

		for (int i = 0; i < n; i++) {
			float *q = other[i].v;

			for (int k = 0; k < 3; k++) {
				q[k] = p[6 * i + k];
				one[i].v[k] = x[i].m[1][k];
			}
			memcpy(out[i].v, q, sizeof(float) * 3);
		}
	}
	EOT
	avogit init -y -f parts.c >out &&
	argument in shape | grep GUESS &&
	argument out direction | grep GUESS &&
	argument other direction | grep GUESS &&
	test "$(argument x shape)" = "[n, 6]" &&
	test "$(argument one shape)" = "[n, 3]" &&
	test "$(argument one direction)" = inout
'

test_expect_success 'a structure behind a reference is said by its members, and scores as init wrote it' '
	cat >resize.cpp <<-\EOT &&
	#include <cstdint>
	namespace px {
	struct area { int w, h; };
	struct image { std::uint8_t *data; area size; int stride; float gamma; short edge[2]; static int made; };
	int image::made = 0;
	void invert(const image &src, image *dst)
	{
		for (int y = 0; y < dst->stride; y++)
			for (int x = 0; x < src.stride; x++)
				dst->data[y * src.stride + x] = 255 - src.data[y * src.stride + x];
	}
	}
	EOT
	avogit init -y -f resize.cpp --entry px::invert >out &&
	grep "wrote reference.cpp: it takes the kernel as it is" out &&
	sed -n "/name: dst\$/,\$p" avogit.yaml | grep "# GUESS: a copy for each launch: numbers .* are not compared" &&
	test "$(grep -c "GUESS: a copy" avogit.yaml)" = 1 &&
	test "$(argument src_data shape)" = "[dst_stride, src_stride]" &&
	test "$(argument dst_data direction)" = out &&
	grep "^      - {name: data, tensor: src_data}" avogit.yaml &&
	grep "^      - {name: size_w, dtype: i32, value: 1}  # GUESS" avogit.yaml &&
	grep "^      - {name: stride, dtype: i32, value: dst_stride}" avogit.yaml &&
	grep "^      - {name: edge_1, dtype: i16, value: 1}  # GUESS" avogit.yaml &&
	! grep made avogit.yaml && test "$(grep -c "pointer: true" avogit.yaml)" = 2 &&
	git add . && git commit -qm invert &&
	avogit score >out && grep "pass, " out
'

test_expect_success 'its reference has the type with its namespace, so that a call takes the place of the #error' '
	sed -i "s/uint8_t \*data/uint16_t *data/; s/std::uint16_t/float/; s/255 - /1 - /" resize.cpp &&
	avogit init -y -f resize.cpp --entry px::invert >out &&
	grep "say in it what is right" out &&
	grep "invert_reference(const struct px::image \*src, struct px::image \*dst)" reference.cpp &&
	sed "s/^#error.*/px::invert_plain(*src, dst);/" reference.cpp >called.cpp &&
	c++ -fsyntax-only called.cpp &&
	# Nothing of it is in double precision.
	echo "int main(void); void flip(const void *in, unsigned *out, int n) { *out = n; }" >flip.c &&
	avogit init -y -f flip.c >out && ! grep "against: .* double" reference.c
'

test_expect_success 'a method gets its object by its members, and sizes in the same place of two structures are one' '
	cat >mix.cpp <<-\EOT &&
	#include <cstddef>
	namespace dsp {
	struct view { const short *data; std::size_t n; };
	class mixer {
	public:
		void mix(const view &a, const view &b, int *out);
	private:
		int gain_ = 1;
		std::size_t from_ = 0;
	};
	void mixer::mix(const view &a, const view &b, int *out)
	{
		for (std::size_t i = 0; i < a.n; i++)
			out[i] = gain_ * a.data[i + from_] + this->gain_ * b.data[i];
	}
	}
	EOT
	avogit init -y -f mix.cpp --entry dsp::mixer::mix >out &&
	grep "^      - {name: gain_, dtype: i32, value: 1}  # GUESS" avogit.yaml &&
	grep "^      - {name: from_, dtype: u64, value: self_from_}$" avogit.yaml &&
	grep "^      - {name: n, dtype: u64, value: a_n}  # GUESS" avogit.yaml &&
	test "$(argument a_data shape)" = "[a_n + self_from_]" &&
	test "$(argument b_data shape)" = "[a_n]" && test "$(argument out direction)" = out &&
	grep "mix_reference(dsp::mixer \*self, " reference.cpp &&
	grep "self->mix_plain([*]a, [*]b, out)" reference.cpp &&
	git add . && git commit -qm mix && avogit score >out && grep "pass, " out &&
	cp mix.cpp mix.hpp && avogit init -y -f mix.hpp >out &&
	grep "self->mix(a, b, out)" shim.cpp && ! grep "does not compile" out
'

test_expect_success 'a method has the loops of its own class, and rows of numbers are not said by members' '
	cat >sample.cpp <<-\EOT &&
	struct scale { int g; void run(const short *x, short *y, int n); };
	void scale::run(const short *x, short *y, int n)
	{
		for (int i = 0; i < n; i++)
			y[i] = x[i] * g;
	}
	struct decimate { int k; void run(const short *x, short *y, int n); };
	void decimate::run(const short *x, short *y, int n)
	{
		for (int i = 0; i < n / 2; i++)
			y[i] = x[2 * i] * k;
	}
	EOT
	avogit init -y -f sample.cpp --entry decimate::run >out &&
	test "$(argument y shape)" = "[(n / 2)]" &&
	cat >rows.c <<-\EOT &&
	struct rows { float (*row)[4]; int n; };
	void rows(const struct rows *r, float *y)
	{
		for (int i = 0; i < r->n; i++)
			y[i] = r->row[i][1];
	}
	EOT
	avogit init -y -f rows.c >out &&
	argument r dtype | grep "GUESS: .struct rows .. is not a type avogit knows"
'

test_expect_success 'what no struct of a task can be stays a guess: an array of them, bits, a base, padding of their own' '
	cat >others.cpp <<-\EOT &&
	struct base { int n; };
	struct derived : base { const float *x; };
	struct bits { unsigned a : 3, b : 29; };
	struct aligned { int n; alignas(16) int m; };
	struct point { int n; double x; };
	void others(const derived *d, const bits *b, const aligned *g, const point *p, const point *one, float *y, int n)
	{
		if (one != nullptr)
			for (int i = 0; i < n; i++)
				y[i] = p[i].x + one->x + b->a + g->m;
	}
	EOT
	avogit init -y -f others.cpp >out &&
	for name in d b g p
	do
		argument $name dtype | grep "GUESS: .struct [a-z]* .. is not a type avogit knows" || return 1
	done &&
	grep "^      - {name: x, dtype: f64, value: 1.0}  # GUESS" avogit.yaml &&
	test "$(grep -c "pointer: true" avogit.yaml)" = 1
'

test_expect_success 'a pointer that the task cannot fill is named where the reference crashes' '
	cat >pick.c <<-\EOT &&
	struct rows { int **row; int n; };
	void pick(const struct rows *r, int *y)
	{
		for (int i = 0; i < r->n; i++)
			y[i] = r->row[i][0];
	}
	EOT
	avogit init -y -f pick.c >out &&
	grep "{name: row, dtype: u64, value: 0}  # GUESS: a null pointer, for .int [*][*]." avogit.yaml &&
	git add . && git commit -qm pick &&
	test_expect_code 128 avogit score 2>err &&
	grep "the reference (pick_reference) crashed: Segmentation fault; is .row. of .r. a pointer? The task has 0 there$" err
'

test_expect_success 'methods of a class that a header declares are found beside its constructor, which is no entry' '
	mkdir eq && cat >eq/eq.hpp <<-\EOT &&
	namespace dsp {
	struct state { const float *gain; int n; };
	class eq {
	public:
		eq(int n);
		eq(const float *gain, int n);
		~eq();
		void process(const float *in, float *out, int frames);
	private:
		state s_;
	};
	template <class T> class view { public: view(int n); void each(T *x, int n); T by; };
	void twice(const float *x, float *y, int n);
	}
	EOT
	cat >eq/eq.cpp <<-\EOT &&
	#include "eq.hpp"
	namespace dsp {
	eq::eq(int n) { s_.n = n; }
	eq::eq(const float *gain, int n) : eq(n) { s_.gain = gain; }
	eq::~eq() { s_.n = 0; }
	void eq::process(const float *in, float *out, int frames)
	{
		for (int i = 0; i < frames; i++)
			out[i] = in[i] * s_.gain[i];
	}
	}
	EOT
	avogit init -y -f eq/eq.cpp >out && grep "it makes an object of what dsp::eq::process uses" out &&
	avogit init -y -f eq/eq.cpp --entry process >out && grep "^entry: process_entry$" avogit.yaml &&
	test "$(argument s__gain shape)" = "[frames]" &&
	for entry in eq dsp::eq::eq "dsp::eq::eq(int)"
	do
		test_expect_code 2 avogit init -y -f eq/eq.cpp --entry "$entry" 2>err &&
		grep "eq.cpp: $entry is a constructor, not a kernel; it has dsp::eq::process$" err || return 1
	done &&
	test_expect_code 2 avogit init -y -f eq/eq.cpp --entry eq::~eq 2>err && grep "is a destructor, not a kernel" err &&
	cat >>eq/eq.cpp <<-\EOT &&
	void dsp::twice(const float *x, float *y, int n) { for (int i = 0; i < n; i++) y[i] = 2 * x[i]; }
	template <class T> dsp::view<T>::view(int n) { by = n; }
	template <class T> void dsp::view<T>::each(T *x, int n) { for (int i = 0; i < n; i++) x[i] = by; }
	template class dsp::view<float>;
	EOT
	test_expect_code 2 avogit init -y -f eq/eq.cpp 2>err &&
	grep "choose one by --entry (dsp::eq::process, dsp::twice, .dsp::view<float>::each.)$" err &&
	avogit init -y -f eq/eq.cpp --entry each >out && grep "an object of what dsp::view<float>::each uses" out &&
	echo "namespace dsp { eq::eq(int n) { s_.n = n; } }" | sed "1i #include \"eq.hpp\"" >eq/only.cpp &&
	test_must_fail avogit init -y -f eq/only.cpp 2>err && grep "dsp::eq::eq is a constructor, not a kernel" err
'

test_expect_success 'functions of the standard library are no candidates' '
	cat >eq/all.hpp <<-\EOT &&
	#include <algorithm>
	#include <vector>
	inline void zero(std::vector<float> &x) { std::fill(x.begin(), x.end(), 0.f); }
	void clear(float *x, int n) { std::fill(x, x + n, 0.f); }
	void clear_all(std::vector<float> &x, int n) { zero(x); clear(x.data(), n); }
	EOT
	echo "#include \"all.hpp\"" >eq/all.cpp &&
	test_expect_code 2 avogit init -y -f eq/all.cpp 2>err &&
	grep "choose one by --entry (zero, clear, clear_all)$" err &&
	test_must_fail avogit init -y -f eq/all.cpp --entry nothing 2>err && ! grep -e std:: -e __ err
'

test_done
