#!/bin/bash
# llama.cpp's server from the npm package node-llama-cpp, which brings the sources
# of a release and the libraries built of them, but no server: only what the
# libraries lack is compiled (three minutes, once). The argument is the
# folder that holds it all; stdout is the server's path.
set -eu
packages=$1
version=3.22.1
platform=linux-$(node -p process.arch)
bins=$packages/package/bins/$platform
server=$bins/llama-server # beside the libraries, which it loads

[ ! -x "$server" ] || { echo "$server"; exit; }
mkdir -p "$packages/objects"
cd "$packages"
for package in "node-llama-cpp@$version" "@node-llama-cpp/$platform@$version"
do
	tar -xzf "$(npm pack --silent "$package")"
done
[ -d source ] || {
	git -c advice.detachedHead=false clone -q package/llama/gitRelease.bundle clone
	mv clone source
}

# The page for people that it serves, without contents.
sed '/cmakedefine/d; s/@N_ASSETS@/0/' source/tools/ui/ui.h.in >ui.h
sed '/@ASSET/d; s/@N_ASSETS@/0/; s/@USE_GZIP@/false/' source/tools/ui/ui.cpp.in >ui.cpp

# As the libraries were, where headers ask: compile SOURCE LANGUAGE
compile () {
	local object=objects/${1//\//-}.o
	[ -e "$object" ] || {
		g++ -x "$2" -O0 -w -pthread -DLLAMA_SHARED -DGGML_SHARED \
			-DGGML_BACKEND_SHARED -DLLAMA_SUBPROCESS -I. -Isource \
			-Isource/{include,ggml/include,common,vendor,vendor/hash} \
			-Isource/tools/{mtmd,server} -c -o "$object.part" "$1"
		mv "$object.part" "$object"
	}
}
for file in ui.cpp source/tools/server/*.cpp source/tools/mtmd/{clip,mtmd*}.cpp \
	source/tools/mtmd/models/*.cpp source/vendor/hash/{hash.cpp,sha1/sha1.c}
do
	case $file in *-cli.cpp) ;; *) compile "$file" c++ ;; esac
done
for file in source/vendor/hash/{sha256/sha256,xxhash/xxhash}.c
do
	compile "$file" c
done
g++ -o "$server.part" objects/*.o -pthread -Wl,-rpath,'$ORIGIN' \
	"$bins"/libllama-common.so "$bins"/libllama.v*.so "$bins"/libggml.v*.so \
	"$bins"/libggml-base.so
mv "$server.part" "$server"
echo "$server"
