"""Small tables, and plain references that share no code with the package."""

from functools import partial

import numpy as np
import pytest

from popout.people.fitting import fit_job, maximum_likelihood, recovery
from popout.people.fitting.fit_observers import fit_observers
from popout.people.fitting.frontier import index_of
from popout.people.passages.passage_tables import PassageTables
from popout.people.reading.reader import read_trials

from .lookalikes import trials


@pytest.fixture(scope="session")
def tables(tmp_path_factory):
    """Return tables of one and four items; noisy, and made in a second."""
    return PassageTables([1, 4], n_paths=10_000, seed=3, folder=tmp_path_factory.mktemp("tables"))


def shorten(patch, tried=10):
    """Let searches be as bad as they like, and intervals of indices as well."""
    short = {"_TRIED": tried, "_ANYWHERE": tried, "_KEPT": 1, "_SHAKES": (), "_BETTER": np.inf}
    short |= {"_STAGES": ((1000, 2),), "_ROUNDS": 2, "_PROFILE_ROUNDS": 1}
    for name, value in short.items():
        patch.setattr(maximum_likelihood, name, value)
    for module in (fit_job, recovery):
        patch.setattr(module, "index_of", partial(index_of, n_draws=2))


def wiener_density(u, tau_minus, tau_plus, n_terms=300):
    """Return the densities of leaving at -tau_minus and tau_plus; drift -2, variance 4 per u.

    The eigenfunction series (Feller, volume II) of leaving (0, a) at 0 from z.
    """
    u, a, n = np.asarray(u, float)[:, None], tau_minus + tau_plus, np.arange(1, n_terms + 1)

    def leaving_at_zero(z, drift):
        waves = n * np.sin(np.pi * n * z / a) * np.exp(-2.0 * (np.pi * n / a) ** 2 * u)
        return 4.0 * np.pi / a**2 * np.exp(-drift * z / 4 - drift**2 / 8 * u[:, 0]) * waves.sum(1)

    return np.array([leaving_at_zero(tau_minus, -2.0), leaving_at_zero(tau_plus, 2.0)])


@pytest.fixture(scope="session")
def wiener():
    """Return P(answer before a time | absent) between two boundaries, by quadrature of a series."""

    def distribution(times, tau_minus, tau_plus):
        fine = np.linspace(2e-4, max(times), 20_000)
        density = wiener_density(fine, tau_minus, tau_plus)
        rising = (np.cumsum(density, axis=1) - 0.5 * density) * (fine[1] - fine[0])
        return np.array([np.interp(times, fine, each) for each in rising])

    return distribution


@pytest.fixture(scope="session")
def observers():
    """Return the trials of two made-up observers."""
    return read_trials(trials(n=240, sizes=(1, 4)).rename(columns={"said": "response"}))


@pytest.fixture(scope="session")
def fits(observers, tables, tmp_path_factory):
    """Return three models fitted to one of them; how good the fits are is of no matter here."""
    names = ("ideal-parallel", "free-parallel", "ex-gaussian")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POPOUT_CACHE", str(tables.folder))
        shorten(patch)
        one = observers.choose(["ag"])
        out = tmp_path_factory.mktemp("fits")
        paths, seed = tables.n_paths, tables.seed
        return fit_observers(one, out, models=names, paths=paths, seed=seed, workers=1)
