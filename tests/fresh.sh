#!/bin/bash
# What the README tells to type, typed on systems of their first day: a minimal
# Debian that has git and make and nothing else, and a clean clone of HEAD (what
# is not committed is not tested).
#
#     fresh.sh SUITE...        bookworm, trixie
#
# With FRESH_TESTS=no the tests are not run there: where all of them have just
# been run on the machine itself. The suites are made beside each other then: while
# one unpacks packages the other compiles.
# Must be root, in a place that lets it mount. Base systems (for a week) and
# packages are kept in $FRESH_CACHE. They come from where apt of this machine has
# its own, or from $FRESH_MIRROR; in neither case is a package asked for that no
# one would get by the README's commands, but compilers.
set -euo pipefail

die() { echo "fresh: $1" >&2; exit 1; }

[ "$(id -u)" = 0 ] || die 'only root can make a system of its own: run this as root'
[ $# -gt 0 ] || die 'name the suites: bookworm, trixie'
command -v mmdebstrap >/dev/null || die 'mmdebstrap is missing, type: make deps-fresh'
tree=$(cd "$(dirname "$0")/.." && pwd)
cache=${FRESH_CACHE:?names the folder for base systems and packages}
mkdir -p "$cache"
exec 9>"$cache/lock"
flock -n 9 || die "another one is at work in $cache"
root=
child=
clean_up() {
	[ -z "$child" ] || { kill -KILL "$child" && wait "$child"; } 2>/dev/null || true
	[ -z "$root" ] || rm -rf --one-file-system "$root"
}

# Lines for sources.list.
sources() { # SUITE
	local keys=/usr/share/keyrings/debian-archive-keyring.gpg uri
	if [ -n "${FRESH_MIRROR:-}" ]; then
		echo "deb [signed-by=$keys] $FRESH_MIRROR $1 main"
		return
	fi
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | sort -u |
		while read -r uri; do
			case $uri in
			*/debian/) echo "deb [signed-by=$keys] $uri $1 main" ;;
			*/debian-security/) echo "deb [signed-by=$keys] $uri $1-security main" ;;
			esac
		done
}

# How this machine's apt reaches them.
apt_settings() {
	apt-config dump | grep -iE '^Acquire::(https?::|Check-Valid-Until)' || true
}

make_base() { # SUITE FILE
	local lines
	lines=$(sources "$1")
	[ -n "$lines" ] || die "apt of this machine names no Debian archive: set FRESH_MIRROR"
	rm -f "$cache/$1"-*.tar
	apt_settings >"$cache/apt-$1.conf"
	printf '%s\n' "$lines" |
		mmdebstrap --quiet --mode=root --format=tar --variant=minbase --include=git,make,ca-certificates \
			--aptopt="$cache/apt-$1.conf" --dpkgopt=force-unsafe-io "$1" "$2.new" - ||
		die "mmdebstrap cannot make a $1"
	mv "$2.new" "$2"
}

# A system that has not been used, with the clone for root and another for an
# ordinary user who may not become root.
make_root() { # SUITE PLACE
	local base
	base=$cache/$1-$(date +%G-%V).tar
	[ -f "$base" ] || make_base "$1" "$base"
	root=$(mktemp -d "$cache/root.XXXXXX")
	chmod 755 "$root"
	tar -C "$root" -xpf "$base" --exclude './dev/*'
	cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
	cp -r /usr/local/share/ca-certificates "$root/usr/local/share/"
	mkdir -p "$cache/debs-$1/partial"
	inside root / 'update-ca-certificates >/dev/null 2>&1; useradd --create-home --shell /bin/bash engineer'
	git clone -q --no-hardlinks "$tree" "$root/root/$2"
	git clone -q --no-hardlinks "$tree" "$root/home/engineer/$2"
	inside root / 'chown -R engineer: /home/engineer'
}

# What a machine has that a folder has not; then the command, with a shell as
# process 1.
# shellcheck disable=SC2016 # for the inner shell
enter='
hostname fresh
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount --rbind /sys sys
mount -t tmpfs -o mode=755,size=1m dev dev
for d in null zero full random urandom tty; do
	touch dev/$d
	mount --bind /dev/$d dev/$d
done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts dev/pts
mount -t tmpfs -o mode=1777,size=2g shm dev/shm
mount -t tmpfs -o mode=755 run run
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ln -s fd/0 dev/stdin
ln -s fd/1 dev/stdout
ln -s fd/2 dev/stderr
mount --bind "$debs" var/cache/apt/archives
pivot_root . .
umount -l .
cd "$folder"
drop=
[ "$user" = root ] || drop="setpriv --reuid $user --regid $user --init-groups --inh-caps=-all"
$drop env -u root -u debs -u user -u folder bash -c "$1"
exit
'

inside() { # USER FOLDER COMMAND
	local home=/root
	[ "$1" = root ] || home=/home/$1
	env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM=dumb \
		HOME=$home USER="$1" LOGNAME="$1" SHELL=/bin/bash \
		${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
		${no_proxy:+no_proxy="$no_proxy"} \
		root="$root" debs="$cache/debs-$suite" user="$1" folder="$2" \
		unshare --mount --pid --ipc --uts --fork --kill-child --propagation private \
		bash -euc "$enter" bash "$3" </dev/null 9>&- &
	child=$!
	wait "$child" || { set -- "$?"; child=; return "$1"; }
	child=
}

# Says what is typed and how long it took; what it printed, where it fails.
typed() { # USER COMMAND
	local begin=$SECONDS home=/root
	[ "$1" = root ] || home=/home/$1
	echo "fresh: $suite, $1: $2"
	inside "$1" "$home/$place" "$2" >"$cache/log-$suite" 2>&1 || {
		tail -n 200 "$cache/log-$suite"
		die "$suite, $1: $2: failed after $((SECONDS - begin)) s"
	}
	grep -E '^(Result|Files=|warning)|[^a-z]warning: ' "$cache/log-$suite" || true
	echo "fresh: $suite, $1: ok, $((SECONDS - begin)) s"
}

# The command fails, and says one sentence that holds PATTERN.
refused() { # USER COMMAND PATTERN
	local home=/root
	[ "$1" = root ] || home=/home/$1
	echo "fresh: $suite, $1: $2 (is refused)"
	! inside "$1" "$home/$place" "$2" >"$cache/log-$suite" 2>&1 || die "$suite, $1: $2: went well"
	if [ "$(grep -vc '^make: \*\*\* \[' "$cache/log-$suite")" != 1 ] || ! grep -q "$3" "$cache/log-$suite"; then
		cat "$cache/log-$suite"
		die "$suite, $1: $2: does not say in one line: $3"
	fi
	grep "$3" "$cache/log-$suite"
}

say_packages() {
	refused root 'make' 'needed and missing: .*libgit2-dev.*type: make deps'
	refused root 'make -j8 unit' 'needed and missing: .*build-essential.*type: make deps'
	refused engineer 'make deps demo' 'only root can install.*libgit2-dev'
}

bookworm() {
	place=avogit
	say_packages
	typed root 'make deps demo'
	[ "${FRESH_TESTS:-yes}" = no ] || typed root 'make deps test'
	typed root 'make deps-check'
	typed engineer 'make -j2 CC=clang WERROR=-Werror deps demo'
}

# A folder with a space, an eager make, and newer compilers and libraries (gcc 12
# is that of bookworm).
trixie() {
	place='a place/avogit'
	say_packages
	typed root 'make -j8 deps demo'
	typed root 'd="$HOME/some where" && make install DESTDIR="$d" && "$d/usr/local/bin/avogit" --version &&
		make uninstall DESTDIR="$d" && [ -z "$(find "$d" -type f)" ]'
	typed root 'make deb && apt-get install -y -qq --no-install-recommends ./build/dist/avogit_*.deb && cd / &&
		git avogit --version && apt-get purge -y -qq avogit && [ ! -e /usr/bin/avogit ]'
	typed root 'apt-get install -y -qq --no-install-recommends gcc-13 clang'
	for cc in gcc-13 clang; do
		typed root "make -j2 CC=$cc CFLAGS=-g0 BUILD=build-$cc WERROR=-Werror"
	done
}

# In a process of its own.
all_of() { # SUITE
	local suite=$1 begin=$SECONDS
	trap 'exit 130' INT TERM
	trap clean_up EXIT
	place=avogit
	[ "$suite" != trixie ] || place='a place/avogit'
	make_root "$suite" "$place"
	echo "fresh: $suite: the system is made, $((SECONDS - begin)) s"
	"$suite"
	echo "fresh: $suite: all, $((SECONDS - begin)) s"
}

suites=()
trap 'kill "${suites[@]}" 2>/dev/null || true; wait; exit 130' INT TERM
for suite; do
	all_of "$suite" &
	suites+=($!)
	[ "${FRESH_TESTS:-yes}" = no ] || wait $! || break # tests measure
done
failed=
for suite in "${suites[@]}"; do
	wait "$suite" || failed=1
done
[ -z "$failed" ] || exit 1
echo 'fresh: ok'
