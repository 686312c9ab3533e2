from pathlib import Path

import pytest

from popout.study.assignment import Assignment
from popout.study.effort import Effort
from popout.study.study import Study
from popout.task import Costs, SearchTask

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "examples" / "tasks").glob("*.toml"))
# Where attention decides what is observed there is nothing to analyse before it is chosen.
EXAMPLES = [path for path in FILES if path.stem != "limited"]
TINY = Effort(
    name="tiny",
    rtol=1e-2,
    exact_equal=2,
    exact_unequal=2,
    path_trials=400,
    score_trials=1000,
    exact_trials=500,
    regret_trials=500,
    tune_trials=1000,
    numbers=1_000_000,
    cost_factors=(2.0,),
)


@pytest.fixture
def tiny():
    return TINY


@pytest.fixture
def undrawn(monkeypatch):
    """Spare the time that pictures take."""
    monkeypatch.setattr("popout.report.runner.picture", lambda figure, kind: kind.encode())


@pytest.fixture
def blank(undrawn, monkeypatch):
    """Spare the time that figures take, too, where a report is about something else."""
    from popout.study.analyse import SECTIONS

    for part in SECTIONS:
        monkeypatch.setattr(part.module, "draw", lambda data: None)


@pytest.fixture(scope="session")
def sections():
    """Return a function from the name of a section to its data, for two locations, made once."""
    from popout.study.analyse import SECTIONS

    study = Study(Assignment(SearchTask(n_locations=2, drift=4.0), Costs(time=0.5), TINY, 1))

    def data(name):
        for part in SECTIONS:
            if part.name not in study.data:
                study.data[part.name] = part.module.compute(study, lambda share, words: None)
            if part.name == name:
                return study.data[name]
        raise KeyError(name)

    return data
