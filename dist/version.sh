#!/bin/sh
# Prints the version of these sources: what git says of them, else what a tarball's file
# VERSION says. v0.1.0-5-g1234567 is 0.1.0+5.g1234567; before the first tag it is
# 0.1.0~COUNT.gHASH, which Debian takes for older than 0.1.0.
set -u
cd "$(dirname "$0")/.." || exit 1
next=0.1.0

if [ -f VERSION ]; then
	cat VERSION
elif ! [ -e .git ] || ! hash=$(git rev-parse --short=9 HEAD 2>/dev/null); then
	echo "$next"
elif tag=$(git describe --match 'v[0-9]*' --abbrev=9 --dirty 2>/dev/null); then
	echo "${tag#v}" | sed 's/-/+/; s/-/./g'
else
	[ -z "$(git status --porcelain --untracked-files=no 2>/dev/null)" ] || hash=$hash.dirty
	echo "$next~$(git rev-list --count HEAD).g$hash"
fi
