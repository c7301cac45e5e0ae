"""hub-check.py FOLDER: is it a project of the kernel hub's builder, as its
documentation describes edition 5 of build.toml?"""
import ast
import os
import re
import sys
import tomllib

folder = sys.argv[1]


def need(condition, what):
    if not condition:
        raise SystemExit(f"not valid: {what}")


with open(os.path.join(folder, "build.toml"), "rb") as f:
    build = tomllib.load(f)
need(set(build) == {"general", "torch", "kernel"}, f"sections {list(build)}")
general = build["general"]
need(
    set(general) == {"name", "version", "edition", "license", "backends"},
    f"keys {list(general)}",
)
need(re.fullmatch("[a-z][-a-z0-9]*[a-z0-9]", general["name"]), "the name")
need((general["version"], general["edition"]) == (1, 5), "version, edition")
[backend] = general["backends"]
[kernel] = build["kernel"].values()
need(kernel["backend"] == backend and kernel["depends"] == ["torch"], "the kernel")
known = {"backend", "depends", "src", "include", "cxx-flags"}
if backend == "cuda":
    known = known | {"cuda-capabilities", "cuda-flags"}
    for c in kernel["cuda-capabilities"]:
        need(re.fullmatch("[0-9]+[.][0-9][af]?", c), f"capability {c}")
need(set(kernel) <= known, f"keys {list(kernel)}")
listed = build["torch"]["src"] + kernel["src"]
for path in listed + ["flake.nix", "README.md", "CARD.md"]:
    need(os.path.isfile(os.path.join(folder, path)), f"there is no {path}")
compiled = [p for p in listed if p.endswith((".cpp", ".cu", ".cc", ".cxx"))]
need(len(compiled) > 1, "nothing is compiled")
for path in kernel.get("include", []):
    need(os.path.isdir(os.path.join(folder, path)), f"there is no folder {path}")
python = os.path.join(folder, "torch-ext", general["name"].replace("-", "_"))
for name in os.listdir(python):
    with open(os.path.join(python, name), encoding="utf-8") as f:
        tree = ast.parse(f.read())
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for a in node.names:
                need(a.name == "torch" or a.name in sys.stdlib_module_names, a.name)
need("__init__.py" in os.listdir(python), "there is no __init__.py")
