#!/bin/sh
# test: parallel no-asan
test_description='avogit init: a namespace whose types are in headers of the project'
. "$(dirname "$0")/../lib-avogit.sh"

test_expect_success 'setup: a project with headers in the folder above the kernel' '
	git init -q repo && cd repo && mkdir -p include/acme src/audio src/core &&
	cat >include/acme/types.h <<-\EOT &&
	#pragma once
	#include <cstdint>
	namespace acme { using frames = std::uint32_t; }
	EOT
	echo "namespace acme { void log(const char *what); }" >src/core/log.h &&
	cat >src/audio/resample.cpp <<-\EOT &&
	#include "acme/types.h"
	#include "core/log.h"
	#include <algorithm>
	namespace acme {
	void decimate(const float *in, float *out, frames n)
	{
		for (frames i = 0; i < n; ++i) {
			float sum = 0.f;
			for (int t = 0; t < 4; ++t)
				sum += .25f * in[2 * i + t];
			out[i] = std::min(1.f, std::max(-1.0F, sum));
		}
	}
	}
	EOT
	cat >compile_commands.json <<-EOT &&
	[{"directory": "$PWD", "file": "src/audio/resample.cpp",
	  "command": "c++ -Iinclude -Isrc -O2 -c src/audio/resample.cpp"}]
	EOT
	git add include src && git commit -qm project
'

test_expect_success 'it is scored as init wrote it, in the wider type' '
	avogit init -y src/audio/resample.cpp >out &&
	grep "read src/audio/resample.cpp with the flags of compile_commands.json" out &&
	grep "kernel as it is for what is right, in a wider type" out &&
	grep "^include: \[include, src\]" avogit.yaml &&
	# Windows that lie over each other are no strides.
	grep "shape: \[2 \* n + 2\]" avogit.yaml && ! grep strides avogit.yaml &&
	git add avogit.yaml reference.cpp && git commit -qm task &&
	avogit score >out && grep "pass, " out
'

test_expect_success 'a candidate below that folder is the one that is built' '
	sed -i "s/\.25f/.3f/" src/audio/resample.cpp &&
	test_expect_code 1 avogit score >out && grep "wrong: " out
'

test_done
