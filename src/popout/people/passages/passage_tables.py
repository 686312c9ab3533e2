"""Tables of first passages on demand: made when first needed, kept in memory and on disk.

A file is named after a hash of everything it depends on: set size, guidance, number of paths, the
random streams, and `VERSION` of the code that computes it. Files appear whole or not at all; one
that cannot be read is made anew. The folder is ``$POPOUT_CACHE``, else ``$XDG_CACHE_HOME/popout``,
else ``~/.cache/popout``; where it takes no files, tables live in memory alone.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from popout.people.passages.decision_times import DecisionTimes
from popout.people.passages.first_passages import (
    COARSENESS,
    PassageTable,
    make_passages,
    passage_keys,
)
from popout.people.passages.ideal_thresholds import IdealThresholds
from popout.progress import Progress, stretch
from popout.reports.store import write_whole
from popout.simulation.simulator import default_threads
from popout.task import Faults, InputError

GUIDANCE = (0.0, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, math.inf)
"""Powers g for which tables exist; between them laws are interpolated."""

VERSION = 1
"""Of the walks and transforms; raise it whenever a table of the same settings would differ."""


def cache_folder() -> Path:
    """Return where tables are kept between runs.

    Examples
    --------
    >>> cache_folder().name
    'popout'
    """
    if given := os.environ.get("POPOUT_CACHE"):
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "popout"


class PassageTables:
    """Tables of first passages of some set sizes.

    Parameters
    ----------
    set_sizes : sequence of int
    n_paths : int
        For each set size and guidance.
    seed : int
    folder : path, optional
        Where to keep them; `cache_folder` when left out.
    threads : int, optional
        Default: all cores. Results do not depend on it.
    coarseness : float
        Largest step of a location in the simulation, see `passage_kernels`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tables = PassageTables([1], n_paths=2000, folder=folder)
    ...     table = tables.passages(1, 0.0)
    ...     len(list(Path(folder).iterdir()))
    1
    """

    def __init__(
        self,
        set_sizes: Sequence[int],
        n_paths: int = 100_000,
        seed: int = 1,
        folder: str | os.PathLike[str] | None = None,
        threads: int | None = None,
        coarseness: float = COARSENESS,
    ) -> None:
        faults = Faults("PassageTables")
        sizes = [faults.integer("set_sizes", M, "count items", at_least=1) for M in set_sizes]
        self.n_paths = faults.integer("n_paths", n_paths, "100000 will do", at_least=2)
        self.seed = faults.integer("seed", seed, "any will do", at_least=0)
        self.coarseness = faults.positive("coarseness", coarseness, "at most 0.5")
        faults.raise_if_any()
        self.set_sizes = tuple(sorted(set(sizes)))
        self.folder = cache_folder() if folder is None else Path(folder)
        self.threads = default_threads() if threads is None else threads
        self._made: dict[tuple[int, float], PassageTable] = {}
        self._times: dict[tuple[float, ...], DecisionTimes] = {}
        self._ideal: dict[tuple[float, ...], IdealThresholds] = {}

    def __repr__(self) -> str:
        """Return one line."""
        return f"PassageTables({list(self.set_sizes)}, n_paths={self.n_paths}, seed={self.seed})"

    def for_sizes(self, set_sizes: Iterable[int]) -> PassageTables:
        """Return tables of other set sizes, made in the same way; these if they have them all."""
        wanted = [*set_sizes]
        if {*wanted} <= {*self.set_sizes}:
            return self
        how = (self.n_paths, self.seed, self.folder, self.threads, self.coarseness)
        return PassageTables(wanted, *how)

    def passages(
        self, set_size: int, guidance: float, progress: Progress | None = None
    ) -> PassageTable:
        """Return the table of a set size and a guidance, made if need be."""
        key = (set_size, guidance)
        if key not in self._made:
            self._made[key] = self._stored(*key) or self._new(*key, progress)
        return self._made[key]

    def prepare(self, guidances: Iterable[float], progress: Progress | None = None) -> None:
        """Make or load the tables of all set sizes for some guidances."""
        wanted = [(M, g) for g in guidances for M in self.set_sizes]
        for i, (M, g) in enumerate(wanted):
            part = stretch(progress, i / len(wanted), (i + 1) / len(wanted), "first passages")
            self.passages(M, g, part)
            part(1.0, "")

    def decision_times(
        self, guidances: tuple[float, ...], part: int | None = None
    ) -> DecisionTimes:
        """Return the laws of decision times for some guidances, ready for interpolation.

        Those of a single part of the paths are not kept: they are needed once.
        """
        if guidances in self._times and part is None:
            return self._times[guidances]
        rows = [[self.passages(M, g) for g in guidances] for M in self.set_sizes]
        times = DecisionTimes(rows, part)
        if part is None:
            self._times[guidances] = times
        return times

    def ideal_thresholds(self, guidances: tuple[float, ...]) -> IdealThresholds:
        """Return the best thresholds for any cost of time, for some guidances."""
        if guidances not in self._ideal:
            rows = [[self.passages(M, g) for g in guidances] for M in self.set_sizes]
            self._ideal[guidances] = IdealThresholds(rows)
        return self._ideal[guidances]

    def _path(self, set_size: int, guidance: float) -> Path:
        parameters = {"set_size": set_size, "guidance": str(guidance), "version": VERSION}
        if not math.isinf(guidance):  # serial attention is not simulated
            parameters |= {"n_paths": self.n_paths, "coarseness": self.coarseness}
            parameters["streams"] = passage_keys(self.seed).tolist()
        key = hashlib.sha256(json.dumps(parameters, sort_keys=True).encode()).hexdigest()
        return self.folder / f"passages-{key[:24]}.npz"

    def _stored(self, set_size: int, guidance: float) -> PassageTable | None:
        try:
            content = io.BytesIO(self._path(set_size, guidance).read_bytes())
            with np.load(content) as stored:
                counts = stored["counts"]
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None
        return PassageTable(set_size, guidance, counts)

    def _new(self, set_size: int, guidance: float, progress: Progress | None) -> PassageTable:
        how = (self.n_paths, self.seed, self.threads, progress, self.coarseness)
        table = make_passages(set_size, guidance, *how)
        content = io.BytesIO()
        np.savez_compressed(content, counts=table.counts)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(self._path(set_size, guidance), content.getvalue())
        except (OSError, InputError):
            pass  # a folder that takes no files costs time, not results
        return table
