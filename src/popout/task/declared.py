"""Descriptions whose fields are declared once: what each takes, its unit, its words, its default.

A description is a frozen, hashable value such as a task, what a location observes, or costs. From
the declaration of its fields follow the constructor and its checks, the table of a TOML file, the
JSON Schema that editors use, and the options of the command line. A description is written::

    class Coin(Declared):
        '''A coin that may be biased.'''

        heads: Stored[float] = required(Field(PROBABILITY, "P(heads).", "give a probability"))
        price: Stored[float] = optional(Field(Number(above=0.0), "What it costs.", default=1.0))

It is a dataclass: `dataclasses.replace`, `fields` and `asdict` work on it. What fields mean to each
other is checked in `_relate`.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Self,
    TypeVar,
    dataclass_transform,
    overload,
)

from popout.task.faults import NOTHING, Faults, InputError, Path, did_you_mean
from popout.task.kinds import Kind, Schema, Spot, Uniform

if TYPE_CHECKING:
    from popout.task.document import DocumentFaults

T = TypeVar("T", covariant=True)


class Stored(Generic[T]):
    """For type checkers: a field that takes many things (a list, an array) and stores a T."""

    @overload
    def __get__(self, owner: None, kind: type) -> Stored[T]: ...
    @overload
    def __get__(self, owner: object, kind: type) -> T: ...
    def __get__(self, owner: object, kind: type) -> Any:
        """Return what is stored."""

    def __set__(self, owner: object, value: Any) -> None:
        """Take anything that can be stored."""


@dataclass(frozen=True, eq=False)
class Field:
    """What is declared of a field.

    Parameters
    ----------
    kind : Kind
        What it takes.
    words : str
        One sentence, shown in schemas, option help and forms.
    remedy : str
        What to do when a value is refused.
    unit : str
        In the plural where it is a word, e.g. ``seconds``.
    default : object
        NOTHING if there is none.
    """

    kind: Kind
    words: str
    remedy: str = ""
    unit: str = ""
    default: Any = NOTHING

    @property
    def is_required(self) -> bool:
        """Whether there is no default."""
        return self.default is NOTHING

    def schema(self) -> Schema:
        """Return the entry of the field in a JSON Schema."""
        entry = {**self.kind.schema(), "description": self.words}
        has_default = self.default is not None and not self.is_required
        return {**entry, "default": self.default} if has_default else entry


def required(field: Field) -> Any:
    """Put a field without a default into a description; Any, for it stands for a value to come."""
    return field


def optional(field: Field) -> Any:
    """Put a field with a default into a description, see `required`."""
    return field


@dataclass_transform(frozen_default=True, field_specifiers=(required,))
class Declared:
    """A frozen description, checked when it is made. All of its faults come in one `InputError`.

    Attributes
    ----------
    declared : dict of str to Field
        The fields, in the order of the constructor.
    kind : str
        Its name in files, of a description of which there are several kinds.
    kinds : dict of str to type
        All kinds of its family, by name. A class enters when it is defined.

    Examples
    --------
    >>> from popout.task.kinds import PROBABILITY
    >>> class Coin(Declared):
    ...     heads: Stored[float] = required(Field(PROBABILITY, "P(heads).", "give a probability"))
    >>> Coin(0.5)
    Coin(heads=0.5)
    >>> Coin(2)
    Traceback (most recent call last):
    popout.task.faults.InputError: Coin.heads: expected a probability strictly between 0 and 1, \
got 2; give a probability
    """

    declared: ClassVar[dict[str, Field]] = {}
    kind: ClassVar[str] = ""
    kinds: ClassVar[dict[str, Any]] = {}
    schema_of_fields: ClassVar[Schema] = {}
    """What a JSON Schema should say about several fields together."""

    def __init_subclass__(cls) -> None:
        """Make the class a dataclass, and enter it among the kinds of its family."""
        own = {name: field for name, field in vars(cls).items() if isinstance(field, Field)}
        if own:
            for name in own:
                setattr(cls, name, dataclasses.field())
            dataclass(frozen=True, init=False)(cls)
            cls.declared = {**cls.declared, **own}
            cls.__signature__ = _signature(cls.declared)  # type: ignore[attr-defined]
        if "kind" in vars(cls):
            other = cls.kinds.setdefault(cls.kind, cls)
            if other.__qualname__ != cls.__qualname__:
                raise TypeError(f"{cls.__name__}: the kind {cls.kind!r} is {other.__name__}'s")
            cls.kinds[cls.kind] = cls  # a cell of a notebook may define a class again

    def __init__(self, *args: Any, **given: Any) -> None:
        cls = type(self)
        bound = cls.__signature__.bind(*args, **given)  # type: ignore[attr-defined]
        bound.apply_defaults()
        faults = Faults(cls.__name__)
        values = cls._complete(bound.arguments)
        known: dict[str, Any] = {}
        for name, field in cls.declared.items():
            known[name] = field.kind.check(values[name], Spot(faults, (name,), field.remedy, known))
        cls._relate(faults, known)
        faults.raise_if_any()
        for name, value in known.items():
            object.__setattr__(self, name, value)

    @classmethod
    def _complete(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Fill in fields that others imply, before any is checked."""
        return values

    @classmethod
    def _relate(cls, faults: Faults, known: dict[str, Any]) -> None:
        """Record what is wrong between fields; a field that is faulty itself is None."""

    @classmethod
    def read(cls, faults: DocumentFaults, path: Path = (), also: Iterable[str] = ()) -> Self | None:
        r"""Build the description that a table of a document holds, or record every fault of it.

        Parameters
        ----------
        faults : DocumentFaults
            Of the document; nothing is raised here.
        path : tuple
            Where the table is; the document itself by default.
        also : iterable of str
            Further keys that the table may hold, which are not of the description.

        Returns
        -------
        Declared or None
            Of the kind that the table names, where there are several; None after a fault.

        Examples
        --------
        >>> from popout.task import Task
        >>> from popout.task.document import Document, DocumentFaults
        >>> document = Document.parse('seed = 1\n[task]\nkind = "search"\ndrift = [8, 3]')
        >>> Task.read(DocumentFaults(document), ("task",)).drifts
        (8.0, 3.0)
        """
        is_family = bool(cls.kinds) and not cls.kind
        subject = cls.__name__.lower() if is_family else cls.__name__
        table = faults.document.value(path)
        if not isinstance(table, dict):
            heading = ".".join(str(part) for part in path)
            remedy = f"write [{heading}] and its fields below it"
            faults.at(path, subject, "a table", table, remedy)
            return None
        if is_family:
            kind = table.get("kind", NOTHING)
            if isinstance(kind, str) and kind in cls.kinds:
                made: Self | None = cls.kinds[kind].read(faults, path, ["kind", *also])
                return made
            names = ", ".join(f'"{name}"' for name in cls.kinds)
            remedy = did_you_mean(kind, cls.kinds, "say what the table describes")
            faults.at((*path, "kind"), f"{subject}.kind", f"one of {names}", kind, remedy)
            return None
        faults.unknown_keys(subject, path, [*cls.declared, *also])
        given: dict[str, Any] = {}
        reported = set()
        for name, field in cls.declared.items():
            before = len(faults.faults)
            if name in table:
                given[name] = field.kind.read(faults, (*path, name))
            elif field.is_required:
                given[name] = NOTHING
            reported |= {name} if len(faults.faults) > before else set()
        try:
            return cls(**given)
        except InputError as error:
            # A part that could not be built has been reported already; its absence is no new fault.
            news = [fault for fault in error.faults if not reported.intersection(fault.path)]
            faults.absorb(InputError(news), path)
            return None

    def as_dict(self) -> dict[str, Any]:
        """Return the table of a TOML file. Uniform priors that nobody typed are left out."""
        from popout.drawing.plain import plain  # which loads json

        values = {name: getattr(self, name) for name in self.declared}
        table = {name: v for name, v in values.items() if not isinstance(v, Uniform)}
        result: dict[str, Any] = plain({"kind": self.kind, **table} if self.kind else table)
        return result

    @classmethod
    def schema(cls, extra: Schema | None = None, complete: bool = True) -> Schema:
        """Return the JSON Schema of the table that a description is read from.

        Parameters
        ----------
        extra : dict, optional
            Further entries that the table may hold.
        complete : bool
            Whether all that has no default must be there.
        """
        kind = {"kind": {"const": cls.kind}} if cls.kind else {}
        fields = {name: field.schema() for name, field in cls.declared.items()}
        needed = [name for name, field in cls.declared.items() if field.is_required and complete]
        return {
            "type": "object",
            "description": (inspect.getdoc(cls) or "").split("\n")[0],
            "properties": {**kind, **fields, **(extra or {})},
            "required": [*kind, *needed],
            **(cls.schema_of_fields if complete else {}),
            "additionalProperties": False,
        }


def _signature(fields: dict[str, Field]) -> inspect.Signature:
    """Return the signature of a constructor; what must be given has no default where it can."""
    parameters: list[inspect.Parameter] = []
    has_default = False
    for name, field in fields.items():
        has_default = has_default or not field.is_required
        default = field.default if has_default else inspect.Parameter.empty
        how = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters.append(inspect.Parameter(name, how, default=default))
    return inspect.Signature(parameters)
