"""Plant mistakes in the science, one at a time, and say which of them no test notices.

``make mutants`` runs it; it takes minutes on many cores and about an hour on two, so it is no
part of ``make test``. The mistakes are in ``mistakes.toml``: a place, what stands there, what is
planted, and what a user would see. Each is tried on a copy of the project with the mirrored test
file and those that the entry names besides, after all of these have passed on a clean copy.
Kernels that were compiled with a mutated module, directly or through others, are compiled anew:
Numba looks at the date of one file alone.

An entry with ``survives`` says why no test can be expected to notice; any other survivor makes
the run fail.
"""

from __future__ import annotations

import argparse
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).with_name("mistakes.toml")
LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", "node_modules", "site", "results", "dist", ".*_cache", ".hypothesis"
)
IMPORT = re.compile(r"^\s*(?:from|import) (popout[\w.]*)(?: import ([\w, ()]+))?", re.MULTILINE)


@dataclass(frozen=True)
class Mistake:
    """One mistake: where, what stands there, what is planted, and what a user would see."""

    id: str
    at: str
    old: str
    new: str
    shows: str
    tests: tuple[str, ...] = ()
    survives: str = ""

    @property
    def source(self) -> str:
        """The file, from the root of the project."""
        return f"src/popout/{self.at}"

    @property
    def all_tests(self) -> list[str]:
        """The mirrored test file, where there is one, and those named besides."""
        folder, _, name = self.at.rpartition("/")
        mirrored = f"tests/{folder}/test_{name}"
        return [mirrored] * (ROOT / mirrored).exists() + list(self.tests)

    def fault(self) -> str:
        """Return what is wrong with the entry itself, or nothing."""
        path = ROOT / self.source
        if not path.exists():
            return f"{self.id}: there is no {self.source}"
        times = path.read_text().count(self.old)
        if times != 1:
            return f"{self.id}: {self.old!r} stands {times} times in {self.source}, expected once"
        missing = [test for test in self.all_tests if not (ROOT / test.split("::")[0]).exists()]
        if missing or not self.all_tests:
            return f"{self.id}: expected tests that exist, got {missing or 'none'}"
        return ""


def read_mistakes() -> list[Mistake]:
    """Return the list that is kept in the repository."""
    entries = tomllib.loads(LIST.read_text())["mistake"]
    return [Mistake(**{**entry, "tests": tuple(entry.get("tests", ()))}) for entry in entries]


def dependents(source: Path, of: Path) -> set[Path]:
    """Return the modules that import one of them, directly or through others, and itself."""
    importers: dict[str, set[Path]] = {}
    for path in source.rglob("*.py"):
        for module, names in IMPORT.findall(path.read_text()):
            for name in ["", *re.findall(r"\w+", names)]:
                importers.setdefault(f"{module}.{name}".rstrip("."), set()).add(path)
    reached, left = {of}, [of]
    while left:
        imported = left.pop()
        name = ".".join(imported.relative_to(source.parent).with_suffix("").parts)
        for path in importers.get(name.removesuffix(".__init__"), set()) - reached:
            reached.add(path)
            left.append(path)
    return reached


def run_tests(folder: Path, tests: Iterable[str], seconds: float, *more: str) -> tuple[bool, str]:
    """Return whether tests pass, and the first that does not."""
    paths = os.pathsep.join([str(folder / "src"), os.environ.get("PYTHONPATH", "")])
    settings = {"PYTHONPATH": paths, "CI": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *more, *tests]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, **settings},
            timeout=seconds,
            capture_output=True,
            text=True,
        )
    except subprocess.TimeoutExpired:
        return False, "does not end"
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    last = failed[1] if failed else (done.stdout + done.stderr).strip().splitlines()[-1]
    return done.returncode == 0, last


def plant(mistake: Mistake, clean: Path, folder: Path, seconds: float) -> str:
    """Return which test notices a mistake that is planted in a folder; nothing if none does."""
    shutil.rmtree(folder / "src", ignore_errors=True)
    shutil.copytree(clean / "src", folder / "src")
    path = folder / mistake.source
    path.write_text(path.read_text().replace(mistake.old, mistake.new))
    for module in dependents(folder / "src" / "popout", path):
        for cached in (module.parent / "__pycache__").glob(f"{module.stem}.*"):
            cached.unlink()
    passed, first = run_tests(folder, mistake.all_tests, seconds)
    return "" if passed else first


def main() -> None:
    """Plant what is asked for and print which mistakes survive."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("only", nargs="*", help="identifiers; all mistakes when left out")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=600.0, help="limit of one mistake's tests")
    asked = parser.parse_args()
    mistakes = [m for m in read_mistakes() if not asked.only or m.id in asked.only]
    if faults := [fault for mistake in mistakes if (fault := mistake.fault())]:
        sys.exit("\n".join(faults))
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        clean = Path(temporary) / "clean"
        shutil.copytree(ROOT, clean, ignore=LEFT_OUT)
        tests = list(dict.fromkeys(test for mistake in mistakes for test in mistake.all_tests))
        passed, first = run_tests(clean, tests, 3600.0, "-n", str(asked.workers))
        if not passed:
            sys.exit(f"the tests have to pass before anything is planted: {first}")
        folders: queue.Queue[Path] = queue.Queue()
        for k in range(asked.workers):
            shutil.copytree(clean, Path(temporary) / str(k))
            folders.put(Path(temporary) / str(k))

        def try_out(mistake: Mistake) -> str:
            folder = folders.get()
            test = plant(mistake, clean, folder, asked.seconds)
            folders.put(folder)
            print(f"{mistake.id:6} {test or 'SURVIVED'}", file=sys.stderr, flush=True)
            return test

        with ThreadPoolExecutor(asked.workers) as pool:
            noticed = list(pool.map(try_out, mistakes))
    survivors = [m for m, test in zip(mistakes, noticed, strict=True) if not test]
    for mistake in survivors:
        print(f"{mistake.id}  {mistake.source}: {mistake.shows}")
        print(f"    {mistake.survives or 'not explained'}")
    caught = len(mistakes) - len(survivors)
    share = 100 * caught / len(mistakes)
    minutes = (time.monotonic() - began) / 60
    print(f"{caught} of {len(mistakes)} mistakes noticed ({share:.0f} %), {minutes:.0f} minutes")
    sys.exit(any(not mistake.survives for mistake in survivors))


if __name__ == "__main__":
    main()
