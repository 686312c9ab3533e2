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
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.people.passages.decision_times import (
    DecisionTimes,
    ReshuffledTimes,
    rate_factors,
    table_weights,
)
from popout.people.passages.first_passages import (
    COARSENESS,
    PassageTable,
    make_passages,
    passage_keys,
)
from popout.people.passages.ideal_thresholds import (
    IdealThresholds,
    MeanTimes,
    Stakes,
    descended,
)
from popout.people.passages.reshuffled_passages import make_reshuffled, period_weights
from popout.people.passages.rule_passages import make_rule_passages
from popout.people.passages.stopping_rules import StoppingRule
from popout.progress import Progress, stretch
from popout.reports.store import write_whole
from popout.simulation.simulator import default_threads
from popout.task import Faults, InputError

Array = NDArray[np.float64]
GUIDANCE = (0.0, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, math.inf)
"""Powers g for which tables exist; between them laws are interpolated."""

VERSION = 1
"""Of the walks and transforms; raise it whenever a table of the same settings would differ."""
RESHUFFLED_VERSION, RULES_VERSION = 1, 1
"""The same for dynamic displays, and for stopping rules."""


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
        self._made: dict[tuple[int, float, float], PassageTable] = {}
        self._times: dict[tuple[float, ...], DecisionTimes] = {}
        self._ideal: dict[tuple[float, ...], IdealThresholds] = {}
        self._moving: dict[tuple[int, float, float], IdealThresholds] = {}
        self._rules: dict[tuple[StoppingRule, tuple[float, ...]], tuple[PassageTable, ...]] = {}

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
        self,
        set_size: int,
        guidance: float,
        progress: Progress | None = None,
        period: float = math.inf,
    ) -> PassageTable:
        """Return the table of a set size, a guidance and a period, made if need be.

        A period is the information within it; the periods that there are depend on the set size
        (`reshuffled_passages.periods`).
        """
        key = (set_size, guidance, period)
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

    def reshuffled_times(
        self, guidances: tuple[float, ...], information: Array, part: int | None = None
    ) -> ReshuffledTimes:
        """Return the laws of decision times in dynamic displays.

        Parameters
        ----------
        guidances : tuple of float
        information : ndarray of shape (n_sizes,)
            Median information within a period.
        part : int, optional
            Of the paths.
        """
        how = (self.set_sizes, guidances, tuple(information.tolist()), part)
        return ReshuffledTimes(self._moving_table, *how)

    def reshuffled_thresholds(
        self,
        log_cost: Array,
        guidances: tuple[float, ...],
        weights: Array,
        information: Array,
        sigma: float,
        stakes: Stakes,
    ) -> tuple[Array, Array]:
        r"""Return the best thresholds in dynamic displays, shape (n_sizes,) each.

        Trials of the log rate s take :math:`e^{-s}` times the mean time for their period. Newton's
        method begins at the mean of what is best for each of them.

        Parameters
        ----------
        log_cost, weights, stakes
            As for `IdealThresholds`.
        guidances, information
            As for `reshuffled_times`.
        sigma : float
            Standard deviation of the log rate between trials.
        """
        s, shares = np.transpose(rate_factors(sigma))
        shares = shares * np.exp(-s - 0.5 * sigma**2)  # the cost of time is that of the mean rate
        tau = np.empty((len(self.set_sizes), 2))
        for i, M in enumerate(self.set_sizes):
            keys, by_table = table_weights(M, guidances, weights, information[i] * np.exp(s))
            each = log_cost[i : i + 1], np.ones(1), stakes
            best = [np.ravel(self._moving_ideal(M, *key)(*each)) for key in keys]
            tau[i] = shares @ by_table @ best / shares.sum()
            if sigma == 0.0 or len({period for _, period in keys}) == 1:
                continue
            tables = [self._moving_table(M, *key) for key in keys]
            times = MeanTimes(*tables, shares=shares, by_table=by_table)

            def risk(x: Array, times: MeanTimes = times, cost: float = log_cost[i]) -> Array:
                wrong, time = times(np.exp(x[..., 0]), np.exp(x[..., 1]), stakes)
                return np.asarray(wrong + math.exp(cost) * time)

            tau[i] = np.exp(descended(risk, np.log(tau[i : i + 1]), 2))
        return tau[:, 0], tau[:, 1]

    def _moving_ideal(self, *key: Any) -> IdealThresholds:
        if key not in self._moving:
            self._moving[key] = IdealThresholds([[self._moving_table(*key)]])
        return self._moving[key]

    def last(self, information: Array, sigma: float) -> bool:
        """Whether displays of all set sizes last, so that they are as good as static.

        Parameters
        ----------
        information, sigma
            As for `reshuffled_thresholds`.
        """
        if np.isinf(information).all():
            return True
        least = math.exp(min(s for s, _ in rate_factors(sigma)))
        both = zip(information.tolist(), self.set_sizes, strict=True)
        return all(period_weights(own * least, M) == {math.inf: 1.0} for own, M in both)

    def _moving_table(self, set_size: int, guidance: float, period: float) -> PassageTable:
        return self.passages(set_size, guidance, period=period)

    def rule_passages(
        self, rule: StoppingRule, visibilities: tuple[float, ...], progress: Progress | None = None
    ) -> tuple[PassageTable, ...]:
        """Return the tables of a stopping rule by kind of display (`rule_passages`)."""
        key = (rule, visibilities)
        if key not in self._rules:
            about = {"rule": list(map(str, astuple(rule))), "visibilities": list(visibilities)}
            path = self._file({**about, "rules": RULES_VERSION, **self._drawn})
            counts = self._read(path).get("counts")
            if counts is None:
                how = (self.n_paths, self.seed, self.threads, progress)
                made = make_rule_passages(rule, visibilities, *how)
                counts = np.stack([table.counts for table in made])
                self._write(path, counts=counts)
            self._rules[key] = tuple(PassageTable(len(visibilities), 0.0, each) for each in counts)
        return self._rules[key]

    @property
    def _drawn(self) -> dict[str, Any]:
        """What simulated tables depend on beside the observer."""
        streams = passage_keys(self.seed).tolist()
        return {"n_paths": self.n_paths, "coarseness": self.coarseness, "streams": streams}

    def _path(self, set_size: int, guidance: float, period: float = math.inf) -> Path:
        parameters = {"set_size": set_size, "guidance": str(guidance), "version": VERSION}
        if not math.isinf(period):
            parameters |= {"period": period, "reshuffled": RESHUFFLED_VERSION}
        if not math.isinf(guidance) or 0.0 < period < math.inf:  # the others are exact
            parameters |= self._drawn
        return self._file(parameters)

    def _file(self, parameters: dict[str, Any]) -> Path:
        key = hashlib.sha256(json.dumps(parameters, sort_keys=True).encode()).hexdigest()
        return self.folder / f"passages-{key[:24]}.npz"

    def _read(self, path: Path) -> dict[str, Any]:
        try:
            with np.load(io.BytesIO(path.read_bytes())) as stored:
                return dict(stored)
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return {}

    def _write(self, path: Path, **arrays: Any) -> None:
        content = io.BytesIO()
        np.savez_compressed(content, **arrays)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(path, content.getvalue())
        except (OSError, InputError):
            pass  # a folder that takes no files costs time, not results

    def _stored(self, set_size: int, guidance: float, period: float) -> PassageTable | None:
        stored = self._read(self._path(set_size, guidance, period))
        if "counts" not in stored:
            return None
        slower = float(stored.get("slower", 0.0))
        return PassageTable(set_size, guidance, stored["counts"], slower)

    def _new(
        self, set_size: int, guidance: float, period: float, progress: Progress | None
    ) -> PassageTable:
        how = (self.n_paths, self.seed, self.threads, progress, self.coarseness)
        if math.isinf(period):
            table = make_passages(set_size, guidance, *how)
        else:
            table = make_reshuffled(set_size, guidance, period, *how)
        self._write(
            self._path(set_size, guidance, period), counts=table.counts, slower=table.slower
        )
        return table
