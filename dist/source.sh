#!/bin/sh
# Packs the sources of HEAD, with a file VERSION that says which they are.
#     source.sh VERSION FILE.tar.gz
set -eu
version=${1:?name the version}
file=${2:?name the file to make}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/avogit-dist.XXXXXX")
trap 'rm -rf "$work"' EXIT

mkdir "$work/avogit-$version"
git -C "$here/.." archive HEAD | tar -x -C "$work/avogit-$version"
echo "$version" >"$work/avogit-$version/VERSION"
"$here/tar.sh" "$work/avogit-$version" "$file"
