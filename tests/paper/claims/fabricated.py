"""Fabricated data for every claim, and changes to them on which it holds or does not hold."""

import json
import math

import numpy as np
import xarray as xr

from popout.paper.claims.claim import Verdict
from popout.paper.claims.uncertainty import STATES

SIDES = ["absent", "present"]
COSTS, SIZES = [0.2, 1.0], [2, 3, 8]
ATTENTION = ["parallel", "guided, g = 1", "serial"]
HARDMAXES = ["Hardmax", "Hardmax per location"]
EQUAL = ["a-SPRT", "SPRT-opt", "SPRT", "Hardmax"]
MEASURES = ("excess", *(f"{w}_{k}" for w in ("mean_rt", "error_rate") for k in SIDES))


def dataset(variables, coords, **attrs):
    """Return data that are zero, with named dims and coordinates."""
    sizes = {dim: len(values) for dim, values in coords.items()}
    data = {name: (dims, np.zeros([sizes[d] for d in dims])) for name, dims in variables.items()}
    return xr.Dataset(data, coords={d: (d, list(v)) for d, v in coords.items()}, attrs=attrs)


def blank():
    """Return one small dataset for every figure and table that a claim needs, all zero."""
    cell = ("time_cost", "set_size", "strategy")
    pair = ("drifts", "time_cost", "strategy")
    boundary = ("case", "remaining", "side", "difference")
    grown = ("drift", "set_size")
    return {
        "lossless": dataset({"largest_difference": ("case",)}, {"case": ["tied", "free"]}),
        "scene-bias": dataset(
            {
                name: ("visibility",)
                for name in (
                    *("rms", "towards_zero", "towards_zero_se", "information_lost"),
                    *("information_lost_se", "error_rate", "more_errors", "more_errors_se"),
                )
            },
            {"visibility": [0.0, 16.0]},
            trials=1000,
            seconds=0.5,
        ),
        "horizon": dataset(
            {
                "risk": boundary[:2],
                "boundary_sum": boundary,
                "stationary_boundary_sum": ("case", "side", "difference"),
                "drift": ("case",),
                "time_cost": ("case",),
            },
            {"case": [0], "remaining": [5.0, 15.0, 30.0], "side": SIDES, "difference": [0.0, 2.0]},
        ),
        "paper-grid": dataset(
            {
                "risk": ("case", "bins"),
                "distance": ("case", "bins", "side"),
                "risk_range": ("case", "end"),
                **{n: ("case",) for n in ("risk_exact", "risk_error_exact", "time_cost")},
                "drift": ("case", "location"),
            },
            {
                "case": [0],
                "location": [1, 2],
                "bins": [1000, 2000],
                "end": [5.0, 10.0, 20.0],
                "side": SIDES,
            },
        ),
        "biased-prior": dataset(
            {
                "shift_less_log_m": ("case", "set_size", "side"),
                "shift_change": ("case", "set_size", "side"),
                "drift": ("case",),
                "time_cost": ("case",),
            },
            {"case": [0], "set_size": [1, 2], "side": SIDES},
        ),
        "scales": dataset(
            {
                "scale": ("case", "pair", "side"),
                "scale_change": ("case", "side"),
                "excess": ("case", "pair"),
                "excess_se": ("case", "pair"),
                "drift": ("case",),
                "time_cost": ("case",),
                "scale_times_tau": ("order", "side"),
            },
            {
                "case": [0, 1],
                "pair": ["fitted", "one for all costs", "printed", "printed, in decades"],
                "side": SIDES,
                "order": ["as printed", "locations exchanged"],
            },
        ),
        "larger-sets": dataset(
            {
                **{n: grown for n in ("risk", "excess", "excess_se", "excess_change", "nodes")},
                **{
                    n: (*grown, "side")
                    for n in ("scale", "scale_change", "largest", "asymptote", "asymptote_change")
                },
            },
            {"drift": [4.0], "set_size": [2, 3, 4], "side": SIDES},
        ),
        "certified-sets": dataset(
            {"gap": grown, "gap_se": grown}, {"drift": [12.0], "set_size": [8, 32]}
        ),
        "conjecture-regime": dataset(
            {
                "largest": ("case", "side"),
                **{n: ("case",) for n in ("excess", "excess_se", "excess_change")},
                **{n: ("prior", "time_ratio") for n in ("skewed_excess", "skewed_excess_se")},
                "rival_gain": ("many",),
                "rival_gain_se": ("many",),
            },
            {
                "case": [0, 1],
                "side": SIDES,
                "prior": [0.2, 0.5],
                "time_ratio": [1.0, 5.0],
                "many": [0, 1],
            },
        ).assign_coords(
            set_size=("case", [2, 3]),
            ratio=("case", [0.05, 0.2]),
            many_size=("many", [8, 32]),
            many_ratio=("many", [0.25, 0.25]),
        ),
        "asymptotics": dataset(
            {
                **{n: ("time_cost",) for n in ("excess", "excess_error")},
                **{n: ("rate",) for n in ("threshold", "threshold_off", "rt_off")},
                "power": (),
            },
            {"time_cost": [1.0, 0.1, 0.01], "rate": [0.1, 0.01]},
        ),
        "uncertainty": dataset(
            {
                **{f"risk_{n}": ("unknown",) for n in ("known", "unknown")},
                **{f"risk_{n}_se": ("unknown",) for n in ("known", "unknown")},
                "step_difference": ("state",),
            },
            {"unknown": ["kind of distractor", "set size"], "state": list(STATES)},
        ),
        "decisions": dataset(
            {
                "mean_rt": ("strategy", "class"),
                "rt_error": ("strategy",),
                "both_positive": ("drift",),
                "both_positive_se": ("drift",),
                "single_risk": ("single",),
                "single_risk_error": ("single",),
            },
            {
                "strategy": ["optimal", "SPRT", "Hardmax"],
                "class": SIDES,
                "drift": [2.0, 12.0],
                "single": ["optimal", "SPRT"],
            },
        ),
        "time-varying": dataset(
            {
                "optimal_risk": (),
                **{n: ("knots",) for n in ("regret", "regret_se", "gain", "gain_se")},
            },
            {"knots": [1, 7]},
        ),
        "optimal-thresholds": dataset(
            {
                **{f"risk_{n}": ("case",) for n in ("fitted", "exact")},
                **{f"risk_error_{n}": ("case",) for n in ("fitted", "exact")},
                "misfit_largest": ("case", "side"),
                "drift": ("case", "location"),
                "time_cost": ("case",),
            },
            {"case": [0, 1], "side": SIDES, "location": [1, 2]},
        ),
        "strategies-2d": dataset(
            {
                "boundary": ("strategy", "side", "difference", "location"),
                "risk": ("strategy",),
                "risk_error": ("strategy",),
                "count": ("side", "statistic", "bin"),
                "mean": ("side", "statistic"),
                "standard_deviation": ("side", "statistic"),
                "spread_at_time": ("side", "statistic"),
                "spread_at_time_se": ("side", "statistic"),
                "step_sd": (),
            },
            {
                "strategy": ["optimal", "a-SPRT", "SPRT", "Hardmax"],
                "side": SIDES,
                "difference": [0.0, 5.0],
                "location": [1, 2],
                "statistic": ["S", "scaled S"],
                "bin": [-1.0, 1.0],
            },
            drift=4.0,
            time_cost=0.2,
        ),
        "homogeneous-risk": dataset(
            {
                "risk": cell,
                **{n: cell for n in MEASURES},
                **{f"{n}_se": cell for n in MEASURES},
                "optimal_risk": cell[:2],
                **{f"optimal_{n}{end}": cell[:2] for n in MEASURES[1:] for end in ("", "_se")},
            },
            {"time_cost": COSTS, "set_size": SIZES, "strategy": EQUAL},
            largest_exact=3,
        ),
        "unequal-drift-risk": dataset(
            {
                "risk": pair,
                "risk_error": pair,
                **{
                    f"{n}{end}": (*pair, "condition")
                    for n in ("error_rate", "mean_rt")
                    for end in ("", "_error")
                },
                "drift": ("drifts", "location"),
            },
            {
                "drifts": [0, 1],
                "time_cost": COSTS,
                "strategy": ["optimal", "a-SPRT", "SPRT-opt", *HARDMAXES],
                "condition": ["absent", "easy", "hard"],
                "location": [1, 2],
            },
        ),
        "where-to-look": dataset(
            {
                "risk": ("case", "attention"),
                "risk_error": ("case", "attention"),
                "limit_risk": ("limit",),
                "limit_risk_error": ("limit",),
                "drift": ("case",),
                "time_cost": ("case",),
            },
            {"case": [0, 1], "attention": [*ATTENTION, "optimal"], "limit": ["serial", "optimal"]},
        ).assign_coords(locations=("case", [2, 3])),
        "slopes-and-errors": dataset(
            {
                **{f"rt_slope_{k}{end}": ("attention",) for k in SIDES for end in ("", "_se")},
                **{
                    f"error_rate_{k}{end}": ("set_size", "attention")
                    for k in SIDES
                    for end in ("", "_se")
                },
            },
            {"set_size": [3, 18], "attention": ATTENTION},
        ),
        "worth-a-look": dataset(
            {name: ("time_cost", "factor") for name in ("risk", "risk_error", "boundary")},
            {"time_cost": [0.1], "factor": [0.4, 0.9, 1.1, 2.0]},
            moved=0.05,
        ),
    }


def base():
    """Return data on which nothing is divided by zero; what a claim asks is set on top."""
    data = blank()
    for table, name in (
        *(("scene-bias", "error_rate"), ("horizon", "risk"), ("paper-grid", "risk")),
        *(("paper-grid", "risk_range"), ("paper-grid", "risk_exact"), ("scales", "scale")),
        *(("scales", "scale_times_tau"), ("larger-sets", "risk"), ("larger-sets", "scale")),
        *(("uncertainty", "risk_known"), ("uncertainty", "risk_unknown")),
        *(("decisions", "mean_rt"), ("decisions", "single_risk"), ("larger-sets", "nodes")),
        *(("time-varying", "optimal_risk"), ("optimal-thresholds", "risk_exact")),
        *(("optimal-thresholds", "risk_fitted"), ("strategies-2d", "risk")),
        *(("strategies-2d", "count"), ("strategies-2d", "standard_deviation")),
        ("strategies-2d", "spread_at_time"),
        *(("strategies-2d", "step_sd"), ("homogeneous-risk", "risk")),
        *(("homogeneous-risk", "optimal_risk"), ("unequal-drift-risk", "risk")),
        *(("unequal-drift-risk", "mean_rt"), ("where-to-look", "risk")),
        *(("where-to-look", "limit_risk"), ("worth-a-look", "risk")),
        *(("slopes-and-errors", "rt_slope_absent"), ("slopes-and-errors", "rt_slope_present")),
    ):
        data[table][name][...] = 1.0
    for kind in SIDES:
        data["homogeneous-risk"][f"mean_rt_{kind}"][...] = 1.0
        data["homogeneous-risk"][f"optimal_mean_rt_{kind}"][...] = 1.0
    data["scales"]["drift"][...] = [2.0, 4.0]
    data["optimal-thresholds"]["drift"][...] = [[2.0, 2.0], [8.0, 3.0]]
    data["unequal-drift-risk"]["drift"][...] = [[5.0, 1.0], [20.0, 1.0]]
    return data


def put(table, name, value, **where):
    """Return a change: these values of a variable, at these coordinates."""
    return table, name, value, where


def risk(strategy, value, **where):
    return put("homogeneous-risk", "excess", value / 100, strategy=strategy, **where)


def unequal(strategy, value, **where):
    return put("unequal-drift-risk", "risk", 1 + value / 100, strategy=strategy, **where)


def outwards(strategy, side, value):
    """Move a boundary outwards by this many nats."""
    sign = 1.0 if side == "present" else -1.0
    return put(
        "strategies-2d", "boundary", sign * value / math.sqrt(2), strategy=strategy, side=side
    )


def rt(strategy, kind, value):
    return put("decisions", "mean_rt", value, strategy=strategy, **{"class": kind})


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


def follows(examination, holding, failing):
    """Assert that the verdict follows the data, and that without numbers nothing is decided."""
    claim = examination.examine(changed(holding))
    assert claim.verdict is Verdict.HOLDS, [c for c in claim.checks if c.outcome != "passes"]
    if failing is not None:
        claim = examination.examine(changed(failing))
        assert claim.verdict is Verdict.FAILS, [c for c in claim.checks if c.outcome != "fails"]
    data = base()
    for one in data.values():
        for key in set(one.data_vars) - {"drift", "time_cost"}:
            one[key][...] = math.nan
    claim = examination.examine(data | short(data))
    assert claim.verdict is Verdict.UNDECIDED
    json.dumps(claim.as_dict(), allow_nan=False)
