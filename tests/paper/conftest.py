import sys

import pytest

from popout.certificate import Effort
from popout.paper import conjecture
from popout.paper.preset import Gaze, Preset
from popout.paper.reproduce import PARTS

TINY = Preset(
    name="tiny",
    rtol=1e-2,
    curve_points=41,
    n_paths=3,
    decision_trials=300,
    set_sizes=(2, 4, 8),
    exact_sizes=(2, 4),
    score_trials=5_000,
    tune_trials=6_000,
    tune_trials_exact=4_000,
    drift_costs=(0.5,),
    claim_sizes=(2, 3),
    claim_drifts=(12.0,),
    grid_drifts=((12.0, 12.0),),
    certified_drifts=(12.0,),
    short_steps=(0.004, 0.003),
    short_sizes=(2, 4),
    memory_sizes=(2, 4),
    memory_periods=(0.5, 2.0, 8.0),
    gaze=Gaze(
        spacings=(1.0, 2.0),
        information=(8.0,),
        rtol_line=2e-2,
        rates=(20.0,),
        saccades=(0.05, 0.1),
        step=0.05,
        places=(7,),
        trials=1000,
        tune_trials=1000,
    ),
)
# Fewer cases than the paper shows, so that the tests take seconds.
SMALLER = {
    "optimal-thresholds": {"CASES": (((2.0, 2.0), 0.5), ((8.0, 3.0), 0.2)), "RTOL": 1e-5},
    "homogeneous-risk": {"TIME_COSTS": (0.5,)},
    "unequal-drift-risk": {"PAIRS": ((5.0, 1.0),)},
    "scene-bias": {"VISIBILITY": (0.0, 16.0)},
    "asymptotics": {"TIME_COSTS": (1.0, 0.1), "RTOL": 1e-4},
    "horizon": {"HORIZON_CASES": ((5.0, 0.2),), "HORIZON_BINS": 140},
    "paper-grid": {"BINS": (100, 200), "RANGE_BIN": 0.2},
    "biased-prior": {"PRIOR_CASES": ((4.0, 0.2),), "PRIOR_SIZES": (1, 2), "PRIOR_BINS": (400, 800)},
    "scales": {"CASES": ((2.0, 0.5), (4.0, 0.2)), "TOLERANCES": (1e-3, 1e-4)},
    "certified-sets": {"CERTIFIED_SIZES": (8,), "TUNE_TRIALS": 10_000},
    "conjecture-regime": {
        "RATIOS": {2: (0.2, 0.5)},
        "STEPS": {2: 20},
        "RTOLS": {2: 1e-4},
        "REGRET_TRIALS": 1000,
        "PRIORS": (0.5,),
        "TIME_RATIOS": (5.0,),
        "MANY": ((8, 0.25),),
        "TUNE_TRIALS": 4_000,
        "SCORE_TRIALS": 4_000,
    },
    "decisions": {"RTOL": 1e-4, "FINE_RTOL": 1e-5, "DRIFTS": (4.0, 12.0)},
    "where-to-look": {
        "CASES": ((2, 4.0, 0.5), (2, 4.0, 1.0)),
        "SHOWN": ((1.0, 1.0), (1.0, 0.8)),
        "NODES": 21,
    },
    "slopes-and-errors": {"SETS": (4, 8), "INFORMATION": 160.0, "COST": 2.0},
    "memory": {"COST": 0.01, "OTHER_COST": 0.02, "GLIMPSES": ((2, 0.125),), "MOST_GUIDED": 2},
    "greedy-gaze": {"DISPLAYS": ("line",)},
    "fixation-durations": {"RTOL": 3e-2, "TRIALS": 2000},
    "worth-a-look": {"COSTS": (0.2,), "FACTORS": (0.4, 0.9, 1.1, 2.0)},
    "short-steps-unequal": {"TIME_COSTS": (0.5, 1.0), "REGRET_TRIALS": 200},
    "time-varying": {"KNOTS": (1, 3), "PATHS": 1000},
}

BEHIND = {"short-steps-equal": "homogeneous-risk", "short-steps-unequal": "unequal-drift-risk"}
QUICK = Effort(first_blocks=16, later_blocks=8, passes=1, log2_points=7, shape=(16, 8))


@pytest.fixture
def tiny():
    return TINY


@pytest.fixture(scope="session")
def computed():
    """Return a function from a figure's or table's name to its tiny data and reports, made once."""
    made = {}
    parts = {part.name: part for part in PARTS}
    modules = {name: sys.modules[part.compute.__module__] for name, part in parts.items()}

    def compute(name):
        if name not in made:
            module, reports = modules[name], []
            with pytest.MonkeyPatch.context() as patch:
                for key, value in SMALLER.get(name, {}).items():
                    patch.setattr(module, key, value)
                if name in BEHIND:  # a table that repeats a figure with other steps
                    for key, value in SMALLER[BEHIND[name]].items():
                        patch.setattr(modules[BEHIND[name]], key, value)
                patch.setattr(conjecture, "EFFORT", QUICK)
                patch.setattr(conjecture, "MOST_TRIALS", 1024)
                data = parts[name].compute(TINY, 3, lambda share, words: reports.append(share))
            made[name] = data, reports
        return made[name]

    return compute


@pytest.fixture
def data(request, computed):
    """Return the tiny data of the figure or table that a module of tests is named after."""
    return computed(request.module.__name__.rpartition("test_")[2].replace("_", "-"))[0]
