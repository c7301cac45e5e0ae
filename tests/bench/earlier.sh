#!/bin/sh
# Builds what the tuner is compared with: its search as it was at 00f2f5f (2026-11-21), in
# today's program and benches.
#     earlier.sh FOLDER [BUILD]
# makes FOLDER/tuner_bench, FOLDER/live_bench and FOLDER/avogit, of the sources here and of
# the libraries in BUILD (build), which `make everything` made. The search comes out of the
# history, or from FOLDER/agent where that was made before.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "${1:?name a folder}/agent/tuner"
folder=$(cd "$1" && pwd)
cd "$root"
build=${2:-build}

# Files and names were others.
from_history() { # NAME
	git show "00f2f5f:agent/$1" |
	sed -e 's/struct search\>/struct tuner_search/g' -e '/^DEFINE_RELEASE(search/d' \
		-e 's,"agent/\([a-z]*\).h","agent/tuner/\1.h",' -e 's,"core/stats.h","core/score/stats.h",' \
		-e 's,"core/\(base\|random\).h","core/base/\1.h",'
}

# A space as it is described today, whose new parts that search does not ask for; and what
# others measured, which it did not use.
today() {
	sed -i -e 's/^\tconst bool \*ordered;.*/&\n\tconst uint8_t *const *steps;/' \
		-e 's/^\tbool (\*allowed).*/&\n\tbool (*may_begin)(const void *arg, const size_t *point, size_t n);/' search.h
	sed -i 's/^struct tuner_search;/&\nvoid search_tell_within(struct tuner_search *s, const size_t *point, double gain, double deviation);/' search.h
	cat >guide.c <<-\EOF
	#include "agent/tuner/search.h"
	void search_guide(struct tuner_search *s, const size_t *point, double gain);
	void search_guide(struct tuner_search *s, const size_t *point, double gain)
	{
		(void)s, (void)point, (void)gain;
	}
	void search_tell_within(struct tuner_search *s, const size_t *point, double gain, double deviation)
	{
		(void)deviation;
		search_tell(s, point, gain);
	}
	EOF
}

if [ ! -f "$folder/agent/tuner/guide.c" ]; then
	for name in search.c search.h gaussian.c gaussian.h; do
		from_history "$name" >"$folder/agent/tuner/$name"
	done
	(cd "$folder/agent/tuner" && today)
fi
compile() { # OUTPUT FILE...
	output=$folder/$1
	shift
	# shellcheck disable=SC2046 # words
	${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -I"$folder" -I. -I"$build" $(pkg-config --cflags libcjson libffi) \
		-o "$output" "$@" "$folder"/agent/tuner/*.c agent/tuner/ahead.c \
		"$build/libagent.a" "$build/libscorer.a" "$build/libgitstore.a" "$build/libcore.a" \
		$(pkg-config --libs ncursesw libcurl sqlite3 libffi libgit2 libxxhash zlib libcjson yaml-0.1 libseccomp libcrypto) \
		"$(${CXX:-c++} -print-file-name=libsupc++.a)" -lm -ldl
}
compile tuner_bench tests/bench/tuner_bench.c tests/bench/space.c
compile live_bench tests/bench/live_bench.c tests/bench/points.c
compile avogit -Wl,--whole-archive "$build/libcmd.a" -Wl,--no-whole-archive
