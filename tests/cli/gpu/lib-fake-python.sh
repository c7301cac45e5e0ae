# A Python with PyTorch for the card of tests/fake, which lib-fake-gpu.sh made.

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
