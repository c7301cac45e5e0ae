#!/bin/sh
# The vendors' JavaScript clients against the scripted model server.
#
#     MODEL_SERVER=... run.sh FOLDER     (FOLDER takes the packages)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
for tool in node npm; do
	command -v $tool >/dev/null || {
		echo "test-sdk: skipped: there is no $tool here"
		exit 0
	}
done
mkdir -p "$folder"
if ! cmp -s "$here/package-lock.json" "$folder/package-lock.json"; then
	rm -f "$folder/package-lock.json"
	cp "$here/package.json" "$folder"
	cp "$here/package-lock.json" "$folder/lock"
	cd "$folder"
	cp lock package-lock.json
	npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >npm.log 2>&1 || {
		rm -f package-lock.json
		cat npm.log
		echo "test-sdk: the packages could not be installed" >&2
		exit 1
	}
fi
cp "$here/test.mjs" "$folder"
cd "$folder"
timeout 120 node --test test.mjs
