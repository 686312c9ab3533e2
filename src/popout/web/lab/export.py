"""Export: every stored trial as CSV, Parquet or a Psych-DS dataset in a ZIP file.

Columns are those that `popout fit` reads by themselves: ``observer``, ``set_size``, ``present``,
``response``, ``correct`` and ``rt`` in seconds. Psych-DS wants ``dataset_description.json`` with
metadata in the words of Schema.org that name every column and no other, and tables whose names are
pairs of keyword and value, ``data/study-search_data.csv``.

Spreadsheets take a text that begins with =, +, - or @ for a formula. What a stranger can choose,
the identifier of the link and the name of the browser, then gets an apostrophe before it.
"""

from __future__ import annotations

import io
import json
import zipfile
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from popout import __version__
from popout.experiment import ExperimentDesign
from popout.experiment.trials import block_order, keys_of
from popout.task import Costs
from popout.web.lab.laboratory import Laboratory
from popout.web.lab.pace import Pace
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
    "identity": "What the link said who they are, e.g. PROLIFIC_PID; empty if nothing.",
    "visit": "Which visit of this person it was, from 1.",
    "link": "All parameters of the link, as JSON.",
    "started": "When the session began, in UTC.",
    "finished": "When it was finished, in UTC; empty if it was not.",
    "too_fast": "Whether its trials say they took longer than there was time: it was no person.",
    "claimed_seconds": "What they say they took, where it fits worst with the server's clock.",
    "elapsed_seconds": "The time since the session began, by then.",
    "screen_width": "Width of the page in pixels, as the browser counts them.",
    "screen_height": "Its height.",
    "pixel_ratio": "Pixels of the screen for each of them.",
    "pixels_per_degree": "Pixels for one degree of visual angle, by the card.",
    "touch": "Whether the device is used by touch.",
    "browser": "Name and version of the browser, and the system.",
    "design": "Number of the design that was shown.",
    "trial": "Index of the trial in the session, from 0.",
    "block": "Name of the block.",
    "place": "Which block of the session it was, from 1; counterbalanced orders differ.",
    "practice": "Whether the trial does not count: practice, or an attention check.",
    "check": "Whether it is an attention check.",
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
    "present_key": "Key for present, which may differ between participants.",
    "items": "The display, as JSON: place, x and y in degrees, orientation, contrast.",
    "scale": "How large it was drawn, 1 in life size: true degrees are those of items times this.",
    "load": "Which load of the page it was, from 1: more than 1 after a reload.",
    "onset": "When the display came on, in seconds since the page was loaded.",
    "frame_interval": "Seconds of a frame of the screen.",
    "dropped_frames": "Frames that came late during the trial.",
    "input": "How it was answered: key, touch or mouse.",
    "full_screen": "Whether the page filled the screen.",
    "blurs": "How often the window lost the focus since the trial before.",
    "hides": "How often the page was hidden since then: another tab, a minimised window.",
    "received": "When the trial was stored, in UTC.",
}
"""What each column is."""
SECONDS = ("rt", "time_limit", "onset", "frame_interval", "claimed_seconds", "elapsed_seconds")
NAMES = {"session": "observer", "experiment": "design", "index": "trial", "is_check": "check"}
NAMES |= {"parameters": "link"}
"""Of columns of the tables that are called otherwise here."""
OF_BLOCKS = ("block", "place", "tied", "time_cost", "miss_cost", "false_alarm_cost", "prior",
             "time_limit", "present_key")  # fmt: skip
OF_SCREENS = {"screen_width": "width", "screen_height": "height"}
OF_SCREENS |= {name: name for name in ("pixel_ratio", "pixels_per_degree", "touch", "browser")}
MOMENTS = ("started", "finished", "received")
KINDS = {
    **dict.fromkeys(("practice", "check", "present", "correct", "too_fast"), "bool"),
    **dict.fromkeys(("target_place", "dropped_frames", "blurs", "hides"), "Int64"),
    "full_screen": "boolean",
    **dict.fromkeys((*SECONDS, "scale", *OF_SCREENS), "float"),
    **{"touch": "boolean", "identity": "object", "browser": "object"},
}


def frame_of(laboratory: Laboratory) -> pd.DataFrame:
    """Return every stored trial, in the order of participants and trials."""
    import pandas as pd  # heavy, and not needed before somebody asks

    P = PARTICIPANTS.c
    about = P.session, P.number, P.experiment, P.identity, P.visit, P.parameters, P.screen
    wanted = (
        sa.select(TRIALS, *about, P.started, P.finished)
        .join(PARTICIPANTS, P.id == TRIALS.c.participant)
        .where(P.study == laboratory.study)
        .order_by(P.id, TRIALS.c.index)
    )
    frame = laboratory.frame(wanted).rename(columns=NAMES)
    designs = laboratory.designs()
    paces = {
        observer: Pace.of(
            designs[own.design.iloc[0]], own.block, own.rt, own.received, own.started.iloc[0]
        ).as_dict()
        for observer, own in frame.groupby("observer", sort=False)
    }
    for name in ("too_fast", "claimed_seconds", "elapsed_seconds"):
        frame[name] = [paces[observer][name] for observer in frame.observer]
    shown = [
        _shown(designs[design], number, block)
        for design, number, block in zip(frame.design, frame.number, frame.block, strict=True)
    ]
    for name in OF_BLOCKS:
        frame[name] = [block[name] for block in shown]
    screens = [json.loads(text) if isinstance(text, str) else {} for text in frame.screen]
    for name, own in OF_SCREENS.items():
        frame[name] = [screen.get(own) for screen in screens]
    for name in ("identity", "browser"):
        frame[name] = [_no_formula(text) for text in frame[name]]
    began = frame.groupby("observer")["page_began"]
    frame["load"] = began.transform(lambda times: pd.factorize(times)[0] + 1) if len(frame) else 1
    for name in MOMENTS:
        frame[name] = pd.to_datetime(frame[name].astype(float), unit="s", utc=True)
    return frame.astype(KINDS)[list(COLUMNS)]


@lru_cache(maxsize=10_000)
def _shown(design: ExperimentDesign, number: int, at: int) -> dict[str, Any]:
    """Return what is to be known of a block as a participant met it."""
    block = design.blocks[at]
    costs: Costs = design.of_block(block, "costs")
    return {
        "block": block.name,
        "place": block_order(design, number).index(at) + 1,
        "tied": design.of_block(block, "tied"),
        "time_cost": (costs.time_absent + costs.time_present) / 2,
        "miss_cost": costs.miss,
        "false_alarm_cost": costs.false_alarm,
        "prior": design.of_block(block, "prior"),
        "time_limit": design.timing.time_limit,
        "present_key": keys_of(design, number)["present"],
    }


def _no_formula(text: Any) -> Any:
    return f"'{text}" if isinstance(text, str) and text[:1] in set("=+-@") else text


def export(laboratory: Laboratory, form: Format) -> bytes:
    """Return every stored trial as a file."""
    frame = frame_of(laboratory)
    if form is Format.PARQUET:
        buffer = io.BytesIO()
        frame.to_parquet(buffer)
        return buffer.getvalue()
    table = frame.to_csv(index=False, lineterminator="\n").encode()
    return table if form is Format.CSV else _psych_ds(laboratory, table)


def _public(laboratory: Laboratory) -> dict[int, dict[str, Any]]:
    """Return the designs without what opens the study, or pays for it."""
    designs = {id: design.as_dict() for id, design in laboratory.designs().items()}
    for design in designs.values():
        design["entry"] = {**design["entry"], "secret": ""}
        design |= {"completion_code": "", "redirect": ""}
    return designs


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
            "materials/designs.json": json.dumps(_public(laboratory), indent=2).encode(),
        }
        for name, content in contents.items():
            files.writestr(f"search/{name}", content)
    return buffer.getvalue()
