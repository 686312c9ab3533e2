"""What do quick "absent" answers need? Models with one more law, judged by trials left out.

    python benchmarks/table_absent.py exp1.csv --where dyn=Static --processes 16 --keep absent.json

Where `absent_extra`, the part of non-decision time that is absent's own, comes out negative, the
model has its "absent" answers too late. Each variant adds one parameter to a model of search, or
takes `absent_extra` from it:

- ``no extra``: absent_extra is 0;
- ``lower``, ``both``: the log of the lower threshold, or of both, varies between trials (normal);
- ``start``: the place between both thresholds where evidence starts varies between trials (normal);
- ``patience``: the search is given up at any moment with the same hazard, and "absent" said;
- ``given up``: a share of the trials is answered "absent" without a look;
- ``first look``: no decision comes earlier than a time after the display;
- ``check``: "present" is said after a look that confirms it, of exponential duration, and
  absent_extra is 0;
- ``slips``: the wrong key.

Printed are, summed over observers, what each gains over the model itself: log units of all trials,
and of trials predicted from the other four fifths, with a standard error over observers.
"""

import argparse
import math
import os
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from scipy.fft import next_fast_len

from popout.people.fitting.maximum_likelihood import maximum_near
from popout.people.fitting.model_comparison import cross_validate
from popout.people.models.model import ModelParameter, Scale
from popout.people.models.search_density import (
    STEP,
    Residual,
    residual_masses,
    search_density,
)
from popout.people.models.search_models import SearchModel, models
from popout.people.passages.first_passages import MOST, answer_probability
from popout.people.reading.reader import read_trials
from sharing import keep, kept_in, share_out, tables_of

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(5)
LEAST = 1e-3  # nats
EXTRA = {
    "no extra": None,
    "lower": ModelParameter("extra", "sd of the log lower threshold", "", 0.01, 1.5, Scale.LOG),
    "both": ModelParameter("extra", "sd of both log thresholds", "", 0.01, 1.5, Scale.LOG),
    "start": ModelParameter("extra", "sd of the start", "nats", 0.01, 4.0, Scale.LOG),
    "patience": ModelParameter("extra", "hazard of giving up", "1/s", 1e-3, 2.0, Scale.LOG),
    "given up": ModelParameter("extra", "share given up at once", "", 1e-4, 0.5, Scale.LOG),
    "first look": ModelParameter("extra", "earliest decision", "s", 0.01, 0.8, Scale.LOG),
    "check": ModelParameter("extra", "mean duration of a check", "s", 0.005, 1.0, Scale.LOG),
}
STARTS = {"start": (0.05, 1.0), "patience": (0.01, 0.1), "given up": (0.002, 0.03)}
STARTS |= {"first look": (0.08, 0.3), "check": (0.03, 0.2)}


@dataclass(frozen=True)
class Variant(SearchModel):
    """A model of search with one more law."""

    kind: str = "lower"

    @property
    def name(self):
        """As in tables."""
        return f"{super().name} {self.kind}"

    @cached_property
    def parameters(self):
        """Those of the model, and one more, or one less."""
        own = SearchModel(self.stopping, self.guidance).parameters
        if self.kind in ("no extra", "check"):
            own = tuple(p for p in own if p.name != "absent_extra")
        return own if EXTRA[self.kind] is None else (*own, EXTRA[self.kind])

    def decided(self, values, tables, stakes, end, period=math.inf, part=None):
        """Return the density without lapses, up to a time; see `SearchModel`."""
        values = {"absent_extra": 0.0, **values}
        names = ("residual_mean", "residual_sd", "residual_constant", "absent_extra", "lapse")
        residual = Residual(*(values[name] for name in names))
        times = tables.decision_times(self.guidances, part)
        decision = self.decision(values, tables, stakes, period)
        x = values.get("extra", 0.0)
        if self.kind in ("lower", "both", "start"):
            varied = (moved(decision, self.kind, x * node) for node in NODES)
            each = (search_density(times, own, residual, end) for own in varied)
            weights = WEIGHTS / WEIGHTS.sum()
            return sum(w * density for w, density in zip(weights, each, strict=True))
        if self.kind == "no extra":
            return search_density(times, decision, residual, end)
        return undecided(self.kind, x, times, decision, residual, end)


def moved(decision, kind, z):
    """Return a decision with other thresholds."""
    lower, upper = decision.tau_minus, decision.tau_plus
    if kind == "start":
        lower, upper = lower + z, upper - z
    else:
        lower = lower * math.exp(z)
        upper = upper * math.exp(z) if kind == "both" else upper
    lower, upper = (np.clip(tau, LEAST, MOST) for tau in (lower, upper))
    return replace(decision, tau_minus=lower, tau_plus=upper)


def undecided(kind, x, times, decision, residual, end):
    """Return the density where something else than evidence may end, or hold back, a decision."""
    n = int(np.ceil(end / STEP))
    edges = STEP * np.arange(n + 1)
    with np.errstate(divide="ignore"):
        log_time = np.log(edges) + np.log(decision.rate / np.array(times.set_sizes))[:, None]
    tau, mixed = (decision.tau_minus, decision.tau_plus), (decision.weights, decision.variability)
    rising = times.distributions(*tau, *mixed, log_time)
    rising[..., 0] = 0.0
    if kind == "first look":
        rising *= np.clip((edges - x) / STEP + 0.5, 0.0, 1.0)
    answers = answer_probability(*tau).transpose(2, 0, 1)[..., None]
    mass = answers * np.diff(rising, axis=-1)[:, None]  # set size, class, answer, time
    if kind == "patience":
        middles = edges[1:] - 0.5 * STEP
        waiting = 1.0 - mass.sum(axis=2).cumsum(axis=-1) + 0.5 * mass.sum(axis=2)
        mass *= np.exp(-x * middles)
        mass[:, :, 0] += x * STEP * np.exp(-x * middles) * waiting
    if kind == "given up":
        mass *= 1.0 - x
        mass[:, :, 0, 0] += x
    shape = residual.mean, residual.sd, residual.constant
    extras = (residual.absent_extra, 0.0)
    later = np.stack([residual_masses(*shape, edges - extra) for extra in extras])
    length = next_fast_len(2 * n, real=True)
    if kind == "check":  # a geometric number of steps with the same mean
        more = x / (x + STEP)
        steps = (1.0 - more) * more ** np.arange(n)
        both = np.fft.rfft(later[1], length) * np.fft.rfft(steps, length)
        later[1] = np.fft.irfft(both, length)[:n]
    together = np.fft.irfft(np.fft.rfft(mass, length) * np.fft.rfft(later, length), length)
    density = np.zeros((*mass.shape[:-1], n + 1))
    density[..., 1:] = (1.0 - residual.lapse) * np.maximum(together[..., :n], 0.0) / STEP
    return density


def judged(trials, name, kinds, longest, n_paths):
    """Return log likelihood, held-out log likelihood and parameters: the model, each variant."""
    (model,) = models([name], longest)
    sizes = tuple(np.unique(trials.columns["set_size"]).tolist())
    tables = tables_of(sizes, n_paths, model.guidances)
    fitted = model.fit(trials, tables)
    rows = {"": (fitted.log_likelihood, cross_validate(fitted, trials), dict(fitted.estimates))}
    for kind in kinds:
        own = replace(model, slips=True)
        starts = [{**fitted.estimates, "slip": slip} for slip in (1e-4, 0.01)]
        if kind != "slips":
            own = Variant(model.stopping, model.guidance, False, longest, kind=kind)
            starts = [{**fitted.estimates, "extra": x} for x in STARTS.get(kind, (0.05, 0.4))]
            starts += [{**start, "absent_extra": 0.03} for start in starts]
        likelihood = own.likelihood(trials, tables)
        estimates = max((maximum_near(likelihood, s) for s in starts), key=likelihood.total)
        again = replace(fitted, model=own, estimates=estimates)
        rows[kind] = (likelihood.total(estimates), cross_validate(again, trials), estimates)
    return rows


def print_gains(observers, kinds):
    """Print what each variant gains over the model, summed over observers."""
    n = len(observers)
    print("| | log units gained | held-out trials | observers better | median absent_extra | "
          "median parameter |")  # fmt: skip
    print("|---" * 6 + "|")
    for kind in ("", *kinds):
        fit, held = (np.array([each[kind][k] - each[""][k] for each in observers]) for k in (0, 1))
        se = math.sqrt(n) * held.std(ddof=1) if n > 1 else math.nan
        of = [each[kind][2] for each in observers]
        extra = np.median([own.get("absent_extra", 0.0) for own in of])
        x = np.median([own.get("extra", own.get("slip", math.nan)) for own in of])
        print(f"| {kind or 'the model'} | {fit.sum():+.1f} | {held.sum():+.1f} ± {se:.1f} | "
              f"{(held > 0).sum()} of {n} | {extra:+.3f} | {x:.3g} |")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--where", default="", help="column=value")
    parser.add_argument("--model", default="free-serial")
    parser.add_argument("--variants", default=",".join((*EXTRA, "slips")))
    parser.add_argument("--observers", default="")
    parser.add_argument("--longest", type=float, default=5.0)
    parser.add_argument("--paths", type=int, default=100_000)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--keep", type=Path, default=Path("absent.json"))
    given = parser.parse_args()
    where = dict([given.where.split("=")]) if given.where else None
    everybody = read_trials(given.file, where=where, slowest=given.longest)
    names = given.observers.split(",") if given.observers else [*everybody.observers]
    kinds = given.variants.split(",")
    kept = kept_in(given.keep)
    how = (given.model, kinds, given.longest, given.paths)
    key = f"{given.file} {given.where} {how}"
    done = kept.setdefault(key, {})
    jobs = {name: (everybody[name], *how) for name in names if name not in done}
    for name, rows in share_out(judged, jobs, given.processes):
        done[name] = rows
        keep(given.keep, kept)
    print(f"{given.model}, {len(names)} observers of {given.file} {given.where}\n")
    print_gains([done[name] for name in names if name in done], kinds)


if __name__ == "__main__":
    main()
