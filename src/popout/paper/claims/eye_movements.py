"""What holds beyond the paper, where the eyes move: greedy rules against the optimum."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import xarray as xr

from popout.paper.claims.bounds import ALMOST_ALL, CLOSE, HIGHLY, NOTHING, Bound
from popout.paper.claims.claim import EYES, Check, Claims
from popout.paper.claims.measure import Measured, above, below, independent, with_se, within
from popout.paper.figures.fixation_durations import FIXATION_DURATIONS
from popout.paper.figures.greedy_gaze import (
    GREEDY_GAZE,
    end_first_excess,
    excess_of,
    first_from_centre,
)
from popout.paper.figures.many_places import MANY_PLACES

ELM, IDEAL, MAP = "ELM", "ideal searcher", "MAP"
CLAIMS = Claims(data=(GREEDY_GAZE,), where=EYES, new=True)


def _excess(data: xr.Dataset, rule: str) -> Measured:
    value, error = excess_of(data)
    return within(value.sel(rule=rule, drop=True), error.sel(rule=rule, drop=True))


@CLAIMS.add(
    "No greedy rule comes close to the optimum everywhere: MAP, ELM and the ideal searcher each "
    "fail somewhere.",
    rule="The largest excess risk of each, with its best stopping, is not small.",
)
def every_greedy_rule_fails(greedy_gaze: xr.Dataset) -> Iterator[Check]:
    """Check the largest excess of each rule."""
    for rule in (MAP, ELM, IDEAL):
        yield above(f"{rule}: largest excess risk", _excess(greedy_gaze, rule).largest, CLOSE)


@CLAIMS.add(
    "With three items on a line all three come close everywhere.",
    rule="There the excess risk of each is small at every spacing, information and cost; MAP "
    "begins in the middle.",
)
def all_close_on_a_line(greedy_gaze: xr.Dataset) -> Iterator[Check]:
    """Check the excess of each rule on the line."""
    for rule in (MAP, ELM, IDEAL):
        line = _excess(greedy_gaze, rule).sel(display="line")
        yield below(f"{rule}, three on a line: excess risk", line, CLOSE)


@CLAIMS.add(
    "Where MAP begins among equally likely items matters: from an end of a line it is far from "
    "optimal.",
    rule="The largest excess risk of MAP that begins at an end is not small.",
)
def map_needs_a_good_start(greedy_gaze: xr.Dataset) -> Iterator[Check]:
    """Check the excess of MAP where the items are listed from an end."""
    what = "MAP from an end of the line: largest excess risk"
    yield above(what, within(*end_first_excess(greedy_gaze)).largest, CLOSE)


@CLAIMS.add(
    "ELM and the ideal searcher fail in different places: the better of the two comes close to the "
    "optimum everywhere.",
    rule="At every point the smaller of their excess risks is small.",
)
def better_of_two_is_close(greedy_gaze: xr.Dataset) -> Iterator[Check]:
    """Check the smaller excess of both."""
    elm, ideal = (_excess(greedy_gaze, rule) for rule in (ELM, IDEAL))
    better = elm.value <= ideal.value
    both = within(elm.value.where(better, ideal.value), elm.error.where(better, ideal.error))
    for display in greedy_gaze["display"].to_numpy():
        what = f"{display}: excess risk of the better of ELM and the ideal searcher"
        yield below(what, both.sel(display=display), CLOSE)


def _share(lost: Measured, where: xr.DataArray) -> float:
    """Return at how many of the points at which a rule is highly sub-optimal something is so."""
    loses = (lost.value - lost.margin > HIGHLY.value).to_numpy()
    there = where.transpose(*lost.value.dims).to_numpy()[loses]
    return 100.0 * float(there.mean()) if there.size else np.nan


@CLAIMS.add(
    "What a greedy rule loses it loses with its first fixation.",
    rule="Of the points at which a rule is highly sub-optimal, almost all are such that its first "
    "fixation is at another distance from the middle than the optimum's.",
)
def lost_with_the_first_fixation(greedy_gaze: xr.Dataset) -> Iterator[Check]:
    """Check where the first fixation lands at points at which a rule loses."""
    away = first_from_centre(greedy_gaze)
    best = away.sel(rule="optimal", drop=True)
    for rule in (MAP, ELM, IDEAL):
        share = _share(_excess(greedy_gaze, rule), away.sel(rule=rule, drop=True) != best)
        yield above(f"{rule}: losing points at which it begins elsewhere", share, ALMOST_ALL)


@CLAIMS.add(
    "In the square ELM looks at an item where it should look between them: it counts every "
    "fixation as a small one, although a second look tells less than the first.",
    rule="Its excess risk is small at the least information of a fixation and not at the largest; "
    "at almost every point where it is highly sub-optimal it begins at an item and the optimum in "
    "the centre.",
)
def elm_counts_looks_as_small(greedy_gaze: xr.Dataset) -> Iterator[Check]:
    """Check ELM's excess over the information of a fixation, and its first fixation."""
    square = greedy_gaze.sel(display="square")
    lost = _excess(square, ELM)
    ends = ((-1, "most", above), (0, "least", below))
    for at, words, check in ends[: square.sizes["information"]]:  # the quick preset has one
        what = f"square, {words} information: largest excess risk of ELM"
        yield check(what, lost.isel(information=at).largest, CLOSE)
    away = first_from_centre(greedy_gaze).sel(display="square")
    between = (away.sel(rule=ELM, drop=True) > 0) & (away.sel(rule="optimal", drop=True) == 0)
    what = "square: losing points at which ELM begins at an item and the optimum in the centre"
    yield above(what, _share(lost, between), ALMOST_ALL)


@CLAIMS.add(
    "There the ideal searcher mostly errs the other way: it looks between items where it should "
    "look at them, because it looks one fixation ahead.",
    rule="At more than half of the points in the square where it is highly sub-optimal it begins "
    "in the centre and the optimum at an item.",
)
def ideal_searcher_short_sighted(greedy_gaze: xr.Dataset) -> Iterator[Check]:
    """Check the first fixation of the ideal searcher where it loses."""
    lost = _excess(greedy_gaze.sel(display="square"), IDEAL)
    away = first_from_centre(greedy_gaze).sel(display="square")
    between = (away.sel(rule=IDEAL, drop=True) == 0) & (away.sel(rule="optimal", drop=True) > 0)
    what = "square: losing points at which it begins in the centre and the optimum at an item"
    yield above(what, _share(lost, between), Bound(50.0, "%", "mostly"))


def _longer(data: xr.Dataset, dim: str) -> Measured:
    """Return how much longer fixations last from each point of an axis to the next, in ms."""
    variance = (1e3 * data["duration_se"]) ** 2
    both = (variance + variance.shift({dim: 1})).isel({dim: slice(1, None)}) ** 0.5
    return with_se(1e3 * data["duration"].diff(dim), both)


NO_CHANGE = Bound(0.0, "ms", "any difference counts that exceeds its own error")


@CLAIMS.add(
    "Fixations of an observer who chooses their length are the longer the slower saccades are.",
    data=(FIXATION_DURATIONS,),
    rule="From each duration of a saccade to the next longer one the mean duration of the "
    "optimum's fixations grows, at every rate of information.",
)
def fixations_grow_with_saccades(fixation_durations: xr.Dataset) -> Iterator[Check]:
    """Check that mean durations grow with the time of a saccade."""
    longer = _longer(fixation_durations, "saccade")
    for k, rate in enumerate(fixation_durations["rate"].to_numpy()):
        what = f"{rate:g}/s: least growth from one saccade to the next"
        yield above(what, longer.isel(rate=k), NO_CHANGE)


@CLAIMS.add(
    "They are the shorter the faster information comes in.",
    data=(FIXATION_DURATIONS,),
    rule="From each rate of information to the next higher one the mean duration falls, at every "
    "duration of a saccade.",
)
def fixations_shrink_with_information(fixation_durations: xr.Dataset) -> Iterator[Check]:
    """Check that mean durations fall with the rate of information."""
    longer = _longer(fixation_durations, "rate")
    for k, saccade in enumerate(fixation_durations["saccade"].to_numpy()):
        what = f"saccades of {1e3 * saccade:g} ms: least shrinking from one rate to the next"
        yield below(what, longer.isel(saccade=k), NO_CHANGE)


def _more(at: xr.Dataset, rule: str, than: str) -> Measured:
    """Return what one rule risks more than another on common trials, in percent of its risk."""
    ours, theirs = at.sel(rule=rule), at.sel(rule=than)
    base = theirs["risk"]
    value = 100 * (ours["excess"] - theirs["excess"]) / base
    return with_se(value, 100 * independent(ours["excess_se"], theirs["excess_se"]) / base)


@CLAIMS.add(
    "On larger displays the ideal searcher is the best of the three.",
    data=(MANY_PLACES,),
    rule="With tuned thresholds MAP and ELM risk more than it by more than the error.",
)
def ideal_searcher_best_at_many(many_places: xr.Dataset) -> Iterator[Check]:
    """Check MAP and ELM against the ideal searcher."""
    yield from _behind(many_places, above, NOTHING)


@CLAIMS.add(
    "There MAP and ELM come close to it.",
    data=(MANY_PLACES,),
    rule="What they risk more, with tuned thresholds, is small.",
)
def rules_close_at_many(many_places: xr.Dataset) -> Iterator[Check]:
    """Check that MAP and ELM are close behind the ideal searcher."""
    yield from _behind(many_places, below, CLOSE)


def _behind(data: xr.Dataset, check: Callable[..., Check], bound: Bound) -> Iterator[Check]:
    """Check what MAP and ELM risk more than the ideal searcher at each number of places."""
    for M in data["places"].to_numpy():
        for rule in (MAP, ELM):
            what = f"{M} places: risk of {rule} above that of the ideal searcher"
            yield check(what, _more(data.sel(places=M), rule, IDEAL), bound)


@CLAIMS.add(
    "There looking at random costs far more than any of them.",
    data=(MANY_PLACES,),
    rule="Gaze at random, though never where it just was, risks more than MAP, the worst of the "
    "three or not, by what is not small.",
)
def random_gaze_costs(many_places: xr.Dataset) -> Iterator[Check]:
    """Check random gaze against the three rules."""
    control = next(str(r) for r in many_places["rule"].to_numpy() if str(r).startswith("random"))
    for M in many_places["places"].to_numpy():
        for rule in (MAP, ELM, IDEAL):
            what = f"{M} places: risk of random gaze above that of {rule}"
            yield above(what, _more(many_places.sel(places=M), control, rule), CLOSE)
