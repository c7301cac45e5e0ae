"""The task's reference, which is a file of Python: reference/."""
import importlib.util
import os
import sys

import torch

from @PACKAGE@ import _arguments, _task

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference")


class Reference:
    def __init__(self):
        path = os.path.join(FOLDER, _task.REFERENCE_FILE)
        spec = importlib.util.spec_from_file_location("reference_of_task", path)
        self.module = importlib.util.module_from_spec(spec)
        # Where dataclasses look it up.
        sys.modules[spec.name] = self.module
        spec.loader.exec_module(self.module)

    def call(self, name, arguments, wide):
        passed = _task.reference_passed(**_task.sizes(*arguments))
        given, made = _arguments.arguments(passed, arguments, wide)
        with torch.no_grad():
            getattr(self.module, name)(*given)
        return made

    def reference(self, *arguments):
        """Its outputs of floating types are float64."""
        return self.call(_task.REFERENCE, arguments, True)

    def plain(self, *arguments):
        return self.call(_task.PLAIN, arguments, False)


_loaded = []


def load():
    if not _loaded:
        _loaded.append(Reference())
    return _loaded[0]
