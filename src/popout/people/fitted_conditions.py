"""Fits of several conditions: counts of models, means over people, differences within people.

Means over people and paired differences (`popout.people.conditions`) compare the same quantity of
the same model; `common_model` is the one of least AIC, summed over all fits. Only what the trials
determine is compared. Guidance, which may be infinite, is compared as g/(1 + g).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from popout.drawing.representation import listing, with_error
from popout.people.conditions import MINUS, means_over_people, paired_differences
from popout.people.fit_job import YARDSTICK

if TYPE_CHECKING:
    from popout.people.fitted_observers import ObserverFits

Key = str | tuple[str, str]
"""An observer; or observer and condition, where one is taken apart."""
INDEX = ("wasted_ms", "excess_percent", "implied_time_cost")
MEASURES = ("guidance/(1 + guidance)", *INDEX)
"""That a card shows of conditions."""


def conditions_of(fits: Mapping[Key, ObserverFits]) -> dict[str, list[ObserverFits]]:
    """Return the fits by condition; empty if none is taken apart."""
    found: dict[str, list[ObserverFits]] = {}
    for one in fits.values():
        if one.condition is not None:
            found.setdefault(one.condition, []).append(one)
    return found


def best_counts(some: Iterable[ObserverFits]) -> dict[str, int]:
    """Return for how many observers each model is the best, most first."""
    return dict(Counter(one.best.model for one in some if one.best).most_common())


def best_words(fits: Mapping[Key, ObserverFits]) -> dict[str, str]:
    """Return by condition for how many observers each model is best, in words."""
    return {
        name: listing([f"{m} for {n} of {len(some)}" for m, n in best_counts(some).items()]) or "-"
        for name, some in conditions_of(fits).items()
    }


def common_model(fits: Mapping[Key, ObserverFits], free: bool = False) -> str | None:
    """Return the search model that was fitted everywhere and has the least AIC in all.

    Parameters
    ----------
    fits : mapping of ObserverFits
    free : bool
        Whether only models with free thresholds count, which have an index.
    """
    total: dict[str, list[float]] = {}
    for one in fits.values():
        for record in one.records:
            if record.model != YARDSTICK and (record.index is not None or not free):
                total.setdefault(record.model, []).append(record.aic)
    whole = {name: sum(each) for name, each in total.items() if len(each) == len(fits)}
    return min(whole, key=lambda name: whole[name], default=None)


def _values(fits: Mapping[Key, ObserverFits]) -> pd.DataFrame:
    """Return every quantity that is determined: observer, condition, model, measure, value."""
    rows = []
    for one in fits.values():
        for record in one.records:
            found = {k: (record.index or {}).get(k) for k in INDEX}
            for name, each in record.fitted["parameters"].items():
                if name == "guidance" and each["determined"]:
                    g = each["value"]  # JSON has no infinity
                    found[MEASURES[0]] = 1.0 if g is None else g / (1 + g)
                elif name != "guidance":
                    found[name] = each["value"]
            names = {**one.group.as_dict(), "model": record.model}
            rows += [{**names, "measure": k, "value": v} for k, v in found.items() if v is not None]
    return pd.DataFrame(rows, columns=["observer", "condition", "model", "measure", "value"])


def condition_means(fits: Mapping[Key, ObserverFits]) -> pd.DataFrame:
    """Return means over people of parameters and indices, by model, measure and condition.

    Over the observers whose trials determine the quantity, ``n`` of them.
    """
    return means_over_people(_values(fits), by=("model", "measure"))


def condition_differences(fits: Mapping[Key, ObserverFits]) -> pd.DataFrame:
    """Return paired differences of conditions of parameters and indices, by model and measure.

    Over the observers whose trials determine the quantity in both conditions, ``n`` of them.
    """
    return paired_differences(_values(fits), by=("model", "measure"))


def conditions_dict(fits: Mapping[Key, ObserverFits]) -> dict[str, Any]:
    """Return what ``--json`` prints of conditions: counts of models, means, differences."""
    split = conditions_of(fits)
    means = condition_means(fits).to_dict("records") if split else []
    return {
        "conditions": [
            {
                "condition": name,
                "observers": len(some),
                "best": best_counts(some),
                "means": [row for row in means if row["condition"] == name],
            }
            for name, some in split.items()
        ],
        "differences": condition_differences(fits).to_dict("records") if split else [],
    }


def condition_rows(fits: Mapping[Key, ObserverFits]) -> list[tuple[str, str, str, str, str]]:
    """Return model, measure, condition or difference, value and observers, in words.

    Of the model of least AIC in all, and of the indices of the one with free thresholds.
    """
    best, free = common_model(fits), common_model(fits, free=True)
    means = condition_means(fits).assign(what=lambda table: table["condition"])
    apart = condition_differences(fits).rename(columns={"difference": "mean"})
    apart = apart.assign(what=apart["condition"] + MINUS + apart["against"])
    rows = []
    for row in pd.concat([means, apart], ignore_index=True).to_dict("records"):
        if row["model"] == (free if row["measure"] in INDEX else best):
            words = with_error(row["mean"], row["se"]) if row["n"] > 1 else "-"
            rows.append((row["model"], row["measure"], row["what"], words, str(row["n"])))
    places = {quantity: k for k, quantity in enumerate(dict.fromkeys(row[:2] for row in rows))}
    return sorted(rows, key=lambda row: places[row[:2]])


def condition_words(fits: Mapping[Key, ObserverFits]) -> dict[str, str]:
    """Return what a card says of each condition and difference."""
    found: dict[str, dict[str, list[str]]] = {}
    for model, measure, what, words, n in condition_rows(fits) if conditions_of(fits) else ():
        if measure in MEASURES:
            said = f"{measure.replace('_', ' ')} {words} (n = {n})"
            found.setdefault(what, {}).setdefault(model, []).append(said)
    return {
        what: "; ".join(f"under {model} {', '.join(said)}" for model, said in each.items())
        for what, each in found.items()
    }
