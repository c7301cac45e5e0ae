#!/bin/sh
# Figures of the report of a run of N attempts: see.sh AVOGIT FOLDER N
set -eu
avogit=$1
made=$(realpath tests/cli/report/made-run.pl)
git init -q "$2/see"
cp tests/cli/scale/* "$2/see"
cd "$2/see"
git add .
git -c user.name=a -c user.email=a@b commit -qm kernel
echo "Why this should help, in a sentence or two of the usual length, or three." >../why
perl "$made" "$(git rev-parse HEAD)" "$3" ../why
figure() { # NAME VALUE UNIT MOST
	echo "$1 $2 $3" | awk -v most="$4" '{ print $0, "<=" most, $2 <= most ? "ok" : "SHORT" }'
}
seconds() { # COMMAND...
	begin=$(date +%s.%N)
	"$@"
	date +%s.%N | awk -v begin="$begin" '{ printf "%.2f", $1 - begin }'
}
figure see.report_without_cache "$(seconds "$avogit" report made -o page.html)" s 2
figure see.report "$(seconds "$avogit" report made -o page.html)" s 2
figure see.report_size "$(awk -v n="$(stat -c %s page.html)" 'BEGIN { printf "%.2f", n / 1048576 }')" MiB 12
