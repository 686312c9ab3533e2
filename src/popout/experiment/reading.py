"""Reading designs: from TOML files and other documents, and the schema that editors check by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from popout.experiment.design import ExperimentDesign
from popout.experiment.layout import Layout
from popout.task.document import Document, DocumentFaults
from popout.task.kinds import Schema
from popout.task.toml import DIALECT, build_declared

if TYPE_CHECKING:
    from pathlib import Path


def load_design(path: str | Path) -> ExperimentDesign:
    """Read the design of an experiment from a TOML file.

    Parameters
    ----------
    path : str or Path

    Raises
    ------
    InputError
        With every fault of the file, by line.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> text = '''
    ... title = "Search"
    ... set_sizes = [3, 6]
    ... targets = [0]
    ... distractors = [30]
    ... consent = "I agree."
    ... promise = "We store answers."
    ... instructions = "Search."
    ... [[blocks]]
    ... name = "All"
    ... trials = 12
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "design.toml"
    ...     _ = path.write_text(text)
    ...     load_design(path).n_trials
    12
    """
    return design_from(Document.load(path))


def design_from(document: Document) -> ExperimentDesign:
    """Build the design that a document describes."""
    faults = DocumentFaults(document)
    design: ExperimentDesign | None = build_declared(faults, ExperimentDesign)
    faults.raise_if_any()
    assert design is not None
    return design


def design_schema() -> Schema:
    """Return the JSON Schema of design files.

    Examples
    --------
    >>> sorted(design_schema()["$defs"]["layout"]["oneOf"][0]["properties"])[:3]
    ['background', 'bar', 'bar_length']
    """
    layouts = {"oneOf": [cls.schema() for cls in Layout.kinds.values()]}
    schema = ExperimentDesign.schema()
    defaults = ("layout", "timing", "costs", "observer")
    properties = {
        name: {key: part for key, part in entry.items() if key != "default"}
        if name in defaults
        else entry
        for name, entry in schema["properties"].items()
    }
    return {
        "$schema": DIALECT,
        "$id": "urn:popout:experiment",
        "title": "The design of an experiment, as popout reads it from TOML",
        **{**schema, "properties": properties},
        "$defs": {"layout": layouts},
    }
