"""``popout simulate``: trials of one strategy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

import popout as po
from popout.cli.names import STRATEGIES, Name
from popout.cli.options import (
    json_option,
    problem_options,
    seed_option,
    threads_option,
    trials_option,
    tune_trials_option,
)
from popout.cli.output import write_json, write_table
from popout.cli.progress import progress
from popout.cli.quantities import Quantity

if TYPE_CHECKING:
    from popout.simulation import Summary


@click.command(
    "simulate",
    epilog="""\b
Examples:
  popout simulate --strategy sprt --drift 4 --locations 2 --time-cost 0.2
  popout simulate --strategy a-sprt --drift 4 --locations 8 --time-cost 0.2 --json""",
)
@click.option(
    "--strategy",
    "name",
    type=Name("NAME", STRATEGIES),
    required=True,
    help=f"{', '.join(STRATEGIES[:-1])} or {STRATEGIES[-1]}.",
)
@problem_options
@trials_option(100_000, "Trials to run.")
@tune_trials_option
@click.option(
    "--time-limit",
    type=Quantity("seconds", "60"),
    default=None,
    help="When a trial counts as undecided. [default: when practically none is left]",
)
@seed_option
@threads_option
@json_option
def command(
    task: po.SearchTask,
    costs: po.Costs,
    name: str,
    trials: int,
    tune_trials: int,
    time_limit: float | None,
    seed: int,
    as_json: bool,
) -> None:
    """Simulate trials of one strategy.

    Thresholds are those of discrimination, solved exactly; scales (a-sprt) or thresholds (sprt-opt)
    that are free are tuned first, on other trials.
    """
    from popout.analysis.named import named

    with progress("preparing the strategy"):
        made = named(name, task, costs, n_trials=tune_trials, seed=seed)
    strategy, errors = made.strategy, made.errors
    with progress("simulating") as update:
        tally = po.simulate(
            task,
            strategy,
            trials,
            seed,
            time_limit=time_limit,
            keep=False,
            progress=lambda done: update(done / trials, ""),
        )
    summary = tally.summary(costs)
    if as_json:
        write_json(_result(name, strategy, errors, summary, seed))
    else:
        _show(strategy, errors, summary)


def _parameters(strategy: po.Strategy) -> dict[str, float]:
    keys = ("tau_minus", "tau_plus", "a_minus", "a_plus")
    return {key: getattr(strategy, key) for key in keys if hasattr(strategy, key)}


def _error(se: float | None) -> str:
    """Return the error of a tuned parameter in words; nothing for one that was not tuned."""
    if se is None:
        return ""
    return f" +- {se:.2g}" if math.isfinite(se) else " (not determined by these trials)"


def _result(
    name: str, strategy: po.Strategy, errors: dict[str, float], summary: Summary, seed: int
) -> dict[str, Any]:
    sides = {"present": summary.present, "absent": summary.absent}
    return {
        "strategy": name,
        "parameters": _parameters(strategy),
        "parameters_se": errors,
        "trials": summary.n_trials,
        "seed": seed,
        "risk": summary.risk,
        "risk_se": summary.risk_se,
        "error_rate": {side: found.error_rate for side, found in sides.items()},
        "error_rate_se": {side: found.error_rate_se for side, found in sides.items()},
        "mean_rt": {side: found.mean_rt for side, found in sides.items()},
        "mean_rt_se": {side: found.mean_rt_se for side, found in sides.items()},
        "undecided": summary.undecided,
    }


def _show(strategy: po.Strategy, errors: dict[str, float], summary: Summary) -> None:
    label = getattr(strategy, "label", type(strategy).__name__)
    numbers = ", ".join(
        f"{key} {value:.4g}{_error(errors.get(key))}"
        for key, value in _parameters(strategy).items()
    )
    note = f"{label}: {numbers}." if numbers else ""
    if summary.undecided:
        note += f" {summary.undecided} trials undecided: the risk is a lower bound."
    write_table(
        f"{label}: risk {summary.risk:.5f} +- {summary.risk_se:.5f}",
        ("target", "trials", "errors", "s.e.", "mean RT (s)", "s.e.", "median", "undecided"),
        [
            (
                side.condition,
                side.n_trials,
                side.error_rate,
                side.error_rate_se,
                side.mean_rt,
                side.mean_rt_se,
                side.quantiles[2],
                side.undecided,
            )
            for side in (summary.absent, summary.present)
        ],
        note=note,
    )
