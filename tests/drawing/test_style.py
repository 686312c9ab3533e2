"""The common look: it is put on while drawing, and taken off afterwards."""

import struct

import matplotlib as mpl
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from popout.drawing import style
from popout.drawing.style import LOOKS, SETTINGS, look_of, picture, styled


@pytest.fixture
def quiet():
    """Leave interactive mode as it was."""
    before = mpl.is_interactive()
    yield
    mpl.interactive(before)


def test_settings_hold_while_drawing_only():
    size = mpl.rcParams["font.size"]
    assert size != SETTINGS["font.size"]
    assert styled(lambda: mpl.rcParams["font.size"])() == SETTINGS["font.size"]
    assert mpl.rcParams["font.size"] == size


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("turned", [True, False])
def test_a_back_end_that_turns_interactive_mode_on_is_obeyed(turned):
    """A notebook's back end does that with the first figure; without it no figure is shown."""
    mpl.interactive(not turned)
    styled(lambda: mpl.interactive(turned))()
    assert mpl.is_interactive() is turned


@pytest.mark.usefixtures("quiet")
def test_a_drawing_that_fails_leaves_nothing_behind():
    def fails():
        raise ValueError("no ink")

    mpl.interactive(True)
    size = mpl.rcParams["font.size"]
    with pytest.raises(ValueError, match="no ink"):
        styled(fails)()
    assert mpl.is_interactive()
    assert mpl.rcParams["font.size"] == size


def test_strategies_without_a_look_are_told_apart():
    assert look_of("SPRT") is LOOKS["SPRT"]
    first, second = look_of("mine", 0), look_of("yours", 1)
    assert first.label == "mine"
    assert (first.colour, first.marker) != (second.colour, second.marker)
    assert first.colour not in {LOOKS[name].colour for name in ("SPRT", "Hardmax", "a-SPRT")}


def test_strategies_and_attention_policies_have_colours_of_their_own():
    shares = {"parallel", "guided, g = 1", "serial"}  # never drawn beside strategies, nor rules of
    gazes = {"MAP", "ELM", "ideal searcher", "random"}  # gaze beside either
    for names in (shares, gazes, set(LOOKS) - shares - gazes):
        assert len({to_hex(LOOKS[name].colour) for name in names}) == len(names)


def test_pictures_are_fit_for_print(coarse_pictures, monkeypatch):
    monkeypatch.setattr(style, "PRINT_DPI", coarse_pictures)
    figure = Figure(figsize=(2.0, 1.0))
    figure.text(0.1, 0.5, "words to edit")
    assert ">words to edit</text>" in picture(figure, "svg").decode()
    width, height = struct.unpack(">II", picture(figure, "png")[16:24])
    assert (width, height) == (600, 300)
