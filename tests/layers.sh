#!/bin/sh
# Who may include whom. The archives keep calls apart (a unit test links its
# own layer and core only); this keeps headers apart.
set -eu
fail=0
say() { echo "layers: $1" >&2; fail=1; }

forbid() { # FOLDER PATTERN WHY
	hits=$(grep -rnE "^#include [<\"]($2)" "$1" --include='*.[ch]' || true)
	[ -z "$hits" ] || say "$3:
$hits"
}
only_in() { # HEADER FILES...
	header=$1
	shift
	hits=$(grep -rlE "^#include [<\"]$header" core gitstore scorer agent cmd --include='*.[ch]' || true)
	for h in $hits; do
		case " $* " in
		*" $h "*) ;;
		*) say "$h includes $header, which only $* may" ;;
		esac
	done
}

forbid core '(gitstore|scorer|agent|cmd)/' 'core includes nothing above it'
forbid gitstore '(scorer|agent|cmd)/' 'gitstore includes core only'
forbid scorer '(gitstore|agent|cmd)/' 'scorer includes core only'
forbid agent '(gitstore|scorer|cmd)/' 'agent includes core only'
forbid scorer/runners 'scorer/([^r]|runner[^s])' 'a runner program includes core only'
forbid core '(git2|curl|cuda)' 'core knows no git, no curl, no CUDA'
for layer in core scorer agent cmd; do
	forbid $layer 'git2' 'git2.h is for gitstore'
done
hits=$(grep -rnE 'struct random\b|[^_a-z]random_(init|seed|u64|below|unit|normal|shuffle)\(' scorer --include='*.[ch]' || true)
[ -z "$hits" ] || say "a scorer draws from core/base/secret.h, so that no candidate can foresee it:
$hits"
only_in 'cjson/' core/base/json.c
only_in 'yaml\.h' core/base/yaml.c
only_in 'seccomp\.h' core/sandbox/seccomp.c
only_in 'openssl/' core/base/hash.c core/base/secret.c
only_in 'curl/' agent/provider/http.c
only_in 'ffi\.h' scorer/runner/call.c
only_in 'sqlite3\.h' agent/knowledge/database.c
only_in '(n?curses|term)(w/.*)?\.h' cmd/watch/screen.c
# One place starts git, and closes it to what a repository brings. (doctor asks
# for its version.)
hits=$(grep -rnE '[({,] *"git"[,)]|"git",$' core gitstore scorer agent cmd --include='*.[ch]' |
	grep -v -e '^gitstore/git/program\.c:' -e '^cmd/doctor\.c:' -e 'OPT(' || true)
[ -z "$hits" ] || say "only gitstore/git/program.c starts git:
$hits"
# The modules of a layer, in their order: one includes those before it, never one
# after it, so that there is no cycle. A header by its name is for the users of
# the layer and stands below all; `.` is what else lies on the top of the layer.
order() { # LAYER MODULES...
	layer=$1
	shift
	hits=$(grep -rE "^#include \"$layer/" "$layer" --include='*.[chS]' --include='*.cu' |
		awk -v layer="$layer" -v modules="$*" '
		function rank(path, part) {
			sub("^" layer "/", "", path)
			if (path in at) return at[path]
			part = path
			if (!sub("/.*", "", part)) part = "."
			return part in at ? at[part] : 0
		}
		BEGIN { n = split(modules, m, " "); for (i = 1; i <= n; i++) at[m[i]] = i }
		{
			from = $0; sub(":.*", "", from)
			to = $0; sub("[^\"]*\"", "", to); sub("\".*", "", to)
			if (rank(to) > rank(from)) print from " includes " to
		}')
	for folder in $(find "$layer" -mindepth 2 -name "*.[ch]" -printf "%h\n" | sort -u); do
		case " $* " in
		*" ${folder#"$layer"/} "*) ;;
		*) say "$folder is not in the order of the modules of $layer" ;;
		esac
	done
	[ -z "$hits" ] || say "the modules of $layer are, in this order, $*:
$hits"
}
order core base sandbox score task run
order gitstore gitstore.h git candidate notes journal run sync .
order scorer scorer.h wire device build reported host contest inspect runner runner_gpu runners runner_python .
order agent provider tools mcp command tuner knowledge llm .
order cmd ui session dispatch launch doctor init import export gate report watch scan .
# A script in no folder would not be run.
hits=$(find tests/cli -maxdepth 1 -name 't[0-9]*.sh')
[ -z "$hits" ] || say "command-line tests lie in a folder of tests/cli (its README.md), and source ../lib-avogit.sh:
$hits"
[ "$fail" = 0 ] && echo 'layers: ok'
exit "$fail"
