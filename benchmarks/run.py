"""Run every benchmark of this folder, each in a process of its own, one table each.

A benchmark is a script ``bench_<subject>.py`` that prints its table and exits with 0. Give subjects
to run only those: ``python benchmarks/run.py evidence``.
"""

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main() -> int:
    benchmarks = {
        path.stem.removeprefix("bench_"): path for path in sorted(HERE.glob("bench_*.py"))
    }
    parser = argparse.ArgumentParser(description="Run the benchmarks, one table each.")
    parser.add_argument("subject", nargs="*", help="default: all")
    chosen = parser.parse_args().subject or list(benchmarks)
    if unknown := set(chosen) - set(benchmarks):
        parser.error(f"expected subjects from {list(benchmarks)}, got {sorted(unknown)}")
    failed = []
    for subject in chosen:
        print(f"\n== {subject} ==", flush=True)
        if subprocess.run([sys.executable, str(benchmarks[subject])]).returncode:
            failed.append(subject)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
