"""Names a user may type: checked, suggested and completed without loading what they stand for.

Those of strategies and attention come from `popout.policies.vocabulary`; figures and tables are
named in their packages, which load nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem

from popout.policies.vocabulary import ATTENTION as POLICIES
from popout.policies.vocabulary import GAZE as GAZES
from popout.policies.vocabulary import OPTIMAL, STRATEGIES

__all__ = ["ATTENTION", "GAZES", "STRATEGIES", "Name"]

ATTENTION = (OPTIMAL, *POLICIES, *GAZES)


class Name(click.ParamType):  # type: ignore[type-arg]  # generic in new versions of click
    """One of several names, or several of them, separated by commas, as a tuple.

    Parameters
    ----------
    what : str
        What the names are of; the metavar of the option.
    known : sequence of str
    several : bool
    is_closed : bool
        Whether there are no others; otherwise the library checks what was typed.
    """

    def __init__(
        self, what: str, known: Sequence[str], several: bool = False, is_closed: bool = True
    ) -> None:
        self.name, self.known = what, tuple(known)
        self.several, self.is_closed = several, is_closed

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return what was typed; refuse a name that is unknown or repeated."""
        if isinstance(value, tuple):  # click converts values twice
            return value
        names = tuple(value.split(",")) if self.several else (value,)
        if self.is_closed and not set(names) <= set(self.known):
            self.fail(self._fault(names), param, ctx)
        if len(set(names)) < len(names):
            self.fail(f"expected each name once, got {value!r}; drop the repeated one", param, ctx)
        return names if self.several else value

    def _fault(self, names: Sequence[str]) -> str:
        # Needed only now that something is wrong: it loads the task layer.
        from popout.task.faults import did_you_mean, show

        expected = f"expected one of {', '.join(self.known)}"
        return "\n".join(
            f"{expected}, got {show(name)}; {did_you_mean(name, self.known, 'choose one of them')}"
            for name in names
            if name not in self.known
        )

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that begin so, after those of the list that are there already."""
        before, comma, last = incomplete.rpartition(",") if self.several else ("", "", incomplete)
        names = [name for name in self.known if name.startswith(last)]
        done = before.split(",")
        return [CompletionItem(f"{before}{comma}{name}") for name in names if name not in done]
