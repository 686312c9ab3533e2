"""The fits that a run of `popout fit --out DIR` left in its folder.

The page of a run comes last, and its numbers name every fit that it stands for; a folder with fits
and without a page belongs to a run that was interrupted. A fit that is not the one the page tells
of (another run wrote over it, and was interrupted) is refused: nothing is predicted from half of
two runs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from popout.people.fitting.fit_job import ModelFit, file_of
from popout.people.fitting.fitted_model import FittedModel
from popout.people.models.search_models import SearchModel, Stopping, models
from popout.people.passages.passage_tables import PassageTables
from popout.reports.publish import DATA
from popout.task import Faults, InputError
from popout.task.faults import did_you_mean

SUBJECT = "predict_observers"


@dataclass(frozen=True)
class StoredFits:
    """The model of each observer that predicts.

    Attributes
    ----------
    folder : Path
    fits : mapping of str to FittedModel
        By observer, without tables.
    paths, seed : int
        Of the tables that they were fitted with.
    vary : str
        What varied between conditions in other fits of that run; nothing does in these.
    """

    folder: Path
    fits: Mapping[str, FittedModel]
    paths: int
    seed: int
    vary: str = ""

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know."""
        if not self.vary:
            return ()
        words = f"The fits were asked what varies ({self.vary.replace('*=', '')})"
        remedy = "for one of them fit it alone (popout fit --where)"
        return (f"{words}; predictions rest on those of all conditions together: {remedy}.",)

    @property
    def set_sizes(self) -> tuple[int, ...]:
        """Set sizes of all observers."""
        return tuple(sorted({M for each in self.fits.values() for M in each.set_sizes}))

    def tables(self, set_sizes: Sequence[int]) -> PassageTables:
        """Return tables of some set sizes, made like those of the fits."""
        return PassageTables(set_sizes, self.paths, self.seed)


def read_fits(folder: str | Path, names: Sequence[str] | None = None) -> StoredFits:
    """Return the model of each observer that predicts another experiment.

    Parameters
    ----------
    folder : path
        That `popout.fit_observers` wrote.
    names : sequence of str, optional
        Models to choose from, with ideal thresholds; all of those that were fitted when left out.
        Of several, the one of least AIC is taken, for each observer.

    Raises
    ------
    InputError
        If it is no such folder, its run was interrupted, or an observer has no such model.
    """
    faults, folder = Faults(SUBJECT), Path(folder)
    chosen = None if names is None else _ideal(names, faults)
    plan, listed = _page(folder, faults)
    faults.raise_if_any()
    fits = {}
    for own in listed:
        observer = own["observer"]
        fitted = {each["name"]: each for each in own["models"]}
        known = [name for name in fitted if _is_ideal(name)]
        wanted = [name for name in known if chosen is None or name in chosen]
        if wanted:
            best = min(wanted, key=lambda name: fitted[name]["aic"])
            stored = _stored(folder, observer, fitted[best], faults)
            if stored is not None:
                fits[observer] = stored
        else:
            expected = f"a model of {observer} with ideal thresholds"
            got = ", ".join(known if chosen else fitted) or "none"
            remedy = "fit one: free thresholds and the yardstick do not say what is done elsewhere"
            faults.add("models", expected, got, "choose from these" if known else remedy)
    faults.raise_if_any()
    return StoredFits(folder, fits, plan["paths"], plan["seed"], plan.get("vary", ""))


def _is_ideal(name: str) -> bool:
    try:
        (model,) = models([name])
    except InputError:
        return False
    return model.stopping is Stopping.IDEAL


def _ideal(names: Sequence[str], faults: Faults) -> tuple[str, ...]:
    """Return the names of models with ideal thresholds; others are faults."""
    try:
        made: tuple[SearchModel, ...] = models(names)
    except InputError as error:
        faults.absorb(error)
        return ()
    for model in made:
        if model.stopping is not Stopping.IDEAL:
            remedy = did_you_mean(model.name, [f"ideal-{model.name.partition('-')[2]}"], "")
            expected = "models with ideal thresholds, which follow what is at stake"
            faults.add("models", expected, model.name, remedy or "choose ideal ones")
    return tuple(model.name for model in made)


def _page(folder: Path, faults: Faults) -> tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]:
    """Return the plan of a run and its observers, as the numbers of its page tell them."""
    expected = "a folder that `popout fit DATA --out DIR` wrote"
    again = "the same `popout fit` goes on from there"
    try:
        numbers = json.loads((folder / DATA).read_bytes())["numbers"]
        return numbers["plan"], numbers["observers"]
    except FileNotFoundError:
        if kept := [*(folder / "fits").glob("*.json")]:
            got = f"a run interrupted after {len(kept)} fits"
            faults.add("folder", "fits that are complete", got, again)
        else:
            got = "one without fits" if folder.is_dir() else "none that is there"
            faults.add("folder", expected, got, "fit first, then predict")
    except (OSError, ValueError, KeyError, TypeError):
        fitted = (folder / "fits").is_dir()
        remedy = f"run popout fit again; {again}" if fitted else "fit first, then predict"
        faults.add("folder", expected, f"one whose {DATA} tells of no fits", remedy)
    return {}, ()


def _stored(
    folder: Path, observer: str, listed: Mapping[str, Any], faults: Faults
) -> FittedModel | None:
    """Return a fit with every digit, if it is the one that the page tells of."""
    file = folder / "fits" / file_of(f"{observer}, {listed['name']}")
    try:
        fit = json.loads(file.read_bytes())["fit"]
        fitted = ModelFit.from_dict(fit).fitted
        if fitted.log_likelihood == listed["log_likelihood"]:
            return fitted
        got = "one of another run"
    except (OSError, ValueError, KeyError, TypeError) as error:
        got = f"{type(error).__name__}"
    expected = f"the fit of {observer}, {listed['name']}, that the page tells of"
    faults.add("folder", expected, got, "run the same `popout fit` again; it goes on")
    return None
