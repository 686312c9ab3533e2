from pathlib import Path

import pytest

from popout.study.effort import Effort

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples" / "tasks").glob("*.toml"))
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
