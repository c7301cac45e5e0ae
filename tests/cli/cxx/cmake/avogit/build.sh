#!/bin/sh
# The project's own build, with what it says on failure.
set -e
cmake -S .. -B out >log 2>&1 || { cat log; exit 1; }
cmake --build out >log 2>&1 || { cat log; exit 1; }
