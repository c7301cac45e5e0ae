#!/bin/sh
# Makes one folder of avogit that runs where nothing can be installed: the
# program, bubblewrap, runners of other languages, every shared library they need
# except glibc's own, their licences, the manual pages and the examples.
#     bundle.sh FOLDER VERSION AVOGIT RUNNER [LANGUAGE-RUNNER...]
# RUNNER is the program that AVOGIT carries inside; it is looked at only. Each
# LANGUAGE-RUNNER is one that a task names (docs/languages.md).
set -eu
LC_ALL=C
export LC_ALL
umask 022
out=${1:?name the folder to make}
version=${2:?name the version}
avogit=${3:?name the built avogit}
runner=${4:?name the built runner}
shift 4
top=$(cd "$(dirname "$0")/.." && pwd)

die() { echo "bundle: $1" >&2; exit 1; }
for tool in patchelf readelf ldd bwrap; do
	command -v $tool >/dev/null ||
		die "$tool is missing: run make deps, or install it"
done

# glibc belongs to the machine: its parts must be of one version, and the
# loader among them lies at a fixed place.
is_glibc() {
	case $1 in
	linux-vdso.so.* | ld-linux*.so.* | ld64.so.* | libc.so.* | libm.so.* | \
	libmvec.so.* | libdl.so.* | libpthread.so.* | librt.so.* | \
	libresolv.so.* | libutil.so.* | libanl.so.* | libnss_*.so.*)
		return 0 ;;
	esac
	return 1
}

# "NAME PATH" a line, of the libraries of $1 to carry.
libraries() {
	ldd "$1" | while read -r name arrow path; do
		path=${path% (0x*}
		if [ "$arrow" != '=>' ] || is_glibc "$name"; then
			continue
		fi
		[ "$path" != 'not found' ] || die "$1 needs $name: not found"
		echo "$name $path"
	done
}

# The highest glibc that a symbol of a file in these folders asks for.
glibc_needed() {
	find "$@" -type f -exec readelf -W --version-info {} + |
		sed -n 's/.* Name: GLIBC_\([0-9][0-9.]*\) .*/\1/p' |
		sort -t. -k1,1n -k2,2n -k3,3n | tail -n 1
}

# The package of the file $1; /lib and /usr/lib may be one folder, and dpkg
# knows a file by one of the two names.
package_of() {
	command -v dpkg-query >/dev/null || return 0
	real=$(readlink -f "$1")
	for path in "$real" "${real#/usr}" "/usr$real"; do
		owner=$(dpkg-query -S "$path" 2>/dev/null) || continue
		echo "${owner%%:*}"
		return 0
	done
}

# Puts the licence of package $1 under share/doc; false where it has none.
keep_licence() {
	file=/usr/share/doc/$1/copyright
	[ -n "$1" ] && [ -f "$file" ] || return 1
	mkdir -p "$new/share/doc/$1"
	cp -L "$file" "$new/share/doc/$1/copyright"
}

# The texts that Debian's copyright files only point to.
keep_common_licences() {
	cat "$new"/share/doc/*/copyright |
		grep -o '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' |
		sort -u | while read -r file; do
		[ -f "$file" ] || continue
		mkdir -p "$new/share/doc/common-licenses"
		cp -L "$file" "$new/share/doc/common-licenses/"
	done
}

new=$out.new
rm -rf "$new"
mkdir -p "$new/bin" "$new/lib" "$new/libexec/avogit" "$new/share/doc/avogit"
cp "$avogit" "$new/bin/avogit"
chmod 755 "$new/bin/avogit"
ln -s avogit "$new/bin/git-avogit"
bwrap=$(command -v bwrap)
cp -L "$bwrap" "$new/libexec/avogit/bwrap"
chmod 755 "$new/libexec/avogit/bwrap"
cp -R "$top/examples" "$new/examples"
cp "$top/LICENSE" "$new/share/doc/avogit/LICENSE"
man=$new/share/man/man1
mkdir -p "$man"
"$avogit" help --mdoc >"$man/avogit.1"
ln -s avogit.1 "$man/git-avogit.1"
commands=$("$avogit" help --list)
for c in $commands; do
	"$avogit" help --mdoc "$c" >"$man/avogit-$c.1"
done

# A runner runs in the sandbox, which shows its own folder and not that of the
# program's libraries.
runner_libs="$new/libexec/avogit/lib"
runner_list=
for file; do
	cp -L "$file" "$new/libexec/avogit/"
	chmod 755 "$new/libexec/avogit/${file##*/}"
	patchelf --force-rpath --set-rpath "\$ORIGIN/lib" "$new/libexec/avogit/${file##*/}"
	more=$(libraries "$file") || exit 1
	runner_list=$(printf '%s\n%s\n' "$runner_list" "$more")
done
runner_list=$(echo "$runner_list" | sed '/^$/d' | sort -u)

others=$(libraries "$runner")
[ -z "$others" ] || die "the runner, which runs from memory and finds no \
library beside itself, needs $others"
list=$(libraries "$avogit") || exit 1
bwrap_list=$(libraries "$bwrap") || exit 1
list=$(printf '%s\n%s\n' "$list" "$bwrap_list" | sort -u)

# RPATH and not RUNPATH (--force-rpath): a node's LD_LIBRARY_PATH, which sets
# of modules and conda fill with libraries of other versions, comes after it.
patchelf --force-rpath --set-rpath "\$ORIGIN/../lib" "$new/bin/avogit"
patchelf --force-rpath --set-rpath "\$ORIGIN/../../lib" "$new/libexec/avogit/bwrap"
# Copies what comes as "NAME PATH" a line into folder $1, where they find each other.
carry() {
	while read -r name path; do
		[ -n "$name" ] || continue
		mkdir -p "$1"
		cp -L "$path" "$1/$name"
		chmod 644 "$1/$name"
		patchelf --force-rpath --set-rpath "\$ORIGIN" "$1/$name"
	done
}
echo "$list" | carry "$new/lib"
echo "$runner_list" | carry "$runner_libs"

# "NAME PACKAGE VERSION" a line, for BUNDLE.
contents() {
	while read -r name path; do
		package=$(package_of "$path")
		if keep_licence "$package"; then
			printf '    %-24s %s\n' "$name" "$(dpkg-query -W \
				-f='${Package} ${Version}' "$package")"
		else
			printf '    %-24s %s\n' "$name" \
				"$path: no licence found, do not pass it on"
			echo "bundle: no package owns $path: its licence" \
				"is not in the bundle" >&2
		fi
	done
}

keep_licence libffi-dev || echo "bundle: no licence of libffi found" >&2
glibc=$(glibc_needed "$runner" "$new/bin" "$new/lib" "$new/libexec")
runners=
for file; do
	runners="$runners
    libexec/avogit/${file##*/}"
done
cat >"$new/BUNDLE" <<END
avogit $version, with what it needs, in one folder

Run bin/avogit from wherever the folder lies, or put bin/ into PATH (then
\`git avogit\` works too). Nothing has to be installed, and nothing is written
here; to remove it, remove the folder.

It needs Linux on $(uname -m) and glibc $glibc or later (\`ldd --version\`). A
kernel in C needs a C compiler, a kernel in CUDA nvcc, and the NVIDIA driver to
be run; git is good to have. \`bin/avogit doctor\` says what is there.

    bin/avogit, bin/git-avogit  the program
    libexec/avogit/bwrap        bubblewrap, for a machine that has none$runners
    examples/                   repositories to try: examples/demo.sh, with
                                bin/ in PATH
    share/man/                  the manual: \`man avogit\` with bin/ in PATH,
                                else \`man -M share/man avogit\` from here
    share/doc/                  the licences of all of it
    lib/, libexec/avogit/lib/   the libraries of all these; they and bwrap are
                                as their packages were when this was built:

$({ echo "bwrap $bwrap"; printf '%s\n%s\n' "$list" "$runner_list" |
	sed '/^$/d' | sort -u; } | contents)

libffi is linked into the program.
END
keep_common_licences
rm -rf "$out"
mv "$new" "$out"
