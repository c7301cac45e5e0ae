#!/bin/sh
# Installs the Debian packages named, those that are missing; needs root or
# sudo then, and nothing otherwise.
set -eu
missing=
for p in "$@"; do
	status=$(dpkg-query -W -f='${Status}' "$p" 2>/dev/null || true)
	[ "$status" = "install ok installed" ] || missing="$missing $p"
done
[ -n "$missing" ] || exit 0
as_root=
if [ "$(id -u)" != 0 ]; then
	command -v sudo >/dev/null || {
		echo "deps: these packages are missing:$missing" >&2
		echo "deps: run this as root, or install sudo" >&2
		exit 1
	}
	as_root=sudo
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
# shellcheck disable=SC2086 # a list of names
$as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
