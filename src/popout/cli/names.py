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
from popout.policies.vocabulary import OPTIMAL, STRATEGIES

__all__ = ["ATTENTION", "STRATEGIES", "AttentionNames", "Name", "Names"]

ATTENTION = (OPTIMAL, *POLICIES)


class Name(click.ParamType):  # type: ignore[type-arg]  # generic in new versions of click
    """One of several names.

    Parameters
    ----------
    what : str
        What the names are of; the metavar of the option.
    known : sequence of str
    """

    def __init__(self, what: str, known: Sequence[str]) -> None:
        self.name = what
        self.known = tuple(known)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a known name; refuse any other, with the nearest one."""
        if value in self.known:
            return value
        self.fail(self.fault([value]), param, ctx)

    def fault(self, values: Sequence[str]) -> str:
        """Say which of the values are no names, and which names they are near to."""
        # Needed only now that something is wrong: it loads the task layer.
        from popout.task.faults import did_you_mean, show

        wrong = [value for value in values if value not in self.known]
        expected = f"expected one of {', '.join(self.known)}"
        remedies = [did_you_mean(value, self.known, "choose one of them") for value in wrong]
        return "\n".join(
            f"{expected}, got {show(value)}; {remedy}"
            for value, remedy in zip(wrong, remedies, strict=True)
        )

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that begin so."""
        return [CompletionItem(name) for name in self.known if name.startswith(incomplete)]


class Names(Name):
    """Several names, separated by commas, as a tuple."""

    def known_part(self, name: str) -> str:
        """Return the part of what was typed that has to be known: all of it."""
        return name

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Return the names; refuse an unknown or a repeated one."""
        if isinstance(value, tuple):  # click converts defaults and values twice
            return value
        names = tuple(value.split(","))
        if not {self.known_part(name) for name in names} <= set(self.known):
            self.fail(self.fault(names), param, ctx)
        if len(set(names)) < len(names):
            self.fail(f"expected each name once, got {value!r}; drop the repeated one", param, ctx)
        return names

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the list so far, continued by each name that is not in it."""
        before, comma, last = incomplete.rpartition(",")
        done = before.split(",")
        return [
            CompletionItem(f"{before}{comma}{name}")
            for name in self.known
            if name.startswith(last) and name not in done
        ]


class AttentionNames(Names):
    """Names of attention policies; ``guided:0.5`` has a power, which the library checks."""

    def __init__(self) -> None:
        super().__init__("NAME[,...]", ATTENTION)

    def known_part(self, name: str) -> str:
        """Return the name without its power."""
        kind, colon, _ = name.partition(":")
        return kind if colon and kind == "guided" else name

    def fault(self, values: Sequence[str]) -> str:
        """Say which of the values are no names."""
        return super().fault([value for value in values if self.known_part(value) not in ATTENTION])
