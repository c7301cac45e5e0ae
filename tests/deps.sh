#!/bin/sh
# The Debian packages named.
#     deps.sh PACKAGE...                 installs those that are missing: needs
#                                        root or sudo then, and nothing otherwise
#     deps.sh --missing GOAL PACKAGE...  says in a sentence which are missing, and
#                                        that `make GOAL` installs them
set -eu

missing() { # PACKAGE...
	for p in "$@"; do
		status=$(dpkg-query -W -f='${Status}' "$p" 2>/dev/null || true)
		[ "$status" = "install ok installed" ] || printf ' %s' "$p"
	done
}

if [ "$1" = --missing ]; then
	goal=$2
	shift 2
	if command -v dpkg-query >/dev/null; then
		names=$(missing "$@")
		how="type: make $goal"
	else
		names=" $*"
		how='install them (these are the names in Debian)'
	fi
	echo "these packages are needed and missing:$names; $how"
	exit 0
fi

command -v apt-get >/dev/null || {
	echo "deps: there is no apt-get here; install what Debian calls $*" >&2
	exit 1
}
names=$(missing "$@")
[ -n "$names" ] || exit 0
as_root=
if [ "$(id -u)" != 0 ]; then
	as_root=sudo
	command -v sudo >/dev/null || {
		echo "deps: only root can install what is missing, and there is no sudo:$names" >&2
		exit 1
	}
fi
echo "installing:$names"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
# shellcheck disable=SC2086 # a list of names
$as_root apt-get -o DPkg::Lock::Timeout=600 install -y -qq --no-install-recommends $names >/dev/null
