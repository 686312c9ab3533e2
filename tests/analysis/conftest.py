import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def oracle():
    """The class `Oracle` of oracle.py beside this file (tests are not a package)."""
    spec = importlib.util.spec_from_file_location("oracle", Path(__file__).with_name("oracle.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Oracle


@pytest.fixture(scope="session")
def tau(oracle):
    """Thresholds of discrimination at drift 4/s, cost 0.5/s, dt 10 ms."""
    return oracle((4.0,), 0.5, spacing=0.05).thresholds()
