"""The claims of the paper, examined: numbers against bounds, and verdicts that follow by rule.

=====================  ============================================================================
`check`                one number against its bound
`claim`                a claim, its checks, and the rule of the verdict
`bounds`               what the paper's words mean in numbers
`measure`              from labelled arrays to checks
`evidence`, `uncertainty`, `dynamic_programming`, `conjecture`, `exactness`, `asymptotics`,
`scales`, `surfaces`, `risks`, `unequal_risks`
                       the claims, by subject
`limited`              what holds beyond the paper, with limited information
`tables`               numbers that they need and no figure shows
=====================  ============================================================================
"""

from __future__ import annotations

from collections.abc import Mapping

import xarray as xr

from popout.paper.claims import (
    asymptotics,
    conjecture,
    dynamic_programming,
    evidence,
    exactness,
    limited,
    risks,
    scales,
    surfaces,
    uncertainty,
    unequal_risks,
)
from popout.paper.claims.check import Check, ErrorKind, Outcome, Relation
from popout.paper.claims.claim import Claim, Examination, Verdict, verdict_of

__all__ = [
    "EXAMINATIONS",
    "Check",
    "Claim",
    "ErrorKind",
    "Examination",
    "Outcome",
    "Relation",
    "Verdict",
    "examine",
    "verdict_of",
]

SUBJECTS = (
    evidence,
    uncertainty,
    dynamic_programming,
    conjecture,
    exactness,
    asymptotics,
    scales,
    surfaces,
    risks,
    unequal_risks,
    limited,
)
EXAMINATIONS: tuple[Examination, ...] = tuple(
    each for module in SUBJECTS for each in vars(module).values() if isinstance(each, Examination)
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
