"""The claims of the paper, examined: numbers against bounds, and verdicts that follow by rule.

=====================  ============================================================================
`claim`                one number against its bound; a claim, its checks, the rule of the verdict
`bounds`               what the paper's words mean in numbers
`measure`              from labelled arrays to checks: the hardest point of many
`page`                 the claims as a page of the documentation
the others             the claims by subject, each beside the tables that it needs
=====================  ============================================================================
"""

from __future__ import annotations

from collections.abc import Mapping

import xarray as xr

from popout.paper.claims import (
    asymptotics,
    conjecture,
    conjecture_regime,
    dynamic_programming,
    eye_movements,
    horizon_of_memory,
    limited_information,
    lossless,
    risks,
    scales,
    surfaces,
    time_varying,
    uncertainty,
    unequal_risks,
)
from popout.paper.claims.claim import Claim, Claims, Examination

SUBJECTS: tuple[Claims, ...] = (
    lossless.CLAIMS,
    uncertainty.CLAIMS,
    dynamic_programming.CLAIMS,
    conjecture.CLAIMS,
    conjecture_regime.CLAIMS,
    asymptotics.CLAIMS,
    scales.CLAIMS,
    surfaces.CLAIMS,
    time_varying.CLAIMS,
    risks.CLAIMS,
    unequal_risks.CLAIMS,
    limited_information.CLAIMS,
    horizon_of_memory.CLAIMS,
    eye_movements.CLAIMS,
)
EXAMINATIONS: tuple[Examination, ...] = tuple(
    each for subject in SUBJECTS for each in subject.examinations
)
"""Every claim, by subject, in the order of the paper."""


def examine(data: Mapping[str, xr.Dataset]) -> tuple[tuple[Claim, ...], tuple[str, ...]]:
    """Examine every claim whose data are there.

    Parameters
    ----------
    data : mapping of str to Dataset
        Of figures and tables, by name.

    Returns
    -------
    claims : tuple of Claim
    missing : tuple of str
        Names of the claims that need other data.

    Examples
    --------
    >>> claims, missing = examine({})
    >>> len(claims), len(missing) == len(EXAMINATIONS)
    (0, True)
    """
    possible = [each for each in EXAMINATIONS if each.possible(data)]
    missing = tuple(each.name for each in EXAMINATIONS if not each.possible(data))
    return tuple(each.examine(data) for each in possible), missing
