# What the tests share in which another avogit has the CPUs.

# Of AVOGIT_LOCKS=FOLDER all locks of CPUs are held until something is written to
# ../go; ../say gets "held" when they are. Both are pipes. Beside it the locks are there:
# something was scored with that folder before.
# hold_locks FOLDER
hold_locks () {
	folder=$1
	set -- sh -c "echo held >../say; cat ../go >/dev/null"
	for file in "$folder"/avogit-cpu*.lock
	do
		set -- flock "$file" "$@"
	done
	"$@"
}
