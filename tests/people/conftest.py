import pytest

from popout.people import fit
from popout.people.observers import fit_observers
from popout.people.reading import read_trials

from .lookalikes import trials


@pytest.fixture(scope="session")
def observers():
    """Trials of two made-up observers."""
    table = trials(n=240, sizes=(4, 8)).rename(columns={"said": "response"})
    return read_trials(table)


@pytest.fixture(scope="session")
def serial_fits(observers, tmp_path_factory):
    """Serial models, whose tables need no simulation, and the yardstick, fitted to one of them."""
    names = ("ideal-serial", "free-serial", "ex-gaussian")
    out = tmp_path_factory.mktemp("fits")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POPOUT_CACHE", str(tmp_path_factory.mktemp("tables")))
        patch.setattr(fit, "_SHORT", 60)  # how good the fits are is of no matter here
        patch.setattr(fit, "_LONG", 120)
        return fit_observers(observers.choose(["ag"]), out, models=names, paths=1000, workers=1)
