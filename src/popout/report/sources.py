"""Which code a result comes from: a module, and everything of its package that it imports.

Imports are read off the source with `ast`, without running anything: at the top of a module or
inside a function, absolute or relative. Importing ``a.b.c`` runs ``a/b/__init__.py`` as well, so
packages count with what they import in turn. Three things do not count, because no number can come
from them: imports for type checkers alone, the layers that only show numbers (`SHOWING`), and the
first ``__init__.py`` of all, which holds nothing but a table of public names.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SHOWING = ("drawing", "report")
"""Layers that draw and write down: pictures and pages are made anew in every run."""


class Sources:
    """The modules of a package and what they import of each other.

    Parameters
    ----------
    folder : Path
        Of the package; its name is that of the package.
    ignored : tuple of str
        Packages directly inside it that do not count.

    Examples
    --------
    >>> ours = Sources(Path(__file__).parents[1])
    >>> "popout.evidence.ratio" in ours.behind("popout.exact.bellman")
    True
    """

    def __init__(self, folder: Path, ignored: tuple[str, ...] = SHOWING) -> None:
        self.folder, self.name = folder, folder.name
        self.ignored = tuple(f"{self.name}.{each}" for each in ignored)
        self._imports: dict[str, tuple[str, ...]] = {}
        self._digest: dict[str, str] = {}

    def behind(self, module: str) -> tuple[str, ...]:
        """Return the names of the module and of all it imports, directly or not, in order."""
        seen: set[str] = set()
        waiting = [module]
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                waiting.extend(self._direct(name))
        return tuple(sorted(seen))

    def hash(self, module: str, leaving_out: tuple[str, ...] = ()) -> str:
        """Return a hash of the source of the module and of all it imports, but for some."""
        behind = [name for name in self.behind(module) if name not in leaving_out]
        lines = [f"{name} {self._digest[name]}\n" for name in behind]
        return hashlib.sha256("".join(lines).encode()).hexdigest()

    def _direct(self, module: str) -> tuple[str, ...]:
        """Return what a module imports itself, with the packages that this runs."""
        if module not in self._imports:
            path = self._path(module)
            assert path is not None, module
            content = path.read_bytes()
            self._digest[module] = hashlib.sha256(content).hexdigest()
            package = module if path.name == "__init__.py" else module.rpartition(".")[0]
            found = {package}
            for statement in _statements(ast.parse(content)):
                found.update(self._named(statement, package))
            everything = {each for name in found for each in _with_packages(name)}
            self._imports[module] = tuple(name for name in everything if self._counts(name))
        return self._imports[module]

    def _named(self, statement: ast.stmt, package: str) -> Iterator[str]:
        """Yield the modules that an import statement names."""
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                yield alias.name
        elif isinstance(statement, ast.ImportFrom):
            start = statement.module or ""
            if statement.level:
                above = package.split(".")[: 1 - statement.level or None]
                start = ".".join(filter(None, (*above, start)))
            for alias in statement.names:
                inside = f"{start}.{alias.name}"
                yield inside if self._path(inside) is not None else start

    def _counts(self, name: str) -> bool:
        inside = name.startswith(f"{self.name}.")
        ignored = any(f"{name}.".startswith(f"{each}.") for each in self.ignored)
        return inside and not ignored

    def _path(self, module: str) -> Path | None:
        """Return the file of a module, or None if there is none."""
        first, *rest = module.split(".")
        if first != self.name:
            return None
        path = self.folder.joinpath(*rest)
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if file.is_file():
                return file
        return None


@cache
def _ours() -> Sources:
    return Sources(Path(__file__).parents[1])


def source_hash(module: str, leaving_out: tuple[str, ...] = ()) -> str:
    """Return a hash of the source of a module of popout and of all it imports.

    Parameters
    ----------
    module : str
    leaving_out : tuple of str
        Modules that do not count here: what comes from them is known otherwise.

    Examples
    --------
    >>> len(source_hash("popout.exact.solver"))
    64
    """
    return _ours().hash(module, leaving_out)


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Yield every statement that may run, from outside in; expressions hold none."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for child in getattr(node, field, ()):
            if isinstance(child, ast.stmt):
                yield child
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
                yield from (each for other in child.orelse for each in (other, *_statements(other)))
            else:
                yield from _statements(child)


def _with_packages(module: str) -> Iterator[str]:
    """Yield a module and the packages that it lies in."""
    while module:
        yield module
        module = module.rpartition(".")[0]
