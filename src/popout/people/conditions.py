r"""Conditions within observers: means over people, and paired differences.

Of a quantity :math:`x_{ij}` of observer :math:`i` in condition :math:`j` the mean over observers is
given for each condition, and for each pair of conditions the mean of the differences

.. math:: d_i = x_{ij} - x_{ik}, \qquad \mathrm{se}(\bar d)^2 = \frac{1}{n (n - 1)}
    \sum_i (d_i - \bar d)^2 ,

over the :math:`n` observers who have both. What observers have in common with themselves cancels;
people are the sample, not people times conditions.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import pandas as pd

from popout.people.column import natural_order

MINUS = " - "
"""Between two conditions."""


def means_over_people(table: pd.DataFrame, by: Sequence[str] = ("measure",)) -> pd.DataFrame:
    """Return the mean over observers of each quantity in each condition.

    Parameters
    ----------
    table : DataFrame
        Columns ``observer``, ``condition``, ``value``, and those that name the quantity.
    by : sequence of str
        The columns that name the quantity.

    Returns
    -------
    DataFrame
        `by`, ``condition``, ``mean``, its standard error ``se`` over observers, and their number
        ``n``.
    """
    groups = table.dropna(subset="value").groupby([*by, "condition"], sort=False)["value"]
    found = pd.DataFrame({"mean": groups.mean(), "se": groups.sem(), "n": groups.count()})
    return found.reset_index()


def paired_differences(
    table: pd.DataFrame, by: Sequence[str] = ("measure",), within: Sequence[str] = ()
) -> pd.DataFrame:
    """Return the mean difference within observers of each quantity, for each pair of conditions.

    Parameters
    ----------
    table, by
        As for `means_over_people`.
    within : sequence of str
        Columns to average over within an observer, such as set sizes: those that both have.

    Returns
    -------
    DataFrame
        `by`, ``condition``, ``against``, ``difference`` (the first less the second), its standard
        error ``se`` over observers, and their number ``n``.

    Examples
    --------
    >>> slopes = pd.DataFrame(
    ...     {
    ...         "observer": ["ag", "ag", "km", "km"],
    ...         "condition": ["a", "b", "a", "b"],
    ...         "measure": "present",
    ...         "value": [10.0, 4.0, 30.0, 22.0],
    ...     }
    ... )
    >>> paired_differences(slopes).to_dict("records")[0]["difference"]
    7.0
    """
    rows = []
    names = natural_order(set(table["condition"]))
    for quantity, some in table.groupby([*by], sort=False):
        values = some.pivot(index=["observer", *within], columns="condition", values="value")
        for first, second in combinations([name for name in names if name in values], 2):
            apart = (values[first] - values[second]).dropna().groupby("observer").mean()
            rows.append(
                {
                    **dict(zip(by, quantity, strict=True)),
                    "condition": first,
                    "against": second,
                    "difference": apart.mean(),
                    "se": apart.sem(),
                    "n": len(apart),
                }
            )
    return pd.DataFrame(rows, columns=[*by, "condition", "against", "difference", "se", "n"])
