"""A page for each public name, in the order of the layers: ``popout/__init__.pyi`` is the list.

The page of a layer opens with what its package says of itself, which is its mathematics.
"""

import functools
import inspect
from pathlib import Path

from contents import toctree, write

import popout

LAYERS = {
    "task": "Tasks: what the observer faces",
    "evidence": "Evidence: what the observations say",
    "policies.stopping": "Strategies: when to stop and what to say",
    "policies.looking": "Attention: where to look",
    "policies": "Observers: looking and stopping together",
    "exact": "The exact ideal observer",
    "simulation": "Trials",
    "certificate": "Certificates: what no strategy can beat",
    "analysis": "Making, tuning and comparing strategies",
    "people": "People: trials in, fitted observers out",
    "reports": "Reports",
}


def names_by_layer():
    """Return {layer: public names, sorted}."""
    names = {layer: [] for layer in LAYERS}
    for name, module in popout._MODULE_OF.items():
        if name != "__version__":
            layer = next(layer for layer in LAYERS if f"{module}.".startswith(f"popout.{layer}."))
            names[layer].append(name)
    return {layer: sorted(these, key=str.lower) for layer, these in names.items()}


def members_of(cls):
    """Return the documented members of a class that popout defines, those of its bases too."""
    ours = [base for base in cls.__mro__ if base.__module__.startswith("popout")]
    owners = {name: base for base in reversed(ours) for name in vars(base) if name[0] != "_"}
    own_words = [name for name, base in owners.items() if inspect.getdoc(vars(base)[name])]
    return sorted(name for name in own_words if describable(vars(owners[name])[name]))


def describable(member):
    """Tell methods and properties from fields, which the docstring of the class describes."""
    kinds = property | classmethod | staticmethod | functools.cached_property
    return inspect.isfunction(member) or isinstance(member, kinds)


def heading(text, line="="):
    """Return a heading in reStructuredText."""
    return [text, line * len(text), ""]


def listing(names):
    """Return the directives that list names with the first line of what they say."""
    entries = [f"   popout.{name}" for name in names]
    return [".. autosummary::", "   :nosignatures:", "", *entries, ""]


def page_of(name):
    """Return the page of a public name."""
    lines = [*heading(name), ".. currentmodule:: popout", ""]
    thing = getattr(popout, name)
    if not inspect.isclass(thing):
        lines += [f".. autofunction:: popout.{name}"]
    elif issubclass(thing, BaseException):
        lines += [f".. autoexception:: popout.{name}"]
    else:
        lines += [f".. autoclass:: popout.{name}"]
        if members := members_of(thing):
            lines += [f"   :members: {', '.join(members)}", "   :member-order: groupwise"]
    return "\n".join([*lines, ""])


def page_of_layer(layer, names):
    """Return the page of a layer."""
    lines = [*heading(LAYERS[layer]), *listing(names)]
    lines += [f".. automodule:: popout.{layer}", "   :no-members:", ""]
    lines += [".. toctree::", "   :hidden:", "", *(f"   popout.{name}" for name in names), ""]
    return "\n".join(lines)


def write_pages(app):
    """Write the page of every public name and of every layer, and remove those of names gone."""
    folder = Path(app.srcdir) / "reference"
    layers = names_by_layer()
    pages = {f"popout.{name}": page_of(name) for names in layers.values() for name in names}
    pages |= {layer: page_of_layer(layer, names) for layer, names in layers.items()}
    for page, text in pages.items():
        write(folder / f"{page}.rst", text)
    for path in folder.glob("*.rst"):
        if path.stem not in pages:
            path.unlink()


def add_tables(app, page, source):
    """Add tables of all names to the page ``reference``."""
    if page != "reference":
        return
    for layer, names in names_by_layer().items():
        body = "\n".join(listing(names))
        source[0] += f"\n## [{LAYERS[layer]}](reference/{layer}.rst)\n\n"
        source[0] += f"```{{eval-rst}}\n{body}\n```\n"
    source[0] += toctree([f"reference/{layer}" for layer in LAYERS])


def setup(app):
    """Register with Sphinx."""
    app.connect("builder-inited", write_pages)
    app.connect("source-read", add_tables)
    return {"parallel_read_safe": True}
