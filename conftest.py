"""Set-up for every test: how Hypothesis searches, and plots without a screen."""

import gc
import os

os.environ.setdefault("MPLBACKEND", "Agg")

import pytest
from hypothesis import settings

# A deadline would fail whichever example first compiles a kernel.
settings.register_profile("local", deadline=None)
# The same examples on every run: a red build means the change is at fault. Repeated, more of them
# would find nothing new; other examples are tried wherever the tests run outside CI.
settings.register_profile(
    "ci", parent=settings.get_profile("local"), derandomize=True, max_examples=50
)
settings.load_profile("ci" if os.environ.get("CI") else "local")

# Alembic runs it, with a connection; it cannot be imported.
collect_ignore = ["src/popout/web/lab/migrations/env.py"]
# Sphinx reads the first two; pages that are copied there are tested where they stand.
collect_ignore_glob = ["docs/conf.py", "docs/_extensions/*", "docs/project/*", "docs/notebooks/*"]


def pytest_configure():
    """Let each of several workers compute with one thread; tests of threads ask for two."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        import numba

        numba.set_num_threads(1)


def pytest_collection_modifyitems(items):
    """Begin with the pages: one worker waits for a browser while the others compute."""
    items.sort(key=lambda item: "tests/web/" not in item.nodeid)


def pytest_collection_finish():
    """Leave what is loaded by now to no further search for garbage."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def coarse_pictures():
    """Draw raster pictures with few pixels, and tell those who look closely how many there were."""
    from popout.drawing import style

    dpi = style.PRINT_DPI
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(style, "PRINT_DPI", 60)
        yield dpi
