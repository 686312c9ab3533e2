"""A small study, and parts that cost nothing, so that the runner can be tried at once."""

from pathlib import Path

import pytest
import xarray as xr
from matplotlib.figure import Figure

from popout.reports.analyse import SECTIONS
from popout.reports.page import Table
from popout.reports.part import Part
from popout.reports.study import Effort, Study
from popout.task import Costs, SearchTask

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "examples" / "tasks").glob("*.toml"))
# Where attention decides what is observed there is nothing to analyse before it is chosen.
EXAMPLES = [path for path in FILES if path.stem not in ("limited", "gaze")]
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
    certificate_trials=0,
)


@pytest.fixture
def tiny():
    return TINY


@pytest.fixture(scope="session")
def sections():
    """Return a function from the name of a section to its data, for two locations, made once."""
    study = Study(SearchTask(n_locations=2, drift=4.0), Costs(time=0.5), TINY, 1)

    def data(name):
        for part in SECTIONS:
            if part.name not in study.data:
                study.data[part.name] = part.compute(study, lambda share, words: None)
            if part.name == name:
                return study.data[name]
        raise KeyError(name)

    return data


@pytest.fixture
def computed():
    """What the cheap parts were asked to compute."""
    return []


@pytest.fixture
def cheap(computed, undrawn):
    """Return two parts: one with a picture, and one of numbers alone."""

    def compute(factor, progress):
        computed.append(factor)
        progress(0.5, "half")
        return xr.Dataset({"x": ("k", [factor * 1.0, 2.0])})

    return (
        Part(
            "with-picture",
            "With picture",
            compute,
            effort=3.0,
            draw=lambda data: Figure(),
            describe=lambda data: (f"The first is {float(data['x'][0]):g}.", ""),
            preface=lambda data: ("Before.",),
            tables=lambda data: (Table(("a", "b"), (("one", "2"),)),),
            label="fig-x",
        ),
        Part("of-numbers", "Of numbers", compute, effort=1.0),
    )
