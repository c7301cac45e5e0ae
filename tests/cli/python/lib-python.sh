# What the scripts about Python share: PyTorch is there, or all is skipped.
. "$(dirname "$0")/../lib-avogit.sh"

python=${AVOGIT_PYTHON:-/usr/bin/python3}
if ! "$python" -I -c 'import torch' 2>/dev/null
then
	skip_all="$python has no PyTorch (python3-torch)"
	test_done
fi

cheats=$(cd "$SHARNESS_TEST_SRCDIR/../cheats" && pwd)

# A repository in ./NAME with a softmax in PyTorch, committed; the current folder is
# its top afterwards.
make_python_repo () {
	git init -q "$1" &&
	cd "$1" &&
	cp "$cheats"/tasks/softmax/softmax.c "$cheats"/python/tasks/softmax/* . &&
	cp "$cheats"/python/control-softmax.py kernel.py &&
	git add . &&
	git commit -qm 'a softmax in PyTorch'
}
