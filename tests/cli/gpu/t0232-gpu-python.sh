#!/bin/sh
# test: parallel long no-asan
test_description='functions of Python on a GPU: tensors over memory of the card'
. "$(dirname "$0")/lib-fake-gpu.sh"

if ! /usr/bin/python3 -I -c 'import torch' 2>/dev/null
then
	skip_all='/usr/bin/python3 has no PyTorch (python3-torch)'
	test_done
fi

# A Python whose PyTorch has the card.
version=$(/usr/bin/python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
place=$CUDA_HOME/python
mkdir -p "$place/bin" "$place/lib/$version/site-packages"
ln -s /usr/bin/python3 "$place/bin/python3"
printf 'home = /usr/bin\ninclude-system-site-packages = true\n' \
	>"$place/pyvenv.cfg"
cp "$fake/sitecustomize.py" "$place/lib/$version/site-packages"
AVOGIT_PYTHON=$place/bin/python3
export AVOGIT_PYTHON

fake_repo python || exit

# The kernel is this now: kernel LINE...
kernel () {
	{
		echo 'import torch' &&
		printf '%s\n' "$@"
	} >kernel.py &&
	git commit -qam "another kernel" --allow-empty
}

test_expect_success 'a kernel is scored on the card, without a compiler' '
	faults &&
	mv "$CUDA_HOME/bin/nvcc" "$CUDA_HOME/bin/none" &&
	CUDA_HOME=/nonexistent score_again >../out &&
	mv "$CUDA_HOME/bin/none" "$CUDA_HOME/bin/nvcc" &&
	cat ../out &&
	grep " pass, " ../out &&
	grep "eager" ../out &&
	git notes --ref=avogit show HEAD >../note &&
	cat ../note &&
	grep "trust=isolated" ../note &&
	grep "isolated=\"it is called in Python" ../note &&
	none_left
'

test_done
