"""Captions of our own: what each figure shows, in numbers taken from its data.

One function for each figure, from data to sentences. A sentence that compares says which way the
numbers go, so other data give another sentence; none of them is decided in advance.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import xarray as xr

from popout.report.words import fixed, listing, percent, ranged

__all__ = ["CAPTIONS", "caption_of"]

Sentences = tuple[str, ...]


def caption_of(name: str, data: xr.Dataset) -> Sentences:
    """Return the sentences under a figure.

    Parameters
    ----------
    name : str
        Of the figure, see `popout.paper.FIGURES`.
    data : Dataset
        What the figure was drawn from.
    """
    return CAPTIONS[name](data)


def search_designs(data: xr.Dataset) -> Sentences:
    """Describe the displays."""
    M = data.sizes["location"]
    shown = data["tilt"].notnull().sum("location")
    parts = []
    for design in data["design"].to_numpy():
        one = data.sel(design=design)
        tilts = one["tilt"].to_numpy()
        other = tilts[np.isfinite(tilts) & (tilts != 0)]
        counts = np.unique(shown.sel(design=design))
        words = f"distractors at {listing([f'{v:g}°' for v in np.unique(other)])}"
        if counts.size > 1 or counts[0] < M:
            words += f", {listing([str(int(n)) for n in counts], 'or')} items on {M} locations"
        parts.append(f"{design}: {words}")
    return (
        f"(a) The screens of a trial. (b-d) Displays with {M} locations drawn from three designs, "
        "with a target (TP, upper row, the target in colour for the reader) and without (TA): "
        f"{'; '.join(parts)}.",
        "(e) The model behind all three: presence C, the target's location, the mixture φ that "
        "distractors are drawn from, the orientation at each location, and what is observed.",
    )


def homogeneous_search(data: xr.Dataset) -> Sentences:
    """Describe sample paths and thresholds."""
    low, high = data["tau"].to_numpy()
    t = float(data["time"][-1])
    gain, loss = (float(data[f"mean_{kind}"][-1]) / t for kind in ("target", "distractor"))
    spread = float(data["Z_target"].isel(time=-1).std("trial", ddof=1))
    rt = {
        str(kind): float(_looks(data["Z_optimal"].sel({"class": kind})).mean()) * data.attrs["dt"]
        for kind in data["class"].to_numpy()
    }
    return (
        "(a) Find the item that is tilted differently. (b) The model: presence, place, item, "
        f"observation. (c, d) At drift {data.attrs['drift']:g}/s the local log likelihood ratio "
        f"changes by {fixed(gain, 2)} nats per second on average at the target and by "
        f"{fixed(loss, 2)} at a distractor (thick lines); after {t:g} s the trials shown at the "
        f"target have a standard deviation of {fixed(spread, 2)} nats.",
        f"(e) SPRT watches one number S(t), and stops at {fixed(low)} or {fixed(high)} nats.",
        "(f) The optimum watches the pair of local ratios and stops at a curved boundary "
        f"(cost of time {data.attrs['time_cost']:g}/s). The {data.sizes['trial']} trials of each "
        f"class shown here take {fixed(rt['absent'], 2)} s on average without a target and "
        f"{fixed(rt['present'], 2)} s with one; colour is time.",
    )


def optimal_thresholds(data: xr.Dataset) -> Sentences:
    """Describe the fit of the conjecture and of its extension."""
    same = (data["drift"].diff("location") == 0).all("location")
    equal, unequal = data.sel(case=same), data.sel(case=~same)
    sentences = [
        "Broad lines: exact boundaries in the plane of the two local log likelihood ratios; "
        "dashed: the conjectured surfaces with scales fitted to them."
    ]
    if equal.sizes["case"]:
        drift = float(equal["drift"][0, 0])
        a_minus, a_plus = (equal["scale"].sel(side=side).to_numpy() for side in _SIDES)
        costs = ranged(equal["time_cost"].to_numpy(), 1)
        sentences.append(
            f"(a, b) Drift {drift:g}/s, costs {costs}/s: a₋ = {ranged(a_minus)} and "
            f"a₊ = {ranged(a_plus)}. {_fit(equal)}"
        )
        printed = equal["scale_printed"].isel(case=0)
        loss = (equal["risk_printed"] / equal["risk_exact"] - 1).to_numpy()
        if np.isfinite(loss).all():
            sentences.append(
                f"The scales printed in the paper's caption, a₋ = {float(printed[0]):g} and "
                f"a₊ = {float(printed[1]):g} (dotted), would cost {_range_percent(loss)} more risk "
                "than the optimum."
            )
    if unequal.sizes["case"]:
        pairs = [f"{{{a:g}, {b:g}}}/s" for a, b in unequal["drift"].to_numpy()]
        sentences.append(f"(c, d) The extension, drifts {listing(pairs)}. {_fit(unequal)}")
    return tuple(sentences)


def strategies_2d(data: xr.Dataset) -> Sentences:
    """Describe the order of the boundaries and the spread of S at the decision."""
    optimal = float(data["risk"].sel(strategy="optimal"))
    others = [name for name in data["strategy"].to_numpy() if name != "optimal"]
    order = [
        f"{percent(float(data['risk'].sel(strategy=name)) / optimal - 1)} for {name}"
        for name in others
    ]
    error = float(data["risk_error"].max()) / optimal
    a_minus, a_plus = data["scale"].to_numpy()
    spread, step = data["standard_deviation"], float(data["step_sd"])
    parts = []
    for side in _SIDES:
        S, scaled = (float(spread.sel(side=side, statistic=k)) for k in ("S", "scaled S"))
        times = S / scaled
        parts.append(
            f"target {side}, {S:.2f} nats against {scaled:.2f} of the scaled statistic "
            f"({times:.1f} times)"
        )
    return (
        f"(a, b) Boundaries at drift {data.attrs['drift']:g}/s, cost of time "
        f"{data.attrs['time_cost']:g}/s. The fitted scales are a₋ = {a_minus:.2f} and "
        f"a₊ = {a_plus:.2f}. {_conservative(data)}",
        f"Excess risk over the optimum of {fixed(optimal)}: {'; '.join(order)} (errors of the "
        f"computation below {percent(error)}).",
        f"(c, d) Standard deviation of S(T) when the optimum decides, drift "
        f"{data.attrs['drift_decisions']:g}/s: {'; '.join(parts)}. One step of one location has "
        f"{step:.2f} nats (bar).",
    )


def homogeneous_risk(data: xr.Dataset) -> Sentences:
    """Describe risks against set size."""
    sizes = data["set_size"].to_numpy()
    first, last = int(sizes[0]), int(sizes[-1])
    base = data["risk"].sel(strategy="a-SPRT")
    grows = [
        f"{fixed(float(base.sel(time_cost=c, set_size=first)))} to "
        f"{fixed(float(base.sel(time_cost=c, set_size=last)))} at cost {float(c):g}/s"
        for c in data["time_cost"]
    ]
    return (
        f"Columns: costs of time; drift {data.attrs['drift']:g}/s. From M = {first} to {last} the "
        f"risk of a-SPRT goes from {listing(grows)}.",
        _largest_excess(data),
        f"Up to {data.attrs['largest_exact']} locations the excess is over the exact optimum "
        "(filled), above over tuned a-SPRT on common trials (hollow, bars one standard error).",
        _classes(data),
    )


def unequal_drift_risk(data: xr.Dataset) -> Sentences:
    """Describe risks and trade-offs at unequal drifts."""
    optimal = data["risk"].sel(strategy="optimal")
    sentences = []
    for k in range(data.sizes["drifts"]):
        one = data.isel(drifts=k)
        a, b = one["drift"].to_numpy()
        parts = []
        for name in data["strategy"].to_numpy():
            if name == "optimal":
                continue
            lost = (one["risk"].sel(strategy=name) / optimal.isel(drifts=k) - 1).to_numpy()
            parts.append(f"{name} {_range_percent(lost)}")
        sentences.append(f"{{{a:g}, {b:g}}}/s: {listing(parts)}")
    gap = []
    for name in data["strategy"].to_numpy():
        rate = data["error_rate"].sel(strategy=name)
        ratio = (rate.sel(condition="hard") - rate.sel(condition="easy")).to_numpy()
        gap.append(f"{name} by {fixed(100 * float(np.median(ratio)), 2)}")
    costs = ranged(data["time_cost"].to_numpy(), 1)
    return (
        f"Excess risk over the exact optimum for costs {costs}/s, drifts {'; '.join(sentences)}.",
        "Lower row: error rate against mean RT, one point for each cost. Misses at the hard "
        f"location exceed those at the easy one, in percentage points (median): {listing(gap)}.",
    )


CAPTIONS: dict[str, Callable[[xr.Dataset], Sentences]] = {
    "search-designs": search_designs,
    "homogeneous-search": homogeneous_search,
    "optimal-thresholds": optimal_thresholds,
    "strategies-2d": strategies_2d,
    "homogeneous-risk": homogeneous_risk,
    "unequal-drift-risk": unequal_drift_risk,
}
"""By the name of the figure."""

_SIDES = ("absent", "present")


def _looks(Z: xr.DataArray) -> xr.DataArray:
    """Return the number of steps of each trial: the looks that are not padding, less the first."""
    return Z.isel(location=0).notnull().sum("time_optimal") - 1


def _range_percent(shares: np.ndarray) -> str:
    """Return a range of shares in percent."""
    low, high = (percent(float(v)).removesuffix(" %") for v in (shares.min(), shares.max()))
    return f"{low} %" if low == high else f"{low} to {high} %"


def _fit(data: xr.Dataset) -> str:
    """Say how far the fitted surfaces are from the exact boundary, and what that costs."""
    excess = (data["risk_fitted"] - data["risk_exact"]) / data["risk_exact"]
    error = (data["risk_error_fitted"] + data["risk_error_exact"]) / data["risk_exact"]
    far = float(data["misfit_largest"].max())
    worst = int(np.argmax(excess.to_numpy()))
    size, bound = float(excess[worst]), float(error[worst])
    risk = f"at most {percent(size)} (error of the computation {percent(bound)})"
    if size < bound:
        risk = f"less than the error of the computation, {percent(bound)}"
    return (
        f"They leave the exact boundary by {far:.2f} nats at most; the excess risk is {risk} of "
        "the risk."
    )


def _conservative(data: xr.Dataset) -> str:
    """Say on which side of the optimum the boundary of SPRT lies, where it differs most."""
    Z = data["boundary"].sum("location")  # one boundary is further out where the sum is larger
    parts = []
    for side, sign in (("absent", -1.0), ("present", 1.0)):
        gap = sign * (Z.sel(strategy="SPRT", side=side) - Z.sel(strategy="optimal", side=side))
        far = float(gap[int(np.argmax(np.abs(gap.to_numpy())))]) / 2
        parts.append(f"{side} {fixed(abs(far), 2)} nats {'later' if far > 0 else 'earlier'}")
    return f"Where they differ most, SPRT stops for {listing(parts)} than the optimum."


def _largest_excess(data: xr.Dataset) -> str:
    """Name the largest excess of each strategy, and where it is."""
    exact = data["set_size"] <= data.attrs["largest_exact"]
    base = data["optimal_risk"].where(exact, data["risk"].sel(strategy="a-SPRT"))
    share, se = data["excess"] / base, data["excess_se"] / base
    parts = []
    for name in data["strategy"].to_numpy():
        one = share.sel(strategy=name)
        cost, size = np.unravel_index(int(np.argmax(one.to_numpy())), one.shape)
        if float(one[cost, size]) <= 0:
            continue
        error = float(se.sel(strategy=name)[cost, size])
        number = f"{fixed(100 * float(one[cost, size]), 2)} ± {fixed(100 * error, 1)} %"
        parts.append(
            f"{name} {number} (M = {int(data['set_size'][size])}, "
            f"cost {float(data['time_cost'][cost]):g}/s)"
        )
    return f"Largest excess risk: {listing(parts)}."


def _classes(data: xr.Dataset) -> str:
    """Compare Hardmax with a-SPRT in response time, class by class."""
    parts = []
    for kind in _SIDES:
        rt = data[f"mean_rt_{kind}"]
        change = (rt.sel(strategy="Hardmax") / rt.sel(strategy="a-SPRT") - 1).to_numpy()
        faster, slower = int((change < 0).sum()), int((change > 0).sum())
        parts.append(f"{kind} it is faster in {faster} and slower in {slower} of {change.size}")
    return f"Hardmax against a-SPRT in mean RT: with the target {listing(parts)} cells."
