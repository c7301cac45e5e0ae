#!/bin/sh
# test: parallel no-asan
test_description='avogit init --reference: the reference again, for the shapes that the task has'
. "$(dirname "$0")/../lib-avogit.sh"

# shape NAME SHAPE DIRECTION: of the argument in avogit.yaml
argument () {
	sed -i "/- name: $1\$/,/direction:/{s/shape: .*/shape: $2/;s/direction: .*/direction: $3/;}" avogit.yaml
}

test_expect_success 'a reference for shapes that the task has no longer is told so, with the remedy' '
	git init -q repo && cd repo &&
	cat >first.c <<-\EOT &&
	/* The first eight that are numbers. */
	void first(const float *x, int n, float *y)
	{
		int k = 0;

		for (int i = 0; i < n; i++)
			if (x[i] == x[i] && k < 8)
				y[k++] = x[i];
	}
	EOT
	avogit init -y first.c >out &&
	grep "kernel as it is for what is right, in a wider type" out &&
	grep "^ \*   inout y \[n\]" reference.c &&
	argument y "[8]" out && sed -i "s/n: 1\.\./n: 900../" avogit.yaml &&
	git add . && git commit -qm task &&
	test_expect_code 128 avogit score 2>err &&
	grep "the reference (first_reference) crashed: .*; is each array as long as .* GUESS; these are lines [0-9, ]* of avogit.yaml; the reference was made for arrays of other shapes or directions than avogit.yaml has now: .avogit init --reference first.c --entry first. makes it again" err &&
	line=$(sed "s/.*these are lines \([0-9]*\).*/\1/" err) && sed -n "${line}p" avogit.yaml | grep GUESS
'

test_expect_success 'init --reference writes that file alone, and it scores' '
	cp avogit.yaml before &&
	avogit init --reference first.c >out &&
	grep "wrote reference.c: it takes the kernel" out &&
	! grep "wrote avogit.yaml" out && grep "git add reference.c$" out &&
	test_cmp before avogit.yaml && rm before &&
	grep "^ \*   out y \[8\]" reference.c &&
	avogit init --reference first.c &&
	git commit -qam again && avogit score >out && grep "pass, " out
'

test_expect_success 'what init wrote is written again, and what a hand did to it kept unless it is committed' '
	echo "/* mine */" >>reference.c &&
	test_expect_code 128 avogit init --reference first.c 2>err &&
	grep "reference.c is not as init wrote it, and not committed: --force" err &&
	grep mine reference.c &&
	avogit init --force --reference first.c >out && ! grep mine reference.c &&
	sed -i "s/reference.c/right.c/" avogit.yaml &&
	test_expect_code 128 avogit init --reference first.c 2>err &&
	grep "the reference of avogit.yaml is not reference.c" err &&
	rm avogit.yaml &&
	test_expect_code 128 avogit init --reference first.c 2>err &&
	grep "there is no avogit.yaml" err && git reset -q --hard
'

test_expect_success 'symbols are the arguments that have them as value, and strides count' '
	cat >rows.c <<-\EOT &&
	void rows(const float *x, long count, long ld, float *y)
	{
		for (long i = 0; i < count; i++)
			y[i] = x[i] + ld;
	}
	EOT
	avogit init -f -y rows.c >out &&
	argument x "[n, 4]\n    strides: [ld, 1]" in && argument y "[n, 4]\n    strides: [ld, 1]" inout &&
	sed -i "s/value: 1  # GUESS/value: ld/; s/- {n: /- {ld: 8, n: /; s/^hidden:.*/hidden: {count: 2, ld: 4..9, n: 8..99}/" avogit.yaml &&
	avogit init -f --reference rows.c >out &&
	grep "wide_memory((size_t)(1 + ((count) - 1) \* (ld) + ((4) - 1) \* (1)))" reference.c &&
	git add . && git commit -qm rows &&
	argument y "[n, m]" out && sed -i "s/{ld: 8/{m: 3, ld: 8/; s/ld: 4\.\./m: 1..3, ld: 4../" avogit.yaml &&
	avogit init --reference rows.c >out &&
	grep "wrote reference.c: say in it what is right" out
'

test_expect_success 'a sum in two parts is right where the reference is the method in its own precision, one that leaves a turn out wrong' '
	git init -q method && cd method &&
	cat >meter.hpp <<-\EOT &&
	#include <vector>
	struct meter {
		void run(const float *block, int frames);
	private:
		std::vector<float> level_, gain_;
		float decay_ = 0.9f;
	};
	EOT
	cat >meter.cpp <<-\EOT &&
	#include "meter.hpp"
	void meter::run(const float *block, int frames)
	{
		const int channels = int(level_.size());

		for (int c = 0; c < channels; c++) {
			float e = 0, odd = 0;

			for (int f = 0; f < frames; f++) {
				float v = block[f * channels + c] * gain_[c];
				e += v * v;
			}
			level_[c] = decay_ * level_[c] + (1 - decay_) * (e + odd) / float(frames);
		}
	}
	EOT
	avogit init -y meter.cpp >out &&
	grep "in its own precision, rounded up and down" out &&
	grep "value: 0.9  # GUESS" avogit.yaml &&
	sed -i "s/{n_level: 1024, frames: 1024}/{n_level: 4, frames: 4096}/;s/{n_level: 256, frames: 256}/{n_level: 2, frames: 2048}/" avogit.yaml &&
	git add . && git commit -qm task && cp meter.cpp start.cpp &&
	sed -i "s/e += v \* v/(f % 2 ? odd : e) += v * v/" meter.cpp &&
	! cmp start.cpp meter.cpp && avogit score >out && grep "  pass, " out &&
	sed "s/f < frames; /f < frames - 1; /" start.cpp >meter.cpp &&
	test_expect_code 1 avogit score >out && grep "  wrong: " out
'

test_expect_success 'what is right is rounded where structures of integers are written, too, in C and C++' '
	git init -q ../rgb && cd ../rgb &&
	cat >blend.cpp <<-\EOT &&
	struct Rgb { unsigned char r, g, b; };
	float blend(int n, const Rgb *a, Rgb *out)
	{
		float most = 0;

		for (int i = 0; i < n; i++) {
			out[i].r = a[i].r / 2;
			out[i].g = a[i].g;
			out[i].b = a[i].b;
			most += a[i].g * 0.1f;
		}
		return most;
	}
	EOT
	cat >mix.c <<-\EOT &&
	struct rgb { unsigned char r, g, b; };
	void mix(int n, const double *w, const float *x, struct rgb *out, float *y)
	{
		for (int i = 0; i < n; i++) {
			out[i].r += 3;
			y[i] = (float)w[i] * x[i] + out[i].g;
		}
	}
	EOT
	for kernel in blend.cpp mix.c
	do
		avogit init -y -f $kernel >out &&
		grep "in its own precision, rounded up and down" out &&
		grep "out\[same_i\] = same_out\[0\]\[same_i\]" reference.${kernel#*.} || return 1
	done &&
	avogit init -y -f blend.cpp >out && argument out "[n, 3]" out &&
	sed -i "s/- {n: [0-9]*}/- {n: 4096}/;/n: 4096/{n;d;}" avogit.yaml &&
	git add . && git commit -qm task && avogit score >out && grep "  pass, " out
'

test_done
