#!/bin/sh
# Packs a folder so that the same folder always gives the same bytes: sorted,
# of nobody, with one date (SOURCE_DATE_EPOCH, else that of the last commit).
#     tar.sh FOLDER FILE.tar.gz
set -eu
LC_ALL=C
export LC_ALL
folder=${1:?name the folder}
file=${2:?name the file to make}
date=${SOURCE_DATE_EPOCH:-$(git -C "$(dirname "$0")" log -1 --format=%ct \
	2>/dev/null || echo 0)}

tar --create --format=gnu --sort=name --mtime="@$date" --owner=0 --group=0 \
	--numeric-owner --mode=u=rwX,go=rX --directory="$(dirname "$folder")" \
	"$(basename "$folder")" | gzip -9n >"$file.new"
mv "$file.new" "$file"
