#!/bin/bash
# Runs a unit-test program for prove. cmocka 1.1 says "not ok N # SKIP" of a
# test that was skipped, which prove takes for a failure.
set -o pipefail
"$@" | sed 's/^not ok \([0-9]* # SKIP\)/ok \1/'
