import pytest

from popout.paper import FIGURES, Preset, figure_module

TINY = Preset(
    name="tiny",
    rtol=1e-2,
    curve_points=41,
    n_paths=3,
    decision_trials=300,
    set_sizes=(2, 4),
    exact_sizes=(2,),
    score_trials=5_000,
    tune_trials=16_000,
    tune_trials_exact=10_000,
    drift_costs=(0.5,),
    claim_sizes=(2, 3),
    claim_drifts=(12.0,),
)
# Fewer cases than the paper shows, so that the tests take seconds.
SMALLER = {
    "optimal-thresholds": {"CASES": (((2.0, 2.0), 0.5), ((8.0, 3.0), 0.2)), "RTOL": 1e-5},
    "homogeneous-risk": {"TIME_COSTS": (0.5,)},
    "unequal-drift-risk": {"PAIRS": ((5.0, 1.0),)},
}


@pytest.fixture
def tiny():
    return TINY


@pytest.fixture(scope="session")
def computed():
    """Return a function from the name of a figure to its tiny data and reports, computed once."""
    found = {}

    def compute(name):
        if name not in found:
            module, reports = figure_module(name), []
            with pytest.MonkeyPatch.context() as patch:
                for key, value in SMALLER.get(name, {}).items():
                    patch.setattr(module, key, value)
                data = module.compute(TINY, 3, lambda share, words: reports.append(share))
            found[name] = data, reports
        return found[name]

    return compute


@pytest.fixture(params=FIGURES)
def name(request):
    return request.param
