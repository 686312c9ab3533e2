import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def reference():
    """The module reference.py beside this file (tests are not a package)."""
    path = Path(__file__).with_name("reference.py")
    spec = importlib.util.spec_from_file_location("exact_reference", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
