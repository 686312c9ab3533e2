"""Long work of the tables: shared out over processes, and kept as it comes.

Processes are forked where the system can, so that the tables of first passages which the first
process has loaded are in all of them at no cost.
"""

import json
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import lru_cache

from popout.people.passages.passage_tables import PassageTables
from popout.reports.store import write_whole


@lru_cache(maxsize=2)
def tables_of(set_sizes, n_paths, guidances=()):
    """Return tables, those of some guidances ready for use; the same ones within a process."""
    tables = PassageTables(set_sizes, n_paths)
    tables.prepare(guidances)
    return tables


def share_out(work, jobs, processes):
    """Yield the key and the result of each job as it is done; one that fails is said and left out.

    Parameters
    ----------
    work : callable
    jobs : mapping
        Arguments of `work` by key.
    processes : int
    """
    start = "fork" if "fork" in multiprocessing.get_all_start_methods() else None
    context = multiprocessing.get_context(start)
    with ProcessPoolExecutor(processes, context) as pool:
        pending = {pool.submit(work, *args): key for key, args in jobs.items()}
        for done, job in enumerate(as_completed(pending), 1):
            key = pending[job]
            try:
                yield key, job.result()
            except Exception as error:
                print(f"{key} failed: {type(error).__name__}: {error}", file=sys.stderr)
            print(f"{done} of {len(pending)} done", file=sys.stderr, flush=True)


def kept_in(path):
    """Return what a file keeps; nothing if there is none."""
    return json.loads(path.read_text()) if path.exists() else {}


def keep(path, data):
    """Write a file whole or not at all."""
    write_whole(path, json.dumps(data).encode())
