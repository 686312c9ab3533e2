"""Section: strategies compared.

Panels: (a) excess risk with its standard error; (b) error rates against mean response times, by
class. Free parameters were tuned on other trials than those scored here.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from popout.certificate import Certificate
from popout.drawing.representation import listing
from popout.drawing.style import dot, key, look_of, panel, styled
from popout.progress import Progress, stretch
from popout.reports.contest import Entry, certificate_of
from popout.reports.page import Table
from popout.reports.study import Study, StudyPart
from popout.reports.words import fixed, percent, sentence, threshold, with_error

CLASSES, SE = ("absent", "present"), ("", "_se")
MEASURES = (
    *("risk", "risk_se", "excess", "excess_se", "undecided", "trials", "converged"),
    *(f"{what}_{kind}{se}" for kind in CLASSES for what in ("error_rate", "mean_rt") for se in SE),
)
MOST_ERRORS = 3.0
"""Standard errors by which two estimates may differ by chance."""
PARAMETERS = ("tau_minus", "tau_plus", "a_minus", "a_plus", "seconds")
SYMBOLS = {"tau_minus": "τ₋", "tau_plus": "τ₊", "a_minus": "a₋", "a_plus": "a₊", "seconds": "T"}


def compute(study: Study, progress: Progress) -> xr.Dataset:
    """Return risks, excesses, error rates, response times and parameters of every strategy."""
    contest = study.contest(stretch(progress, 0.0, 0.5))
    entries = contest.entries
    bound = None
    if contest.solution is None:
        part = stretch(progress, 0.5, 1.0)
        bound = certificate_of(study, entries[0].strategy, part)
    rows = [{**entry.row(), "converged": entry.converged} for entry in entries]
    numbers = [[entry.parameters.get(name, math.nan) for name in PARAMETERS] for entry in entries]
    places = {
        f"{what}_at": [[getattr(at, what) for at in entry.summary.locations] for entry in entries]
        for what in ("error_rate", "mean_rt")
    }
    notes = list(contest.notes(study))
    return xr.Dataset(
        {
            **{name: (("strategy",), [float(row[name]) for row in rows]) for name in MEASURES},
            **{name: (("strategy", "location"), values) for name, values in places.items()},
            "parameter": (("strategy", "parameter_name"), numbers),
            **({"note": (("notes",), notes)} if notes else {}),
        },
        coords={
            "strategy": [entry.name for entry in entries],
            "parameter_name": list(PARAMETERS),
            "location": ("location", list(study.places)),
        },
        attrs={
            "reference": contest.reference,
            "solved": int(contest.solution is not None),
            "why_not": contest.why_not,
            "guess_risk": study.guess_risk,
            "alike": int(_alike(study)),
            "bound": "" if bound is None else bound_in_words(bound, entries[0]),
        },
    )


def bound_in_words(bound: Certificate, best: Entry) -> str:
    """Say what the certificate says of the strategy that the others are measured against.

    The risk of that strategy in the report, from other trials, may lie below the bound; then it is
    said by how many standard errors.

    Parameters
    ----------
    bound : Certificate
    best : Entry
        The strategy, as scored in the report.
    """
    name, (gap, se) = best.name, bound.gaps[best.name]
    words = (
        f"No strategy whatever risks less than {with_error(bound.lower, bound.lower_se)}: {name} "
        f"could be improved by {with_error(100 * gap, 100 * se)} % of its risk at most"
    )
    if bound.label != name:
        saved = 100 * (1.0 - bound.upper / bound.risks[name][0])
        words += f". A strategy learned from the whole evidence saves {fixed(saved, 2)} %"
    words += (
        f" (a certificate, from {bound.n_trials} trials of its own, in which {name} risks "
        f"{with_error(*bound.risks[name])})."
    )
    below = bound.lower - best.risk.value
    if below <= 0.0:
        return words
    z = below / math.hypot(bound.lower_se, best.risk.se)
    seen = with_error(best.risk.value, best.risk.se)
    words += f" The {seen} above is below that by {fixed(z, 2)} standard errors of the difference: "
    if z <= MOST_ERRORS:
        return words + "the two come from different trials and cross by chance."
    return words + "more than chance allows. Ask for more trials before you trust either."


def _alike(study: Study) -> bool:
    """Whether all locations are the same to the observer."""
    task = study.search or study.task
    drifts = getattr(task, "drifts", (0.0,))
    prior = task.location_prior
    return len(set(drifts)) == 1 and len(set(prior)) == 1


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw excess risks, and errors against time."""
    figure = Figure(figsize=(10.0, 3.9), layout="constrained")
    axes = figure.subplots(1, 2, width_ratios=(1.0, 1.25))
    panel(axes[0], "a", "excess risk")
    _excess(axes[0], data)
    panel(axes[1], "b", "errors against time")
    handles = []
    for number, name in enumerate(data["strategy"].to_numpy()):
        row, look = data.sel(strategy=name), look_of(str(name), number)
        mark: dict[str, Any] = {"color": look.colour, "marker": look.marker or "o", "linestyle": ""}
        for kind in CLASSES:
            face = "white" if kind == "absent" else look.colour
            rt, rt_se = (float(row[f"mean_rt_{kind}{se}"]) for se in SE)
            rate, rate_se = (100 * float(row[f"error_rate_{kind}{se}"]) for se in SE)
            axes[1].errorbar(rt, rate, rate_se, rt_se, mfc=face, markersize=7, capsize=2, **mark)
        handles.append(key(look.label, **mark))
    handles.append(dot("target present (misses)"))
    handles.append(dot("target absent (false alarms)", mfc="white"))
    axes[1].set(xlabel="mean RT (s)", ylabel="error rate (%)")
    axes[1].margins(0.12)
    axes[1].legend(handles=handles, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def _excess(ax: Axes, data: xr.Dataset) -> None:
    """Draw the excess of every strategy as a share of the reference's risk."""
    base = float(data["risk"][0])
    names = [str(name) for name in data["strategy"].to_numpy()]
    value = 100 * data["excess"].to_numpy() / base
    se = 100 * data["excess_se"].to_numpy() / base
    y = np.arange(len(names))
    for k, name in enumerate(names):
        look = look_of(name, k)
        mark: dict[str, Any] = {"color": look.colour, "marker": look.marker or "o", "capsize": 3}
        ax.errorbar(value[k], y[k], xerr=se[k], linestyle="", markersize=7, **mark)
        text = "reference" if k == 0 else f"{with_error(value[k], se[k], digits=1)} %"
        place: dict[str, Any] = {"textcoords": "offset points", "va": "center", "fontsize": 7.5}
        ax.annotate(text, (value[k] + se[k], y[k]), (9, 0), ha="left", **place)
    # Linear as far as the noise reaches, logarithmic beyond.
    rivals = slice(1, -1) if len(names) > 2 else slice(1, None)
    sizes = np.abs(value[rivals])
    smallest = float(sizes[sizes > 0].min()) if sizes.any() else 1.0
    linear = max(smallest, float(se[rivals].max()), 1e-3)
    ax.set_xscale("symlog", linthresh=linear)
    ax.xaxis.set_major_formatter("{x:g}")
    ax.axvline(0, color="0.6", linewidth=0.8)
    top = max(float(np.nanmax(value)), linear)
    # Decades well clear of zero, as far as there are points; beyond is room for the words.
    decades = np.arange(math.ceil(math.log10(3 * linear)), math.floor(math.log10(top)) + 1)
    ax.set_xticks([0.0, *(10.0**decades)])
    low = min(1.5 * float(np.nanmin(value - 2 * se)), -0.4 * linear)
    ax.set(yticks=y, yticklabels=names, xlim=(low, 300 * top))
    ax.set_ylim(len(names) - 0.5, -0.7)
    ax.set_xlabel(f"excess risk over {data.attrs['reference']} (%)")


def notes_of(data: xr.Dataset) -> tuple[str, ...]:
    """Return what looks wrong with the task, a sentence or two each."""
    return tuple(map(str, data["note"].to_numpy())) if "note" in data else ()


def summary(data: xr.Dataset) -> tuple[str, ...]:
    """Say what the first strategy risks and what the others lose; then what looks wrong."""
    return (f"{_risk(data)} {_losses(data)}", *notes_of(data))


def _losses(data: xr.Dataset) -> str:
    """Say what the other strategies lose."""
    names = [str(name) for name in data["strategy"].to_numpy()]
    base = float(data["risk"][0])
    parts = []
    for k, name in enumerate(names[1:], start=1):
        value, se = float(data["excess"][k]), float(data["excess_se"][k])
        share = f"{with_error(value, se, 100 / base)} %"
        unsure = se > 0 and abs(value) <= 2 * se
        parts.append(f"{name} {share}" + (" (within the noise)" if unsure else ""))
    return f"Excess risk over {data.attrs['reference']}: {listing(parts)}."


def _risk(data: xr.Dataset) -> str:
    """Say what the first strategy risks."""
    base = float(data["risk"][0])
    called = "the exact optimum" if data.attrs["solved"] else str(data["strategy"][0].item())
    first = f"{called} risks {with_error(base, float(data['risk_se'][0]))}"
    guess = fixed(data.attrs["guess_risk"])
    if all(float(data[f"mean_rt_{kind}"][0]) == 0.0 for kind in CLASSES):
        return f"Looking does not pay: {first}, which is what guessing at once risks ({guess})."
    return f"{sentence(first)}; guessing at once would risk {guess}."


def describe(data: xr.Dataset) -> tuple[str, ...]:
    """Say what the strategies risk and lose."""
    names = [str(name) for name in data["strategy"].to_numpy()]
    sentences = [
        _risk(data),
        f"(a) {_losses(data)}",
        f"(b) {'Optimum' if data.attrs['solved'] else sentence(names[0])}: "
        f"{percent(float(data['error_rate_absent'][0]))} false alarms after "
        f"{fixed(float(data['mean_rt_absent'][0]))} s and "
        f"{percent(float(data['error_rate_present'][0]))} misses after "
        f"{fixed(float(data['mean_rt_present'][0]))} s on average.",
    ]
    if data.attrs["bound"]:
        sentences.append(data.attrs["bound"])
    loose = [names[k] for k in range(len(names)) if not data["converged"][k]]
    if loose:
        sentences.append(f"The tuning of {listing(loose)} did not converge.")
    left = int(data["undecided"].sum())
    if left:
        sentences.append(
            f"{left} trials were undecided at the time limit; they count as time only."
        )
    return (*sentences, *notes_of(data))


def tables(data: xr.Dataset) -> tuple[Table, ...]:
    """Return the numbers as tables; by location where locations differ."""
    base = float(data["risk"][0])
    rows = []
    for number, name in enumerate(data["strategy"].to_numpy()):
        row = data.sel(strategy=name)
        excess = with_error(float(row["excess"]), float(row["excess_se"]), 100 / base, digits=1)
        rows.append(
            (
                str(name),
                _pair(row, "risk"),
                excess if number else "reference",
                *(_pair(row, f"error_rate_{k}", 100) for k in CLASSES),
                *(_pair(row, f"mean_rt_{k}") for k in CLASSES),
            )
        )
    columns = (
        *("strategy", "risk", "excess (%)", "false alarms (%)", "misses (%)"),
        *("RT absent (s)", "RT present (s)"),
    )
    shown = [Table(columns, tuple(rows), note="Errors are one standard error.")]
    if not data.attrs["alike"] and data.sizes["location"] > 1:
        shown.append(_by_location(data))
    every = ((str(name), _setting(data.sel(strategy=name))) for name in data["strategy"].to_numpy())
    settings = tuple(row for row in every if row[1])  # solved boundaries have none
    note = "τ on the log posterior odds of presence, at onset; T is a deadline or the fixed time."
    return (*shown, Table(("", ""), settings, title="Parameters", note=note))


def _pair(row: xr.Dataset, name: str, factor: float = 1.0) -> str:
    """Return a value with its standard error."""
    return with_error(float(row[name]), float(row[f"{name}_se"]), factor, digits=1)


def _setting(row: xr.Dataset) -> str:
    """Return the parameters of a strategy in a line."""
    parts = []
    for name in PARAMETERS:
        value = float(row["parameter"].sel(parameter_name=name))
        if name.startswith("a_") and value == 1.0:
            continue  # unscaled
        if math.isinf(value):
            parts.append(f"{SYMBOLS[name]} = ∞")
        elif not math.isnan(value):
            unit = " s" if name == "seconds" else ""
            parts.append(f"{SYMBOLS[name]} = {threshold(value)}{unit}")
    return ", ".join(parts)


def _by_location(data: xr.Dataset) -> Table:
    seen = np.isfinite(data["error_rate_at"].to_numpy()).any(axis=0)
    data = data.isel(location=np.flatnonzero(seen))  # the others never hold the target
    columns = ["strategy"]
    for place in data["location"].to_numpy():
        columns += [f"misses at {place} (%)", f"RT at {place} (s)"]
    rows = []
    for name in data["strategy"].to_numpy():
        row = data.sel(strategy=name)
        cells = [str(name)]
        for place in range(data.sizes["location"]):
            cells.append(fixed(100 * float(row["error_rate_at"][place])))
            cells.append(fixed(float(row["mean_rt_at"][place])))
        rows.append(tuple(cells))
    return Table(tuple(columns), tuple(rows), title="With the target at each location")


STRATEGIES = StudyPart(
    "strategies",
    "Strategies compared",
    compute,
    15.0,
    draw,
    describe,
    summary=summary,
    tables=tables,
)
