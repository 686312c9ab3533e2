"""Try the lowest versions of the dependencies that pyproject.toml allows: ``make lowest``.

Every ``>=`` of the package and of its extras (but for torch, which is large) becomes ``==`` in an
environment of its own; there the package is installed and a quick part of the tests is run. A bound
that fails is to be raised until it holds.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXTRAS = ("parquet", "fit", "web", "postgres")
TOOLS = ["pytest>=8.2", "hypothesis>=6.100", "httpx>=0.27", "jsonschema>=4.20", "psutil>=5.9"]
TESTS = [
    "src/popout/task",
    "src/popout/evidence",
    "src/popout/policies/stopping",
    "src/popout/drawing",
    "src/popout/exact/solver.py",
    "src/popout/simulation",
    "src/popout/people/reading.py",
    "src/popout/people/observers.py",
    "src/popout/people/posterior.py",
    "src/popout/analysis/sweep",
    "tests/task",
    "tests/cli/test_solve.py",
    "tests/cli/test_simulate.py",
    "tests/web/lab/test_laboratory.py",
    "tests/web/lab/test_storage.py",
    "docs/quickstart.md",
    "docs/sweep.md",
]


def lowest() -> list[str]:
    """Return every requirement at its bound."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = list(project["dependencies"])
    for extra in EXTRAS:
        wanted += project["optional-dependencies"][extra]
    return [one.replace("[binary]", "").replace(">=", "==") for one in wanted]


def main(tests: list[str]) -> None:
    """Make the environment and run the tests in it."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        bounds = folder / "bounds.txt"
        bounds.write_text("\n".join(lowest()) + "\n")
        print(bounds.read_text(), flush=True)
        venv.create(folder / "venv", with_pip=True)
        python = folder / "venv" / "bin" / "python"
        install = [python, "-m", "pip", "install", "--quiet", "--constraint", bounds]
        subprocess.run([*install, "-e", f"{ROOT}[{','.join(EXTRAS)}]", *TOOLS], check=True)
        subprocess.run([python, "-m", "pip", "list"], check=True)
        # Old versions of one library warn of new ones of another; that is no fault of ours.
        test = [python, "-m", "pytest", "-q", "-o", "filterwarnings=default"]
        # What is compiled here is of no use to other environments.
        settings = os.environ | {"NUMBA_CACHE_DIR": str(folder / "compiled")}
        subprocess.run([*test, *(tests or TESTS)], cwd=ROOT, env=settings, check=True)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
