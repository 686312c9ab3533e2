"""One look for all figures: a colour, marker and dash for each strategy, and one for each class.

Trials without a target (absent) are blue, trials with one (present) reddish. Where the colour tells
strategies or policies apart, absent is dotted and hollow, present solid and filled; no strategy is
dotted. The pages in the browser have the same two hues (``web/styles/common.css``).

Colours are those of Okabe and Ito, which remain distinct under the common forms of colour
blindness; marker and dash repeat the distinction in grey.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

RISK_LABEL = "risk (prior average)"
"""The paper's figures show the sum over the two classes, which is twice this for even priors."""
ABSENT, PRESENT = "#56B4E9", "#CC79A7"
DASHES: dict[str, Any] = {"absent": ":", "present": "-"}
"""Of the two classes, where colours are taken."""
SHADES = ("#000000", "#0072B2", "#009E73", "#D55E00")
"""For a few costs of time, from the highest to the lowest."""
GREY = "0.45"
TIME_MAP = "viridis"
PRINT_DPI = 300
"""What journals ask of a raster picture."""

SETTINGS: Any = {
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.labelsize": 9,
    "legend.fontsize": 8,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "lines.linewidth": 1.5,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "figure.dpi": 150,
    "svg.hashsalt": "popout",
    "svg.fonttype": "none",
}


@dataclass(frozen=True)
class Look:
    """How a strategy is drawn."""

    label: str
    colour: str
    marker: str
    dash: Any
    width: float = 1.5
    alpha: float = 1.0

    def line(self, **changes: Any) -> dict[str, Any]:
        """Return keywords for a line without markers."""
        return {
            "color": self.colour,
            "linestyle": self.dash,
            "linewidth": self.width,
            "alpha": self.alpha,
            "label": self.label,
            **changes,
        }

    def points(self, **changes: Any) -> dict[str, Any]:
        """Return keywords for a line with markers."""
        return {**self.line(), "marker": self.marker, **changes}


LOOKS = {
    "optimal": Look("optimum (exact)", "#000000", "", "-", width=3.5, alpha=0.4),
    "a-SPRT": Look("a-SPRT", "#0072B2", "o", "--"),
    "SPRT-opt": Look("SPRT-opt", "#009E73", "s", "-."),
    "SPRT": Look("SPRT", "#E69F00", "^", (0, (4, 1, 1, 1, 1, 1))),
    "Hardmax": Look("Hardmax", "#D55E00", "D", (0, (8, 2))),
    "Hardmax per location": Look("Hardmax per location", "#8C3A00", "d", (0, (8, 2, 2, 2))),
    "Hardmax-opt": Look("Hardmax-opt", "#F0A070", "*", (0, (8, 1))),
    "time-varying SPRT": Look("time-varying SPRT", "#5B3A8C", "v", "--"),
    "SPRT with deadline": Look("SPRT with deadline", "#8C564B", "P", (0, (5, 2))),
    "fixed time": Look("fixed time", "#7F7F7F", "X", "-"),
    "parallel": Look("parallel", "#0072B2", "o", "-"),
    "guided, g = 1": Look("guided, g = 1", "#E69F00", "s", "-"),
    "serial": Look("serial", "#009E73", "^", "-"),
    "MAP": Look("MAP", "#0072B2", "o", "-"),
    "ELM": Look("ELM", "#E69F00", "s", "-"),
    "ideal searcher": Look("ideal searcher", "#009E73", "^", "-"),
    "random": Look("random", "#7F7F7F", "X", "-"),
}
"""By the label that the strategy, or the attention policy, carries."""


P = ParamSpec("P")
T = TypeVar("T")


def styled(draw: Callable[P, T]) -> Callable[P, T]:
    """Give a drawing function the common settings."""

    @wraps(draw)
    def drawn(*args: P.args, **keywords: P.kwargs) -> T:
        # The first figure loads a notebook's back end, which then turns interactive mode on:
        # without it no picture is shown, so it has to outlast the settings.
        interactive = mpl.is_interactive()
        try:
            with mpl.rc_context(SETTINGS):
                try:
                    return draw(*args, **keywords)
                finally:
                    interactive = mpl.is_interactive()
        finally:
            mpl.interactive(interactive)

    return drawn


def axes_for(ax: Axes | None, size: tuple[float, float] = (4.6, 3.4)) -> Axes:
    """Return the axes to draw in: those given, or those of a new figure of pyplot's."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    # The size of figures in a notebook; that of the settings is for files.
    _, new = plt.subplots(figsize=size, dpi=100, layout="constrained")
    return new


def look_of(label: str, number: int = 0) -> Look:
    """Return the look of a strategy, also of one that is not in the table.

    Parameters
    ----------
    label : str
        The label that the strategy carries.
    number : int
        Tells strategies without a look of their own apart.
    """
    others = ("#CC79A7", "#56B4E9", "#999999", "#8C564B")
    markers = ("v", "P", "X", "*")
    if label in LOOKS:
        return LOOKS[label]
    return Look(label, others[number % 4], markers[number % 4], "-")


def panel(ax: Axes, letter: str, title: str = "") -> None:
    """Head a panel with its letter and a title."""
    ax.set_title(f"$\\bf{{{letter}}}$  {title}", loc="left")


def key(label: str, **look: Any) -> Line2D:
    """Return an entry of a legend, grey unless told otherwise."""
    return Line2D([], [], **{"color": "0.3", "label": label, **look})


def dot(label: str, **look: Any) -> Line2D:
    """Return an entry of a legend that is a point, for a class of trials and the like."""
    return key(label, **{"marker": "o", "linestyle": "", **look})


def class_look(kind: str) -> dict[str, Any]:
    """Return keywords of a line with markers for a class, ``"absent"`` or ``"present"``."""
    return {"linestyle": DASHES[kind], **({"mfc": "white"} if kind == "absent" else {})}


def class_keys(absent: str = "target absent", present: str = "target present") -> list[Line2D]:
    """Return the two entries of a legend that tell the classes apart."""
    words = {"present": present, "absent": absent}
    return [dot(text, **class_look(kind)) for kind, text in words.items()]


def strategy_keys(names: Iterable[str], dash: str = "-") -> list[Line2D]:
    """Return the entries of a legend of strategies, or of attention policies."""
    return [key(**LOOKS[name].points(linestyle=dash)) for name in names]


def log_axis(ax: Axes, ticks: Iterable[float], base: float = 10.0, digits: int = 6) -> None:
    """Make the x axis logarithmic, with plain numbers at these places alone."""
    places = [float(tick) for tick in ticks]
    ax.set_xscale("log", base=base)
    ax.set_xticks(places, [f"{place:.{digits}g}" for place in places])
    ax.minorticks_off()


def signed_log_axis(ax: Axes, linear: float) -> None:
    """Make the y axis logarithmic beyond plus or minus `linear`, with plain numbers."""
    ax.set_yscale("symlog", linthresh=linear)
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def picture(figure: Figure, kind: str) -> bytes:
    """Return the picture as the content of a file, ``"png"`` or ``"svg"``, without a date.

    A raster picture has the resolution of print; the text of a vector picture stays text, which can
    be edited and searched. The first picture lays the figure out for all of them.
    """
    stream = io.BytesIO()
    metadata: dict[str, Any] = {"Date": None} if kind == "svg" else {"Software": None}
    with mpl.rc_context(SETTINGS):
        if figure.get_layout_engine() is not None:  # it would draw everything once more each time
            figure.draw_without_rendering()
            figure.set_layout_engine(None)
        figure.savefig(stream, format=kind, dpi=PRINT_DPI, metadata=metadata)
    return stream.getvalue()
