#!/bin/sh
# One agent of a run, whole, as a job of Slurm (docs/launch.md):
#
#   sbatch --array=0-7 --requeue --gres=gpu:1 --time=240 \
#       slurm-agent.sh REPOSITORY RUN ROUNDS [FLAGS of avogit evolve]
#
# REPOSITORY is on a file system that all nodes have. Each job works in a clone
# of its own, by turns: it takes what the others found, evolves the run with
# FLAGS (as --attempts 5), and gives back what it found.
set -u
if [ $# -lt 3 ]
then
	echo "usage: $0 REPOSITORY RUN ROUNDS [FLAGS of avogit evolve]" >&2
	exit 2
fi
repository=$(cd "$1" && pwd) || exit
run=$2 rounds=$3
shift 3
agent=${SLURM_ARRAY_TASK_ID:-0}
start=${SLURM_RESTART_COUNT:-0}
place=${AVOGIT_AGENTS:-$repository.agents}/${SLURM_ARRAY_JOB_ID:-${SLURM_JOB_ID:-0}}
# A start that Slurm gave up may go on where nobody sees it, so no other start
# writes into its clone.
mine=$place/$agent.$start

# The same run in a clone: its journals go both ways.
exchange () { # CLONE
	(cd "$1" && avogit sync "$repository" --run "$run")
}

mkdir -p "$place" || exit
if [ -z "$(git -C "$repository" for-each-ref "refs/avogit/$run/journal")" ]
then
	echo "$0: begin the run first: avogit evolve --run $run --attempts 1" >&2
	exit 1
fi

# What earlier starts of this job found and could not give back any more.
earlier=0 round=0
while [ "$earlier" -lt "$start" ]
do
	[ ! -e "$place/$agent.$earlier.rounds" ] ||
		round=$(cat "$place/$agent.$earlier.rounds")
	round=${round:-0}
	[ ! -d "$place/$agent.$earlier/.git" ] ||
		exchange "$place/$agent.$earlier" ||
		echo "$0: left out: $place/$agent.$earlier" >&2
	earlier=$((earlier + 1))
done

git clone -q "$repository" "$mine" || exit
while [ "$round" -lt "$rounds" ]
do
	exchange "$mine" || exit
	(cd "$mine" && avogit evolve --run "$run" "$@")
	ended=$?
	exchange "$mine" || exit
	[ "$ended" = 0 ] || exit "$ended"
	round=$((round + 1))
	echo "$round" >"$mine.rounds.new" && mv "$mine.rounds.new" "$mine.rounds"
done
