#!/bin/sh
# test: parallel long no-asan
test_description='export --as hub: what the builder of the hub compiles is an operator that computes'
. "$(dirname "$0")/../lib-avogit.sh"

# Debian's, which has PyTorch; another may be first in the PATH.
python=/usr/bin/python3
if ! { $python -c 'import torch, setuptools' 2>/dev/null &&
	echo '#include <torch/library.h>' | c++ -xc++ -std=c++17 -fsyntax-only - 2>/dev/null; }
then
	skip_all='no PyTorch with headers here (python3-torch, libtorch-dev)'
	test_done
fi

test_expect_success 'setup: a candidate in C++' '
	git init -q repo && cd repo &&
	cp "$SHARNESS_TEST_SRCDIR"/cxx/softmax/* . &&
	git add . && git commit -qm "c++" &&
	sed -i "\$a// a remark" kernel.cpp &&
	avogit score --time 1s --run c -m "as it is" >/dev/null && git checkout -q kernel.cpp &&
	avogit export "c#1" --as hub -o ../out
'

# What the builder brings: registration.h and _ops.py, with a name for this build.
cat >../registration.h <<\EOF
#undef TORCH_EXTENSION_NAME
#define TORCH_EXTENSION_NAME this_build
#define TORCH_LIBRARY_EXPAND(NAME, M) TORCH_LIBRARY(NAME, M)
#define REGISTER_EXTENSION(NAME)
EOF
cat >../use.py <<\EOF
import os, shutil, sys
import torch
from torch.utils import cpp_extension

made = os.path.abspath("../made")
os.makedirs(made)
shutil.copytree("../out/torch-ext/avogit_softmax", made + "/avogit_softmax")
shutil.copy("../registration.h", made)
with open(made + "/avogit_softmax/_ops.py", "w") as f:
    f.write("import torch\nops = torch.ops.this_build\n"
            "def add_op_namespace_prefix(name):\n    return 'this_build::' + name\n")
cpp_extension.load(
    name="this_build",
    sources=[os.path.abspath("../out/torch-ext/torch_binding.cpp"),
             os.path.abspath("../out/src/kernel.cpp")],
    # Where it is compiled: paths here hold blanks.
    extra_cflags=["-O2", "-std=c++17", "-I."],
    is_python_module=False,
    build_directory=made,
)
if not hasattr(torch.library, "register_fake"):
    torch.library.register_fake = lambda name: lambda function: function
sys.path.insert(0, made)
import avogit_softmax

x = torch.randn(64, 1024)
y = avogit_softmax.softmax(x)
assert torch.allclose(y, torch.softmax(x.double(), 1).float(), atol=1e-6)
try:
    avogit_softmax.softmax(x[:3])
except ValueError as e:
    assert "rows=3" in str(e), e
else:
    raise AssertionError("a size that was not checked")
print("it computes")
EOF

test_expect_success 'it compiles, is registered by the name of the build, and computes' '
	MAX_JOBS=1 $python ../use.py >../log 2>&1 || { tail -n 30 ../log; false; } &&
	grep "it computes" ../log
'

test_done
