r"""Heterogeneous search: distractors come from a mixture that is itself unknown.

The paper's distractor mixture phi is the distribution of the orientation at any location without
a target, phi_i = P(Y_l = theta_i | C_l = 0). On each trial one mixture is drawn from P(phi), then
every non-target location draws its orientation from it independently (Equation 3,
Equation 4, Equation 5). Four designs of the paper are special cases:

    independent distractors     one mixture,                    phi_i = 1/n
    tied distractors            n mixtures,                     phi^(k)_i = I(k = i)
    unknown scene complexity    one mixture per set size M_d,   P(item) = M_d / M, blank otherwise
    the general case            any set of mixtures with any prior.

Where distractors have any orientation of a range, the sum over mixtures is an integral (Methods
write it so), and `MixtureSearchTask.continuous` puts Gauss and Legendre's nodes in its place. The
integrand is as smooth as drift and density are, so the error falls faster than any power of their
number; `popout.evidence.quadrature_error` says what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from popout.drawing.representation import Card, count, listed
from popout.task.declared import Field, Stored, optional, required
from popout.task.display_law import Displays
from popout.task.faults import Faults, as_tuple
from popout.task.kinds import Distribution, Each, Label
from popout.task.observation import Observation
from popout.task.oriented import OBSERVATION, ORIENTATIONS, TARGET_PRIOR, AnyLaw, OrientedTask
from popout.task.task import DT, LOCATION_PRIOR, N_LOCATIONS, PRIOR

SHOWN = 6
"""Most mixtures that a card shows."""


class MixtureSearchTask(OrientedTask):
    """Search among distractors whose mixture is drawn anew on each trial.

    Parameters
    ----------
    n_locations : int
        Number of search locations M.
    orientations : sequence of (float or "blank"), shape (K,)
        Every orientation that can be shown, in degrees; "blank" is a location without an item.
    observation : GaussianWalk or PoissonSpikes
        One row of parameters per orientation.
    target_prior : sequence of float, shape (K,)
        P(theta | C_l = 1).
    mixtures : sequence of sequence of float, shape (J, K)
        The distractor mixtures phi, one per row; zeros are allowed.
    mixture_prior : sequence of float, shape (J,), optional
        P(phi); uniform when left out.
    location_prior : sequence of float, shape (M,), optional
        P(l_T = l | C = 1); uniform when left out.
    dt : float
        Time step in seconds.
    prior : float
        P(C = 1).

    See Also
    --------
    SceneSearchTask : unknown scene complexity with exactly M_d items; its `as_mixture` is the
        paper's treatment, in which the blank is one more distractor.

    Examples
    --------
    >>> from popout.task import GaussianWalk, MixtureSearchTask
    >>> task = MixtureSearchTask(
    ...     n_locations=4,
    ...     orientations=[0, 20, 40],
    ...     observation=GaussianWalk([-4, 0, 4]),
    ...     target_prior=[0, 1, 0],
    ...     mixtures=[[0.5, 0, 0.5], [1, 0, 0]],
    ...     mixture_prior=[0.9, 0.1],
    ... )
    >>> task.n_mixtures
    2
    """

    kind = "mixture-search"

    n_locations: Stored[int] = required(N_LOCATIONS)
    orientations: Stored[tuple[Label, ...]] = required(ORIENTATIONS)
    observation: Stored[Observation] = required(OBSERVATION)
    target_prior: Stored[tuple[float, ...]] = required(TARGET_PRIOR)
    mixtures: Stored[tuple[tuple[float, ...], ...]] = required(
        Field(
            Each(Distribution("orientations"), "a matrix of probabilities"),
            "The distractor mixtures phi, one per row; zeros are allowed.",
            "give one row of probabilities per mixture, one column per orientation",
        )
    )
    mixture_prior: Stored[tuple[float, ...]] = optional(
        Field(
            Distribution("mixtures", uniform=True),
            "P(mixture); uniform when left out.",
            "give one probability per mixture, or leave it out for a uniform prior",
            default=None,
        )
    )
    location_prior: Stored[tuple[float, ...]] = optional(LOCATION_PRIOR)
    dt: Stored[float] = optional(DT)
    prior: Stored[float] = optional(PRIOR)

    @property
    def n_mixtures(self) -> int:
        """Number of distractor mixtures J."""
        return len(self.mixtures)

    def displays(self) -> Displays:
        """Return how displays come about."""
        return Displays(self.location_prior, self.target_prior, self.mixtures, self.mixture_prior)

    def card(self) -> Card:
        """Return what is shown of it."""
        columns = {"P(given target)": self.target_prior}
        columns |= {f"mixture {j + 1}": phi for j, phi in enumerate(self.mixtures[:SHOWN])}
        more = self.n_mixtures - SHOWN
        unknown = "one of several mixtures" if self.n_mixtures > 1 else "a mixture"
        return self._card(
            f"Search over {self.n_locations} locations, distractors drawn from {unknown}",
            [("P(mixture)", listed(self.mixture_prior, digits=4))],
            columns,
            f"{more} more mixtures" if more > 0 else "",
        )

    def _display_words(self) -> str:
        kinds = [self._possible(mixture) for mixture in self.mixtures]
        among = f"distractors that are drawn at each location anew ({kinds[0]})"
        if len(kinds) > 1:
            among = (
                f"distractors from one of {len(kinds)} mixtures, drawn anew on each trial: "
                f"{'; '.join(kinds)}"
            )
        places, targets = count(self.n_locations, "location"), self._possible(self.target_prior)
        return f"Search over {places} for one target ({targets}) among {among}."

    @classmethod
    def independent(
        cls,
        n_locations: int,
        targets: Sequence[Label],
        distractors: Sequence[Label],
        observation: AnyLaw,
        **rest: Any,
    ) -> MixtureSearchTask:
        """Independent distractors: each location draws its own from one mixture.

        Parameters
        ----------
        n_locations : int
            Number of search locations M.
        targets, distractors : sequence of float
            Theta_1 and Theta_0, in degrees.
        observation : Observation or mapping
            A mapping from orientation to drift makes a `GaussianWalk`. An observation has its
            rows in the order of `orientations`: the distractors, then the targets that are new.
        **rest
            `target_prior` and `distractor_prior`, one probability per member of either set, uniform
            when left out; `location_prior`, `dt` and `prior` of the class.

        Examples
        --------
        >>> from popout.task import MixtureSearchTask
        >>> drift = {0: -4, 10: 4, 20: 0}
        >>> MixtureSearchTask.independent(4, [10], [0, 20], drift).mixtures
        ((0.5, 0.5, 0.0),)
        """
        rest["n_locations"] = n_locations
        return cls._from_sets(targets, distractors, observation, rest, lambda p: {"mixtures": [p]})

    @classmethod
    def tied(
        cls,
        n_locations: int,
        targets: Sequence[Label],
        distractors: Sequence[Label],
        observation: AnyLaw,
        **rest: Any,
    ) -> MixtureSearchTask:
        """Tied distractors: all locations share one orientation, drawn anew on each trial.

        Parameters are those of `independent`; `distractor_prior` is the prior of the common
        orientation.

        Examples
        --------
        >>> from popout.task import MixtureSearchTask
        >>> drift = {0: -4, 20: 0, 40: 4}
        >>> MixtureSearchTask.tied(4, [0, 20, 40], [0, 20, 40], drift).mixtures
        ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
        """
        n = len(as_tuple(distractors) or ())
        is_uniform = rest.get("distractor_prior") is None

        def tie(p: tuple[float, ...]) -> dict[str, Any]:
            mixtures = [[float(j == k) for k in range(len(p))] for j in range(n)]
            return {"mixtures": mixtures, "mixture_prior": None if is_uniform else p[:n]}

        rest["n_locations"] = n_locations
        return cls._from_sets(targets, distractors, observation, rest, tie)

    @classmethod
    def continuous(
        cls,
        n_locations: int,
        targets: Sequence[Label],
        between: tuple[float, float],
        drift: Callable[[float], float],
        *,
        density: Callable[[float], float] = lambda angle: 1.0,
        tied: bool = True,
        nodes: int = 16,
        **rest: Any,
    ) -> MixtureSearchTask:
        """Distractors of any orientation of a range.

        Parameters
        ----------
        n_locations : int
            Number of search locations M.
        targets : sequence of float
            Theta_1, in degrees.
        between : pair of float
            The range of distractors, in degrees.
        drift : callable
            From an orientation, of a target too, to its drift in 1/s.
        density : callable
            Of distractors over the range, up to a factor; even when left out.
        tied : bool
            Whether all distractors of a display share their orientation, or each draws its own.
        nodes : int
            Of the quadrature.
        **rest
            As for `tied`.

        Examples
        --------
        >>> import math
        >>> from popout.task import MixtureSearchTask
        >>> task = MixtureSearchTask.continuous(
        ...     3, [0], (20, 90), lambda angle: 4 * math.cos(math.radians(2 * angle)), nodes=8
        ... )
        >>> task.n_mixtures, 20 < task.orientations[0] < 22
        (8, True)
        """
        faults = Faults("MixtureSearchTask.continuous")
        nodes = faults.integer("nodes", nodes, "16 are enough for smooth drifts", at_least=2)
        ends = as_tuple(between) or ()
        if len(ends) != 2 or not -np.inf < ends[0] < ends[1] < np.inf:
            faults.add("between", "two angles, the lower first", between, "write (20, 90)")
        faults.raise_if_any()
        places, weights = np.polynomial.legendre.leggauss(nodes)
        angles = [float(ends[0] + (x + 1) / 2 * (ends[1] - ends[0])) for x in places]
        share = np.array([w * density(a) for w, a in zip(weights, angles, strict=True)])
        drifts = {angle: float(drift(angle)) for angle in (*angles, *(as_tuple(targets) or ()))}
        make = cls.tied if tied else cls.independent
        prior = share / share.sum()
        return make(n_locations, targets, angles, drifts, distractor_prior=prior, **rest)
