"""Where the time of the tests goes: processor seconds of each folder, and of compiling each kernel.

    python benchmarks/table_tests.py tests/people tests/exact
    python benchmarks/table_tests.py --cold tests/simulation

Arguments are pytest's. The seconds are those of the processor, children included, in one process:
a busy machine changes them little. With `--cold` the kernels are compiled into an empty cache, as
on a machine that has never run them; without it most of them are read from the disk.
"""

import os
import resource
import sys
import tempfile
import time
from collections import Counter, defaultdict

import pytest
from numba.core import config, event

SHOWN = 12
"""Slowest tests and kernels."""


def processor_seconds():
    """Return the seconds of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


class Compiling(event.Listener):
    """Counts the seconds of every kernel, without those of the kernels that it calls."""

    def __init__(self):
        self.kernels, self.total, self._open = defaultdict(Counter), 0.0, []
        event.register("numba:compile", self)

    def on_start(self, _):
        """Note when it began, and that nothing inside it has taken time yet."""
        self._open.append([time.process_time(), 0.0])

    def on_end(self, happened):
        """Give the kernel its own share, and tell the one around it."""
        began, inside = self._open.pop()
        seconds = time.process_time() - began
        if self._open:
            self._open[-1][1] += seconds
        else:
            self.total += seconds
        function = happened.data["dispatcher"].py_func
        ours = function.__module__.startswith("popout.")
        name = f"{function.__module__}.{function.__name__}" if ours else "functions of Numba's own"
        self.kernels[name].update(times=1, seconds=seconds - inside)


class Costs:
    """A plugin of pytest that counts the seconds of every test, with the fixtures it begins."""

    def __init__(self):
        self.compiling, self.tests, self.folders = Compiling(), {}, defaultdict(Counter)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        """Count one test."""
        began, compiled = processor_seconds(), self.compiling.total
        yield
        seconds = self.tests[item.nodeid] = processor_seconds() - began
        compiled = self.compiling.total - compiled
        folder = "/".join(item.nodeid.split("::")[0].split("/")[:-1][:3])
        self.folders[folder].update(tests=1, seconds=seconds, compiled=compiled)

    def show(self):
        """Print folders, tests and kernels, the slowest first."""
        print("\n| folder | tests | seconds | of them compiling |\n|---|---|---|---|")
        for folder, row in ranked(self.folders, lambda row: row["seconds"]):
            print(f"| {folder} | {row['tests']} | {row['seconds']:.0f} | {row['compiled']:.0f} |")
        print("\n| test | seconds |\n|---|---|")
        for name, seconds in ranked(self.tests, float)[:SHOWN]:
            print(f"| {name} | {seconds:.1f} |")
        print("\n| kernel | compiled or read | seconds, without what it calls |\n|---|---|---|")
        for name, row in ranked(self.compiling.kernels, lambda row: row["seconds"])[:SHOWN]:
            print(f"| {name} | {row['times']} times | {row['seconds']:.1f} |")


def ranked(table, size):
    """Return the entries of a table, the largest first."""
    return sorted(table.items(), key=lambda entry: -size(entry[1]))


def main(arguments):
    cold = "--cold" in arguments
    costs = Costs()
    with tempfile.TemporaryDirectory() as empty:
        if cold:
            os.environ["NUMBA_CACHE_DIR"] = config.CACHE_DIR = empty
        arguments = [each for each in arguments if each != "--cold"]
        code = pytest.main(["-q", "-p", "no:cacheprovider", *arguments], plugins=[costs])
    costs.show()
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
