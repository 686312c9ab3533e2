"""Fabricated data for every claim, and changes to them on which it holds or does not hold."""

import re

import numpy as np
import xarray as xr

from popout.paper.claims.uncertainty import STATES

SIDES = ["absent", "present"]
COSTS, SIZES = [0.2, 1.0], [2, 3, 8]
ATTENTION = ["parallel", "guided, g = 1", "serial"]
PERIODS = [0.5, 1.0, 2.0, 4.0, 8.0]
GREEDY = ["MAP", "ELM", "ideal searcher"]
HARDMAXES = ["Hardmax", "Hardmax per location"]
EQUAL = ["a-SPRT", "SPRT-opt", "SPRT", "Hardmax"]


def dataset(variables, attrs=None, **coords):
    """Return data from names by their dims: zero or what is said, ~ adds a standard error."""
    data = {}
    for dims, names in variables.items():
        shape = [len(coords[dim]) for dim in dims.split()]
        for word in re.sub(r"(\S+)~", r"\1 \1_se", names).split():
            name, _, value = word.partition("=")
            data[name] = dims.split(), np.full(shape, float(value or 0.0))
    return xr.Dataset(data, {dim: list(values) for dim, values in coords.items()}, attrs)


def base():
    """Return a small dataset for every figure and table that a claim needs.

    Nothing is divided by zero; what a claim asks is set on top.
    """
    point = "display fixation_cost information spacing"
    cell, pair = "time_cost set_size strategy", "drifts time_cost strategy"
    rates = " ".join(f"mean_rt_{kind}=1 mean_rt_{kind}_se error_rate_{kind}~" for kind in SIDES)
    optimal = " ".join(f"optimal_{name}" for name in rates.replace("~", "").split())
    optimal += " optimal_error_rate_absent_se optimal_error_rate_present_se"
    data = {
        "lossless": dataset({"case": "largest_difference"}, case=["tied", "free"]),
        "scene-bias": dataset(
            {"visibility": "rms towards_zero~ information_lost~ error_rate=1 more_errors~"},
            {"trials": 1000, "seconds": 0.5},
            visibility=[0.0, 16.0],
        ),
        "horizon": dataset(
            {
                "case": "drift time_cost",
                "case remaining": "risk=1",
                "case remaining side difference": "boundary_sum",
                "case side difference": "stationary_boundary_sum",
            },
            **{"case": [0], "remaining": [5.0, 15.0, 30.0], "side": SIDES, "difference": [0, 2.0]},
        ),
        "paper-grid": dataset(
            {
                "case": "risk_exact=1 risk_error_exact time_cost",
                "case bins": "risk=1",
                "case bins side": "distance",
                "case end": "risk_range=1",
                "case location": "drift",
            },
            **{"case": [0], "location": [1, 2], "bins": [1000, 2000], "side": SIDES},
            end=[5.0, 10.0, 20.0],
        ),
        "biased-prior": dataset(
            {"case": "drift time_cost", "case set_size side": "shift_less_log_m shift_change"},
            **{"case": [0], "set_size": [1, 2], "side": SIDES},
        ),
        "scales": dataset(
            {
                "case": "drift time_cost",
                "case pair": "excess~",
                "case side": "scale_change",
                "case pair side": "scale=1",
                "order side": "scale_times_tau=1",
            },
            **{"case": [0, 1], "side": SIDES, "order": ["as printed", "locations exchanged"]},
            pair=["fitted", "one for all costs", "printed", "printed, in decades"],
        ),
        "larger-sets": dataset(
            {
                "drift set_size": "risk=1 excess~ excess_change nodes=1",
                "drift set_size side": "scale=1 scale_change largest asymptote asymptote_change",
            },
            **{"drift": [4.0], "set_size": [2, 3, 4], "side": SIDES},
        ),
        "certified-sets": dataset({"drift set_size": "gap~"}, drift=[12.0], set_size=[8, 32]),
        "conjecture-regime": dataset(
            {
                "case": "excess~ excess_change",
                "case side": "largest",
                "prior time_ratio": "skewed_excess~",
                "many": "rival_gain~",
            },
            **{"case": [0, 1], "side": SIDES, "prior": [0.2, 0.5], "time_ratio": [1.0, 5.0]},
            many=[0, 1],
        ).assign_coords(
            set_size=("case", [2, 3]),
            ratio=("case", [0.05, 0.2]),
            many_size=("many", [8, 32]),
            many_ratio=("many", [0.25, 0.25]),
        ),
        "asymptotics": dataset(
            {
                "": "power",
                "time_cost": "excess excess_error",
                "rate": "threshold threshold_off rt_off",
            },
            **{"time_cost": [1.0, 0.1, 0.01], "rate": [0.1, 0.01]},
        ),
        "uncertainty": dataset(
            {
                "unknown": "risk_known=1 risk_known_se risk_unknown=1 risk_unknown_se",
                "state": "step_difference",
            },
            **{"unknown": ["kind of distractor", "set size"], "state": STATES},
        ),
        "decisions": dataset(
            {
                "strategy": "rt_error",
                "strategy class": "mean_rt=1",
                "drift": "both_positive~",
                "single": "single_risk=1 single_risk_error",
            },
            **{"strategy": ["optimal", "SPRT", "Hardmax"], "class": SIDES, "drift": [2.0, 12.0]},
            single=["optimal", "SPRT"],
        ),
        "time-varying": dataset({"": "optimal_risk=1", "knots": "regret~ gain~"}, knots=[1, 7]),
        "optimal-thresholds": dataset(
            {
                "case": "risk_fitted=1 risk_exact=1 risk_error_fitted risk_error_exact time_cost",
                "case side": "misfit_largest",
                "case location": "drift",
            },
            **{"case": [0, 1], "side": SIDES, "location": [1, 2]},
        ),
        "strategies-2d": dataset(
            {
                "": "step_sd=1",
                "strategy": "risk=1 risk_error",
                "strategy side difference location": "boundary",
                "side statistic": "mean standard_deviation=1 spread_at_time=1 spread_at_time_se",
                "side statistic bin": "count=1",
            },
            {"drift": 4.0, "time_cost": 0.2},
            **{"strategy": ["optimal", "a-SPRT", "SPRT", "Hardmax"], "side": SIDES},
            **{"difference": [0.0, 5.0], "location": [1, 2], "bin": [-1.0, 1.0]},
            statistic=["S", "scaled S"],
        ),
        "homogeneous-risk": dataset(
            {cell: f"risk=1 excess~ {rates}", "time_cost set_size": f"optimal_risk=1 {optimal}"},
            {"largest_exact": 3},
            **{"time_cost": COSTS, "set_size": SIZES, "strategy": EQUAL},
        ),
        "unequal-drift-risk": dataset(
            {
                pair: "risk=1 risk_error",
                f"{pair} condition": "error_rate error_rate_error mean_rt=1 mean_rt_error",
                "drifts location": "drift",
            },
            **{"drifts": [0, 1], "time_cost": COSTS, "location": [1, 2]},
            strategy=["optimal", "a-SPRT", "SPRT-opt", *HARDMAXES],
            condition=["absent", "easy", "hard"],
        ),
        "where-to-look": dataset(
            {
                "case": "drift time_cost",
                "case attention": "risk=1 risk_error",
                "limit": "limit_risk=1 limit_risk_error",
            },
            **{
                "case": [0, 1],
                "attention": [*ATTENTION, "optimal"],
                "limit": ["serial", "optimal"],
            },
        ).assign_coords(locations=("case", [2, 3])),
        "slopes-and-errors": dataset(
            {
                "attention": " ".join(f"rt_slope_{kind}=1 rt_slope_{kind}_se" for kind in SIDES),
                "set_size attention": "error_rate_absent~ error_rate_present~",
            },
            **{"set_size": [3, 18], "attention": ATTENTION},
        ),
        "worth-a-look": dataset(
            {"time_cost factor": "risk=1 risk_error boundary"},
            {"moved": 0.05},
            **{"time_cost": [0.1], "factor": [0.4, 0.9, 1.1, 2.0]},
        ),
        "memory": dataset(
            {
                "case": "limit=3",
                "case attention period": "risk=2 risk_se",
                "glimpse": "glimpse_limit=1",
                "glimpse attention": "glimpse_risk=1 glimpse_risk_se",
            },
            **{"case": [0, 1, 2], "attention": [*ATTENTION, "optimal"], "glimpse": [0]},
            period=[*PERIODS, np.inf],
        ).assign_coords(
            set_size=("case", [2, 2, 8]),
            time_cost=("case", [0.02, 0.001, 0.001]),
            glimpse_size=("glimpse", [2]),
            glimpse_information=("glimpse", [0.125]),
        ),
        "greedy-gaze": dataset(
            {
                f"{point} rule": "risk=1 risk_error",
                f"{point} rule fixation": "path",
                point: "end_first=1 end_first_error",
            },
            **{"display": ["line", "square"], "fixation_cost": [0.01]},
            **{"information": [2.0, 8.0], "spacing": [1.0, 4.0], "rule": [*GREEDY, "optimal"]},
            fixation=[0, 1],
        ),
        "fixation-durations": dataset(
            {"rate saccade": "duration~"}, rate=[10.0, 40.0], saccade=[0.04, 0.16]
        ),
        "many-places": dataset(
            {"places rule": "risk=1 excess~"}, places=[19], rule=[*GREEDY, "random but for 3"]
        ),
    }
    data["memory"]["risk"].loc[{"period": np.inf}] = 1.0
    data["scales"]["drift"][...] = [2.0, 4.0]
    data["optimal-thresholds"]["drift"][...] = [[2.0, 2.0], [8.0, 3.0]]
    data["unequal-drift-risk"]["drift"][...] = [[5.0, 1.0], [20.0, 1.0]]
    return data


def changed(changes):
    """Return the data with these changes, with the paper's steps and with shorter ones."""
    data = base()
    for table, name, value, where in changes:
        data[table][name].loc[where] = value
    return data | short(data)


def short(data):
    """Return the tables with shorter steps: here, what there is with the paper's."""
    steps = xr.DataArray([0.001], dims="dt", name="dt")
    both = xr.merge(
        [data["strategies-2d"], data["decisions"][["mean_rt", "rt_error"]]], join="outer"
    )
    tables = {**data, "both": both}
    return {
        name: tables[source].expand_dims(dt=steps)
        for name, source in (
            ("short-steps-2d", "both"),
            ("short-steps-equal", "homogeneous-risk"),
            ("short-steps-unequal", "unequal-drift-risk"),
        )
    }
