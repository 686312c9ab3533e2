"""What a participant's page may send."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from popout.task import Fault, InputError

Seconds = Annotated[float, Field(ge=0.0, le=1e7)]
FrameInterval = Annotated[float, Field(ge=0.0, le=10.0, description="Of a frame, in seconds.")]
Pixels = Annotated[float, Field(ge=0.0, le=1e6)]
Count = Annotated[int, Field(ge=0, le=10**6)]


def _printable(text: str) -> str:
    if not text.isprintable():
        raise InputError([Fault("", (), "printable characters", repr(text), "drop the others")])
    return text


def _agreed(consent: bool) -> bool:
    if not consent:
        raise InputError([Fault("", (), "true", "false", "ask the participant first")])
    return consent


Line = Annotated[str, Field(max_length=200), AfterValidator(_printable)]


class _Sent(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class Arrival(_Sent):
    """Someone who agreed to take part.

    Attributes
    ----------
    parameters : dict
        Of the link.
    key : str or None
        128 bits or more that the page made at random; who comes with the same one again is the same
        participant.
    """

    consent: Annotated[bool, AfterValidator(_agreed)]
    parameters: dict[Line, Line] = Field({}, max_length=20)
    key: str | None = Field(None, pattern=r"^[A-Za-z0-9_-]{22,64}$")


class Pause(_Sent):
    """Whether a study lets nobody new in."""

    paused: bool


class Chosen(_Sent):
    """Participants whom a researcher has chosen."""

    sessions: Annotated[tuple[Line, ...], Field(min_length=1, max_length=1000, strict=False)]


class Screen(_Sent):
    """What the screen of a participant is like."""

    pixels_per_degree: float | None = Field(None, gt=0.0, le=1e5, description="By the card.")
    width: Pixels | None = None
    height: Pixels | None = None
    pixel_ratio: float | None = Field(None, ge=0.0, le=100.0, description="Device pixels each.")
    frame_interval: FrameInterval | None = None
    touch: bool | None = None
    browser: Line | None = Field(None, description="Name, version and system.")


class TrialRecord(_Sent):
    """What happened in a trial.

    Examples
    --------
    >>> TrialRecord(index=3, response="present", rt=0.61).rt
    0.61
    """

    index: Count = Field(description="Of the trial in the list, from 0.")
    response: Literal["present", "absent"] | None = Field(None, description="null if too late.")
    rt: Seconds | None = Field(None, description="From onset to answer.")
    onset: Seconds | None = Field(None, description="Since the page began.")
    frame_interval: FrameInterval | None = None
    dropped_frames: Count | None = Field(None, description="Frames that came late.")
    input: Literal["key", "touch", "mouse"] | None = None
    full_screen: bool | None = None
    page_began: float | None = Field(
        None, ge=0.0, le=1e11, description="When the page was loaded, by the participant's clock."
    )
    scale: float | None = Field(None, gt=0.0, le=1.0, description="1 where drawn in life size.")
    blurs: Count | None = Field(None, description="Losses of the focus since the last trial.")
    hides: Count | None = Field(None, description="Times the page was hidden since the last trial.")

    @model_validator(mode="after")
    def _has_time(self) -> TrialRecord:
        if self.response is not None and self.rt is None:
            expected, remedy = "the time of the answer", "send both, or neither"
            raise InputError([Fault("", ("rt",), expected, "none", remedy)])
        return self


class TrialRecords(_Sent):
    """Trials that are sent together; all of them must be right."""

    trials: Annotated[tuple[TrialRecord, ...], Field(min_length=1, max_length=200, strict=False)]
