#!/bin/sh
# The table of README.md: pattern, file, verdict. README.md is this text and
# the table; t0110-cheats.sh sees to it that it is current.
cd "$(dirname "$0")"
cat <<\EOF
# The corpus of cheats

Each `NAME.c` (or `.cpp`) is a candidate for a task of `tasks/`; its first lines are read by
`tests/cli/cheats/lib-cheats.sh` and scored with the built program, by `t0110-cheats.sh`, which
runs alone, where how fast it is or how often it was launched decides (`faster`, `against`, `time`,
`rival`), and otherwise by `t0113-verdicts.sh`, beside others:

- `pattern:` which known way to a false pass it tries (T: timing and reporting,
  C: correctness, E: harness and environment; `docs/trust.md` has the list);
- `task:` whose task (`norm` where there is none);
- `verdict:` what must come out, and `why:` the reason that must be given (both
  extended regular expressions);
- `faster: no` where an honest verdict is due, and no gain: it is then timed
  against the honest kernel of its task;
- `against: HEAD` where it is timed against that kernel in any case, `itself` where its rival is
  the same cheat, as a champion that got through would be;
- `time:` how long it may be timed, where 2 s are too few launches;
- `rival: itself` where its rival is the same cheat compiled with RIVAL: two that work together;
  `itself, slower` where the rival has so much to do for the other that it is slower in truth:
  only the verdict counts;
- `ways: N` where it does one of N things, drawn, or the one that `WAY` says
  (`tests/cli/python/t0444-python-forbidden.sh` runs each);
- `tries: N` where others on the machine may hide what it does: one verdict of N decides;
- `known:` it gets through, and how; the script tells it as a known breakage.

Those of `python/` are in Python, for the tasks of `python/tasks/`, and say the same in lines that
begin with `#`; `tests/cli/python/t0441-python-cheats.sh` scores them, where there is PyTorch.

The `control-*.c` are honest and must pass, five times in a row, with more time than their task has. `CHEATS="fork nan-output" make cli`
runs only those named. A link as a source is tried by the script itself.

EOF
echo "| pattern | file | verdict |"
echo "| --- | --- | --- |"
for f in *.c *.cpp python/*.py
do
	verdict=$(sed -nE 's,^(//|#) verdict: *,,p' "$f" | sed 's/|/ or /g')
	grep -qE '^(//|#) faster: no' "$f" && verdict="$verdict, not faster"
	grep -qE '^(//|#) known: ' "$f" && verdict="$verdict (gets through)"
	echo "| $(sed -nE 's,^(//|#) pattern: *,,p' "$f") | $f | $verdict |"
done | sort
