"""Ideal observers for visual search.

Is the target on the display? `popout` turns observations into exact posteriors, and computes when
an observer should stop looking and what to answer. The paper is Chen and Perona, "Towards an
optimal decision strategy of visual search"; ``docs/notation.md`` maps its symbols to names here.

The public names stand in ``__init__.pyi``, where type checkers and editors look for them. They are
loaded when first used, so that ``import popout`` costs next to nothing and the command line answers
at once.

Examples
--------
>>> import popout as po
>>> task = po.SearchTask(n_locations=2, drift=4.0)
>>> task.drifts
(4.0, 4.0)
"""

from importlib import import_module

from popout._version import __version__ as __version__


def _public_names() -> dict[str, str]:
    """Return the module of each public name: ``from MODULE import NAME as NAME``, a line each."""
    with open(f"{__file__}i", encoding="utf-8") as stub:  # __init__.pyi, beside this file
        lines = [line.split() for line in stub if line.startswith("from ")]
    return {name: module for _, module, _, name, *_ in lines}


_MODULE_OF = _public_names()
__all__ = [*_MODULE_OF]


def __getattr__(name: str) -> object:
    """Load a public name on first use (PEP 562)."""
    try:
        module = _MODULE_OF[name]
    except KeyError:
        raise AttributeError(f"module 'popout' has no attribute {name!r}") from None
    value = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted(__all__)
