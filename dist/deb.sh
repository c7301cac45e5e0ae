#!/bin/sh
# Makes a Debian package of what `make install DESTDIR=ROOT PREFIX=/usr` put into ROOT.
#     deb.sh ROOT VERSION FOLDER
# The package is FOLDER/avogit_VERSION_ARCH.deb; ROOT is changed.
set -eu
LC_ALL=C
export LC_ALL
umask 022
root=$(realpath "${1:?name the folder that was installed into}")
version=${2:?name the version}
out=${3:?name the folder for the package}
top=$(cd "$(dirname "$0")/.." && pwd)
doc=$root/usr/share/doc/avogit
# Who builds it answers for it.
maintainer=$(git -C "$top" log -1 --format='%cn <%ce>' 2>/dev/null) || maintainer=
[ -z "${DEBEMAIL:-}" ] || maintainer="${DEBFULLNAME:-$(id -un)} <$DEBEMAIL>"
[ -n "$maintainer" ] || maintainer="$(id -un) <$(id -un)@$(hostname)>"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$top" log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH

for tool in dpkg-deb dpkg-shlibdeps strip; do
	command -v $tool >/dev/null || { echo "deb: $tool is missing: run make deps" >&2; exit 1; }
done

# What ELF files need, as packages: the program's are needed, those of other runners good
# to have. dpkg-shlibdeps wants a debian/control.
needed() {
	work=$(mktemp -d)
	mkdir "$work/debian"
	printf 'Source: avogit\n\nPackage: avogit\nArchitecture: any\n' >"$work/debian/control"
	(cd "$work" && dpkg-shlibdeps -O --warnings=0 "$@") || { rm -rf "$work"; exit 1; }
	rm -rf "$work"
}

# Debian keeps pages compressed; a link to one follows it.
pages() {
	find "$root/usr/share/man" -name '*.[1-9]' -type f -exec gzip -9n {} +
	find "$root/usr/share/man" -name '*.[1-9]' -type l | while read -r link; do
		ln -s "$(readlink "$link").gz" "$link.gz" && rm "$link"
	done
}

documents() {
	mkdir -p "$doc"
	cp "$top/README.md" "$doc/"
	cp -R "$top/docs" "$doc/docs"
	cp -R "$top/examples" "$doc/examples"
	find "$doc" -type d -exec chmod 755 {} + -o -type f -perm /100 -exec chmod 755 {} + -o -type f -exec chmod 644 {} +
	cp "$top/CHANGELOG.md" "$doc/"
	printf 'avogit (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n' "$version" "$maintainer" \
		"$(date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"
	{
		printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n'
		printf 'Upstream-Name: avogit\n\nFiles: *\nCopyright: 2026 the avogit authors\nLicense: Expat\n'
		sed -n '/^Permission/,$s/^/ /p' "$top/LICENSE" | sed 's/^ $/ ./'
	} >"$doc/copyright"
}

control() {
	shlibs=$(needed "$root/usr/bin/avogit")
	others=
	set -- "$root"/usr/libexec/avogit/avogit-runner-*
	[ ! -e "$1" ] || others=$(needed -xlibc6 -xlibcjson1 "$@")
	printf 'Package: avogit\nVersion: %s\nArchitecture: %s\n' "$version" "$(dpkg --print-architecture)"
	printf 'Maintainer: %s\nSection: devel\nPriority: optional\n' "$maintainer"
	printf 'Installed-Size: %s\n' "$(du -k -s --apparent-size "$root/usr" | cut -f1)"
	printf 'Depends: %s, git, bubblewrap\n' "${shlibs#shlibs:Depends=}"
	printf 'Recommends: gcc | c-compiler, libc6-dev, binutils\n'
	printf 'Suggests: %spython3-torch\n' "${others:+${others#shlibs:Depends=}, }"
	cat <<-END
	Description: evolves compute kernels inside a git repository
	 A task file says what a kernel in C, C++, CUDA or another language computes,
	 how it is checked and what is timed. A tuner, a model or a coding agent
	 proposes versions; each is built in a sandbox, compared with a reference and
	 timed in turns with the version that it should beat.
	 .
	 Every version is a commit, its score a git note, and the winner can be
	 cherry-picked.
	END
}

strip --strip-unneeded --remove-section=.comment "$root/usr/bin/avogit"
find "$root/usr/libexec" -type f -exec strip --strip-unneeded --remove-section=.comment {} + 2>/dev/null || true
pages
documents
mkdir -p "$root/DEBIAN" "$out"
control >"$root/DEBIAN/control"
(cd "$root" && find usr -type f | sort | xargs -d '\n' md5sum) >"$root/DEBIAN/md5sums"
chmod 644 "$root/DEBIAN/control" "$root/DEBIAN/md5sums"
dpkg-deb --root-owner-group -Zxz --build "$root" "$out" >/dev/null
