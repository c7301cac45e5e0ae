#!/bin/sh
# test: parallel no-asan
test_description='avogit init: numbers that are one of a few values, and results that say whether sizes are right'
. "$(dirname "$0")/../lib-avogit.sh"

# argument NAME KEY: its value in avogit.yaml
argument () {
	sed -n "/- name: $1\$/,/- name:/{s/^    $2: //p;}" avogit.yaml
}

test_expect_success 'what `switch` chooses by is each of its cases' '
	git init -q sub && cd sub &&
	cat >sub.c <<-\EOT &&
	#include <stddef.h>
	void sub(unsigned char *row, size_t rowbytes, int bpp)
	{
		switch (bpp) {
		case 1:
			for (size_t i = 1; i < rowbytes; i++)
				row[i] += row[i - 1];
			break;
		case 3:
			for (size_t i = 3; i < rowbytes; i++)
				row[i] += row[i - 3];
			break;
		case 4:
			for (size_t i = 4; i < rowbytes; i++)
				row[i] += row[i - 4];
			break;
		}
	}
	EOT
	avogit init -y sub.c >out &&
	test "$(argument bpp value)" = bpp &&
	grep "^  - {rowbytes: 1048576, bpp: 4}" avogit.yaml &&
	grep "^  - {rowbytes: 65536, bpp: 3}" avogit.yaml &&
	grep "^  - {rowbytes: 65536, bpp: 1}" avogit.yaml &&
	grep "^hidden: {.* bpp: 1[.][.]4, require: \"(bpp == 1 || bpp == 3 || bpp == 4)\"}  # GUESS" avogit.yaml &&
	git add . && git commit -qm task &&
	avogit score >out && grep "pass, " out &&
	# Of the value that is in no large case.
	sed -i "s/row\[i\] += row\[i - 1\]/row[i] += row[i - 1] + (i == 77)/" sub.c && git commit -qam wrong &&
	test_expect_code 1 avogit score >out && grep "wrong: row" out
'

test_expect_success 'so is what a chain of `if` compares, in a function that gets it, too' '
	git init -q ../gray && cd ../gray &&
	cat >gray.cpp <<-\EOT &&
	#include <cstdint>
	enum format { GRAY = 1, RGB = 3, RGBA = 4 };
	static std::uint8_t luma(const std::uint8_t *p, int format)
	{
		if (format == GRAY)
			return p[0];
		else if (format == RGB || format == RGBA)
			return (p[0] * 77 + p[1] * 150 + p[2] * 29) >> 8;
		return 0;
	}
	int gray(const std::uint8_t *in, std::uint8_t *out, int n, int format)
	{
		if (n < 0)
			return -1;
		for (int i = 0; i < n; i++)
			out[i] = luma(in + i * format, format);
		return 0;
	}
	EOT
	avogit init -y gray.cpp >out &&
	grep "^  - {n: 1048576, format: 4}" avogit.yaml &&
	grep "^hidden: {.* format: 1[.][.]4, require: \"(format == 1 || format == 3 || format == 4)\"}" avogit.yaml &&
	test "$(argument returned vary)" = "false  # GUESS: one of a few constants, by the sizes" &&
	git add . && git commit -qm task &&
	avogit score >out && grep "pass, " out
'

test_expect_success 'where others are done something for, one of them is drawn; a flag is 0 or 1' '
	git init -q ../mode && cd ../mode &&
	cat >mode.c <<-\EOT &&
	#include <stdbool.h>
	void mode(const int *a, const int *b, int *c, int n, int mode, bool negate)
	{
		for (int i = 0; i < n; i++) {
			switch (mode) {
			case 0: c[i] = a[i] + b[i]; break;
			case 1: c[i] = a[i] - b[i]; break;
			default: c[i] = a[i] * b[i]; break;
			}
			if (negate)
				c[i] = -c[i];
		}
	}
	EOT
	avogit init -y mode.c >out &&
	grep "^hidden: {.* mode: 0[.][.]2, negate: 0[.][.]1}" avogit.yaml &&
	git add . && git commit -qm task &&
	avogit score >out && grep "pass, " out &&
	sed -i "s/a\[i\] \* b\[i\]/a[i]/" mode.c && git commit -qam wrong &&
	test_expect_code 1 avogit score >out && grep "mode=2" out
'

test_done
