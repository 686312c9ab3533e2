import pytest
from paper_recursion import Oracle


@pytest.fixture(scope="session")
def tau():
    """Thresholds of discrimination at drift 4/s, cost 0.5/s, dt 10 ms."""
    return Oracle((4.0,), 0.5, spacing=0.05).thresholds()
