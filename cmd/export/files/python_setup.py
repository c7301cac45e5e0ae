"""Installs the operator. The kernel is Python: nothing is compiled."""
import json
import os

from setuptools import setup

FOLDER = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(FOLDER, "export.json"), encoding="utf-8") as f:
    facts = json.load(f)
package = os.path.join(FOLDER, facts["package"])
files = [
    os.path.relpath(os.path.join(folder, name), package)
    for folder, _, names in os.walk(os.path.join(package, "kernel"))
    for name in names
    if os.path.basename(folder) != "__pycache__"
]

setup(
    name=facts["package"],
    version="0.0.0+" + facts["commit"][:12],
    packages=[facts["package"]],
    package_data={facts["package"]: files},
    zip_safe=False,
)
