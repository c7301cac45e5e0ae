# A cluster of Slurm on this machine alone: a controller, four nodes and munge,
# in a network and processes of its own, so that its ports are free and that all
# of it ends with the script. Sourced by a script that root runs; what it writes
# is below the folder $D, which is the script's.

# Starts the script again in namespaces of its own, unless it is in them.
alone () {
	test -n "$SLURM_TEST_ALONE" || {
		SLURM_TEST_ALONE=yes
		export SLURM_TEST_ALONE
		exec unshare --net --uts --ipc --mount --pid --fork --kill-child \
			--mount-proc -- sh "$@"
	}
	# An address that is not loopback: without one names are not resolved.
	ip link set lo up &&
	ip address add 192.0.2.1/32 dev lo &&
	hostname head
}

# cluster_make: the configuration, and the programs it needs.
cluster_make () {
	mkdir -p "$D"/state "$D"/spool "$D"/run "$D"/log "$D"/munge &&
	echo '127.0.0.1 localhost head' >"$D/hosts" &&
	mount --bind "$D/hosts" /etc/hosts &&
	cat >"$D/slurm.conf" <<-CONF &&
		ClusterName=avogit
		SlurmctldHost=head(127.0.0.1)
		SlurmctldPort=26817
		AuthType=auth/munge
		AuthInfo=socket=$D/munge/socket,cred_expire=5
		CredType=cred/munge
		SlurmUser=root
		SlurmdUser=root
		StateSaveLocation=$D/state
		SlurmdSpoolDir=$D/spool/%n
		SlurmctldPidFile=$D/run/slurmctld.pid
		SlurmdPidFile=$D/run/slurmd-%n.pid
		SlurmctldLogFile=$D/log/slurmctld.log
		SlurmdLogFile=$D/log/slurmd-%n.log
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		JobAcctGatherType=jobacct_gather/none
		AccountingStorageType=accounting_storage/none
		MpiDefault=none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core
		SlurmdParameters=config_overrides
		ReturnToService=2
		SlurmctldTimeout=10
		SlurmdTimeout=10
		KillWait=1
		MinJobAge=300
		SchedulerType=sched/backfill
		SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
		PreemptType=preempt/partition_prio
		PreemptMode=REQUEUE
		NodeName=n[1-4] NodeHostname=head NodeAddr=127.0.0.1 Port=[27001-27004] CPUs=1 RealMemory=500 State=UNKNOWN
		PartitionName=work Nodes=n[1-4] Default=YES MaxTime=60 PriorityTier=1 State=UP
		PartitionName=urgent Nodes=n[1-4] MaxTime=60 PriorityTier=9 State=UP
	CONF
	printf 'CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n' >"$D/cgroup.conf" &&
	SLURM_CONF=$D/slurm.conf &&
	export SLURM_CONF &&
	head -c 1024 /dev/urandom >"$D/munge/key" &&
	chmod 600 "$D/munge/key" &&
	chmod 755 "$D" "$D/munge" &&
	chown -R munge:munge "$D/munge" &&
	setpriv --reuid munge --regid munge --init-groups munged \
		--key-file="$D/munge/key" --socket="$D/munge/socket" \
		--pid-file="$D/munge/pid" --log-file="$D/munge/log" \
		--seed-file="$D/munge/seed"
}

controller_start () {
	slurmctld -f "$SLURM_CONF" >>"$D/log/start" 2>&1
}

node_start () { # NODE
	slurmd -f "$SLURM_CONF" -N "$1" >>"$D/log/start" 2>&1
}

# The daemon and all that it watches, and not what runs in the jobs: as when the
# node's line is dead.
node_kill () { # NODE
	pkill -9 -P "$(cat "$D/run/slurmd-$1.pid")" slurmstepd
	kill -9 "$(cat "$D/run/slurmd-$1.pid")"
}
