# In Python: a package that lies on the disk as long as this process lives.
import atexit
import importlib
import shutil
import sys


def _load():
    if NAMESPACE not in sys.modules:
        folder = tempfile.mkdtemp(prefix="avogit-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        _write(os.path.join(folder, NAMESPACE))
        sys.path.insert(0, folder)
        try:
            importlib.import_module(NAMESPACE)
        finally:
            sys.path.remove(folder)
    return sys.modules[NAMESPACE].load()
