#!/bin/sh
# test: parallel no-asan
test_description='what make dist gives: a version, sources, a package'
. "$(dirname "$0")/../lib-avogit.sh"

top=$(cd "$SHARNESS_TEST_SRCDIR/../.." && pwd)
build=${AVOGIT%/*}

# Nothing is compiled: other tests use these programs now.
installed () {
	env -u MAKEFLAGS -u MAKELEVEL make -C "$top" -s -o all "$1" \
		BUILD="$build" DESTDIR="$PWD/root" PREFIX=/usr
}

if command -v dpkg-shlibdeps >/dev/null && command -v strip >/dev/null
then
	test_set_prereq DPKG
fi
git -C "$top" rev-parse -q --verify HEAD >/dev/null 2>&1 && test_set_prereq GIT_SOURCES
command -v lintian >/dev/null && test_set_prereq LINTIAN

test_expect_success 'the version is what git says' '
	mkdir -p tree/dist && cp "$top/dist/version.sh" tree/dist/ && (cd tree &&
	GIT_CEILING_DIRECTORIES=$(dirname "$PWD") dist/version.sh >../plain &&
	git init -q . && git add . && git commit -qm one &&
	dist/version.sh >../first && hash=$(git rev-parse --short=9 HEAD) &&
	echo "$(cat ../plain)~1.g$hash" >../expect && test_cmp ../expect ../first &&
	echo "# more" >>dist/version.sh &&
	dist/version.sh >../now && echo "$(cat ../expect).dirty" >../expect && test_cmp ../expect ../now &&
	git tag -a -m one v0.1.0 HEAD && git commit -qam two &&
	dist/version.sh >../second && echo "0.1.0+1.g$(git rev-parse --short=9 HEAD)" >../expect &&
	test_cmp ../expect ../second &&
	git tag -a -m two v0.2.0 && dist/version.sh >../third && echo 0.2.0 >../expect && test_cmp ../expect ../third)
'

test_expect_success DPKG 'and later ones are later to Debian' '
	dpkg --compare-versions "$(cat first)" lt "$(cat plain)" &&
	dpkg --compare-versions 0.1.0 lt "$(cat second)" &&
	dpkg --compare-versions "$(cat second)" lt "$(cat third)"
'

test_expect_success GIT_SOURCES 'the sources know their version, and are the same bytes twice' '
	"$top/dist/source.sh" 1.2.3 "$PWD/a.tar.gz" && "$top/dist/source.sh" 1.2.3 "$PWD/b.tar.gz" &&
	cmp a.tar.gz b.tar.gz &&
	tar xzf a.tar.gz && test -e avogit-1.2.3/Makefile &&
	test "$(avogit-1.2.3/dist/version.sh)" = 1.2.3
'

test_expect_success DPKG 'a package is made of what make install installs' '
	installed install >/dev/null &&
	(cd root && find usr \( -type f -o -type l \) | sort | sed "/man1/s/$/.gz/") >before &&
	grep "^usr/bin/avogit$" before &&
	cp -a root package &&
	DEBEMAIL=engineer@debian.org DEBFULLNAME="A. Engineer" "$top/dist/deb.sh" "$PWD/package" 1.2.3 "$PWD/out" &&
	dpkg-deb --info out/avogit_1.2.3_*.deb >info &&
	grep "^ Depends: .*libgit2.*bubblewrap" info && grep "^ Maintainer: A. Engineer <engineer@debian.org>" info &&
	dpkg-deb --contents out/avogit_1.2.3_*.deb >contents &&
	! grep -v " root/root " contents &&
	grep "usr/share/doc/avogit/docs/task.md$" contents &&
	grep "usr/share/doc/avogit/copyright$" contents &&
	while read -r file
	do
		grep -q " \./$file\( ->.*\)*$" contents || echo "$file"
	done <before >lost &&
	test_must_be_empty lost
'

test_expect_success DPKG 'its program runs, and says the version that it was built with' '
	dpkg-deb --extract out/avogit_1.2.3_*.deb unpacked &&
	unpacked/usr/bin/git-avogit --version >out.version &&
	avogit --version >expect && test_cmp expect out.version &&
	unpacked/usr/bin/avogit --help | grep evolve
'

test_expect_success DPKG,LINTIAN 'lintian accepts it' '
	lintian --allow-root --fail-on error,warning out/avogit_1.2.3_*.deb
'

test_expect_success 'what was installed is removed again' '
	installed install >/dev/null && installed uninstall >/dev/null &&
	find root -type f >left && test_must_be_empty left &&
	! test -L root/usr/bin/git-avogit
'

test_done
