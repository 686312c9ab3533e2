"""What a field takes: a number within bounds, a distribution, a list of orientations, and so on."""

from popout.task.kinds.base import Kind, Schema, Spot, array_of
from popout.task.kinds.distribution import Distribution, Uniform, uniform
from popout.task.kinds.labels import BLANK, Label, Labels, as_label
from popout.task.kinds.lists import Each, OneOrEach, Rows
from popout.task.kinds.parts import Part, Table, Tables
from popout.task.kinds.scalars import PROBABILITY, Choice, Flag, Integer, Number, Optional, Text

__all__ = [
    "BLANK",
    "PROBABILITY",
    "Choice",
    "Distribution",
    "Each",
    "Flag",
    "Integer",
    "Kind",
    "Label",
    "Labels",
    "Number",
    "OneOrEach",
    "Optional",
    "Part",
    "Rows",
    "Schema",
    "Spot",
    "Table",
    "Tables",
    "Text",
    "Uniform",
    "array_of",
    "as_label",
    "uniform",
]
