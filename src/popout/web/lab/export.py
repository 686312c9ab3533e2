"""Export: every stored trial as CSV, Parquet or a Psych-DS dataset in a ZIP file.

Columns are those that `popout fit` reads by themselves: ``observer``, ``set_size``, ``present``,
``response``, ``correct`` and ``rt`` in seconds. Psych-DS wants ``dataset_description.json`` with
metadata in the words of Schema.org that name every column and no other, and tables whose names are
pairs of keyword and value, ``data/study-search_data.csv``.
"""

from __future__ import annotations

import io
import json
import zipfile
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from popout import __version__
from popout.web.lab.laboratory import Laboratory
from popout.web.lab.storage import PARTICIPANTS, TRIALS

if TYPE_CHECKING:
    import pandas as pd


class Format(StrEnum):
    """What can be exported."""

    CSV = "csv"
    PARQUET = "parquet"
    PSYCH_DS = "psych-ds"

    @property
    def file(self) -> str:
        """Name to save it under."""
        return "psych-ds.zip" if self is Format.PSYCH_DS else f"trials.{self}"


MEDIA = {
    Format.CSV: "text/csv; charset=utf-8",
    Format.PARQUET: "application/vnd.apache.parquet",
    Format.PSYCH_DS: "application/zip",
}
COLUMNS = {
    "observer": "Participant: the session's name.",
    "number": "Number of the participant.",
    "design": "Number of the design that was shown.",
    "trial": "Index of the trial in the session, from 0.",
    "block": "Name of the block.",
    "practice": "Whether the trial is practice.",
    "set_size": "Number of items on the display.",
    "present": "Whether there was a target.",
    "response": "present, absent, or empty if there was none in time.",
    "correct": "Whether the response was right.",
    "rt": "Response time in seconds from the onset of the display.",
    "target_place": "Place of the target, from 0; empty if there was none.",
    "tied": "Whether all distractors had one orientation.",
    "time_cost": "Cost of a second in the block, as a share of a correct answer.",
    "miss_cost": "Cost of a miss in the block.",
    "false_alarm_cost": "Cost of a false alarm in the block.",
    "prior": "Share of displays with a target, as the design has it.",
    "time_limit": "Seconds after which the display no longer waited for an answer.",
    "items": "The display, as JSON: place, x and y in degrees, orientation, contrast.",
    "onset": "When the display came on, in seconds since the page began.",
    "frame_interval": "Seconds of a frame of the screen.",
    "dropped_frames": "Frames that came late during the trial.",
    "input": "How it was answered: key, touch or mouse.",
    "full_screen": "Whether the page filled the screen.",
    "received": "When the trial was stored, in UTC.",
}
"""What each column is."""
SECONDS = ("rt", "time_limit", "onset", "frame_interval")


def frame_of(laboratory: Laboratory) -> pd.DataFrame:
    """Return every stored trial, in the order of participants and trials."""
    import pandas as pd  # heavy, and not needed before somebody asks

    wanted = (
        sa.select(TRIALS, PARTICIPANTS.c.session, PARTICIPANTS.c.number, PARTICIPANTS.c.experiment)
        .join(PARTICIPANTS, PARTICIPANTS.c.id == TRIALS.c.participant)
        .order_by(PARTICIPANTS.c.id, TRIALS.c.index)
    )
    frame = laboratory.frame(wanted)
    blocks = _blocks(laboratory)
    keys = list(zip(frame["experiment"], frame["block"], strict=True))
    of_blocks = (
        "block",
        "tied",
        "time_cost",
        "miss_cost",
        "false_alarm_cost",
        "prior",
        "time_limit",
    )
    for name in of_blocks:
        frame[name] = [blocks[key][name] for key in keys]
    frame = frame.rename(columns={"session": "observer", "experiment": "design", "index": "trial"})
    frame["received"] = pd.to_datetime(frame["received"], unit="s", utc=True)
    kinds = dict.fromkeys(("practice", "present", "correct"), "bool")
    kinds |= {"target_place": "Int64", "dropped_frames": "Int64", "full_screen": "boolean"}
    kinds |= dict.fromkeys(SECONDS, "float")
    frame = frame.astype(kinds)
    return frame[list(COLUMNS)]


def _blocks(laboratory: Laboratory) -> dict[tuple[int, int], dict[str, Any]]:
    """Return what is to be known of every block of every design."""
    blocks = {}
    for id, design in laboratory.designs().items():
        for k, block in enumerate(design["blocks"]):
            costs = block["costs"] or design["costs"]
            time = costs["time"]
            blocks[id, k] = {
                "block": block["name"],
                "tied": design["tied"] if block["tied"] is None else block["tied"],
                "time_cost": sum(time) / 2 if isinstance(time, list) else time,
                "miss_cost": costs["miss"],
                "false_alarm_cost": costs["false_alarm"],
                "prior": design["prior"],
                "time_limit": design["timing"]["time_limit"],
            }
    return blocks


def export(laboratory: Laboratory, form: Format) -> bytes:
    """Return every stored trial as a file."""
    frame = frame_of(laboratory)
    if form is Format.PARQUET:
        buffer = io.BytesIO()
        frame.to_parquet(buffer)
        return buffer.getvalue()
    table = frame.to_csv(index=False, lineterminator="\n").encode()
    return table if form is Format.CSV else _psych_ds(laboratory, table)


def _psych_ds(laboratory: Laboratory, table: bytes) -> bytes:
    title = laboratory.design.title
    description = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": title,
        "description": f"Visual search: {title}. Every trial of every participant.",
        "schemaVersion": "Psych-DS 1.5.1",
        "keywords": ["visual search", "response times"],
        "encodingFormat": "text/csv",
        "variableMeasured": [
            {"@type": "PropertyValue", "name": name, "description": words}
            | ({"unitText": "s"} if name in SECONDS else {})
            for name, words in COLUMNS.items()
        ],
    }
    readme = (
        f"# {title}\n\n{laboratory.design.promise}\n\nStored by popout {__version__}. Before you "
        "share this, name authors, licence and funders in dataset_description.json.\n"
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as files:
        contents = {
            "dataset_description.json": json.dumps(description, indent=2).encode(),
            "data/study-search_data.csv": table,
            "README.md": readme.encode(),
            "materials/designs.json": json.dumps(laboratory.designs(), indent=2).encode(),
        }
        for name, content in contents.items():
            files.writestr(f"search/{name}", content)
    return buffer.getvalue()
